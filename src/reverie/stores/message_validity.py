"""A message and what was learned from it -> the message with the validity of the fact that it tells.

"I live in Lisbon" is a message and a fact. When a newer fact ends that one, the message would still answer the question
where somebody lives. So a message that tells a fact and little else shares the fact's subject and validity, from the
moment on when there are two facts of that subject. It stays where it is, and whoever asks about the past finds it.
"""

from collections.abc import Iterable
from dataclasses import replace

from reverie.records import EPISODIC, SEMANTIC, Lifecycle, MemoryItem, Source
from reverie.stores.terms import stems

_LITTLE = 3  # one word in three may be about something else: a greeting, "by the way"
_LONGEST = 60  # words of a message that tells one fact; a longer one is worth finding for the rest of it


def as_it_holds(message: MemoryItem, learned: Iterable[MemoryItem]) -> MemoryItem:
    """The message as valid as the fact that it tells; of several facts, the one that lasts longest counts."""
    bare = replace(message, subject="", valid_from_ms=None, valid_to_ms=None, superseded_by="")
    if message.store != EPISODIC or message.source is not Source.USER or message.parent_id:
        return bare
    told = [fact for fact in learned if _is_known(fact) and tells_only(message.text, fact.text)]
    if not told:
        return bare
    fact = max(told, key=lambda one: (not one.superseded_by, one.valid_to_ms or 0, one.id))
    if not has_history(fact):
        return bare
    return replace(
        message,
        subject=fact.subject,
        valid_from_ms=fact.valid_from_ms,
        valid_to_ms=fact.valid_to_ms,
        superseded_by=fact.superseded_by,
    )


def has_history(fact: MemoryItem) -> bool:
    """Whether a fact has replaced another, or was replaced."""
    return bool(fact.superseded_by or fact.lineage_ids)


def tells_only(text: str, fact: str) -> bool:
    """Whether a text tells a fact and little else.

    >>> tells_only("Hi! I live in Lisbon.", "I live in Lisbon")
    True
    >>> tells_only("I live in Lisbon. Which tests are flaky today?", "I live in Lisbon")
    False
    """
    if len(text) > 20 * _LONGEST or len(text.split()) > _LONGEST:
        return False
    said, known = stems(text), set(stems(fact))
    other = [word for word in said if word not in known]
    return bool(said) and _LITTLE * len(other) <= len(said)


def _is_known(item: MemoryItem) -> bool:
    hidden = item.lifecycle in (Lifecycle.QUARANTINED, Lifecycle.ARCHIVED)
    return item.store == SEMANTIC and bool(item.subject) and item.deleted_ms is None and not hidden
