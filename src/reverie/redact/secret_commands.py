"""Bytes in, places of secrets out that only their place on a command line gives away: `mysql -p...`.

Where the value begins, `secret_names.py` sees where it ends and whether it is one. "Password" in other languages is
looked for here, too: in the same pass.
"""

from reverie.redact.secret_names import KINDS, LOOK, announced, line_end, meaning_under, value_at
from reverie.redact.secret_patterns import BARE, ELSEWHERE, HEAD_ELSEWHERE, IN_GROUPS
from reverie.redact.secret_search import BOUNDARY, is_compiled, pattern
from reverie.redact.secret_values import ALL_BYTES, ALPHANUMERIC, is_stand_in, to_spaces, weigh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from reverie.redact.secret_search import Span

# Where a password stands by position on a command line: the command, then what leads to the value.
# They are two patterns, because one such as `curl.*-u` would look through the rest of a long line at each `curl`.
COMMANDS = {
    b"mysql": rb"[ \t]-p()[^\s]",
    b"mariadb": rb"[ \t]-p()[^\s]",
    b"sshpass": rb"-p[ \t]*()[^\s]",
    b"login(": rb"\A[ \t]*\\*[\"'][^\"'\n]*[\"'][ \t]*,[ \t]*()\\*[\"']",
    b"login": rb"(?:[ \t]-p[ \t=]+()[^\s]|\A[ \t]+()[A-Za-z0-9]{20}"  # the second is a token, the third a sentence
    rb"|\A[ \t]+(?:with|as|using|is)[ \t]+[\w.@-]+(?:[ \t]*/[ \t]*|:)()[^\s])",
    b"put-parameter": rb"[ \t]--value[ \t=]+()[^\s]",
    b"mongo": rb"[ \t]-p[ \t=]+()[^\s]",
    b"redis-cli": rb"-a[ \t]+()[^\s]",
    b"ldap": rb"[ \t]-w[ \t]+()[^\s]",
    b"7z": rb"[ \t]-p()[^\s]",
    b"zip ": rb"-[a-zA-Z]*P[ \t]+()[^\s]",
    b"http ": rb"-(?:a|-auth)[ \t=]+[\"'\\]*[^\s:\"'/]+:()[^\s]",
    b"https ": rb"-(?:a|-auth)[ \t=]+[\"'\\]*[^\s:\"'/]+:()[^\s]",
    b"curl": rb"[ \t](?:-[a-zA-Z]*u|--user|--proxy-user|-U)[ \t=]*[\"'\\]*[^\s:\"'/]*[\"']?:()[^\s]",
    b"sqlcmd": rb"-P[ \t]*()[^\s]",
    b"smbclient": rb"-U[ \t]*[\"']?[^\s%]+%()[^\s]",
    b"htpasswd": rb"-[a-zA-Z]*b[a-zA-Z]*[ \t]+(?:[^\s]+[ \t]+)?[^\s]+[ \t]+()[^\s]",
    b"ssh-keygen": rb"[ \t]-[NP][ \t]*()[^\s]",
    b"openssl": rb"(?:[ \t\"']pass:|[ \t]-[kK][ \t]+)()[^\s]",
    b"mosquitto_": rb"[ \t]-P[ \t]+()[^\s]",
    b"keytool": rb"-(?:store|key|deststore|srcstore|new)pass[ \t]+()[^\s]",
    b"net use ": rb"[ \t]/user:[^\s]+[ \t]+()[^\s/]",
    b"secret set": rb"[ \t](?:--value|--body|-b)[ \t=]+()[^\s]",
    b"rar ": rb"[ \t]-h?p()[^\s]",
    b"unrar ": rb"[ \t]-p()[^\s]",
    b" -u ": rb"[ \t]-[pPw][ \t]+()[^\s]",
    b"net user": rb"[ \t]+[^\s/]+[ \t]+()[^\s/][^\s]*[ \t]+/",
    b"lftp": rb"[ \t]-u[ \t]*[\"']?[^\s,\"']+,()[^\s]",
    b"rclone": rb"[ \t]pass[ \t=]+()[^\s]",
}
# The same, but what leads to the value must stand directly after the word.
_MARGIN = rb"(?:[\s+]|\\n|[0-9]+(?:\xe2\x86\x92|\t))+"  # white space, and what marks a line that is shown
DIRECTIVES = {
    b"--pass": rb"(?:word|wd|phrase)?(?:[ \t]+()[^\s-]|[\"'],[^()\n\xff]*default=()[\"'])",
    b"requirepass": rb"[ \t]+()[^\s]",
    b"wandb login": rb"(?:[ \t]+--relogin)?[ \t]+()[0-9a-f]",
    b"masterauth": rb"[ \t]+()[^\s]",
    b"bindpw": rb"[ \t]+()[^\s]",
    b"rootpw": rb"[ \t]+(?:--plaintext[ \t]+)?()[^\s-]",
    b"setx ": rb"[A-Z0-9_]*(?:PASSWORD|PASSWD|PASS|PWD|SECRET)[ \t]+()[^\s]",
    b"env ": rb"[A-Z0-9_]*(?:PASSWORD|PASSWD|PASS|PWD|SECRET)[ \t]+()[^\s=]",
    b"securestring": rb"[ \t]+(?:-string[ \t]+)?()[^\s$-]",
    b"connect(": rb"[^,()\n\xff]+,[ \t]*[^,()\n\xff]+,[ \t]*()\\*[\"']",
    b"getconnection(": rb"[^,()\n\xff]+,[ \t]*[^,()\n\xff]+,[ \t]*()\\*[\"']",
    b"pdo(": rb"[^,()\n\xff]+,[ \t]*[^,()\n\xff]+,[ \t]*()\\*[\"']",
    b"sqlplus ": rb"[\w.$#]+/()[^\s@]",
    b"expdp ": rb"[\w.$#]+/()[^\s@]",
    b"impdp ": rb"[\w.$#]+/()[^\s@]",
    b":thin:": rb"[\w.$#]+/()[^\s@]",
    b" /p:": rb"()[^\s]",
    b"add_user ": rb"[^\s]+[ \t]+()[^\s]",
    b"change_password ": rb"[^\s]+[ \t]+()[^\s]",
    b"wpa_passphrase ": rb"[^\s=]+[ \t]+()[^\s]",
    b" put ": rb"(?:[\w/.-]*(?:pass|secret|token|key)[\w.-]*[ \t]+()[^\s=<]|[\w.-]+[ \t]*<<<[ \t]*()[^\s])",
    b"--user": rb"[ \t=]+[\"']?[\w.@-]+:()[^\s]",
    b"client(": rb"[ \t]*(?:\\*[\"'][^\"'\n\xff]*[\"'][ \t]*,[ \t]*)?()\\*[\"']",
    b"snyk auth ": rb"()[0-9a-f]",
    b"phrase": rb"[\"']?(?:[ \t]*[:=]|[ \t]+is)[ \t]*:?[ \t]*[\"']?((?:[a-z]{3,8}[ \t]+){11}(?:[a-z]+[ \t]+)*[a-z]+)",
    b"app pass": rb"word[\"']?(?:[ \t]*[:=]|[ \t]+is)[ \t]*:?[ \t]*[\"']?" + IN_GROUPS,
    b"--from-literal": rb"[ \t=]+[\"']?[\w.-]+=()[^\s]",
    b"credentials are ": rb"[\"'`]?[\w.@+-]+[\"'`]?[ \t]+and[ \t]+()[^\s]",
    b"shown again": rb"[^\w\xff]*()[\w-]",
    b"see it again": rb"[^\w\xff]*()[\w-]",
    b"appid=": rb"()[0-9a-f]{32}",
    b"variable ": rb"\\*\"([\w-]+)\\*\"\s*\{[^{}]*?default\s*=\s*()\\*\"",
    b"machine ": rb"[\w.:-]+_login_[^\s\\]+_(?:account_[^\s\\]+_)?password_()[^\s]".replace(b"_", _MARGIN),
    b"alias set ": rb"[^\s=]+[ \t]+[^\s]+://[^\s]+[ \t]+[^\s]+[ \t]+()[^\s]",
    b"user-secrets": rb"(?i)[ \t]+set[ \t]+[\\\"']*[\w:.-]*(?:pass|pwd|secret|token|key)[\w:.-]*[\\\"']*[ \t]+()[^\s-]",
    b"stats auth ": rb"[^\s:]+:()[^\s]",
    b"password 0 ": rb"()[^\s]",
    b"password 7 ": rb"()[0-9A-F]",
    b"jwt.": rb"(?:sign|verify|decode|encode)\((?:[ \t]*\{[^{}\n\xff]*\}|[^,(){}\n\xff]+),[ \t]*()\\*[\"']",
    b"hmac.new(": rb"[ \t]*b?()\\*[\"']",
    b"hmac(": rb"[ \t]*\\*[\"'][\w-]+\\*[\"'][ \t]*,[ \t]*()\\*[\"']",
    b"credential(": rb"[ \t]*\\*[\"'][^\"'\n\xff]*[\"'][ \t]*,[ \t]*()\\*[\"']",
    b"credentials(": rb"[ \t]*\\*[\"'][^\"'\n\xff]*[\"'][ \t]*,[ \t]*()\\*[\"']",
    b"fill in ": rb"(?i)\\*[\"'](?:\w+[ _-])*pass(?:word|phrase|code)?\\*[\"'][ \t]+with[ \t]+()\\*[\"']",
    b"password generated": rb"(?:[ \t]+for[ \t]+[\w.@'-]+)?:[ \t]*()[^\s]",
    b"password is generated": rb"(?:[ \t]+for[ \t]+[\w.@'-]+)?:[ \t]*()[^\s]",
    b"password should be": rb":?[ \t]+()[^\s]",
    b"password:</": rb"\w+>[ \t]*()[^\s<]",
    b"to installation:": rb"\s*()[0-9a-f]",
    b"form-data; name=": rb"\\*\"([\w.-]+)\\*\"\s+()[^\s]",
    b"new value:": rb"[ \t]*()[^\s]",
    b"log in with ": rb"[\w.@-]+(?:[ \t]*/[ \t]*|:)()[^\s]",
}  # fmt: skip
# What reads a password from a pipe, and what must follow the word: the value is the last word before the bar.
READERS = {
    b"sudo -": rb"(?:[A-Za-z]+[ \t]+-)*[A-Za-z]*S(?:\s|$)",
    b" su -": b"",
    b"-stdin": b"",
    b"chpasswd": b"",
    b"--with-token": b"",
}
# Where a database is, in the addresses of Go. The password stands before it: user:password@tcp(host:3306)/name.
HOSTS = (b"@tcp(", b"@unix(", b"@cloudsql(")

