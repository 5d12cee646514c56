"""A memory item and a policy in, the same item without the personal data that may not be stored out.

Everything that carries words is looked at: text, subject, tags, and metadata down to its keys and numbers. What was
computed from the old text (embedding, terms, checksum) goes with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from reverie.language.tokens import count_tokens
from reverie.records import JSON, MemoryItem, Redaction
from reverie.redact.personal import masked
from reverie.settings import PrivacySettings


@dataclass(frozen=True, slots=True)
class Redacted:
    """The item without personal data, which kinds were taken out, and which of them forbid keeping the item."""

    item: MemoryItem
    kinds: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


def redact(item: MemoryItem, policy: PrivacySettings) -> Redacted:
    """Take out what the policy does not let through."""
    kinds: dict[str, None] = {}
    forbidden: dict[str, None] = {}

    def clean(text: str, announced: str = "") -> str:
        result = masked(text, policy, announced)
        kinds.update(dict.fromkeys(result.kinds))
        forbidden.update(dict.fromkeys(result.forbidden))
        return result.text

    said = masked(item.text, policy)
    kinds.update(dict.fromkeys(said.kinds))
    forbidden.update(dict.fromkeys(said.forbidden))
    subject, tags = clean(item.subject), tuple(map(clean, item.tags))
    metadata = {clean(key): clean_value(value, clean, key) for key, value in item.metadata.items()}
    if not kinds:
        return Redacted(item)
    status = said.status if said.kinds else Redaction.PARTIAL
    clean_item = replace(item, subject=subject, tags=tags, metadata=metadata, redaction_status=status)
    if said.kinds:
        clean_item = replace(
            clean_item,
            text=said.text,
            embedding=None,
            sparse_terms=(),
            checksum="",
            tokens_estimate=count_tokens(said.text),
        )
    return Redacted(clean_item, tuple(kinds), tuple(forbidden))


def clean_value(value: JSON, clean: Callable[[str, str], str], key: str = "") -> JSON:
    """The same value, each text in it cleaned; `key` is what it stands under."""
    if isinstance(value, str):
        return clean(value, key)
    if isinstance(value, dict):
        return {clean(inner, ""): clean_value(held, clean, inner) for inner, held in value.items()}
    if isinstance(value, list):
        return [clean_value(held, clean, key) for held in value]
    if isinstance(value, int) and not isinstance(value, bool):
        cleaned = clean(str(value), key)
        return value if cleaned == str(value) else cleaned
    return value
