"""Learnings in, those that may be kept out, with personal data masked: what agents are told before the gate has looked.

The gate judges every learning again when it becomes a memory. But a learning is shown at once, in a session's context
and in user.md, so what its person never wants kept must not get even that far.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from reverie.gate.mandates import Mandates, mandate_for, read_mandates
from reverie.gate.personal import masked
from reverie.records import Learning
from reverie.settings import PrivacySettings


def permitted(learnings: Iterable[Learning], privacy: PrivacySettings, soul: str) -> list[Learning]:
    """What neither a policy nor soul.md forbids, under the policies."""
    never = _mandates(soul).never_keep
    found = []
    for learning in learnings:
        text, subject = masked(learning.text, privacy), masked(learning.subject, privacy)
        if not text.forbidden and not mandate_for(f"{learning.text} {learning.subject}", never):
            found.append(replace(learning, text=text.text, subject=subject.text))
    return found


@lru_cache(maxsize=4)
def _mandates(soul: str) -> Mandates:
    return read_mandates(soul)
