"""Random lives of a workspace: one seed gives one history, the same every time.

Several sessions talk, call tools and stop; events come late or twice; a person takes notes and edits user.md; the clock
jumps; a model answers, mumbles, refuses or is away; the process that distils dies in the middle and another one goes on.
"""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from reverie.engines.sqlite import SqliteEngine
from reverie.errors import ModelUnavailable
from reverie.hook import capture_event as hook
from reverie.hook import spool
from reverie.memory import Memory
from reverie.pipeline import distil_turns as distiller
from reverie.ports import HttpRequest, HttpResponse
from reverie.records import Turn
from reverie.settings import ModelSettings, Settings
from reverie.testing import FakeEnv
from support.faults import PROJECT, event

PROMPTS = (
    "I prefer tabs over spaces in this project.",
    "I prefer spaces over tabs, by the way.",
    "Please always answer in German.",
    "Always answer in English from now on.",
    "Never use mocks in the tests.",
    "We use PostgreSQL 16 in production.",
    "The staging server is called heron.",
    "My name is Ana and I live in Lisbon.",
    "No, that's wrong: the tests are run with pytest -x, not with tox.",
    "Remember to update the changelog before the release.",
    "TODO: ask Tom about the licence tomorrow, it is urgent.",
    "Please fix the failing test.",
    "What does this function do?",
    "```\nI prefer nothing, I am code\n```\nlook at this",
    "I prefer short functions. Never use mocks in the tests.",
)
COMMANDS = ("pytest -q", "ruff check .", "git status", "git commit -m done", "make build", "pytest -x", "cat user.md")
DAY = 86_400.0


class TalkingEnv(FakeEnv):
    """A fake environment with a model at the other end of its network. It says the same to the same question."""

    is_silent = False  # then asking it is an error of the test
    is_frozen = False  # then only the monotonic clock goes on

    def pass_time(self, seconds: float) -> None:
        super().pass_time(seconds)
        if self.is_frozen:
            self.jump_clock(-seconds)

    def http(self, request: HttpRequest) -> HttpResponse:
        assert not self.is_silent, "nobody asks a model in a rebuild"
        mood = blake2b(request.body, digest_size=2).digest()[0] % 16
        if mood == 0 and self.random_bytes(1)[0] % 2:
            raise ModelUnavailable("overloaded", unbilled=True)
        return HttpResponse(200, {}, message(_answer(mood)))


def _answer(mood: int) -> str:
    if mood < 3:
        return "NONE"
    if mood == 3:
        return "I would rather talk about something else entirely, if you do not mind."
    if mood == 4:
        return "FACT [o1] (0.6): The build takes four minutes\nPREFERENCE [o1] (0.9) {subject=indentation}: Indent with two"
    if mood < 8:
        return f"PREFERENCE [o1] (0.8) {{subject=reply language}}: Wants answers in language {mood}"
    if mood < 11:
        return f"ACTION [o1] (0.7) {{priority=high owner=user}}: Call number {mood} back"
    return f"FACT [o1] (0.8): Service {mood} listens on port 80{mood:02d}\nnot a line\nCORRECTION: It is port {mood}"


def message(text: str) -> bytes:
    """What a model server sends when the model says this."""
    usage = {"input_tokens": 900, "output_tokens": 40}
    content = [{"type": "text", "text": text}]
    return json.dumps({"model": "canned", "content": content, "stop_reason": "end_turn", "usage": usage}).encode()


class Died(BaseException):
    """The process is gone; nothing that it would still have done happens."""


