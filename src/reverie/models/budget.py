"""No call without money set aside for it: a `Model`, its `Price` and the record of spending in, a metered `Ask` out.

Before a call its worst case is reserved against the ceilings of the day and of the session; after it, the real cost is
settled. A call whose outcome is unknown (a timeout, a reset, a crash) stays reserved in full, and a server that reports
under half of the tokens that we count ourselves is not believed (`usage`), so the record may say more than was spent,
never less. A ceiling of 0 means that no call is made.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from reverie.errors import BadInput, BadSettings, ModelError, ModelRefused, OverBudget
from reverie.models.prices import Price, nanodollars
from reverie.models.usage import counted_reply, counted_said
from reverie.ports import Ask, Env, Model, Prompt, Reply, Spend
from reverie.records.conversation_values import Converser, Request, Said
from reverie.settings import ModelSettings

_DAY_SECONDS = 86_400
_DAILY_KNOB = "daily_dollars in [model]"

# How far a clock may jump ahead within a process and still be believed: a laptop that slept for a week.
_BELIEVABLE_SECONDS = 7 * _DAY_SECONDS


class Today:
    """The day that spending counts for, in UTC: the wall clock, as long as it can be believed.

    Within a process time never goes back, and it leaps at most a week; where the wall clock says otherwise, the
    monotonic clock goes on counting from the last believable time. So setting the clock back does not open yesterday's
    budget again, a jump of ten years and back opens nothing at all, and in both cases the next day still comes.

    A new process has only the wall clock and the record. Where the record has spending on a later day, the clock was
    set back, and the day is the record's, however far ahead it is: the day never decreases. Price of that choice:
    after one start under a clock that was years ahead, a new day comes only to a process that runs for a day, until
    the clock has passed the record. `status` and the refusal say so; a higher ceiling helps at once.
    """

    def __init__(self, env: Env, last_day: str | None) -> None:
        self._env = env
        self._monotonic = env.monotonic()
        self._believed = env.now_ms() / 1000
        if last_day is not None:
            start = datetime.fromisoformat(last_day).replace(tzinfo=UTC).timestamp()
            self._believed = max(self._believed, start)

    def date(self) -> str:
        """Today, as 2026-11-16."""
        wall, monotonic = self._env.now_ms() / 1000, self._env.monotonic()
        expected = self._believed + max(0.0, monotonic - self._monotonic)
        believable = expected < wall <= expected + _BELIEVABLE_SECONDS
        self._believed, self._monotonic = wall if believable else expected, monotonic
        return _date(self._believed)

    def is_ahead_of_clock(self) -> bool:
        """Whether this day has not come by the wall clock, which was set back."""
        return self.date() > _date(self._env.now_ms() / 1000)


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


class Budget:
    """The ceilings, and the one place where money is set aside. Keep one for the life of a process."""

    def __init__(
        self,
        spend: Spend,
        env: Env,
        daily_nanodollars: int,
        session_nanodollars: int,
        session_knob: str = "session_dollars in [model]",
    ) -> None:
        self._spend = spend
        self._env = env
        self._daily = daily_nanodollars
        self._session = session_nanodollars
        self._knob = session_knob
        self._today = Today(env, spend.last_day())

    @property
    def ceiling(self) -> int:
        """Return the most that any call may cost, however little was spent before it."""
        return min(self._daily, self._session)

    def today(self) -> str:
        """The day that a call counts for. Another process may have spent on a later one: the newest counts."""
        return max(self._today.date(), self._spend.last_day() or "")

    def reserve(self, session: str, amount: int) -> str:
        """Set the sum aside and name the reservation, or raise OverBudget; nothing is set aside then."""
        if self._daily <= 0 or self._session <= 0:
            raise OverBudget(f"no model is asked: set {_DAILY_KNOB} and {self._knob} above 0", unbilled=True)
        reservation = self._env.random_bytes(16).hex()
        if not self._spend.reserve(reservation, self.today(), session, amount, self._daily, self._session):
            raise OverBudget(self._refusal(session, amount), unbilled=True)
        return reservation

    def _refusal(self, session: str, amount: int) -> str:
        """Say which ceiling is in the way, and what helps. Only a day's comes back by itself."""
        ceilings = {
            self._knob: (self._session, self._spend.in_session(session)),
            _DAILY_KNOB: (self._daily, self._spend.on_day(self.today())),
        }
        reached = {knob: sums for knob, sums in ceilings.items() if sums[1] + amount > sums[0]}
        call = f"a call that may cost {_dollars(amount)}"
        if not reached:  # the money came back between the answer and this look
            return f"{call} did not fit beside others that were under way; try again"
        allowed = " and ".join(
            f"{knob} allows {_dollars(most)}, of which {_dollars(spent)} are spent or set aside"
            for knob, (most, spent) in reached.items()
        )
        wait = ""
        if set(reached) == {_DAILY_KNOB} and amount <= self._daily:
            wait = ", or try again tomorrow (UTC)"
            if self._today.is_ahead_of_clock():
                wait = f"; the clock was set back, and spending counts for {self.today()}, the newest day in the record"
        return f"{call} does not fit: {allowed}; raise {' and '.join(reached)}{wait}"

    def settle(self, reservation: str, amount: int, told: int | None = None) -> None:
        """Say what it really was; `told` is what it would be by the server's own report."""
        self._spend.settle(reservation, amount, by_own_count=told is not None and told < amount)


