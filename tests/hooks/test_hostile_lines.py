"""A line that is made to keep the redactor busy takes four times the work of a quarter of it, no more.

`make test` does that for a part of a megabyte and, with some, for a whole one; `make torture` for a whole one with all.
Work is the processor's time, and one good run of a few will do: others on the machine do not count.
"""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hooks.processes import run_hook, spooled, tool_call
from reverie.redact.secrets import redact
from support.hooks import patient_launcher

PIECES = [
    "Vec<Private>", "`<private>`",
    "key=", 'password="', "xoxb-", "<private x", "curl redis-cli -a x1 ", "://a:", "-----BEGIN PRIVATE KEY-----", "eyJ", "auth=(",
    "cookie: a=b;", "1234567890", "\\", "key=\\", "A", "mysql -p", "a:5432:b:c:", "password for a is ", "é", "ghp_", "key->",
    "Private-Lines: 1 ", "echo a | sudo -S ", "machine a login b ", "$6$", "hvs.", "a1B2c3D4e5F6g7H8", "export ", "'", "[secret:",
    "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----", "-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\n     2→", "\x1b[0m",
    "\\u001b[1m", "a\x1b[0mb", "\x1b[", "     2→", "web_1  | ", "2026-11-16T09:00:00Z ", "Private-MAC: ", "Private-Lines: 1\n", "12:aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD\n",
    "-----BEGIN PRIVATE KEY-----\naB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cDaB3dE6gH9jK2mN5p\n", "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD\n-----END PRIVATE KEY-----\n",
    "passwort", "app password is ", "--from-literal=a=", "1:a1b2c3d4e5f6", "a-a1b2c3d4-", "kind: Secret\ndata:\n a: b\n",
    "1234567890:AA", "SG.", "key: ", "password for a is x1 ", "password to x1 ", "token:\n", "password: |-\n  ", ":a@tcp(", "&token=",
    'variable "key" {', "shown again ", "     2→kind: Secret\n     3→data:\n", "sshpass', '-p', '",
    '"kty":', '{"kty":', '{"d":"aB3dE6gH9jK2mN5p","kty":', "NRAL", "AZDO", "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cDaB3dNRAL", '"value": "', '{"value":"abcd","name":',
    '<key>a</key><string>', 'name="a"><value>', '"a":{"value":"b1b1', " as the password", "use ab12cd as password ", "password generated", "new value:", "jwt.sign(a,",
    "passwort für a ", 'passwords=["a1b2c3",', "passwords=[", '"a1b2c3",', 'a, password = "b", ', 'form-data; name="password" ', "--password',default=", "hmac.new('",
]  # fmt: skip
MEGABYTE = 1_000_000
SHORTER = 400_000  # with less, what is only done from some number of hits on would seem to grow
SAMPLE = PIECES[::9]
# Four times the text takes four times as long, sixteen times if it were quadratic. In between lie memory and chance.
MOST = 8.0


def line_of(piece: str, size: int) -> str:
    return piece * (size // len(piece.encode()))


def work(text: str, redact: Callable[[str], str]) -> float:
    started = time.process_time()
    redact(text)
    return time.process_time() - started


def growth(piece: str, redact: Callable[[str], str] = redact, size: int = MEGABYTE) -> float:
    """How many times the work of a quarter the whole is."""
    quarter = min(work(line_of(piece, size // 4), redact) for _ in range(2)) + 1e-4
    return work(line_of(piece, size), redact) / quarter


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_line_takes_linear_time(piece: str) -> None:
    assert any(growth(piece, size=SHORTER) < MOST for _ in range(4))


@pytest.mark.parametrize(
    "piece", [piece if piece in SAMPLE else pytest.param(piece, marks=pytest.mark.torture) for piece in PIECES]
)
def test_a_hostile_line_of_a_megabyte_takes_linear_time(piece: str) -> None:
    assert any(growth(piece) < MOST for _ in range(4))


def test_negative_control_a_pattern_that_looks_back_from_every_place_does_not() -> None:
    def quadratic(text: str) -> str:
        return "".join(text[at] for at in range(0, len(text), 8) if text.count("=", 0, at) >= 0)

    assert min(growth("key=", quadratic, size=60_000) for _ in range(4)) > MOST


def test_a_hook_keeps_an_event_with_such_a_line(tmp_path: Path) -> None:
    ran = run_hook(
        "PostToolUse", tool_call(text=line_of("key=\\", MEGABYTE)), tmp_path, launcher=patient_launcher(tmp_path.parent)
    )

    assert ran.was_silent
    assert len(spooled(tmp_path)) == 1
