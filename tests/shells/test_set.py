"""`--set` reaches every command, over the file and the variables, and processes that a command starts as well."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from hooks.processes import spooled
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.shells.cli.main import cli
from reverie.shells.daemon.service import service_of
from support.client import REVERIE, Place, fresh_place, steward, wait_until


@pytest.fixture
def place() -> Iterator[Place]:
    with fresh_place() as found:
        yield found


def test_an_argument_wins_over_variables_and_they_over_the_file(place: Place) -> None:
    place.workspace.mkdir(mode=0o700)
    (place.workspace / "reverie.toml").write_text("[model]\ndaily_dollars = 1\n")
    assert "of $1.0000 today" in place.reverie("status")
    place.variables["REVERIE_MODEL_DAILY_DOLLARS"] = "2"
    assert "of $2.0000 today" in place.reverie("status")
    assert "of $3.0000 today" in place.reverie("--set", "model.daily_dollars=3", "status")
    assert "of $4.0000 today" in place.reverie(
        "--set", "model.daily_dollars=3", "--set", "model.daily_dollars=4", "status"
    )


@pytest.mark.parametrize("command", sorted(cli.names))
@pytest.mark.parametrize(
    ("pair", "complaint"),
    [
        (
            "model.daily_dolars=1",
            'no setting "model.daily_dolars" (in the arguments); did you mean "model.daily_dollars"?',
        ),
        ("continuum.tool_rounds=many", "continuum.tool_rounds is 'many'; it takes a whole number, at least 1"),
        ("continuum.tool_rounds", "--set takes SECTION.KEY=VALUE"),
    ],
)
def test_a_wrong_one_stops_every_command(
    command: str, pair: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reverie.shells.cli.main import cli

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(click.UsageError) as raised:
        cli.main(["--set", pair, command], standalone_mode=False)

    assert complaint in str(raised.value)
    assert raised.value.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_what_a_command_finds_out_under_other_settings_no_steward_is_asked(place: Place) -> None:
    place.reverie("note", "The owner is bob@example.com.")
    with steward(place):
        wait_until(lambda: "owner" in place.reverie("search", "owner"), "it answers")
        assert "bob@example.com" in place.reverie("search", "owner")
        assert "bob@example.com" not in place.reverie("--set", "privacy.email=mask", "search", "owner")


def test_a_hook_by_hand_hears_it(place: Place) -> None:
    event = '{"session_id": "q", "hook_event_name": "Stop"}'
    place.reverie("--set", "project.enabled=false", "hook", "Stop", stdin=event)
    assert spooled(place.workspace) == []
    place.reverie("hook", "Stop", stdin=event)
    assert len(spooled(place.workspace)) == 1


def test_a_steward_in_the_background_has_it_and_one_that_runs_is_not_passed_over(place: Place) -> None:
    pid = place.reverie_json("--set", "inbox.idle_turn_seconds=7", "up", "--detach")["pid"]
    assert b"--set\0inbox.idle_turn_seconds=7\0" in Path(f"/proc/{pid}/cmdline").read_bytes()

    ran = place.run(REVERIE, "--set", "continuum.tool_rounds=3", "up", "--detach")
    assert ran.code == 1
    assert f"process {pid} is the steward, with its own settings; run `reverie down` first" in ran.err
    place.reverie("down")


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", '--home "/w" --set "model.name=a \\"b\\" 5%%" up --plain'),
        ("darwin", '<string>/w</string><string>--set</string><string>model.name=a "b" 5%</string><string>up</string>'),
    ],
)
def test_a_service_has_it_too(platform: str, expected: str) -> None:
    text = service_of(Workspace(Path("/w")), RealEnv(), platform, {"model.name": 'a "b" 5%'}).text

    assert expected in text


def test_a_workspace_that_is_made_with_it_belongs_to_whom_it_says(place: Place) -> None:
    place.reverie("--set", "user=ana", "note", "Ana likes tea.")

    assert "tea" in place.reverie("--set", "user=ana", "log")
    assert "tea" not in place.reverie("log")
