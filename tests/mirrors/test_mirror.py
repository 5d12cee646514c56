"""A mirror shows values in a person's file and takes in what they change there; what they wrote is never overwritten."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.env.real import RealFiles
from reverie.memory import Memory
from reverie.mirrors import Edits, Mirror, MirrorLine, MirrorSection, find_edits
from reverie.testing import FakeEnv

HEADING = "## Plans"
START = f"# Plans of Sam\n\n{HEADING}\n\n"


class Plans:
    """Values by id, and a file that shows them: the smallest use of a mirror."""

    def __init__(self, memory: Memory, **plans: str) -> None:
        self.plans = dict(plans)
        self.heard: list[Edits] = []
        self.path = memory.workspace.home / "plans.md"
        self.mirror = Mirror(
            self.path, memory.env, memory.engine, self.sections, self.take_in, starter=START, shows="plans"
        )

    def sections(self) -> list[MirrorSection]:
        return [MirrorSection(HEADING, tuple(MirrorLine(f"- {text}", id) for id, text in self.plans.items()))]

    def take_in(self, edits: Edits, text: str, since: int) -> None:
        self.heard.append(edits)
        for line in edits.removed:
            self.plans.pop(line.id, None)
        for line, now in edits.edited:
            self.plans[line.id] = now.removeprefix("- ")

    def save(self, text: str) -> None:
        self.path.write_bytes(text.encode())

    @property
    def shown(self) -> str:
        return self.path.read_bytes().decode()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", env=FakeEnv()) as opened:
        yield opened


@pytest.fixture
def plans(memory: Memory) -> Plans:
    plans = Plans(memory, a="sleep", b="eat", c="sing")
    plans.mirror.sync()
    assert plans.shown == START + "- sleep\n- eat\n- sing\n"
    return plans


def test_an_edit_in_the_middle_is_told_with_the_id_of_its_value(plans: Plans) -> None:
    plans.save(START + "- sleep\n- eat soup\n- sing\n")

    plans.mirror.sync()

    assert plans.heard == [Edits(edited=((MirrorLine("- eat", "b"), "- eat soup"),))]
    assert plans.shown == START + "- sleep\n- eat soup\n- sing\n"
    plans.mirror.sync()
    assert len(plans.heard) == 1, "it is heard once"


def test_a_line_that_was_edited_is_ours_again_when_its_value_changes(plans: Plans) -> None:
    plans.save(START + "- sleep\n- eat soup\n- sing\n")
    plans.mirror.sync()

    plans.plans["b"] = "eat bread"
    plans.mirror.sync()

    assert "- eat bread\n" in plans.shown
    assert "- eat soup\n" in plans.shown, "the person wrote it: it is theirs"


def test_a_deleted_line_is_told_and_does_not_come_back(plans: Plans) -> None:
    plans.save(START + "- sleep\n- sing\n")

    plans.mirror.sync()

    assert plans.heard == [Edits(removed=(MirrorLine("- eat", "b"),))]
    assert plans.shown == START + "- sleep\n- sing\n"


def test_an_added_line_is_told_and_stays_where_it_is(plans: Plans) -> None:
    plans.save(START + "- sleep\n- eat\n\nSunday:\n- sing\n")
    plans.plans["d"] = "swim"

    plans.mirror.sync()

    assert plans.heard == [Edits(added=("Sunday:",))]
    assert plans.shown == START + "- sleep\n- eat\n\nSunday:\n- sing\n- swim\n"


def test_lines_in_another_order_are_no_edit_and_keep_it(plans: Plans) -> None:
    plans.save(START + "- sing\n- sleep\n- eat\n")
    plans.plans["d"] = "swim"

    plans.mirror.sync()

    assert plans.heard == []
    assert plans.shown == START + "- sing\n- sleep\n- eat\n- swim\n"


def test_other_line_ends_are_no_edit_and_are_kept(plans: Plans) -> None:
    plans.save(plans.shown.replace("\n", "\r\n"))
    plans.plans["d"] = "swim"

    plans.mirror.sync()

    assert plans.heard == []
    assert plans.shown == (START + "- sleep\n- eat\n- sing\n- swim\n").replace("\n", "\r\n")


def test_a_file_without_a_newline_at_its_end_stays_without(plans: Plans) -> None:
    plans.save(plans.shown.removesuffix("\n"))
    plans.plans["d"] = "swim"

    plans.mirror.sync()

    assert plans.heard == []
    assert plans.shown == START + "- sleep\n- eat\n- sing\n- swim"


def test_a_value_that_is_gone_goes_and_takes_nothing_of_the_persons_with_it(plans: Plans) -> None:
    plans.save("- eat\n" + plans.shown)
    plans.mirror.sync()
    del plans.plans["b"]

    plans.mirror.sync()

    assert plans.shown == "- eat\n" + START + "- sleep\n- sing\n"


def test_a_file_that_was_there_before_us_keeps_every_byte(memory: Memory) -> None:
    plans = Plans(memory, a="sleep")
    plans.path.write_bytes(b"mine, all mine\r\n\xff\xfe\x00")

    plans.mirror.sync()

    assert plans.path.read_bytes().startswith(b"mine, all mine\r\n\xff\xfe\x00")
    assert b"- sleep" in plans.path.read_bytes()


def test_a_read_only_file_is_left_alone_and_read(plans: Plans) -> None:
    plans.save(plans.shown + "- swim\n")
    plans.path.chmod(0o444)
    before = plans.path.read_bytes()
    plans.plans["e"] = "dance"

    plans.mirror.sync()

    assert plans.path.read_bytes() == before
    assert plans.heard == [Edits(added=("- swim",))]
    assert "read-only" in (plans.mirror.obstacle() or "")
    assert "- dance" in plans.mirror.text(), "it is told all the same"
    plans.path.chmod(0o640)
    plans.mirror.sync()
    assert "- dance\n" in plans.shown
    assert plans.path.stat().st_mode & 0o777 == 0o640, "its permissions are the person's, too"


def test_a_link_is_not_written_through(plans: Plans, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("not yours\n")
    plans.path.unlink()
    plans.path.symlink_to(elsewhere)

    plans.mirror.sync()

    assert elsewhere.read_text() == "not yours\n"
    assert plans.path.is_symlink()
    assert "symbolic link" in (plans.mirror.obstacle() or "")


def test_a_huge_file_is_compared_line_by_line_without_comparing_each_with_each(memory: Memory) -> None:
    known = Plans(memory, **{f"p{number}": f"plan {number}" for number in range(50_000)})
    known.mirror.sync()
    lines = known.shown.splitlines(keepends=True)
    lines[25_000] = "- another plan\n"
    known.save("".join(lines))

    known.mirror.sync()

    ((edits),) = known.heard
    assert [now for _, now in edits.edited] == ["- another plan"]
    assert len(known.shown.splitlines()) == 50_004


class SavedOnce(RealFiles):
    """Files in which a person saves just after the file was read for the first time."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.data = path, data

    def read(self, path: Path, *, follow: bool = True) -> bytes | None:
        found = super().read(path, follow=follow)
        if path == self.path and self.data:
            self.path.write_bytes(self.data)
            self.data = b""
        return found


