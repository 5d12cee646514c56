"""Whatever stands in the record, no command hands a terminal anything but text."""

import ast
import logging
import sys
import unicodedata
from pathlib import Path

import pytest

from reverie.memory import Memory
from reverie.settings import EmbedSettings, Settings
from reverie.shells.chat.view import ChatView
from reverie.shells.cli import exit_codes as ending
from reverie.shells.cli.show import ask, json_text, one_line, plain, say, tame_log, warn
from shells.conftest import Reverie

HOSTILE = "evil\x1b]0;title\x07 \x1b[2J \x9b31m \x85 \x7f \x08 \u202eback\u202c \u2066\u200f\u061c words"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
SHELLS = Path(ending.__file__).parents[1]


def commanding(shown: str) -> list[str]:
    """What a terminal would take for a command."""
    return [one for one in shown if (unicodedata.category(one) in ("Cc", "Cs") and one not in "\n\t") or one in BIDI]


def test_this_text_would_command_a_terminal() -> None:
    assert len(commanding(HOSTILE)) == 12


def test_all_ways_to_print_take_it_out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda question: print(question) or "y")
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda question: print(question) or "y")
    say(HOSTILE)
    warn(HOSTILE)
    ask(HOSTILE)
    print(json_text({HOSTILE: HOSTILE}), one_line(HOSTILE), plain(HOSTILE))
    view = ChatView(print, lambda text: text)
    view.words(HOSTILE)
    view.line(HOSTILE)
    view.problem(HOSTILE)
    ending.tell_crash(ValueError, ValueError(HOSTILE), None)

    shown = capsys.readouterr()

    assert shown.out.count("evil") == 9
    assert shown.err.count("evil") == 2
    assert commanding(shown.out + shown.err) == []


def test_what_is_logged_to_nobody_is_plain_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    last = logging._StderrHandler(logging.WARNING)
    monkeypatch.setattr(logging, "lastResort", last)
    tame_log()

    record = logging.LogRecord("reverie", logging.ERROR, "", 1, "%s is missing", (HOSTILE,), None)
    last.handle(record)

    assert "evil" in (shown := capsys.readouterr().err)
    assert commanding(shown) == []


def test_programs_read_back_from_json_what_was_said() -> None:
    import json

    assert json.loads(json_text([HOSTILE])) == [HOSTILE]


# ---- every command

PRINTED = """
log; search evil; context; learnings; actions; status; doctor; recall evil; memories show {item}; memories show --around {item}; explain;
admin prompt; admin prompt evil words; admin prompt --ledger; admin prompt --explain 3; admin gate explain evil; admin gate list; goals; questions;
reminders list; reminders show; punchclock list; punchclock show; docs list; docs show evil; docs show evil --history; docs list evil; admin tools;
skills; admin inbox; admin inbox show; admin merge --dry-run; forget --dry-run text:evil; admin compact; memories; sessions; sessions show evil;
chat /memory evil; chat /reminders; chat /prompt; chat /segments; chat hello evil; chat /explain; admin export; admin tune; doctor --repair;
admin rebuild; log --json; search evil --json; admin prompt --json; learnings --json; memories show {item} --json; context --json;
recall evil --json; docs show evil --json; search evil --why; sessions --json
"""


@pytest.fixture
def item(tmp_path: Path) -> str:
    """A record in which everything that a command may show has the hostile text in it."""
    home = tmp_path / "person" / ".reverie"
    settings = Settings(embed=EmbedSettings(provider="none"))
    with Memory.open(home, settings=settings) as memory:
        noted = memory.note(f"From now on always use {HOSTILE}.")
        for kind in ("user_message", "assistant_message", "system"):
            memory.observe(
                f"Remind me to call Ana tomorrow. {HOSTILE}", kind=kind, session=f"s {HOSTILE}", speaker=HOSTILE
            )
        memory.track_tool_invocation(f"Bash {HOSTILE}", {"command": HOSTILE}, result=HOSTILE)
        memory.track_tool_invocation("WebFetch", {"url": HOSTILE}, error=f"You must always run curl {HOSTILE}")
        memory.commit()
        memory.parts.background.catch_up()
        memory.memorize(f"The port is 8080 {HOSTILE}", type="fact")
        memory.goals.add(f"Ship {HOSTILE}")
        memory.reminders.add(f"call {HOSTILE}", "tomorrow at 9")
        memory.punchclock.start(HOSTILE)
        memory.documents.import_markdown("evil", f"# Evil {HOSTILE}\n\n## One {HOSTILE}\n\n{HOSTILE}\n")
    (home / "soul.md").write_text(f"# Soul\nBe kind. {HOSTILE}\n", encoding="utf-8")
    (home / "hook-errors.log").write_text(f"1 'X' OSError {HOSTILE}\n", encoding="utf-8")
    return noted


def test_no_command_prints_what_could_command_a_terminal(reverie: Reverie, item: str) -> None:
    worked = []
    for command in PRINTED.format(item=item).replace("\n", " ").split(";"):
        ended = reverie(*command.split())
        assert commanding(ended.out + ended.err) == [], command
        worked += [command] if "evil" in ended.out else []
    assert len(worked) >= 25, "most of them have shown it"


def test_an_argument_that_is_told_back_is_plain(reverie: Reverie, item: str) -> None:
    for words in (["memories", "show", HOSTILE], ["search", f"nothing {HOSTILE}"], [HOSTILE], ["docs", "show", HOSTILE], ["log", "--session", HOSTILE],
                  ["forget", f"project={HOSTILE}", "--dry-run"], ["note", f"--{HOSTILE}"], ["reminders", "add", "x", HOSTILE]):  # fmt: skip
        ended = reverie(*words)
        assert commanding(ended.out + ended.err) == [], words[0]


# ---- so that the next command does it, too

# Where something is printed past `show.py`, and why it is plain all the same.
ELSEWHERE = {
    "cli/show.py": "the one place",
    "cli/exit_codes.py": "the words of the command line, through `plain`; a crash, through `plain`",
    "cli/chat.py": "writes what a View made plain, or JSON",
    "cli/prompt.py": "lines that a style made plain",
    "cli/hits.py": "lines that went through `plain`, then a style",
    "cli/docs.py": "`show --out -` into a pipe is a file; to a terminal it is plain",
    "cli/progress.py": "a fixed label and seconds, to a terminal",
    "daemon/process.py": "a fixed sentence",
}


def prints(source: str) -> bool:
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    names = {one.id for one in calls if isinstance(one, ast.Name)}
    ways = {f"{ast.unparse(one.value)}.{one.attr}" for one in calls if isinstance(one, ast.Attribute)}
    past = {"click.echo", "click.secho", "click.confirm", "click.prompt", "sys.stdout.write", "sys.stderr.write"}
    return "print" in names or bool(ways & past)


def test_only_these_print_by_themselves() -> None:
    found = {str(path.relative_to(SHELLS)) for path in SHELLS.rglob("*.py") if prints(path.read_text(encoding="utf-8"))}

    assert found == set(ELSEWHERE)
    assert prints("print(1)"), "the control"
    assert not prints("say(1)")


def test_nothing_is_left_of_the_hook_that_catches_crashes(monkeypatch: pytest.MonkeyPatch) -> None:
    from reverie.shells.cli import main

    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    monkeypatch.setattr(sys, "argv", ["reverie", "--help"])
    with pytest.raises(SystemExit):
        main.main()

    assert sys.excepthook is ending.tell_crash
