"""Whether the model that the settings name can be asked, for `status` and `doctor`. No network is touched."""

from reverie.errors import BadSettings
from reverie.ports import Env
from reverie.pulse import MODELS, Pulse
from reverie.settings import Settings


def model_obstacle(settings: Settings, env: Env) -> str:
    """Why a model with a budget cannot be asked, and the way out; '' if it can, or if none is wanted."""
    if not settings.model.may_be_asked:
        return ""
    from reverie.models.remote import connect

    try:
        connect(settings.model, env)
    except BadSettings as error:
        return f"no model is asked, although there is a budget: {error}, and start the steward where that is set"
    return ""


def variables_needed(settings: Settings, env: Env) -> tuple[str, ...]:
    """The variables that a steward needs to ask the model as one from here would; none if no model is wanted."""
    if not settings.model.may_be_asked:
        return ()
    from reverie.models.remote import variables_used

    return variables_used(settings.model, env)


def key_of_steward(pulse: Pulse | None, settings: Settings, env: Env) -> str:
    """That the steward has no key although this process does, and the way out; '' if that is not so."""
    asking = pulse.threads.get(MODELS) if pulse else None
    if not asking or not asking.failing or model_obstacle(settings, env):
        return ""
    from reverie.models.remote import NO_KEY

    names = [name for name in variables_needed(settings, env) if (env.variable(name) or "").strip()]
    if not asking.failing.startswith(NO_KEY) or not names:
        return ""
    said = f"{names[0]} is set here, but not where the steward was started"
    return f"{said}: `reverie down`, then `reverie up --detach` here, or give it to the service and restart that"
