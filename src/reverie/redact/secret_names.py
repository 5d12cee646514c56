"""Bytes in, places of secrets out that stand under a name: assignments, flags, headers, cookies, prose."""

from reverie.redact.secret_patterns import BARE, HEAD, IN_GROUPS, OF_CONSTANTS, meaning_of, words_of
from reverie.redact.secret_search import BOUNDARY, is_line, pattern
from reverie.redact.secret_values import (
    ALL_BYTES,
    ALPHANUMERIC,
    LEAST,
    is_random,
    is_stand_in,
    is_uuid,
    to_spaces,
    weigh,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.redact.secret_search import Span

_NAME = to_spaces(ALPHANUMERIC + b"_-.")
_ADJECTIVES = frozenset((b"api", b"secret", b"access", b"private", b"public", b"auth", b"master"))
_AUTH = (
    rb"(?i)(?:[bfru][\"'])?[\"'`\\]*((?:bearer|basic|token|api-?key|api-token|digest|ssws|key|jwt|oauth|geniekey|bot|splunk)"
    rb"[ \t]+(?:token=)?)?([^\s\"'`,;<>\\\x1b\xff]+)"
)
_SCHEME = rb"(?i)(?:bearer|basic|token|ssws|api-?key|jwt|bot)[ \t]+"  # also where only the token is expected
_SIGNED = rb"(?i)[\"'`\\]*(?:digest|aws4-hmac-sha256)[ \t]"  # here only this is secret:
_SIGNATURE = rb"(?i)(?:response|signature)=[\"'\\]*([0-9a-f]{16}[0-9a-f]*)"
_ARGUMENTS = rb"\(?[ \t]*\\*[\"'][^\"'\n\xff]*[\"'][ \t]*,[ \t]*"  # ("user", "...
_USER = rb"[\"']?[\w.@+-]+[\"']?(?:[ \t]+/[ \t]+|:[ \t]*)"  # user / ...
_PAIR = rb"[\w.@+-]+[ \t]*[/,:(][ \t]*"
_FIRST = rb"\\*[\"'][^\"'\n\xff]*[\"'][ \t]*,[ \t]*()\\*[\"']"  # of two values
_ITEM = rb"[\[,\s]*\\*[\"']([^\"'\\\n\xff]*)\\*[\"']"
_RECEIPTS = (b"request", b"idempoten", b"action")  # what a caller draws to know its call again
_PLURALS = (b"passwords", b"passwds", b"pwds", b"secrets", b"tokens", b"keys")
_WHO = (b"id", b"user", b"username", b"login", b"account", b"email", b"name")
KINDS = {"env-key": "key", "app-secret": "secret", "salt": "key", "passphrase": "password", "credential": "secret"}
_CHOSEN = ("password", "passphrase")
_HEADERS = ("auth", "cookie", "credential")  # the names with values of several parts
_ENDS = bytes.maketrans(b"\t\r\n\v\f\x1b\xff", b" " * 7)  # what ends a value without quotes
_BREAKS = bytes.maketrans(b"\t\r\n\v\f\x1b\xff\"'`\\", b" " * 11)
_NO_LETTERS = ALL_BYTES.translate(None, ALPHANUMERIC)
_MARKUP = (b"</", b"/>", b"<!", b"->", b"=>", b"<-", b"<=", b"<<", b">>")
_DIGITS = frozenset((b"", *[b"%d" % digit for digit in range(10)]))  # how no name begins
_NAME_BYTES = ALPHANUMERIC + b"_-. "
_OPENING = (b'"', b"'", b"`", b"\\", b"(")  # how values begin that may have a space
_LINE_ENDS = (b"", b"\n", b"\r", b"\\", b'"', b"'", b"`", BOUNDARY)
_MARGIN = rb"[0-9]+(?:\xe2\x86\x92|\\+u2192|\\+t|\t)[ \t]*"  # the number of a line
_TYPOGRAPHIC = frozenset("“ ” „ ‘ ’ 「 『".encode().split())
_ASCII = bytes(range(33, 127))
_SPACE, _EQUALS, _COLON, _ELEMENT = b" =:>"  # numbers, since `in` takes ten times as long for bytes in bytes
LOOK = 400  # how much of a long value is looked at
_meanings: dict[bytes, str] = {}


def named(data: bytes) -> "list[Span]":
    """Find the values that stand under a name."""
    spans: list[Span] = []
    search, at, size = pattern(HEAD), 0, len(data)
    while True:
        found = search(data, at, size)
        if found[0][0] < 0:
            return spans
        secrets, at = announced(data, found)
        spans += secrets


def announced(data: bytes, found: "list[tuple[int, int]]") -> "tuple[list[Span], int]":
    """The secrets in the value that a name announces here (see `HEAD` for the groups), and where to go on."""
    start = found[0][0]
    if start and data.startswith(b"[secret:", start - 1):  # one of our marks
        return [], max(found[1][1], data.find(b"]", start, start + 40))
    group = 3 if found[3][0] >= 0 else 4 if found[4][0] >= 0 else 5
    (sign, at), begin = found[group], _name_start(data, start)
    name = data[begin : found[2][1]]
    meaning = meaning_under(name)
    if group == 3 and at - sign > 1 and _is_below(data[sign:at]):
        at, group = _below(data, sign, at, name, meaning)
    if group == 3 and data[max(0, begin - 2) : begin] == b", " and data[at : at + 1] in (b'"', b"'"):
        at = _of_several(data, begin, sign, at)
    in_prose = group == 5 and name[:1] != b"-" and data[at - 1] != _ELEMENT
    if group and meaning and not _is_short(data, at, meaning, in_prose):
        secrets, end = _judged(data, begin, name, meaning, (sign, at), group)
        if secrets:
            return secrets, end
        at = end
    # Between a name and what "is" there may be another name. A look that is short costs little to repeat.
    return [], found[2][1] if group == 5 and 8 < at - sign < 80 else at


def _of_several(data: bytes, begin: int, sign: int, at: int) -> int:
    """Return the place of the value that belongs to this name: user, password = "bob", "..."."""
    before = data[max(0, begin - 60) : begin].replace(BOUNDARY, b"\n").rpartition(b"\n")[2]
    if before.translate(None, _NAME_BYTES + b",\t+-") or data.find(b"=", sign, at) < 0:
        return at
    place = at
    for _ in range(before.count(b",")):
        place = pattern(_FIRST, anchored=True)(data, place, min(len(data), place + 120))[1][0]
        if place < 0:
            return at
    return place


def is_receipt(name: bytes, value: bytes) -> bool:
    """Whether it is a token that opens nothing: a uuid under the name of a request."""
    return is_uuid(value) and any(word in name.lower() for word in _RECEIPTS)


def _is_below(sign: bytes) -> bool:
    """Whether a line ends between a name and its value, other than `name: X`, `value: Y`."""
    return (sign.find(b"\n") >= 0 or sign.find(b"\\n") >= 0) and sign.lower().find(b"value") < 0


def _below(data: bytes, sign: int, at: int, name: bytes, meaning: str) -> tuple[int, int]:
    """Return the place of the value in a line below its name, and the group: 6 if it may be one, 0 if there is none."""
    at = max(at, pattern(_MARGIN, anchored=True)(data, at, min(len(data), at + 40))[0][1])
    if data[sign:at].replace(b"\\n", b"\n").split()[:2] == [b"=", b"("]:  # and the value below
        return at, 3 if data[at : at + 1] in (b'"', b"'", b"\\") else 0
    if meaning in ("auth", "cookie") or data.find(b":", sign, at) < 0:
        return at, 0
    is_map = meaning == "credential" or not name.replace(b" ", b"").isalpha()  # `access_token:` and more names below
    return at, 6 if _is_block(data[sign:at]) or not is_map else 0


def _is_block(sign: bytes) -> bool:
    """Whether it begins a block of YAML."""
    return sign.find(b"|") > 0 or sign.find(b">") > 0


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
    """Return the start of the name that has its announcing word here."""
    before = data[max(0, start - 40) : start]
    if before[-1:] == b" ":  # "api key"
        word = before[:-1].translate(_NAME).rpartition(b" ")[2]
        return start - len(word) - 1 if word.lower() in _ADJECTIVES else start
    part = before.translate(_NAME).rpartition(b" ")[2]
    if before[: len(before) - len(part)][-1:] == b"\\":  # not a part of it: \n, \u000a
        part = part[5:] if part[:3] == b"u00" else part[1:] if part[:1] in (b"n", b"r", b"t", b"b", b"f") else part
    return start - len(part)


def meaning_under(name: bytes) -> str:
    """Return `meaning_of` a name, cached."""
    meaning = _meanings.get(name)
    if meaning is None:
        if len(_meanings) > 4096:
            _meanings.clear()
        meaning = _meanings[name] = meaning_of(name[-80:])
    return meaning


def has_several(name: bytes) -> bool:
    """Whether the names below this one are those of secrets: `passwords`, `api_keys`; of `tokens` some may be."""
    lower = name[-9:].lower()
    return lower.endswith(_PLURALS) and (meaning_under(name) not in ("", "key") or lower.endswith(b"tokens"))


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
    first, last, how = value_at(data, at, sign, name)
    if group == 6:
        if _is_block(sign):
            last, how = pattern(BARE, anchored=True)(data, first, min(len(data), first + LOOK))[0][1], "quoted"
        elif _EQUALS in data[first:last].rstrip(b"="):
            return [], at
        if data[last : last + 1] not in _LINE_ENDS:
            return [], at
    if meaning == "key" and before in (b"?", b"&") and data[first:last].isalnum():  # of a url
        meaning = "salt"
    if meaning in ("token", "app-secret", "key", "env-key") and last - first >= 3:
        # A pattern that is not needed is not compiled.
        has_blank = data.find(b" ", first, first + 8) >= 0 or data.find(b"\t", first, first + 8) >= 0
        scheme = pattern(_SCHEME, anchored=True)(data, first, min(len(data), first + 40))[0] if has_blank else (-1, -1)
        if scheme[0] >= 0:
            first, last = (scheme[1], last) if how == "quoted" else value_at(data, scheme[1], sign, name)[:2]
    elif meaning == "password" and last - first == 4:
        groups = pattern(IN_GROUPS, anchored=True)(data, first, min(len(data), first + 40))[1]
        last, how = (groups[1], "quoted") if groups[0] >= 0 else (last, how)
    how, meaning = _how(name, meaning, sign, group, how)
    if how == "code" and meaning == "password" and sign == b" = " and is_line(data, begin, last):
        how = "ini"
    if group == 3 and data[first : first + 1] == b"[" and (meaning in _CHOSEN or has_several(name)):
        return _listed(data, at, first, meaning)
    if _is_no_value(data[first:last], before, name, sign, group, how):
        return [], at
    return _weighed(data, at, first, last, meaning, how)


def _is_no_name(before: bytes, name: bytes, meaning: str, sign: bytes, group: int) -> bool:
    """Whether what looks like the name of a secret is something else there."""
    is_file = before == b"/" and sign[:1] in (b":", b" ", b">") and sign.find(b"value") < 0  # or a closing tag
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
    """Return how the value stands there, by its name and the sign between them, and what it means then."""
    if group == 4:
        is_variable = meaning == "password" and name.isupper() and name.find(b"_") > 0  # define("DB_PASSWORD", "...")
        return how if is_variable else "call", meaning
    if group >= 5 and how != "quoted":  # in that order: an element, a flag on a command line or ENV NAME ..., prose
        said = "said" if sign.strip(b" \t|") else "loose"
        is_given = name[:1] == b"-" or (meaning == "token" and said == "loose" and name.isupper() and b"_" in name)
        return "line" if _ELEMENT in sign and group == 5 else "env" if is_given else said, meaning
    if meaning in ("password", "passphrase", "secret", "app-secret") and name.isupper():
        return "ENV" if how == "env" else how, "passphrase" if meaning == "password" else meaning
    return how, meaning


def _is_no_value(value: bytes, before: bytes, name: bytes, sign: bytes, group: int, how: str) -> bool:
    """Whether what follows is something else: the next flag, a number after `pass`, <user>:<password>@host."""
    if (value[:2] == b"--" and group == 5) or (value[:1] == b"@" and sign[-1:] == b">"):
        return True
    if (
        group == 5 and value[:1] == b"(" and (value.find(b"/") > 0 or value.find(b":") > 0)
    ):  # at getToken (/app/a.js:1:2)
        return True
    if before == b"{" and sign == b":" and value[:1] in (b"?", b"+"):  # ${PASSWORD:?what a shell says without it}
        return True
    if is_receipt(name, value):
        return True
    if len(value) < 6 and value.isdigit() and how != "quoted" and name[:1].isupper():
        return not OF_CONSTANTS.isdisjoint(words_of(name))
    return (name[-3:].lower() == b"sid" and how != "env") or (name.lower() == b"pass" and value.isdigit())


def _listed(data: bytes, at: int, first: int, meaning: str) -> "tuple[list[Span], int]":
    """The secrets of a list that begins here, and where to go on."""
    spans: list[Span] = []
    here, stop = first, min(len(data), first + LOOK)
    while (item := pattern(_ITEM, anchored=True)(data, here, stop))[0][0] >= 0:
        here = item[0][1]
        if weigh(meaning, data[item[1][0] : item[1][1]], "said"):
            spans.append((*item[1], KINDS.get(meaning, meaning)))
    return spans, here if spans else at


def _weighed(data: bytes, at: int, first: int, last: int, meaning: str, how: str) -> "tuple[list[Span], int]":
    """The value, or what is quoted in it, if it is a secret; and where to go on."""
    value, is_long = data[first:last], last - first >= LOOK - 10 and how != "quoted"
    kind = KINDS.get(meaning, meaning)
    if weigh(meaning, value, how):
        if is_long:
            last = pattern(BARE, anchored=True)(data, first, len(data))[0][1]
        spans = [(first, last, kind)]
        if how == "quoted" and data[last + 1 : last + 3] == b" +":  # "..." + "..."
            first, end, how = value_at(data, last + 4, b"=", b"")
            if how == "quoted" and weigh(meaning, data[first:end], how):
                spans, last = [*spans, (first, end, kind)], end
        return spans, last
    inner = 1 if how == "quoted" else max(value.rfind(b'("'), value.rfind(b"('")) + 2  # Some("...")
    if inner > 1 and weigh("salt", value[inner:], "call"):
        return [(first + inner, last, kind)], last
    if value[-1:] == b"(" and data[last : last + 1] == b"\\":  # the same, with escapes
        first, last, how = value_at(data, last, b"=", b"")
        if how == "quoted" and weigh("salt", data[first:last], "call"):
            return [(first, last, kind)], last
    return [], last if is_long else at


def _after_user(data: bytes, at: int, user: bytes) -> "tuple[list[Span], int]":
    """The password that follows a user here, and where to go on."""
    first = max(at, pattern(user, anchored=True)(data, at, min(len(data), at + 80))[0][1])
    first, last, _ = value_at(data, first, b"=", b"")
    is_secret = not data.startswith(b"[secret:", first) and weigh("password", data[first:last], "said")
    return ([(first, last, "password")], last) if is_secret else ([], first)


def value_at(data: bytes, at: int, sign: bytes, name: bytes) -> tuple[int, int, str]:
    """Return the place of the value that begins here, and how it stands there (see `weigh`)."""
    size = len(data)
    if data[at : at + 1] in (b"f", b"b", b"r", b"u", b"N", b"@") and data[at + 1 : at + 2] in (b'"', b"'"):
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
        stop = line_end(data, first, min(size, first + 4096))
        last = data.find(closing, first, stop)
        while last > 0 and data[last - 1] == 92:  # an escaped quote
            last = data.find(closing, last + 1, stop)
        if last >= 0:
            return first, last, "quoted"
    if data[first : first + 3] in _TYPOGRAPHIC:
        first, sign = first + 3, data[first : first + 3]
    first, last = pattern(BARE, anchored=True)(data, first, min(size, first + LOOK))[0]
    if first < 0:
        return at, at, ""
    value = data[first:last] if data[last : last + 1] not in (b"<", b">") else _past_brackets(data, first, last)
    for cut in (b";", b",", b"&"):
        here = value.find(cut)
        if here >= 0 and not (cut == b"&" and name.isupper()):
            rest = value[here + 1 : here + 40]
            # Of JSON in one line: "token":7861,"key":...; and of a page: --token-key:#5686e6;--token-size:...
            is_cut = rest[:1] in (b'"', b"'") if cut == b"," else cut == b";" and rest[:2] == b"--"
            if not rest or is_cut or _is_next(rest, b"=") or (cut == b"," and _is_next(rest, b":")):
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


def _past_brackets(data: bytes, first: int, last: int) -> bytes:
    """The value that seems to end at a bracket, with what follows it if all that looks drawn, and not like markup."""
    whole = data[first : first + LOOK].translate(_BREAKS).partition(b" ")[0].rstrip(b"<>")
    is_markup = whole.find(b">", whole.find(b"<")) > 0 or any(whole.find(sign) >= 0 for sign in _MARKUP)
    return whole if not is_markup and is_random(whole.translate(None, _NO_LETTERS)) else data[first:last]


def _is_next(text: bytes, sign: bytes) -> bool:
    """Whether another name and its value follow, and not the rest of a password that has such a sign."""
    name, found, _ = text.partition(sign)
    name = name.strip(b"\"'\\")
    return bool(found) and name[:1] not in _DIGITS and not name.translate(None, _NAME_BYTES)


def line_end(data: bytes, start: int, stop: int) -> int:
    for end in (b"\n", BOUNDARY):
        here = data.find(end, start, stop)
        stop = stop if here < 0 else here
    return stop


def _authorization(data: bytes, name: bytes, at: int) -> "tuple[list[Span], int]":
    if 40 in data[at - 1 : at + 1]:  # auth=("user", "password"), Auth("user", "password")
        both = pattern(_ARGUMENTS, anchored=True)(data, at, min(len(data), at + 128))[0]
        if both[0] >= 0:
            first, last, how = value_at(data, both[1], b"=", name)
            is_secret = how == "quoted" and weigh("password", data[first:last], how)
            return ([(first, last, "password")], last) if is_secret else ([], at)
    near = data[at : at + 40].lower()
    is_signed = near.find(b"digest") >= 0 or near.find(b"aws4-") >= 0
    if is_signed and pattern(_SIGNED, anchored=True)(data, at, min(len(data), at + 40))[0][0] >= 0:
        signature = pattern(_SIGNATURE)(data, at, line_end(data, at, min(len(data), at + 2 * LOOK)))[1]
        return ([(*signature, "authorization")], signature[1]) if signature[0] >= 0 else ([], at)
    _, scheme, (first, last) = pattern(_AUTH, anchored=True)(data, at, min(len(data), at + 2 * LOOK))
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
    return [], last if len(value) > LOOK else at


def _cookies(data: bytes, at: int) -> "tuple[list[Span], int]":
    spans: list[Span] = []
    stop = line_end(data, at, min(len(data), at + 8192))
    for end in (b'"', b"'", b"\\"):  # the last one begins an escape: no cookie has it
        here = data.find(end, at + 1, stop)
        stop = stop if here < 0 else here
    while stop < len(data) and data[stop] & 0xC0 == 0x80:  # not within a character
        stop -= 1
    for pair in data[at:stop].split(b";"):
        name, _, value = pair.partition(b"=")
        meaning = meaning_under(name.strip(b" \t\"'"))
        if weigh("token" if meaning in ("session", "token", "secret") else "cookie", value, "said"):
            spans.append((at + len(name) + 1, at + len(pair), "cookie"))
        at += len(pair) + 1
    return spans, stop
