"""The steward as a service: it is told which variables it will not see, and leaves nothing behind when it goes."""

import json
from pathlib import Path

import pytest

from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace
from reverie.shells.daemon.service import service_of
from shells.conftest import Reverie
from support.client import REVERIE, fresh_place, wait_until

ASKING = '[model]\nprovider = "anthropic"\ndaily_dollars = 1.0\n'


@pytest.fixture
def units(tmp_path: Path, reverie: Reverie, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where systemd of this person looks; they have a memory."""
    for name in ("XDG_CONFIG_HOME", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    reverie("note", "hello")
    return tmp_path / "person" / ".config" / "systemd" / "user"


def asks_a_model(tmp_path: Path, more: str = "") -> None:
    (tmp_path / "person" / ".reverie" / "reverie.toml").write_text(ASKING + more)


def test_a_key_that_a_service_does_not_see_is_told_with_the_way_to_give_it_and_never_written(
    reverie: Reverie, units: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "does not see" not in reverie("admin", "service", "install").out, "without a model none is needed"

    asks_a_model(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-of-mine")
    for words in ((), ("--dry-run",)):
        said = reverie("admin", "service", "install", *words).out
        assert "does not see this shell's variables" in said
        assert "ANTHROPIC_API_KEY: write NAME=VALUE into a file" in said
        assert "`systemctl --user edit reverie`" in said
        assert "a-key-of-mine" not in said
    assert json.loads(reverie("admin", "service", "install", "--json").out)["variables"] == ["ANTHROPIC_API_KEY"]
    assert "a-key-of-mine" not in (units / "reverie.service").read_text()


@pytest.mark.parametrize(
    ("settings", "variables", "needed"),
    [
        ("", {}, ["ANTHROPIC_API_KEY"]),
        ('key_variable = "MY_KEY"\n', {}, ["MY_KEY"]),
        ('base_url = "http://127.0.0.1:11434"\n', {}, []),
        ('base_url = "http://127.0.0.1:11434"\n', {"ANTHROPIC_API_KEY": "k"}, ["ANTHROPIC_API_KEY"]),
        ("", {"ANTHROPIC_BASE_URL": "http://127.0.0.1:11434"}, ["ANTHROPIC_BASE_URL"]),
    ],
)
def test_only_what_the_model_needs_is_told(
    reverie: Reverie,
    units: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: str,
    variables: dict[str, str],
    needed: list[str],
) -> None:
    asks_a_model(tmp_path, settings)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert json.loads(reverie("admin", "service", "install", "--dry-run", "--json").out)["variables"] == needed


def test_on_a_mac_the_way_is_another() -> None:
    service = service_of(Workspace(Path("/w")), RealEnv(), "darwin")

    assert "launchctl setenv" in service.how_to_give
    assert service.after_removal == "launchctl remove dev.reverie.steward"


def test_uninstalling_takes_the_service_out_of_what_starts_at_login(reverie: Reverie, units: Path) -> None:
    reverie("admin", "service", "install")
    file, link = units / "reverie.service", units / "default.target.wants" / "reverie.service"
    link.parent.mkdir()
    link.symlink_to(file)  # as `systemctl --user enable` does

    looked = reverie("admin", "service", "uninstall", "--dry-run")
    assert f"would remove {file}" in looked.out
    assert f"would remove {link}" in looked.out
    assert file.exists()
    assert link.is_symlink()
    assert json.loads(reverie("admin", "service", "uninstall", "--dry-run", "--json").out)["removed"] is False

    said = reverie("admin", "service", "uninstall").out
    assert "systemctl --user daemon-reload" in said
    assert not file.exists()
    assert not link.is_symlink()
    assert "nothing to remove" in reverie("admin", "service", "uninstall").out


def test_a_link_that_was_left_behind_is_removed_too(reverie: Reverie, units: Path) -> None:
    link = units / "default.target.wants" / "reverie.service"
    link.parent.mkdir(parents=True)
    link.symlink_to(units / "reverie.service")

    assert f"removed {link}" in reverie("admin", "service", "uninstall").out
    assert not link.is_symlink()


def test_a_steward_without_the_key_that_is_set_here_has_to_be_started_anew() -> None:
    with fresh_place() as place:
        place.reverie("note", "hello")
        (place.workspace / "reverie.toml").write_text(ASKING)
        place.reverie("up", "--detach")
        wait_until(lambda: "no key for" in place.reverie("status"), "the steward says that it has no key")
        assert "is set here" not in place.reverie("status")

        place.variables["ANTHROPIC_API_KEY"] = "a-key"
        said = place.reverie("status")
        assert "ANTHROPIC_API_KEY is set here, but not where the steward was started: `reverie down`" in said
        (model,) = [it for it in json.loads(place.run(REVERIE, "doctor", "--json").out) if it["name"] == "model"]
        assert not model["is_fine"]
        assert "is set here" in model["detail"]

        place.reverie("down")
        place.reverie("up", "--detach")
        del place.variables["ANTHROPIC_API_KEY"]
        wait_until(lambda: "no model is asked" not in place.reverie("status"), "the steward has it, which is enough")
        place.reverie("down")
