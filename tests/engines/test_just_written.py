"""A turn that has just been taken in is not read again from the file. Whoever does read it finds the same."""

import gc
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from reverie.capture.hook_events import read_record
from reverie.engines.sqlite import SqliteEngine
from reverie.errors import StoreError
from reverie.hook import spool
from reverie.memory import Memory
from reverie.records import Captured, Observation, Stage, Turn, Work
from reverie.testing import FakeEnv

LEASE_MS = 60_000

ODD = [
    "plain",
    "nul \0 in it",
    "half a pair \ud83d",
    "two halves \ud83d\ude00 that would meet",
    "the wrong way round \ude00\ud83d",
    "an emoji 😀 and a line\u2028separator",
    "",
    "x" * 70_000,
]
SHAPES: list[Any] = [
    {"stdout": "@", "stderr": "", "interrupted": False},
    {"@": [1, 2.5, -0.0, 1e300, 10**30, None, True, {"a": ["@"]}]},
    {"filePath": "/a/long/path/to/somewhere", "content": "@"},
    ["@", {"text": "@@"}],
    "@",
    None,
    {"n": float("inf")},
]


def record(event: str, **fields: Any) -> bytes:
    told = {
        "event": event,
        "at": 1_700_000_000_000,
        "mono": 1,
        "project": "/p",
        "payload": {"session_id": "s", **fields},
    }
    return json.dumps(told).encode()


def with_text(shape: Any, text: str) -> Any:
    if isinstance(shape, dict):
        return {name.replace("@", text): with_text(part, text) for name, part in shape.items()}
    if isinstance(shape, list):
        return [with_text(part, text) for part in shape]
    return shape.replace("@", text) if isinstance(shape, str) else shape


def odd_records() -> list[bytes]:
    records = []
    for number, text in enumerate(ODD):
        records.append(record("UserPromptSubmit", prompt=text or "hm", prompt_id=f"p{number}", mode=text))
        for call, shape in enumerate(SHAPES):
            answer = with_text(shape, text)
            told = {"tool_name": f"Bash{text[:9]}", "tool_input": answer, "tool_response": answer}
            records.append(record("PostToolUse", **told, tool_use_id=f"{number}-{call}{text[:9]}"))
        records.append(record("Stop", last_assistant_message=text, prompt_id=f"p{number}"))
    return records


def captures(records: list[bytes]) -> list[Captured]:
    return [read_record(one) for one in records]


def claimed(engine: SqliteEngine, env: FakeEnv) -> list[Work]:
    engine.log.close_due_turns(env.now_ms() + 3_600_000)
    return engine.inbox.claim(Stage.RULES, 200, env.now_ms(), LEASE_MS, "a")


def turns(engine: SqliteEngine, works: list[Work]) -> list[Turn]:
    return [engine.log.turn(work) for work in works]


def test_what_is_distilled_at_once_is_what_a_rebuild_reads(tmp_path: Path, env: FakeEnv):
    with Memory.open(tmp_path, env=env, catch_up=False) as memory:
        folder = tmp_path / "spool"
        folder.mkdir(exist_ok=True)
        (folder / spool.CURRENT).write_bytes(b"".join(spool.frame(one) for one in odd_records()))
        memory.parts.background.drain_spool()
        works = claimed(memory.engine, env)
        at_once = turns(memory.engine, works)
        again = turns(memory.engine, works)
    with Memory.open(tmp_path, env=env, catch_up=False) as memory:
        later = turns(memory.engine, works)

    assert len(later) == len(ODD)
    assert repr(at_once) == repr(later)
    assert again == at_once


def test_what_was_erased_is_not_in_its_turn_any_more(tmp_path: Path, env: FakeEnv):
    engine = SqliteEngine.open(tmp_path / "reverie.db", env)
    stored = engine.log.append(captures(odd_records()[:4]), drained={"drain-1": 4})
    works = claimed(engine, env)
    assert len(turns(engine, works)[0].observations) == 4

    assert stored[1] is not None
    engine.erase([stored[1].id], [], env.now_ms())

    assert [o.id for o in turns(engine, works)[0].observations] == [
        one.id for one in stored if one and one != stored[1]
    ]


