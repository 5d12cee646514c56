"""Secrets that are wrapped: in base64, in cells of tables that are drawn or HTML, in sentences, and two makers' tokens.

Two halves of about a hundred lines each, with other templates and other values. The first was used while the patterns
were made: before them 29 of its 107 lines were found, after them 106. The second was looked at once, when they were
done: 102 of 107 on first sight (base64 32 of 32, drawn tables 16 of 16, HTML 17 of 18, sentences 19 of 21, makers 18 of
20). Then it was used for repairs, so from now on both keep what works from breaking. Everything is drawn from a seed,
and known prefixes are put together from pieces, so that no scanner takes this file for a leak.
"""

import base64
import json
import textwrap
from collections.abc import Callable
from random import Random
from string import ascii_letters, ascii_lowercase, digits

from redact.secret_lines import Leak

ALNUM = ascii_letters + digits
HEX = "0123456789abcdef"


def pick(r: Random, alphabet: str, count: int) -> str:
    return "".join(r.choices(alphabet, k=count))


def token(r: Random) -> str:
    made: list[Callable[[], str]] = [
        lambda: "gh" + "p_" + pick(r, ALNUM, 36),
        lambda: "gl" + "pat-" + pick(r, ALNUM, 20),
        lambda: "sk-" + "ant-api03-" + pick(r, ALNUM, 60),
        lambda: "xo" + "xb-" + pick(r, digits, 12) + "-" + pick(r, ALNUM, 24),
        lambda: "AK" + "IA" + pick(r, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
        lambda: "np" + "m_" + pick(r, ALNUM, 36),
    ]
    return r.choice(made)()


_WORDS = [
    "Copper", "Lantern", "Meadow", "Falcon", "Harbour", "Velvet", "Thunder", "Pepper", "Saffron", "Glacier", "Orchid", "Bramble", "Cinder", "Walnut",
]  # fmt: skip


def password(r: Random) -> str:
    word, other = r.choice(_WORDS), r.choice(_WORDS)
    return r.choice(
        [
            f"{word}{r.randint(10, 9999)}!",
            f"{word.lower()}-{r.randint(100, 999)}-{other.lower()}",
            pick(r, ALNUM, 14),
            f"{word[:3]}#{pick(r, ALNUM, 8)}",
            f"{other}{r.randint(1900, 2030)}",
        ]
    )


def odd_password(r: Random) -> str:
    """One that has no digit, or signs where one does not expect them, or letters beyond ASCII."""
    word, other = r.choice(_WORDS), r.choice(_WORDS)
    sign, more = r.choice("!@#$%&*+=?~^"), r.choice("!@#$%&*+~^")
    return r.choice(
        [
            f"{word}{sign}{other}",
            f"{sign}{word}{more}{other}",
            f"{word.lower()}{more}{other.lower()}{sign}{r.choice(_WORDS).lower()}",
            f"{word[0]}@{word[1:]}${other}",
            f"Zür{word}#{other}ß",
            f"{word}_{other}{more}",
            f"{word}{sign * 2}{other.lower()}",
            f"({word}){more}{other}",
            f"{word}:{r.randint(10, 99)}/{other}",
            f"{more}{r.randint(10, 99)}{word.lower()}{sign}",
            f"{word};{r.randint(10, 99)},{other.lower()}",
            f"{word.lower()}<{r.randint(1, 9)}{other}>{sign}{r.randint(1, 9)}",
        ]
    )


# ---- base64


def env_block(r: Random) -> str:
    lines = [f"PORT={r.randint(1000, 9999)}", f"HOST={r.choice(_WORDS).lower()}.internal", "DEBUG=false"]
    lines += [f"DB_PASSWORD={password(r)}", f"API_TOKEN={token(r)}"]
    r.shuffle(lines)
    return "\n".join(lines) + "\n"


def encoded(text: str, *, is_url_safe: bool = False, width: int = 0, times: int = 1) -> str:
    for _ in range(times):
        data = text.encode()
        text = (base64.urlsafe_b64encode(data).rstrip(b"=") if is_url_safe else base64.b64encode(data)).decode()
    return "\n".join(textwrap.wrap(text, width)) if width else text


_PLACES = (
    (
        "echo {v} | base64 -d",
        "  .env: {v}",
        '{{"content": "{v}", "encoding": "base64", "size": 214}}',
        "CONFIG_B64={v}",
        "data:text/plain;base64,{v}",
        "curl https://api.example.com/x?state={v}",
        "{v}",
        "b64decode('{v}')",
    ),
    (
        "printf %s '{v}' | base64 --decode > .env",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  settings: {v}\n",
        '  "user_data": "{v}",',
        "<config encoding='base64'>{v}</config>",
        "init script: {v} (decoded at start)",
        "payload={v}&sign=0",
        "DEBUG sent body {v}",
        "Buffer.from(`{v}`, 'base64')",
    ),
)


def in_base64(half: int, r: Random) -> list[Leak]:
    """Tokens and env blocks in base64, once or twice, also in lines as `base64` prints them."""
    leaks = []
    for number in range(32):
        inner = (
            token(r),
            env_block(r),
            json.dumps({"user": "bob", "password": password(r)}),
            f"export DB_PASSWORD={password(r)}\nexport PORT=80\n",
            f"https://bob:{pick(r, ALNUM, 12)}@db.example.com/shop",
        )[number % 5]
        value = encoded(inner, is_url_safe=number % 7 == 3, times=2 if number % 9 == 4 else 1)
        if number % 8 == 6:
            value = encoded(env_block(r), width=76 if half else 64)
        place = _PLACES[half][number % 8] if "\n" not in value else ("$ base64 .env\n{v}\n$ ", "{v}\n")[half]
        leaks.append(Leak(True, place.format(v=value), value))
    return leaks


# ---- tables


def _boxed(rows: list[list[str]], bars: str, rule: str) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [bars[n > 0] + bars[n > 0].join(f" {c:<{w}} " for c, w in zip(row, widths, strict=True)) + bars[n > 0] for n, row in enumerate(rows)]  # fmt: skip
    across = [rule[1] * (w + 2) for w in widths]
    lines.insert(1, rule[0] + rule[2].join(across) + rule[3])
    return "\n".join([rule[4] + rule[5].join(across) + rule[6], *lines, rule[7] + rule[8].join(across) + rule[9]])


_STYLES = (
    (("││", "├─┼┤┌┬┐└┴┘"), ("┃│", "┡━╇┩┏┳┓└┴┘")),
    (("║║", "╠═╬╣╔╦╗╚╩╝"), ("┃┃", "┣━╋┫┏┳┓┗┻┛"), ("┃│", "┡━╇┩┏┳┓└┴┘"), ("││", "╞═╪╡╒╤╕╘╧╛")),
)


def in_boxes(half: int, r: Random) -> list[Leak]:
    """Cells of tables whose borders are drawn: with the names above them, or beside them."""
    leaks = []
    for number in range(16):
        bars, rule = _STYLES[half][number % len(_STYLES[half])]
        value, secret = password(r), ("password", "Password", "DB password", "api_key")[number % 4]
        value = token(r) if secret == "api_key" else value
        if number % 2:
            rows = [["user", secret, "role"], ["amy", value, "admin"], ["bob", password(r), "staff"]]
        else:
            rows = [["name", "value"], ["host", "db.example.com"], [secret, value], ["port", "5432"]]
        leaks.append(Leak(True, _boxed(rows, bars, rule), value))
    return leaks


_CELLS = (
    (
        "<tr><td>password</td><td>{v}</td></tr>",
        '<tr>\n  <td class="k">Password</td>\n  <td class="v">{v}</td>\n</tr>',
        "<tr><th>DB password</th><td>{v}</td></tr>",
        '<th scope="row">password:</th><td><code>{v}</code></td>',
        "<table><tr><th>User</th><th>Password</th></tr><tr><td>bob</td><td>{v}</td></tr></table>",
        "<dt>Password</dt><dd>{v}</dd>",
    ),
    (
        '<td align="left"><b>Password</b></td><td align="right">{v}</td>',
        "<TR><TD>Staging password</TD><TD>{v}</TD></TR>",
        '<tr><td>user</td><td>bob</td></tr>\n<tr><td>password</td>\n<td style="color:red">{v}</td></tr>',
        "<thead><tr><th>Host</th><th>User</th><th>Password</th></tr></thead>\n"
        "<tbody><tr><td>db1</td><td>amy</td><td>{v}</td></tr></tbody>",
        "<td>API key&nbsp;</td><td><span>{v}</span></td>",
        '"<td>password<\\/td><td>{v}<\\/td>"',
    ),
)


def in_html(half: int, r: Random) -> list[Leak]:
    """Cells of HTML tables."""
    templates = _CELLS[half] * 3
    return [Leak(True, template.format(v=value), value) for template in templates if (value := password(r))]


# ---- sentences


_SAYINGS = (
    (
        "the staging password is {v}",
        "FYI: the staging password is {v}, please don't share it",
        "The password for the staging box is {v}.",
        "use bob on staging, the password is: {v}",
        'The staging password is "{v}".',
        "staging password = {v}",
        "my password is {v} now",
    ),
    (
        "Our prod password was {v} until Monday.",
        "so the new staging password is {v} ok?",
        "hey, the wifi password is `{v}`",
        "The root password is still {v}",
        "password of the demo account is {v}; it never changes",
        "the database password has been changed to {v} today",
        "(the admin password is {v})",
    ),
)


def in_prose(half: int, r: Random) -> list[Leak]:
    """Sentences that tell a password with odd signs."""
    sayings = _SAYINGS[half] * 3
    return [Leak(False, saying.format(v=value), value) for saying in sayings if (value := odd_password(r))]


# ---- makers


_LINES = (
    ("{v}", "export WANDB={v}", "wandb: using {v} from netrc", '"{v}",', "key {v} was rejected"),
    ("new Client('{v}')", "  - {v}", "Sent with {v}.", "x-key: {v}", "{v} # ours"),
)


def of_makers(half: int, r: Random) -> list[Leak]:
    """Tokens of Weights & Biases and of Resend, also those that happen to have few digits or capitals."""
    lines = _LINES[half]
    leaks = []
    for number in range(10):
        value = "wan" + "db_v1_" + pick(r, ALNUM, 22) + "_" + pick(r, ALNUM, 54)
        value = "wan" + "db_v1_" + pick(r, ALNUM, 77) if number % 3 == 2 else value
        leaks.append(Leak(True, lines[number % 5].format(v=value), value))
        alphabet = (ALNUM, ascii_lowercase + digits, ascii_letters)[number % 3]
        value = "r" + "e_" + pick(r, ALNUM, 8) + "_" + pick(r, alphabet, 24)
        leaks.append(Leak(True, lines[number % 5].format(v=value), value))
    return leaks


KINDS = (in_base64, in_boxes, in_html, in_prose, of_makers)


def leaks(half: int) -> list[Leak]:
    """A half of the list: 0 is the one that was used for building."""
    r = Random(20_401 + half)
    return [leak for kind in KINDS for leak in kind(half, r)]
