"""The command `admin`: the machinery, for those who look after a memory or build on it."""

import click

from reverie.shells.cli.grammar import Lazy, Table, example

SECTIONS: dict[str, Table] = {
    "Look inside": {
        "prompt": ("prompt", "Show the prompt as it is composed, with tokens per section."),
        "tools": ("tools", "List the tools of a conversation; load or unload one."),
        "gate": ("gate", "Say what the gate would do with a text; look at what it set aside."),
        "memorize": ("gate", "Ask memory to keep a text; say where it went, and why."),
        "inbox": ("inbox", "Show work that is waiting or has failed; retry failed work."),
    },
    "Look after": {
        "compact": ("tend", "Summarise sessions that are over, long, or a day old."),
        "merge": ("tend", "Merge what is known twice, or undo a merge."),
        "tune": ("tend", "Propose better coefficients for recall."),
        "rebuild": ("tend", "Derive all learnings again from the log."),
    },
    "Move and set up": {
        "import": ("move", "Take in transcripts of earlier sessions."),
        "export": ("move", "Write out what is kept as JSON lines, each naming its table."),
        "init": ("care", "Make a workspace for this folder alone (.reverie/)."),
        "service": ("daemon", "Start Reverie at login (systemd, launchd)."),
        "hook": ("agents", "Take one event from a coding agent (agents run this themselves)."),
        "demo": ("daemon", "Play a short invented session in a throw-away workspace."),
    },
}


@click.group("admin", cls=Lazy, sections=SECTIONS, hidden_names={}, epilog=example("admin prompt 'which port?'"))
def admin_command() -> None:
    """The machinery: the prompt, the gate, the queue, import and export, the service."""
