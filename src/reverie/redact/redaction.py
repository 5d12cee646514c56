"""How much of a text was redacted."""

from enum import StrEnum


class Redaction(StrEnum):
    """How much of an item's text was taken out before it was stored."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"
