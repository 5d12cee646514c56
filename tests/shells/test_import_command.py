"""What `import transcript` says of what it left out, and of what is in when it breaks off."""

import json
import resource
from pathlib import Path

import pytest

from shells.conftest import Reverie
from support.client import REVERIE, fresh_place

OPT_OUT = "[project]\nenabled = false\n"


def transcript(path: Path, folder: Path | str, count: int = 2, text: str = "We always use pnpm.") -> Path:
    """So many prompts of one session in a folder."""
    lines = [
        {
            "type": "user",
            "sessionId": "s1",
            "uuid": f"u{number}",
            "promptId": f"p{number}",
            "timestamp": f"2026-03-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z",
            "cwd": str(folder),
            "message": {"role": "user", "content": f"{text} ({number})"},
        }
        for number in range(count)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


# ---- who opted out


@pytest.mark.parametrize(
    ("by", "is_in_a_folder"),  # what was said nowhere is no project's
    [("project", True), ("workspace", True), ("variable", True), ("workspace", False), ("variable", False)],
)
def test_who_opted_out_is_left_out_of_an_import_and_it_is_said(
    reverie: Reverie, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str, is_in_a_folder: bool
) -> None:
    settings = tmp_path / "person" / ".reverie" / "reverie.toml"
    settings.parent.mkdir(parents=True)
    named = {"project": str(shop / ".reverie.toml"), "workspace": str(settings), "variable": "REVERIE_PROJECT_ENABLED"}
    if by == "variable":
        monkeypatch.setenv("REVERIE_PROJECT_ENABLED", "false")
    else:
        Path(named[by]).write_text(OPT_OUT)
    file = transcript(tmp_path / "t.jsonl", shop if is_in_a_folder else "")

    said = reverie("admin", "import", "transcript", file)
    told = json.loads(reverie("admin", "import", "transcript", file, "--json").out)

    assert said.out == (
        f"0 new observations of 0 in 1 file\nleft out: 2 observations from places where {named[by]} switched capture off\n"
    )
    assert (told["new"], told["seen"], told["opted_out"], told["opted_out_by"]) == (0, 0, 2, [named[by]])
    assert json.loads(reverie("log", "--json").out) == []


def test_only_the_project_that_opted_out_is_left_out(reverie: Reverie, shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (shop / ".reverie.toml").write_text(OPT_OUT)
    files = [transcript(tmp_path / "a.jsonl", shop, 3), transcript(tmp_path / "b.jsonl", other, 2)]

    told = json.loads(reverie("admin", "import", "transcript", *files, "--json").out)

    assert (told["new"], told["opted_out"], told["opted_out_by"]) == (2, 3, [str(shop / ".reverie.toml")])


def test_who_has_not_opted_out_reads_nothing_of_it(reverie: Reverie, shop: Path, tmp_path: Path) -> None:
    told = reverie("admin", "import", "transcript", transcript(tmp_path / "t.jsonl", shop))

    assert told.out == "2 new observations of 2 in 1 file\n"


# ---- a disk that is full


def test_an_import_that_breaks_off_says_how_much_is_in_and_the_next_adds_the_rest() -> None:
    with fresh_place() as place:
        place.reverie("note", "hello")
        file = transcript(place.project / "t.jsonl", place.project, 2000, "We deploy on Fridays. " * 20)

        def small_files() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))

        process = place.start(REVERIE, "admin", "import", "transcript", file, "--json", preexec_fn=small_files)
        out, err = process.communicate(timeout=60)
        told = json.loads(out)

        assert (process.returncode, told["kind"], err) == (1, "BulkStopped", "")
        stored = told["stored"]
        assert 0 < stored < 2000
        assert f"What was stored before is safe ({stored:,} new observations)" in told["error"]
        assert "importing again adds only what is missing" in told["error"]
        with place.memory() as memory:
            assert memory.engine.health().observations == stored + 1

        assert place.reverie_json("admin", "import", "transcript", file)["new"] == 2000 - stored
