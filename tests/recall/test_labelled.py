"""A sample of prompts that need no memory, and of tasks that need a fact, written by somebody who did not know the rule.

`python -m bench floor` has all of them. Here one in five: silence where nothing is needed, and a good part of the facts.
"""

from collections.abc import Iterator

import pytest
from bench.floor import ask, remember_projects, rows, settings

from reverie import Memory
from reverie.testing import FakeEnv

_LATER_MS = 21 * 86_400_000


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, int]]:
    with Memory.open(tmp_path_factory.mktemp("ours") / "home", env=FakeEnv(), settings=settings("static")) as memory:
        yield memory, remember_projects(memory) + _LATER_MS


def test_everyday_prompts_are_met_with_silence(memory: tuple[Memory, int]) -> None:
    known, at_ms = memory
    told = [ask(known, row["prompt"], at_ms, project=f"/{row['project']}") for row in rows("everyday")[::5]]

    assert sum(one.is_silent for one in told) >= 0.8 * len(told)


def test_tasks_are_told_the_fact_that_they_need(memory: tuple[Memory, int]) -> None:
    known, at_ms = memory
    told = [ask(known, row["prompt"], at_ms, [row["needs"]], f"/{row['project']}") for row in rows("tasks")[::5]]

    assert sum(one.is_hit and not one.is_silent for one in told) >= 0.3 * len(told)
