r"""Bytes in, places of secrets out that give themselves away: tokens, passwords in urls. Tagged blocks go at once.

`secret_names.py` and `secret_commands.py` go on with what only its surroundings give away.
"""

from reverie.redact.secret_patterns import BEGUN_BEFORE, BODIES, DRAWN, MARKED, SHAPES, TOKENS
from reverie.redact.secret_search import BOUNDARY, has_escape, is_line, pattern
from reverie.redact.secret_values import ALPHANUMERIC, is_drawn, is_random, is_stand_in, is_wordy, to_spaces, weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from reverie.redact.secret_search import Span


# 1. Tags. What stands between them is gone before anything else looks at the text.

# As they are, or as JSON and XML escape them.
_OPEN = rb"(?i)(?:<|\\u003c|&lt;)(?:private|reverie-context)(?:\s[^<>\[\]\xff]*?)?(?:>|\\u003e|&gt;)"
_TAG = rb"(?i)(?:<|\\u003c|&lt;)(/?)(private|reverie-context)(?:\s[^<>\[\]\xff]*?)?(?:>|\\u003e|&gt;)|\xff"


_CLOSE = rb"(?i)(?:<|\\u003c|&lt;)/(?:private|reverie-context)"


def tags(data: bytes) -> bytes:
    """The data without tagged blocks."""
    if data.find(b"<") < 0 and not has_escape(data, b"\\u003") and (data.find(b"&") < 0 or data.find(b"&lt;") < 0):
        return data
    if pattern(_OPEN)(data, 0, len(data))[0][0] < 0:
        return data
    bare = _without_tags(data, b"")
    # Taking a block out can join what stood around it to a new tag; then something has to stay between.
    return bare if pattern(_OPEN)(bare, 0, len(bare))[0][0] < 0 else _without_tags(data, b"[]")


def _without_tags(data: bytes, context: bytes) -> bytes:
    out: list[bytes] = []
    search, kept, at, depth, name = pattern(_TAG), 0, 0, 0, b""
    closed = end = -1  # where the next closing tag is, and the end of this string; as far as one was looked for
    while True:
        (start, at), closing, tag = search(data, at, len(data))
        if start < 0:
            return b"".join(out if depth else (*out, data[kept:]))
        word, opens = data[tag[0] : tag[1]].lower(), closing[0] == closing[1]
        if tag[0] < 0:  # the end of a string: a block that was never closed ends with it
            depth, kept = 0, start if depth else kept
        elif depth == 0 and opens:
            if _is_mention(data, start, at):  # a tag only if it is closed
                closed = closed if closed >= at else _or_end(pattern(_CLOSE)(data, at, len(data))[0][0], data)
                end = end if end >= at else _or_end(data.find(BOUNDARY, at), data)
                if closed >= end:
                    continue
            out += (data[kept:start], b"[private]" if word == b"private" else context)
            depth, name = 1, word
        elif depth and word == name:
            depth += 1 if opens else -1
            kept = at


def _is_mention(data: bytes, start: int, at: int) -> bool:
    """Whether what looks like a tag may be a type, such as `Vec<Private>`, or stands in backticks."""
    before = data[max(0, start - 1) : start]
    is_type = before.isalnum() and data[start:at] == b"<Private>"
    return is_type or (before == b"`" and data[at : at + 1] == b"`")


def _or_end(place: int, data: bytes) -> int:
    return place if place >= 0 else len(data)


# 2. Tokens that say by themselves what they are.


def _by(table: "tuple[tuple[str, str, int], ...]", key: slice) -> "dict[bytes, list[Any]]":
    """The prefixes by two of their bytes, the longest first: each with its kind, the proof it asks for, its length."""
    found: dict[bytes, list[Any]] = {}
    for kind, prefixes, least in table:
        name, proof = kind.rstrip("!?"), kind[-1]
        for prefix in prefixes.encode().split():
            found.setdefault(prefix[key], []).append((prefix, name, proof, least))
    for entries in found.values():
        if len(entries) > 1:
            entries.sort(key=lambda entry: -len(entry[0]))
    return found


def _by_start() -> "dict[bytes, list[Any]]":
    """The prefixes of `TOKENS`. Made when first needed, as is the other: most texts have no token."""
    global _starts
    _starts = _starts or _by(TOKENS, slice(2))
    return _starts


def _by_end() -> "dict[bytes, list[Any]]":
    global _ends
    _ends = _ends or _by(DRAWN, slice(-2, None))
    return _ends


