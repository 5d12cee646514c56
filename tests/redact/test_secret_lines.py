"""The lists of lines. What they showed on first sight is in their modules; here they keep what was repaired from breaking."""

from base64 import b64encode

import pytest

from redact import apart_lines, clean_kinds, declared_lines, maker_lines, secret_lines, table_lines, wrapped_lines
from redact.secret_lines import Leak
from reverie.redact.secrets import redact, redact_json
from support.every import every

LEAKS = [
    *secret_lines.first_leaks(),
    *secret_lines.second_leaks(),
    *maker_lines.leaks(),
    *declared_lines.leaks(),
    *apart_lines.leaks(),
    *table_lines.leaks(),
    *wrapped_lines.leaks(0),
    *wrapped_lines.leaks(1),
]
CLEAN = [
    *secret_lines.first_clean(),
    *secret_lines.second_clean(),
    *maker_lines.clean(),
    *declared_lines.clean(),
    *apart_lines.clean(),
    *table_lines.clean(),
]
# Left as it is: nothing tells these words from a sentence, these signs from markup or a setting, these words from a name.
MISSED = (
    "passphrase: four words",
    "my password is falcon<9Cinder>~9 now",
    "Our prod password was Pepper=Lantern until Monday.",
    "<td>API key&nbsp;</td><td><span>glacier-827-falcon</span></td>",
    "new Client('re_oSEdkCcP_SUPWYblDuJcqpyIjivghoqwr')",  # one in 250 has no digit
)


def is_left(leak: Leak) -> bool:
    text, value = redact(leak.line), leak.secret
    return value in text if len(value) <= 8 else any(value[i : i + 8] in text for i in range(len(value) - 7))


def test_the_lists_are_as_long_as_they_say() -> None:
    assert len(secret_lines.first_leaks()) >= 150 <= len(secret_lines.first_clean())
    assert len(secret_lines.second_leaks()) >= 80 <= len(secret_lines.second_clean())
    assert len(maker_lines.leaks()) >= 60
    assert len(declared_lines.leaks()) >= 40
    assert len(apart_lines.leaks()) >= 40
    assert len(table_lines.leaks()) >= 55
    assert len(wrapped_lines.leaks(0)) + len(wrapped_lines.leaks(1)) >= 200
    assert len({line for _, line in clean_kinds.lines()}) >= 3000


@every("leak", LEAKS)
def test_a_secret_of_the_lists_is_found(leak: Leak) -> None:
    assert is_left(leak) == leak.line.startswith(MISSED)


@every("value", [*apart_lines.values(), *table_lines.values()])
def test_a_secret_in_a_parsed_value_is_found(value: apart_lines.Parsed) -> None:
    assert redact_json(value.given) == value.wanted


@every("line", CLEAN)
def test_a_clean_line_of_the_lists_stays(line: str) -> None:
    assert redact(line) == line


@pytest.mark.parametrize("seed", [1, 2])
def test_clean_lines_of_the_new_kinds_stay(seed: int) -> None:
    """Without a single false alarm."""
    assert [line for _, line in clean_kinds.lines(seed) if redact(line) != line] == []


# ---- base64

ENV = "DB_PASSWORD=Meadow1987!\nPORT=5432\n"


def encoded(text: str, times: int = 1) -> str:
    for _ in range(times):
        text = b64encode(text.encode()).decode()
    return text


def test_base64_of_a_secret_is_masked_as_a_whole_and_its_surroundings_stay() -> None:
    assert redact(f"echo {encoded(ENV)} | base64 -d") == "echo [secret:password] | base64 -d"
    assert redact(f'{{"content": "{encoded(ENV)}", "size": 9}}') == '{"content": "[secret:password]", "size": 9}'
    assert redact(f"data:text/plain;base64,{encoded(ENV)}#x") == "data:text/plain;base64,[secret:password]#x"
    wrapped = "\n".join(encoded(ENV * 5)[i : i + 76] for i in range(0, len(encoded(ENV * 5)), 76))
    assert redact(f"$ base64 .env\n{wrapped}\n$ exit") == "$ base64 .env\n[secret:password]\n$ exit"
    assert redact_json({"a": wrapped, "b": encoded(ENV)}) == {"a": "[secret:password]", "b": "[secret:password]"}


def test_base64_is_decoded_twice_and_no_more() -> None:
    assert redact(encoded(ENV, 2)) == "[secret:password]"
    assert redact(encoded(ENV, 3)) == encoded(ENV, 3)


def test_base64_of_a_text_without_a_secret_stays() -> None:
    text = encoded("DB_PASSWORD=${DB_PASSWORD}\nPORT=5432\nHOST=db.internal\n")
    assert redact(text) == text


def test_a_secret_in_base64_is_found_among_many_runs() -> None:
    """Where there are many runs, they are not looked at one by one."""
    ids = " ".join(f"{number:032x}" for number in range(2000))
    assert redact(f"{ids} {encoded(ENV)} {ids}") == f"{ids} [secret:password] {ids}"
