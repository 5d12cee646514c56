r"""Bytes in, places of secrets out that take several lines or fields: private keys, Kubernetes secrets, web keys, and
values that stand apart from their names. And text without colours.

Few texts have any of this, so a hook loads the file only where `secret_rare.py` saw a mark of it.
"""

from reverie.redact.secret_names import KINDS, LOOK, meaning_under, value_at
from reverie.redact.secret_rare import without_margins
from reverie.redact.secret_search import BOUNDARY, pattern
from reverie.redact.secret_values import ALPHANUMERIC, is_random, is_stand_in, to_spaces, weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.redact.secret_search import Span


# 1. Private keys: one mark for the whole block, or for as much of it as there is.
#
# Programs show a file with something around each line: a number, a date, its name, quotes. These forms have no end, so
# none is known here: a line of a key is one with a run of base64 that looks drawn, and what else is in it goes, too.

_BEGIN = rb"-----?[ ]?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?[ ]?-----?|Private-Lines: [0-9]+"
_END = rb"-----?[ ]?END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?[ ]?-----?|Private-(?:MAC|Hash):"  # the second is PuTTY's
_BREAK = rb"(?:\\+[nrt]|[\s\"'+,|#>*\\-])*"  # a line break, written out or not, and what quotes or comments a line
_LAST = _BREAK + rb"(?:" + _END + rb")"
_ON_ONE_LINE = (
    rb"(?:" + _BREAK + rb"(?:[A-Za-z-]+: [^\n\"'\\\xff]*(?:\\+n|\n|\\*[\"']))*" + _BREAK + rb"[A-Za-z0-9+/=]{16,})+\w*"
    rb"(?:" + _LAST + rb"|" + _BREAK + rb"[A-Za-z0-9+/=]+\w*(?:" + _LAST + rb")?)?"
)  # fmt: skip
_BASE64 = to_spaces(ALPHANUMERIC + b"+/=")
_HEX = b"0123456789abcdefABCDEF"
_LINE_ENDS = (b"\n", b"\\n", b'",', b"',", BOUNDARY)  # the third and fourth where each line is a string of its own
_LONGEST = 600  # bytes of a line, with what is around it
_LEAST = 16  # characters of a run; shorter ones are words
_FULL = 40  # tools write 64 or more on each line but the last
# Most lines without such a run, before the first that has one and between two. There may be four headers, and at the
# end the rest of the key and a checksum; twice as many where a line has a line break within and one of its own.
_HEADERS, _SHORT = 10, 5


def private_keys(data: bytes) -> "list[Span]":
    """Find private keys, also those of which only the start or only the end is there."""
    spans: list[Span] = []
    begin, end, at = pattern(_BEGIN), pattern(_END), 0
    head = begin(data, 0, len(data))[0]
    while True:
        tail = end(data, at, head[0] if head[0] >= 0 else len(data))[0]
        if tail[0] >= 0:
            first, at = _start(data, at, tail[0]), tail[1]
            if first >= 0:
                spans += _within_strings(data, first, _stop(data, tail))
        elif head[0] >= 0:
            at = _end_of_whole(data, head[1])
            if at == head[1]:
                at = max(_end(data, at), at)
            if at == head[1]:
                at = _end_on_one_line(data, at)
            if at > head[1]:
                spans += _within_strings(data, head[0], at)
            head = begin(data, at, len(data))[0]
        else:
            return spans


def _end_of_whole(data: bytes, at: int) -> int:
    """Return the end of a key with both marks and base64 between them, drawn or not. Most keys end here."""
    stop = _body_end(data, at)
    return stop if stop > at and data[stop - 1] == 45 else at


