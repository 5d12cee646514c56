"""The machinery's `inbox`: work that waits, work that failed, and trying it again."""

from collections.abc import Mapping

import click

from reverie.errors import BadInput
from reverie.records import WorkState
from reverie.shells.cli.grammar import Noun, example
from reverie.shells.cli.opened_memory import json_option, open_memory
from reverie.shells.cli.show import as_json, counted, one_line, say, when


@click.group("inbox", cls=Noun, epilog=example("admin inbox list --state dead"))
def inbox_command() -> None:
    """Work that is waiting or has failed: turns that a rule or a model has yet to look at."""


@inbox_command.command("show", epilog=example("admin inbox show"))
@json_option
@click.pass_context
def inbox_show(context: click.Context, json_output: bool) -> None:
    """Say how much is waiting, has failed or is done."""
    with open_memory(context, reads=True) as memory:
        counts = memory.engine.inbox.counts()
    if json_output:
        as_json(counts)
    else:
        say(inbox_line(counts))


def inbox_line(counts: Mapping[str, int]) -> str:
    """Say what is waiting and what has failed, and how much is finished.

    >>> inbox_line({"done": 71}), inbox_line({"done": 71, "dead": 2, "pending": 1})
    ('nothing is waiting, and nothing has failed; 71 turns are done', '1 pending, 2 dead; 71 turns are done')
    """
    done = counts.get(WorkState.DONE, 0)
    open_work = ", ".join(f"{counts[state]:,} {state}" for state in WorkState if counts.get(state) and state != "done")
    finished = f"; {counted(done, 'turn')} {'is' if done == 1 else 'are'} done" if done else ""
    return (open_work or "nothing is waiting, and nothing has failed") + finished


# What failed for good is what a person looks for: it comes first, however much waits.
_SHOWN = (WorkState.DEAD, WorkState.LEASED, WorkState.PENDING, WorkState.SKIPPED)


@inbox_command.command("list", epilog=example("admin inbox list --state dead"))
@click.option("--all", "show_all", is_flag=True, help="Include finished work.")
@click.option(
    "--state", "states", multiple=True, type=click.Choice([*map(str, WorkState)]), help="Only this state; repeatable."
)
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@json_option
@click.pass_context
def inbox_list(context: click.Context, show_all: bool, states: tuple[str, ...], limit: int, json_output: bool) -> None:
    """List work that is dead, waiting or skipped, with the reason; dead work first."""
    wanted = dict.fromkeys([*(states or _SHOWN), *([WorkState.DONE] if show_all else [])])
    with open_memory(context, reads=True) as memory:
        listing = memory.engine.inbox.listing(list(wanted), limit)
        counts = memory.engine.inbox.counts()
    if json_output:
        as_json(listing)
        return
    for it in listing:
        say(
            f"{it.id:>7}  {it.state.value:<8} {it.stage.value:<6} try {it.attempts}  {when(it.closed_ms)}  "
            f"{one_line(it.session, 12)} turn {it.turn}  {one_line(it.reason, 70)}"
        )
    if more := sum(counts.get(state, 0) for state in wanted) - len(listing):
        say(f"… {more:,} more; --limit shows more, --state narrows the list")
    if not listing:
        say(f"nothing is {' or '.join(wanted)}" if states else "nothing is waiting, and nothing has failed")


@inbox_command.command("retry", epilog=example("admin inbox retry 17"))
@click.argument("ids", nargs=-1, type=int)
@click.option("--skipped", is_flag=True, help="Work that was skipped as over budget, instead of dead work.")
@json_option
@click.pass_context
def inbox_retry(context: click.Context, ids: tuple[int, ...], skipped: bool, json_output: bool) -> None:
    """Queue dead or skipped work again, by the IDs in `list`; without IDs, all dead work."""
    with open_memory(context, catch_up=False) as memory:
        inbox, now_ms = memory.engine.inbox, memory.env.now_ms()
        known = {it.id for it in inbox.listing([WorkState.DEAD, WorkState.SKIPPED], limit=1_000_000)}
        if unknown := [one for one in ids if one not in known]:
            raise BadInput(f"no dead or skipped work has the id {unknown[0]}; `reverie admin inbox list` lists them")
        count = inbox.retry(ids, now_ms) if ids or skipped else inbox.retry(None, now_ms)
        count += inbox.retry_over_budget(now_ms) if skipped else 0
        memory.parts.background.catch_up()
    if json_output:
        as_json({"queued": count})
    else:
        say(f"{count} queued again")