_starts: "dict[bytes, list[Any]]" = {}
_ends: "dict[bytes, list[Any]]" = {}
_SHAPES_BY_START: "dict[int, list[tuple[str, bytes, int, bytes]]]" = {}
for _shape in SHAPES:
    _SHAPES_BY_START.setdefault(_shape[3].lstrip(b"\\")[0], []).append(_shape)
_PREFIXES = sorted([prefix for _, prefixes, _ in TOKENS for prefix in prefixes.encode().split()], reverse=True)
_PREFIX = b"|".join(_PREFIXES).replace(b".", rb"\.").replace(b"$", rb"\$")
# Only how a token begins. With all that may follow, the automaton takes three times as long to build.
# Eight characters of it are asked for, though: without them `:AA:AA:AA` would be one hit for every three bytes.
_HASH = b"|".join([shape[1] for shape in SHAPES if shape[1][:2] == rb"\$"])  # here "$" may be among the eight
_OTHERS = b"|".join([shape[1] for shape in SHAPES if shape[1][:2] != rb"\$"])
_TOKEN = _HASH + b"|(?:" + _PREFIX + b"|" + _OTHERS + rb")[\w.+/~-]{8}|" + b"|".join(MARKED)
_BODY_OF_TOKEN = rb"[\w-]*"
_PREFIXED = rb"[\w.:+/~-]*"
_WORD_BYTES = ALPHANUMERIC + b"_~"
_HEX = b"0123456789abcdef"
_RUN = rb"[_.-][A-Za-z0-9]{20}[A-Za-z0-9]*|[0-9]:[\w-]{12}|[0-9a-f]-us[0-9]|[0-9a-f]-[0-9a-f]{8}-"
_PARTED = rb"[0-9]:[\w-]{35}|[0-9a-f]-us[0-9]{1,2}|[0-9a-f]-[0-9a-f]{8}-[0-9a-f]{8}"
_AWS_SECRET = rb"(?:\\+[nrt]|[\s,:;|\"'\\])*([A-Za-z0-9/+]{40})(?:[^\w/+=-]|$)"


def tokens(data: bytes) -> "list[Span]":
    """Find tokens that begin with a known prefix or have a known shape."""
    spans: list[Span] = []
    search, at, failed = pattern(_TOKEN), 0, 0
    while True:
        start = search(data, at, len(data))[0][0]
        if start < 0:
            return spans
        found = _token(data, start, spans[-1][1] if spans else 0)
        if not found:
            # What follows may hold a token. A very long word is left alone, or a megabyte of `xoxb-xoxb-` would be
            # read once for each; so is one with a prefix at every other place, such as `SG.SG.SG.`.
            failed = failed + 1 if start - at < 16 else 0
            body = _BODY_OF_TOKEN if failed < 32 else _PREFIXED
            end = pattern(body, anchored=True)(data, start, min(len(data), start + 4096))[0][1]
            at = start + 2 if end - start < 256 else end
            continue
        spans.append(found)
        at = found[1]
        if found[2] == "aws-key":  # its secret often stands beside it
            pair = pattern(_AWS_SECRET, anchored=True)(data, at, min(len(data), at + 60))
            if pair[0][0] >= 0:
                spans.append((*pair[1], "aws-secret"))
                at = pair[1][1]


def _token(data: bytes, start: int, free: int) -> "Span | None":
    """Return the exact place of the secret that seems to begin here, and its kind; None if there is none."""
    if data[start : start + 4] in MARKED:
        return _marked(data, start, free)
    for prefix, kind, proof, least in _by_start().get(data[start : start + 2], ()):
        if not data.startswith(prefix, start):
            continue
        follows = BODIES.get(kind, _BODY_OF_TOKEN)
        stop = pattern(follows, anchored=True)(data, start + len(prefix), min(len(data), start + 8192))[0][1]
        body = data[start + len(prefix) : stop]
        if len(body) < least or _is_dummy(body) or not _is_proven(data, start, kind, proof, body):
            continue
        if kind == "aws-key":
            return start, start + 20, kind
        return _word_start(data, start, free, kind), stop, kind
    for kind, _, least, shape in _SHAPES_BY_START.get(data[start], ()):
        stop = pattern(shape, anchored=True)(data, start, min(len(data), start + 16_384))[0][1]
        if stop - start >= least and not _is_dummy(data[start:stop]) and (kind[-1] != "!" or _begins(data, start)):
            if kind == "webhook":
                start = data.rfind(b"/", start, data.rfind(b"/", start, stop)) + 1
                if stop - start < (16 if shape[:9] != rb"hooks\.zap"[:9] else 6):
                    continue
            return start, stop, kind.rstrip("!")
    return None