def test_what_a_person_saves_while_we_write_wins_and_is_heard(memory: Memory, plans: Plans) -> None:
    env = FakeEnv()
    env.files = SavedOnce(plans.path, plans.path.read_bytes() + b"- my own\n")
    plans.plans["d"] = "swim"
    mirror = Mirror(plans.path, env, memory.engine, plans.sections, plans.take_in)

    mirror.sync()

    assert plans.heard == [Edits(added=("- my own",))]
    assert plans.shown == START + "- sleep\n- eat\n- sing\n- my own\n- swim\n"
    assert [path.name for path in plans.path.parent.glob("*plans.md*")] == ["plans.md"]


_SHOW = """
import sys
sys.path.insert(0, sys.argv[1])
from test_mirror import Plans
from reverie.memory import Memory
with Memory.open(sys.argv[2], catch_up=False) as memory:
    plans = Plans(memory)
    for number in range(20):
        plans.plans = {f"p{n}": f"plan {n}" for n in range(number + 1)}
        plans.mirror.sync()
    assert not any(edits.added or edits.edited for edits in plans.heard), plans.heard
"""


def test_two_processes_that_write_at_once_do_not_take_each_other_for_a_person(memory: Memory) -> None:
    here, home = str(Path(__file__).parent), str(memory.workspace.home)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([here, str(Path(__file__).parents[1])])}
    running = [
        subprocess.Popen([sys.executable, "-c", _SHOW, here, home], env=environment, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]

    said = [process.communicate(timeout=120)[1] for process in running]

    assert [process.returncode for process in running] == [0, 0], said
    assert (Path(home) / "plans.md").read_text() == START + "".join(f"- plan {n}\n" for n in range(20))


def test_a_line_of_a_person_that_is_replaced_is_no_edit_of_ours() -> None:
    assert find_edits("- x\nnew\n", "- x\nold\n", [MirrorLine("- x", "1")]) == Edits(("new",), (MirrorLine("old"),))


def test_lines_of_an_older_store_without_ids_are_known_as_ours(memory: Memory) -> None:
    plans = Plans(memory, a="sleep")
    plans.save(START + "- sleep\n- eat\n")
    memory.engine.mirrors.record("plans.md", plans.path.read_bytes(), plans.path.read_bytes())
    memory.engine.mirrors.record("plans.md: our lines", b"sleep\neat", b"sleep\neat")

    plans.mirror.sync()

    assert plans.heard == []
    assert plans.shown == START + "- sleep\n"
