"""Two threads and a model -> its vote whether they are one matter, in one word; or none, if it gives no usable answer.

The rules compare threads by their words. Near their bar they are as likely wrong as right: there a model is asked,
where there is a budget for one.
"""

from collections.abc import Callable, Sequence

from reverie.errors import ModelError
from reverie.foundation.chunks import tokens_of
from reverie.ports import Ask, Prompt
from reverie.records import Link, MemoryItem, Vote
from reverie.stores.episodes import LINK_ABOVE
from reverie.stores.quotable import day_of, speaker_of
from reverie.stores.summaries import element, prompt_file, quotes
from reverie.stores.threads import in_order

Voter = Callable[[Sequence[MemoryItem], Sequence[MemoryItem]], Vote | None]

MOST_VOTES = 20  # in one run: each is a question that costs money, and the next run may ask again
_NEAR = 0.2  # this far from the bar on either side
_SHOWN_TOKENS = 600  # of each thread
_WORDS = {
    "same": Vote(True, 0.95),
    "likely": Vote(True, 0.75),
    "unlikely": Vote(False, 0.75),
    "different": Vote(False, 0.95),
}


def doubtful(links: Sequence[Link]) -> list[Link]:
    """The comparisons whose score is near the bar, the nearest first."""
    near = [one for one in links if abs(one.score - LINK_ABOVE) <= _NEAR]
    return sorted(near, key=lambda one: (abs(one.score - LINK_ABOVE), one.older, one.newer))[:MOST_VOTES]


def vote(older: Sequence[MemoryItem], newer: Sequence[MemoryItem], ask: Ask) -> Vote | None:
    """Ask a model about two threads; None if it could not be asked, or said something else."""
    user = "\n".join([*_thread("earlier", older), *_thread("later", newer)])
    try:
        reply = ask(Prompt(prompt_file("vote.md"), user, max_output_tokens=8))
    except ModelError:
        return None
    return _WORDS.get(reply.text.strip().strip(".!*\"'").lower())


def _thread(name: str, items: Sequence[MemoryItem]) -> list[str]:
    """A thread as a model is shown it: whole if it is short, else its telling sentences."""
    ordered = in_order(items)
    shown = [element(speaker_of(item), day_of(item.created_ms), item.text) for item in ordered]
    if sum(tokens_of(item) for item in ordered) > _SHOWN_TOKENS:
        shown = [element(one.speaker, one.day, one.text) for one in quotes(ordered, _SHOWN_TOKENS)]
    return [f"<{name}>", *shown, f"</{name}>"]