def _marked(data: bytes, start: int, free: int) -> "Span | None":
    """The token that has its mark here."""
    kind, before, after = MARKED[data[start : start + 4]]
    first, stop = start - before, start + 4 + after
    body = data[max(first, free) : stop]
    if len(body) < before + 4 + after or not body.isalnum() or body.isalpha() or data[stop : stop + 1].isalnum():
        return None
    return (first, stop, kind) if not _is_dummy(body) and _begins(data, first) else None


def _word_start(data: bytes, start: int, free: int, kind: str) -> int:
    """Return the start of the token that is given away by what stands here."""
    if kind not in BEGUN_BEFORE:
        return start
    before = data[max(free, start - 80) : start]
    word = before[len(before.rstrip(_WORD_BYTES if kind != "telegram-token" else _HEX[:10])) :]
    if data.endswith(b"\\", 0, start - len(word)) and word[:1] in (b"n", b"r", b"t"):  # not a part of it: an escape
        word = word[1:]
    return start - len(word)


# Base64 of text, and of nothing else: of four characters the first three have few values, since letters and signs have
# no bit 7. Of drawn bytes one group in eleven looks so, five groups in a row one time in 160,000.
_GROUP = (b"CDIJKLMNOPQRSTUVWXYZabcdef", b"ACDEFGHQSTUVWXgijklmnwyz0123", b"ABEFIJMNQRUVYZcdghklopstwx014589")
ENCODED = rb"(?:[%s][%s][%s][\w+/-]){5}" % _GROUP
_LETTERS = to_spaces(ALPHANUMERIC + b"_-").translate(bytes.maketrans(ALPHANUMERIC + b"_-", b"a" * 64))
_ALPHANUMERIC = to_spaces(ALPHANUMERIC).translate(_LETTERS)
_IN_GROUP = [to_spaces(group).translate(_LETTERS) for group in _GROUP]
_FIVE, _TWENTY = b"a" * 5, b"a" * 20
_RUN_PER = 256  # bytes; where there are more runs, they are not looked at one by one


def drawn(data: bytes, inside: "Callable[[bytes], list[Span]] | None" = None) -> "list[Span]":
    """Find tokens whose prefix stands before 20 or more letters and digits, and those that have parts.

    All of them have a long run of letters, digits, "_" and "-", and so has base64: where it may be that of a text,
    `inside` is asked for the places of secrets in it.
    """
    spans: list[Span] = []
    is_encoded, at = False, 0
    for first, last in _runs(data):
        at, run = max(at, first - 2), data[first:last]  # before it may be a part of the prefix: "." or a digit and ":"
        if run.translate(_ALPHANUMERIC).find(_TWENTY) < 0 and data[first - 1 : first] != b":":
            continue
        if (
            inside and not is_encoded and data[max(0, first - 6) : first].lower() != b"basic "
        ):  # a header is masked anyway
            is_encoded = _has_groups(run)
        while at < last:
            start, stop = pattern(_RUN)(data, at, last)[0]
            if start < 0:
                break
            if data[start + 1] in b":-" and stop - start < 21:
                at = start + 2
                found = _parted(data, start)
            else:
                at = stop
                found = _drawn(data, start + 1, stop)
            if found and found[0] >= (spans[-1][1] if spans else 0):
                spans.append(found)
                at = found[1]
    return _united(spans, inside(data)) if inside and is_encoded else spans


