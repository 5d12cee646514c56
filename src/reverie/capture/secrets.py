r"""Text in, the same text without secrets out. Nothing is stored, logged or sent to a model before it was here.

Each secret value becomes a mark such as `[secret:github-token]`; its surroundings stay. `<private>` blocks and our own
injected context go too. Every step is linear in the length of the text: RE2 for the patterns, bounded looks at a hit.

A hook uses this module in an interpreter that was started with `-I -S`, so it imports nothing but its neighbours.
Without RE2's extension, which `secret_shapes` loads by path, it raises `RedactorMissing`: then nothing may be stored.
"""

# Named this way, a hook can put both into `sys.modules` and needs no package around them.
from reverie.capture.secret_patterns import (
    BARE,
    COMMANDS,
    DIRECTIVES,
    DRAWN,
    ELSEWHERE,
    HEAD,
    HEAD_ELSEWHERE,
    IN_GROUPS,
    LEAST,
    READERS,
    SHAPES,
    TOKENS,
    is_stand_in,
    meaning_of,
    weigh,
)
from reverie.capture.secret_shapes import (
    BOUNDARY,
    RedactorMissing,
    drawn,
    is_line,
    manifests,
    neighbour,
    pattern,
    placed,
    private_keys,
    splice,
    tags,
    tokens,
    use_extension,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from reverie.capture.secret_shapes import Span

__all__ = ["RedactorMissing", "kinds", "redact", "redact_json", "use_extension"]


# 1. Passwords that only their place on a command line gives away.

_NOT_QUOTES = bytes(c for c in range(256) if c not in b"\"'")
_CLEAR = (
    b"requirepass",
    b"masterauth",
    b"machine ",
    b"sshpass",
    b"openssl",
    b"net user",
    b"snyk auth ",
    b"securestring",
    b"secret set",
)
_DOUBTFUL = frozenset((b"connect(", b"getconnection(", b"pdo(", b" -u ", b"--user", b" /p:", b" put ", b"rar "))
_ORACLE = (b"sqlplus ", b"expdp ", b"impdp ", b":thin:")
# White space as JSON writes it, and a line break that a backslash before it takes back. Then what escapes an escape.
_WHITE = (b"\\n", b"\\r", b"\\t", b"\\\n", b"\\\r\n", b"\\ ", b"\\ ", b"\\ ")
_RARELY_WHITE = (b"\\u000a", b"\\u000A", b"\\u000d", b"\\u000D", b"\\u0009")
_LEAD = 100  # bytes; what leads to a value is mostly shorter
_COMMANDS = dict.fromkeys((*COMMANDS, *DIRECTIVES, *READERS))  # in order: `login(` before `login`


def _any_of(words: list[bytes]) -> bytes:
    """A pattern for one of these words, which is its first or second group.

    The automaton is built anew in each process, and takes half as long where a word that starts with a letter may only
    stand where none, or an escape, is before it. Some are written in one with others: Benutzerkennwort, passphrase.
    """
    words = [word.replace(b"(", rb"\(") for word in words]
    is_free = [not word[:1].isalpha() or word in _FREE for word in words]
    free = b"|".join([word for word, free in zip(words, is_free, strict=True) if free])
    bound = b"|".join([word for word, free in zip(words, is_free, strict=True) if not free])
    return rb"(?i)(?:^|[^A-Za-z]|\\[nrtbfv]|\\u00[0-9a-f]{2})(" + bound + rb")|(" + free + rb")"


_FREE = frozenset(rb"client\( connect\( phrase passwort kennwort wachtwoord kodeord adgangskode salasana".split())
# "Password" in other languages is looked for in the same pass; most texts have no word of either kind.
_PLAIN_WORD = _any_of([*_COMMANDS, *[word for word in ELSEWHERE if word.isascii()]])
_ANY_WORD = _any_of([*_COMMANDS, *ELSEWHERE])


def _commands(data: bytes) -> "list[Span]":
    """Where passwords are that a command takes, and those that are named in another language."""
    if len(data) < 4096:  # here it costs less to look for each word than to compile a pattern
        lower = data.lower()
        if not any(lower.find(word) >= 0 for word in (*_COMMANDS, *ELSEWHERE)):
            return []
    spans: list[Span] = []
    search, at = pattern(_PLAIN_WORD if data.isascii() else _ANY_WORD), 0
    barren: dict[bytes, int] = {}  # up to where a command is known to have no such flag
    while True:
        _, bound, free = search(data, max(0, at - 1), len(data))  # from the end of a word, which may begin the next
        start, at = max(bound, free)
        if start < 0:
            return spans
        command = data[start:at].lower()
        if command not in _COMMANDS:
            found = pattern(HEAD_ELSEWHERE, anchored=True)(data, start, min(len(data), start + _LOOK))
            if found[0][0] >= 0:
                secrets, at = _announced(data, found)
                spans += secrets
            continue
        if command in READERS:
            is_other = command == b"-stdin" and data.find(b"pass", max(0, start - 12), start) < 0  # not a password
            if not is_other and pattern(READERS[command], anchored=True)(data, at, min(len(data), at + 80))[0][0] >= 0:
                first = max(spans[-1][1] if spans else 0, start - 400)
                line = _spaced(data[first:start])
                spans += _piped(data, first + max(line.rfind(b"\n"), line.rfind(BOUNDARY)) + 1, start)
            continue
        if command in (b"phrase", b"app pass"):  # the words that open a wallet, the letters that open a mailbox
            words = pattern(DIRECTIVES[command], anchored=True)(data, at, min(len(data), at + 400))
            if words[0][0] >= 0:
                spans.append((*words[1], "password"))
                at = words[1][1]
            continue
        # From here on places are counted from `base`, in a copy: of the whole text it would take longer than all else.
        known = barren.get(command, 0)
        base = max(at, known - _LEAD)
        near, limit = _spaced(data[base : at + 800 + _LEAD]), min(len(data), at + 800) - base
        end = limit if command == b"machine " else _line_end(near, max(at, known) - base, limit)
        if base + end <= known:
            continue
        leads, directly = COMMANDS.get(command, b""), command in DIRECTIVES
        flag = pattern(leads or DIRECTIVES[command], anchored=directly)(near, 0, end)
        if flag[0][0] < 0 and not directly:
            barren[command] = base + end
        while flag[0][0] >= 0:
            if leads and end == limit and flag[0][1] > end - _LEAD:  # with more text, the lead may be seen to be longer
                flag = pattern(leads)(near, flag[0][0], _line_end(near, end, len(near)))
            first, at, is_secret = _given(data, base + flag[0][0], base + max(flag[1:])[0], command)
            if is_secret:
                spans.append((first, at, "password"))
            if directly or at >= base + end:
                break
            flag = pattern(leads)(near, at - base, end)


def _spaced(data: bytes) -> bytes:
    """The data with every byte in its place, but with spaces for escaped white space: in JSON that nobody parsed, a tab
    before a flag is a backslash and a letter."""
    if data.find(b"\\") >= 0:
        for escape in _WHITE if data.find(b"\\u00") < 0 else _RARELY_WHITE + _WHITE:
            data = data.replace(escape, b" " * len(escape))
    return data


def _given(data: bytes, lead: int, at: int, command: bytes) -> tuple[int, int, bool]:
    """Where the value is to which a flag leads, and whether it is a secret."""
    quote = data[lead:at].translate(None, _NOT_QUOTES)[-1:]
    if quote and data.count(quote, lead, at) == 1:  # -u 'user:a password'
        stop = data.find(quote, at, _line_end(data, at, min(len(data), at + 400)))
        first, last, how = (at, stop, "quoted") if stop >= 0 else _value(data, at, b"=", b"")
    else:
        first, last, how = _value(data, at, b"=", b"")
    if how != "quoted" and last - first >= _LOOK - 10:
        last = pattern(BARE, anchored=True)(data, first, len(data))[0][1]
    value = data[first : min(last, first + _LOOK)]
    user = data[lead:first].rstrip(b"\"':").rpartition(b" ")[2].strip(b"\"'")
    if data.endswith(b"[secret:", 0, first) or value == user:
        return first, max(last, at), False
    if command in _ORACLE and value.find(b"@") > 0:
        last, value = data.find(b"@", first), value.partition(b"@")[0]
    if command == b" -u " and (value.isdigit() or data.rfind(b"mysql", max(0, lead - 80), lead) >= 0):
        return first, at, False  # a port; and the -p of mysql asks, a database follows
    if command == b"--from-literal":  # of a secret, or of a plain map
        is_secret = data.rfind(b"secret", max(0, lead - 200), lead) >= 0 and not value.isdigit()
        return first, max(last, at), is_secret and weigh("secret", value, "env")
    if command in _DOUBTFUL:
        return first, max(last, at), weigh("password", value, "said")
    if command == b"client(" or (command == b"login" and data.find(b"-p", lead, at) < 0):  # mostly something else
        return first, max(last, at), len(value) >= 20 and value.isalnum() and weigh("salt", value, "env")
    # Where nothing but a password can stand, nearly anything is one.
    is_clear = len(value) >= 3 and (command in _CLEAR or (how == "quoted" and command not in (b"login(", b"--pass")))
    return first, max(last, at), (is_clear and not is_stand_in(value)) or weigh("password", value, how)


def _piped(data: bytes, first: int, stop: int) -> "list[Span]":
    """What `echo` or `printf` hands to a command, which begins at `stop` of a line from `first`, as its password."""
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
        at = max(at, words.find(b":", at) + 1)
    value = words[at:]
    if at == 0 and quote in (b'"', b"'"):
        return []
    if len(value) < 3 or is_stand_in(value) or value.startswith((b"$", b"`", b"-")) or b"[secret:" in words[-60:]:
        return []
    return [(said + 5 + at, said + 5 + len(words), "password")]


# 2. Values under a name that announces a secret: assignments, flags, headers, prose.

_NAME = bytes(c if (chr(c).isalnum() and c < 128) or c in b"_-." else 32 for c in range(256))  # all else to spaces
_ADJECTIVES = frozenset((b"api", b"secret", b"access", b"private", b"public", b"auth", b"master"))
_AUTH = (
    rb"(?i)(?:[bfru][\"'])?[\"'`\\]*((?:bearer|basic|token|api-?key|api-token|digest|ssws|key|jwt|oauth|geniekey|bot|splunk)"
    rb"[ \t]+(?:token=)?)?([^\s\"'`,;<>\\\x1b\xff]+)"
)
_SCHEME = rb"(?i)(?:bearer|basic|token|ssws|api-?key|jwt|bot)[ \t]+"  # also where only the token is expected
_SIGNED = rb"(?i)(?:digest|aws4-hmac-sha256)[ \t][^\n\xff]*?(?:response|signature)=[\"'\\]*([0-9a-f]+)"
_ARGUMENTS = rb"\(?[ \t]*[\"'][^\"'\n\xff]*[\"'][ \t]*,[ \t]*"  # ("user", "...
_USER = rb"[\"']?[\w.@+-]+[\"']?(?:[ \t]+/[ \t]+|:[ \t]*)"  # user / ...
_PAIR = rb"[\w.@+-]+[ \t]*[/,:(][ \t]*"
_WHO = (b"id", b"user", b"username", b"login", b"account", b"email", b"name")
_KINDS = {"env-key": "key", "app-secret": "secret", "salt": "key", "passphrase": "password", "credential": "secret"}
_HEADERS = ("auth", "cookie", "credential")  # the names with values of several parts
_ENDS = bytes(32 if c in b" \t\r\n\v\f<>\x1b\xff" else c for c in range(256))  # what ends a value without quotes
_OPENING = (b'"', b"'", b"`", b"\\", b"(")  # how values begin that may have a space
_TYPOGRAPHIC = frozenset("“ ” „ ‘ ’ 「 『".encode().split())
_ASCII = bytes(range(33, 127))
_SPACE, _EQUALS, _COLON, _ELEMENT = b" =:>"  # numbers, since `in` takes ten times as long for bytes in bytes
_LOOK = 400  # how much of a long value is looked at
_meanings: dict[bytes, str] = {}


def _named(data: bytes) -> "list[Span]":
    """Where the values are that stand under a name."""
    spans: list[Span] = []
    search, at, size = pattern(HEAD), 0, len(data)
    while True:
        found = search(data, at, size)
        if found[0][0] < 0:
            return spans
        secrets, at = _announced(data, found)
        spans += secrets


def _announced(data: bytes, found: "list[tuple[int, int]]") -> "tuple[list[Span], int]":
    """The secrets in the value that a name announces here (see `HEAD` for the groups), and where to go on."""
    start = found[0][0]
    if start and data.startswith(b"[secret:", start - 1):  # one of our marks
        return [], max(found[1][1], data.find(b"]", start, start + 40))
    group = 3 if found[3][0] >= 0 else 4 if found[4][0] >= 0 else 5
    at, begin = found[group][1], _name_start(data, start)
    name = data[begin : found[2][1]]
    meaning = _meaning(name)
    if meaning and not _is_short(data, at, meaning, group == 5 and name[:1] != b"-" and data[at - 1] != _ELEMENT):
        return _judged(data, begin, name, meaning, found[group], group)
    return [], at


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
    if before[: len(before) - len(part)][-1:] == b"\\":  # not a part of it: \n, \u000a
        part = part[5:] if part[:3] == b"u00" else part[1:] if part[:1] in (b"n", b"r", b"t", b"b", b"f") else part
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
    if before == b"/" and meaning == "password" and data[max(0, begin - 9) : begin - 1].lower().endswith(_WHO):
        return _after_user(data, at, _PAIR)  # user/password: bob/...
    if _is_no_name(before, name, meaning, sign, group):
        return [], at
    if meaning == "credential":
        secrets, here = _after_user(data, at, _USER)
        if secrets or data.startswith(b"[secret:", here):
            return secrets, here
    elif meaning == "signature":
        meaning = "token"
    elif meaning == "key" and name.isupper() and name.find(b"_") > 0:
        meaning = "env-key"
    first, last, how = _value(data, at, sign, name)
    if meaning in ("token", "app-secret", "key", "env-key") and last - first >= 3:
        scheme = pattern(_SCHEME, anchored=True)(data, first, min(len(data), first + 40))[0]
        if scheme[0] >= 0:
            first, last = (scheme[1], last) if how == "quoted" else _value(data, scheme[1], sign, name)[:2]
    elif meaning == "password" and last - first == 4:
        groups = pattern(IN_GROUPS, anchored=True)(data, first, min(len(data), first + 40))[1]
        last, how = (groups[1], "quoted") if groups[0] >= 0 else (last, how)
    how, meaning = _how(name, meaning, sign, group, how)
    if how == "code" and meaning == "password" and sign == b" = " and is_line(data, begin, last):
        how = "ini"
    if _is_no_value(data[first:last], name, sign, group, how):
        return [], at
    return _weighed(data, at, first, last, meaning, how)


def _is_no_name(before: bytes, name: bytes, meaning: str, sign: bytes, group: int) -> bool:
    """Whether what looks like the name of a secret is something else there."""
    is_file = before == b"/" and sign[:1] in (b":", b" ") and sign.find(b"value") < 0
    if is_file or (before == b":" and sign[:1] == b":"):  # the second is a part of an ARN
        return True
    if group == 5 and sign[-1:] == b">" and _EQUALS in sign and before != b"<":  # not an element with an attribute
        return True
    if group == 5 and name[-1:].isdigit() and sign.isspace():  # a branch, a file
        return True
    if len(name) == 4 and name.lower() == b"pass":  # the verb, the verdict of a test
        is_verb = group == 5 and sign[-1:] != b">" and sign.strip() != b"is"
        return is_verb or (name == b"PASS" and _COLON in sign)
    return meaning == "signature" and before not in (b"?", b"&")


def _how(name: bytes, meaning: str, sign: bytes, group: int, how: str) -> tuple[str, str]:
    """How the value stands there as far as its name and the sign between them say, and what it means then."""
    if group == 4:
        is_variable = meaning == "password" and name.isupper() and name.find(b"_") > 0  # define("DB_PASSWORD", "...")
        return how if is_variable else "call", meaning
    if group == 5 and how != "quoted":  # in that order: an element, a flag on a command line, prose
        said = "said" if sign.strip(b" \t|") else "loose"
        return "line" if _ELEMENT in sign else "env" if name[:1] == b"-" else said, meaning
    if meaning in ("password", "passphrase", "secret", "app-secret") and name.isupper():
        return "ENV" if how == "env" else how, "passphrase" if meaning == "password" else meaning
    return how, meaning


def _is_no_value(value: bytes, name: bytes, sign: bytes, group: int, how: str) -> bool:
    """Whether what follows is something else: the next flag, a number after `pass`, <user>:<password>@host."""
    if (value[:2] == b"--" and group == 5) or (value[:1] == b"@" and sign[-1:] == b">"):
        return True
    return (name[-3:].lower() == b"sid" and how != "env") or (name.lower() == b"pass" and value.isdigit())


def _weighed(data: bytes, at: int, first: int, last: int, meaning: str, how: str) -> "tuple[list[Span], int]":
    """The value, or what is quoted in it, if it is a secret; and where to go on."""
    value, is_long = data[first:last], last - first >= _LOOK - 10 and how != "quoted"
    kind = _KINDS.get(meaning, meaning)
    if weigh(meaning, value, how):
        if is_long:
            last = pattern(BARE, anchored=True)(data, first, len(data))[0][1]
        return [(first, last, kind)], last
    inner = 1 if how == "quoted" else max(value.rfind(b'("'), value.rfind(b"('")) + 2  # Some("...")
    if inner > 1 and weigh("salt", value[inner:], "call"):
        return [(first + inner, last, kind)], last
    return [], last if is_long else at


def _after_user(data: bytes, at: int, user: bytes) -> "tuple[list[Span], int]":
    """The password that follows a user here, and where to go on."""
    first = max(at, pattern(user, anchored=True)(data, at, min(len(data), at + 80))[0][1])
    first, last, _ = _value(data, first, b"=", b"")
    is_secret = not data.startswith(b"[secret:", first) and weigh("password", data[first:last], "said")
    return ([(first, last, "password")], last) if is_secret else ([], first)


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
    if data[first : first + 3] in _TYPOGRAPHIC:
        first, sign = first + 3, data[first : first + 3]
    first, last = pattern(BARE, anchored=True)(data, first, min(size, first + _LOOK))[0]
    if first < 0:
        return at, at, ""
    value = data[first:last]
    for cut in (b";", b",", b"&"):
        here = value.find(cut)
        if here >= 0 and not (cut == b"&" and name.isupper()):
            rest = value[here + 1 : here + 40]
            if not rest or _EQUALS in rest or (cut == b"," and _COLON in rest):
                value = value[:here]
    if name[-5:].lower() == b"token" and value.find(b".", value.find(b"@")) > 0:  # x-access-token:...@github.com
        value = value.partition(b"@")[0]
    if not sign.isascii():  # no space marks the end of a value between such signs
        value = value[: len(value) - len(value.lstrip(_ASCII))]
    value = value.rstrip(b",;:)]}" if _EQUALS in sign else b",;:)]}.")
    last = first + len(value)
    following = data[last : last + 1]
    if _EQUALS in sign and _SPACE not in sign:
        return first, last, "code" if following in (b",", b")") else "env"
    is_line = _COLON in sign and following in (b"", b"\n", b"\r", b"\\", BOUNDARY)
    return first, last, "line" if is_line else "code"


def _line_end(data: bytes, start: int, stop: int) -> int:
    for end in (b"\n", BOUNDARY):
        here = data.find(end, start, stop)
        stop = stop if here < 0 else here
    return stop


def _authorization(data: bytes, name: bytes, at: int) -> "tuple[list[Span], int]":
    both = pattern(_ARGUMENTS, anchored=True)(data, at, min(len(data), at + 128))[0]
    if both[0] >= 0 and 40 in data[at - 1 : at + 1]:  # auth=("user", "password"), Auth("user", "password")
        first, last, how = _value(data, both[1], b"=", name)
        is_secret = how == "quoted" and weigh("password", data[first:last], how)
        return ([(first, last, "password")], last) if is_secret else ([], at)
    signed = pattern(_SIGNED, anchored=True)(data, at, min(len(data), at + 2 * _LOOK))
    if signed[0][0] >= 0 and signed[1][1] - signed[1][0] >= 16:
        return [(*signed[1], "authorization")], signed[1][1]
    _, scheme, (first, last) = pattern(_AUTH, anchored=True)(data, at, min(len(data), at + 2 * _LOOK))
    value = data[first:last]
    if scheme[0] < 0:
        is_token = name[-13:].lower() == b"authorization" or name == b"_auth"  # the last one in an .npmrc
        is_secret = weigh("token" if is_token else "auth", value, "code")
    else:
        is_word = (value.isalpha() and value.islower()) or value[:1] in (b"{", b"(", b"[", b"$")
        is_secret = len(value) >= 8 and not is_word and not is_stand_in(value)
    if is_secret:
        last = pattern(_AUTH, anchored=True)(data, at, len(data))[2][1]
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


# 3. The whole.


def kinds() -> list[str]:
    """Every kind that a mark may name, sorted."""
    named = (
        "password secret token key session cookie pin authorization url-password private-key aws-secret discord-token"
    )
    tables = [entry[0] for entry in TOKENS] + [entry[0] for entry in DRAWN] + [entry[0] for entry in SHAPES]
    return sorted({kind.rstrip("!?") for kind in tables} | set(named.split()))


_STEPS = (private_keys, tokens, drawn, placed, manifests, _commands, _named)


def _scrub(data: bytes) -> bytes:
    # With one secret gone, what stands before it may read differently. That takes odd texts, so large ones, where it
    # would cost milliseconds, are read once; others until nothing changes.
    for _ in range(5):
        before = data
        data = tags(data)
        if data.find(b"\x1b") >= 0 or data.find(b"\\u001") >= 0:
            data = _scrub_coloured(data)
        else:
            for step in _STEPS:
                data = splice(data, step(data))
        if data == before or len(data) > 32_768:
            break
    return data


def _scrub_coloured(data: bytes) -> bytes:
    """Colours may stand anywhere, also within a secret or its name. So it is the text without them that is looked at.

    But first, since a colour may also end a word, for tokens with it.
    """
    for step in (tokens, drawn):
        data = splice(data, step(data))
    blocks, known = neighbour("secret_blocks"), b""
    for step in _STEPS:
        if data is not known:
            known = data
            plain, codes = blocks.without_colours(data)
        data = splice(data, blocks.in_colour(step(plain), codes))
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
        whole = splice(head + value, _named(head + value))[len(head) :]
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
    joined = BOUNDARY.join([text.encode("utf-8", "surrogatepass") for text in texts])
    clean = _scrub(joined)
    if clean == joined:
        return []
    new = [data.decode("utf-8", "surrogatepass") for data in clean.split(BOUNDARY)]
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
