"""The steward as hooks start it: in the background, at low priority, until nobody has needed it for a while."""

import os
from contextlib import suppress
from pathlib import Path

from reverie.daemon.steward import Steward
from reverie.env.real import RealEnv
from reverie.errors import ReverieError, StewardRunning
from reverie.foundation.workspace import Workspace
from reverie.settings import load_settings
from reverie.shells.cli.show import say, when
from reverie.shells.daemon.process import leave, shorten_own_log, stop_on_signals

_NICER = 10  # an agent at work comes first
_OPENER_SECONDS = 10.0


def main(home: str) -> None:
    """Be the steward of a workspace, unless there is one; what it reports goes to the log that it was started with."""
    with suppress(OSError):
        os.nice(_NICER)
    workspace, env = Workspace(Path(home)), RealEnv()

    def report(text: str) -> None:
        say(f"{when(env.now_ms(), '%Y-%m-%d %H:%M:%S')} {text}")

    try:
        shorten_own_log(workspace, env)
        settings = load_settings(workspace, env)
        steward = Steward(workspace, env, settings, report, on_demand=True)
        stop_on_signals(steward)
        steward.begin(_OPENER_SECONDS)
    except StewardRunning:
        return  # somebody else was first
    except ReverieError as error:
        report(f"the steward did not start: {error}")
        return
    steward.run()
    leave(steward)
