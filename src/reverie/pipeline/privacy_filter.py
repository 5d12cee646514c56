"""Learnings in, those that may be kept out, with personal data masked: what agents are told before the gate has looked.

The gate judges every learning again when it becomes a memory. But a learning is shown at once, in a session's context
and in user.md, so what its person never wants kept must not get even that far.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from reverie.gate.mandates import Mandates, mandate_for, names_type, read_mandates
from reverie.records import Learning
from reverie.redact.personal import masked
from reverie.settings import PrivacySettings


def permitted(learnings: Iterable[Learning], privacy: PrivacySettings, soul: str) -> list[Learning | None]:
    """Each as the policies allow it, in its place; None where a policy or soul.md forbids it."""
    never = _mandates(soul).never_keep
    return [_permitted(learning, privacy, never) for learning in learnings]


def _permitted(learning: Learning, privacy: PrivacySettings, never: tuple[str, ...]) -> Learning | None:
    text, subject = masked(learning.text, privacy), masked(learning.subject, privacy)
    is_named = mandate_for(f"{learning.text} {learning.subject}", never) or names_type(learning.type, never)
    return None if text.forbidden or is_named else replace(learning, text=text.text, subject=subject.text)


@lru_cache(maxsize=4)
def _mandates(soul: str) -> Mandates:
    return read_mandates(soul)
