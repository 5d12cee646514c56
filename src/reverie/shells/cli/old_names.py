"""Names of commands that an earlier release had. They work for one release more, and say what to type instead.

A new name with a word in capitals takes its arguments in another order: then it is only told.
"""

from collections.abc import Sequence

import click

from reverie.shells.cli.show import warn

_MACHINERY = (
    "compact", "demo", "export", "gate", "import", "init", "memorize", "merge", "prompt", "rebuild", "service", "tools",
    "tune",
)  # fmt: skip
OLD = {
    "show": "memories show",
    "timeline": "memories show --around",
    "summary": "sessions show",
    "inbox show": "admin inbox list",
    "inbox retry": "admin inbox retry",
    "inbox": "admin inbox show",
    "tools hints": "admin tools show",
    **{name: f"admin {name}" for name in _MACHINERY},
    "actions --done": "actions done",
    "actions --dismiss": "actions remove",
    "goals --add": "goals add",
    "goals --progress": "goals edit ID --progress SHARE",
    "goals --done": "goals done",
    "goals --drop": "goals remove",
    "questions --ask": "questions add",
    "questions --answer": "questions done",
    "reminders change": "reminders edit",
    "reminders reopen": "reminders edit --reopen",
    "reminders delete": "reminders remove",
    "punchclock start": "punchclock add",
    "punchclock pause": "punchclock edit --pause",
    "punchclock resume": "punchclock edit --resume",
    "punchclock stop": "punchclock done",
    "punchclock status": "punchclock show",
    "punchclock delete": "punchclock remove",
    "docs create": "docs add",
    "docs import": "docs add NAME --file FILE",
    "docs export": "docs show NAME --out FILE",
    "docs search": "docs list",
    "docs history": "docs show --history",
    "docs undo": "docs edit --undo",
    "docs enable": "docs edit --enable",
    "docs disable": "docs edit --disable",
    "docs expand": "docs edit --expand",
    "docs collapse": "docs edit --collapse",
    "docs pin": "docs edit --pin",
    "docs unpin": "docs edit --unpin",
    "docs append": "docs edit NAME SECTION --append TEXT",
    "docs replace": "docs edit NAME SECTION --replace OLD NEW",
    "docs rewrite": "docs edit NAME SECTION --content TEXT",
    "docs rename": "docs edit NAME SECTION --header NEW",
    "docs summary": "docs edit NAME SECTION --summary TEXT",
    "docs reorder": "docs edit NAME --order HEADER --order HEADER",
    "docs delete": "docs remove",
}


def in_new_names(words: Sequence[str], context: click.Context) -> list[str]:
    """Return a command line in today's names; an old one is told on standard error."""
    for length in (2, 1):
        old = " ".join(words[:length])
        if len(words) < length or old not in OLD:
            continue
        new = OLD[old]
        if new != new.lower():
            context.fail(f"`reverie {old}` is now `reverie {new}`")
        if not context.resilient_parsing:
            warn(f"`reverie {old}` is now `reverie {new}`; the old name goes with the next release")
        return [*new.split(), *words[length:]]
    return list(words)
