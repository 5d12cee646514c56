"""The steward as a service that starts at login: the file for systemd or launchd, and the commands around it.

Nothing here talks to either of them: the file is written, and a person runs the commands.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from reverie.env.real import RealEnv
from reverie.foundation.workspace import Workspace, user_home
from reverie.shells.daemon.process import options_of

_SYSTEMD = """[Unit]
Description=Reverie, working memory for agents

[Service]
ExecStart="{python}" -m reverie {options} up --plain
Restart=on-failure
RestartSec=5

[Install]
WantedBy=default.target
"""

_LAUNCHD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>dev.reverie.steward</string>
  <key>ProgramArguments</key>
  <array>
    <string>{python}</string><string>-m</string><string>reverie</string>
    {options}<string>up</string><string>--plain</string>
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>StandardErrorPath</key><string>{log}</string>
  <key>StandardOutPath</key><string>{log}</string>
</dict>
</plist>
"""


@dataclass(frozen=True, slots=True)
class Service:
    """A service: its file, and what a person types to start it, to give it variables, and once it is removed."""

    path: Path
    text: str
    start: str
    after_removal: str
    files: tuple[Path, ...]  # what is there of it: the file, and the link by which it was enabled
    how_to_give: str


def service_of(
    workspace: Workspace, env: RealEnv, platform: str = sys.platform, overrides: Mapping[str, str] | None = None
) -> Service:
    """The service as this platform has it."""
    options = options_of(workspace, overrides)
    return _launchd(workspace, env, options) if platform == "darwin" else _systemd(env, options)


def _launchd(workspace: Workspace, env: RealEnv, options: Sequence[str]) -> Service:
    path = user_home(env) / "Library" / "LaunchAgents" / "dev.reverie.steward.plist"
    strings = "".join(f"<string>{escape(word)}</string>" for word in options)
    return Service(
        path,
        _LAUNCHD.format(python=escape(sys.executable), log=escape(str(workspace.daemon_log)), options=strings),
        start=f"launchctl load -w '{path}'",
        after_removal="launchctl remove dev.reverie.steward",
        files=_there(path),
        how_to_give="`launchctl setenv NAME VALUE` after each login, and then start the service",
    )


def _systemd(env: RealEnv, options: Sequence[str]) -> Service:
    units = Path(env.variable("XDG_CONFIG_HOME") or user_home(env) / ".config") / "systemd" / "user"
    path = units / "reverie.service"
    words = " ".join(word if word.startswith("--") else f'"{_quoted(word)}"' for word in options)
    # To disable a unit is to remove this link. systemctl may refuse to when the file has gone, so they go together.
    link = units / "default.target.wants" / path.name
    return Service(
        path,
        _SYSTEMD.format(python=_quoted(sys.executable), options=words),
        start="systemctl --user enable --now reverie",
        after_removal="systemctl --user daemon-reload",
        files=_there(path, *([link] if link.is_symlink() else [])),
        how_to_give="write NAME=VALUE into a file that only you can read (`chmod 600`), name it in an "
        "EnvironmentFile= line under [Service] in `systemctl --user edit reverie`, and then start the service",
    )


def _there(*paths: Path) -> tuple[Path, ...]:
    return tuple(path for path in paths if os.path.lexists(path))


def _quoted(text: str) -> str:
    """Text inside the double quotes of a unit file, where % and \\ mean something."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