_NOT_QUOTES = ALL_BYTES.translate(None, b"\"'")
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
    b"bindpw",
    b"rootpw",
    b"lftp",
    b"alias set ",
    b"stats auth ",
)
_SEVERAL_LINES = (
    b"machine ",
    b"variable ",
    b"shown again",
    b"see it again",
    b"to installation:",
    b"form-data; name=",
)
_TOKENS = (b"shown again", b"see it again", b"appid=")
_SENTENCES = (  # a full stop is no part of the value
    b"credentials are ",
    b"login",
    b"shown again",
    b"see it again",
    b"password generated",
    b"password is generated",
    b"password should be",
    b"new value:",
    b"log in with ",
)
_CALLS = (b"jwt.", b"hmac.new(", b"hmac(", b"credential(", b"credentials(")  # what they take need not be a secret
_DOUBTFUL = frozenset(
    (
        b"connect(",
        b"getconnection(",
        b"pdo(",
        b" -u ",
        b"--user",
        b" /p:",
        b" put ",
        b"rar ",
        b"credentials are ",
        b"password 0 ",
        b"password 7 ",
        b"password should be",
        b"password:</",
        b"to installation:",
        b"log in with ",
    )
)
_ORACLE = (b"sqlplus ", b"expdp ", b"impdp ", b":thin:")
# White space as JSON writes it, and a line break that a backslash before it takes back. Then what escapes an escape.
_WHITE = (b"\\n", b"\\r", b"\\t", b"\\\n", b"\\\r\n", b"\\ ", b"\\ ", b"\\ ")
_RARELY_WHITE = (b"\\u000a", b"\\u000A", b"\\u000d", b"\\u000D", b"\\u0009")
_JOINTS = [  # of a list: ["sshpass", "-p", "..."]; first those that are escaped more
    escape + quote + between + escape + quote
    for escape in (b"\\\\\\", b"\\", b"")
    for quote in (b'"', b"'")
    for between in (b", ", b",")
]
_NAME = to_spaces(ALPHANUMERIC + b"_-")
_ADDRESS = bytes.maketrans(b"\t\r\n\"'`<>/\\\xff", b" " * 11)
_LEAD = 100  # bytes; what leads to a value is mostly shorter
_COMMANDS = frozenset((*COMMANDS, *DIRECTIVES, *READERS, *HOSTS))


