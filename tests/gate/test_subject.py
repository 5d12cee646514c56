"""Supersession: a newer fact about the same subject takes the place of the older, and nothing else does."""

from gate.given import item, judged, stored
from gate.subject_pairs import DIFFERENT, SAME
from reverie.gate.subject import subject_of
from reverie.records import Drop, ItemType, Keep, Merge, Trust
from support.every import every


def test_there_are_enough_pairs() -> None:
    assert len(SAME) >= 40
    assert len(DIFFERENT) >= 60


@every(("older", "newer"), SAME)
def test_a_newer_fact_supersedes_the_older(older: str, newer: str) -> None:
    verdict = judged(item(newer), stored(older))

    assert isinstance(verdict, Keep)
    assert verdict.supersedes == "old"
    assert verdict.item.valid_from_ms == 2_000
    assert verdict.item.valid_to_ms is None


@every(("older", "newer"), DIFFERENT)
def test_other_facts_stand_beside_it(older: str, newer: str) -> None:
    verdict = judged(item(newer), stored(older))

    assert isinstance(verdict, Keep | Drop)
    assert getattr(verdict, "supersedes", "") == ""


@every(("older", "newer"), SAME)
def test_not_across_projects_and_not_by_a_less_trusted_source(older: str, newer: str) -> None:
    elsewhere = judged(item(newer, project="/a"), stored(older, project="/b"))
    poisoned = judged(item(newer, trust=Trust.LOCAL_TOOL), stored(older))

    assert getattr(elsewhere, "supersedes", "") == ""
    assert getattr(poisoned, "supersedes", "") == ""


@every(("older", "newer"), SAME)
def test_an_older_fact_that_arrives_late_is_history(older: str, newer: str) -> None:
    verdict = judged(item(older, created_ms=500), stored(newer))

    assert isinstance(verdict, Keep)
    assert verdict.supersedes == ""
    assert (verdict.item.valid_to_ms, verdict.item.superseded_by) == (1_000, "old")
    assert not verdict.item.is_current


def test_a_late_fact_that_is_trusted_more_is_not_ended_by_a_tools() -> None:
    verdict = judged(
        item("The staging port is 8080", created_ms=500), stored("The staging port is 9090", trust=Trust.LOCAL_TOOL)
    )

    assert isinstance(verdict, Keep)
    assert verdict.item.is_current


def test_the_newest_of_several_is_the_one_that_ends() -> None:
    known = [stored(f"The staging port is {port}", id=f"m{port}", created_ms=port) for port in (1001, 1003, 1002)]
    verdict = judged(item("The staging port is 9090"), *known)

    assert isinstance(verdict, Keep)
    assert verdict.supersedes == "m1003"


def test_what_was_superseded_before_is_not_superseded_again_nor_merged_into() -> None:
    gone = stored("The staging port is 8080", superseded_by="m2")
    now = stored("The staging port is 9090", id="m2", created_ms=1_500)
    verdict = judged(item("The staging port is 8080"), gone, now)

    assert isinstance(verdict, Keep)
    assert verdict.supersedes == "m2"


def test_a_given_subject_wins() -> None:
    assert subject_of(item("The staging port is 8080", subject="ports")) == "ports"
    verdict = judged(
        item("run ruff", ItemType.PREFERENCE, subject="linter"),
        stored("use flake8", ItemType.PREFERENCE, subject="linter"),
    )
    assert isinstance(verdict, Keep)
    assert verdict.supersedes == "old"


def test_events_have_no_subject() -> None:
    assert subject_of(item("The staging port is 8080", ItemType.USER_MESSAGE)) == ""


@every(
    ("known", "new"),
    [
        ("port 8080 is open on the old gateway", "port 9090 is open on the old gateway"),
        ("use tabs in makefiles of this project", "do not use tabs in makefiles of this project"),
        ("Ana manages Bo in the data team", "Bo manages Ana in the data team"),
        ("tabs instead of spaces", "spaces instead of tabs"),
        ("the export runs every Monday at the end of the night shift", "the export runs every Tuesday at the end of the night shift"),
    ],
)  # fmt: skip
def test_alike_is_not_the_same(known: str, new: str) -> None:
    assert not isinstance(judged(item(new), stored(known)), Merge)


@every(
    ("known", "new"),
    [
        ("The staging port is 8080", "staging port: 8080"),
        ("Always run the tests with pytest", "please run tests with pytest"),
        ("we use pnpm, not npm", "We use pnpm, not npm."),
    ],
)
def test_a_twin_strengthens_the_memory_it_repeats(known: str, new: str) -> None:
    verdict = judged(item(new), stored(known))

    assert isinstance(verdict, Merge)
    assert verdict.into == "old"
