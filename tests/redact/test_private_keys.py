"""A private key goes however its lines are shown: numbered, prefixed, coloured, quoted, cut off. What is public stays."""

import base64
import json
import random
from collections.abc import Callable
from pathlib import Path

from hooks.processes import run_hook, spooled, tool_call
from reverie.redact.secrets import redact, redact_json
from support.every import every

_draw = random.Random(4_711)
DASHES = "-" * 5


def lines_of(size: int, width: int) -> list[str]:
    text = base64.b64encode(_draw.randbytes(size)).decode()
    return [text[at : at + width] for at in range(0, len(text), width)]


def armoured(label: str, body: list[str], head: tuple[str, ...] = ()) -> list[str]:
    return [f"{DASHES}BEGIN {label}{DASHES}", *head, *body, f"{DASHES}END {label}{DASHES}"]


SECRET = "PRIVATE" + " KEY"
ENCRYPTED = ("Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC," + _draw.randbytes(16).hex().upper(), "")
PUTTY = lines_of(600, 64)
KEYS = {
    "pem": armoured(f"RSA {SECRET}", lines_of(1190, 64)),
    "pkcs8": armoured(SECRET, lines_of(1217, 64)),
    "ec": armoured(f"EC {SECRET}", lines_of(121, 64)),
    "encrypted": armoured(f"RSA {SECRET}", lines_of(1190, 64), ENCRYPTED),
    "openssh": armoured(f"OPENSSH {SECRET}", ["b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW", *lines_of(320, 70)]),
    "pgp": armoured(f"PGP {SECRET} BLOCK", [*lines_of(700, 64), "=x3Yz"], ("Version: GnuPG v2", "")),
    "pgp, wide": armoured(f"PGP {SECRET} BLOCK", [*lines_of(700, 76), "=x3Yz"], ("",)),
    "putty": ["PuTTY-User-Key-File-3: ssh-rsa", "Encryption: none", "Comment: a key", f"Private-Lines: {len(PUTTY)}", *PUTTY,
              "Private-MAC: " + _draw.randbytes(32).hex()],
}  # fmt: skip
PUBLIC = {
    "certificate": armoured("CERTIFICATE", lines_of(900, 64)),
    "public key": armoured("PUBLIC KEY", lines_of(294, 64)),
    "pgp public key": armoured("PGP PUBLIC KEY BLOCK", [*lines_of(500, 64), "=x3Yz"], ("",)),
    "ssh public key": ["ssh-rsa " + "".join(lines_of(279, 64)) + " jane@desk"],
    "image": ["data:image/png;base64,", *lines_of(2000, 76)],
    "talk of keys": [
        f"The file starts with {DASHES}BEGIN {SECRET}{DASHES}",
        "and lies in deploy/certificates/production/intermediate/authority",
        f"and ends with {DASHES}END {SECRET}{DASHES}, as every such file does.",
    ],
}  # fmt: skip
LAYOUTS: dict[str, Callable[[int, str], str]] = {
    "plain": lambda _n, line: line,
    "cat -n": lambda n, line: f"{n:6}\t{line}",
    "Read": lambda n, line: f"{n:6}→{line}",
    "grep -n": lambda n, line: f"{n}:{line}",
    "grep -n, file": lambda n, line: f"deploy/id_rsa:{n}:{line}",
    "grep -r": lambda _n, line: f"/etc/ssl/private/server/id_rsa:{line}",
    "grep -C": lambda n, line: f"id_rsa-{n}-{line}",
    "bat": lambda n, line: f"{n:4}   │ {line}",
    "less -N": lambda n, line: f"{n:7} {line}",
    "docker logs": lambda _n, line: f"web_1  | {line}",
    "docker's json": lambda n, line: json.dumps({"log": line + "\n", "stream": "stdout", "time": f"2026-11-16T09:00:{n:02}Z"}),
    "kubectl logs": lambda _n, line: f"[pod/web-6f7c9d8b5-x2x4z/app] {line}",
    "timestamp": lambda n, line: f"2026-11-16T09:00:{n:02}Z {line}",
    "git blame": lambda n, line: f"abc1234f (Jane Doe 2026-11-16 09:00:00 +0100 {n:3}) {line}",
    "journald": lambda n, line: f"Nov 16 09:00:{n:02} desk app[4711]: {line}",
    "syslog": lambda n, line: f"<14>1 2026-11-16T09:00:{n:02}Z desk app 4711 - - {line}",
    "diff +": lambda _n, line: f"+{line}",
    "diff -": lambda _n, line: f"-{line}",
    "quoted mail": lambda _n, line: f"> {line}",
    "comment": lambda _n, line: f" * {line}",
    "string": lambda _n, line: f'    "{line}\\n" +',
    "array": lambda _n, line: f'  "{line}",',
    "echo": lambda _n, line: f"echo '{line}' >> key",
    "cat -A": lambda _n, line: f"{line}$",
    "CRLF": lambda _n, line: f"{line}\r",
    "bat, coloured": lambda n, line: f"\x1b[38;5;238m{n:4}\x1b[0m   \x1b[38;5;238m│\x1b[0m \x1b[38;5;231m{line}\x1b[0m",
    "diff, coloured": lambda _n, line: f"\x1b[32m+\x1b[m\x1b[32m{line}\x1b[m",
    "colours inside": lambda _n, line: f"\x1b[1m{line[:9]}\x1b[0m\x1b[01;31m\x1b[K{line[9:30]}\x1b[m\x1b[K{line[30:]}\x1b(B\x1b[m",
}  # fmt: skip