def _any_of(words: list[bytes]) -> bytes:
    """A pattern for one of these words in lower case, which is its first or second group.

    The automaton is built anew in each process, and takes half as long where a word that starts with a letter may only
    stand where none, or an escape, is before it. Some are written in one with others: Benutzerkennwort, passphrase.
    In lower case, and with words of one beginning side by side (`login(` before `login`), it takes a quarter less.
    """
    free: list[bytes] = []
    bound: list[bytes] = []
    for word in sorted(words, reverse=True):
        (bound if word[:1].isalpha() and word not in _FREE else free).append(
            word.replace(b"(", rb"\(").replace(b".", rb"\.")
        )
    before = rb"(?:^|[^a-z]|\\[nrtbfv]|\\u00[0-9a-f]{2})("
    return before + b"|".join(bound) + rb")|(" + b"|".join(free) + rb")"


_FREE = frozenset(
    (
        b"zip ",
        *b"client( connect( credential( credentials( hmac( hmac.new( phrase".split(),
        *b"passwort kennwort wachtwoord kodeord adgangskode salasana".split(),
    )
)
# "Password" in other languages is looked for in the same pass; most texts have no word of either kind.
_PLAIN_WORD = _any_of([*_COMMANDS, *[word for word in ELSEWHERE if word.isascii()]])
_ANY_WORD = _any_of([*_COMMANDS, *ELSEWHERE])