def test_what_was_rolled_back_is_not_taken_for_what_came_in_its_place(tmp_path: Path, env: FakeEnv):
    engine = SqliteEngine.open(tmp_path / "reverie.db", env)

    def fail() -> None:
        never_said = captures([record("UserPromptSubmit", prompt="never said", prompt_id="p")])
        with engine.write():
            engine.log.append(never_said, drained={"d": 1})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    engine.log.append(captures([record("UserPromptSubmit", prompt="said", prompt_id="q")]))

    (turn,) = turns(engine, claimed(engine, env))

    assert [o.text for o in turn.observations] == ["said"]


def test_what_is_kept_for_the_next_reader_is_bounded_by_what_a_row_holds(tmp_path: Path, env: FakeEnv):
    """Files that an agent writes are long inputs with hardly an answer."""
    engine = SqliteEngine.open(tmp_path / "reverie.db", env)
    for number in range(100, 300):
        told = {"tool_name": "Write", "tool_input": {"content": f"{number}" * 100_000}, "tool_response": "ok"}
        here = {"session_id": "writes files"}
        prompt = record("UserPromptSubmit", prompt=f"file {number}", prompt_id=f"p{number}", **here)
        written = captures([prompt, record("PostToolUse", **told, tool_use_id=f"t{number}", **here)])
        engine.log.append(written, drained={"d": number}, meanwhile=lambda closed, _: None)
    turns(engine, claimed(engine, env))

    held = [o for o in gc.get_objects() if type(o) is Observation and o.session == "writes files"]
    chars = sum(len(str(o.tool)) for o in held)
    assert 1_000_000 < chars < 30_000_000, "60,000,000 were written"


def test_a_machine_without_another_thread_stores_all_the_same(tmp_path: Path, env: FakeEnv, monkeypatch):
    def no_thread(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    engine = SqliteEngine.open(tmp_path / "reverie.db", env)
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    said = captures([record("UserPromptSubmit", prompt="said", prompt_id="p"), record("SessionEnd")])
    engine.log.append(said, {"d": 2}, lambda closed, _: None)

    assert [hit.text for hit in engine.log.search("said", 1)] == ["said"]


def test_a_disk_that_is_full_at_the_end_of_a_write_takes_back_what_was_foreseen(tmp_path: Path, env: FakeEnv):
    engine = SqliteEngine.open(tmp_path / "reverie.db", env)
    engine.log.append(captures([record("UserPromptSubmit", prompt="first", prompt_id="p1")]))
    pages = engine.database.value("PRAGMA page_count")
    many_words = " ".join(f"word{number}" for number in range(4_000))
    lost = captures([record("Stop", last_assistant_message=many_words, prompt_id="p1"), record("SessionEnd")])
    foreseen: list[Turn] = []

    engine.database.execute(f"PRAGMA max_page_count = {pages + 12}")  # room for the text, not for its index
    with pytest.raises(StoreError, match="free some space"):
        engine.log.append(lost, {"d": 2}, lambda closed, _: foreseen.extend(closed.values()))
    engine.database.execute("PRAGMA max_page_count = 100000")
    assert [len(turn.observations) for turn in foreseen] == [3], "it failed after that"
    assert [o.text for o in engine.log.read()] == ["first"]
    assert engine.log.search("word7", 1) == []

    kept = captures([record("Stop", last_assistant_message="kept", prompt_id="p1"), record("SessionEnd")])
    engine.log.append(kept, {"d": 2}, lambda closed, _: foreseen.extend(closed.values()))
    (turn,) = turns(engine, claimed(engine, env))

    assert [o.text for o in turn.observations][:2] == ["first", "kept"]
    assert turn == foreseen[-1]
    assert [hit.text for hit in engine.log.search("kept", 1)] == ["kept"]