def shown(lines: list[str], layout: str) -> str:
    return "\n".join(LAYOUTS[layout](n, line) for n, line in enumerate(lines, start=1))


def secret_of(lines: list[str]) -> list[str]:
    """The lines that nobody may read."""
    return [line for line in lines if len(line) > 20 and ":" not in line and not line.startswith(DASHES)]


def assert_gone(lines: list[str], text: str) -> None:
    plain = text.replace("\x1b[0m\x1b[01;31m\x1b[K", "").replace("\x1b[m\x1b[K", "")
    assert [line for line in secret_of(lines) if any(line[at : at + 8] in plain for at in range(len(line) - 7))] == []


@every("layout", LAYOUTS)
@every("key", KEYS)
def test_a_private_key_goes_however_its_lines_are_shown(key: str, layout: str) -> None:
    text = f"first words\n{shown(KEYS[key], layout)}\nlast words"

    for clean in (
        redact(text),
        json.loads(redact(json.dumps({"out": text})))["out"],
        redact_json({"out": text})["out"],
    ):
        assert_gone(KEYS[key], clean)
        assert clean.startswith("first words\n")
        assert clean.endswith("\nlast words")
        assert clean.count("[secret:private-key]") == 1


@every("layout", LAYOUTS)
@every("key", KEYS)
@every("end", [5, 8])
def test_a_key_goes_that_is_cut_off_before_its_end(key: str, layout: str, end: int) -> None:
    lines = KEYS[key][:end]
    text = shown(lines, layout)

    assert_gone(lines, redact(text))
    assert_gone(lines, redact(json.dumps({"out": text})))
    assert redact(text + "\nlast words").endswith("\nlast words")
    if layout == "plain":
        assert_gone([*lines[:-1], lines[-1][:30]], redact(text[: 30 - len(lines[-1])] if len(lines[-1]) > 30 else text))


@every("layout", LAYOUTS)
@every("key", KEYS)
@every("start", [-2, -4, -6])
def test_a_key_goes_whose_beginning_was_cut_off(key: str, layout: str, start: int) -> None:
    lines = KEYS[key][start:]
    text = f"first words\n{shown(lines, layout)}\nlast words"

    assert_gone(lines, redact(text))
    assert_gone(lines, json.loads(redact(json.dumps({"out": text})))["out"])
    assert redact(text).startswith("first words\n")
    assert redact(text).endswith("\nlast words")


@every("key", KEYS)
@every("prefix", ["", "+", "-", " ", "     2→"])
def test_a_key_goes_whose_lines_are_strings_of_their_own(key: str, prefix: str) -> None:
    lines = [prefix + line for line in KEYS[key]]

    for value in (lines, [line + "\n" for line in lines]):
        clean = redact_json({"patch": [{"lines": ["first words", *value, "last words"]}], "is_new": True})
        assert_gone(KEYS[key], "\n".join(clean["patch"][0]["lines"]))
        assert (clean["patch"][0]["lines"][0], clean["patch"][0]["lines"][-1]) == ("first words", "last words")
        assert len(clean["patch"][0]["lines"]) == len(lines) + 2
        for text in (json.dumps(value), json.dumps(value, indent=1), json.dumps(json.dumps(value))):
            assert_gone(KEYS[key], redact(text))


@every("layout", LAYOUTS)
@every("public", PUBLIC)
def test_what_is_public_stays(public: str, layout: str) -> None:
    text = shown(PUBLIC[public], layout)

    assert redact(text) == text
    assert redact(json.dumps(text)) == json.dumps(text)
    assert redact_json(text.split("\n")) == text.split("\n")


