"""What waits in the spool is taken in, and what cannot be is set aside without stopping the rest."""

from pathlib import Path

import pytest

from reverie.capture.events import fast_parse, parse
from reverie.capture.spool import CURRENT, frame
from reverie.memory import Memory
from reverie.testing import FakeEnv


def record(tool_input: str) -> bytes:
    fields = f'"session_id": "s", "tool_name": "Bash", "tool_response": "ok", "tool_input": {tool_input}'
    return frame(f'{{"event": "PostToolUse", "at": 1, "mono": 1, "payload": {{{fields}}}}}'.encode())


@pytest.mark.parametrize("levels", [501, 900, 960, 970, 980, 990, 100_000])
def test_a_record_nested_too_deeply_is_set_aside_and_the_others_are_kept(tmp_path: Path, levels: int):
    env = FakeEnv()
    with Memory.open(tmp_path, env=env) as memory:
        (tmp_path / "spool").mkdir(exist_ok=True)
        deep = record("[" * levels + "]" * levels)
        (tmp_path / "spool" / CURRENT).write_bytes(record('"a"') + deep + record('"b"'))

        drained = memory.absorb()

        assert (drained.records, drained.unreadable) == (2, 1)
        assert [it.tool.input for it in memory.engine.log.read() if it.tool] == ["a", "b"]
        assert (tmp_path / "spool" / "damaged" / "records").read_bytes() == deep[12:] + b"\n"


def test_a_record_of_many_levels_is_kept_as_it_is(tmp_path: Path):
    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        (tmp_path / "spool").mkdir(exist_ok=True)
        (tmp_path / "spool" / CURRENT).write_bytes(record("[" * 400 + "]" * 400))

        assert memory.absorb().records == 1
        assert len(memory.engine.log.read()) == 1


@pytest.mark.parametrize(
    "payload",
    [
        b'{"a": -0, "b": 18446744073709551616, "c": -0.0, "d": 1e22, "a": 2}',
        b'"\\ud83d\\ude00"',
        b'"\\ud83d"',
        b'"\\ude00\\ud83d"',
        b'"\xed\xa0\xbd\xed\xb8\x80"',
        b'{"a": NaN, "b": 1e400}',
        b'"nul \\u0000"',
        b"[" * 400 + b"]" * 400,
    ],
)
def test_the_fast_parser_reads_what_the_other_one_reads(payload: bytes):
    assert repr(fast_parse()(payload)) == repr(parse(payload))


@pytest.mark.parametrize("payload", [b"", b"{", b'"\xff"', b'"a\x01b"', b'{"a":1}x', b"\xef\xbb\xbf{}", b"01"])
def test_the_fast_parser_refuses_what_the_other_one_refuses(payload: bytes):
    with pytest.raises(ValueError):
        parse(payload)
    with pytest.raises(ValueError):
        fast_parse()(payload)
