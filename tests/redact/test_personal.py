"""Personal data: found where it is, left alone where it only looks like it, and out of every field of an item."""

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.given import LINES_AT_LEAST, LINES_FOR_A_CHARACTER
from reverie.records import Redaction
from reverie.redact import personal
from reverie.redact.personal import Masked, find_personal, masked
from reverie.redact.personal_finders import Personal
from reverie.settings import PrivacySettings
from support.lines import TooManyLines, at_most

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("REVERIE_DATA", ROOT.parent / "shared" / "data")) / "security-dev" / "personal_data.jsonl"
EVERYTHING = PrivacySettings(**{kind.value: "mask" for kind in Personal})  # type: ignore[arg-type]

THERE = [
    ("Pay with 4111 1111 1111 1111, thanks", "Pay with [card], thanks"),
    ("amex 3782-822463-10005 expires soon", "amex [card] expires soon"),
    ("card=5500005555555559&cvv=1", "card=[card]&cvv=1"),
    ("row 12 4111 1111 1111 1111 99", "row 12 [card] 99"),
    ("４１１１ １１１１ １１１１ １１１１", "[card]"),
    ("IBAN DE89 3704 0044 0532 0130 00 is mine", "IBAN [iban] is mine"),
    ("to gb82west12345698765432.", "to [iban]."),
    ("His SSN is 536-90-4399.", "His SSN is [id]."),
    ("ssn 536 90 4399", "ssn [id]"),
    ("my passport number is C01X00T47", "my passport number is [id]"),
    ("Driving licence: MORGA657054SM9IJ", "Driving licence: [id]"),
    ("driver's license number is 2270-66-1551", "driver's license number is [id]"),
    ("CPF 529.982.247-25", "CPF [id]"),
    ("DNI 12345678Z", "DNI [id]"),
    ("codice fiscale RSSMRA85T10A562S", "codice fiscale [id]"),
    ("QQ is not given, AB 12 34 56 C is", "QQ is not given, [id] is"),
    ("身份证 11010519491231002X", "身份证 [id]"),
    ("henkilötunnus 131052-308T", "henkilötunnus [id]"),
    ("Aadhaar 2341 2341 2346", "Aadhaar [id]"),
    ("EIN: 12-3456789", "EIN: [id]"),
    ("write to ana.lopez+work@mail.example.org!", "write to [email]!"),
    ("jürgen@büro.de", "[email]"),
    ("call me at 555-0123 9", "call me at [phone]"),
    ("+44 20 7946 0958 or (415) 555-2671", "[phone] or [phone]"),
    ("Tel: 030 123456-78", "Tel: [phone]"),
    ("ring 0490 75 40 81 tomorrow", "ring [phone] tomorrow"),
    ("blocked 203.0.113.7 again", "blocked [ip] again"),
    ("from 2001:db8::8a2e:370:7334 port 22", "from [ip] port 22"),
    ("date of birth: 1984-03-12", "date of birth: [birth_date]"),
    ("she was born on 3 March 1984", "she was born on [birth_date]"),
    ("ship to 221B Baker Street, London", "ship to [address], London"),
    ("Hauptstraße 12, 10115 Berlin", "[address], 10115 Berlin"),
    ("12 rue de la Paix", "[address]"),
    ("My name is Maria Silva and I code", "My name is [name] and I code"),
]


@pytest.mark.parametrize(("text", "expected"), THERE)
def test_personal_data_is_masked_and_its_surroundings_stay(text: str, expected: str) -> None:
    assert masked(text, EVERYTHING).text == expected


