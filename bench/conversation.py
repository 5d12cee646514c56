"""A conversation of 200 turns against a scripted model on loopback: what the provider's prefix cache would bill.

Reminders come due, memories surface, tools are loaded, a document is edited, a preference is learned, and a segment
collapses. The same conversation is held twice: with what changes after the history, and with all of it in the system
prompt, as the first design of trinkets had it.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from bench.table import Figure, figures, progress
from reverie.env.real import RealEnv
from reverie.language.tokens import count_tokens
from reverie.memory import Memory
from reverie.ports import HttpRequest, HttpStream
from reverie.records.conversation_values import LedgerEntry
from reverie.settings import ComposeSettings, ModelSettings, PersonSettings, Settings
from reverie.testing import FakeEnv
from reverie.window.ledger import totals, unavoidable
from support.provider_cache import ProviderCache, prefix, size_of
from support.scripted_model import ScriptedModel

TURNS = 200
_SUBJECTS = ("the staging deploy", "the invoice export", "the search index", "the login page", "the backup job")
_SILENCE_AT = 120  # after this turn of 200 nothing is said for two hours


class TalkEnv(FakeEnv):
    """An invented clock, and a real network."""

    def http_stream(
        self, request: HttpRequest, is_cancelled: Any = lambda: False
    ) -> AbstractContextManager[HttpStream]:
        return RealEnv().http_stream(request, is_cancelled)


@dataclass(frozen=True)
class Held:
    """A conversation that was held: the ledger, the bodies that were sent, and when."""

    entries: tuple[LedgerEntry, ...]
    bodies: tuple[dict[str, Any], ...]
    texts: tuple[str, ...]  # what was answered
    tails: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def causes(self) -> list[str]:
        return [f"turn {one.turn}: {one.broken_by}: {one.cause}" for one in self.entries if one.broken_by]

    def billed(self) -> tuple[int, int]:
        """What a provider bills for these bodies, and what it reads from its cache."""
        cache = ProviderCache(_tokens_of, minimum=1024, lifetime_ms=300_000)
        for entry, body in zip(self.entries, self.bodies, strict=True):
            cache.ask(body, entry.at_ms)
        return cache.billed, cache.read

    def unavoidable(self) -> int:
        return sum(unavoidable(entry) for entry in self.entries)

    def changed_prefixes(self) -> int:
        """How often the bytes before the history changed from one request to the next, as they went over the wire."""
        pairs = zip(self.bodies, self.bodies[1:], strict=False)
        return sum(prefix(before) != prefix(after) for before, after in pairs)


def _tokens_of(block: dict[str, Any]) -> int:
    return count_tokens(block["text"]) if block.get("type") == "text" else size_of(block) // 4


def script(turns: int) -> Iterator[str]:
    """What the person says, with what the model does beside it. A shorter talk has the same things happen sooner."""
    steps = {
        10: 'CALL tool_repo {"operation": "load", "names": ["reminders", "get_context"]}\n'
        'CALL reminders {"operation": "add", "title": "Send the invoice", "when": "in 20 minutes"}',
        25: 'CALL get_context {"operation": "search", "query": "who owns the backup job"}',
        40: 'CALL tool_repo {"operation": "load", "names": ["punchclock"]}\n'
        'CALL punchclock {"operation": "start", "label": "review"}',
        60: 'CALL memory {"operation": "search", "query": "who owns the login page"}',
        90: 'CALL tool_repo {"operation": "load", "names": ["domaindoc"]}',
        95: 'CALL domaindoc {"operation": "append", "name": "shop", "header": "Deploy", "text": "Ask Ben first."}',
    }
    steps = {at(turn, turns): step for turn, step in steps.items()}
    for turn in range(1, turns + 1):
        subject = _SUBJECTS[turn % len(_SUBJECTS)]
        asked = f"Question {turn}: what do we know about {subject}, and what should I do next about it?"
        if turn == at(70, turns):
            asked = "I prefer short answers with a list of steps."
        answer = (
            f"SAY Step {turn} for {subject}: look at the log of the last run, compare it with the one before, and "
            "write down what differs. Then ask whoever owns it whether that was meant."
        )
        yield "\n".join([asked, *steps.get(turn, "").splitlines(), answer])


def at(turn: int, turns: int) -> int:
    """When something happens in a talk of so many turns, which happens at this turn of 200."""
    return max(1, turn * turns // TURNS)


def hold(home: Path, placement: Literal["tail", "system"], turns: int = TURNS) -> Held:
    """Hold the conversation once."""
    with ScriptedModel() as model:
        env = TalkEnv(seed=11, variables={"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": model.url})
        settings = Settings(
            person=PersonSettings(first_name="Ana", time_zone="Europe/Berlin"),
            compose=ComposeSettings(volatile=placement, trinket_ms=5_000, deadline_ms=20_000),
            # A model whose provider caches from 1,024 tokens on, so that the first turns count as well.
            model=ModelSettings(provider="anthropic", name="claude-sonnet-4-5", daily_dollars=1_000),
        )
        settings = replace(settings, continuum=replace(settings.continuum, segment_dollars=1_000))
        with Memory.open(home, env=env, settings=settings) as memory:
            _furnish(memory)
            conversation = memory.continuum()
            results = []
            for turn, text in enumerate(script(turns), start=1):
                results.append(conversation.send(text))
                memory.parts.background.catch_up()
                env.pass_time(2 * 3600 if turn == at(_SILENCE_AT, turns) else 45)
            entries = tuple(entry for result in results for entry in result.ledger)
            return Held(
                entries,
                tuple(request.body for request in model.asked_by_agents),
                tuple(result.text for result in results),
                tuple(result.composed.tail for result in results),
                tuple(result.problem for result in results if result.problem),
            )


def _furnish(memory: Memory) -> None:
    """A memory that has been lived in: notes that surface, a document, a goal."""
    people = ("Ben", "Carla", "Dmitri", "Eva", "Farid")
    for number in range(100):
        subject, who = _SUBJECTS[number % len(_SUBJECTS)], people[number * 7 % len(people)]
        memory.note(f"{who} looked at {subject} in week {number} and found case {number * 37 % 1000}.")
    memory.documents.create("shop", "The shop")
    memory.documents.create_section("shop", "Deploy", "Deploys go out on Tuesday. " * 20)
    memory.goals.add("Ship the invoice export this month")


def run() -> dict[str, Any]:
    found: list[Figure] = []
    for placement, name in (("tail", "after the history"), ("system", "in the system prompt")):
        progress(f"{TURNS} turns, what changes {name}")
        with tempfile.TemporaryDirectory() as folder:
            held = hold(Path(folder), placement)  # type: ignore[arg-type]
        billed, read = held.billed()
        least = held.unavoidable()
        ours = placement == "tail"
        sums = totals(held.entries)
        found += [
            Figure(f"billed for each unavoidable token, {name}", billed / least, "x", at_most=1.15 if ours else None),
            Figure(f"breaks of the prefix, {name}", len(held.causes), at_most=5 if ours else None),
            Figure(f"tokens billed, {name}", billed, "tokens"),
            Figure(f"tokens read from the cache, {name}", read, "tokens"),
            Figure(f"tokens re-billed by our own ledger, {name}", sums.rebilled, "tokens"),
            Figure(f"requests, {name}", len(held.entries)),
        ]
        if ours:
            for cause in held.causes:
                print(f"  {cause}")
    return figures(*found)


if __name__ == "__main__":
    from bench.table import show

    sys.exit(0 if show("conversation", run()) else 1)
