"""Whatever an agent sends: exit 0, in time, in bounded memory, and what can be stored is stored, without its secrets."""

import json
import os
import random
import subprocess
import sys
import time
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hooks.bad_inputs import bad_input
from hooks.processes import (
    IN_TIME_SECONDS,
    PYTHON,
    complaints,
    files_under,
    prompt,
    run_hook,
    spooled,
    spooled_payloads,
    taken_in,
    tool_call,
)
from reverie.capture.hook_events import read_record
from reverie.engines.sqlite.rows import storable
from reverie.hook import capture_event as hook
from reverie.redact import secrets
from reverie.shells.install.entries import LAUNCHER
from support.hooks import patient_launcher

STDIN_SECONDS = 5.0
AT_ONCE = 8
MEMORY_MB = 150


# ---- 20,000 of them


@pytest.mark.parametrize("count", [5_000, pytest.param(20_000, marks=pytest.mark.torture)])
def test_thousands_of_bad_inputs(quick_folder: Path, count: int) -> None:
    here = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    driver = [sys.executable, "-m", "hooks.in_process", str(quick_folder)]
    running = [
        subprocess.Popen(
            [*driver, str(first), str(count // 2)], env=here, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for first in (0, count // 2)
    ]
    for process in running:
        said, _ = process.communicate(timeout=300)
        assert (process.returncode, said) == (0, b"")
    slowest = [float(path.read_text()) for path in quick_folder.glob("slowest-*")]
    records = identities(quick_folder)

    observed = taken_in(quick_folder)

    assert len(slowest) == 2
    assert max(slowest) < IN_TIME_SECONDS
    assert complaints(quick_folder) == []
    assert len(records) == sum(events_in(bad_input(number)[1]) for number in range(count)) > count
    # A mutation may give two events the same id; that is one event twice.
    ids = {(o.session, o.event_id) for o in observed if o.event_id}
    names = {(o.event, o.text) for o in observed}
    lost = [c for c in records if (c.session, c.event_id) not in ids and (c.event, c.text) not in names]
    assert lost == []
    assert len(observed) > count * 0.99
    assert set(os.listdir(quick_folder / "spool")) == {"lock", "drain.lock"}, "nothing was set aside"


def events_in(data: bytes) -> int:
    """One, and one more for whatever follows it, up to where the rest is one text."""
    rest, count = data, 0
    while (rest or not count) and count < AT_ONCE:
        rest, count = hook.first_value(rest)[1], count + 1
    return count


class Identity(NamedTuple):
    """What the log knows an event by."""

    session: str
    event_id: str
    event: str
    text: str


def identities(home: Path) -> list[Identity]:
    captures = [read_record(payload) for payload in spooled_payloads(home)]
    return [Identity(storable(c.session), c.event_id, c.event, storable(c.text)) for c in captures]


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_some_of_them_as_real_processes(tmp_path: Path, start: int) -> None:
    for number in range(start * 500, start * 500 + 5_000, 500):
        event, data = bad_input(number)
        ran = run_hook(event, data, tmp_path)
        assert ran.was_silent, number
    for event in ("SessionStart", "UserPromptSubmit"):
        ran = run_hook(event, bad_input(start)[1], tmp_path)
        assert (ran.code, ran.err) == (0, b"")
    assert complaints(tmp_path) == []


_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.text(st.characters(categories=["Cs", "Cc"]))
)
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


@settings(deadline=None)
@given(
    event=st.sampled_from(["PostToolUse", "UserPromptSubmit", "Stop", "Other"]), value=_VALUES, ascii_only=st.booleans()
)
def test_any_json_is_stored_and_read_again(event: str, value: object, ascii_only: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")

    parsed = hook.parse(raw)
    fields = parsed if isinstance(parsed, dict) else hook.scrape(raw)
    record = {
        "event": event,
        "at": 1,
        "mono": 1,
        "project": "",
        **hook.contents(parsed, fields, raw, len(raw), "", secrets),
    }
    captured = read_record(hook.encode(record, raw.isascii()))

    assert captured.event == event
    json.dumps(dict(captured.metadata))


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_kept_as_text(raw: bytes) -> None:
    kept = hook.contents(hook.parse(raw), hook.scrape(raw), raw, len(raw), "", secrets)

    assert isinstance(hook.encode(kept), bytes)
    assert "raw" in kept or isinstance(hook.parse(raw), dict)


def test_ids_are_found_in_what_cannot_be_parsed() -> None:
    assert hook.scrape(b'{"session_id" : "s1", "cwd": null, "tool_use_id":7,"tool_name":"Bash", "tool_input": {') == {
        "session_id": "s1",
        "tool_name": "Bash",
    }


@pytest.mark.parametrize("count", [90_000, 400_000])
def test_commas_are_counted_outside_strings_only(count: int) -> None:
    text = json.dumps({"session_id": "s1", "a": ['x,\\,"y,'] * 10, "b": "," * count, "c": [1] * count})

    assert hook.count_commas(text.encode()) == 3 + 9 + count - 1
    assert isinstance(hook.parse(text.encode()), dict) == (count < 100_000)


def test_a_command_that_is_carried_on_just_where_nobody_looks_any_further(tmp_path: Path) -> None:
    commands = ["curl " + "x" * length + "\\\nand on" for length in range(790, 805)]

    ran = run_hook("PostToolUse", tool_call(text="\n".join(commands)), tmp_path)

    assert ran.was_silent
    assert len(taken_in(tmp_path)) == 1


# ---- more than one at once


def test_two_events_at_once_are_both_kept(tmp_path: Path) -> None:
    stdin = json.dumps(tool_call(1)).encode() + b"\n" + json.dumps(tool_call(2, text="the second")).encode() + b"\n\0"

    assert run_hook("PostToolUse", stdin, tmp_path).was_silent

    assert [(o.event_id, o.text) for o in taken_in(tmp_path)] == [
        ("tool:call-1", "3 passed"),
        ("tool:call-2", "the second"),
    ]
    assert complaints(tmp_path) == []


def test_the_second_event_is_what_it_says_it_is_and_in_its_own_project(tmp_path: Path) -> None:
    (tmp_path / "quiet").mkdir()
    (tmp_path / "quiet" / ".reverie.toml").write_text("[project]\nenabled = false\n")
    loud, quiet = prompt("go on", cwd=str(tmp_path)), prompt("a secret of the house", cwd=str(tmp_path / "quiet"))
    events = [tool_call(1, cwd=str(tmp_path)), quiet, loud]

    run_hook("PostToolUse", "".join(map(json.dumps, events)).encode(), tmp_path / "home")

    assert [(o.event, o.text) for o in taken_in(tmp_path / "home")] == [
        ("PostToolUse", "3 passed"),
        ("UserPromptSubmit", "go on"),
    ]


def test_what_follows_an_event_and_is_none_is_kept_as_text_without_its_secrets(tmp_path: Path) -> None:
    half = json.dumps(tool_call(2, text=f"export GITHUB_TOKEN={SECRET}")).encode()[:-1]

    assert run_hook("PostToolUse", json.dumps(tool_call(1)).encode() + half, tmp_path).was_silent
    assert run_hook("Stop", b'{"session_id": "s1"} and some words', tmp_path).was_silent

    kept = taken_in(tmp_path)
    assert [(o.session, o.event_id) for o in kept] == [
        ("s1", "tool:call-1"),
        ("s1", "tool:call-2"),
        ("s1", ""),
        ("s1", ""),
    ]
    assert kept[1].text.startswith('{"session_id": "s1"')
    assert kept[3].text == "and some words"
    assert all(SECRET.encode() not in path.read_bytes() for path in files_under(tmp_path))


def quiet_project(folder: Path) -> Path:
    folder.mkdir()
    (folder / ".reverie.toml").write_text("[project]\nenabled = false\n")
    return folder


@pytest.mark.parametrize("cwd", [{}, {"cwd": None}, {"cwd": "here"}, {"cwd": ["/"]}], ids=str)
@pytest.mark.parametrize("more", [1, 12])
def test_what_follows_an_event_and_names_no_folder_is_in_the_same_one(
    tmp_path: Path, cwd: dict[str, object], more: int
) -> None:
    quiet, loud = quiet_project(tmp_path / "quiet"), tmp_path / "loud"
    loud.mkdir()
    following = json.dumps({"words": "a secret of the house", **cwd}) * more

    run_hook("PostToolUse", (json.dumps(tool_call(cwd=str(quiet))) + following).encode(), tmp_path / "home 1", cwd=loud)
    run_hook("PostToolUse", (json.dumps(tool_call(cwd=str(loud))) + following).encode(), tmp_path / "home 2", cwd=quiet)

    assert spooled(tmp_path / "home 1") == []
    kept = spooled(tmp_path / "home 2")
    assert len(kept) == min(1 + more, AT_ONCE)
    assert {record["project"] for record in kept} == {str(loud)}
    assert {o.session for o in taken_in(tmp_path / "home 2")} == {"s1"}


@pytest.mark.parametrize("count", [AT_ONCE, AT_ONCE + 1, 3_000])
def test_many_events_at_once_are_kept_in_few_records(tmp_path: Path, count: int) -> None:
    stdin = "".join(json.dumps(tool_call(number, text=f"step {number}.")) for number in range(count)).encode()

    ran = run_hook("PostToolUse", stdin, tmp_path, launcher=patient_launcher(tmp_path.parent))

    assert ran.was_silent
    assert len(spooled(tmp_path)) == AT_ONCE
    text = "\n".join(o.text for o in taken_in(tmp_path))
    assert [number for number in range(count) if f"step {number}." not in text] == []
    assert complaints(tmp_path) == []


def test_eight_megabytes_of_empty_events(tmp_path: Path) -> None:
    ran = run_hook("PostToolUse", b"{}" * 3_990_000, tmp_path, launcher=patient_launcher(tmp_path.parent))

    assert ran.was_silent
    assert len(spooled(tmp_path)) == AT_ONCE


@pytest.mark.parametrize("spelt", ["%s", "\\u002f%s"])
@pytest.mark.parametrize("place", [AT_ONCE - 2, AT_ONCE - 1, AT_ONCE + 1, 500])
def test_who_opted_out_is_out_among_many(tmp_path: Path, place: int, spelt: str) -> None:
    quiet = str(quiet_project(tmp_path / "quiet"))
    events = [json.dumps(tool_call(number, cwd="/")) for number in range(1_000)]
    hidden = json.dumps(prompt("a secret of the house", cwd="@@"))
    events[place] = hidden.replace("@@", spelt % (quiet if spelt == "%s" else quiet[1:]))

    run_hook("PostToolUse", "".join(events).encode(), tmp_path / "home")

    assert len(spooled(tmp_path / "home")) >= min(place, AT_ONCE - 1)
    assert b"secret of the house" not in b"".join(spooled_payloads(tmp_path / "home"))


def test_among_many_those_without_a_folder_are_out_with_the_first(tmp_path: Path) -> None:
    quiet = str(quiet_project(tmp_path / "quiet"))
    loud = [json.dumps(prompt(f"go on {number}", cwd="/")) for number in range(AT_ONCE)]
    events = [json.dumps(tool_call(cwd=quiet)), *loud, json.dumps({"words": "a secret of the house"})]

    run_hook("PostToolUse", "".join(events).encode(), tmp_path / "home")

    assert len(spooled(tmp_path / "home")) == AT_ONCE - 2
    assert b"secret of the house" not in b"".join(spooled_payloads(tmp_path / "home"))


# ---- stdin that does not end


def test_stdin_that_is_never_closed(tmp_path: Path) -> None:
    whole, half = json.dumps(tool_call(1)).encode(), json.dumps(tool_call(2)).encode()[:-1]
    sent = {"nothing": b"", "whole": whole, "half": half}
    started = time.monotonic()
    running = {
        name: subprocess.Popen(
            [*PYTHON, str(LAUNCHER), "PostToolUse", str(tmp_path / name)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={},
        )
        for name in sent
    }  # fmt: skip
    for name, process in running.items():
        assert process.stdin
        process.stdin.write(sent[name])
        process.stdin.flush()
    codes = {name: process.wait(STDIN_SECONDS + IN_TIME_SECONDS) for name, process in running.items()}
    seconds = time.monotonic() - started
    said = [process.stdout.read() for process in running.values() if process.stdout]
    for process in running.values():
        assert process.stdin
        process.stdin.close()

    assert codes == dict.fromkeys(sent, 0)
    assert said == [b""] * 3
    assert seconds >= STDIN_SECONDS
    assert [o.event_id for o in taken_in(tmp_path / "whole")] == ["tool:call-1"]
    assert [o.event_id for o in taken_in(tmp_path / "half")] == ["tool:call-2"]
    assert len(taken_in(tmp_path / "nothing")) == 1


# ---- large ones

# The peak of a child counts the memory of who started it, so a small process stands in between.
_MEASURE = """
import os, sys
source, *command = sys.argv[1:]
reading, writing = os.pipe()
feeder = os.posix_spawn("/bin/cat", ["cat", source], {}, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
os.close(writing)
hook = os.posix_spawn(command[0], command, {}, file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)])
os.close(reading)
_, status, usage = os.wait4(hook, 0)
os.waitpid(feeder, 0)
unit = 1e6 if sys.platform == "darwin" else 1e3
print(status, usage.ru_maxrss / unit)
"""


def peak_mb(home: Path, stdin: bytes) -> float:
    """The most memory that a hook takes with this on stdin, through a pipe."""
    source = home.with_name("stdin")
    source.write_bytes(stdin)
    command = [*PYTHON, str(patient_launcher(home.parent)), "PostToolUse", str(home)]
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(source), *command], capture_output=True, text=True, check=True
    )
    status, megabytes = done.stdout.split()
    assert (status, done.stderr) == ("0", "")
    return float(megabytes)


def _event(response: str) -> bytes:
    return (
        b'{"session_id":"s1","cwd":"/","tool_name":"Bash","tool_use_id":"c1","tool_response":'
        + response.encode()
        + b"}"
    )


LARGE = {
    "8 MB of emoji": lambda: _event('"' + "😀" * 1_990_000 + '"'),
    "8 MB of Chinese": lambda: _event('"' + "漢字かな" * 660_000 + '"'),
    "8 MB with one emoji": lambda: _event('"😀' + ("all work and no play. " * 50 + "password=hunter2x ") * 7_000 + '"'),
    "8 MB of escapes": lambda: _event('"' + "\\u6f22" * 1_300_000 + '"'),
    "8 MB of empty lists": lambda: _event("[" + "[]," * 2_600_000 + "[]]"),
    "8 MB of words": lambda: _event("[" + '"a",' * 1_990_000 + '"b"]'),
    "8 MB of keys": lambda: _event("{" + ",".join(f'"k{n}":0' for n in range(600_000)) + "}"),
    "8 MB of one list": lambda: b"[" * 7_900_000,
    "8 MB of noise": lambda: random.Random(1).randbytes(7_900_000),
    "100 MB of text": lambda: _event('"' + "all work and no play\\n" * 4_700_000 + '"'),
    "100 MB of noise": lambda: random.Random(2).randbytes(1_000_000) * 100,
}


@pytest.mark.parametrize("name", LARGE)
def test_memory_is_bounded(tmp_path: Path, name: str) -> None:
    data = LARGE[name]()

    assert peak_mb(tmp_path / "home", data) < MEMORY_MB

    kept = taken_in(tmp_path / "home")
    assert len(kept) == 1
    assert len(kept[0].text) > 1_000_000
    if len(data) > hook.CUT_ABOVE:
        assert kept[0].metadata["size"] == len(data)
        assert kept[0].metadata["digest"] == blake2b(data, digest_size=16).hexdigest()


# ---- cuts

SECRET = "ghp_" + "R7tB2kQ9xW4mZ8vN3cJ6hL1pS5dF0gYaTeUi"
FILLERS = {
    "lines": b"all work and no play\\n",
    "Chinese": "工作 和 玩耍 ".encode(),
    # Redaction makes this much shorter, so that a cut by characters would reach further than meant.
    "keys": (
        b"-----BEGIN RSA PRIVATE KEY-----\\n"
        + b"MIIEpAIBAAKCAQEA7bq4Xv9mT2dZ\\n" * 60
        + b"-----END RSA PRIVATE KEY-----\\n"
    ),
    # And this one longer.
    "passwords": b"password=hunter22 and further down the page " + b"all work and no play " * 5,
}
SIZE = 9_000_000
HEAD, TAIL, OVERLAP = 4_000_000, 1_000_000, 65_536
BOUNDARIES = (HEAD, HEAD + OVERLAP, SIZE - TAIL - OVERLAP, SIZE - TAIL)


def with_secrets_at_the_cuts(filler: bytes, before: int) -> bytes:
    """Nine megabytes in which, at each place where something is cut, a secret has begun so many characters ago."""
    data = bytearray((filler * (SIZE // len(filler) + 1))[:SIZE])
    data[:60] = b'{"session_id":"s1","cwd":"/","tool_name":"Bash","out":"start'
    for boundary in BOUNDARIES:
        line = b" export GITHUB_TOKEN=" + SECRET.encode() + b" done "
        at = boundary - line.index(b"ghp_") - before
        data[at : at + len(line)] = line
    data[-9:] = b' the end"'
    return bytes(data)


def leaked(written: bytes) -> list[bytes]:
    pieces = [SECRET[at : at + 10].encode() for at in range(4, len(SECRET) - 9)]
    return [piece for piece in pieces if piece in written]


@pytest.mark.parametrize("before", [3, 30])
@pytest.mark.parametrize("filler", FILLERS)
def test_a_secret_that_straddles_a_cut_is_in_no_file(tmp_path: Path, filler: str, before: int) -> None:
    data = with_secrets_at_the_cuts(FILLERS[filler], before)

    assert run_hook("PostToolUse", data, tmp_path, launcher=patient_launcher(tmp_path.parent)).was_silent

    [kept] = taken_in(tmp_path)
    assert kept.metadata["cut"] is True
    assert kept.metadata["size"] == SIZE
    assert kept.text.startswith('{"session_id":"s1"')
    assert kept.text.endswith('end"')
    assert leaked(b"".join(path.read_bytes() for path in files_under(tmp_path))) == []


def test_negative_control_a_plain_cut_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    data = with_secrets_at_the_cuts(FILLERS["lines"], before=30)

    def kept() -> bytes:
        return hook.encode(hook.contents(None, {}, data, SIZE, "digest", secrets))

    assert leaked(kept()) == []
    monkeypatch.setattr(hook, "same_start", lambda one, other: one)
    assert leaked(kept()) != []


@pytest.mark.parametrize(
    ("tag", "opened"),
    [
        ("private", 3_999_990),
        ("private", 4_030_000),
        ("PRIVATE", 6_000_000),
        ("reverie-context", 6_000_000),
        ("private", 7_950_000),
        ("private", 7_999_995),
    ],
)
def test_what_a_tag_hides_stays_hidden_across_a_cut(tmp_path: Path, tag: str, opened: int) -> None:
    data = bytearray((b"all work and no play " * (SIZE // 20))[:SIZE])
    hidden, closing = b"diary " * 1000, f"</{tag}>".encode()
    closed = SIZE - 500_000
    data[opened : opened + len(tag) + 2] = f"<{tag}>".encode()
    data[closed - len(hidden) : closed] = hidden
    data[opened + 100 : opened + 100 + len(hidden)] = hidden
    data[closed : closed + len(closing)] = closing
    data[-8:] = b" the end"

    assert run_hook("PostToolUse", bytes(data), tmp_path, launcher=patient_launcher(tmp_path.parent)).was_silent

    [kept] = taken_in(tmp_path)
    assert "diary" not in kept.text
    assert kept.text.endswith("the end")


def test_a_tag_that_is_never_closed_hides_the_rest(tmp_path: Path) -> None:
    data = bytearray((b"all work and no play " * (SIZE // 20))[:SIZE])
    data[5_000_000:5_000_009] = b"<private>"
    data[-9:] = b"the diary"

    assert run_hook("PostToolUse", bytes(data), tmp_path, launcher=patient_launcher(tmp_path.parent)).was_silent

    assert "diary" not in taken_in(tmp_path)[0].text


def test_a_secret_in_the_project_folder_is_in_no_file(tmp_path: Path) -> None:
    project = tmp_path / f"checkout-{SECRET}"
    (project / ".git").mkdir(parents=True)

    run_hook("PostToolUse", tool_call(cwd=str(project)), tmp_path / "home")
    run_hook("PostToolUse", {"session_id": "s1"}, tmp_path / "home", cwd=project)

    assert len(spooled(tmp_path / "home")) == 2
    assert all(SECRET.encode() not in path.read_bytes() for path in files_under(tmp_path / "home"))