def _end(data: bytes, at: int) -> int:
    """Return the end of a key whose head ends here and whose lines are lines; -1 if there is none."""
    at, sign = _line_end(data, at, _LINE_ENDS)
    stop, count, others, column = -1, 0, 0, -1
    width, place, run = 0, 0, b""
    while sign:
        begin = at + len(sign)
        at, more = _line_end(data, begin, (sign,))
        line = data[begin:at]
        if line.find(b"----") >= 0 or line.find(b"Private-") >= 0:
            tail = pattern(_END)(data, begin, at)[0]
            if tail[0] >= 0:
                return _stop(data, tail) if count else -1
            break
        if len(line) != width or len(run) < _LEAST or not (run := _run_at(line, place, len(run))):
            place, run = _run(line, _LEAST)
        width = len(line)
        if run:
            count, others = count + 1, 0
            if len(run) >= _FULL and is_random(run):
                stop, column = begin + place + len(run), place
        else:
            others += 1
            if others > (_SHORT if count else _HEADERS):
                break
        if stop >= 0 and len(run) < _FULL:  # a key that was cut off may have a part of a line more
            place, run = _run(line, _LEAST // 2)
            if run and abs(place - column) <= 1 and others < 2:
                stop = begin + place + len(run)
        sign = more
    return stop if sign != BOUNDARY or count > 1 else -1


def _start(data: bytes, floor: int, at: int) -> int:
    """Return the start of the rest of a key that ends with the line which has this place; -1 if there is none."""
    first, others, (at, sign) = -1, 0, _line_start(data, floor, at)
    while at >= 0 and others <= _SHORT:
        before = data.rfind(sign, max(floor, at - _LONGEST), at)
        begin = before + len(sign) if before >= 0 else max(floor, at - _LONGEST)
        line = data[begin:at]
        if line.find(b"----") >= 0:
            break
        place, run = _run(line, _LEAST)
        first, others, at = (begin + place, 0, before) if run else (first, others + 1, before)
    if first > 0 and data[first - 1] == 92:  # the end of an escape is no part of it: \t, \u2192
        first += 5 if data[first] == 117 else 1
    return first


def _run(line: bytes, least: int) -> tuple[int, bytes]:
    """The longest run of base64 in a line that looks drawn, and where it is."""
    found = b""
    if len(line) <= _LONGEST:
        line = line.translate(_BASE64)
        for run in line.split():
            if len(run) >= max(least, len(found) + 1) and _is_drawn(run):
                found = run
    return line.find(found), found


def _run_at(line: bytes, place: int, length: int) -> bytes:
    """The run of base64 that has just this place, as in the line before; seen faster than whether it looks drawn."""
    line = line.translate(_BASE64)
    run = line[place : place + length]
    return run if b" " not in run and run == line[max(0, place - 1) : place + length + 1].strip() else b""


def _is_drawn(run: bytes) -> bool:
    if run.islower() or run.isupper() or not run.strip(_HEX):
        return False
    return len(run) >= 60 or (is_random(run) if len(run) >= _LEAST else not run.istitle())


def _line_end(data: bytes, at: int, signs: tuple[bytes, ...]) -> tuple[int, bytes]:
    """Return the end of the line, and which of the signs ends it; none if it is the last, or very long."""
    stop, found = min(len(data), at + _LONGEST + 1), b""
    for sign in signs:
        here = data.find(sign, at, stop + 1)
        if here >= 0:
            stop, found = here, sign
    return stop, found


def _line_start(data: bytes, floor: int, at: int) -> tuple[int, bytes]:
    """Return the end of the line before the one that has this place, and its sign; -1 if there is none."""
    low = max(floor, at - _LONGEST)
    return max([(data.rfind(sign, low, at), sign) for sign in _LINE_ENDS])


def _stop(data: bytes, tail: tuple[int, int]) -> int:
    """Return the end of the block: its last line, but before the one in which PuTTY has its checksum."""
    if data[tail[1] - 1] == 45:
        return tail[1]
    here, _ = _line_start(data, 0, tail[0])
    while data[here - 1 : here] in (b"\r", b"\\"):
        here -= 1
    return here if here >= 0 else tail[0]


def _end_on_one_line(data: bytes, at: int) -> int:
    """Return the end of a key that has spaces, quotes or commas where its lines ended."""
    stop = _body_end(data, at)
    return stop if stop > at and _run(data[at : min(stop, at + 400)], _LEAST)[1] else at


def _body_end(data: bytes, at: int) -> int:
    body = pattern(_ON_ONE_LINE, anchored=True)
    if body(data, at, min(len(data), at + 400))[0][1] < 0:  # most heads without a body are seen to be so here
        return at
    return body(data, at, min(len(data), at + 20_000))[0][1]


def _within_strings(data: bytes, start: int, stop: int) -> "list[Span]":
    """One span for each string of a JSON value in which there is a part of the key."""
    spans: list[Span] = []
    while start < stop:
        here = data.find(BOUNDARY, start, stop)
        here = stop if here < 0 else here
        if here > start:
            spans.append((start, here, "private-key"))
        start = here + 1
    return spans


# 2. Manifests of Kubernetes: in one of the kind Secret, every value under `data` is one.

_KIND = rb"kind[\"']?:[ \t]*[\"']?Secret[\"']?[ \t]*(?:[,\r\n}\xff]|$)"
_SECTION = rb"(?:\n|[{,\s])([ \t]*)[\"']?(?:data|stringData)[\"']?:[ \t]*(?:\{|\r?\n)"
_PAIR = rb"[\s,]*?\n?([ \t]*)[\"']?[\w.-]+[\"']?:[ \t]*(?:[\"']([^\"'\n\xff]+)[\"']|([^\s\"',{}|>\xff]+))"
_SHOWN = rb"\n[ \t]*(?:[0-9]+(?:\xe2\x86\x92|\t)|\+)[^\n]*(?:kind|data)"


def manifests(data: bytes) -> "list[Span]":
    """Find the values of Kubernetes secrets."""
    spans: list[Span] = []
    kind, section, pair, at = pattern(_KIND), pattern(_SECTION), pattern(_PAIR, anchored=True), 0
    if kind(data, 0, len(data))[0][0] < 0:  # perhaps within JSON that nobody parsed
        data = data.replace(b"\\n", b" \n")
        for _ in range(3):  # what escapes an escape
            data = data.replace(b"\\ ", b"  ")
    if pattern(_SHOWN)(data, 0, len(data))[0][0] >= 0:
        data = without_margins(data)
    while (here := kind(data, at, len(data))[0])[0] >= 0:
        # The fields of a manifest have no order. It lasts from one line of dashes to the next.
        first = max(at, here[0] - 4096)
        first = max(first, data.rfind(b"\n---", first, here[0]), data.rfind(BOUNDARY, first, here[0]))
        stop = min(len(data), here[1] + 8192)
        for end in (b"\n---", BOUNDARY):
            found = data.find(end, here[0], stop)
            stop = stop if found < 0 else found
        at = max(stop, here[1])
        while (head := section(data, first, stop))[0][0] >= 0:
            first, margin = head[0][1], head[1][1] - head[1][0]
            is_braced = data[first - 1] == 123
            while (value := pair(data, first, stop))[0][0] >= 0:
                if not is_braced and value[1][1] - value[1][0] <= margin:
                    break
                place, first = max(value[2], value[3]), value[0][1]
                if place[1] - place[0] >= 4 and not is_stand_in(data[place[0] : place[1]]):
                    spans.append((*place, "secret"))
                if is_braced and data.find(b"}", first, first + 3) >= 0:
                    break
                first += data[first : first + 1] in (b'"', b"'")
    return spans


# 3. JSON web keys: what is private has a name of one or two letters, and counts only beside `kty`.

_WEB_KEY = rb"[\"'\\{,\s](d|p|q|dp|dq|qi|k)[\"'\\]*\s*:\s*[\"'\\]+([\w-]+)"
_SYMMETRIC = rb"kty[\"'\\]*\s*:\s*[\"'\\]+oct"


def web_keys(data: bytes) -> "list[Span]":
    """Find the private parts of JSON web keys."""
    spans: list[Span] = []
    search, at = pattern(_WEB_KEY), 0
    while (here := data.find(b"kty", at)) >= 0:
        # One object, as far as it has no other within.
        first = max(at, data.rfind(b"{", max(at, here - 8192), here))
        stop = min(len(data), here + 8192)
        for sign in (b"{", b"}", BOUNDARY):
            found = data.find(sign, here, stop)
            stop = stop if found < 0 else found
        at = max(stop, here + 3)
        is_symmetric = pattern(_SYMMETRIC, anchored=True)(data, here, stop)[0][0] >= 0
        while (part := search(data, first, stop))[0][0] >= 0:
            first = part[2][1]
            is_private = (data[part[1][0] : part[1][1]] == b"k") == is_symmetric
            if is_private and first - part[2][0] >= 16 and not data.endswith(b"[secret:", 0, part[2][0]):
                spans.append((*part[2], "private-key"))
    return spans


# 4. Values that stand apart from their names: <property name="password"><value>..., "ParameterKey": "DbPassword",
# "ParameterValue": ..., and with the name behind: {"value": ..., "name": "password"}.

_FIELD = rb"(?:[Vv]alue(?:\\*[\"'])?[ \t]*[:>]|<string>)\s*"
_NAME_BEFORE = (  # in order: a field beside it, an attribute of the element around it, <key>, the object around it
    rb"(?i)(?:(?:key|name)\\*\"\s*:\s*\\*\"([\w .:/-]+)\\*\"\s*,\s*\\*\"\w*"
    rb"|name\s*=\s*\\*[\"']([\w.-]+)\\*[\"'][^<>]*>\s*<|<key>([^<>]+)</key>\s*<?"
    rb"|\\*\"([\w.-]+)\\*\"\s*:\s*\{[^{}]*\\*\")$"
)
_NAME_AFTER = rb"\\*[\"']?(?:\s*,\s*|\s*\n\s*)\\*[\"']?(?:name|key)\\*[\"']?\s*:\s*\\*[\"']?([\w.-]+)"


def fields(data: bytes) -> "list[Span]":
    """Find values whose name is in another field or element."""
    spans: list[Span] = []
    search, at = pattern(_FIELD), 0
    while True:
        start, stop = search(data, at, len(data))[0]
        if start < 0:
            return spans
        first, last, how = value_at(data, stop, b":", b"")
        value = data[first:last]
        known, at = at, stop
        if len(value) < 4 or (how != "quoted" and (last - first >= LOOK - 10 or data[stop - 1] in b"\"'")):
            continue
        name, is_told = _apart(data, max(known, start - 240), start, last)
        meaning = meaning_under(name) if name else ""
        if meaning in ("", "auth", "cookie", "signature") or data.endswith(b"[secret:", 0, first):
            continue
        if weigh(meaning, value, "quoted" if is_told else "said"):
            spans.append((first, last, KINDS.get(meaning, meaning)))
            at = last


def _apart(data: bytes, floor: int, start: int, stop: int) -> tuple[bytes, bool]:
    """The name of the value that ends at `stop` and whose own field begins at `start`; whether it surely is."""
    before = data[floor:start].rpartition(BOUNDARY)[2]  # a copy, since `$` is the end of the data
    found = pattern(_NAME_BEFORE)(before, 0, len(before))
    if found[0][0] >= 0:
        group = max((1, 2, 3, 4), key=lambda i: found[i][0])
        is_told = group < 4 or before.find(b"sensitive", found[0][0]) > 0
        if group == 2 and before.endswith(b"<data ", 0, found[0][0]):  # of a file with texts in one language
            is_told = False
        return before[found[group][0] : found[group][1]], is_told
    after = pattern(_NAME_AFTER, anchored=True)(data, stop, min(len(data), stop + 120))[1]
    return data[after[0] : after[1]] if after[0] >= 0 else b"", True


# 5. Colours.

_JOINING = b" \t\r\n=:,;/|>([{-\"'`"
_COLOUR = rb"(?:\x1b|\\+u001[bB])(?:\[[0-9;:?]*[A-Za-z]|\([A-Z0-9])"


def without_colours(data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """The data without the codes that colour a terminal, and where they were: the place, how much was left out so far.

    Where a word ends with its colour and another follows at once, one byte stays between them.
    """
    parts: list[bytes] = []
    codes: list[tuple[int, int]] = []
    search, at, gone = pattern(_COLOUR), 0, 0
    while True:
        start, stop = search(data, at, len(data))[0]
        if start < 0:
            return b"".join((*parts, data[at:])), codes
        is_between = data[stop : stop + 1].isalnum() and data[start - 1 : start].strip(_JOINING) != b""
        parts.append(data[at:start])
        if is_between and data.endswith((b"[0m", b"[m"), start, stop):
            parts.append(b"\x1b")
            start += 1
        codes.append((start - gone, gone := gone + stop - start))
        at = stop


def in_colour(spans: "list[Span]", codes: list[tuple[int, int]]) -> "list[Span]":
    """The same spans in the text that still has its colours. Those around a span stay, those inside go with it."""
    found: list[Span] = []
    i = gone = 0
    for start, stop, kind in spans:
        while i < len(codes) and codes[i][0] <= start:
            i, gone = i + 1, codes[i][1]
        begin = start + gone
        while i < len(codes) and codes[i][0] < stop:
            i, gone = i + 1, codes[i][1]
        found.append((begin, stop + gone, kind))
    return found
