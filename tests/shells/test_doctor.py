"""The doctor looks at everything, whatever it finds on the way; and what it offers to repair, it repairs."""

import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from hooks.processes import spooled, without_root_powers
from reverie.engines.sqlite.database import read_migrations
from reverie.engines.sqlite.schema import read_versions
from reverie.engines.sqlite.upgrade import teach
from support.client import REVERIE, Place, fresh_place

NEWEST = len(read_migrations())


@pytest.fixture
def place() -> Iterator[Place]:
    with fresh_place() as found:
        yield found


Found = dict[str, tuple[bool, str]]


def doctor(place: Place, *words: str) -> Found:
    """What it found, by name. It never aborts, and its exit code says the same."""
    ran = place.run(REVERIE, "doctor", *words, "--json")
    assert ran.err == ""
    found = {it["name"]: (it["is_fine"], it["detail"]) for it in json.loads(ran.out)}
    assert ran.code == (0 if all(is_fine for is_fine, _ in found.values()) else 1)
    return found


def bad(found: Found) -> set[str]:
    return {name for name, (is_fine, _) in found.items() if not is_fine}


def call(place: Place, number: int = 1) -> None:
    place.hook("PostToolUse", tool_name="Bash", tool_use_id=f"t{number}", tool_response={"stdout": f"{number} passed"})


# What needs no record. `locks` and `steward` are there where one may write.
ALWAYS = {
    "library",
    "settings",
    "file system",
    "permissions",
    "locks",
    "steward",
    "record",
    "spool",
    "hook errors",
    "hooks",
}


# ---- without a record


def test_before_the_first_event_everything_is_looked_at_and_nothing_is_made(place: Place) -> None:
    for words in ((), ("--repair",)):
        found = doctor(place, *words)
        assert set(found) == ALWAYS
        assert bad(found) == set()
    assert not place.workspace.exists()


def test_events_that_wait_for_a_first_record_are_told_and_taken_in_by_a_repair(place: Place) -> None:
    call(place)
    found = doctor(place)
    assert bad(found) == set()
    assert "bytes are waiting" in found["spool"][1]
    assert not (place.workspace / "reverie.db").exists(), "looking changes nothing"

    assert "empty" in doctor(place, "--repair")["spool"][1]
    assert spooled(place.workspace) == []
    assert [it.text for it in place.observations() if "1 passed" in it.text]


def test_without_a_record_hooks_that_are_switched_off_are_bad_news_too(place: Place) -> None:
    place.reverie("install", "claude-code")
    shutil.rmtree(place.workspace)
    place.workspace.mkdir(mode=0o700)
    place.settings.write_text(json.dumps({**json.loads(place.settings.read_text()), "disableAllHooks": True}))

    assert bad(doctor(place)) == {"hooks"}


@pytest.mark.parametrize("left", ["user.md", "write.lock", "steward.lock"])
def test_a_record_that_is_gone_is_bad_news(place: Place, left: str) -> None:
    place.reverie("note", "Staging runs Postgres 14.")
    shutil.rmtree(place.workspace / "spool")
    for path in place.workspace.iterdir():
        if path.name != left:
            path.unlink()
    call(place)

    found = doctor(place)
    assert bad(found) == {"record"}
    assert f"is gone, but {left} is there" in found["record"][1]

    assert bad(doctor(place, "--repair")) == set()
    assert bad(doctor(place)) == set()
    assert [it.text for it in place.observations() if "1 passed" in it.text]


def test_what_the_log_beside_a_lost_record_holds_is_saved_and_nobody_throws_it_away(place: Place) -> None:
    place.reverie("note", "Staging runs Postgres 14.")
    (place.workspace / "reverie.db").unlink()
    log = (place.workspace / "reverie.db-wal").read_bytes()
    assert len(log) > 10_000, "a young record stands in its log"

    ran = place.run(REVERIE, "status")
    assert ran.code == 1
    assert "is gone, but the log beside it is there; run `reverie doctor --repair`" in ran.err
    assert bad(doctor(place)) == {"record"}
    assert (place.workspace / "reverie.db-wal").read_bytes() == log

    assert bad(doctor(place, "--repair")) == set()
    assert "Postgres 14" in place.reverie("search", "postgres")
    (aside,) = place.workspace.glob("reverie.db.damaged-*-wal")
    assert aside.read_bytes() == log


