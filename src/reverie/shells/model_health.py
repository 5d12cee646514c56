"""Whether the model that the settings name can be asked, for `status` and `doctor`. No network is touched."""

from reverie.daemon.heartbeat import MODELS, Pulse
from reverie.errors import BadSettings
from reverie.ports import Env
from reverie.settings import Settings


def model_trouble(pulse: Pulse | None, settings: Settings, env: Env) -> str:
    """Why no model is asked although there is a budget, and the way out; '' if one is, or if none is wanted.

    It is the steward that asks. Where it can, it does not matter what is set in the shell of this command.
    """
    asking = pulse.threads.get(MODELS) if pulse else None
    if not settings.model.may_be_asked or (asking and not asking.failing):
        return ""
    from reverie.models.remote import NO_KEY, connect

    try:
        connect(settings.model, env)
    except BadSettings as error:
        return f"no model is asked, although there is a budget: {error}, and start the steward where that is set"
    names = [name for name in variables_needed(settings, env) if (env.variable(name) or "").strip()]
    if not asking or not asking.failing.startswith(NO_KEY) or not names:
        return ""
    said = f"{names[0]} is set here, but not where the steward was started"
    return f"{said}: `reverie down`, then `reverie up --detach` here, or give it to the service and restart that"


def variables_needed(settings: Settings, env: Env) -> tuple[str, ...]:
    """The variables that a steward needs to ask the model as one from here would; none if no model is wanted."""
    if not settings.model.may_be_asked:
        return ()
    from reverie.models.remote import variables_used

    return variables_used(settings.model, env)