def budget_of(settings: ModelSettings, spend: Spend, env: Env) -> Budget:
    """The budget that the settings allow."""
    for name, dollars in (("daily", settings.daily_dollars), ("session", settings.session_dollars)):
        if not 0 <= dollars < 1_000_000:
            raise BadSettings(f"{name}_dollars is {dollars}; it takes a sum of dollars, 0 for none")
    return Budget(spend, env, nanodollars(settings.daily_dollars), nanodollars(settings.session_dollars))


def metered(model: Model, price: Price, budget: Budget, session: str) -> Ask:
    """The one way to ask a model: reserve, ask, settle. Never inside a write transaction, which would undo it."""

    def ask(prompt: Prompt) -> Reply:
        reservation = budget.reserve(session, price.at_most(prompt))
        try:
            reply = model.ask(prompt)
        except ModelError as error:
            if error.unbilled:
                budget.settle(reservation, 0)
            elif isinstance(error, ModelRefused) and error.counted and error.counted.input_tokens:
                refusal = counted_reply(error.counted, prompt)
                budget.settle(reservation, price.of(refusal), price.of(error.counted))
            raise
        counted = counted_reply(reply, prompt)
        budget.settle(reservation, price.of(counted), price.of(reply))
        return counted

    return ask


@dataclass(frozen=True, slots=True)
class MeteredConverser:
    """The one way to converse with a model that costs money: it is set aside for each answer.

    Nothing is asked that might exceed a ceiling.
    """

    converser: Converser
    price: Price
    budget: Budget = field(repr=False)
    session: str

    @property
    def name(self) -> str:
        return self.converser.name

    def converse(
        self,
        request: Request,
        on_text: Callable[[str], None] = lambda _: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Said:
        """Reserve, converse, settle. An answer that was broken off, or that says no counts, stays reserved in full."""
        if is_cancelled():
            return Said(text="", model=self.name, end="cancelled")
        reservation = self.budget.reserve(self.session, self.price.at_most_for(request))
        heard = False

        def hear(words: str) -> None:
            nonlocal heard
            heard = True
            on_text(words)

        try:
            said = self.converser.converse(request, hear, is_cancelled)
        except (ModelError, BadInput, BadSettings) as error:
            # The other two are raised before anything is sent, or by whoever hears the words.
            if not heard and getattr(error, "unbilled", True):
                self.budget.settle(reservation, 0)
            raise
        is_counted = said.input_tokens + said.cache_read_tokens + said.cache_write_tokens + said.output_tokens > 0
        if said.end != "cancelled" and is_counted:
            self.budget.settle(reservation, self.price.of(counted_said(said, request)), self.price.of(said))
        return said


def _dollars(amount: int) -> str:
    return f"{amount / 10**9:.4f} dollars"
