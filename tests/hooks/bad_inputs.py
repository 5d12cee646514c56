"""Bad hook inputs, one for each number: the same number gives the same event and bytes in every process."""

import json
import random

# Not SessionEnd: without a steward its hook takes in the spool, and these tests look into the spool.
EVENTS = ("PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop", "PreCompact", "PostCompact")
FIELDS = (
    "session_id", "cwd", "hook_event_name", "prompt_id", "permission_mode", "transcript_path", "source", "prompt",
    "tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms", "error", "is_interrupt", "stop_hook_active",
    "last_assistant_message", "agent_id", "agent_type", "agent_transcript_path", "trigger", "custom_instructions",
    "compact_summary", "reason", "name", "value", "__class__",
)  # fmt: skip
# JSON texts, some of which no JSON library would write.
VALUES = (
    "null", "true", "0", "-0", "1e308", "1e999", "-1e999", "NaN", "Infinity", "-Infinity", '""', '" "', '"\\u0000"',
    '"\\ud800"', '"\\udfff\\ud800"', '"\\ud83d\\ude00"', '"/"', '"//"', '"/proc/self/fd/0"', '"/a\\u0000b"', '"relative/path"',
    '"~"', '"' + "/a" * 40_000 + '"', '"' + "x" * 70_000 + '"', "[]", "{}", "[[]]", '{"":""}', "[null]", '{"a":{"b":[1]}}',
    "9" * 400, "9" * 4_300, "9" * 10_000, "0." + "1" * 10_000, "1" + "0" * 5_000 + "e-5000", "[" * 150 + "]" * 150,
    "[" * 900 + "]" * 900, '{"name":"PASSWORD","value":7}', '"<private>"', '"</private><private"', '"\\\\"', "-1",
)  # fmt: skip
_EVENT = json.dumps(
    {
        "session_id": "0d3c2a9e-6b1f-4c58-9a71-2f6f5a1f7c11",
        "transcript_path": "/home/ana/.claude/t.jsonl",
        "cwd": "/projects/shop",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": 'echo "Grüße, 世界 😀" \\ \n', "timeout": 5, "list": [1, 2.5, None, True]},
        "tool_response": {"stdout": "tab\there\u0001, quote \" and back\\slash", "stderr": "", "interrupted": False},
        "tool_use_id": "toolu_000000000000000000000000",
    },
    ensure_ascii=False,
).encode()  # fmt: skip


def bad_input(number: int) -> tuple[str, bytes]:
    """An event's name and what arrives on stdin with it."""
    chance = random.Random(number)
    kinds = (_wrong_type, _truncated, _mutated, _noise, _broken_text, _scalar, _nested, _doubled, _with_nul, _any_json)
    weights = (30, 15, 20, 8, 5, 4, 2, 4, 4, 8)
    return chance.choices(kinds, weights)[0](number, chance)


def _whole(number: int) -> bytes:
    """A good event. Its session and id are its own, because the same id again would be the same event again."""
    return _EVENT.replace(b"toolu_000000", b"toolu_%06d" % number).replace(b"0d3c2a", b"%06d" % number)


def _named(number: int) -> str:
    """A name of its own, by which the observation is found whatever became of the rest."""
    return f"Bad{number}"


def _wrong_type(number: int, chance: random.Random) -> tuple[str, bytes]:
    field, value = FIELDS[number % len(FIELDS)], VALUES[number // len(FIELDS) % len(VALUES)]
    pairs = {
        "session_id": f'"s{number}"',
        "tool_use_id": f'"call-{number}"',
        "tool_name": '"Bash"',
        "serial": str(number),
    }
    pairs[field] = value
    return chance.choice(EVENTS), ("{" + ",".join(f'"{name}":{text}' for name, text in pairs.items()) + "}").encode()


def _truncated(number: int, chance: random.Random) -> tuple[str, bytes]:
    return _named(number), _whole(number)[: number % len(_EVENT)]


def _mutated(number: int, chance: random.Random) -> tuple[str, bytes]:
    data = bytearray(_whole(number))
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                data.insert(at, chance.choice(b'"\\{}[],:\0\n\xff\xc3u'))
            case 2:
                del data[at : at + chance.randint(1, 20)]
            case 3:
                data[at:at] = data[: chance.randint(1, 100)]
    return _named(number), bytes(data)


def _noise(number: int, chance: random.Random) -> tuple[str, bytes]:
    return _named(number), chance.randbytes(chance.choice((0, 1, 2, 50, 2_000, 40_000)))


def _broken_text(number: int, chance: random.Random) -> tuple[str, bytes]:
    broken = chance.choice(
        (b"\xc3", b"\xe4\xb8", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf", b"\xff\xfe", b"\xf5RVR")
    )
    return _named(number), _whole(number).replace(b"echo", b"echo " + broken * chance.randint(1, 9))


def _scalar(number: int, chance: random.Random) -> tuple[str, bytes]:
    spaces = (
        b"",
        b" ",
        b"\n\n",
        b"\t" * 1000,
        b"\0",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\0}\0",
        b"[",
        b"{",
        b'"',
        b",",
    )
    whole = _whole(number)
    texts = [value.encode() for value in VALUES] + [b"[" + whole + b"]", whole + whole, whole + b"garbage", b"{}"]
    return _named(number), chance.choice((*spaces, *texts))


def _nested(number: int, chance: random.Random) -> tuple[str, bytes]:
    depth = chance.choice((10, 100, 190, 199, 200, 201, 210, 500, 900, 990, 1_000, 5_000, 100_000))
    opening, closing = chance.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")))
    text = opening * depth + b"1" + (closing * depth if chance.random() < 0.8 else b"")
    return _named(number), text if chance.random() < 0.3 else b'{"session_id":"deep","tool_response":' + text + b"}"


def _doubled(number: int, chance: random.Random) -> tuple[str, bytes]:
    pairs = [f'"{chance.choice(FIELDS)}":{chance.choice(VALUES)}' for _ in range(chance.randint(2, 12))]
    return _named(number), ("{" + ",".join([f'"session_id":"s{number}"', *pairs, *pairs[::-1]]) + "}").encode()


def _with_nul(number: int, chance: random.Random) -> tuple[str, bytes]:
    data = bytearray(_whole(number))
    for _ in range(chance.randint(1, 30)):
        data.insert(chance.randrange(len(data)), 0)
    return _named(number), bytes(data)


def _any_json(number: int, chance: random.Random) -> tuple[str, bytes]:
    return _named(number), json.dumps({name: _value(chance, 4) for name in chance.sample(FIELDS, 5)}).encode()


def _value(chance: random.Random, depth: int) -> object:
    match chance.randrange(8 if depth else 6):
        case 0:
            return chance.choice((None, True, False))
        case 1:
            return chance.randint(-(10**30), 10**30)
        case 2:
            return chance.uniform(-1e300, 1e300)
        case 3 | 4 | 5:
            return "".join(
                chr(chance.choice((chance.randrange(128), chance.randrange(0x11000))))
                for _ in range(chance.randrange(40))
            )
        case 6:
            return [_value(chance, depth - 1) for _ in range(chance.randrange(5))]
        case _:
            return {f"k{chance.randrange(99)}": _value(chance, depth - 1) for _ in range(chance.randrange(5))}