def commands(data: bytes) -> "list[Span]":
    """Find passwords that a command takes, and those that are named in another language."""
    any_word = _PLAIN_WORD if data.isascii() else _ANY_WORD
    lower = data.lower()
    if len(data) < 4096 and not is_compiled(any_word) and not _has_word(lower):
        return []
    spans: list[Span] = []
    search, at = pattern(any_word), 0
    barren: dict[bytes, int] = {}  # up to where a command is known to have no such flag
    while True:
        _, bound, free = search(lower, max(0, at - 1), len(lower))  # from the end of a word, which may begin the next
        start, at = max(bound, free)
        if start < 0:
            return spans
        command = lower[start:at]
        if command not in _COMMANDS:
            found, at = _in_another_language(data, start, at)
        elif command in READERS:
            found = _piped(data, max(spans[-1][1] if spans else 0, start - 400), start, at, command)
        elif command in HOSTS:
            found = _before_host(data, max(spans[-1][1] if spans else 0, start - 200), start)
        elif command in (b"phrase", b"app pass"):  # the words that open a wallet, the letters that open a mailbox
            words = pattern(DIRECTIVES[command], anchored=True)(data, at, min(len(data), at + 400))[1]
            found, at = ([(*words, "password")], words[1]) if words[0] >= 0 else ([], at)
        else:
            found, at = _flagged(data, at, command, barren)
        spans += found


