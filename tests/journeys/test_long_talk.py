"""A long conversation with a model on loopback: the cached prefix stays, byte for byte, but for causes that are named.

`make bench` holds it over 200 turns; here the same things happen in fewer.
"""

from pathlib import Path

import pytest
from bench.conversation import Held, hold

TURNS = 40


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Held:
    return hold(tmp_path_factory.mktemp("talk"), "tail", TURNS)


def test_every_turn_is_answered(held: Held) -> None:
    assert held.problems == ()
    assert len(held.texts) == TURNS
    assert all(held.texts)


def test_the_prefix_changes_only_where_the_ledger_names_a_cause(held: Held) -> None:
    named = [entry for entry in held.entries if entry.broken_by]

    assert held.changed_prefixes() <= len(named) <= 5, held.causes
    assert all(entry.cause for entry in named)
    told = " ".join(held.causes)
    for what in ("reminders loaded", "punchclock loaded", "domaindoc changed", "segment collapsed"):
        assert what in told


def test_what_is_billed_is_close_to_what_had_to_be(held: Held) -> None:
    billed, _ = held.billed()

    assert billed <= 1.15 * held.unavoidable()


def test_reminders_come_due_memories_surface_and_searches_come_back(held: Held) -> None:
    assert any("Send the invoice" in tail and "overdue" in tail for tail in held.tails)
    assert sum("<surfaced_memories>" in tail for tail in held.tails) > TURNS / 2
    assert any("<context_search_results>" in tail for tail in held.tails)
    assert any("<punchclock>" in tail for tail in held.tails)


def test_with_everything_in_the_system_prompt_the_same_talk_is_billed_many_times_over(
    held: Held, tmp_path: Path
) -> None:
    literal = hold(tmp_path, "system", 30)
    billed, _ = literal.billed()

    assert literal.problems == ()
    assert billed > 1.3 * literal.unavoidable()
    assert len([entry for entry in literal.entries if entry.broken_by.startswith("system/")]) > 8
