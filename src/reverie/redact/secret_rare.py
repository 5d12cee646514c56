"""A text -> what of the rare it shows: what takes several lines, rows or words.

One pass tells, and costs less than to look for each mark on its own. `secret_blocks.py`, `secret_layouts.py` and
`secret_cells.py`, which then look at it, are loaded where there is something.
"""

from reverie.redact.secret_search import BOUNDARY, is_compiled, pattern
from reverie.redact.secret_values import ALPHANUMERIC

# The last lines: the name of a secret where a line, a cell or a sentence goes on, and what has several below it.
_RARE = (
    rb"PRIVATE KEY|Private-|kty|kind[\"'\\]*:[ \t]*[\"'\\]*Secret|alue\\*\":|- value:|<value>|<string>"
    rb"|(?i:passw|pwd|pi[ _-]?key)\w*(?:[\"'`*\\]*(?:[,;|\t\r\n )'\x1b\xff]|[.!?](?:\s|$)|\\[nrtfu]|$)"
    rb"|s[\"'\\]*:|:?(?:<|&nbsp;))"
    rb"|(?i:secret|token)\w*(?:[\"'`*\\]*(?:[,;\t\r\n]| *[|\xe2]|\\[nrt]|\)[\s\"'+]*(?i:values))"
    rb"|s[\"'\\]*:|:?(?:<|&nbsp;))"
)
_RARE_WORDS = b"private,kty,secret,alue,<string>,passw,pwd,token,key".split(b",")
_LOOKS = {  # how a mark begins: which function of `secret_blocks.py` looks at it
    b"PR": "private_keys",
    b"Pr": "private_keys",
    b"kt": "web_keys",
    b"ki": "manifests",
    b"al": "fields",
    b"- ": "fields",
    b"<v": "fields",
    b"<s": "fields",
}
_ALL_LOOKS = frozenset((*_LOOKS.values(), "tables", "inserts", "maps", "sentences", "cells"))
_MOST_MARKS = 2000
_SEPARATORS = (b"|", b"\t", b";", b",")
_ENDS_CELL = frozenset((*_SEPARATORS, b"\r", b"\n", b"\xe2", b"\xff"))
_CELLS = ALPHANUMERIC + b"_-.,;|\t\r \"'`*#/\\+" + bytes(range(128, 255))
_RULE = b"-+|:= \t\r" + bytes(range(128, 192)) + b"\xe2"
_LEADS = frozenset(b"s i we you he she they that which will must equals from".split())
_TURNS = frozenset(b"is was has changed reset set updated rotated".split())
_TURNS_TO = frozenset(b"to been currently still now just simply changed reset set updated rotated".split())
_LINKS = (b" is ", b" was ", b" as ")
_DIGITS = b"0123456789"


def rare(data: bytes) -> "frozenset[str] | set[str]":
    """Return the functions of `secret_blocks.py` that have something to look at in this text."""
    found: set[str] = set()
    if len(data) < 4096 and not is_compiled(_RARE):
        lower = data.lower()
        if all(lower.find(word) < 0 for word in _RARE_WORDS):
            return found
    search, at, size = pattern(_RARE), 0, len(data)
    for _ in range(_MOST_MARKS):
        start, at = search(data, at, size)[0]
        if start < 0:
            return found
        look = _LOOKS.get(data[start : start + 2])
        found.update((look,) if look else _looks(data, start, at))
    return _ALL_LOOKS


