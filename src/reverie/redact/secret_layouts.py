r"""Bytes in, places of secrets out that the layout of a text gives away: tables, SQL, maps, sentences.

Few texts have any of this, so a hook loads the file only where `secret_rare.py` saw a mark of it.
"""

from reverie.redact.secret_commands import spaced
from reverie.redact.secret_names import KINDS, has_several, line_end, meaning_under, value_at
from reverie.redact.secret_rare import is_head, without_margins
from reverie.redact.secret_search import BOUNDARY, pattern
from reverie.redact.secret_values import ALPHANUMERIC, is_word_list, to_spaces, weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.redact.secret_search import Span


# 1. Tables: a line with the names of columns, one of which announces secrets, and rows of as many cells.

_COLUMN = rb"(?i)(?:passw|pwd|secret|token|pi[ _-]?key)\w*[\"'`* ]*(?:[,;|\t\r\n\xff]|$)"
_NUMBER = rb"[ \t]*[0-9]+(?:\xe2\x86\x92|\t)"  # of a line that is shown
_NAME = ALPHANUMERIC + b"_-. ()/#" + bytes(range(128, 255))
_AROUND = b" \t\r\"'`*"
_RULE = b"-+|:= \t\r\xe2" + bytes(range(128, 192))
_BARS = [bar.encode() for bar in "│┃║"]
_TABLED = ("password", "passphrase", "secret", "app-secret", "token")
_WHOSE = frozenset(b"user username login email e-mail mail account benutzer userid user_name uname".split())
_BEGINNINGS = (b"\n", BOUNDARY, b'": "', b'":"')  # after which the first line of a text begins; two where it is in JSON
_CODE = (b"import ", b"from ", b"select ", b"return ", b"def ", b"and ", b"or ")
_HEX = b"0123456789abcdefABCDEF"
_WIDEST = 2000  # bytes of a row


def _unescaped(data: bytes) -> bytes:
    """The data with every byte in its place, but with line breaks, tabs and quotes where JSON has their escapes."""
    if data.find(b"\\") >= 0:
        for escape, sign in ((b"\\n", b" \n"), (b"\\t", b" \t"), (b'\\"', b' "'), (b"\\r", b"  ")):
            data = data.replace(escape, sign)
        for _ in range(3):  # what escapes an escape
            data = data.replace(b"\\ ", b"  ")
    return data


def tables(data: bytes) -> "list[Span]":
    """Find the values in the columns of tables that announce secrets: CSV, Markdown, what databases print."""
    spans: list[Span] = []
    text = plain = _unescaped(data)
    for bar in _BARS:
        text = text.replace(bar, b"  |")
    search, at = pattern(_COLUMN), 0
    while (hit := search(text, at, len(text))[0])[0] >= 0:
        low = max(at, hit[0] - _WIDEST)
        start = max([low, *(here + len(sign) for sign in _BEGINNINGS if (here := text.rfind(sign, low, hit[0])) >= 0)])
        at = line_end(text, hit[0], min(len(text), start + _WIDEST))
        if not is_head(text, hit[0], hit[0]):
            continue
        first = max(start, pattern(_NUMBER, anchored=True)(text, start, at)[0][1])
        sign = next((sign for sign in (b"|", b"\t", b";", b",") if text.find(sign, first, at) >= 0), b"")
        names = [text[place[0] : place[1]].lower() for place in _cells(text, first, at, sign)] if sign else []
        are_names = len(names) > 1 and all(map(_is_name, names))
        if are_names and (first > start or not _is_row(text, start, sign, len(names))):
            columns = {i: meaning_under(name.replace(b" ", b"_")) for i, name in enumerate(names)}
            whose = next((i for i, name in enumerate(names) if name in _WHOSE), -1)
            rows, at = _rows(text, at, sign, len(names), first > start)
            spans += _in_columns(text, rows, columns, whose if sign != b"|" else -1)
    return spans if text is plain else _sorted(spans, _beside(text))


