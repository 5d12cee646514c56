"""status, doctor, inbox, rebuild, init: looking after a memory."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from reverie.env.real import RealEnv
from reverie.errors import BadInput
from reverie.foundation.workspace import LOCAL_FOLDER, Workspace, check_name, find_project, register
from reverie.hook.locate import RECORD
from reverie.memory import Memory
from reverie.records import WorkState
from reverie.settings import load_settings
from reverie.shells.cli.opened_memory import json_option, must_be_there, open_memory, overrides_of, place_of
from reverie.shells.cli.show import age, as_json, counted, dollars, jsonable, one_line, say, when
from reverie.shells.health import Status, reported_to, reports_elsewhere, status_of


@click.command("status")
@json_option
@click.pass_context
def status_command(context: click.Context, json_output: bool) -> None:
    """Say how Reverie is doing: the steward, the queue, the budget, and whether events arrive."""
    from reverie.shells.install import faulty, installed

    with open_memory(context, reads=True) as memory:
        status = status_of(memory)
        project, workspace, env = find_project(Path.cwd()), memory.workspace, memory.env
    installations = installed(env, project)
    if json_output:
        hooks = [{**jsonable(it), "reports_to": str(reported_to(it.home, env, project))} for it in installations]
        as_json({**jsonable(status), "hooks": hooks})
        return
    for line in status_lines(status):
        say(line)
    for it in installations:
        told = [*it.reasons[:1], *filter(None, [reports_elsewhere(it.home, workspace, env, project)])]
        say(f"hooks      {it.state.value} in {it.path}" + (f": {'; '.join(told)}" if told else ""))
    for fault in (faults := faulty(env, project)):
        say(f"hooks      {fault}")
    if not installations and not faults:
        say("hooks      not installed; `reverie install claude-code` connects an agent")


def own_counts(calls: int) -> str:
    """What is said where a model's server reported too little; '' if none did."""
    if not calls:
        return ""
    booked = "our own counts are booked" if calls > 1 else "our own count is booked"
    return (
        f"; for {counted(calls, 'call')} {booked}: the model's server reported under half of the tokens that we count"
    )


def status_lines(status: Status) -> list[str]:
    now = status.now_ms
    steward = "not running; what is waiting is taken in by whatever opens the memory next. `reverie up` starts it"
    if status.steward_pid is not None:
        steward = f"process {status.steward_pid}, for {age(now - (status.steward_since_ms or now))}"
    queue = counted(status.queue, "turn")
    if status.queue and status.queue_oldest_ms is not None:
        queue += f", the oldest waiting for {age(now - status.queue_oldest_ms)}"
    queue += f"; spool {status.spool_bytes:,} bytes" if status.spool_bytes else ""
    lines = [
        f"workspace  {status.home}",
        f"steward    {steward}",
        f"memory     {counted(status.observations, 'observation')} in {counted(status.sessions, 'session')}, "
        f"{counted(status.learnings, 'learning')}, {counted(status.actions, 'pending action')}",
        f"memories   {_memories(status)}",
        f"queue      {queue}",
        f"dead       {status.dead}" + ("; `reverie inbox show` lists them" if status.dead else ""),
        f"budget     {dollars(status.spent_today_nanodollars)} of {dollars(status.daily_budget_nanodollars)} today"
        + own_counts(status.own_counts_today),
    ]
    if status.over_budget:
        retry = "`reverie inbox show --state skipped` lists them, `reverie inbox retry --skipped` queues them again"
        lines.append(f"skipped    {counted(status.over_budget, 'turn')} over budget: no model was asked; {retry}")
    if status.last_error:
        lines.append(f"last error {one_line(status.last_error)}")
    for project, last_ms in list(status.last_capture_ms.items())[:5]:
        lines.append(f"captured   {age(now - last_ms)} ago in {project or 'no project'}")
    if not status.last_capture_ms:
        lines.append("captured   nothing yet")
    lines += [f"past       {said}" for said in status.past]
    lines += [f"warning    {warning}" for warning in status.warnings]
    return lines


@click.command("doctor")
@click.option("--repair", is_flag=True, help="Repair what can be repaired.")
@json_option
@click.pass_context
def doctor_command(context: click.Context, repair: bool, json_output: bool) -> None:
    """Check settings, library, file, permissions, schema, locks, spool, queue and hooks."""
    from reverie.shells.doctor import examine

    must_be_there(context, *place_of(context))
    findings = examine(
        *place_of(context),
        find_project(Path.cwd()),
        repair=repair,
        overrides=overrides_of(context),
        is_named=bool(context.find_root().obj),
    )
    if json_output:
        as_json(findings)
    else:
        for it in findings:
            say(f"{'ok ' if it.is_fine else 'BAD'}  {it.name:<12} {it.detail}")
    sys.exit(0 if all(it.is_fine for it in findings) else 1)


