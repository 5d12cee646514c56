"""The lists of lines. What they showed on first sight is in their modules; here they keep what was repaired from breaking."""

from capture import apart_lines, declared_lines, maker_lines, secret_lines, table_lines
from capture.secret_lines import Leak
from reverie.capture.secrets import redact, redact_json
from support.every import every

LEAKS = [
    *secret_lines.first_leaks(),
    *secret_lines.second_leaks(),
    *maker_lines.leaks(),
    *declared_lines.leaks(),
    *apart_lines.leaks(),
    *table_lines.leaks(),
]
CLEAN = [
    *secret_lines.first_clean(),
    *secret_lines.second_clean(),
    *maker_lines.clean(),
    *declared_lines.clean(),
    *apart_lines.clean(),
    *table_lines.clean(),
]
# Left as it is: nothing tells these words from a sentence.
MISSED = ("passphrase: four words",)


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


@every("leak", LEAKS)
def test_a_secret_of_the_lists_is_found(leak: Leak) -> None:
    assert is_left(leak) == leak.line.startswith(MISSED)


@every("value", [*apart_lines.values(), *table_lines.values()])
def test_a_secret_in_a_parsed_value_is_found(value: apart_lines.Parsed) -> None:
    assert redact_json(value.given) == value.wanted


@every("line", CLEAN)
def test_a_clean_line_of_the_lists_stays(line: str) -> None:
    assert redact(line) == line