def _sorted(*found: "list[Span]") -> "list[Span]":
    """All of these in order, without those that another has in it."""
    spans: list[Span] = []
    for span in sorted(span for some in found for span in some):
        if not spans or span[0] >= spans[-1][1]:
            spans.append(span)
    return spans


_CELL = rb"\|([^|\n\xff]*(?i:passw|pwd|secret|token|pi[ _-]?key)[^|\n\xff]*)\|[ \t]*([^\s|\xff]+)[ \t]*\|"


def _beside(text: bytes) -> "list[Span]":
    """The secrets in cells of a drawn table whose name is in the cell before. With plain bars, `named` sees them."""
    spans: list[Span] = []
    search, at = pattern(_CELL), 0
    while (hit := search(text, at, len(text)))[0][0] >= 0:
        at, (first, last) = hit[1][1], hit[2]
        name = text[hit[1][0] : at].strip(_AROUND + b":").lower()
        meaning = meaning_under(name.replace(b" ", b"_")) if _is_name(name) else ""
        if meaning in _TABLED and weigh(meaning, text[first:last], "said"):
            spans.append((first, last, KINDS.get(meaning, meaning)))
            at = last
    return spans


def _is_name(cell: bytes) -> bool:
    is_word = cell[:1].isalpha() or cell[:1] in (b"_", b"#") or cell[:1] >= b"\x80"
    is_short = len(cell) <= 40 and cell.count(b" ") < 3 and not cell.startswith(_CODE)
    return is_word and is_short and not cell.translate(None, _NAME)


def _is_row(text: bytes, start: int, sign: bytes, count: int) -> bool:
    """Whether the line before `start` is a row, too: then what follows is not the first, and names no columns."""
    for _ in range(2):  # a rule may be between them
        if start < 1 or text[start - 1] != 10:
            return False
        start, stop = text.rfind(b"\n", max(0, start - _WIDEST), start - 1) + 1, start - 1
        start = max(start, text.rfind(BOUNDARY, max(0, stop - _WIDEST), stop) + 1, stop - _WIDEST)
        line = text[start:stop]
        if line.translate(None, _RULE):
            return line[:1] not in (b"@", b"$", b"#") and len(_cells(text, start, stop, sign)) == count
    return False


def _cells(text: bytes, start: int, stop: int, sign: bytes) -> list[tuple[int, int]]:
    """Return the places of the cells of a row, without quotes and white space, nor the sign of a new line."""
    start += text[start : start + 1] == b"+"
    parts = text[start:stop].split(sign)
    if sign == b"|":
        if len(parts) > 1 and not parts[0].strip():
            start += len(parts.pop(0)) + 1
        if len(parts) > 1 and not parts[-1].strip():
            parts.pop()
    places: list[tuple[int, int]] = []
    held = 0  # bytes of a quoted cell that has the sign in it
    is_open = False
    for part in parts:
        held += len(part)
        is_open ^= sign != b"|" and part.count(b'"') % 2 == 1
        if is_open:
            held += 1
            continue
        cell = text[start : start + held]
        first = start + held - len(cell.lstrip(_AROUND))
        places.append((first, first + len(cell.strip(_AROUND))))
        start, held = start + held + 1, 0
    if is_open:  # what follows the quote is no part of the text
        cell = text[start : start + held].partition(b'"')[0]
        places.append((start + len(cell) - len(cell.lstrip(_AROUND)), start + len(cell.rstrip(_AROUND))))
    return places


def _rows(text: bytes, at: int, sign: bytes, count: int, is_numbered: bool) -> tuple[list[list[tuple[int, int]]], int]:
    """The cells of the rows that follow the line which ends here, and where the last row ends."""
    rows: list[list[tuple[int, int]]] = []
    while text[at : at + 1] == b"\n":
        stop = line_end(text, at + 1, min(len(text), at + 1 + _WIDEST))
        start = pattern(_NUMBER, anchored=True)(text, at + 1, stop)[0][1] if is_numbered else at + 1
        if start < 0:
            break
        line = text[start:stop]
        if line.translate(None, _RULE) or not line.strip():
            cells = _cells(text, start, stop, sign)
            if len(cells) != count:
                break
            rows.append(cells)
        at = stop
    return rows, at


