"""Bytes in, places of base64 out in which there is a secret: what decodes to text is looked into, and masked whole.

Few texts have any of this, so a hook loads the file only where `secret_shapes.py` saw such a run. Each run is decoded
once, so the time is linear in the length of the text; how often a run within a run is decoded is up to the caller.
"""

from binascii import Error, a2b_base64

from reverie.redact.secret_search import pattern
from reverie.redact.secret_shapes import ENCODED
from reverie.redact.secret_values import ALL_BYTES, ALPHANUMERIC, to_spaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from reverie.redact.secret_search import Span

_ALPHABET = to_spaces(ALPHANUMERIC + b"+/_-")
_STANDARD = bytes.maketrans(b"-_", b"+/")  # of the alphabet for addresses
_CONTROLS = bytes(i for i in range(32) if i not in b"\t\n\r") + b"\x7f"
_TEXT = bytes.maketrans(_CONTROLS, b"\x00" * len(_CONTROLS))
_NO_ASCII = ALL_BYTES[128:]
# A run goes on in the next line where a line is full, as `base64` and YAML write it; in JSON the break is an escape.
_NEXT_LINE = rb"(?:\r?\n|(?:\\+r)?\\+n)[ \t]*"
_FULL = 40
_SHORT = 16
_LEAST = 12  # bytes of text; fewer hold no secret that can be known


def encoded(data: bytes, kind_in: "Callable[[bytes], str]") -> "list[Span]":
    """Find base64 in which `kind_in` sees a secret: it gets the text and says the kind, "" if there is none."""
    spans: list[Span] = []
    runs = data.translate(_ALPHABET)
    search, at = pattern(ENCODED), 0
    while (hit := search(data, at, len(data))[0])[0] >= 0:
        lines = _lines(data, runs, at, hit[0])
        text, first = _text(b"".join([data[start:stop] for start, stop in lines]), hit[0] - lines[0][0])
        kind = kind_in(text) if len(text) >= _LEAST else ""
        at = max(lines[-1][1], hit[1])
        if kind:
            at += len(data[at : at + 2]) - len(data[at : at + 2].lstrip(b"="))
            spans.append((lines[0][0] + first, at, kind))
    return spans


def _lines(data: bytes, runs: bytes, floor: int, hit: int) -> list[tuple[int, int]]:
    """The run of base64 that has a group of four characters at `hit`, and the lines in which it goes on."""
    before = max(runs.rfind(b" ", floor, hit) + 1, floor)
    start, stop = hit - (hit - before) // 4 * 4, _end(runs, hit)
    lines = [(start, stop)]
    while stop - start >= _FULL and (stop - start) % 4 == 0:
        first = pattern(_NEXT_LINE, anchored=True)(data, stop, min(len(data), stop + 80))[0][1]
        if first < 0:
            break
        last = _end(runs, first)
        if not 0 < last - first <= stop - start or not _goes_on(data[first:last]):
            break
        start, stop = first, last
        lines.append((start, stop))
    return lines


def _end(runs: bytes, at: int) -> int:
    stop = runs.find(b" ", at)
    return stop if stop >= 0 else len(runs)


def _goes_on(line: bytes) -> bool:
    """Whether a line is the next one of such a text: it decodes to text, too."""
    text = _decoded(line)
    controls = text.translate(None, _CONTROLS)
    return len(controls) == len(text) and (len(line) >= _SHORT or len(text.translate(None, _NO_ASCII)) == len(text))


def _text(run: bytes, place: int) -> tuple[bytes, int]:
    """The text in a run that has this place, and where in the run it begins: a path may stand before it."""
    whole = _decoded(run)
    place = place // 4 * 3
    marked = whole.translate(_TEXT)
    first, last = marked.rfind(b"\x00", 0, place) + 1, marked.find(b"\x00", place)
    return whole[first : last if last >= 0 else len(whole)], (first + 2) // 3 * 4


def _decoded(run: bytes) -> bytes:
    run = run[: len(run) - (len(run) % 4 == 1)]  # one character more is no byte
    try:
        return a2b_base64(run.translate(_STANDARD) + b"=" * (-len(run) % 4))
    except Error:
        return b""