_few = 20  # short texts, in which it costs less to find each word than to compile a pattern; a hook has two


def _has_word(lower: bytes) -> bool:
    """Whether there is a word to look at. After a few texts the pattern will tell, and pays."""
    global _few
    _few -= 1
    return _few < 0 or any(lower.find(word) >= 0 for word in (*_COMMANDS, *ELSEWHERE))


def _in_another_language(data: bytes, start: int, at: int) -> "tuple[list[Span], int]":
    found = pattern(HEAD_ELSEWHERE, anchored=True)(data, start, min(len(data), start + LOOK))
    return announced(data, found) if found[0][0] >= 0 else ([], at)


def _flagged(data: bytes, at: int, command: bytes, barren: dict[bytes, int]) -> "tuple[list[Span], int]":
    """The passwords to which the flags of a command lead that ends here, and where to go on."""
    # Places are counted from `base`, in a copy: of the whole text it would take longer than all else.
    spans: list[Span] = []
    known = barren.get(command, 0)
    base = max(at, known - _LEAD)
    near, limit = spaced(data[base : at + 800 + _LEAD]), min(len(data), at + 800) - base
    if command[-1:] != b"(" and near.find(b",") >= 0:
        for joint in _JOINTS:
            near = near.replace(joint, b" " * len(joint))
    end = limit if command in _SEVERAL_LINES else line_end(near, max(at, known) - base, limit)
    if base + end <= known:
        return [], at
    leads, directly = COMMANDS.get(command, b""), command in DIRECTIVES
    flag = pattern(leads or DIRECTIVES[command], anchored=directly)(near, 0, end)
    if flag[0][0] < 0 and not directly:
        barren[command] = base + end
    while flag[0][0] >= 0:
        if leads and end == limit and flag[0][1] > end - _LEAD:  # with more text, the lead may be seen to be longer
            flag = pattern(leads)(near, flag[0][0], line_end(near, end, len(near)))
        first, at, kind = _given(data, base + flag[0][0], base + max(flag[1:])[0], command)
        if kind:
            spans.append((first, at, kind))
        if directly or at >= base + end:
            break
        flag = pattern(leads)(near, at - base, end)
    return spans, at


def spaced(data: bytes) -> bytes:
    """The data with every byte in its place, but with spaces for escaped white space: in JSON that nobody parsed, a tab
    before a flag is a backslash and a letter."""
    if data.find(b"\\") >= 0:
        for escape in _WHITE if data.find(b"\\u00") < 0 else _RARELY_WHITE + _WHITE:
            data = data.replace(escape, b" " * len(escape))
    return data


def _given(data: bytes, lead: int, at: int, command: bytes) -> tuple[int, int, str]:
    """Return the place of the value to which a flag leads, and its kind; "" if it is no secret."""
    quote = data[lead:at].translate(None, _NOT_QUOTES)[-1:]
    sign = b":" if command in _SENTENCES and data.find(b"-p", lead, at) < 0 else b"="
    if quote and data.count(quote, lead, at) == 1 and data[at : at + 1] != quote:  # -u 'user:a password'
        stop = data.find(quote, at, line_end(data, at, min(len(data), at + 400)))
        first, last, how = (at, stop, "quoted") if stop >= 0 else value_at(data, at, sign, b"")
    else:
        first, last, how = value_at(data, at, sign, b"")
    if how != "quoted" and last - first >= LOOK - 10:
        last = pattern(BARE, anchored=True)(data, first, len(data))[0][1]
    value = data[first : min(last, first + LOOK)]
    user = data[lead:first].rstrip(b"\"':").rpartition(b" ")[2].strip(b"\"'")
    if data.endswith(b"[secret:", 0, first) or value == user:
        return first, max(last, at), ""
    if command in _ORACLE and value.find(b"@") > 0:
        last, value = data.find(b"@", first), value.partition(b"@")[0]
    if command == b" -u " and (value.isdigit() or data.rfind(b"mysql", max(0, lead - 80), lead) >= 0):
        return first, at, ""  # a port; and the -p of mysql asks, a database follows
    if command in _TOKENS:
        return first, max(last, at), "token" if len(value) >= 20 and weigh("token", value, "said") else ""
    if command in (b"variable ", b"form-data; name="):
        meaning = meaning_under(data[lead:at].lstrip(b'\\"').translate(_NAME).partition(b" ")[0])
        is_secret = meaning != "" and weigh(meaning, value, how)
        return first, max(last, at), KINDS.get(meaning, meaning) if is_secret else ""
    return first, max(last, at), "password" if _is_password(data, lead, at, command, value, how) else ""