def _in_columns(text: bytes, rows: list[list[tuple[int, int]]], columns: dict[int, str], whose: int) -> "list[Span]":
    """The secrets in these columns. One that looks like a secret tells of the others; so does a column that says whose
    they are."""
    proven = {
        i: meaning
        for i, meaning in columns.items()
        if meaning in _TABLED
        and (
            (whose >= 0 and meaning == "password")
            or any(weigh(meaning, text[row[i][0] : row[i][1]], "said") for row in rows)
        )
    }
    spans: list[Span] = []
    for row in rows if proven else ():
        user = text[row[whose][0] : row[whose][1]] if whose >= 0 else b""
        for i, meaning in proven.items():
            value = text[row[i][0] : row[i][1]]
            is_commit = meaning == "token" and len(value) < 16 and not value.strip(_HEX)
            if value != user and not is_commit and weigh(meaning, value, "quoted"):
                spans.append((*row[i], KINDS.get(meaning, meaning)))
    return spans


# 2. SQL: INSERT INTO users (name, password) VALUES ('bob', '...'), and COPY, where the rows are lines.

_INSERT = (
    rb"(?i)(?:into|copy)\s+[\w.\"`\[\]]+\s*\(([^()]*)\)[\s\"'+]*(?:overriding \w+ value\s+)?"
    rb"(?:(values?)[\s\"'+]*\(|from\s+stdin[^\n]*)"
)
_PUNCTUATION = rb"['\"()\[\],\xff]"
_STRING = rb"(?s)'(?:[^'\\\xff]|''|\\.)*'|\"(?:[^\"\\\xff]|\\.)*\""
_NEXT_ROW = rb"\s*,\s*\("
_ARGUMENTS = rb"[\s;]*[\"']+\s*,\s*[\[(]+"  # execute("... VALUES (?, ?)", ("bob", "..."))
_COLUMN_SIGNS = b" \t\r\n\"`[]'+"


def inserts(data: bytes) -> "list[Span]":
    """Find the values that SQL puts into columns which announce secrets."""
    spans: list[Span] = []
    text = _unescaped(data)
    search, at = pattern(_INSERT), 0
    while (head := search(text, at, len(text)))[0][0] >= 0:
        at = head[0][1]
        names = [name.strip(_COLUMN_SIGNS).lower() for name in text[head[1][0] : head[1][1]].split(b",")]
        columns = {i: meaning for i, name in enumerate(names) if (meaning := meaning_under(name)) in _TABLED}
        if not columns:
            continue
        if head[2][0] < 0:
            rows, at = _rows(text, at, b"\t", len(names), False)
            spans += _in_columns(text, rows, columns, -1)
            continue
        is_more = True
        while is_more:
            values, at = _values(text, at)
            if len(values) == len(names):
                if any(text[values[i][0] : values[i][0] + 1] in (b"?", b"%", b"$", b":") for i in columns):
                    arguments = pattern(_ARGUMENTS, anchored=True)(text, at, min(len(text), at + 80))[0][1]
                    values, at = _values(text, arguments) if arguments > 0 else (values, at)
                for i, meaning in columns.items() if len(values) == len(names) else ():
                    first, value = values[i][0], text[values[i][0] : values[i][1]].rstrip()
                    is_given = text[first - 1] in b"'\"" or value.isdigit()
                    if is_given and weigh(meaning, value, "quoted"):
                        spans.append((first, first + len(value), KINDS.get(meaning, meaning)))
            following = pattern(_NEXT_ROW, anchored=True)(text, at, min(len(text), at + 80))[0][1]
            is_more, at = following > 0, max(following, at)
    return spans