NOT_THERE = """
version 1.2.3.4 of the driver
Chrome/120.0.6099.71 Safari/537.36
apsw==3.54.1.0
commit 4012888888881881abcdef0123456789abcdef01
9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
550e8400-e29b-41d4-a716-446655440000
4111111e-1111-4111-8111-111111111111
1700000000 1700000000000 1700000000000000 1700000000000000000
2026-04-01T12:34:56.789Z
2026-04-01 12:34:56,789 INFO started in 1234 ms
src/app.py:120:15: error: bad type
listening on http://localhost:8080 and 0.0.0.0:5432
127.0.0.1:6379 ::1 std::vector<int> a::b fs::File
$1,299.00 and 12 345,67 EUR
0.4111111111111111 is a share
price 19.99, 4 items, 12 % off
https://example.org/status/4111111111111111
git@github.com:acme/tools.git
https://token@host.example/x.git
pip install foo@1.2.3 bar@latest
actions/checkout@v4 npm:@scope/name@2.0.0
0x7ffee4111111 at frame 12
order 20240501123456 of 1200000
mac aa:bb:cc:dd:ee:ff
port 8080, then 9090
sha512-5Zk0ZbM3aGZ2Yj4111111111111111aaa==
a = m @ b.transpose(1, 0)
10.0.0.0/8 and 192.168.0.0/16
+1609459200
+200 -150 lines
passport-jwt@4.0.1 and passport 0.7.0
RFC 7231 section 4.2.1
PAN-OS 10.1.3
Math.sin(12345678)
test_123456789_abc
build 20240501.12345
call 12 failed
id: 123456789
ISO 27001:2022, ISBN 978-3-16-148410-0
00000010: 4865 6c6c 6f20 776f
def f(x: int = 4012888888881881_0) -> int
""".strip().splitlines()


@pytest.mark.parametrize("line", NOT_THERE)
def test_what_developers_write_is_left_alone(line: str) -> None:
    assert find_personal(line, list(Personal)) == []


def test_every_kind_has_a_policy() -> None:
    assert {field.name for field in fields(PrivacySettings)} - {"log"} == set(Personal)


def test_by_default_cards_accounts_and_id_numbers_are_masked_and_the_rest_is_kept() -> None:
    text = "ana@example.org, 555-123-4567, 4111111111111111, DE89370400440532013000, SSN 536-90-4399"

    result = masked(text, PrivacySettings())

    assert result.text == "ana@example.org, 555-123-4567, [card], [iban], SSN [id]"
    assert (result.status, set(result.kinds), result.forbidden) == (Redaction.PARTIAL, {"card", "iban", "id"}, ())


def test_a_text_that_was_nothing_else_is_fully_redacted() -> None:
    assert masked("4111 1111 1111 1111", PrivacySettings()).status is Redaction.FULL
    assert masked("nothing here", PrivacySettings()) == Masked("nothing here")


def test_a_kind_that_is_dropped_is_named() -> None:
    assert masked("ana@example.org", PrivacySettings(email="drop")).forbidden == ("email",)


@given(st.text(max_size=200))
def test_a_masked_text_has_nothing_left_to_mask(text: str) -> None:
    once = masked(text, EVERYTHING)

    assert masked(once.text, EVERYTHING).kinds == ()


@pytest.mark.parametrize("piece", ["4111 1111 ", "1.1.1.1 ", "a@b.cc ", "+1 ", "DE89 ", "passport ", "1", "a:", "0 "])
def test_long_hostile_text_is_read_in_few_lines_for_each_character(piece: str) -> None:
    text = piece * 2_000

    with at_most(LINES_AT_LEAST + LINES_FOR_A_CHARACTER * len(text)):
        find_personal(text, list(Personal))


def test_the_count_sees_a_loop_that_does_not_end() -> None:
    space: dict[str, Any] = {}
    exec(compile("def spin():\n    while True:\n        pass\n", personal.__file__, "exec"), space)

    with pytest.raises(TooManyLines, match="spin"), at_most(1000):
        space["spin"]()


def test_most_of_the_labelled_data_is_found_and_little_else() -> None:
    if not DATA.exists():
        pytest.skip(f"no labelled texts at {DATA}: set REVERIE_DATA")
    import sys

    sys.path.insert(0, str(ROOT))
    from bench.personal import STRUCTURED, score

    labelled, hit, told, right = score(DATA)
    for kind in STRUCTURED:
        assert hit[kind] >= 0.9 * labelled[kind], f"recall of {kind}"
        assert right[kind] >= 0.9 * told[kind], f"precision of {kind}"