# ---- a spool that is none


def make_file(path: Path) -> None:
    path.write_text("my notes")


def make_folder(path: Path) -> None:
    path.mkdir()
    (path / "notes").write_text("my notes")


def make_link(path: Path) -> None:
    path.symlink_to("nowhere")


@pytest.mark.parametrize("has_record", [False, True])
@pytest.mark.parametrize(
    ("name", "make"),
    [("spool", make_file), ("spool", make_link), ("spool/lock", make_folder)],
)
def test_what_stands_in_the_way_of_hooks_is_told_and_set_aside(
    place: Place, name: str, make: Callable[[Path], None], has_record: bool
) -> None:
    if has_record:
        place.reverie("note", "Staging runs Postgres 14.")
        shutil.rmtree(place.workspace / "spool")
    path = place.workspace / name
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    place.workspace.chmod(0o700)
    make(path)
    call(place)

    found = doctor(place)
    assert bad(found) - {"permissions"} == {"spool", "hook errors"}
    assert f"{path} is not a " in found["spool"][1]
    status = place.reverie("status")
    assert f"warning    {path} is not a " in status
    assert "memory     " in status
    assert "`reverie doctor --repair` sets it aside" in status

    repaired = doctor(place, "--repair")
    assert repaired["spool"][0]
    (aside,) = (it for it in path.parent.iterdir() if it.name.startswith(f"{path.name}.aside-"))
    assert aside.name in repaired["spool"][1]
    assert aside.is_symlink() or (aside if aside.is_file() else aside / "notes").read_text() == "my notes"
    call(place, 2)
    assert len(spooled(place.workspace)) == 1
    place.reverie("status")
    assert bad(doctor(place)) == set()


# ---- a number that is not that of the tables


def alter(place: Place, sql: str) -> None:
    connection = apsw.Connection(str(place.workspace / "reverie.db"))
    connection.execute(sql)
    connection.close()


def set_version(place: Place, version: int) -> None:
    alter(place, f"PRAGMA user_version = {version}")


def learned(place: Place) -> None:
    place.reverie("note", "From now on always use pnpm instead of npm.")
    call(place)
    place.reverie("status")


@pytest.mark.parametrize("version", range(NEWEST))
def test_a_number_that_was_set_back_is_told_and_set_right(place: Place, version: int) -> None:
    learned(place)
    set_version(place, version)

    ran = place.run(REVERIE, "search", "pnpm")
    assert f"says that it has schema {version}, but its tables do not match that" in ran.err
    found = doctor(place)
    assert bad(found) == {"schema"}
    assert set(found) >= ALWAYS
    assert f"says version {version}, but its tables are those of {NEWEST}" in found["schema"][1]

    assert bad(doctor(place, "--repair")) == set()
    assert bad(doctor(place)) == set()
    assert "pnpm" in place.reverie("search", "pnpm")
    assert list(place.workspace.glob("reverie.db.damaged-*")) == [], "nothing had to be carried over"


def test_a_number_that_was_set_forward_is_told_and_everything_carried_over(place: Place) -> None:
    learned(place)
    set_version(place, NEWEST + 1)

    found = doctor(place)
    assert bad(found) == {"schema"}
    assert "if a newer Reverie wrote it, upgrade, otherwise --repair carries over what is in it" in found["schema"][1]

    assert bad(doctor(place, "--repair")) == set()
    assert bad(doctor(place)) == set()
    assert "pnpm" in place.reverie("search", "pnpm")
    assert len(list(place.workspace.glob("reverie.db.damaged-????????"))) == 1