def _values(text: bytes, at: int) -> tuple[list[tuple[int, int]], int]:
    """Return the places of a row's values, after its bracket, and its end; of a call, the first string in it."""
    places: list[tuple[int, int]] = []
    search, string, stop = pattern(_PUNCTUATION), pattern(_STRING, anchored=True), min(len(text), at + 2 * _WIDEST)
    depth, first, quoted = 0, at, (-1, -1)
    while (sign := search(text, at, stop)[0])[0] >= 0:
        at, byte = sign[1], text[sign[0]]
        if byte in b"'\"":
            end = string(text, sign[0], stop)[0][1]
            if end < 0:
                break
            quoted, at = quoted if quoted[0] >= 0 else (sign[1], end - 1), end
        elif byte in b"([":
            depth += 1
        elif depth and byte in b")]":
            depth -= 1
        elif byte == 255 or depth == 0:
            bare = text[first : sign[0]]
            begin = first + len(bare) - len(bare.lstrip())
            places.append(quoted if quoted[0] >= 0 else (begin, begin + len(bare.strip())))
            first, quoted = at, (-1, -1)
            if byte != 44:
                return places, at
    return [], at


# 3. Names in the plural, and what is below them: passwords: {bob: ...}, or with a line for each.

_PLURAL = rb"(?i)([\w.-]*(?:passwords|passwds|pwds|secrets|tokens|keys))[\"']?[ ]*:[ \t]*(\{|\r?\n)"
_ENTRY = (
    rb"[\s,{]*?\n?([ \t]*)(?:[\"']?([\w.@-]+)[ ]?[\"']?:[ \t]*|-[ \t]+)"
    rb"(?:[\"']([^\"'\n\xff]+)[\"']|([^\s\"',{}|>\xff]+))?"
)
_MARGINAL = b" \t\"'-+0123456789\xe2\x86\x92"


def maps(data: bytes) -> "list[Span]":
    """Find the values below a name that announces several secrets."""
    spans: list[Span] = []
    text = without_margins(_unescaped(data))
    search, entry, at = pattern(_PLURAL), pattern(_ENTRY, anchored=True), 0
    while (head := search(text, at, len(text)))[0][0] >= 0:
        at, above = head[0][1], text[head[1][0] : head[1][1]]
        if not has_several(above):
            continue
        is_braced = text[at - 1] == 123
        at -= not is_braced
        before = text[max(0, head[1][0] - 80) : head[1][0]].rpartition(b"\n")[2]
        margin = len(before) if not before.strip(_MARGINAL) else 0
        stop = min(len(text), at + 65_536)
        for end in (BOUNDARY, b"}") if is_braced else (BOUNDARY,):
            found = text.find(end, at, stop)
            stop = stop if found < 0 else found
        while (pair := entry(text, at, stop))[0][0] >= 0:
            if not is_braced and pair[1][1] - pair[1][0] <= margin:
                break
            place, at = max(pair[3], pair[4]), max(pair[0][1], at + 1)
            value, key = text[place[0] : place[1]].rstrip(), text[pair[2][0] : pair[2][1]] if pair[2][0] >= 0 else b""
            at += text[at : at + 1] in (b'"', b"'")
            meaning = meaning_under(above + b"_" + key) if place[0] >= 0 else ""
            if meaning in ("", "auth", "cookie", "signature") or not weigh(meaning, value, "quoted"):
                continue
            if pair[3][0] >= 0 or weigh(meaning, value, "said"):
                spans.append((place[0], place[0] + len(value), KINDS.get(meaning, meaning)))
    return spans


# 4. Sentences: the password we use is ..., and with the name behind: ... is the new root password.

