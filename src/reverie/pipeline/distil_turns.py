"""Closed turns -> learnings: by rules at once, then by a model if one may be asked, each turn once by each.

What is found is a function of the turn (distil/); here it is fetched from the inbox, written with its `done`, and
followed up: actions become pending, and what happened may have finished earlier ones.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from reverie.errors import BadInput, BadSettings, UnreadableReply
from reverie.foundation.gc_pause import gc_paused
from reverie.foundation.sized_cache import SizedCache
from reverie.inbox.worker import Commit, Outcome, Worker
from reverie.ports import Ask, Engine, Env, Model, Prompt, Spend
from reverie.records import (
    Action,
    ActionStatus,
    Learned,
    Learning,
    LearningType,
    LoggedReply,
    Observation,
    Stage,
    Turn,
    Work,
)
from reverie.settings import ModelSettings, Settings

if TYPE_CHECKING:
    from reverie.distil.finished_actions import OpenActions
    from reverie.models.budget import Budget
    from reverie.models.prices import Price

MAX_OUTPUT_TOKENS = 700  # of a model's reply about a turn, which rarely teaches more than ten lines
_PREFETCHED_CHARS = 2_000_000  # of turns whose learnings wait to be asked for
# A turn's learnings are numbered: the rules' from 0, a model's from here.
_FIRST_BY_MODEL = 1000


class Distiller:
    """Works off the closed turns of one user. `permit` says what of it may be kept; `tell` is told what was learned."""

    def __init__(
        self,
        engine: Engine,
        env: Env,
        settings: Settings,
        permit: Callable[[Sequence[Learning]], Sequence[Learning | None]],
        tell: Callable[[Sequence[Learned]], None],
        model: Model | None = None,
    ) -> None:
        self._engine = engine
        self._env = env
        self._settings = settings
        self._permit = permit
        self._tell = tell
        self._worker = Worker(engine.inbox, engine.write, env, settings.inbox)
        self._asking = Worker(engine.inbox, engine.write, env, settings.inbox)
        self._own_model = model  # instead of the one that the settings name
        self._model: _Model | None = None
        self._prefetched = SizedCache[int, tuple[Turn, list[Learning]]](_PREFETCHED_CHARS)
        self._open: OpenActions | None = None
        self._open_at: tuple[int, ...] = ()

    # ---- by rules

    def distil(self, enough: Callable[[], bool], at_once: int | None = None) -> Outcome:
        """Work off what waits by rules, so many at once, for as long as there is any or until that is `enough`."""
        total = Outcome()
        if self._engine.inbox.next_ready_ms(Stage.RULES) is None:
            return total
        load_rules()  # before anything is claimed: who is ended while loading has then begun nothing
        while outcome := self._distil_batch(at_once, enough):
            total += outcome
            if enough():
                break
        return total

    def _distil_batch(self, at_once: int | None, enough: Callable[[], bool]) -> Outcome:
        with gc_paused():
            return self._worker.run(Stage.RULES, self._prepare_rules, at_once, enough)

    def prefetch(self, closed: Mapping[int, Turn], has_time: Callable[[], bool]) -> None:
        """Ask the rules about turns that are about to be distilled, by their work, while there is time."""
        for work_id, turn in closed.items():
            if not has_time():
                return
            with suppress(Exception):  # it comes again when the turn is distilled, and is counted then
                self._prefetched.add(work_id, (turn, by_rules(turn)), sum(map(_chars, turn.observations)))

    def _prepare_rules(self, work: Work) -> Commit:
        """Extract outside the transaction; return what is to be written in it."""
        turn = self._engine.log.turn(work)
        seen, foreseen = self._prefetched.pop(work.id) or (None, [])
        learnings = foreseen if seen == turn else by_rules(turn)

        def commit() -> None:
            self._follow_up(turn, self._add(turn, learnings))
            if self._settings.model.may_be_asked:
                self._queue_for_model(turn, work)

        return commit

    def _add(self, turn: Turn, learnings: Sequence[Learning], first_ordinal: int = 0) -> list[Learned]:
        kept = self._permit(learnings) if learnings else ()
        return self._engine.learnings.add(turn, learnings, kept, first_ordinal)

    def _follow_up(self, turn: Turn, added: Sequence[Learned]) -> None:
        """Actions become pending, and what happened may have finished earlier ones.

        What was to be done in an old transcript was done since, or never will be: it is known, but nobody is to do it.
        """
        now, actions = turn.observations[-1].occurred_ms, self._open_actions()
        finished = {action_id: (seen_in, by) for action_id, seen_in, by in closes(turn, actions)}
        is_dated = turn.observations[-1].is_dated
        for done in self._engine.actions.pending_among(list(finished)):
            if is_dated and now < done.created_ms:
                continue  # what was done then is not what is to be done since
            seen_in, by = finished[done.id]
            self._engine.actions.set_status(done.id, ActionStatus.DONE, by, f"seen in {seen_in}", now)
            actions.remove(done.id)
        is_of_long_ago = self._age_ms(turn) > self._settings.inbox.stale_hours * 3_600_000
        to_do = [
            one for one in added if one.type is LearningType.ACTION and not one.is_held_back and not is_of_long_ago
        ]
        for learned in to_do:
            if not self._is_pending(learned, actions) and (action := self._engine.actions.add(learned)):
                actions.add(action)
        self._open_at = self._engine.actions.version()
        self._tell(added)

    def _is_pending(self, learned: Learned, actions: "OpenActions") -> bool:
        """Whether the same is to be done already: who is reminded twice has one thing to do."""
        return bool(self._engine.actions.pending_among(actions.saying(learned.text, learned.project)))

    def _open_actions(self) -> "OpenActions":
        """Of all projects, with those that are hidden. Read again only after somebody else has written."""
        version = self._engine.actions.version()
        if self._open is None or version != self._open_at:
            self._open, self._open_at = open_actions(self._engine.actions.unfinished()), version
        return self._open

    # ---- by a model

    @property
    def model_backoff_seconds(self) -> float:
        """Return the seconds to wait before a model is asked again."""
        return self._asking.backoff.seconds()

    def ask_for(self, purpose: str) -> Ask:
        """A way to ask a model, charged to a session or a purpose."""
        return self._connected().ask_for(purpose)

    def _connected(self) -> "_Model":
        self._model = self._model or _Model.of(self._own_model, self._settings.model, self._engine.spend, self._env)
        return self._model

    def _queue_for_model(self, turn: Turn, work: Work) -> None:
        """Queue a turn for a model if it is fresh; record a skip if it is not.

        Old means old when it reached us: a hook's event that waited because we were down is not old.
        """
        hours, reason = self._age_ms(turn) / 3_600_000, ""
        if hours > self._settings.inbox.stale_hours:
            reason = f"stale: {hours:.0f} h old when it came in"
        self._engine.inbox.enqueue(work, Stage.MODEL, self._env.now_ms(), reason)

    @staticmethod
    def _age_ms(turn: Turn) -> int:
        """Return how old the turn was when it reached us; 0 if it came as it happened."""
        last = turn.observations[-1]
        return last.recorded_ms - last.occurred_ms if last.is_dated else 0

    def ask_model(self, limit: int) -> Outcome:
        """Let a model look at turns that the rules have seen, within the budget."""
        outcome = self._asking.run(Stage.MODEL, partial(self._prepare_model, self._connected()), limit)
        if outcome.done:
            since = self._env.now_ms() - int(self._settings.inbox.stale_hours * 3_600_000)
            self._engine.inbox.revive(since, self._env.now_ms())
        return outcome

    def _prepare_model(self, model: "_Model", work: Work) -> Commit:
        from reverie.distil.ask import TurnView
        from reverie.distil.extract import extract_with_model, is_answered

        erasures = self._engine.erasures()
        turn = self._engine.log.turn(work)
        logged = self._replies(work)
        if not is_answered(turn, logged):  # a reply that was paid for before a crash is not paid for again
            extract_with_model(
                turn,
                model.ask_for(work.session),
                model.price.of,
                TurnView(),
                MAX_OUTPUT_TOKENS,
                fits=model.can_pay,
                log=partial(self._log_reply, work, turn, erasures),
                logged=logged,
            )
            logged = self._replies(work)
        learnings = _from_replies(turn, logged)

        def commit() -> None:
            self._check_whole(turn, erasures)
            self._follow_up(turn, self._add(turn, learnings, _FIRST_BY_MODEL))

        return commit

    def _replies(self, work: Work) -> Sequence[LoggedReply]:
        return self._engine.replies.of_turn(work.session, work.turn, work.last_position)

    def _check_whole(self, turn: Turn, erasures: int) -> None:
        """Raise if something that a model was shown was forgotten meanwhile: its reply may quote that."""
        if self._engine.erasures() != erasures:
            shown = (*turn.before, *turn.observations)
            if not all(self._engine.log.get(observation.id) for observation in shown):
                raise BadInput(
                    f"something in turn {turn.number} was forgotten while a model looked at it; it looks again"
                )

    def _log_reply(self, work: Work, turn: Turn, erasures: int, reply: LoggedReply) -> None:
        """Keep what a model answered. If somebody else asks too, the first answer that can be read is what counts."""
        with self._engine.write():
            self._check_whole(turn, erasures)
            self._engine.replies.add(work, reply, self._env.now_ms())

    # ---- derived anew

    def look_again(self, progress: Callable[[int], None]) -> dict[int, list[Learning]]:
        """Map each work to what the rules find in its turn: a third of a rebuild, for which nobody has to wait."""
        works = [work for work in self._engine.extractions() if work.stage is Stage.RULES]
        found = {}
        for number, work in enumerate(works, 1):
            found[work.id] = by_rules(self._engine.log.turn(work))
            progress(number)
        return found

    def learn_again(self, works: Sequence[Work]) -> None:
        """Derive anew what some turns taught, after something that was looked at with them has been erased.

        Inside the caller's transaction. A rebuild would do the same: a habit with too few repetitions left is none, and
        what was said twice is known from the other time. A model's reply may repeat what is erased, in its own words:
        it is erased as well, and the model is asked again, within its budget.
        """
        left = [work for work in works if self._has_observations(work)]
        for work in works:
            if work.stage is Stage.MODEL:
                self._engine.replies.erase(work)
                self._engine.inbox.ask_again(work, self._env.now_ms())
        for work in left:
            self._engine.learnings.clear(work)
        self._learn(left, {})
        self._act_again()

    def _has_observations(self, work: Work) -> bool:
        try:
            self._engine.log.turn(work)
        except BadInput:
            return False
        return True

    def distil_again(self, seen: Mapping[int, list[Learning]]) -> tuple[int, int]:
        """Derive all learnings anew, from the log and the logged replies alone; returns how many turns, and learnings.

        Inside the caller's transaction. What the rules have `seen` they are not asked about again.
        """
        self._engine.learnings.clear()
        done = self._learn(self._engine.extractions(), seen)
        self._act_again()
        return done

    def _learn(self, works: Iterable[Work], seen: Mapping[int, list[Learning]]) -> tuple[int, int]:
        turns = learnings = 0
        for work in works:
            turn = self._engine.log.turn(work)
            if work.stage is Stage.RULES:
                learnings += len(self._add(turn, seen[work.id] if work.id in seen else by_rules(turn)))
            else:
                by_model = _from_replies(turn, self._replies(work))
                learnings += len(self._add(turn, by_model, _FIRST_BY_MODEL))
            turns += work.stage is Stage.RULES
        return turns, learnings

    def _act_again(self) -> None:
        """Do again what a person did with learnings: retract them, or move them."""
        for _, _, target, _ in self._engine.log.acts(kind="retract"):
            self._engine.learnings.retract(target)
        for _, _, target, data in self._engine.log.acts(kind="move"):
            self._engine.learnings.move(target, str(data["project"]) if isinstance(data, dict) else "")


def _from_replies(turn: Turn, replies: Sequence[LoggedReply]) -> list[Learning]:
    """Return what logged replies add to the rules; nothing if a stricter parser no longer accepts them."""
    if not replies:
        return []
    from reverie.distil.extract import replay
    from reverie.distil.merge import only_new

    try:
        return only_new(by_rules(turn), replay(turn, replies))
    except UnreadableReply:
        return []


def _chars(observation: Observation) -> int:
    return len(observation.text) + (len(str(observation.tool.input)) if observation.tool else 0)


@dataclass(frozen=True, slots=True)
class _Model:
    """A model with its price and its budget. Built at the first question: most runs never ask one."""

    model: Model
    price: "Price"
    budget: "Budget"

    @classmethod
    def of(cls, own: Model | None, settings: ModelSettings, spend: Spend, env: Env) -> "_Model":
        from reverie.models.budget import budget_of
        from reverie.models.prices import price_of
        from reverie.models.remote import connect

        model = own or connect(settings, env)
        if model is None:
            raise BadSettings("no model is set; name one in [model] provider")
        return cls(model, price_of(settings), budget_of(settings, spend, env))

    def can_pay(self, prompt: Prompt, spent: int) -> bool:
        """Whether a question may be asked under untouched ceilings, by a session that has spent so much on its turn.

        What else was spent does not matter: the same turn is shown in the same way whenever it is asked about.
        """
        return spent + self.price.at_most(prompt) <= self.budget.ceiling

    def ask_for(self, session: str) -> Ask:
        from reverie.models.budget import metered

        return metered(self.model, self.price, self.budget, session)


# ---- the rules are many patterns; who only asks for the context, as a hook does, need not wait until they are loaded


def load_rules() -> None:
    pass


def by_rules(turn: Turn) -> list[Learning]:
    from reverie.distil.by_rules import by_rules

    return by_rules(turn)


def closes(turn: Turn, pending: "OpenActions") -> list[tuple[str, str, str]]:
    from reverie.distil.finished_actions import closes

    return closes(turn, pending)


def open_actions(actions: Iterable[Action]) -> "OpenActions":
    from reverie.distil.finished_actions import OpenActions

    return OpenActions(actions)