def test_a_newer_reveries_record_is_left_alone_whatever_is_asked(place: Place) -> None:
    learned(place)
    connection = apsw.Connection(str(place.workspace / "reverie.db"))
    connection.execute("ALTER TABLE observations ADD COLUMN mood TEXT NOT NULL DEFAULT ''; CREATE TABLE moods (a)")
    connection.execute(f"PRAGMA user_version = {NEWEST + 1}; PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    before = (place.workspace / "reverie.db").read_bytes()

    for words in ((), ("--repair",)):
        found = doctor(place, *words)
        assert bad(found) == {"schema"}
        assert f"version {NEWEST + 1}, and this Reverie knows {NEWEST}: upgrade Reverie" in found["schema"][1]
        assert (place.workspace / "reverie.db").read_bytes() == before


def test_a_number_that_no_reverie_will_ever_have_is_damage(place: Place) -> None:
    learned(place)
    alter(place, "DROP TABLE goals")
    set_version(place, 0x41414141)

    assert "schema" in bad(doctor(place))
    assert bad(doctor(place, "--repair")) == set()
    assert "pnpm" in place.reverie("search", "pnpm")


def test_a_table_that_is_missing_is_told_and_the_rest_carried_over(place: Place) -> None:
    learned(place)
    alter(place, "DROP TABLE goals")

    found = doctor(place)
    assert "schema" in bad(found)
    assert "its tables are not those of any version" in found["schema"][1]
    assert set(found) >= ALWAYS
    assert bad(doctor(place, "--repair")) == set()
    assert "pnpm" in place.reverie("search", "pnpm")


def test_what_somebody_added_beside_our_tables_is_nobodys_business(place: Place) -> None:
    learned(place)
    alter(place, "CREATE TABLE mine (a); CREATE INDEX fast ON observations (project); ANALYZE")

    assert bad(doctor(place)) == set()


@pytest.mark.parametrize("version", range(1, NEWEST))
def test_an_older_record_is_no_bad_news(place: Place, version: int) -> None:
    path = place.workspace / "reverie.db"
    place.workspace.mkdir(mode=0o700)
    connection = apsw.Connection(str(path))
    teach(connection)
    for script in read_migrations()[:version]:
        connection.execute(script)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    path.chmod(0o600)

    found = doctor(place)

    assert bad(found) == set()
    assert f"version {version}, and this Reverie has {NEWEST}" in found["schema"][1]
    assert read_versions(path).said == NEWEST


# ---- capture that is switched off, or goes elsewhere


@pytest.mark.parametrize("by", ["file", "variable"])
def test_capture_that_is_off_everywhere_is_told(place: Place, by: str) -> None:
    place.reverie("install", "claude-code")
    if by == "file":
        (place.workspace / "reverie.toml").write_text("[project]\nenabled = false\n")
        why = f"{place.workspace / 'reverie.toml'} says [project] enabled = false"
    else:
        place.variables["REVERIE_PROJECT_ENABLED"] = "no"
        why = "REVERIE_PROJECT_ENABLED is 'no'"
    call(place)
    assert spooled(place.workspace) == []
    said = f"{why}, so nothing is captured or told in any project"

    assert f"warning    {said}" in place.reverie("status")
    found = doctor(place)
    assert bad(found) - {"permissions"} == {"hooks"}, "they were installed to capture"
    assert said in found["hooks"][1]

    place.reverie("uninstall", "claude-code")
    found = doctor(place)
    assert found["hooks"][0], "nobody wanted anything captured"
    assert said in found["hooks"][1]


@pytest.mark.parametrize("flag", ["--user", "--project", "--plugin"])
def test_hooks_whose_interpreter_has_gone_are_renewed_by_the_command_that_is_named_and_by_a_repair(
    place: Place, flag: str
) -> None:
    place.reverie("install", "claude-code", flag)
    hooks = {
        "--user": place.settings,
        "--project": place.project / ".claude" / "settings.local.json",
        "--plugin": place.workspace / "plugin" / "reverie" / "hooks" / "hooks.json",
    }[flag]
    if flag == "--plugin":
        source = {"source": {"source": "directory", "path": str(place.workspace / "plugin")}}
        known = {"extraKnownMarketplaces": {"reverie-local": source}, "enabledPlugins": {"reverie@reverie-local": True}}
        place.settings.parent.mkdir(exist_ok=True)
        place.settings.write_text(json.dumps(known))

    def breaks() -> str:
        hooks.write_text(hooks.read_text().replace(sys.executable, "/gone/bin/python"))
        is_fine, said = doctor(place)["hooks"]
        assert not is_fine
        return said

    said = breaks()
    assert "/gone/bin/python does not exist" in said
    (command,) = re.findall("`reverie (.*?)` renews them", said)
    place.reverie(*shlex.split(command))
    assert doctor(place)["hooks"][0]

    breaks()
    assert doctor(place, "--repair")["hooks"][0]


def test_hooks_that_report_to_another_workspace_say_so(place: Place) -> None:
    other = place.home / "w2"
    place.reverie("--home", other, "install", "claude-code")
    call(place)

    line = f"they report to {other}, not to {place.workspace}"
    assert line in place.reverie("status")
    assert place.reverie_json("status")["hooks"][0]["reports_to"] == str(other)
    is_fine, said = doctor(place)["hooks"]
    assert (is_fine, line in said) == (False, True)
    assert "not to" not in place.reverie("--home", other, "status")
    assert place.run(REVERIE, "--home", other, "doctor").code == 0

    place.reverie("install", "claude-code")
    assert doctor(place)["hooks"][0]
    assert "not to" not in place.reverie("status")
    ran = place.run(REVERIE, "--home", other, "doctor")
    assert f"they report to {place.workspace}, not to {other}" in ran.out
    assert ran.code == 0, "who names a workspace may look at any"


# ---- variables that are none of ours


def test_a_variable_that_is_no_setting_is_told(place: Place) -> None:
    place.variables["REVERIE_ENABLED"] = "false"

    assert "warning    REVERIE_ENABLED: not a setting; ignored" in place.reverie("status")
    is_fine, said = doctor(place)["settings"]
    assert (is_fine, "REVERIE_ENABLED: not a setting; ignored" in said) == (True, True)

    place.variables["REVERIE_MODEL_BUDGET"] = "5"
    assert place.run(REVERIE, "status").code != 0
    is_fine, said = doctor(place)["settings"]
    assert not is_fine
    assert '"REVERIE_MODEL_BUDGET"' in said
    assert 'did you mean "REVERIE_MODEL_' in said


# ---- who may read what


def as_anybody(place: Place, *words: str) -> Found:
    """What it finds for a person who may read only what is theirs to read; root may read everything."""
    process = place.start(REVERIE, "doctor", *words, "--json", preexec_fn=without_root_powers)
    out, err = process.communicate(timeout=60)
    assert err == ""
    return {it["name"]: (it["is_fine"], it["detail"]) for it in json.loads(out)}


@pytest.mark.parametrize("words", [(), ("--repair",)])
@pytest.mark.parametrize("name", ["*", "reverie.db", "reverie.db-wal", "reverie.db-shm"])
def test_what_may_not_be_read_is_no_damage(place: Place, name: str, words: tuple[str, ...]) -> None:
    place.reverie("note", "Staging runs Postgres 14.")
    files = [path for path in place.workspace.glob(name) if path.is_file()]
    before = [path.read_bytes() for path in files]
    for path in files:
        path.chmod(0)

    found = as_anybody(place, *words)

    first = place.workspace / ("reverie.db" if name == "*" else name)
    assert {"permissions", "record", "writing"} <= bad(found)
    for check in ("permissions", "record", "writing"):
        assert f"you have no permission to read {first}" in found[check][1]
    assert not [said for _, said in found.values() if "damaged" in said or "--repair" in said]
    assert "check who owns it" in found["record"][1]
    assert [path.read_bytes() for path in files] == before
    assert list(place.workspace.glob("*.damaged-*")) == []


@pytest.mark.parametrize("name", ["", "reverie.toml", "user.md", "write.lock"])
def test_a_closed_folder_or_file_is_named_and_the_rest_looked_at(place: Place, name: str) -> None:
    place.reverie("note", "Staging runs Postgres 14.")
    (place.workspace / "reverie.toml").touch()
    (place.workspace / name).chmod(0)

    found = as_anybody(place)
    (place.workspace / name).chmod(0o700)

    assert set(found) >= ALWAYS - {"locks", "steward"}
    is_fine, said = found["permissions"]
    assert (is_fine, str(place.workspace / name) in said) == (False, True)


def test_what_lies_in_a_closed_folder_others_cannot_read(place: Place) -> None:
    place.home.parent.chmod(0o755)
    place.reverie("note", "Staging runs Postgres 14.")
    settings = place.workspace / "reverie.toml"
    settings.write_text("[model]\ndaily_dollars = 0\n")
    settings.chmod(0o644)

    assert bad(doctor(place)) == set()


def test_what_others_can_reach_is_told_and_closed(place: Place) -> None:
    if any(not folder.stat().st_mode & 0o011 for folder in (Path(tempfile.gettempdir()) / "x").resolve().parents):
        pytest.skip("nobody else can reach temporary files here")
    place.reverie("note", "Staging runs Postgres 14.")
    place.home.parent.chmod(0o755)
    place.home.chmod(0o755)
    place.workspace.chmod(0o711)
    (place.workspace / "user.md").chmod(0o644)
    assert doctor(place)["permissions"] == (False, f"others can read {place.workspace}; --repair closes it")

    place.home.chmod(0o700)
    assert bad(doctor(place)) == set(), "a folder above it is closed"

    place.home.chmod(0o755)
    assert doctor(place, "--repair")["permissions"] == (True, "closed 2 files to others")
    assert (place.workspace / "user.md").stat().st_mode & 0o777 == 0o600
    assert bad(doctor(place)) == set()


# ---- files that were edited by hand


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (b"{broken", "is not valid JSON"),
        (b"[]", "the settings are not an object"),
        (b'{"hooks": {"Stop": {}}}', 'the value of "Stop" in "hooks" is not a list'),
        (b'{"a": "\xff"}', "is not UTF-8"),
    ],
)
@pytest.mark.parametrize("whose", ["person", "project"])
def test_an_agents_broken_settings_are_told_as_install_tells_them(
    place: Place, whose: str, text: bytes, wrong: str
) -> None:
    path = place.settings if whose == "person" else place.project / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_bytes(text)

    for words in ((), ("--repair",)):
        found = doctor(place, *words)
        assert bad(found) == {"hooks"}
        for part in (str(path), wrong, "repair it by hand"):
            assert part in found["hooks"][1]
    status = [line for line in place.reverie("status").splitlines() if line.startswith("hooks")]
    assert (len(status), wrong in status[0]) == (1, True)
    assert path.read_bytes() == text
    ran = place.run(REVERIE, "install", "claude-code", *(["--project"] if whose == "project" else []))
    assert (ran.code, wrong in ran.err) == (1, True)


@pytest.mark.parametrize("text", ["", "{}", '\ufeff{"hooks": {}}', '{"hooks": {"Mine": 5}}'])
def test_settings_without_hooks_of_ours_are_well(place: Place, text: str) -> None:
    place.settings.parent.mkdir()
    place.settings.write_text(text)

    assert doctor(place)["hooks"] == (True, "not installed")


def test_settings_that_are_no_toml_say_what_must_be_mended(place: Place) -> None:
    place.reverie("note", "Staging runs Postgres 14.")
    (place.workspace / "reverie.toml").write_text("[broken")

    is_fine, said = doctor(place)["settings"]
    assert not is_fine
    assert said.endswith("; until this is fixed, hooks tell agents nothing")


# ---- whatever fails


def test_a_check_that_fails_does_not_keep_the_others_from_being_made(place: Place) -> None:
    place.reverie("note", "Staging runs Postgres 14.")
    (place.workspace / "steward.lock").unlink(missing_ok=True)
    (place.workspace / "hook-errors.log").mkdir()
    os.rename(place.workspace / "user.md", place.workspace / "kept.md")
    (place.workspace / "user.md").mkdir()

    found = doctor(place)

    assert set(found) >= ALWAYS
    assert "hook errors" in bad(found)
