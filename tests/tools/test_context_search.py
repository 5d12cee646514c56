"""Context search: answered at once, found beside the conversation, in sight until the segment collapses."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from reverie.errors import BadInput
from reverie.records.prompt_inputs import ContextSearches, SearchResult, SearchState
from reverie.redact.secrets import redact
from reverie.testing import START_MS
from reverie.tools.context_search import ContextSearchTool
from tools.made import an_engine, an_id, at


class ByHand:
    """Work beside the conversation that the test does when it wants to."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], None]] = []

    def __call__(self, job: Callable[[], None]) -> None:
        self.jobs.append(job)

    def work(self, number: int = 0) -> None:
        self.jobs.pop(number)()


def find(query: str, limit: int) -> Sequence[SearchResult]:
    if query == "broken":
        raise OSError("the disk is gone")
    return [SearchResult(f"m{number}", f"{query} {number}", "words") for number in range(limit)]


@pytest.fixture
def searches(tmp_path: Path) -> Iterator[ContextSearches]:
    engine = an_engine(tmp_path)
    yield engine.searches
    engine.close()


@pytest.fixture
def beside() -> ByHand:
    return ByHand()


@pytest.fixture
def tool(searches: ContextSearches, beside: ByHand) -> ContextSearchTool:
    return a_tool(searches, beside)


def a_tool(searches: ContextSearches, beside: Callable[[Callable[[], None]], None]) -> ContextSearchTool:
    return ContextSearchTool(searches, find, an_id, lambda: START_MS, beside, redact)


def ask(tool: ContextSearchTool, query: str, turn: int = 1, seconds: float = 0, segment: str = "s1") -> str:
    answer = tool.run({"operation": "search", "query": query}, at(turn, seconds, segment))
    assert isinstance(answer, dict)
    return str(answer["task_id"])


def test_a_search_is_answered_before_it_is_done(
    tool: ContextSearchTool, beside: ByHand, searches: ContextSearches
) -> None:
    answer = tool.run({"operation": "search", "query": "the  dog's name", "limit": 2}, at(turn=3))

    assert answer["state"] == "pending"
    assert searches.all("s1")[0].query == "the dog's name"
    beside.work()
    tool.poll(at(turn=4))
    done = searches.all("s1")[0]
    assert (done.state, done.asked_turn, done.finished_turn) == (SearchState.SUCCESS, 3, 4)
    assert [one.text for one in done.found] == ["the dog's name 0", "the dog's name 1"]
    assert tool.run({"operation": "result", "task_id": done.id}, at())["found"][0] == {
        "id": "m0",
        "text": "the dog's name 0",
        "why": "words",
    }


def test_several_run_at_once_and_the_others_wait(
    tool: ContextSearchTool, beside: ByHand, searches: ContextSearches
) -> None:
    ids = [ask(tool, f"question {number}") for number in range(6)]

    assert len(beside.jobs) == 4
    beside.work(2)
    beside.work(0)
    assert len(beside.jobs) == 2
    over = tool.poll(at())
    assert {one.id for one in over} == {ids[2], ids[0]}
    assert len(beside.jobs) == 4
    while beside.jobs:
        beside.work()
    tool.poll(at())
    assert {one.state for one in searches.all("s1")} == {SearchState.SUCCESS}


def test_the_same_question_is_asked_once_in_a_segment(tool: ContextSearchTool, beside: ByHand) -> None:
    first = ask(tool, "The dog")

    assert ask(tool, " the   DOG ") == first
    beside.work()
    assert ask(tool, "the dog", turn=2) == first
    assert tool.run({"operation": "search", "query": "the dog"}, at(2))["state"] == "success"
    assert ask(tool, "the dog", segment="s2") != first
    assert len(beside.jobs) == 1


def test_what_failed_says_why_and_may_be_asked_again(
    tool: ContextSearchTool, beside: ByHand, searches: ContextSearches
) -> None:
    first = ask(tool, "broken")
    beside.work()
    tool.poll(at())

    assert searches.get(first).state is SearchState.FAILED
    assert tool.result(first)["problem"] == "OSError: the disk is gone"
    assert ask(tool, "broken") != first


def test_what_takes_too_long_is_given_up(tool: ContextSearchTool, beside: ByHand, searches: ContextSearches) -> None:
    slow = [ask(tool, f"slow {number}") for number in range(4)]
    waiting = ask(tool, "patient")

    tool.poll(at(seconds=10))
    assert {one.state for one in searches.all("s1")} == {SearchState.PENDING}
    tool.poll(at(turn=2, seconds=10.5))

    assert [searches.get(one).state for one in slow] == [SearchState.TIMED_OUT] * 4
    assert "longer than 10 s" in tool.result(slow[0])["problem"]
    assert searches.get(waiting).state is SearchState.PENDING  # its time began only now
    beside.work()  # too late
    beside.jobs.pop()()
    tool.poll(at(turn=2, seconds=11))
    assert searches.get(slow[0]).state is SearchState.TIMED_OUT
    assert searches.get(waiting).state is SearchState.SUCCESS


