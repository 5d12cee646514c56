"""Files for people belong to the owner of a workspace, who is written down in the store: the setting `user` changes
who is captured and told, and never whose file it is."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from reverie.continuum.read_inputs import read_prompt_inputs
from reverie.daemon.index_worker import answer_command
from reverie.engines.sqlite import SqliteEngine
from reverie.engines.sqlite.database import read_migrations
from reverie.memory import Memory
from reverie.mirrors import STARTER_USER
from reverie.pipeline.profile import Profile
from reverie.records import Captured, Kind
from reverie.settings import PersonSettings, Settings
from reverie.shells.cli.main import cli
from reverie.testing import START_MS, FakeEnv
from support.hooks import say, spool_event

ANA, BEN = "I prefer tabs for indentation.", "I prefer spaces for indentation."
LINE, LATER = "Heliotrope is a colour that I cannot see.", "Kumquats make me sneeze."
SOUL = "# Soul\n\nZanzibar is where we meet.\n"
_SEEDS = count(1)


@contextmanager
def opened(home: Path, setting: str, user: str | None = None, at_ms: int = START_MS) -> Iterator[Memory]:
    settings = Settings(user=setting, person=PersonSettings(first_name="Ana"))
    with Memory.open(home, env=FakeEnv(next(_SEEDS), at_ms), settings=settings, user=user) as memory:
        yield memory


def told(memory: Memory) -> str:
    """Everything that an agent of this user is told, at the start of a session and in a conversation."""
    inputs = read_prompt_inputs(memory.parts.for_conversations, "main", "", memory.parts.toolset.box())
    return f"{memory.context()}\n{inputs}\n{memory.continuum().preview()}"


def known(memory: Memory) -> str:
    """Everything that is in the record of this user."""
    engine = memory.engine
    return str([*engine.log.read(limit=1000), *engine.learnings.all(), *engine.log.acts(), *engine.items.dump()])


def days(number: int) -> int:
    return START_MS + number * 86_400_000


@pytest.mark.parametrize(("first", "second"), [("ana", "ben"), ("ben", "ana")])
def test_the_setting_goes_back_and_forth_and_the_file_stays_its_owners(tmp_path: Path, first: str, second: str) -> None:
    file = tmp_path / "user.md"
    with opened(tmp_path, first) as memory:
        say(memory, ANA)
        memory.workspace.soul.write_text(SOUL)
        file.write_text(file.read_text() + LINE + "\n")
    with opened(tmp_path, second) as memory:
        say(memory, BEN, session="s2")
    kept = file.read_text()
    assert "tabs" in kept
    assert LINE in kept
    assert "spaces" not in kept

    file.write_text(kept + LATER + "\n")  # the owner edits it while the setting names another
    for day in (3, 6):
        with opened(tmp_path, second, at_ms=days(day)) as memory:
            memory.parts.background.distil()
            assert not memory.parts.profile.is_owner
            assert "spaces" in told(memory), "preferences are told from the record, however old"
            for theirs in ("tabs", LINE, LATER, "Zanzibar", "Ana"):
                assert theirs not in told(memory)
                assert theirs not in known(memory)
            owner = memory.of(first)
            assert owner.parts.profile.is_owner
            assert LINE in told(owner)
            assert "spaces" not in told(owner) + known(owner)
        assert file.read_text() == kept + LATER + "\n"

        with opened(tmp_path, first, at_ms=days(day + 1)) as memory:
            memory.parts.background.distil()
            for own in ("tabs", LINE, LATER, "Zanzibar"):
                assert own in told(memory)
            assert {LINE, LATER} <= {one.text for one in memory.engine.log.read(session="user.md")}
            assert "spaces" not in told(memory) + known(memory)
            other = memory.of(second)
            assert not other.parts.profile.is_owner
            assert "spaces" in told(other)
            assert "tabs" not in told(other) + known(other)
        assert file.read_text() == kept + LATER + "\n"


def test_a_file_that_is_gone_is_written_anew_as_its_owners_whoever_opens_the_store(tmp_path: Path) -> None:
    with opened(tmp_path, "ana") as memory:
        say(memory, ANA)
    (tmp_path / "user.md").unlink()

    with opened(tmp_path, "ben"):
        assert (tmp_path / "user.md").read_text() == STARTER_USER
    with opened(tmp_path, "ana") as memory:
        assert [one.text for one in memory.engine.learnings.preferences()], "nobody has crossed out a line"
        assert "tabs" in (tmp_path / "user.md").read_text()


def test_what_a_tool_of_another_user_writes_into_the_file_is_not_its_owners_word(tmp_path: Path) -> None:
    with opened(tmp_path, "ana") as memory:
        say(memory, ANA)
    with opened(tmp_path, "ben") as memory:
        path = str(tmp_path / "user.md")
        spool_event(memory, "PostToolUse", "s2", tool_name="Write", tool_input={"file_path": path}, tool_response={})
        memory.parts.background.drain_spool()
        (tmp_path / "user.md").write_text((tmp_path / "user.md").read_text() + f"- {LATER}\n")

    with opened(tmp_path, "ana") as memory:
        assert LATER not in told(memory)
        assert not memory.engine.log.read(session="user.md")


def test_what_hooks_captured_is_not_taken_in_for_whoever_opens_the_store(tmp_path: Path) -> None:
    with opened(tmp_path, "ana") as memory:
        spool_event(memory, "UserPromptSubmit", prompt=ANA)

    with opened(tmp_path, "ana", user="carol") as carol:
        assert list(carol.engine.log.read()) == []
        assert [one.text for one in carol.of("ana").engine.log.read()] == [ANA]


def test_a_steward_answers_a_command_as_the_user_who_asks(tmp_path: Path) -> None:
    """The setting was changed while it runs."""
    with opened(tmp_path, "ana") as steward:
        steward.note("The teapot of ana is blue")
        steward.of("ben").note("The teapot of ben is red")
        question = {"ask": "search", "query": "teapot", "limit": 5, "project": None, "filters": ()}

        assert [hit.text for hit in answer_command(steward, {**question, "user": "ben"})] == [
            "The teapot of ben is red"
        ]
        assert [hit.text for hit in answer_command(steward, question)] == ["The teapot of ana is blue"]


def test_negative_control_by_the_setting_the_line_of_one_is_told_to_the_other(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(Profile, "owner", property(lambda self: self._store.settings.user))
    with opened(tmp_path, "ana") as memory:
        (tmp_path / "user.md").write_text((tmp_path / "user.md").read_text() + LINE + "\n")
        memory.parts.profile.sync()

    with opened(tmp_path, "ben") as memory:
        assert LINE in told(memory)
        assert LINE in known(memory)


# ---- a store of before


def store_of_before(home: Path, monkeypatch) -> None:
    scripts = read_migrations()
    older = scripts[: next(at for at, script in enumerate(scripts) if "owner untold" in script)]
    monkeypatch.setattr("reverie.engines.sqlite.database.read_migrations", lambda: older)
    home.mkdir()
    engine = SqliteEngine.open(home / "reverie.db", FakeEnv(), "ana")
    engine.log.append([Captured(kind=Kind.NOTE, text="hello", session="s", occurred_ms=START_MS)])
    engine.close()
    monkeypatch.undo()


def test_an_older_store_is_whose_the_setting_is_when_it_is_brought_up_and_that_is_said_once(
    tmp_path: Path, monkeypatch
) -> None:
    home = tmp_path / "home"
    store_of_before(home, monkeypatch)
    (home / "reverie.toml").write_text('user = "ana"\n')

    def status() -> str:
        return CliRunner().invoke(cli, ["--home", str(home), "actions"]).stderr

    assert "ana" in status()
    assert "user.md" not in status()
    (home / "reverie.toml").write_text('user = "ben"\n')
    assert "user.md" not in status()
    with opened(home, "ben") as memory:
        assert (memory.parts.profile.owner, memory.parts.profile.is_owner) == ("ana", False)


def test_a_new_store_says_nothing_of_its_owner(tmp_path: Path) -> None:
    with opened(tmp_path, "ana") as memory:
        assert (memory.parts.profile.owner, memory.parts.profile.owner_news) == ("ana", "")


def test_a_store_that_is_only_read_is_whose_it_was(tmp_path: Path) -> None:
    with opened(tmp_path, "ana"):
        pass
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("copy"))
    settings = replace(Settings(), user="ben")
    with Memory.open(copy, env=FakeEnv(), settings=settings, read_only=True) as memory:
        assert (memory.parts.profile.owner, memory.parts.profile.is_owner) == ("ana", False)