@click.group("inbox", invoke_without_command=True)
@json_option
@click.pass_context
def inbox_command(context: click.Context, json_output: bool) -> None:
    """Show work that is waiting or has failed; retry failed work."""
    if context.invoked_subcommand is None:
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


@inbox_command.command("show")
@click.option("--all", "show_all", is_flag=True, help="Include finished work.")
@click.option(
    "--state", "states", multiple=True, type=click.Choice([*map(str, WorkState)]), help="Only this state; repeatable."
)
@click.option("--limit", type=click.IntRange(1, 100_000), default=100, show_default=True)
@json_option
@click.pass_context
def inbox_show(context: click.Context, show_all: bool, states: tuple[str, ...], limit: int, json_output: bool) -> None:
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


@inbox_command.command("retry")
@click.argument("ids", nargs=-1, type=int)
@click.option("--skipped", is_flag=True, help="Work that was skipped as over budget, instead of dead work.")
@json_option
@click.pass_context
def inbox_retry(context: click.Context, ids: tuple[int, ...], skipped: bool, json_output: bool) -> None:
    """Queue dead or skipped work again, by the IDs in `show`; without IDs, all dead work."""
    with open_memory(context, catch_up=False) as memory:
        inbox, now_ms = memory.engine.inbox, memory.env.now_ms()
        known = {it.id for it in inbox.listing([WorkState.DEAD, WorkState.SKIPPED], limit=1_000_000)}
        if unknown := [one for one in ids if one not in known]:
            raise BadInput(f"no dead or skipped work has the id {unknown[0]}; `reverie inbox show` lists them")
        count = inbox.retry(ids, now_ms) if ids or skipped else inbox.retry(None, now_ms)
        count += inbox.retry_over_budget(now_ms) if skipped else 0
        memory.parts.background.catch_up()
    if json_output:
        as_json({"queued": count})
    else:
        say(f"{count} queued again")


@click.command("rebuild")
@json_option
@click.pass_context
def rebuild_command(context: click.Context, json_output: bool) -> None:
    """Derive all learnings again from the log, without asking a model.

    Whoever else writes to this memory waits until it is done. Hooks go on: what they capture is taken in afterwards.
    """
    with open_memory(context) as memory:
        total = memory.engine.inbox.counts().get("done", 0)
        with click.progressbar(
            length=total, label="rebuilding", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar:
            done = memory.rebuild(lambda count: bar.update(count - bar.pos))
    if json_output:
        as_json(done)
    else:
        say(f"{counted(done.learnings, 'learning')} from {counted(done.turns, 'turn')}")


@click.command("init")
@json_option
@click.pass_context
def init_command(context: click.Context, json_output: bool) -> None:
    """Make a workspace for this folder alone (.reverie/), instead of the one in your home folder."""
    home = Path.cwd() / LOCAL_FOLDER
    check_name(home)
    _refuse_another_home(context, home)
    existed = (home / RECORD).exists()
    settings = load_settings(Workspace(home), RealEnv(), overrides_of(context))
    Memory.open(home, env=RealEnv(), settings=settings).close()
    (home / ".gitignore").write_text("*\n", encoding="utf-8")
    register(home, RealEnv())
    if json_output:
        as_json({"home": str(home), "created": not existed})
    else:
        say(f"{'already there' if existed else 'made'}: {home} (kept out of git)")


def _refuse_another_home(context: click.Context, home: Path) -> None:
    """A workspace that no command would use is made for nobody."""
    is_option = context.find_root().obj is not None
    if not is_option and not RealEnv().variable("REVERIE_HOME"):
        return
    named = place_of(context)[0].home
    if os.path.realpath(named) == os.path.realpath(home):
        return
    if is_option:
        makes = f"`reverie --home {named} note` or `up` makes that one"
        raise BadInput(f"init makes {home}, not {named}; leave --home out, or {makes}")
    used = f"REVERIE_HOME is {named}, and every command would use that one instead of {home}"
    raise BadInput(f"{used}; unset REVERIE_HOME for a workspace of this folder's own")


def _memories(status: Status) -> str:
    """By memory type; and what `search` finds all the same, although no steward has sorted it yet."""
    told = ", ".join(f"{count:,} {name}" for name, count in status.memories.items())
    unsorted = [
        counted(count, what)
        for count, what in ((status.unsorted_observations, "observation"), (status.unsorted_learnings, "learning"))
        if count
    ]
    if unsorted:
        told += ("; " if told else "") + f"{' and '.join(unsorted)} that `search` finds"
        told += " but a steward has yet to sort by memory type"
    waiting = f"; {status.quarantined} in quarantine: `reverie gate list`" if status.quarantined else ""
    return (told or "none yet") + waiting
