"""status, doctor, init: looking after a memory."""

import os
import sys
from pathlib import Path

import click

from reverie.env.real import RealEnv
from reverie.errors import BadInput
from reverie.foundation.workspace import LOCAL_FOLDER, Workspace, check_name, find_project, register
from reverie.hook.locate import RECORD
from reverie.memory import Memory
from reverie.settings import load_settings
from reverie.shells.cli.grammar import example
from reverie.shells.cli.opened_memory import json_option, must_be_there, open_memory, overrides_of, place_of
from reverie.shells.cli.progress import working
from reverie.shells.cli.show import age, as_json, counted, dollars, jsonable, one_line, say
from reverie.shells.health import Status, reported_to, reports_elsewhere, status_of


@click.command("status", epilog=example("status --json"))
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
    """Say that a model's server reported too little, and our own counts are booked; "" if none did."""
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
        why = f"; {status.steward_why}" if status.steward_why else ""
        steward = f"process {status.steward_pid}, for {age(now - (status.steward_since_ms or now))}{why}"
    if status.late_answers:
        steward += f"; {counted(status.late_answers, 'answer')} came too late and went with the next prompt"
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
        f"dead       {status.dead}" + ("; `reverie admin inbox list` lists them" if status.dead else ""),
        f"budget     {dollars(status.spent_today_nanodollars)} of {dollars(status.daily_budget_nanodollars)} today"
        + own_counts(status.own_counts_today),
    ]
    if status.over_budget:
        retry = "`reverie admin inbox list --state skipped` lists them, "
        retry += "`reverie admin inbox retry --skipped` queues them again"
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


@click.command("doctor", epilog=example("doctor --repair"))
@click.option("--repair", is_flag=True, help="Repair what can be repaired.")
@json_option
@click.pass_context
def doctor_command(context: click.Context, repair: bool, json_output: bool) -> None:
    """Check settings, library, file, permissions, schema, locks, spool, queue and hooks."""
    from reverie.shells.doctor import examine

    must_be_there(context, *place_of(context))
    with working("checking"):
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


@click.command("init", epilog=example("admin init"))
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
    waiting = f"; {status.quarantined} in quarantine: `reverie admin gate`" if status.quarantined else ""
    return (told or "none yet") + waiting
