"""Random lives in which single messages are forgotten for good, wherever they stand: what a rebuild must bear."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from reverie.records import Observation
from support.faults_histories import PROMPTS, Life

T = TypeVar("T")

# Commands whose answers the rules take for facts: one call teaches several things, and two calls the same.
ANSWERS = {
    "node --version": "v20.11.1",
    "node --version && npm --version": "v20.11.1\n10.2.4",
    "python --version": "Python 3.12.4",
    "git branch --show-current": "main",
    "cat package.json": '{"name": "shop", "packageManager": "pnpm@9.1.0", "engines": {"node": ">=20"}}',
}
# Two steps over and over are a habit; whoever forgets one of the calls may leave too few of them.
HABIT = ("ruff check .", "pytest -q")


class ForgetfulLife(Life):
    """A life with all that memory does with what it has, and a person who takes back single messages for good."""

    forgotten = 0

    def moves(self) -> list[tuple[Callable[[], object], int]]:
        return [
            *super().moves(),
            (self.ask_tool, 14),
            (self.work_by_habit, 4),
            (self.keep_up, 8),
            (self.memorize, 4),
            (self.hide, 2),
            (self.mark, 2),
            (self.approve, 2),
            (self.tend, 5),
            (self.forget, 5),
            (self.forget_more, 1),
        ]

    def ask_tool(self) -> None:
        session, command = self.chance.choice(self.sessions), self.chance.choice(list(ANSWERS))
        fields = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"t{self.events}"}
        self.say("PostToolUse", session, tool_response={"stdout": ANSWERS[command], "stderr": ""}, **fields)

    def work_by_habit(self) -> None:
        session = self.chance.choice(self.sessions)
        for number in range(self.chance.randint(2, 4) * len(HABIT)):
            call = {"tool_name": "Bash", "tool_input": {"command": HABIT[number % len(HABIT)]}}
            self.say("PostToolUse", session, tool_use_id=f"t{self.events}", tool_response={"stdout": "ok"}, **call)

    def stop(self) -> None:
        """Now and then with a long reply, so that there is something to summarise."""
        session = self.chance.choice(self.sessions)
        reply = f"Done, {self.events}." + self.chance.choice((0, 0, 30)) * " A step of the plan is finished, it says."
        self.say("Stop", session, last_assistant_message=reply, **self._prompt_id(session))

    def keep_up(self) -> None:
        self.memory.maintenance.refresh_index()

    def memorize(self) -> None:
        self.memory.memorize(self.chance.choice(PROMPTS), type=self.chance.choice(("fact", "thought")))

    def hide(self) -> None:
        if one := self._one_of([item.id for item in self.memory.engine.learnings.all()]):
            kept = self.memory.engine.learnings.kept_as([one])
            self.memory.forget(f"id:{kept[one]}")

    def mark(self) -> None:
        kept = self.memory.engine.learnings.kept_as([it.id for it in self.memory.engine.learnings.all()])
        if one := self._one_of(sorted(set(kept.values()))):
            self.memory.parts.item_writer.mark([one], "g1")

    def approve(self) -> None:
        if one := self._one_of(self.memory.items.quarantined()):
            self.memory.parts.item_writer.approve(one.id)

    def tend(self) -> None:
        self.memory.maintenance.refresh_index()
        self.memory.maintenance.compact(self.chance.choice((None, *self.sessions)))
        self.memory.maintenance.extract_skills()
        self.memory.maintenance.merge_duplicates()

    def forget(self) -> None:
        """The first, a middle or the last message of a turn, a note or a tool call, distilled by then or not."""
        if one := self._one_of(self.memory.engine.log.read(limit=10_000)):
            self.forget_for_good(one)

    def forget_more(self) -> None:
        """A whole session, or all that mentions a word."""
        scope = self.chance.choice((f"session:{self.chance.choice(self.sessions)}", "text:heron", "text:pytest"))
        self.forgotten += self.memory.forget(scope, hard=True).observations

    def forget_for_good(self, observation: Observation) -> None:
        self.forgotten += self.memory.forget(f"id:{observation.id}", hard=True).observations

    def _one_of(self, things: Sequence[T]) -> T | None:
        return self.chance.choice(things) if things else None
