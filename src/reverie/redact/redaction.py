"""A value that says whether a text was redacted in part or in full."""

from enum import StrEnum


class Redaction(StrEnum):
    """The share of an item's text that was taken out before it was stored."""

    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"