@every("layout", LAYOUTS)
def test_what_is_public_stays_beside_a_key(layout: str) -> None:
    lines = [*PUBLIC["certificate"], *KEYS["pem"], *PUBLIC["certificate"], *KEYS["openssh"]]
    clean = redact(shown(lines, layout))

    assert_gone([*KEYS["pem"], *KEYS["openssh"]], clean)
    assert clean.count("[secret:private-key]") == 2
    if "colours" not in layout:
        assert all(clean.count(line) == 2 for line in PUBLIC["certificate"])


@every("layout", ["plain", "diff +", "quoted mail", "comment", "string", "array", "CRLF"])
@every("body", [["MIIEabcdefghijklmnopqrstuv"], ["MIIEabcdefghijklmnopqrstuv", "abcdefgh"]])
def test_between_both_marks_a_line_need_not_look_drawn(layout: str, body: list[str]) -> None:
    text = shown(armoured(f"RSA {SECRET}", body), layout)

    for clean in (redact(text), redact(json.dumps(text)), redact_json({"out": text})["out"]):
        assert "abcdefgh" not in clean
        assert DASHES not in clean
        assert clean.count("[secret:private-key]") == 1


def test_a_hook_keeps_no_key_that_an_agent_read(tmp_path: Path) -> None:
    for number, layout in enumerate(LAYOUTS):
        text = shown(KEYS["pem"], layout)
        patch = [{"lines": ["+" + line for line in KEYS["openssh"]]}]
        run_hook("PostToolUse", tool_call(number, text=text, tool_response={"file": text, "patch": patch}), tmp_path)

    kept = spooled(tmp_path)
    assert len(kept) == len(LAYOUTS)
    for record in kept:
        assert_gone([*KEYS["pem"], *KEYS["openssh"]], json.dumps(record, ensure_ascii=False))


# Colours

VALUE = "zX9k2mQ8vB4nT7wL1pR5"


@every("escape", ["\x1b", "\\u001b", "\\u001B", "\\\\u001b"])
@every(
    "line",
    [
        "^[32mAPI_KEY^[0m=^[1m@@^[0m", "^[36mpassword^[0m: ^[33m@@^[0m", '^[34m"token"^[39m: ^[32m"@@"^[39m', "^[1mAPI^[0m_KEY=@@",
        "export API_^[01;31m^[KKEY^[m^[K=@@", "curl ^[32m-u^[0m bob:^[1m@@^[0m https://h", "Authorization^[90m:^[0m Bearer ^[1m@@",
        "postgres://bob:^[31m@@^[0m@db:5432/shop", "token ghp_@@zX^[7m9k2mQ8vB4nT7wL1", "password=@@^[0m^[K",
    ],
)  # fmt: skip
def test_colours_hide_no_secret(line: str, escape: str) -> None:
    text = "one ^[31mred^[0m word\n" + line + "\ntwo ^[32mgreen^[0m words"
    clean = redact(text.replace("@@", VALUE).replace("^", escape))

    assert VALUE not in clean
    assert "[secret:" in clean
    assert clean.startswith("one ^[31mred^[0m word\n".replace("^", escape))
    assert clean.endswith("\ntwo ^[32mgreen^[0m words".replace("^", escape))


@every(
    "line",
    ["\x1b[1mpassword:\x1b[0m", "password: \x1b[0m", "\x1b[32mtoken\x1b[0m=\x1b[1mNone\x1b[0m", "\x1b[2K\x1b[1Gkey: \x1b[0;1;4mon\x1b[0m"],
)  # fmt: skip
def test_colours_are_no_secret(line: str) -> None:
    assert redact(line) == line


# Groups of letters


@every(
    ("line", "clean"),
    [
        ("SMTP password: gatx snwh lala oypn", "SMTP password: [secret:password]"),
        ("GMAIL_APP_PASSWORD=gatx snwh lala oypn", "GMAIL_APP_PASSWORD=[secret:password]"),
        ('app_password = "gatx snwh lala oypn"', 'app_password = "[secret:password]"'),
        ("the app password is gatx snwh lala oypn, use it", "the app password is [secret:password], use it"),
        ("kubectl create secret generic a --from-literal=key1=@@", "kubectl create secret generic a --from-literal=key1=[secret:password]"),
        ("--from-literal=username=bob --from-literal='db-pw=@@'", "--from-literal=username=bob --from-literal='db-pw=[secret:password]'"),
    ],
)  # fmt: skip
def test_passwords_in_groups_and_literals_of_secrets(line: str, clean: str) -> None:
    assert redact(line.replace("@@", VALUE)) == clean


@every(
    "line",
    [
        "password: must have more than eight", "password: this will take some time", "wrong password: this user must wait",
        "--from-literal=region=eu-west-1", "--from-literal=key1=$VALUE", "--from-literal=log-level=debug",
    ],
)  # fmt: skip
def test_words_after_a_password_stay(line: str) -> None:
    assert redact(line) == line
