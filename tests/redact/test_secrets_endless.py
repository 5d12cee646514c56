"""No text keeps the redactor busy for ever: the lines of its code that run are counted, and are few for each byte.

The count is the interpreter's, so the result does not depend on the machine. A loop that would never end fails here
after a bounded number of lines. What RE2 does inside one call is not counted: the test with twice the text is about that.
"""

import random
from collections.abc import Callable
from typing import Any

import pytest

from reverie.redact import secrets
from reverie.redact.secrets import redact, redact_json
from support.every import every
from support.lines import TooManyLines, at_most

# A hit takes up to 90 lines, the densest are three bytes apart, and a small text is read up to five times.
LINES_FOR_A_BYTE = 150
LINES_AT_LEAST = 20_000


PIECES = (
    "curl ", "curl -u ", "-u", "bob:", "export ", "mysql ", "-p", "sshpass", "login(", "openssl ", "pass:", "--pass", "echo ", "|", " sudo -S",
    "--password-stdin", "machine ", " login a password ", "password", "password=", "token: ", "key", "key->", "=", ":", ": ", "=>", "\\", "\\\n",
    "\n", "\r\n", "\\n", '"', "'", "`", '"""', "'''", " ", "\t", "(", ")", "[", "]", "{", "}", ",", ";", "&", "<", ">", "[secret:", "[secret:key]",
    "-----BEGIN RSA PRIV" "ATE KEY-----", "-----END RSA PRIV" "ATE KEY-----", "BEGIN ", "-----", "Private-Lines: 3", "QUJDREVGR0hJSktM" * 3, "Proc-Type: 4",
    "<private>", "</private>", "<private ", "<reverie-context>", "</reverie-context>", "<", "</", "://", "://a:b1c2@", "@host", "a:5432:b:c:", "Cookie: ",
    "sid=", "Authorization: ", "Bearer ", "auth=(", "'a', '", "kind: Secret\n", "data:\n", "  a: QUJDREVG\n", '"data":{', "---\n", "\n---", "eyJ",
    "eyJhbGciOi", ".eyJ", "AK" "IA", "sk-", "xo" "xb-", "7Q~", ":AA", ".atlasv1.", "_live_", "$6$", "$2b$12$", "hooks.slack.com/services/", "x9Z!", "é", "\x00",
    "\udc80", "a1B2c3D4e5F6g7H8i9J0", "value: ", " is ", "creds: a / ", "name: ", "net user ", "htpasswd -b ",
    ": |-\n", ": &str = ", " string = ", "     3→", "+", 'variable "key" {', "default = ", "shown again", "credentials are a and ", "', '", "@tcp(", "1234567890:AA", "SG.",
    "user,password\n", "| password |\n", "a,x1y2z3\n", "|---|---|\n", "insert into a (password) values (", "copy a (b, password) from stdin\n", "('x1y2z3', ",
    "secrets:\n", "passwords: {", "  a: x1y2z3\n", "x1y2z3 is the new password ", "password we use is ", "api keys: ", "a-b-c-d",
    "QUJDREVGR0hJSktMTU5P", "UUpKREVSR2RISkplU2t0", "cGFzc3dvcmQ9aHVudGVyMg==", "QQQQ", "re_aB3dE6gH_", "│", "┃ password ┃", "│ password │ x1y2z3 │\n",
    "<td>password</td>", "<td>", "<tr>", "<tr><th>password</th>", "<td>x1y2z3</td>", "</table>", "&nbsp;", "<td>token:</td>\n<td><b>",
)  # fmt: skip
# Every number in the code up to which something is looked at.
LIMITS = (40, 60, 80, 100, 128, 160, 256, 390, 400, 800, 2000, 4000, 4096, 8192, 16_384, 20_000, 32_768)
FILLERS = ("a", "A1b", "\\", "\\\n", "'", '"', " ", "=", "\n", "key=", "/", "[", "é", "- ", "a: b\n", "|", ";a=")


def bound(text: str) -> int:
    return LINES_AT_LEAST + LINES_FOR_A_BYTE * len(text.encode("utf-8", "surrogatepass"))


def heap(chance: random.Random) -> str:
    """Pieces in any order, now and then one of them many times."""
    parts = [chance.choice(PIECES) for _ in range(chance.randint(1, 30))]
    if chance.random() < 0.3:
        parts[chance.randrange(len(parts))] *= chance.choice((30, 300))
    return "".join(parts)


def at_a_limit(chance: random.Random) -> str:
    """A beginning, a run that ends a byte or two around a limit of the code, and an end."""
    head = "".join(chance.choices(PIECES, k=chance.randint(1, 3)))
    tail = "".join(chance.choices(PIECES, k=chance.randint(0, 4)))
    filler, limit = chance.choice(FILLERS), chance.choice(LIMITS)
    run = (filler * (limit // len(filler) + 3))[: limit + chance.randint(-2, 2) - chance.choice((0, len(head)))]
    return (head + run + tail)[: chance.choice((None, None, limit, limit + 1, len(head) + limit))]


@every("make", [heap, at_a_limit])
@every("seed", range(4))
def test_garbage_is_done_with_in_few_lines(make: Callable[[random.Random], str], seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(250):
        text = make(chance)
        with at_most(bound(text)):
            redact(text)


@every("piece", PIECES)
def test_a_run_of_one_piece_is_done_with_in_few_lines(piece: str) -> None:
    for text in (piece * (3_000 // len(piece)), piece * (34_000 // len(piece))):
        with at_most(bound(text)):
            redact(text)


@every("limit", LIMITS)
@every("filler", FILLERS)
def test_a_command_is_cut_at_every_limit(filler: str, limit: int) -> None:
    for head in (
        "curl ",
        "echo a | sudo -S ",
        "machine a ",
        'password="',
        "cookie: ",
        "auth=(",
        "-----BEGIN PRIVATE KEY-----",
    ):
        for more in (-1, 0, 1):
            run = filler * (limit // len(filler) + 1)
            with at_most(bound(run)):
                redact(head + run[: limit + more])


_LINE = "MIIEpAIBAAKCAQEA7bq4Xv9mT2dZ"
_MARKS = ("-----BEGIN RSA PRIV" "ATE KEY-----", "-----END RSA PRIV" "ATE KEY-----")  # fmt: skip


@every("sign", ["\n", "\\n"])
@every(
    ("before", "most"),
    [("", 0.05), ("     7\t", 0.8), ("id_rsa:7:", 0.8), ("Nov 16 09:00:07 desk app[4711]: ", 0.8)],
)
def test_megabytes_of_keys_do_not_take_a_hook_its_time(before: str, most: float, sign: str) -> None:
    """Most lines of code for each byte. With 1.2, a hook took four seconds for the most that it keeps."""
    block = sign.join(before + line for line in (_MARKS[0], *[_LINE] * 60, _MARKS[1])) + sign
    text = block * (200_000 // len(block))

    with at_most(int(LINES_AT_LEAST / 10 + most * len(text))):
        assert _LINE not in redact(text)


def test_strings_of_one_value_stay_as_many_as_they_were() -> None:
    chance = random.Random(9)
    for _ in range(100):
        texts = [heap(chance) for _ in range(chance.randint(1, 6))]
        with at_most(bound("".join(texts)) * 2):
            assert len(redact_json(texts)) == len(texts)


def test_the_count_sees_a_loop_that_does_not_end() -> None:
    source = compile("def spin(data):\n    while True:\n        data = data[:]\n", secrets.__file__, "exec")
    space: dict[str, Any] = {}
    exec(source, space)

    with pytest.raises(TooManyLines, match="spin"), at_most(1000):
        space["spin"](b"")