_SECRET = rb"(?i)(passw(?:or)?d|pwd|api[ _-]?key)[\"'`*\\]*(?:[ \t.,;!?)'\n\x1b\xff]|\\[nrtfu]|$)"
_LED_TO = (
    rb"(?i)(?:'s|[ \t]+(?:(?:that|which|i|we|you|he|she|they)[ \t]+(?:[\w'-]+[ \t]+){1,6}?(?:is|was)"
    rb"|(?:will|must)[ \t]+be|(?:is|was)[ \t]+(?:currently|still|now|just|simply)|equals"
    rb"|(?:(?:is|was|has been)[ \t]+)?(?:changed|reset|updated|rotated|set)[ \t]+to))[ \t]*:?[ \t]+()[^\s]"
)
_WORD_LIST = (
    rb"(?i)((?:[ \t]+(?:for|of|on)[ \t][\w.@'/ \t-]*?)?(?:[ \t](?:is|was|to)|:|[ \t]+\|)|)[ \t]+[\"'`]?([a-z-]+)"
)
_CHANGED = rb"[ \t]+from[ \t]+()[^\s]+[ \t]+to[ \t]+()[^\s]"
_CALLED = (
    rb"(?i)(?:^|[\s(,])([^\s]+)[ \t]+(?:(?:is|was|as|for)[ \t]+(?:now[ \t]+)?(?:the|our|my|your|his|her|their|its|a)"
    rb"[ \t]+(?:[\w'-]+[ \t]+){0,4}|as[ \t]+)$"
)
_WORDS = to_spaces(ALPHANUMERIC + b"_-")
_SAYS = frozenset((b"", *b"use using uses used with try enter type set choose chose".split()))
_GOES_ON = frozenset((b"", *b"for to of in on at and or when if instead now here until".split()))


def sentences(data: bytes) -> "list[Span]":
    """Find the secrets of which a sentence tells."""
    spans: list[Span] = []
    search, at, done = pattern(_SECRET), 0, 0
    while (name := search(data, at, len(data))[1])[0] >= 0:
        at = name[1]
        meaning = "password" if data[name[0]] in b"pP" else "token"
        for first, last in _before(data, done, *name) or _after(data, *name):
            if first >= done and weigh(meaning, data[first:last], "said"):
                spans.append((first, last, meaning))
                done = at = max(last, at)
    return spans


def _after(data: bytes, start: int, stop: int) -> list[tuple[int, int]]:
    """The values to which a sentence leads, with the name of a secret from `start` to `stop`."""
    end = line_end(data, stop, min(len(data), stop + 160))
    if data.count(b"-", stop, end) > 2:
        _, lead, words = pattern(_WORD_LIST, anchored=True)(data, stop, end)
        is_told = lead[0] < lead[1] or data.endswith((b"_", b"with "), 0, start)
        if is_told and is_word_list(data[words[0] : words[1]]):
            return [words]
    places = [pattern(_LED_TO, anchored=True)(data, stop, end)[1]]
    if data[stop : stop + 6].lower() == b" from " and data[max(0, start - 40) : start].lower().find(b"chang") >= 0:
        places = pattern(_CHANGED, anchored=True)(data, stop, end)[1:]
    return [value_at(data, place[0], b":", b"")[:2] for place in places if place[0] >= 0]


def _before(data: bytes, floor: int, start: int, stop: int) -> list[tuple[int, int]]:
    """The word of which a sentence says that it is the secret whose name is from `start` to `stop`."""
    if data[stop : stop + 1] == b" " and data[stop + 1 : stop + 12].translate(_WORDS).split(b" ")[0] not in _GOES_ON:
        return []
    before = data[max(floor, start - 100) : start]
    before = before[max(before.rfind(b"\n"), before.rfind(BOUNDARY)) + 1 :]
    found = pattern(_CALLED)(text := spaced(before).replace(b"\\f", b"  ").replace(b"\x1b", b" "), 0, len(before))[1]
    if found[0] < 0:
        return []
    link, says = text[found[1] :].split(None, 1)[0].lower(), text[: found[0]].rstrip().rpartition(b" ")[2].lower()
    is_told = link in (b"is", b"was") or (says in _SAYS and (says != b"" or link == b"as"))
    word = text[found[0] : found[1]]
    value = word.strip(b"\"'`\\(,")
    if word[-1:] in (b"'", b'"', b"`"):
        value = value.rpartition(word[-1:])[2]
    first = start - len(before) + found[0] + word.find(value)
    return [(first, first + len(value))] if is_told and value else []
