r"""Text in, the same text without secrets out. Nothing is stored, logged or sent to a model before it was here.

Each secret value becomes a mark such as `[secret:github-token]`; its surroundings stay. `<private>` blocks and our own
injected context go too. Every step is linear in the length of the text: RE2 for the patterns, bounded looks at a hit.

A hook uses this module in an interpreter that was started with `-I -S`, so it imports nothing but its own tables and
loads RE2's extension by path. Without the extension it raises `RedactorMissing`: then nothing may be stored.
"""

import sys

# Named this way, a hook can put the tables into `sys.modules` and needs no package around them.
from reverie.capture.secret_patterns import (
    BARE,
    COMMANDS,
    DIRECTIVES,
    DRAWN,
    HEAD,
    LEAST,
    READERS,
    SHAPES,
    TOKENS,
    is_random,
    is_stand_in,
    meaning_of,
    weigh,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Span = tuple[int, int, str]  # from, to, and the kind of secret there
    Search = Callable[[bytes, int, int], list[tuple[int, int]]]


class RedactorMissing(Exception):
    """RE2 could not be loaded, so nothing can be redacted and nothing may be stored."""


# 1. RE2. A pattern is compiled when first needed. All of them take 2 ms; then a pass over 2 MB takes 3 ms each.

_BOUNDARY = b"\xff"  # stands between the strings of one JSON value; no UTF-8 text contains this byte
_engine: "Any" = None
_told: list[str] = []
_compiled: "dict[bytes, Search]" = {}


def use_extension(path: str) -> None:
    """Load RE2 from this file instead of looking for it."""
    global _engine
    _engine, _told[:] = None, [path]
    _compiled.clear()


def _load() -> "Any":
    global _engine
    if _engine is None:
        import _imp
        import posix
        from _frozen_importlib import ModuleSpec

        # Where `import re2` came first, its copy is used: one process may not hold two.
        loaded = None if _told else sys.modules.get("re2._re2")
        for path in () if loaded else _places(_imp.extension_suffixes()):
            try:
                posix.stat(path)
                loaded = _imp.create_dynamic(ModuleSpec("re2._re2", None, origin=path))
                _imp.exec_dynamic(loaded)
                sys.modules["re2._re2"] = loaded
                break
            except OSError:
                continue
            except ImportError as error:
                raise RedactorMissing(f"cannot load RE2 from {path}: {error}") from error
        if loaded is None:
            raise RedactorMissing("RE2 is not installed beside this interpreter; install google-re2")
        _engine = loaded
    return _engine


def _places(suffixes: list[str]) -> list[str]:
    """Where RE2's extension may be. With `-S` neither `sys.path` nor `sys.prefix` knows the environment."""
    if _told:
        return _told
    library = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    folders = [*sys.path, f"{sys.executable.rpartition('/bin/')[0]}/{library}", f"{sys.prefix}/{library}"]
    return [f"{folder}/re2/_re2{suffix}" for folder in folders if folder for suffix in suffixes]


def _pattern(source: bytes, anchored: bool = False) -> "Search":
    """A function of data, from, to that gives the spans of the match and its groups; (-1, -1) where there is none."""
    search = _compiled.get(source)
    if search is None:
        engine = _load()
        options = engine.RE2.Options()
        options.encoding = engine.RE2.Options.Encoding.LATIN1
        match = engine.RE2(source, options).Match
        anchor = engine.RE2.Anchor.ANCHOR_START if anchored else engine.RE2.Anchor.UNANCHORED
        search = _compiled[source] = lambda data, start, stop: match(anchor, data, start, stop)
    return search


def _splice(data: bytes, spans: "list[Span]") -> bytes:
    """The data with each span, in order and apart, replaced by a mark."""
    out: list[bytes] = []
    at = 0
    for start, stop, kind in spans:
        while data[stop : stop + 1] and data[stop] & 0xC0 == 0x80:  # a look that was cut short ended within a character
            stop += 1
        out += (data[at:start], b"[secret:%s]" % kind.encode())
        at = stop
    return b"".join((*out, data[at:])) if spans else data


# 2. Tags. What stands between them is gone before anything else looks at the text.

_OPEN = rb"(?i)<(?:private|reverie-context)(?:\s[^<>\[\]\xff]*)?>"
_TAG = rb"(?i)<(/?)(private|reverie-context)(?:\s[^<>\[\]\xff]*)?>|\xff"


def _tags(data: bytes) -> bytes:
    if _pattern(_OPEN)(data, 0, len(data))[0][0] < 0:
        return data
    bare = _without_tags(data, b"")
    # Taking a block out can join what stood around it to a new tag; then something has to stay between.
    return bare if _pattern(_OPEN)(bare, 0, len(bare))[0][0] < 0 else _without_tags(data, b"[]")


def _without_tags(data: bytes, context: bytes) -> bytes:
    out: list[bytes] = []
    search, kept, at, depth, name = _pattern(_TAG), 0, 0, 0, b""
    while True:
        (start, at), closing, tag = search(data, at, len(data))
        if start < 0:
            return b"".join(out if depth else (*out, data[kept:]))
        word, opens = data[tag[0] : tag[1]].lower(), closing[0] == closing[1]
        if tag[0] < 0:  # the end of a string: a block that was never closed ends with it
            depth, kept = 0, start if depth else kept
        elif depth == 0 and opens:
            out += (data[kept:start], b"[private]" if word == b"private" else context)
            depth, name = 1, word
        elif depth and word == name:
            depth += 1 if opens else -1
            kept = at


# 3. Private keys: one mark for the whole block, or for as much of it as there is.

_BEGIN = rb"-----?[ ]?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?[ ]?-----?|Private-Lines: [0-9]+"
_END = rb"-----?[ ]?END [A-Z0-9 ]*-----?"
_BREAK = rb"(?:\\+[nrt]|[\s\"'+,|#>*-])*"  # a line break, written out or not, and what quotes or comments a line
_BODY = (
    rb"(?:" + _BREAK + rb"(?:[A-Za-z-]+: [^\n\\\xff]*(?:\\+n|\n))*" + _BREAK + rb"[A-Za-z0-9+/=]{16,})+\w*"
    rb"(?:" + _BREAK + _END + rb"|" + _BREAK + rb"[A-Za-z0-9+/=]+\w*(?:" + _BREAK + _END + rb")?)?"
)  # fmt: skip


def _private_keys(data: bytes) -> bytes:
    if b"PRIVATE KEY" not in data and b"Private-Lines" not in data:
        return data
    spans: list[Span] = []
    begin, body, at = _pattern(_BEGIN), _pattern(_BODY, anchored=True), 0
    while (head := begin(data, at, len(data))[0])[0] >= 0:
        at = head[1]
        tail = body(data, at, min(len(data), at + 400))[0]  # most heads without a body are seen to be so here
        if tail[0] >= 0:
            at = body(data, at, min(len(data), at + 20_000))[0][1]
            spans.append((head[0], at, "private-key"))
    return _splice(data, spans)


# 4. Tokens that say by themselves what they are.


def _by(table: "tuple[tuple[str, str, int], ...]", key: "Callable[[bytes], bytes]") -> "dict[bytes, list[Any]]":
    found: dict[bytes, list[Any]] = {}
    for kind, prefixes, least in table:
        for prefix in prefixes.encode().split():
            found.setdefault(key(prefix), []).append((prefix, kind.rstrip("!?"), kind[-1], least))
    for entries in found.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return found


_BY_START = _by(TOKENS, lambda prefix: prefix[:2])
_BY_END = _by(DRAWN, lambda prefix: prefix[-2:])
_PREFIXES = sorted([entry[0].replace(b".", rb"\.").replace(b"$", rb"\$") for e in _BY_START.values() for entry in e])
# Only how a token begins. With all that may follow, the automaton takes three times as long to build.
# Eight characters of it are asked for, though: without them `:AA:AA:AA` would be one hit for every three bytes.
_TOKEN = b"|".join([shape[1] for shape in SHAPES]) + b"|(?:" + b"|".join(_PREFIXES[::-1]) + rb")[\w-]{8}"
_BODY_OF_TOKEN = rb"[\w-]*"
_WORD_BYTES = bytes(c for c in range(128) if chr(c).isalnum()) + b"_~"
_RUN = rb"[_.-][A-Za-z0-9]{20}[A-Za-z0-9]*"
_AWS_SECRET = rb"(?:\\+[nrt]|[\s,:;|\"'\\])*([A-Za-z0-9/+]{40})(?:[^\w/+=-]|$)"


def _tokens(data: bytes) -> bytes:
    spans: list[Span] = []
    search, at = _pattern(_TOKEN), 0
    while True:
        start = search(data, at, len(data))[0][0]
        if start < 0:
            return _splice(data, spans)
        found = _token(data, start, at)
        if not found:
            # What follows may hold a token. A very long word is left alone, or a megabyte of `xoxb-xoxb-` would be
            # read once for each.
            end = _pattern(_BODY_OF_TOKEN, anchored=True)(data, start, min(len(data), start + 4096))[0][1]
            at = start + 2 if end - start < 256 else end
            continue
        spans.append(found)
        at = found[1]
        if found[2] == "aws-key":  # its secret often stands beside it
            pair = _pattern(_AWS_SECRET, anchored=True)(data, at, min(len(data), at + 60))
            if pair[0][0] >= 0:
                spans.append((*pair[1], "aws-secret"))
                at = pair[1][1]


def _token(data: bytes, start: int, free: int) -> "Span | None":
    """Where exactly the secret is that seems to begin here, and its kind; None if there is none."""
    for prefix, kind, proof, least in _BY_START.get(data[start : start + 2], ()):
        if not data.startswith(prefix, start):
            continue
        stop = _pattern(_BODY_OF_TOKEN, anchored=True)(data, start + len(prefix), min(len(data), start + 8192))[0][1]
        body = data[start + len(prefix) : stop]
        if len(body) < least or _is_dummy(body) or not _is_proven(data, start, kind, proof, body):
            continue
        if kind == "aws-key":
            return start, start + 20, kind
        if kind in ("terraform-token", "azure-secret", "telegram-token"):  # it begins before what gives it away
            first = max(free, start - 80)
            start -= len(data[first:start]) - len(data[first:start].rstrip(_WORD_BYTES))
        return start, stop, kind
    for kind, _, least, shape in SHAPES:
        if data[start] != shape.lstrip(b"\\")[0]:
            continue
        stop = _pattern(shape, anchored=True)(data, start, min(len(data), start + 16_384))[0][1]
        if stop - start >= least and not _is_dummy(data[start:stop]) and (kind[-1] != "!" or _begins(data, start)):
            if kind == "webhook":
                start = data.rfind(b"/", start, data.rfind(b"/", start, stop)) + 1
                if stop - start < 16:
                    continue
            return start, stop, kind.rstrip("!")
    return None


def _drawn(data: bytes) -> bytes:
    """Tokens whose prefix stands before 20 or more letters and digits."""
    spans: list[Span] = []
    search, at = _pattern(_RUN), 0
    while True:
        start, stop = search(data, at, len(data))[0]
        if start < 0:
            return _splice(data, spans)
        start, at = start + 1, stop
        for prefix, kind, proof, least in _BY_END.get(data[start - 2 : start], ()):
            first, body = start - len(prefix), data[start:stop]
            if len(body) < least or not data.endswith(prefix, 0, start) or _is_dummy(body):
                continue
            if _is_proven(data, first, kind, proof, body):
                at = _pattern(_BODY_OF_TOKEN, anchored=True)(data, stop, len(data))[0][1]
                spans.append((first, at, kind))
                break


def _is_dummy(text: bytes) -> bool:
    lower = text.lower()
    return len(set(text)) < 6 or b"xxxx" in lower or b"your" in lower


def _is_proven(data: bytes, start: int, kind: str, proof: str, body: bytes) -> bool:
    """Whether a prefix begins a word and the part after it is what the issuer draws, as far as its kind asks for."""
    if proof == "!" and not _begins(data, start):
        return False
    if kind == "aws-key":
        return body[:16].isalnum() and body[:16].isupper() and not (body[16:17].isupper() or body[16:17].isdigit())
    if kind in ("npm-token", "huggingface-token"):
        return body[:28].isalnum()
    return proof not in "!?" or is_random(body) or (body.isalnum() and len(body) >= 32 and not body.isalpha())


def _begins(data: bytes, start: int) -> bool:
    """Whether a word begins here. An escape (the two characters `\\n`) or a colour code ends the word before."""
    before = data[max(0, start - 6) : start]
    last = before[-1:]
    if not (last.isalnum() or last in (b"_", b"-", b"+")):
        return True
    return (
        (before[-2:-1] == b"\\" and last in (b"n", b"r", b"t", b"b", b"f", b"v", b"0"))
        or before[:2] == b"\\u"
        or before[-3:-2] == b"%"
        or (last == b"m" and before[-2:-1].isdigit() and (b"[" in before or b";" in before))
    )


# 5. Secrets that have a place of their own. In order: scheme://user:password@host (two forms), scheme://token@host,
# a line of a .pgpass file, the token of a Discord bot.

_PLACED = (
    rb"://[^\s:/?#@\"'<>\\\xff]*:(?:([^\s\"'<>/\\\xff]+)|([^\s\"'<>@\\\xff]+))@[\w\[.$({-]"
    rb"|://([^\s:/?#@\"'<>\\\xff]+)@[\w\[.$({-]"
    rb"|[\w.*-]+:(?:[0-9]{3,5}|\*):[A-Za-z*][\w*-]*:[\w*.-]+:([^\s:\"'\xff]+)"
    rb"|([MNO][\w-]{22}[\w-]*\.[\w-]{6}\.[\w-]{25}[\w-]*)"
)
_PLACES = ("", "url-password", "url-password", "url-password", "password", "discord-token")


def _placed(data: bytes) -> bytes:
    spans: list[Span] = []
    search, at = _pattern(_PLACED), 0
    while True:
        found = search(data, at, len(data))
        begin = found[0][0]
        if begin < 0:
            return _splice(data, spans)
        group = max((1, 2, 3, 4, 5), key=lambda i: found[i][0])
        start, stop = found[group]
        at, value = stop, data[start:stop]
        if group == 3:
            secret = len(value) >= 20 and is_random(value)
        elif group == 4:
            how = "env" if _is_line(data, begin, stop) and _is_postgres(data[begin:start]) else "said"
            secret = data[max(0, begin - 1) : begin] not in (b"/", b":", b"@") and weigh("password", value, how)
        elif group == 5:
            secret = is_random(value)
        else:
            is_port = value[:1].isdigit() and value.lstrip(b"0123456789")[:1] in (b"/", b"?", b"#")
            is_default = data[begin + 3 : start - 1] == value  # postgres:postgres
            secret = len(value) > 2 and not (is_port or is_default or is_stand_in(value))
        if secret and not data.endswith(b"[secret:", 0, start):  # a mark is not marked again
            spans.append((start, stop, _PLACES[group]))


def _is_postgres(fields: bytes) -> bool:
    """Whether host, port, database and user are those of a .pgpass file: others have four fields and a word, too."""
    return fields.split(b":")[1] in (b"*", b"5432", b"5433", b"5434", b"6432")


# 6. Manifests of Kubernetes: in one of the kind Secret, every value under `data` is one.

_KIND = rb"kind[\"']?:[ \t]*[\"']?Secret[\"']?[ \t]*(?:[,\r\n}\xff]|$)"
_SECTION = rb"(?:\n|[{,\s])([ \t]*)[\"']?(?:data|stringData)[\"']?:[ \t]*(?:\{|\r?\n)"
_PAIR = rb"[\s,]*?\n?([ \t]*)[\"']?[\w.-]+[\"']?:[ \t]*(?:[\"']([^\"'\n\xff]+)[\"']|([^\s\"',{}|>\xff]+))"


def _manifests(data: bytes) -> bytes:
    if b"Secret" not in data or b"ata" not in data:
        return data
    spans: list[Span] = []
    kind, section, pair, at = _pattern(_KIND), _pattern(_SECTION), _pattern(_PAIR, anchored=True), 0
    while (here := kind(data, at, len(data))[0])[0] >= 0:
        # The fields of a manifest have no order. It lasts from one line of dashes to the next.
        first = max(at, here[0] - 4096)
        first = max(first, data.rfind(b"\n---", first, here[0]), data.rfind(_BOUNDARY, first, here[0]))
        stop = min(len(data), here[1] + 8192)
        for end in (b"\n---", _BOUNDARY):
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
    return _splice(data, spans)


# 7. Passwords that only their place on a command line gives away.

_NOT_QUOTES = bytes(c for c in range(256) if c not in b"\"'")
_CLEAR = (b"requirepass", b"masterauth", b"machine ", b"sshpass", b"openssl", b"net user")
_COMMAND = rb"(?i)" + b"|".join([*COMMANDS, *DIRECTIVES, *READERS]).replace(b"(", rb"\(")


def _commands(data: bytes) -> bytes:
    spans: list[Span] = []
    search, at = _pattern(_COMMAND), 0
    barren: dict[bytes, int] = {}  # up to where a command is known to have no such flag
    while True:
        start, stop = search(data, at, len(data))[0]
        if start < 0:
            return _splice(data, spans)
        at, command = stop, data[start:stop].lower()
        if command in READERS:
            if _pattern(READERS[command], anchored=True)(data, at, min(len(data), at + 80))[0][0] >= 0:
                spans += _piped(data, max(spans[-1][1] if spans else 0, start - 400), start)
            continue
        if stop < barren.get(command, 0):
            continue
        limit = min(len(data), at + 800)
        end = limit if command == b"machine " else _command_end(data, at, limit)
        leads, directly = COMMANDS.get(command, b""), command in DIRECTIVES
        flag = _pattern(leads or DIRECTIVES[command], anchored=directly)(data, at, end)
        if flag[0][0] < 0 and not directly:
            barren[command] = end
        while flag[0][0] >= 0:
            first, at, is_secret = _given(data, flag[0][0], flag[1][0], command)
            if is_secret:
                spans.append((first, at, "password"))
            if directly or at >= end:
                break
            flag = _pattern(leads)(data, at, end)


def _command_end(data: bytes, end: int, limit: int) -> int:
    while end < limit:  # a backslash at the end of a line carries the command on
        end = _line_end(data, end + 1, limit)
        if data[end - 1 : end + 1] != b"\\\n":
            break
    return end


def _given(data: bytes, lead: int, at: int, command: bytes) -> tuple[int, int, bool]:
    """Where the value is to which a flag leads, and whether it is a secret."""
    quote = data[lead:at].translate(None, _NOT_QUOTES)[-1:]
    if quote and data.count(quote, lead, at) == 1:  # -u 'user:a password'
        stop = data.find(quote, at, _line_end(data, at, min(len(data), at + 400)))
        first, last, how = (at, stop, "quoted") if stop >= 0 else _value(data, at, b"=", b"")
    else:
        first, last, how = _value(data, at, b"=", b"")
    if how != "quoted" and last - first >= _LOOK - 10:
        last = _pattern(BARE, anchored=True)(data, first, len(data))[0][1]
    value = data[first : min(last, first + _LOOK)]
    user = data[lead:first].rstrip(b"\"':").rpartition(b" ")[2].strip(b"\"'")
    if data.endswith(b"[secret:", 0, first) or value == user:
        return first, max(last, at), False
    # Where nothing but a password can stand, nearly anything is one.
    is_clear = len(value) >= 3 and (command in _CLEAR or (how == "quoted" and command not in (b"login(", b"--pass")))
    return first, max(last, at), (is_clear and not is_stand_in(value)) or weigh("password", value, how)


def _piped(data: bytes, first: int, stop: int) -> "list[Span]":
    """What `echo` or `printf` hands to a command, which begins at `stop`, as its password."""
    first = max(first, data.rfind(b"\n", first, stop) + 1, data.rfind(_BOUNDARY, first, stop) + 1)
    bar = data.rfind(b"|", first, stop)
    said = max(data.rfind(b"echo ", first, max(bar, 0)), data.rfind(b"printf ", first, max(bar, 0)))
    if said < 0:
        return []
    words = data[said + 5 : bar].rstrip()
    quote = words[-1:]
    if quote in (b'"', b"'"):
        words = words[:-1].rstrip(b"\\")
        at = words.rfind(quote) + 1
    else:
        at = max(words.rfind(b" "), words.rfind(b"\t")) + 1
    if data.startswith(b"chpasswd", stop):
        at = words.find(b":", at) + 1
    value = words[at:]
    if at == 0 and quote in (b'"', b"'"):
        return []
    if len(value) < 3 or is_stand_in(value) or value.startswith((b"$", b"`", b"-")) or b"[secret:" in words[-60:]:
        return []
    return [(said + 5 + at, said + 5 + len(words), "password")]


# 8. Values under a name that announces a secret: assignments, flags, headers, prose.

_NAME = bytes(c if (chr(c).isalnum() and c < 128) or c in b"_-." else 32 for c in range(256))  # all else to spaces
_ADJECTIVES = frozenset((b"api", b"secret", b"access", b"private", b"public", b"auth", b"master"))
_AUTH = (
    rb"(?i)(?:[bfru][\"'])?[\"'`\\]*((?:bearer|basic|token|api-?key|api-token|digest|ssws|key|jwt|oauth|geniekey|bot|splunk)"
    rb"[ \t]+)?([^\s\"'`,;<>\\\xff]+)"
)
_ARGUMENTS = rb"\(?[ \t]*[\"'][^\"'\n\xff]*[\"'][ \t]*,[ \t]*"  # ("user", "...
_USER = rb"[\"']?[\w.@+-]+[\"']?(?:[ \t]+/[ \t]+|:[ \t]*)"  # user / ...
_KINDS = {"env-key": "key", "salt": "key", "passphrase": "password", "credential": "secret"}
_HEADERS = ("auth", "cookie", "credential")  # the names with values of several parts
_ENDS = bytes(32 if c in b" \t\r\n\v\f<>\xff" else c for c in range(256))  # what ends a value without quotes
_OPENING = (b'"', b"'", b"`", b"\\", b"(")  # how values begin that may have a space
_SPACE, _EQUALS, _COLON, _ELEMENT = b" =:>"  # numbers, since `in` takes ten times as long for bytes in bytes
_LOOK = 400  # how much of a long value is looked at
_meanings: dict[bytes, str] = {}


def _named(data: bytes) -> bytes:
    spans: list[Span] = []
    search, at, size = _pattern(HEAD), 0, len(data)
    while True:
        found = search(data, at, size)
        start = found[0][0]
        if start < 0:
            return _splice(data, spans)
        if start and data.startswith(b"[secret:", start - 1):  # one of our marks
            at = max(found[1][1], data.find(b"]", start, start + 40))
            continue
        group = 3 if found[3][0] >= 0 else 4 if found[4][0] >= 0 else 5
        at = found[group][1]
        begin = _name_start(data, start)
        name = data[begin : found[2][1]]
        meaning = _meaning(name)
        if meaning and not _is_short(data, at, meaning, group == 5 and name[:1] != b"-" and data[at - 1] != _ELEMENT):
            secrets, at = _judged(data, begin, name, meaning, found[group], group)
            spans += secrets


def _is_short(data: bytes, at: int, meaning: str, in_prose: bool) -> bool:
    """Whether the value here is seen at once to be too short. Most hits, of hostile text too, end with this."""
    if meaning in _HEADERS:
        return False
    least, first = LEAST.get(meaning, 16), data[at : at + 1]
    if first in _OPENING:
        last = data.find(first, at + 1, at + 1 + least)
        return last > at + 1 and data[last - 1] != 92 and first not in (b"(", b"\\")
    return _SPACE in data[at : at + (6 if in_prose and least < 6 else least)].translate(_ENDS)


def _name_start(data: bytes, start: int) -> int:
    """Where the name begins that has its announcing word here."""
    before = data[max(0, start - 40) : start]
    if before[-1:] == b" ":  # "api key"
        word = before[:-1].translate(_NAME).rpartition(b" ")[2]
        return start - len(word) - 1 if word.lower() in _ADJECTIVES else start
    part = before.translate(_NAME).rpartition(b" ")[2]
    if part[:1] in (b"n", b"r", b"t") and before[: len(before) - len(part)][-1:] == b"\\":
        part = part[1:]
    return start - len(part)


def _meaning(name: bytes) -> str:
    meaning = _meanings.get(name)
    if meaning is None:
        if len(_meanings) > 4096:
            _meanings.clear()
        meaning = _meanings[name] = meaning_of(name[-80:])
    return meaning


def _judged(
    data: bytes, begin: int, name: bytes, meaning: str, separator: tuple[int, int], group: int
) -> "tuple[list[Span], int]":
    """The secrets in the value that follows this name, and where to go on."""
    at, before = separator[1], data[max(0, begin - 1) : begin]
    sign = data[separator[0] : at]
    if meaning == "cookie":
        return _cookies(data, at)
    if meaning == "auth":
        return _authorization(data, name, at)
    if (before == b"/" and sign[:1] in (b":", b" ")) or (before == b":" and sign[:1] == b":"):
        return [], at  # a file, a part of an ARN
    is_pass = len(name) == 4 and name.lower() == b"pass"
    if is_pass and (group == 5 or (name == b"PASS" and _COLON in sign)):
        return [], at  # the verb, the verdict of a test
    if meaning == "signature":
        if before not in (b"?", b"&"):
            return [], at
        meaning = "token"
    elif meaning == "key" and name.isupper() and name.find(b"_") > 0:
        meaning = "env-key"
    elif meaning == "credential":
        user = _pattern(_USER, anchored=True)(data, at, min(len(data), at + 80))[0]
        if user[0] >= 0:
            first, last, _ = _value(data, user[1], b"=", name)
            if data.startswith(b"[secret:", first):
                return [], at
            if weigh("password", data[first:last], "said"):
                return [(first, last, "password")], last
    first, last, how = _value(data, at, sign, name)
    if group == 4:
        is_variable = meaning == "password" and name.isupper() and name.find(b"_") > 0  # define("DB_PASSWORD", "...")
        how = how if is_variable else "call"
    elif group == 5 and how != "quoted":  # in that order: an element, a flag on a command line, prose
        how = "line" if _ELEMENT in sign else "env" if name[:1] == b"-" else "said" if sign.strip(b" \t|") else "loose"
    elif meaning in ("password", "passphrase", "secret") and name.isupper():
        how, meaning = "ENV" if how == "env" else how, "passphrase" if meaning == "password" else meaning
    elif how == "code" and meaning == "password" and sign == b" = " and _is_line(data, begin, last):
        how = "ini"
    value, is_long = data[first:last], last - first >= _LOOK - 10 and how != "quoted"
    if (name[-3:].lower() == b"sid" and how != "env") or (is_pass and value.isdigit()):
        return [], at
    if not weigh(meaning, value, how):
        inner = 1 if how == "quoted" else max(value.rfind(b'("'), value.rfind(b"('")) + 2  # Some("...")
        if inner > 1 and weigh("salt", value[inner:], "call"):
            return [(first + inner, last, _KINDS.get(meaning, meaning))], last
        return [], last if is_long else at
    if is_long:
        last = _pattern(BARE, anchored=True)(data, first, len(data))[0][1]
    return [(first, last, _KINDS.get(meaning, meaning))], last


def _is_line(data: bytes, start: int, stop: int) -> bool:
    """Whether this is a line of its own, without a margin, as in a file of settings."""
    return data[max(0, start - 1) : start] in (b"", b"\n", _BOUNDARY) and data[stop : stop + 1] in (
        b"",
        b"\n",
        b"\r",
        _BOUNDARY,
    )


def _value(data: bytes, at: int, sign: bytes, name: bytes) -> tuple[int, int, str]:
    """Where the value is that begins here, and how it stands there (see `weigh`)."""
    size = len(data)
    if data[at : at + 1] in (b"f", b"b", b"r", b"u", b"@") and data[at + 1 : at + 2] in (b'"', b"'"):
        at += 1
    first = at
    while data[first : first + 1] == b"\\" and first - at < 64:
        first += 1
    quote = data[first : first + 1]
    if quote in (b'"', b"'", b"`"):
        first += 1
        closing = data[at:first]
        if data[first : first + 2] == quote * 2:
            closing, first = quote * 3, first + 2
        stop = _line_end(data, first, min(size, first + 4096))
        last = data.find(closing, first, stop)
        while last > 0 and data[last - 1] == 92:  # an escaped quote
            last = data.find(closing, last + 1, stop)
        if last >= 0:
            return first, last, "quoted"
    first, last = _pattern(BARE, anchored=True)(data, first, min(size, first + _LOOK))[0]
    if first < 0:
        return at, at, ""
    value = data[first:last]
    for cut in (b";", b",", b"&"):
        here = value.find(cut)
        if here >= 0 and not (cut == b"&" and name.isupper()):
            rest = value[here + 1 : here + 40]
            if not rest or _EQUALS in rest or (cut == b"," and _COLON in rest):
                value = value[:here]
    value = value.rstrip(b",;:)]}" if _EQUALS in sign else b",;:)]}.")
    last = first + len(value)
    following = data[last : last + 1]
    if _EQUALS in sign and _SPACE not in sign:
        return first, last, "code" if following in (b",", b")") else "env"
    is_line = _COLON in sign and following in (b"", b"\n", b"\r", b"\\", _BOUNDARY)
    return first, last, "line" if is_line else "code"


def _line_end(data: bytes, start: int, stop: int) -> int:
    for end in (b"\n", _BOUNDARY):
        here = data.find(end, start, stop)
        stop = stop if here < 0 else here
    return stop


def _authorization(data: bytes, name: bytes, at: int) -> "tuple[list[Span], int]":
    both = _pattern(_ARGUMENTS, anchored=True)(data, at, min(len(data), at + 128))[0]
    if both[0] >= 0 and 40 in data[at - 1 : at + 1]:  # auth=("user", "password"), Auth("user", "password")
        first, last, how = _value(data, both[1], b"=", name)
        is_secret = how == "quoted" and weigh("password", data[first:last], how)
        return ([(first, last, "password")], last) if is_secret else ([], at)
    _, scheme, (first, last) = _pattern(_AUTH, anchored=True)(data, at, min(len(data), at + 2 * _LOOK))
    value = data[first:last]
    if scheme[0] < 0:
        is_secret = weigh("token" if name[-13:].lower() == b"authorization" else "auth", value, "code")
    else:
        is_word = (value.isalpha() and value.islower()) or value[:1] in (b"{", b"(", b"[", b"$")
        is_secret = len(value) >= 8 and not is_word and not is_stand_in(value)
    if is_secret:
        last = _pattern(_AUTH, anchored=True)(data, at, len(data))[2][1]
        return [(first, last, "authorization")], last
    return [], last if len(value) > _LOOK else at


def _cookies(data: bytes, at: int) -> "tuple[list[Span], int]":
    spans: list[Span] = []
    stop = _line_end(data, at, min(len(data), at + 8192))
    for quote in (b'"', b"'"):
        here = data.find(quote, at + 1, stop)
        stop = stop if here < 0 else here
    while stop < len(data) and data[stop] & 0xC0 == 0x80:  # not within a character
        stop -= 1
    for pair in data[at:stop].split(b";"):
        name, _, value = pair.partition(b"=")
        meaning = _meaning(name.strip(b" \t\"'"))
        if weigh("token" if meaning in ("session", "token", "secret") else "cookie", value, "said"):
            spans.append((at + len(name) + 1, at + len(pair), "cookie"))
        at += len(pair) + 1
    return spans, stop


# 9. The whole.


def kinds() -> list[str]:
    """Every kind that a mark may name, sorted."""
    named = (
        "password secret token key session cookie pin authorization url-password private-key aws-secret discord-token"
    )
    tables = [entry[0] for entry in TOKENS] + [entry[0] for entry in DRAWN] + [entry[0] for entry in SHAPES]
    return sorted({kind.rstrip("!?") for kind in tables} | set(named.split()))


def _scrub(data: bytes) -> bytes:
    # With one secret gone, what stands before it may read differently. That takes odd texts, so large ones, where it
    # would cost milliseconds, are read once; others until nothing changes.
    for _ in range(5):
        before = data
        for step in (_tags, _private_keys, _tokens, _drawn, _placed, _manifests, _commands, _named):
            data = step(data)
        if data == before or len(data) > 32_768:
            break
    return data


def redact(text: str, name: str = "") -> str:
    """The text with each secret replaced by a mark. `name` is the key or variable under which the text stood.

    >>> redact("curl -u bob:hunter2 https://example.com")
    'curl -u bob:[secret:password] https://example.com'
    >>> redact("hunter2", name="password")
    '[secret:password]'
    """
    if name and (marked := _under(name, text)):
        return marked
    data = text.encode("utf-8", "surrogatepass")
    clean = _scrub(data)
    return text if clean == data else clean.decode("utf-8", "surrogatepass")


def _under(name: str, text: str) -> str:
    """What a text becomes that is a secret because of the name it stands under; "" if it is none."""
    key, value = name.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass")
    meaning = _meaning(key)
    if meaning in ("", "signature") or "[secret:" in text:
        return ""
    if meaning in ("auth", "cookie"):  # a header: only a part of its value is secret
        head = b"cookie: " if meaning == "cookie" else b"auth: " if len(key) < 13 else b"authorization: "
        whole = _named(head + value)[len(head) :]
        return "" if whole == value else whole.decode("utf-8", "surrogatepass")
    return f"[secret:{_KINDS.get(meaning, meaning)}]" if weigh(meaning, value.strip(), "quoted") else ""


def redact_json(value: "Any") -> "Any":
    """The same value with every string and key redacted, at any depth. What was passed in stays as it is.

    All strings are redacted as one text with a boundary between them, so that a small string costs little.

    >>> redact_json({"env": [{"name": "DB_PASSWORD", "value": "hunter2"}], "pin": 4711})
    {'env': [{'name': 'DB_PASSWORD', 'value': '[secret:password]'}], 'pin': '[secret:pin]'}
    """
    holder = [value]
    texts: list[str] = []
    owners: list[Any] = []  # for each text, its container, which is a copy,
    slots: list[Any] = []  # and its index or key there
    boxes: list[dict[Any, Any]] = []
    waiting: list[tuple[Any, Any]] = [(holder, "")]
    announced: dict[str, bool] = {}  # whether a name does
    while waiting:
        box, name = waiting.pop()
        is_map, flag = isinstance(box, dict), ""
        if is_map:
            boxes.append(box)
            name = box.get("name", box.get("key", name))  # {"name": "DB_PASSWORD", "value": "..."}
        for key, item in list(box.items()) if is_map else enumerate(box):
            called = (flag or name) if not is_map or key == "value" else key  # a flag: ["--password", "..."]
            called = called if isinstance(called, str) else ""
            flag = ""
            if (is_announced := announced.get(called)) is None:
                is_announced = announced[called] = (
                    len(called) < 200 and _meaning(called.encode("utf-8", "surrogatepass")) != ""
                )
            if isinstance(item, str):
                if not is_map and item[:1] == "-":
                    flag = item
                if is_announced and (mark := _under(called, item)):
                    box[key] = mark
                else:
                    texts.append(item)
                    owners.append(box)
                    slots.append(key)
            elif isinstance(item, (dict, list)):
                box[key] = item = item.copy()
                waiting.append((item, called))
            elif is_announced and type(item) in (int, float) and (mark := _under(called, str(item))):
                box[key] = mark
    for i, new in _changed(texts):
        owners[i][slots[i]] = new
    _redact_keys(boxes)
    return holder[0]


def _changed(texts: list[str]) -> list[tuple[int, str]]:
    """The position and the new form of each text that had a secret."""
    joined = _BOUNDARY.join([text.encode("utf-8", "surrogatepass") for text in texts])
    clean = _scrub(joined)
    if clean == joined:
        return []
    new = [data.decode("utf-8", "surrogatepass") for data in clean.split(_BOUNDARY)]
    return [(i, text) for i, text in enumerate(new) if text != texts[i]]


def _redact_keys(boxes: "list[dict[Any, Any]]") -> None:
    keys = list({key: None for box in boxes for key in box if isinstance(key, str)})
    new = {keys[i]: name for i, name in _changed(keys)}
    for box in boxes if new else ():
        if not new.keys().isdisjoint(box):
            items = list(box.items())
            box.clear()
            for key, item in items:
                name = new.get(key, key)
                while name in box:  # two secrets, one mark: both values are kept
                    name += "+"
                box[name] = item