def _is_password(data: bytes, lead: int, at: int, command: bytes, value: bytes, how: str) -> bool:
    if command == b"--from-literal":  # of a secret, or of a plain map
        is_secret = data.rfind(b"secret", max(0, lead - 200), lead) >= 0 and not value.isdigit()
        return is_secret and weigh("secret", value, "env")
    is_pair = command == b"login" and data.find(b"-p", lead, at) < 0
    is_pair = is_pair and (data.find(b"/", lead, at) > 0 or data[at - 1] == 58)  # bob / ..., bob:...
    if command == b"put-parameter":  # of this type, or plain
        line = data[max(0, lead - 200) : line_end(data, at, min(len(data), at + 200))]
        return line.find(b"SecureString") >= 0 and weigh("passphrase", value, "env")
    if command == b" put " and data.find(b"<<<", lead, at) > 0:
        return weigh("password", value, "env")
    if command == b"new value:" and data.rfind(b"assword", max(0, lead - 160), lead) < 0:
        return False
    if command in _DOUBTFUL or is_pair:
        return weigh("password", value, "said")
    if command in _CALLS:
        return weigh("password", value, "said") or (len(value) >= 12 and weigh("token", value, "quoted"))
    if command == b"client(" and value[:2] == b"AC" and len(value) == 34:  # an account of Twilio
        return False
    if command == b"client(" or (command == b"login" and data.find(b"-p", lead, at) < 0):  # mostly something else
        return len(value) >= 20 and value.isalnum() and weigh("salt", value, "env")
    if command == b"secret set" and value.count(b";") >= 2 and value.count(b"=") >= 3:
        return False  # host=db;password=...: only a part is secret, which its name will show
    # Where nothing but a password can stand, nearly anything is one.
    is_clear = len(value) >= 3 and (command in _CLEAR or (how == "quoted" and command not in (b"login(", b"--pass")))
    return (is_clear and not is_stand_in(value)) or weigh("password", value, how)


def _before_host(data: bytes, first: int, stop: int) -> "list[Span]":
    """The password of an address in which the name of the host follows at `stop`; nothing before `first` is a part."""
    user, _, value = data[first:stop].translate(_ADDRESS).rpartition(b" ")[2].partition(b":")
    if len(value) < 3 or value == user or is_stand_in(value) or value.endswith(b"]"):
        return []
    return [(stop - len(value), stop, "url-password")]


def _piped(data: bytes, first: int, stop: int, at: int, command: bytes) -> "list[Span]":
    """Find passwords that `echo` or `printf`, at `first` or later, hand to the command from `stop` to `at`."""
    is_other = command == b"-stdin" and data.find(b"pass", max(0, stop - 12), stop) < 0  # not a password
    if is_other or pattern(READERS[command], anchored=True)(data, at, min(len(data), at + 80))[0][0] < 0:
        return []
    line = spaced(data[first:stop])
    first += max(line.rfind(b"\n"), line.rfind(BOUNDARY)) + 1
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
