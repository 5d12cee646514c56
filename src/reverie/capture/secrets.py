r"""Text in, the same text without secrets out. Nothing is written, logged or sent to a model before it went through here.

Each secret value becomes a mark such as `[secret:github-token]`; its surroundings stay. `<private>` blocks and our own
injected context go too. Every step is linear in the length of the text: RE2 for the patterns, bounded looks around a hit.

A hook uses this module in an interpreter that was started with `-I -S`, so it imports nothing but its own tables and
loads RE2's extension by path. Without the extension it raises `RedactorMissing`: then nothing may be stored.
"""

import sys

# Named this way, a hook can put the tables into `sys.modules` and needs no package around them.
from reverie.capture.secret_patterns import (
    BARE,
    COMMANDS,
    EXACT,
    HEAD,
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

    Span = tuple[int, int, str]
    Search = Callable[[bytes, int, int], list[tuple[int, int]]]


class RedactorMissing(Exception):
    """RE2 could not be loaded, so nothing can be redacted and nothing may be stored."""


# 1. Patterns. Compiled when first needed: a compile costs 0.1 ms, a pass over 2 MB costs 3 ms.

_BOUNDARY = b"\xff"  # stands between the strings of one JSON value; no UTF-8 text contains this byte
_extension: list[str] = []
_engine: "Any" = None
_compiled: "dict[bytes, Search]" = {}


def use_extension(path: str) -> None:
    """Load RE2 from this file instead of looking for it."""
    global _engine
    _extension[:] = [path]
    _engine = None
    _compiled.clear()


def _candidates() -> list[str]:
    """Where RE2's extension may be: where we were told, beside installed packages, in the interpreter's environment."""
    if _extension:
        return _extension
    import _imp

    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    root = sys.executable.rpartition("/bin/")[0]
    folders = [*sys.path, f"{root}/lib/{version}/site-packages", f"{sys.prefix}/lib/{version}/site-packages"]
    return [f"{folder}/re2/_re2{suffix}" for folder in folders if folder for suffix in _imp.extension_suffixes()]


def _load() -> "Any":
    global _engine
    if _engine is None:
        import _imp
        import posix
        from _frozen_importlib import ModuleSpec

        # The same object that `import re2` has loaded, where it has: two copies of one extension may not live together.
        _engine = sys.modules.get("re2._re2")
        for path in () if _engine else _candidates():
            try:
                posix.stat(path)
                _engine = _imp.create_dynamic(ModuleSpec("re2._re2", None, origin=path))
                _imp.exec_dynamic(_engine)
                sys.modules["re2._re2"] = _engine
                break
            except OSError:
                continue
            except ImportError as error:
                raise RedactorMissing(f"cannot load RE2 from {path}: {error}") from error
        if _engine is None:
            raise RedactorMissing("RE2 is not installed beside this interpreter; install google-re2")
    return _engine


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
    out, at = list[bytes](), 0
    for start, stop, kind in spans:
        out += (data[at:start], b"[secret:%s]" % kind.encode())
        at = stop
    return b"".join((*out, data[at:])) if spans else data


# 2. Tags. What stands between them is removed before anything else looks at the text.

_OPEN = rb"(?i)<(private|reverie-context)(?:\s[^<>\[\]\xff]*)?>"
_TAG = rb"(?i)<(/?)(private|reverie-context)(?:\s[^<>\[\]\xff]*)?>|\xff"


def _tags(data: bytes) -> bytes:
    if _pattern(_OPEN)(data, 0, len(data))[0][0] < 0:
        return data
    bare = _without_tags(data, b"")
    # Taking a block out can join what stood around it to a new tag; then something has to stay between.
    return bare if _pattern(_OPEN)(bare, 0, len(bare))[0][0] < 0 else _without_tags(data, b"[]")


def _without_tags(data: bytes, context: bytes) -> bytes:
    search, out, kept, at, depth, name = _pattern(_TAG), list[bytes](), 0, 0, 0, b""
    while True:
        (start, stop), closing, tag = search(data, at, len(data))
        if start < 0:
            break
        at = stop
        word = data[tag[0] : tag[1]].lower() if tag[0] >= 0 else _BOUNDARY
        if word == _BOUNDARY:
            if depth:  # never closed: gone up to the end of this string
                depth, kept = 0, start
        elif depth == 0:
            if closing[0] == closing[1]:
                out += (data[kept:start], b"[private]" if word == b"private" else context)
                depth, name = 1, word
        elif word == name:
            depth += 1 if closing[0] == closing[1] else -1
            kept = stop
    if depth == 0:
        out.append(data[kept:])
    return b"".join(out)


# 3. Private keys: one mark for the whole block, or for as much of it as there is.

_BEGIN = rb"-----?[ ]?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?[ ]?-----?|Private-Lines: [0-9]+"
_BREAK = rb"(?:\\+[nrt]|[\s\"'+,|#>*-])*"  # a line break, written out or not, and what quotes or comments lines
_BODY = (
    rb"(?:" + _BREAK + rb"(?:[A-Za-z-]+: [^\n\\\xff]*(?:\\+n|\n))*" + _BREAK + rb"[A-Za-z0-9+/=]{16,})+"
    rb"(?:" + _BREAK + rb"-----?[ ]?END [A-Z0-9 ]*-----?|" + _BREAK + rb"[A-Za-z0-9+/=]+(?:" + _BREAK + rb"-----?[ ]?END [A-Z0-9 ]*-----?)?)?"
)  # fmt: skip


def _private_keys(data: bytes) -> bytes:
    if b"PRIVATE KEY" not in data and b"Private-Lines" not in data:
        return data
    spans: list[Span] = []
    begin, body, at = _pattern(_BEGIN), _pattern(_BODY, anchored=True), 0
    while (head := begin(data, at, len(data))[0])[0] >= 0:
        at = head[1]
        tail = body(data, at, min(len(data), at + 20_000))[0]
        if tail[0] >= 0:
            at = tail[1]
            spans.append((head[0], at, "private-key"))
    return _splice(data, spans)


# 4. Tokens that say by themselves what they are.

# One pattern for all of them takes 3 ms for 2 MB; to look for 200 prefixes one by one takes 200.
_PREFIXES: "dict[bytes, list[tuple[bytes, str, bool, int]]]" = {}
for _kind, _prefixes, _least in TOKENS:
    for _prefix in _prefixes.encode().split():
        _PREFIXES.setdefault(_prefix[:2], []).append((_prefix, _kind.rstrip("!"), _kind.endswith("!"), _least))
for _entries in _PREFIXES.values():
    _entries.sort(key=lambda entry: -len(entry[0]))
_LITERALS = [entry[0].replace(b".", rb"\.").replace(b"$", rb"\$") for entries in _PREFIXES.values() for entry in entries]
_LITERALS.sort(reverse=True)  # so that RE2 sees what they share, and the longer one first
_TOKEN = b"|".join([shape[3] for shape in SHAPES]) + b"|(?:" + b"|".join(_LITERALS) + rb")[\w-]+"
_AWS_SECRET = rb"[\s,:;|\"'\\]*([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"


def _tokens(data: bytes) -> bytes:
    spans: list[Span] = []
    search, at, used = _pattern(_TOKEN), 0, 0
    while True:
        start, stop = search(data, at, len(data))[0]
        if start < 0:
            return _splice(data, spans)
        found = _token(data, start, stop, used)
        if not found:
            # The rest of a refused match may hold a token. A very long one is not looked at again, or
            # `sk-sk-sk-...` would be read once for each `sk-`.
            at = start + 2 if stop - start < 256 else stop
            continue
        spans.append(found)
        at = used = found[1]
        if found[2] == "aws-key":  # its secret often stands beside it
            pair = _pattern(_AWS_SECRET, anchored=True)(data, at, min(len(data), at + 60))
            if pair[0][0] >= 0:
                spans.append((*pair[1], "aws-secret"))
                at = used = pair[1][1]


def _token(data: bytes, start: int, stop: int, used: int) -> "Span | None":
    """Where exactly the secret is in a match, and its kind; None if it only looks like one."""
    text = data[start:stop]
    lower = text.lower()
    if len(set(text)) < 9 or b"xxxx" in lower or b"your" in lower:
        return None
    for prefix, kind, strict, least in _PREFIXES.get(text[:2], ()):
        if not text.startswith(prefix) or len(text) - len(prefix) < least:
            continue
        body = text[len(prefix) :]
        if kind in EXACT:
            body = body[: EXACT[kind]]
            stop = start + len(prefix) + len(body)
        if strict and not (_begins(data, start) and _is_drawn(kind, body)):
            continue
        if kind in ("terraform-token", "azure-secret"):  # the secret begins before what gives it away
            while start > used and stop - start < 200 and (data[start - 1 : start].isalnum() or data[start - 1] in b"~_"):
                start -= 1
        return start, stop, kind
    for kind, firsts, least, _ in SHAPES:
        if len(text) >= least and text.startswith(firsts):
            if kind == "discord-token" and not (22 <= text.find(b".") <= 32 and is_random(text)):
                continue
            keep = text.rfind(b"/", 0, text.rfind(b"/")) + 1 if kind == "webhook" else 0
            return start + keep, stop, kind
    return None


def _begins(data: bytes, start: int) -> bool:
    """Whether a word begins here. An escape such as the two characters `\\n`, or a colour code, ends the word before."""
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


def _is_drawn(kind: str, body: bytes) -> bool:
    """Whether the part after a short prefix is what the issuer draws, and not a word."""
    if kind == "aws-key":
        return body.isalnum() and body.isupper()
    if kind in EXACT:
        return not body.strip(b"0123456789abcdef")
    if kind in ("npm-token", "huggingface-token"):
        return body.isalnum()
    return is_random(body) or (body.isalnum() and len(body) >= 32 and not body.isalpha())


# 5. Passwords in addresses: scheme://user:password@host. Scheme, user and host stay.

# The last line is one of a .pgpass file: host:port:database:user:password.
_ADDRESS = (
    rb"://[^\s:/?#@\"'<>\\\xff]*:(?:([^\s\"'<>/\\\xff]+)|([^\s\"'<>@\\\xff]+))@[\w\[.$({-]"
    rb"|://([^\s:/?#@\"'<>\\\xff]+)@[\w\[.$({-]"
    rb"|[\w.*-]+:(?:[0-9]{3,5}|\*):[A-Za-z*][\w*-]*:[\w*.-]+:([^\s:\"'\xff]+)"
)


def _addresses(data: bytes) -> bytes:
    spans: list[Span] = []
    search, at = _pattern(_ADDRESS), 0
    while True:
        found = search(data, at, len(data))
        if found[0][0] < 0:
            return _splice(data, spans)
        at = found[0][1] - 1
        group = max(range(1, 5), key=lambda i: found[i][0])
        start, stop = found[group]
        value = data[start:stop]
        if group == 3:
            secret = len(value) >= 20 and is_random(value)
        elif group == 4:
            secret = found[0][0] == 0 or data[found[0][0] - 1 : found[0][0]] in (b"\n", b"n", b"'", b'"', _BOUNDARY)
            secret = secret and weigh("password", value, "loose")
        else:
            is_port = value[:1].isdigit() and value.lstrip(b"0123456789")[:1] in (b"/", b"?", b"#")
            is_default = data[found[0][0] + 3 : start - 1] == value  # postgres:postgres
            secret = len(value) > 2 and not (is_stand_in(value) or is_port or is_default)
        if secret:
            spans.append((start, stop, "password" if group == 4 else "url-password"))


# 6. Values under a name that announces a secret: assignments, flags, headers, prose.

_meanings: dict[bytes, str] = {}
_KINDS = {"env-key": "key", "salt": "key"}
_NAME_ONLY = bytes(c if (chr(c).isalnum() and c < 128) or c in b"_-." else 32 for c in range(256))
_AUTH = (
    rb"(?i)(?:[bfru][\"'])?[\"'`\\]*((?:bearer|basic|token|api-?key|api-token|digest|ssws|key|jwt|oauth|geniekey|bot|splunk)[ \t]+)?"
    rb"([^\s\"'`,;<>\\\xff]+)"
)
_ARGUMENTS = rb"\(?[ \t]*[\"'][^\"'\n\xff]*[\"'][ \t]*,[ \t]*"  # ("user", "...
_USER = rb"[\"']?[\w.@+-]+[\"']?(?:[ \t]+/[ \t]+|:[ \t]*)"  # user / ...


def _named(data: bytes) -> bytes:
    spans: list[Span] = []
    search, at, size = _pattern(HEAD), 0, len(data)
    while True:
        found = search(data, at, size)
        start = found[0][0]
        if start < 0:
            return _splice(data, spans)
        if start and data.startswith(b"[secret:", start - 1):  # one of our marks
            at = found[1][1]
            continue
        group = 3 if found[3][0] >= 0 else 4 if found[4][0] >= 0 else 5
        at = found[group][1]
        begin = _name_start(data, start)
        name = data[begin : found[2][1]]
        meaning = _meaning(name)
        if meaning:
            for span in _judged(data, begin, name, meaning, found[group], group):
                spans.append(span)
                at = span[1]


def _name_start(data: bytes, start: int) -> int:
    """Where the name begins that has its announcing word here."""
    before = data[max(0, start - 40) : start]
    if before[-1:] == b" " and before[:-1].translate(_NAME_ONLY).rpartition(b" ")[2].lower() in (b"api", b"secret", b"access", b"private", b"public"):
        before = before[:-1] + b"_"  # "api key"
    part = before.translate(_NAME_ONLY).rpartition(b" ")[2]
    if before[len(before) - len(part) - 1 : len(before) - len(part)] == b"\\" and part[:1] in (b"n", b"r", b"t"):
        part = part[1:]
    return start - len(part)


def _meaning(name: bytes) -> str:
    meaning = _meanings.get(name)
    if meaning is None:
        if len(_meanings) > 4096:
            _meanings.clear()
        meaning = _meanings[name] = meaning_of(name[-80:])
    return meaning


def _judged(data: bytes, begin: int, name: bytes, meaning: str, separator: tuple[int, int], group: int) -> "list[Span]":
    """The secrets in the value that follows this name."""
    at, sign = separator[1], data[separator[0] : separator[1]]
    if meaning == "auth":
        both = _pattern(_ARGUMENTS, anchored=True)(data, at, min(len(data), at + 256))[0]
        if both[0] >= 0:
            first, last, how = _value(data, both[1], b"=", name)
            return [(first, last, "password")] if how == "quoted" and weigh("password", data[first:last], how) else []
        _, scheme, (first, last) = _pattern(_AUTH, anchored=True)(data, at, min(len(data), at + 8192))
        value = data[first:last]
        if scheme[0] >= 0:
            is_word = (value.isalpha() and value.islower()) or value[:1] in (b"{", b"(", b"[", b"$")
            secret = last - first >= 8 and not is_stand_in(value) and not is_word
        else:
            secret = weigh("token" if len(name) > 8 else "auth", value, "code")
        return [(first, last, "authorization")] if secret else []
    if meaning == "cookie":
        return _cookies(data, at)
    if meaning == "signature":
        if data[begin - 1 : begin] not in (b"?", b"&", b";"):
            return []
        meaning = "token"
    elif b"cred" in name.lower():
        user = _pattern(_USER, anchored=True)(data, at, min(len(data), at + 80))[0]
        if user[0] >= 0:
            first, last, how = _value(data, user[1], b"=", name)
            if weigh("password", data[first:last], "said"):
                return [(first, last, "password")]
    elif meaning == "key" and begin and name.isupper() and b"_" in name:
        meaning = "env-key"
    before = data[begin - 1 : begin]
    if (before == b"/" and sign[:1] in (b":", b" ")) or (before == b":" and sign[:1] == b":"):
        return []  # a file, a part of an ARN
    if name.lower() == b"pass" and (group == 5 or (name == b"PASS" and b":" in sign)):
        return []  # the verb, the verdict of a test
    first, last, how = _value(data, at, sign, name)
    if name[-3:].lower() == b"sid" and how != "env":
        return []
    if group == 4:
        how = "call"
    elif group == 5 and how != "quoted":  # in that order: an element, a flag on a command line, prose
        how = "line" if b">" in sign else "env" if data[begin : begin + 1] == b"-" else "said" if sign.strip(b" \t|") else "loose"
    if not weigh(meaning, data[first:last], how):
        return []
    if last - first >= 500 and how != "quoted":  # `_value` looked no further
        last = _pattern(BARE, anchored=True)(data, first, len(data))[0][1]
    return [(first, last, _KINDS.get(meaning, meaning))]


def _value(data: bytes, at: int, sign: bytes, name: bytes) -> tuple[int, int, str]:
    """Where the value is that begins here, and how it stands there (see `weigh`)."""
    size = len(data)
    if data[at : at + 1] in (b"f", b"b", b"r", b"u", b"@") and data[at + 1 : at + 2] in (b'"', b"'"):
        at += 1
    first = at
    while data[first : first + 1] == b"\\" and first - at < 8:
        first += 1
    quote = data[first : first + 1]
    if quote in (b'"', b"'", b"`"):
        first += 1
        closing = data[at:first]
        if data[first : first + 2] == quote * 2:
            closing, first = quote * 3, first + 2
        stop = min(size, first + 4096)
        for end in (b"\n", _BOUNDARY):
            line = data.find(end, first, stop)
            stop = stop if line < 0 else line
        last = data.find(closing, first, stop)
        while last > 0 and data[last - 1] == 92:
            last = data.find(closing, last + 1, stop)
        if last >= 0:
            return first, last, "quoted"
    first, last = _pattern(BARE, anchored=True)(data, first, min(size, first + 512))[0]
    if first < 0:
        return at, at, ""
    value = data[first:last]
    for cut in (b";", b",", b"&"):
        here = value.find(cut)
        rest = value[here + 1 : here + 40]
        if here >= 0 and (not rest or b"=" in rest or (cut == b"," and b":" in rest)) and not (cut == b"&" and name.isupper()):
            value = value[:here]
    value = value.rstrip(b",;:)]}" if b"=" in sign else b",;:)]}.")
    following = data[first + len(value) : first + len(value) + 1]
    if b"=" in sign and b" " not in sign:
        how = "code" if following in (b",", b")") else "env"
    else:
        how = "line" if b":" in sign and following in (b"", b"\n", b"\r", b"\\", _BOUNDARY) else "code"
    return first, first + len(value), how


def _cookies(data: bytes, at: int) -> "list[Span]":
    stop = min(len(data), at + 8192)
    for end in (b"\n", b'"', b"'", _BOUNDARY):
        here = data.find(end, at + 1, stop)
        stop = stop if here < 0 else here
    spans: list[Span] = []
    for pair in data[at:stop].split(b";"):
        name, _, value = pair.partition(b"=")
        if weigh("cookie", value, "env"):
            spans.append((at + len(name) + 1, at + len(pair), "cookie"))
        at += len(pair) + 1
    return spans


# 7. Passwords that only their place on a command line gives away.

_COMMAND = rb"(?i)" + b"|".join(COMMANDS)


def _commands(data: bytes) -> bytes:
    spans: list[Span] = []
    search, at = _pattern(_COMMAND), 0
    while True:
        start, stop = search(data, at, len(data))[0]
        if start < 0:
            return _splice(data, spans)
        at = stop
        end = min(len(data), at + 1000)
        for sign in (b"\n", _BOUNDARY):
            line = data.find(sign, at, end)
            while line > 0 and data[line - 1] == 92:  # the command goes on in the next line
                line = data.find(sign, line + 1, end)
            end = end if line < 0 else line
        flag = _pattern(COMMANDS[data[start:stop].lower()])(data, at, end)
        if flag[0][0] >= 0:
            first, last, how = _value(data, flag[1][0], b"=", b"")
            user = data[flag[0][0] : flag[1][0]].strip(b"\"':").rpartition(b" ")[2].strip(b"\"'")
            if data[first:last] != user and weigh("password", data[first:last], how):
                spans.append((first, last, "password"))
                at = last


# 8. The whole.


def _scrub(data: bytes) -> bytes:
    for step in (_tags, _private_keys, _tokens, _addresses, _named, _commands):
        data = step(data)
    return data


def redact(text: str, name: str = "") -> str:
    """The text with each secret replaced by a mark. `name` is the key or variable under which the text stood.

    >>> redact("curl -u bob:hunter2 https://example.com")
    'curl -u bob:[secret:password] https://example.com'
    >>> redact("hunter2", name="password")
    '[secret:password]'
    """
    data = text.encode("utf-8", "surrogatepass")
    clean = (name and _under(name, data)) or _scrub(data)
    return text if clean == data else clean.decode("utf-8", "surrogatepass")


def _under(name: str, value: bytes) -> bytes:
    """What a value becomes that is a secret because of the name it stands under; b"" if it is none."""
    key = name.encode("utf-8", "surrogatepass")
    meaning = _meaning(key) if len(key) < 200 else ""
    if meaning in ("auth", "cookie"):  # a header: only a part of its value is secret
        whole = _named(key + b": " + value)[len(key) + 2 :]
        return whole if whole != value else b""
    return b"[secret:%s]" % meaning.encode() if meaning and weigh(meaning, value.strip(), "quoted") else b""


def redact_json(value: "Any") -> "Any":
    """The same value with every string and key redacted, at any depth. What was passed in stays as it is.

    All strings are redacted as one text with a boundary between them, so that a small string costs little.

    >>> redact_json({"env": [{"name": "DB_PASSWORD", "value": "hunter2"}], "pin": 4711})
    {'env': [{'name': 'DB_PASSWORD', 'value': '[secret:password]'}], 'pin': '[secret:pin]'}
    """
    holder = [value]
    texts: list[bytes] = []  # every string, in the order of `places`
    places: "list[tuple[Any, Any]]" = []  # the copied container and the index or key at which it stands
    keyed: "list[tuple[dict[Any, Any], list[Any]]]" = []  # dicts, with their keys in order
    waiting: "list[tuple[Any, str]]" = [(holder, "")]
    while waiting:
        box, name = waiting.pop()
        if isinstance(box, dict):
            keyed.append((box, list(box)))
            pair = box.get("name") or box.get("key")
            items = [(key, item, pair if key == "value" and isinstance(pair, str) else key) for key, item in box.items()]
        else:
            items = [(i, item, name) for i, item in enumerate(box)]
        last = ""
        for key, item, called in items:
            if isinstance(item, str):
                data = item.encode("utf-8", "surrogatepass")
                flag = last if last[:1] == "-" else ""
                mark = _under(called or flag, data) if (called or flag) else b""
                last = item
                if mark:
                    box[key] = mark.decode("utf-8", "surrogatepass")
                else:
                    texts.append(data)
                    places.append((box, key))
            elif isinstance(item, dict):
                box[key] = copy = dict(item)
                waiting.append((copy, ""))
            elif isinstance(item, list):
                box[key] = copied = list(item)
                waiting.append((copied, called))
            elif called and type(item) in (int, float) and (mark := _under(called, str(item).encode())):
                box[key] = mark.decode()
    joined = _BOUNDARY.join(texts)
    clean = _scrub(joined)
    if clean != joined:
        for (box, key), before, after in zip(places, texts, clean.split(_BOUNDARY), strict=True):
            if before != after:
                box[key] = after.decode("utf-8", "surrogatepass")
    _redact_keys(keyed)
    return holder[0]


def _redact_keys(keyed: "list[tuple[dict[Any, Any], list[Any]]]") -> None:
    names = [key if isinstance(key, str) else "" for _, keys in keyed for key in keys]
    joined = _BOUNDARY.join([name.encode("utf-8", "surrogatepass") for name in names])
    clean = _scrub(joined)
    if clean == joined:
        return
    after = iter(clean.split(_BOUNDARY))
    for box, keys in keyed:
        new = [next(after).decode("utf-8", "surrogatepass") if isinstance(key, str) else (next(after), key)[1] for key in keys]
        if new != keys:
            values = [box[key] for key in keys]
            box.clear()
            for key, item in zip(new, values, strict=True):
                while key in box:  # two secrets, one mark: both values are kept
                    key = f"{key}+"
                box[key] = item
