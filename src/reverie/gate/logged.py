"""A captured event and a policy in, what a strict log keeps of it out: the same event, its personal data masked.

What the policy drops is masked here as well: that something happened is kept, and the gate drops what is learned of it.
Names by which things are found again stay as they are: session, project, tool, and an id that the host gave.
"""

import json
from collections.abc import Callable
from dataclasses import replace

from reverie.gate.redact import clean_value
from reverie.records import JSON, Captured
from reverie.redact.personal import masked
from reverie.settings import PrivacySettings

# Ids that capture made of what was said. They hold a digest of it, and the digest of a short text tells a number to
# whoever tries them all.
_MADE_OF_WORDS = ("at:", "prompt:", "reply:", "compact:", "said:")


def as_logged(captured: Captured, policy: PrivacySettings, mark: Callable[[str], str]) -> Captured:
    """The event as a strict log has it.

    Two events that differ only in what is masked must stay two. So where no id tells them apart, a `mark` does: what
    only this store makes of the whole.
    """

    def clean(text: str, announced: str = "") -> str:
        return masked(text, policy, announced).text

    def cleaned(value: JSON, key: str = "") -> JSON:
        try:
            return clean_value(value, clean, key)
        except RecursionError:  # nested too deep to walk through; as one text it can be searched
            return clean(json.dumps(value, ensure_ascii=False))

    logged = replace(
        captured,
        text=clean(captured.text),
        speaker=clean(captured.speaker),
        tool=captured.tool and replace(captured.tool, input=cleaned(captured.tool.input)),
        metadata={clean(key): cleaned(value, key) for key, value in captured.metadata.items()},
    )
    if logged == captured or (captured.event_id and not captured.event_id.startswith(_MADE_OF_WORDS)):
        return logged
    given = captured.tool.input if captured.tool else None
    whole = json.dumps([captured.text, captured.speaker, given, dict(captured.metadata)])
    return replace(logged, event_id=f"masked:{mark(whole)}")
