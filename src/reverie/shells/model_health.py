"""Whether the model that the settings name can be asked, for `status` and `doctor`. No network is touched."""

from reverie.errors import BadSettings
from reverie.ports import Env
from reverie.settings import Settings


def model_obstacle(settings: Settings, env: Env) -> str:
    """Why a model with a budget cannot be asked, and the way out; '' if it can, or if none is wanted."""
    if settings.model.provider == "none" or not settings.model.daily_dollars:
        return ""
    from reverie.models.remote import connect

    try:
        connect(settings.model, env)
    except BadSettings as error:
        return f"no model is asked, although there is a budget: {error}, and start the steward where that is set"
    return ""
