r"""Bytes in, places of secrets out that stand in cells of HTML: beside the cell that names them, or below it.

Few texts have any of this, so a hook loads the file only where `secret_rare.py` saw a mark of it.
"""

from reverie.redact.secret_names import KINDS, meaning_under
from reverie.redact.secret_search import BOUNDARY, pattern
from reverie.redact.secret_values import weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.redact.secret_search import Span

_SPACE = rb"(?:\s|\\+[nrt]|&nbsp;)*"
_INLINE = (
    rb"(?:" + _SPACE + rb"<\\*/?(?:b|strong|i|em|u|code|kbd|tt|span|p|div|label|font)(?:[ \t][^<>\xff]*)?>)*" + _SPACE
)
# A cell that ends with the name of a secret, and the tag that closes it.
_NAME = (
    rb"(?i)>" + _SPACE + rb"([^<>\n\xff]*(?:passw|pwd|secret|token|pi[ _-]?key)[^<>\n:\xff]*?):?" + _INLINE
    + rb"<\\*/(?:t[dh]|dt)>" + _SPACE
)  # fmt: skip
_VALUE = rb"(?i)<(?:t[dh]|dd)(?:[ \t][^<>\xff]*)?>" + _INLINE + rb"([^<>\xff]*)<"
_TAG = rb"(?i)<\\*(?:(tr)|(t[dh])|(/t(?:able|r)))\b[^<>\xff]*>" + _INLINE
_LONGEST = 60  # bytes of a name
_TABLED = ("password", "passphrase", "secret", "app-secret", "token")
_WIDEST = 65_536  # bytes of a table below its names


def cells(data: bytes) -> "list[Span]":
    """Find the values whose name is in the cell before, or in the same column of the first row."""
    spans: list[Span] = []
    search, at = pattern(_NAME), 0
    to_read = 4 * len(data)  # below names; each look may go far, and all of them are not to take longer than the text
    while (name := search(data, at, len(data)))[0][0] >= 0:
        at = name[1][1]
        meaning = _meaning(data[name[1][0] : name[1][1]])
        if not meaning:
            continue
        beside = pattern(_VALUE, anchored=True)(data, name[0][1], min(len(data), name[0][1] + 2000))[1]
        if beside[0] >= 0 and (place := _place(data, beside)) and weigh(meaning, data[place[0] : place[1]], "said"):
            spans.append((*place, KINDS.get(meaning, meaning)))
            at = place[1]
        elif to_read > 0:
            below, end = _below(data, *name[1], meaning)
            spans += below
            to_read -= end - at
            at = below[-1][1] if below else at
    return spans


def _meaning(name: bytes) -> str:
    meaning = meaning_under(name.strip().lower().replace(b" ", b"_")) if len(name) <= _LONGEST else ""
    return meaning if meaning in _TABLED else ""


def _place(data: bytes, place: tuple[int, int]) -> "tuple[int, int] | None":
    """The value in a cell, without space around it; None if it is several words."""
    text = data[place[0] : place[1]]
    value = text.replace(b"&nbsp;", b"      ").strip()
    first = place[0] + text.find(value)
    return (first, first + len(value)) if value.translate(None, b"\t\n\r ") == value != b"" else None


def _below(data: bytes, start: int, stop: int, meaning: str) -> "tuple[list[Span], int]":
    """The secrets in the column that has its name from `start` to `stop`, and how far the table was read."""
    row = max(data.rfind(b"<tr", max(0, start - 4000), start), data.rfind(b"<TR", max(0, start - 4000), start))
    if row < 0 or data.find(BOUNDARY, row, start) >= 0:
        return [], stop
    search, column, at, end = pattern(_TAG), -1, row + 3, min(len(data), stop + _WIDEST)
    while (tag := search(data, at, stop))[0][0] >= 0:
        at, column = tag[0][1], column + (tag[2][0] >= 0)
    values: list[tuple[int, int]] = []
    at, here, boundary = stop, len(data), data.find(BOUNDARY, stop, end)
    end = boundary if boundary >= 0 else end
    while (tag := search(data, at, end))[0][0] >= 0:
        at = tag[0][1]
        if tag[1][0] >= 0:
            here = -1
        elif tag[2][0] >= 0:
            here += 1
            if here == column and (place := _place(data, (at, _or_end(data.find(b"<", at, end), end)))):
                values.append(place)
        elif tag[3][1] - tag[3][0] > 3:  # the end of the table
            break
    is_proven = any(weigh(meaning, data[first:last], "said") for first, last in values)
    found = [place for place in values if is_proven and weigh(meaning, data[place[0] : place[1]], "quoted")]
    return [(*place, KINDS.get(meaning, meaning)) for place in found], at


def _or_end(place: int, end: int) -> int:
    return place if place >= 0 else end
