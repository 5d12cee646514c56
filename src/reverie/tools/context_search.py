"""The tool `get_context`: searches in memory that run beside the conversation.

A search is answered at once with a task id; what it finds comes into the prompt by itself, and stays until the segment
collapses. Only `find` runs elsewhere. It never touches what is kept here: it leaves what it found in a queue, and
whoever holds the conversation takes it from there (`poll`). One instance serves one conversation for as long as the
process lives; a search whose process is gone times out, so that who ends a process waits first (`wait`).
"""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import ClassVar

from reverie.errors import BadInput
from reverie.foundation.text import title_line
from reverie.records import JSON
from reverie.records.conversation_values import Moment
from reverie.records.prompt_inputs import ContextSearch, ContextSearches, SearchResult, SearchState
from reverie.tools.check_input import Clean
from reverie.tools.operations import OperationTool, operation

_MOST = 20  # results of one search: more would not be read
_LONGEST_QUERY = 500
SEARCH_SECONDS = 10.0  # for one search
_AT_ONCE = 4  # searches that run beside a conversation


@dataclass(frozen=True, slots=True)
class _Outcome:
    search_id: str
    found: tuple[SearchResult, ...] = ()
    problem: str = ""


class ContextSearchTool(OperationTool):
    name: ClassVar[str] = "get_context"
    description: ClassVar[str] = (
        "Search earlier conversations and everything remembered, without waiting: the results appear in "
        "<context_search_results> as soon as they are there."
    )
    hints: ClassVar[str] = "Ask for several things at once if you need them; go on meanwhile. Results stay in sight."

    def __init__(
        self,
        searches: ContextSearches,
        find: Callable[[str, int], Sequence[SearchResult]],
        new_id: Callable[[int], str],
        now_ms: Callable[[], int],
        run_beside: Callable[[Callable[[], None]], None],
        clean: Clean,
    ) -> None:
        self._searches = searches
        self._find = find
        self._new_id = new_id
        self._now_ms = now_ms
        self._run_beside = run_beside
        self._clean = clean
        self._waiting: deque[tuple[str, str, int]] = deque()  # id, query, limit
        self._begun: dict[str, int] = {}  # when each of those that run was begun
        self._outcomes: SimpleQueue[_Outcome] = SimpleQueue()
        # Tools may be called from more than one thread: a call that was given up goes on in its own. Whoever brings an
        # outcome says so here.
        self._lock = threading.Condition()

    @operation
    def search(self, query: str, limit: int = 5, moment: Moment | None = None) -> dict[str, JSON]:
        """Look for something in memory; answers at once, and the results come later."""
        moment = moment or Moment(self._now_ms())
        query = self._clean(query)
        wanted = _normal(query)
        if not wanted or len(query) > _LONGEST_QUERY:
            raise BadInput(f"a search needs 1 to {_LONGEST_QUERY} characters, not {len(query.strip())}")
        if not 1 <= limit <= _MOST:
            raise BadInput(f"a search gives 1 to {_MOST} results, not {limit}")
        with self._lock:
            self.poll(moment)
            for known in self._searches.all(moment.segment_id):
                if known.state in (SearchState.PENDING, SearchState.SUCCESS) and _normal(known.query) == wanted:
                    return {"task_id": known.id, "state": known.state.value}
            search = ContextSearch(
                id=self._new_id(moment.at_ms),
                query=" ".join(query.split()),
                state=SearchState.PENDING,
                segment_id=moment.segment_id,
                asked_turn=moment.turn,
                asked_ms=moment.at_ms,
            )
            self._searches.put(search)
            self._waiting.append((search.id, search.query, limit))
            self._begin(moment)
        return {"task_id": search.id, "state": search.state.value}

    @operation
    def result(self, task_id: str, moment: Moment | None = None) -> dict[str, JSON]:
        """Return the state of a search, and its results."""
        self.poll(moment or Moment(self._now_ms()))
        search = self._searches.get(task_id)
        if search is None:
            known = [one.id for one in self._searches.all(moment.segment_id if moment else None)][-5:]
            hint = f"the last ones are {', '.join(known)}" if known else "nothing has been searched for"
            raise BadInput(f'there is no search "{task_id}"; {hint}')
        told: dict[str, JSON] = {"task_id": search.id, "query": search.query, "state": search.state.value}
        if search.state is SearchState.SUCCESS:
            told["found"] = [{"id": one.id, "text": one.text, "why": one.why} for one in search.found]
        return {**told, "problem": search.problem} if search.problem else told

    def poll(self, moment: Moment) -> list[ContextSearch]:
        """Take in what is finished, give up what took too long, and begin what waits. Says which are over now."""
        with self._lock:
            over = [*self._finished(moment), *self._late(moment)]
            self._begin(moment)
        return over

    def wait(self, seconds: float, moment: Moment | None = None) -> list[ContextSearch]:
        """Wait until every search is over, at most this long, and take them in; says which are over now.

        For a process that ends after one turn. What is not back by then goes on being searched for, and may be polled.
        """
        asked = moment or Moment(self._now_ms())
        over: list[ContextSearch] = []

        def all_over() -> bool:
            over.extend(self.poll(replace(asked, at_ms=self._now_ms())))
            return not self._begun and not self._waiting

        with self._lock:
            self._lock.wait_for(all_over, max(0.0, seconds))
        return over

    def forget_segment(self, segment_id: str) -> int:
        """The segment is over: drop its searches. What still runs for it is ignored when it comes."""
        with self._lock:
            gone = {one.id for one in self._searches.all(segment_id)}
            self._waiting = deque(one for one in self._waiting if one[0] not in gone)
            for search_id in gone & set(self._begun):
                del self._begun[search_id]
            return self._searches.clear(segment_id)

    def _begin(self, moment: Moment) -> None:
        while self._waiting and len(self._begun) < _AT_ONCE:
            search_id, query, limit = self._waiting.popleft()
            self._begun[search_id] = moment.at_ms
            try:
                self._run_beside(self._work(search_id, query, limit))
            except RuntimeError as error:  # no thread can be had: the process is ending, or has too many
                self._outcomes.put(_Outcome(search_id, problem=_reason(error)))

    def _work(self, search_id: str, query: str, limit: int) -> Callable[[], None]:
        find, outcomes, lock = self._find, self._outcomes, self._lock

        def work() -> None:
            try:
                outcome = _Outcome(search_id, found=tuple(find(query, limit))[:limit])
            except Exception as error:  # whatever it is, nobody else in this thread could say so
                outcome = _Outcome(search_id, problem=_reason(error))
            outcomes.put(outcome)
            with lock:
                lock.notify_all()

        return work

    def _finished(self, moment: Moment) -> list[ContextSearch]:
        over = []
        while (outcome := self._next_outcome()) is not None:
            # What was given up, or belonged to a segment that is over, is not begun any more.
            if self._begun.pop(outcome.search_id, None) is None:
                continue
            search = self._searches.get(outcome.search_id)
            if search is None or search.state is not SearchState.PENDING:
                continue
            state = SearchState.FAILED if outcome.problem else SearchState.SUCCESS
            over.append(self._end(search, state, moment, found=outcome.found, problem=outcome.problem))
        return over

    def _next_outcome(self) -> _Outcome | None:
        try:
            return self._outcomes.get_nowait()
        except Empty:
            return None

    def _late(self, moment: Moment) -> list[ContextSearch]:
        """Return the searches that took longer than they may. One that waits for its turn has not begun."""
        seconds = SEARCH_SECONDS
        waiting = {search_id for search_id, _, _ in self._waiting}
        over = []
        for search in self._searches.all(moment.segment_id):  # other conversations look after their own
            if search.state is not SearchState.PENDING or search.id in waiting:
                continue
            if moment.at_ms - self._begun.get(search.id, search.asked_ms) > seconds * 1000:
                self._begun.pop(search.id, None)
                problem = f"it took longer than {seconds:g} s; search again, with other words perhaps"
                over.append(self._end(search, SearchState.TIMED_OUT, moment, problem=problem))
        return over

    def _end(
        self,
        search: ContextSearch,
        state: SearchState,
        moment: Moment,
        found: tuple[SearchResult, ...] = (),
        problem: str = "",
    ) -> ContextSearch:
        ended = replace(search, state=state, finished_turn=moment.turn, found=found, problem=problem)
        self._searches.put(ended)
        return ended


def _normal(query: str) -> str:
    """Normalise a query, so that queries that ask for the same are equal."""
    return " ".join(query.casefold().split())


def _reason(error: Exception) -> str:
    return title_line(f"{type(error).__name__}: {error}", 200)