class Life:
    """One history, step by step. `memory` is whoever is alive now."""

    def __init__(self, home: Path, seed: int, *, with_model: bool | None = None, with_ids: bool = False) -> None:
        self.home = home
        self.chance = random.Random(seed)
        self.env = TalkingEnv(seed, variables={"ANTHROPIC_API_KEY": "canned"})
        self.with_ids = with_ids  # every event is different from every other
        model = ModelSettings()
        if with_model if with_model is not None else self.chance.random() < 0.5:
            model = ModelSettings(provider="anthropic", daily_dollars=10_000.0, session_dollars=1_000.0)
        self.settings = Settings(model=model)
        self.sessions = [f"s{number}" for number in range(self.chance.randint(1, 4))]
        self.prompt_ids = dict.fromkeys(self.sessions, "")
        self.acknowledged: list[bytes] = []
        self.notes = 0
        self.events = 0
        self.memory = self._open()

    def _open(self) -> Memory:
        return Memory.open(self.home, env=self.env, settings=self.settings, catch_up=False)

    # ---- what happens

    def moves(self) -> list[tuple[Callable[[], object], int]]:
        """What may happen next, and how often each of it does."""
        return [
            (self.prompt, 20),
            (self.tool, 24),
            (self.stop, 16),
            (self.session_edge, 3),
            (self.repeat, 5),
            (self.note, 3),
            (self.pass_time, 12),
            (self.jump, 3),
            (self.edit_user_file, 4),
            (self.absorb, 16),
            (self.distil, 10),
            (self.ask, 6),
            (self.die, 4),
        ]

    def live(self, steps: int) -> None:
        moves = self.moves()
        for _ in range(steps):
            self.chance.choices([move for move, _ in moves], [weight for _, weight in moves])[0]()
        self.settle()

    def settle(self) -> None:
        """Whatever is still due, until nothing waits. A clock that stood still goes again."""
        self.env.is_frozen = False
        for _ in range(200):
            self.env.pass_time(700.0)
            self.memory.parts.background.drain_spool()
            self.memory.parts.background.distil()
            if self.memory.settings.model.may_be_asked:
                while self.memory.parts.background.ask_model(limit=20).done:
                    pass
            still_open = "SELECT 1 FROM sessions WHERE last_position > closed_position"
            if not self.memory.engine.health().waiting and not self.memory.engine.database.value(still_open):
                return
        raise AssertionError(f"still undecided: {self.memory.engine.inbox.counts()}")

    def say(self, name: str, session: str, **fields: object) -> None:
        self.events += 1
        _, payload = event(name, session, **fields)
        record = {
            "event": name,
            "at": self.env.now_ms(),
            "mono": self.events,
            "project": self.chance.choice((PROJECT, PROJECT, "")),
            "payload": payload,
        }
        self._spool(hook.encode(record))
        self.env.pass_time(0.05)

    def _spool(self, record: bytes) -> None:
        (self.home / "spool").mkdir(exist_ok=True)
        spool.append(str(self.home / "spool"), record)
        self.acknowledged.append(record)

    def prompt(self) -> None:
        session = self.chance.choice(self.sessions)
        self.prompt_ids[session] = f"p{self.events}" if self.with_ids or self.chance.random() < 0.8 else ""
        self.say("UserPromptSubmit", session, prompt=self.chance.choice(PROMPTS), **self._prompt_id(session))

    def _prompt_id(self, session: str) -> dict[str, object]:
        return {"prompt_id": self.prompt_ids[session]} if self.prompt_ids[session] else {}

    def tool(self) -> None:
        """Often this comes after the Stop, and sometimes long after the turn was closed."""
        session = self.chance.choice(self.sessions)
        fields: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": self.chance.choice(COMMANDS)}}
        if self.with_ids or self.chance.random() < 0.9:
            fields["tool_use_id"] = f"t{self.events}"
        if self.chance.random() < 0.2:
            self.say("PostToolUseFailure", session, error="exit status 1", **fields)
        else:
            self.say("PostToolUse", session, tool_response={"stdout": f"output {self.events}", "stderr": ""}, **fields)

    def stop(self) -> None:
        session = self.chance.choice(self.sessions)
        self.say("Stop", session, last_assistant_message=f"Done, {self.events}.", **self._prompt_id(session))

    def session_edge(self) -> None:
        name = self.chance.choice(("SessionStart", "SessionEnd", "PreCompact"))
        why = f"reason {self.events}" if self.with_ids else "some reason"
        self.say(name, self.chance.choice(self.sessions), source=why, reason=why, trigger=why)

    def repeat(self) -> None:
        """An event that is delivered again, at once or much later: one that has an id to know it by."""
        again = [one for one in self.acknowledged[-10:] if b'"prompt_id":' in one or b'"tool_use_id":' in one]
        if again:
            self._spool(self.chance.choice(again))

    def note(self) -> None:
        self.notes += 1
        self.memory.note(f"Note {self.notes}: {self.chance.choice(PROMPTS)}")
        self.env.pass_time(0.05)

    def pass_time(self) -> None:
        self.env.pass_time(self.chance.choice((0.5, 3.0, 30.0, 700.0)))

    def jump(self) -> None:
        """Wrong by a month, by years, by a little; or the clock stands still from now on, or goes again."""
        if self.chance.random() < 0.3:
            self.env.is_frozen = not self.env.is_frozen
        else:
            self.env.jump_clock(self.chance.choice((-30 * DAY, 3650 * DAY, -3650 * DAY, -60.0, 3600.0)))

    def edit_user_file(self) -> None:
        path = self.home / "user.md"
        lines = path.read_text().splitlines()
        ours = [line for line in lines if line.startswith("- ")]
        if ours and self.chance.random() < 0.6:
            lines.remove(self.chance.choice(ours))
        else:
            lines.append(
                self.chance.choice(("- I like tea", "Ask me before you push.", "- Please always answer in German."))
            )
        path.write_text("\n".join(lines) + "\n")

    # ---- what is done about it

    def absorb(self) -> None:
        self.memory.parts.background.drain_spool()

    def distil(self) -> None:
        if self.chance.choice((True, False)):
            self.memory.parts.background.distil()
        else:  # as who opens the memory does, and has no time
            self.memory.parts.background.distil(lambda: True, at_once=25)

    def ask(self) -> None:
        if self.memory.settings.model.may_be_asked:
            self.memory.parts.background.ask_model(self.chance.choice((1, 3)))

    def die(self) -> None:
        """The process dies: between two steps, in the middle of a batch, or just before it records a file."""
        how = self.chance.choice((self._die_quietly, self._die_in_rules, self._die_before_a_mirror_is_recorded))
        how()
        self.memory.close()
        self.memory = self._open()
        if self.chance.random() < 0.7:  # a new steward gives leases back; otherwise time does
            self.memory.engine.inbox.release_all()

    def _die_quietly(self) -> None:
        pass

    def _die_in_rules(self) -> None:
        rules, left = distiller.by_rules, self.chance.randint(0, 3)

        def deadly(turn: Turn):
            nonlocal left
            left -= 1
            if left < 0:
                raise Died
            return rules(turn)

        distiller.by_rules = deadly
        try:
            with suppress(Died):
                self.memory.parts.background.drain_spool()
                self.memory.parts.background.distil()
        finally:
            distiller.by_rules = rules

    def _die_before_a_mirror_is_recorded(self) -> None:
        mirrors = self.memory.engine.mirrors
        last = mirrors.last_written("user.md")

        def die_if_written(name: str, data: bytes, before: bytes) -> None:
            if name == "user.md" and (self.home / "user.md").read_bytes() == data != last[0]:
                raise Died
            type(mirrors).record(mirrors, name, data, before)

        mirrors.record = die_if_written
        with suppress(Died):
            self.memory.parts.background.drain_spool()
            self.memory.parts.background.distil()


def what_is_derived(engine: SqliteEngine, home: Path) -> tuple[list[str], bytes]:
    return list(engine.dump_derived()), (home / "user.md").read_bytes()