def _runs(data: bytes) -> "Iterator[tuple[int, int]]":
    """Yield the places of long runs. Most texts have few; of very many, the last one is the rest of the text."""
    letters, stop = data.translate(_LETTERS), 0
    for _ in range(16 + len(data) // _RUN_PER):
        start = letters.find(_TWENTY, stop)
        if start < 0:
            return
        stop = _or_end(letters.find(b" ", start), data)
        yield start, stop
    yield stop, len(data)


def _has_groups(run: bytes) -> bool:
    """Whether there may be base64 of text. Most runs are ids and names; for them the pattern is not compiled."""
    first, second, third = _IN_GROUP
    begins, is_likely = run.translate(first), len(run) > 4096
    for i in range(4) if not is_likely else ():
        if begins[i::4].find(_FIVE) >= 0 and run[i + 1 :: 4].translate(second).find(_FIVE) >= 0:
            is_likely |= run[i + 2 :: 4].translate(third).find(_FIVE) >= 0
    return is_likely and pattern(ENCODED)(run, 0, len(run))[0][0] >= 0


def _united(*found: "list[Span]") -> "list[Span]":
    """All spans in order; where two overlap, one that has both."""
    spans: list[Span] = []
    for start, stop, kind in sorted(span for some in found for span in some):
        if spans and start < spans[-1][1]:
            start, before, kind = spans.pop()
            stop = max(stop, before)
        spans.append((start, stop, kind))
    return spans


def _drawn(data: bytes, start: int, stop: int) -> "Span | None":
    """The token of which this run of letters and digits is the last part."""
    for prefix, kind, proof, least in _by_end().get(data[start - 2 : start], ()):
        first, body = start - len(prefix), data[start:stop]
        if len(body) < least or not data.endswith(prefix, 0, start) or _is_dummy(body):
            continue
        if data.endswith(b"pk", 0, first) and prefix[:1] == b"_":  # pk_live_... is meant to be published
            return None
        if _is_proven(data, first, kind, proof, body):
            break
    else:
        first, kind = _unknown(data, start, stop), "api-token"
    return (first, pattern(_BODY_OF_TOKEN, anchored=True)(data, stop, len(data))[0][1], kind) if first >= 0 else None


def _parted(data: bytes, start: int) -> "Span | None":
    """The token that only its middle gives away, which is here: 123456789:..., ...-us12, ...-1a2b3c4d-5e6f7a8b."""
    before = data[max(0, start - 40) : start + 1]
    stop = pattern(_PARTED, anchored=True)(data, start, min(len(data), start + 60))[0][1]
    if stop < 0:
        return None
    if data[start + 1] == 58:
        first, kind = start + 1 - (len(before) - len(before.rstrip(_HEX[:10]))), "telegram-token"
        is_ended = not data[stop : stop + 1].isalnum() and data[stop : stop + 1] not in (b"_", b"-")
        is_token = is_ended and 7 < start - first < 11 and is_random(data[start + 2 : stop])
    else:
        first, kind = start + 1 - (len(before) - len(before.rstrip(_HEX))), "mailgun-key"
        kind = "mailchimp-key" if data[start + 2] == 117 else kind
        is_token = start - first == 31
    return (first, stop, kind) if is_token and not _is_dummy(data[first:stop]) else None


def _unknown(data: bytes, start: int, stop: int) -> int:
    """Return the start of a token whose maker we do not know, or that has one more part after its prefix; -1 if none.

    Makers have taken to one form: a name in small letters, "_", perhaps more parts, then a long run of letters of both
    cases and digits. The ids that they give out are shorter, or have no capitals.
    """
    body = data[start:stop]
    if start >= 12 and data.startswith(b"re_", start - 12) and _is_of_resend(data[start - 9 : start - 1], body):
        return start - 12 if _begins(data, start - 12) else -1
    if data[start - 1] != 95 or body.islower() or body.isupper() or body.isalpha() or not is_random(body):
        return -1
    before = data[max(0, start - 60) : start]
    word = before[len(before.rstrip(_WORD_BYTES)) :]
    if data.endswith(b"\\", 0, start - len(word)) and word[:1] in (b"n", b"r", b"t"):  # not a part of it: an escape
        word = word[1:]
    name, first = word.partition(b"_")[0], start - len(word)
    if any(entry[0] == name + b"_" and entry[2] == "!" for entry in _by_end().get(name[-1:] + b"_", ())):
        is_token = len(word) - len(name) < 12
    else:  # not a digest in base64, which may look so: sha256=abc_...
        is_token = len(body) >= 28 and 3 <= len(name) <= 15 and name.isalpha() and name.islower()
        is_token = is_token and data[stop : stop + 1] not in (b"-", b"_") and data.find(b"sha", first - 8, first) < 0
    return first if is_token and not _is_dummy(body) and _begins(data, first) else -1


def _is_of_resend(head: bytes, body: bytes) -> bool:
    """Whether these are the parts of re_12345678_..., and not of a name such as re_matchAll_inNextTokenOfStream2."""
    whole = head + body
    if not head.isalnum() or not body.isalnum() or whole.islower() or whole.isupper() or _is_dummy(body):
        return False
    if whole.isalpha():
        return is_drawn(body)
    if not (is_random(body) or is_drawn(body)):
        return False
    return not is_wordy(head) or not is_wordy(body.rstrip(ALPHANUMERIC[:10]))


def _is_dummy(text: bytes) -> bool:
    lower = text.lower()
    return len(set(text)) < 6 or b"xxxx" in text or b"XXXX" in text or b"your" in lower


def _is_proven(data: bytes, start: int, kind: str, proof: str, body: bytes) -> bool:
    """Whether a prefix begins a word and the part after it is what the issuer draws, as far as its kind asks for."""
    if proof == "!" and not _begins(data, start):
        return False
    if kind == "aws-key":
        return body[:16].isalnum() and body[:16].isupper() and not (body[16:17].isupper() or body[16:17].isdigit())
    if kind in ("npm-token", "huggingface-token"):
        return body[:28].isalnum()
    if kind == "azure-secret":
        return data[max(0, start - 1) : start].isdigit()
    if kind == "stripe-key" and body.isalnum() and not (body.islower() or body.isupper()):
        return True
    if proof not in "!?" or is_random(body) or is_drawn(body):
        return True
    return body.isalnum() and len(body) >= (20 if body.isupper() else 32) and not body.isalpha()


def _begins(data: bytes, start: int) -> bool:
    """Whether a word begins here. An escape (the two characters `\\n`) or a colour code ends the word before."""
    before = data[max(0, start - 6) : start]
    last = before[-1:]
    if not (last.isalnum() or last in (b"_", b"-", b"+")):
        return last != b"/" or not _is_in_base64(data, start)
    return (
        (before[-2:-1] == b"\\" and last in (b"n", b"r", b"t", b"b", b"f", b"v", b"0"))
        or before[:2] == b"\\u"
        or before[-3:-2] == b"%"
        or (last == b"m" and before[-2:-1].isdigit() and (b"[" in before or b";" in before))
    )


def _is_in_base64(data: bytes, start: int) -> bool:
    """Whether what leads here is a picture, or something else that is long and encoded."""
    before = data[max(0, start - 40) : start]
    return len(before) == 40 and not before.translate(None, ALPHANUMERIC + b"+/")


# 3. Secrets that have a place of their own. In order: scheme://user:password@host (two forms), scheme://token@host,
# a line of a .pgpass file, the token of a Discord bot.

_PLACED = (
    rb"://[^\s:/?#@\"'<>\\\xff]*:(?:([^\s\"'<>/\\\xff]+)|([^\s\"'<>@\\\xff]+))@[\w\[.$({-]"
    rb"|://([^\s:/?#@\"'<>\\\xff]+)@[\w\[.$({-]"
    rb"|[\w.*-]+:(?:[0-9]{3,5}|\*):[A-Za-z*][\w*-]*:[\w*.-]+:((?:[^\s:\"'\\\xff]|\\:)+)"
    rb"|([MNO][\w-]{22}[\w-]*\.[\w-]{6}\.[\w-]{25}[\w-]*)"
)
_PLACES = ("", "url-password", "url-password", "url-password", "password", "discord-token")


def placed(data: bytes) -> "list[Span]":
    """Find passwords in urls and .pgpass lines, and the tokens of bots."""
    spans: list[Span] = []
    search, at = pattern(_PLACED), 0
    while True:
        found = search(data, at, len(data))
        begin = found[0][0]
        if begin < 0:
            return spans
        group = max((1, 2, 3, 4, 5), key=lambda i: found[i][0])
        start, stop = found[group]
        at, value = stop, data[start:stop]
        if group == 3:
            secret = len(value) >= 20 and is_random(value)
        elif group == 4:
            is_escaped = data[max(0, begin - 1) : begin + 1] == b"\\n" or data[stop : stop + 1] == b"\\"
            how = "env" if (is_escaped or is_line(data, begin, stop)) and _is_postgres(data[begin:start]) else "said"
            secret = data[max(0, begin - 1) : begin] not in (b"/", b":", b"@") and weigh("password", value, how)
        elif group == 5:
            secret = is_random(value)
        else:
            is_port = value[:1].isdigit() and value.lstrip(b"0123456789")[:1] in (b"/", b"?", b"#", b";")
            is_default = data[begin + 3 : start - 1] == value  # postgres:postgres
            secret = len(value) > 2 and not (is_port or is_default or is_stand_in(value))
        if secret and not data.endswith(b"[secret:", 0, start):  # a mark is not marked again
            spans.append((start, stop, _PLACES[group]))


def _is_postgres(fields: bytes) -> bool:
    """Whether host, port, database and user are those of a .pgpass file: others have four fields and a word, too."""
    return fields.split(b":")[1] in (b"*", b"5432", b"5433", b"5434", b"6432")