def test_a_search_whose_process_is_gone_times_out(
    tool: ContextSearchTool, searches: ContextSearches, beside: ByHand
) -> None:
    left = ask(tool, "the dog")

    after_restart = a_tool(searches, ByHand())
    after_restart.poll(at(seconds=60))

    assert searches.get(left).state is SearchState.TIMED_OUT


def test_when_no_thread_can_be_had_the_search_has_failed(searches: ContextSearches) -> None:
    def refuse(job: Callable[[], None]) -> None:
        raise RuntimeError("cannot schedule new futures after shutdown")

    tool = a_tool(searches, refuse)
    task = ask(tool, "the dog")

    assert tool.result(task)["state"] == "failed"


def test_a_segment_that_is_over_is_forgotten(
    tool: ContextSearchTool, beside: ByHand, searches: ContextSearches
) -> None:
    for number in range(6):
        ask(tool, f"question {number}")
    other = ask(tool, "elsewhere", segment="s2")

    assert tool.forget_segment("s1") == 6
    for _ in range(4):
        beside.work()  # what ran for it comes to nothing
    tool.poll(at(segment="s2"))
    beside.work()
    tool.poll(at(segment="s2"))

    assert [(one.id, one.state) for one in searches.all()] == [(other, SearchState.SUCCESS)]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"query": "  "}, "1 to 500 characters"),
        ({"query": "x" * 501}, "1 to 500 characters"),
        ({"query": "x", "limit": 0}, "1 to 20 results"),
        ({"query": "x", "limit": 99}, "1 to 20 results"),
        ({}, "needs 'query'"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(tool: ContextSearchTool, given: dict, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        tool.run({"operation": "search", **given}, at())


def test_a_task_that_is_not_known_names_those_that_are(tool: ContextSearchTool) -> None:
    with pytest.raises(BadInput, match="nothing has been searched for"):
        tool.result("x")
    task = ask(tool, "the dog")
    with pytest.raises(BadInput, match=f"the last ones are {task}"):
        tool.result("x")


def test_threads_never_touch_the_record(searches: ContextSearches) -> None:
    threads: list[threading.Thread] = []

    def in_a_thread(job: Callable[[], None]) -> None:
        threads.append(threading.Thread(target=job))
        threads[-1].start()

    tool = a_tool(searches, in_a_thread)
    ids = [ask(tool, f"question {number}") for number in range(10)]
    for _ in range(3):  # four at once
        for thread in threads:
            thread.join()
        tool.poll(at())

    assert [one.id for one in searches.all("s1")] == ids
    assert {one.state for one in searches.all("s1")} == {SearchState.SUCCESS}


def test_a_process_that_ends_waits_for_what_it_searches(searches: ContextSearches) -> None:
    jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
    tool = a_tool(searches, jobs.put)
    ids = [ask(tool, f"question {number}") for number in range(5)] + [ask(tool, "broken")]

    def work() -> None:
        for _ in ids:  # two of them begin only when others are over
            jobs.get()()

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    over = tool.wait(60, at(turn=7))

    assert sorted(one.id for one in over) == ids
    assert {one.finished_turn for one in over} == {7}
    assert [searches.get(one).state for one in ids] == [SearchState.SUCCESS] * 5 + [SearchState.FAILED]
    assert tool.wait(60) == []  # nothing runs, so there is nothing to wait for


def test_who_waits_does_not_wait_for_ever(tool: ContextSearchTool, beside: ByHand, searches: ContextSearches) -> None:
    done, slow = ask(tool, "the dog"), ask(tool, "the cat")
    beside.work()

    assert [one.id for one in tool.wait(0, at())] == [done]
    assert tool.wait(0.01, at()) == []
    assert searches.get(slow).state is SearchState.PENDING
    beside.work()
    assert [one.id for one in tool.wait(0, at())] == [slow]


def test_searches_of_another_user_are_not_seen(tmp_path: Path, beside: ByHand) -> None:
    ana, ben = an_engine(tmp_path), an_engine(tmp_path, "ben")
    task = ask(a_tool(ana.searches, beside), "the dog")

    with pytest.raises(BadInput, match="no search"):
        a_tool(ben.searches, beside).result(task)
    ana.close()
    ben.close()
