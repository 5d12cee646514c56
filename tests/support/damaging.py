"""A workspace with something in every table, ways to damage a row or a file of it, and every command to try on it."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import apsw

from reverie.errors import ReverieError
from reverie.memory import Memory
from reverie.records import Filters, LoggedReply, Stage, Work
from reverie.records.prompt_inputs import ContextSearch, LoadedToolInfo, SearchResult, SearchState
from reverie.shells.cli import exit_codes as ending
from reverie.shells.cli.main import cli
from reverie.shells.install.entries import LAUNCHER
from reverie.testing import START_MS, FakeEnv, ScriptedConverser
from support.client import Ran
from support.faults import spool_events, steward_on, turn_events, work_off

_SECONDS = 300  # a command takes a twentieth of one; only one that hangs is stopped


# ---- the workspace


def lived_in(home: Path) -> None:
    """Make a workspace in which every table has some rows, all of them in the database file."""
    Memory.open(home, env=FakeEnv()).close()
    for number in range(4):
        prompts = (
            "I prefer tabs in Python files.",
            "Remind me to rotate the staging keys.",
            "The port is 5433.",
            "Go.",
        )
        spool_events(home, turn_events(number, f"s{number % 2}", prompts[number]), START_MS + 100 * number)
    work_off(steward_on(home))
    env = FakeEnv(99, START_MS + 3_600_000)
    with Memory.open(home, env=env) as memory:
        _use(memory)
    spool_events(home, turn_events(9, "s9", "I prefer spaces in Go files."), START_MS + 3_700_000)
    work_off(steward_on(home, 1))
    connection = apsw.Connection(str(home / "reverie.db"))
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()


def _use(memory: Memory) -> None:
    memory.goals.add("ship the shop")
    memory.goals.ask("Which port does staging use?")
    memory.engine.spend.reserve("r1", "2026-01-01", "s0", 5, 10, 10)
    memory.reminders.add("Call Ana", "tomorrow at 9")
    memory.punchclock.start("review")
    memory.documents.create("shop")
    memory.documents.create_section("shop", "Deploy", "Deploys go out on Tuesday.")
    memory.parts.toolset.documents("agent").append("shop", "Deploy", "Never on Friday.")
    memory.memorize("The staging port is 5433.", store="semantic")
    memory.memorize("The staging port is 5434.", store="semantic")
    memory.note("The zebra is something to forget for good.")
    memory.parts.background.catch_up()
    memory.forget("text:zebra", hard=True)
    work = Work(id=1, stage=Stage.MODEL, session="s0", turn=1, first_position=1, last_position=3, closed_ms=START_MS)
    memory.engine.replies.add(work, LoggedReply(purpose="extract", prompt_hash="0", text="[]", model="m"), START_MS)
    memory.assemble_context("which port?", 500)
    memory.maintenance.compact()
    memory.continuum(converser=ScriptedConverser("Hello.")).send("hello there, what is the port?")
    engine = memory.engine
    one, other = engine.items.select(Filters(stores=("semantic",)))[:2]
    engine.items.keep_version(one)
    engine.items.link([(one.id, "derived", other.id)])
    search = ContextSearch(
        id="t1", query="port", state=SearchState.SUCCESS, segment_id="main", asked_turn=1, asked_ms=START_MS,
        found=(SearchResult("01M", "the port is 5433"),),
    )  # fmt: skip
    engine.searches.put(search)
    engine.loaded_tools.put("main", LoadedToolInfo("punchclock_tool", 1, 1))


# ---- damage


@dataclass(frozen=True, slots=True)
class Edit:
    """One value of one row that somebody, or something, changed behind our back."""

    table: str
    column: str
    kind: str
    value: object  # bytes stand for the text with these bytes if the kind says so


_GARBAGE = (
    '{"a":',
    "[]",
    "5",
    "null",
    '"x"',
    '{"x":1}',
    "[[1]]",
    '{"tags":5,"blocks":[{}],"sections":{"a":5}}',
    "[" * 3000,
)
_NUMBERS = (-1, -(2**63), 2**63 - 1, 2**53 + 1, 10**17)
_TEXTS = (b"\xff\xfe", b"caf\xe9", b"\xed\xa0\x80", b"a\x00b\xc3")


def tables_of(database: Path) -> list[str]:
    """The tables that have rows of ours: not the text indexes, nor what SQLite keeps for itself."""
    connection = apsw.Connection(str(database))
    sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    names = [name for (name,) in connection.execute(sql + " ORDER BY name")]
    found = [name for name in names if connection.execute(f"SELECT count(*) FROM {name}").get]
    connection.close()
    return found


def edit_one_row(database: Path, table: str, seed: int) -> Edit:
    """Change one value of a row, past every constraint that stands in the way; by the seed, always the same one."""
    chance = random.Random(f"{table} {seed}")
    connection = apsw.Connection(str(database))
    columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall()
    own = [it for it in columns if it[0] != "user_id"] if chance.random() < 0.9 else columns
    name, declared = chance.choice(own)
    kind, value = chance.choice(list(_values(declared, chance)))
    place = chance.randrange(connection.execute(f"SELECT count(*) FROM {table}").get)
    keys = ", ".join(it[0] for it in connection.execute("SELECT name, pk FROM pragma_table_info(?)", (table,)) if it[1])
    where = f"({keys}) = (SELECT {keys} FROM {table} ORDER BY {keys} LIMIT 1 OFFSET {place})"
    schema = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).get
    connection.close()
    bare = schema.replace("NOT NULL", "")
    if "WITHOUT ROWID" in schema and name in keys.split(", ") and value is None:
        kind, value = "another", "nonsense"  # the key of such a table cannot be NULL, whatever its schema says
    told = "CAST(? AS TEXT)" if kind == "no text" else "?"
    with _schema(database, table, bare) as writing:
        try:
            writing.execute(f"UPDATE OR REPLACE {table} SET {name} = {told} WHERE {where}", (value,))
        except apsw.SQLError as error:  # an index over an expression; a view
            raise AssertionError(f"{table}.{name}: {error}") from error
    with _schema(database, table, schema):
        pass
    return Edit(table, name, kind, value)


@contextmanager
def _schema(database: Path, table: str, sql: str) -> Iterator[apsw.Connection]:
    """A connection to which a table has this schema."""
    writing = apsw.Connection(str(database))
    writing.execute("PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
    writing.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
    writing.close()
    writing = apsw.Connection(str(database))
    writing.execute("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
    try:
        yield writing
    finally:
        writing.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        writing.close()


def _values(declared: str, chance: random.Random) -> Iterator[tuple[str, object]]:
    """What may stand in the place of a value, by the declared type of its column."""
    yield "nothing", None
    yield "bytes", chance.randbytes(9)
    if declared == "TEXT":
        yield "no text", chance.choice(_TEXTS)
        yield "garbage", chance.choice(_GARBAGE)
        yield "another", chance.choice(("nonsense", "", "01M00000000000000000000000", "x" * 5000))
    else:
        yield "number", chance.choice(_NUMBERS)
        yield "word", "nonsense"
        yield "fraction", chance.choice((0.5, 1e308, float("inf")))


def damage_file(database: Path, seed: int) -> str:
    """Flip a byte of the file, or cut off its end."""
    chance = random.Random(seed)
    data = bytearray(database.read_bytes())
    if chance.random() < 0.2:
        length = chance.randrange(len(data))
        database.write_bytes(data[:length])
        return f"cut off at {length}"
    at = chance.randrange(len(data))
    data[at] ^= chance.randrange(1, 256)
    database.write_bytes(data)
    return f"byte {at} flipped"


# ---- commands

READS: tuple[tuple[str, ...], ...] = (
    ("status",),
    ("search", "port", "--everywhere"),
    ("search", "tabs", "--everywhere", "--filter", "types=fact"),
    ("log",),
    ("context",),
    ("actions",),
    ("learnings", "--everywhere"),
    ("recall", "which port", "--everywhere"),
    ("memories", "show", "ITEM"),
    ("memories", "show", "--around", "ITEM"),
    (
        "admin",
        "prompt",
    ),
    ("explain",),
    ("admin", "gate", "list"),
    ("admin", "gate", "explain", "The port is 5433"),
    ("forget", "text:port", "--hard", "--dry-run"),
    ("goals", "--everywhere"),
    ("questions", "--everywhere"),
    ("reminders", "list"),
    ("punchclock", "list"),
    ("punchclock", "show"),
    ("docs", "list"),
    ("docs", "show", "shop"),
    ("docs", "show", "shop", "--history"),
    ("admin", "tools", "list"),
    ("sessions", "show", "s0"),
    ("skills",),
    ("admin", "merge", "--dry-run"),
    (
        "admin",
        "tune",
    ),
    (
        "admin",
        "inbox",
        "show",
    ),
    ("admin", "inbox", "list", "--all"),
    (
        "admin",
        "export",
    ),
    ("doctor",),
)
WRITES: tuple[tuple[str, ...], ...] = (
    ("note", "The cat sat on the mat."),
    ("admin", "memorize", "The staging host is blue."),
    ("forget", "text:zebra"),
    ("forget", "text:5433", "--hard", "--yes"),
    ("goals", "add", "write more"),
    ("reminders", "add", "water the plants", "--when", "tomorrow at 9"),
    ("punchclock", "add", "writing"),
    ("docs", "edit", "shop", "--undo"),
    ("admin", "tools", "load", "punchclock"),
    (
        "admin",
        "compact",
    ),
    (
        "admin",
        "merge",
    ),
    ("admin", "inbox", "retry"),
    ("hook", "SessionStart"),
    ("hook", "UserPromptSubmit"),
    (
        "admin",
        "rebuild",
    ),
)


def try_commands(home: Path, commands: Sequence[Sequence[str]], item: str) -> list[Ran]:
    """Run commands on a workspace one after the other, in this process; what none of them may end in is in `err`."""
    variables = {"HOME": str(home.parent), "LANG": "C.UTF-8", "REVERIE_HOME": str(home), "PATH": "/usr/bin:/bin"}
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(home.parent)
    return [_try([item if word == "ITEM" else word for word in command]) for command in commands]


def _try(words: Sequence[str]) -> Ran:
    if words[0] == "hook":  # which becomes another program
        event = {"session_id": "s0", "cwd": os.getcwd(), "hook_event_name": words[1], "prompt": "which port?"}
        command = [sys.executable, "-I", "-S", LAUNCHER, words[1]]
        ended = subprocess.run(command, input=json.dumps(event), capture_output=True, text=True, check=False)
        return Ran(ended.returncode, ended.stdout, ended.stderr)
    out, err = io.StringIO(), io.StringIO()
    ending.opened.clear()
    code: object = 0
    signal.alarm(_SECONDS)  # a command that hangs ends the process, and with it the test
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = ending.run(cli, list(words))
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
            code = -1
    signal.alarm(0)
    return Ran(code if isinstance(code, int) else 1, out.getvalue(), err.getvalue())


def steward_pass(home: Path) -> str:
    """What a steward that comes by says of the record: '' or an error of ours; anything else is raised."""
    try:
        work_off(steward_on(home, 3))
    except ReverieError as error:
        return str(error)
    return ""


def in_a_child(run: Callable[[], list[str]]) -> list[str]:
    """Do something in a forked process, where folder and variables are its own; returns what it says."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = run()
        except BaseException:
            said = [traceback.format_exc()]
        with open(writing, "w") as pipe:
            json.dump(said, pipe)
        os._exit(0)
    os.close(writing)
    with open(reading) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    assert told, "a command did not come to its end"
    found: list[str] = json.loads(told)
    return found