def _looks(data: bytes, start: int, stop: int) -> list[str]:
    """Return the layouts that may be there, between the start of a secret's name and the sign after it; mostly none."""
    sign = data[stop - 1 : stop]
    looks: list[str] = []
    if sign == b":":
        opening = data[stop : stop + 20].lstrip(b" \t\r")
        is_map = opening[:1] in (b"\n", b"\\") or (opening[:1] == b"{" and not opening[1:2].isdigit())
        return ["maps"] if is_map else looks
    if sign == b"<" or data.endswith(b"&nbsp;", 0, stop):
        is_closed = sign != b"<" or data[stop : stop + 2].lstrip(b"\\")[:1] == b"/"
        return ["cells"] if is_closed else looks
    is_escape = data[stop - 2] == 92
    if sign == b" " or sign == b"'":
        if _leads(data[stop : stop + 100].partition(BOUNDARY)[0]):
            looks.append("sentences")
        sign = data[stop : stop + 40].lstrip(b" ")[:1]
    if sign == b"\xe2" or ((is_escape or sign in _ENDS_CELL) and is_head(data, start, stop - 1 - is_escape)):
        looks.append("tables")
    if sign == b"<":
        looks.append("cells")
    if sign == b")" or sign == b",":
        closed = data.find(b")", stop - 1, stop + 400) + 1
        following = data[closed : closed + 40].replace(b"\\n", b" ").lstrip(b" \t\r\n\"'+\\")[:10]
        if closed and following.lower().startswith((b"value", b"from stdin", b"overriding")):
            looks.append("inserts")
    before = data[max(0, start - 60) : start] if data[start] in b"pP" else b""
    for link in _LINKS:
        if (here := before.rfind(link)) > 0:
            value = before[:here].rstrip().rpartition(b" ")[2]
            if len(value.translate(None, _DIGITS)) < len(value) or value.count(b"-") > 2:
                looks.append("sentences")
    return looks


def _leads(text: bytes) -> bool:
    """Whether a sentence goes on like this that tells a secret at its end."""
    first, second = [*text[:40].lower().split(b" "), b""][:2]
    if first in _LEADS or (first in _TURNS and second in _TURNS_TO):
        line = text.partition(b"\n")[0]
        return len(line.translate(None, _DIGITS)) < len(line)
    if text.count(b"-") < 3:
        return False
    words = [word.strip(b".,;:!?)|\"'`") for word in text.split() if word.count(b"-") > 2]
    return any(word.replace(b"-", b"").isalpha() for word in words)  # ember-planet-river-cricket


def is_head(data: bytes, start: int, stop: int) -> bool:
    """Whether this line may name columns: all in it are names, and the next one has as many cells, or is a rule."""
    end = data.find(b"\n", stop, stop + 400)
    escaped = data.find(b"\\n", stop, end if end >= 0 else stop + 400)
    end, width = (escaped, 2) if escaped >= 0 else (end, 1)
    if end < 0 or data[stop:end].translate(None, _CELLS):
        return False
    line = data[max(0, start - 400) : end].rpartition(b"\n")[2].rpartition(b"\\n")[2]
    below = data[end + width : end + width + 400].partition(b"\n")[0].partition(b"\\n")[0]
    line, below = line.rpartition(BOUNDARY)[2].rpartition(b'": "')[2], below.partition(BOUNDARY)[0]  # the last: in JSON
    if width == 2:
        line, below = line.replace(b"\\t", b"\t"), below.replace(b"\\t", b"\t")
    if line.translate(None, _CELLS) or line[-1:] == b",":
        return False
    if not below.translate(None, _RULE):
        return below != b""
    sign = next((sign for sign in _SEPARATORS if line.find(sign) >= 0), b"")
    count = line.count(sign) if sign else 0
    if not count or len(line.split()) > 4 * count + 4:
        return False
    return below.count(sign) == count or below.find(b'"' + sign) > 0 or below.find(sign + b'"') > 0


_MARGIN = rb"\n[ \t]*(?:[0-9]+(?:\xe2\x86\x92|\t)|\+)"  # the number of a line that is shown, or the sign of a new one


def without_margins(data: bytes) -> bytes:
    """The data with every byte in its place, but with spaces for what stands before each line."""
    parts: list[bytes] = []
    search, at = pattern(_MARGIN), 0
    while True:
        start, stop = search(data, at, len(data))[0]
        if start < 0:
            return b"".join((*parts, data[at:]))
        parts += (data[at : start + 1], b" " * (stop - start - 1))
        at = stop
