"""An installed hook, plug-in or service survives the move of its files: it works as it is, and `up` renews it."""

import json
import subprocess
from pathlib import Path

import pytest

from hooks.processes import complaints, spooled
from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.shells import install
from reverie.shells.daemon.service import service_of
from reverie.shells.install import InstallScope, State, apply, plan_install
from reverie.shells.install.entries import EVENTS, LAUNCHER, hook_command
from shells.test_install import HomeEnv, commands, pretend_installed

OLD_LAUNCHER = LAUNCHER.parents[1] / "shells" / "hook" / "launch.py"  # where it was until November 2026


@pytest.fixture
def env(tmp_path: Path) -> HomeEnv:
    return HomeEnv(tmp_path)


def move_back(path: Path) -> None:
    """What an earlier version wrote."""
    path.write_text(path.read_text().replace(str(LAUNCHER), str(OLD_LAUNCHER)))
    assert str(OLD_LAUNCHER) in path.read_text()


@pytest.mark.parametrize("event", ["PostToolUse", "Stop"])
def test_a_hook_that_names_the_old_place_still_works(tmp_path: Path, event: str) -> None:
    home = tmp_path / "home"
    command = hook_command(event, str(home)).replace(str(LAUNCHER), str(OLD_LAUNCHER))

    payload = json.dumps({"session_id": "s1", "cwd": str(tmp_path), "tool_name": "Read"}).encode()
    done = subprocess.run(["/bin/sh", "-c", command], input=payload, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    assert [record["event"] for record in spooled(home)] == [event]
    assert complaints(home) == []


def test_settings_with_the_old_place_are_known_as_ours_and_renewed(env: HomeEnv, tmp_path: Path) -> None:
    path = install.settings_path(InstallScope.USER, env, tmp_path)
    path.parent.mkdir()
    apply(plan_install(path, env, home="/my notes"), env)
    move_back(path)
    (found,) = install.installed(env, tmp_path)
    assert (found.state, found.home) == (State.OUTDATED, "/my notes"), "it works, so it is not called broken"

    assert install.refresh(env, tmp_path) == [path]

    assert commands(path) == [hook_command(event, "/my notes") for event in EVENTS]
    assert [one.state for one in install.installed(env, tmp_path)] == [State.CURRENT]


def test_a_plug_in_with_the_old_place_is_renewed(env: HomeEnv, tmp_path: Path) -> None:
    path, folder = install.settings_path(InstallScope.USER, env, tmp_path), tmp_path / "plugin"
    path.parent.mkdir()
    install.write_plugin(folder, env, home="/my notes")
    pretend_installed(path, folder)
    hooks = folder / "reverie" / "hooks" / "hooks.json"
    move_back(hooks)
    (found,) = install.installed(env, tmp_path)
    assert (found.state, found.home) == (State.OUTDATED, "/my notes")

    assert install.refresh(env, tmp_path) == [folder]

    assert commands(hooks) == [hook_command(event, "/my notes") for event in EVENTS]


@pytest.mark.parametrize(("platform", "name"), [("linux", "reverie.service"), ("darwin", "dev.reverie.steward.plist")])
def test_a_service_names_no_module_that_could_move_and_keeps_its_own_name(
    tmp_path: Path, platform: str, name: str
) -> None:
    service = service_of(Workspace(tmp_path), RealEnv(), platform)

    assert service.path.name == name
    assert "-m reverie " in service.text or "<string>-m</string><string>reverie</string>" in service.text
    assert "reverie." not in service.text.replace("dev.reverie.steward", "").replace(str(tmp_path), "")
