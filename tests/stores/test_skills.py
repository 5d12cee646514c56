"""Skills: a task that was done again and again and worked; nothing that only looks like one."""

from dataclasses import replace

import pytest

from reverie.records import SEMANTIC, ItemType, Lifecycle
from reverie.stores import skills
from reverie.stores.skills import faded, skills_of
from stores.said import DAY_MS, HOUR_MS, derive_id, did, said


def release(number: int, *, failed: bool = False, session: str = ""):
    """A release as somebody does it: bump, test, tag, push."""
    where = {"session": session or f"task-{number}", "at_ms": number * HOUR_MS}
    return [
        did("Edit", f"src/shop/version_{number}.py", **where),
        did("Bash", f"pytest -q tests/part{number}", failed=failed, **where),
        did("Bash", f"git tag v1.{number}.0 && git push --tags", **where),
    ]


def releases(count: int, **more):
    return [item for number in range(count) for item in release(number, **more)]


def test_a_task_that_was_done_three_times_becomes_a_skill() -> None:
    items = releases(3)

    (skill,) = skills_of(items, [], derive_id)

    assert (skill.type, skill.store, skill.lifecycle) == (ItemType.SKILL, SEMANTIC, Lifecycle.FROZEN)
    assert skill.confidence == 0.72
    assert skill.text.splitlines() == [
        "Edit, then pytest, then git tag, then git push",
        "1. Edit: <path>",
        "2. Bash: pytest -q <path>",
        "3. Bash: git tag <version>",
        "4. Bash: git push --tags",
    ]
    assert set(skill.sources) == {item.id for item in items}
    assert skill.version == 1


def test_the_same_parameter_each_time_is_part_of_the_skill() -> None:
    items = [
        did("Bash", command, session=f"t{number}")
        for number in range(3)
        for command in ("make build", f"scp dist/app.tgz deploy@host:/srv/{number}")
    ]

    (skill,) = skills_of(items, [], derive_id)

    assert "scp dist/app.tgz <path>" in skill.text


def test_hashes_numbers_and_texts_become_slots() -> None:
    items = [
        did("Bash", command, session=f"t{number}")
        for number, (commit, port, message) in enumerate(
            [("a1b2c3d", "8080", "'fix it'"), ("0f9e8d7", "8081", "'do it'"), ("deadbe3f", "9", "'stop'")]
        )
        for command in (f"git cherry-pick {commit}", f"serve --port {port}", f"git commit -m {message}")
    ]

    (skill,) = skills_of(items, [], derive_id)

    assert skill.text.splitlines()[1:] == [
        "1. Bash: git cherry-pick <hash>",
        "2. Bash: serve --port <number>",
        "3. Bash: git commit -m <text>",
    ]


def test_twice_is_a_coincidence() -> None:
    assert skills_of(releases(2), [], derive_id) == []


def test_repetitions_in_one_session_count_too() -> None:
    assert len(skills_of(releases(4, session="one"), [], derive_id)) == 1


@pytest.mark.parametrize(
    "commands",
    [
        [("Read", "src/app.py")] * 9,
        [("Read", f"src/file{number}.py") for number in range(9)],
        [("Grep", "parse"), ("Read", "src/app.py")] * 4,
        [("Bash", "ls src"), ("Bash", "cat src/app.py"), ("Bash", "git status")] * 4,
        [("Edit", "a.py"), ("Read", "a.py")] * 4,
        [("Bash", "pytest -q")] * 9,
        [("WebSearch", "python csv"), ("WebFetch", "https://docs.example.org")] * 5,
    ],
    ids=["same file", "many files", "search and read", "looking", "edit and read", "one step", "web search"],
)
def test_looking_again_and_doing_one_thing_often_are_no_skills(commands) -> None:
    assert skills_of([did(tool, given) for tool, given in commands], [], derive_id) == []


def test_trying_again_until_it_works_is_one_repetition() -> None:
    attempts = [
        item for number in range(4) for item in (did("Edit", "src/app.py"), did("Bash", "pytest -q", failed=number < 3))
    ]

    assert skills_of(attempts, [], derive_id) == []


def test_what_often_fails_is_no_skill() -> None:
    runs = [item for number in range(4) for item in release(number, failed=number == 0)]

    assert skills_of(runs, [], derive_id) == []


def test_what_was_said_in_between_is_no_step() -> None:
    items = [part for item in releases(3) for part in (item, said("go on", session=item.session, channel=""))]

    assert len(skills_of(items, [], derive_id)) == 1


def test_practice_makes_surer_and_failure_less_sure_and_each_is_a_version() -> None:
    items = releases(3)
    (skill,) = skills_of(items, [], derive_id)

    good = [*items, *release(3)]
    (better,) = skills_of(good, [skill], derive_id)
    (worse,) = skills_of([*good, *release(4, failed=True)], [better], derive_id)

    assert [one.confidence for one in (skill, better, worse)] == [0.72, 0.77, 0.67]
    assert (worse.version, worse.lineage_ids) == (3, (skill.id, better.id))
    assert (worse.metadata["runs"], worse.metadata["failures"]) == (5, 1)


def test_seeing_the_same_runs_again_changes_nothing() -> None:
    items = releases(3)
    known = skills_of(items, [], derive_id)

    assert skills_of(items, known, derive_id) == []


def test_a_known_skill_is_recognised_in_a_single_new_run() -> None:
    known = skills_of(releases(3), [], derive_id)

    (better,) = skills_of(release(9), known, derive_id)

    assert better.version == 2


def test_what_is_not_used_fades_by_the_month() -> None:
    (skill,) = skills_of(releases(3), [], derive_id)

    for days, confidence in ((29, 0.72), (30, 0.684), (60, 0.6498), (-5, 0.72)):
        assert faded(skill, skill.created_ms + days * DAY_MS).confidence == confidence


def test_there_are_at_most_so_many_and_the_least_sure_go(monkeypatch: pytest.MonkeyPatch) -> None:
    (skill,) = skills_of(releases(3), [], derive_id)
    known = [
        replace(skill, id=f"k{number}", subject=f"skill:{number}", confidence=0.5 + number / 10) for number in range(3)
    ]

    monkeypatch.setattr(skills, "MAX_SKILLS", 2)
    changed = skills_of(releases(3), known, derive_id)

    assert [(one.id, one.lifecycle) for one in changed] == [
        (skill.id, Lifecycle.FROZEN), ("k1", Lifecycle.EXPIRED), ("k0", Lifecycle.EXPIRED),
    ]  # fmt: skip


@pytest.mark.parametrize("given", ["", "\0 && \0", "'unclosed && x", "&& ; ||", "a" * 5000, "x='1' y"])
def test_odd_commands_are_read_without_harm(given: str) -> None:
    found = skills_of([did("Bash", given) for _ in range(9)], [], derive_id)

    assert len(found) <= 1


def test_what_has_no_input_or_no_tool_is_passed_over() -> None:
    items = [replace(item, metadata={}) for item in releases(3)]
    items += [replace(item, metadata={"tool": "Bash", "input": None}) for item in releases(3)]

    assert skills_of(items, [], derive_id) == []
