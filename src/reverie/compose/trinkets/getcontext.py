"""Show the results of the searches that were asked for in the current segment.

Results stay until the segment collapses; what failed or ran out of time is told for a few turns.
"""

from reverie.compose.markup import Markup, Origin, tag
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import attribute, group, line, lines_of, listed
from reverie.compose.trinkets.proactive_memory import short_id
from reverie.records.prompt_inputs import ContextSearch, SearchResult, SearchState

_RESULT_CHARS = 600
_RESULTS_AT_MOST = 10  # of one search
_PROBLEM_TURNS = 5  # that the message of a failed search is shown


class GetContextTrinket(EventAwareTrinket):
    """Shows searches, those that are still running too. It keeps nothing itself: the inputs have them by segment."""

    reads = ("searches",)

    def _get_variable_name(self) -> str:
        return "context_search_results"

    def generate_content(self, context: TrinketContext) -> Markup:
        current = [it for it in context.inputs.searches if it.segment_id == context.segment_id]
        told = [it for it in current if self._is_told(it, context.turn_number)]
        newest_first = told[::-1]
        return group("context_search_results", listed(newest_first, _search, "ask again for older ones", most=12))

    def _is_told(self, search: ContextSearch, turn: int) -> bool:
        if search.state in (SearchState.PENDING, SearchState.SUCCESS):
            return True
        return turn - search.finished_turn <= _PROBLEM_TURNS


def _search(search: ContextSearch) -> Markup:
    origin = Origin(0, "search", search.id, f"asked in turn {search.asked_turn}")
    return tag(
        "search",
        *_outcome(search),
        id=attribute(search.id, 40),
        query=attribute(search.query, 200),
        state=search.state,
        origin=origin,
    )


def _outcome(search: ContextSearch) -> list[Markup | str]:
    if search.state is SearchState.PENDING:
        return ["still searching"]
    if search.state is SearchState.SUCCESS:
        return [*listed(search.found, _found, "search finds them", most=_RESULTS_AT_MOST)] or ["nothing found"]
    return [line(search.problem) or "no reason was given"]


def _found(found: SearchResult) -> Markup:
    told = lines_of(line(found.text, _RESULT_CHARS), "memory", found.id, found.why)
    return tag("result", told, id=short_id(found.id))
