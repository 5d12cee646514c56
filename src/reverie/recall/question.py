"""The composite query: the prompt, and beside it what is being worked on.

The goal, the last plan and recent working memory help where the prompt says little ("go on", "and on Thursday?"). They
weigh little otherwise, so a plain question gets the answer that it would get without them; `asking` has the weights.
"""

from collections.abc import Sequence
from dataclasses import replace

from reverie.records import MemoryItem, ReadContext

_RECENT = 3  # items of working memory: what was talked of before that is another matter
_CHARS = 400  # of each
_TURN_TOKENS = 30  # a short turn with its date and speaker
_LEAST = 50  # memories, however small the budget
# Offered to the ranking at most, however large the budget: each must be fetched and ranked.
CANDIDATES = 200


def most_packed(context: ReadContext) -> int:
    """Say how many ranked memories to read for packing: enough short turns to fill the budget, and to be traced.

    >>> most_packed(ReadContext(query_text="", at_ms=0, budget_tokens=2000))
    66
    """
    return min(CANDIDATES, max(_LEAST, context.budget_tokens // _TURN_TOKENS))


def composite(context: ReadContext, working: Sequence[MemoryItem]) -> ReadContext:
    """The question with its surroundings. `working` is working memory in the order of the log.

    >>> composite(ReadContext(query_text="go on", at_ms=0, last_plan="fix the parser"), []).last_plan
    'fix the parser'
    """
    recent = [item.text[:_CHARS] for item in reversed(working[-_RECENT:])]
    return replace(context, last_plan="\n".join(part for part in (context.last_plan, *recent) if part))
