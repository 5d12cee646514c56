"""The model that a conversation is held with: by the settings, metered, or none."""

from collections.abc import Callable
from functools import cache

from reverie.errors import BadSettings, ModelUnavailable
from reverie.models.prices import Price, Rates, cached_from, price_of
from reverie.pipeline.open_store import OpenStore
from reverie.records.conversation_values import Converser, Request, Said
from reverie.settings import ModelSettings
from reverie.window.ledger import CacheRules
from reverie.window.render import RENDERERS

_PATIENCE_SECONDS = 10.0  # that a person who waits for a reply is made to wait for a busy server


def converser_of(store: OpenStore) -> Callable[[str], Converser] | None:
    """The model that the settings name, within its budget, for each segment; None if no model may be asked.

    A key or a price that is missing is told when the model is asked: what was said is in the log by then.
    """
    if not store.settings.model.may_be_asked:
        return None
    from reverie.models.budget import Budget, MeteredConverser
    from reverie.models.converse import connect_converser
    from reverie.models.prices import nanodollars

    settings = store.settings.model
    ceilings = nanodollars(settings.daily_dollars), nanodollars(store.settings.continuum.segment_dollars)
    budget = Budget(store.engine.spend, store.env, *ceilings, session_knob="segment_dollars in [continuum]")

    @cache  # of what was raised nothing is kept, so that a key that comes later is seen
    def connected() -> tuple[Converser, Price]:
        converser = connect_converser(settings, store.env, RENDERERS)
        assert converser is not None, "a model that may be asked has a provider"
        return converser, price_of(settings)

    return lambda segment_id: MeteredConverser(*connected(), budget, segment_id)


def rates_of(settings: ModelSettings) -> Rates | None:
    """Return the price of a token; None if it is unknown."""
    try:
        return price_of(settings).rates
    except BadSettings:
        return None


def cache_rules(settings: ModelSettings, model: str) -> CacheRules:
    """Say how the provider of a model caches: the Messages API at marks, others whatever is repeated."""
    return CacheRules(minimum_tokens=cached_from(model), is_marked=settings.provider != "openai")


def patient(
    converser: Converser,
    request: Request,
    on_text: Callable[[str], None],
    is_cancelled: Callable[[], bool],
    sleep: Callable[[float], None],
) -> Said:
    """Ask; and if the server says when it will have time, and that is soon, and nothing was said yet, ask once more."""
    heard: list[str] = []
    try:
        return converser.converse(request, hearing(heard, on_text), is_cancelled)
    except ModelUnavailable as error:
        wait = error.retry_after_seconds
        if heard or wait is None or wait > _PATIENCE_SECONDS or is_cancelled():
            raise
    sleep(wait)
    return converser.converse(request, on_text, is_cancelled)


def hearing(heard: list[str], on_text: Callable[[str], None]) -> Callable[[str], None]:
    """Hand words on, and keep them: what was said before a reply broke off was said."""

    def hear(words: str) -> None:
        heard.append(words)
        on_text(words)

    return hear
