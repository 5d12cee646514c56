"""A coding agent's event, as its hook spooled it -> Captured. What cannot be understood is kept as text."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from reverie.records import JSON, Captured, Kind, ToolUse

UNKNOWN_SESSION = "unknown"
# A prompt that the host wrote itself; not a person's words.
_HOST_PROMPTS = ("<task-notification>", "<command-name>", "<local-command-")
# Fields that have a place of their own in the observation, or that say nothing later.
_PLACED = frozenset(
    (
        "session_id", "cwd", "hook_event_name", "prompt", "tool_name", "tool_input", "tool_response", "tool_use_id",
        "error", "last_assistant_message", "compact_summary",
    )
)  # fmt: skip


Parse = Callable[[bytes], Any]


def parse(payload: bytes) -> Any:
    """JSON as hooks write it: half a surrogate pair is possible."""
    return json.loads(payload.decode("utf-8", "surrogatepass"))


def fast_parse() -> Parse:
    """The same in half the time, for who reads thousands: to load it takes as long as 3,000 records gain.

    What msgspec accepts is what `json` accepts, to the same values, but for surrogates, NaN and numbers out of range.
    """
    from msgspec import MsgspecError
    from msgspec.json import decode

    def either(payload: bytes) -> Any:
        try:
            return decode(payload)
        except (MsgspecError, UnicodeDecodeError, RecursionError):
            return parse(payload)

    return either


def read_record(payload: bytes, parse: Parse = parse) -> Captured:
    """One spooled record -> what it says happened."""
    record = parse(payload)
    fields = record["payload"] if isinstance(record.get("payload"), dict) else {}
    event = _text(record.get("event"))
    if "raw" in record:
        return _from_raw(record, fields, event)
    return from_event(event, fields, occurred_ms=int(record["at"]), project=_text(record.get("project")))


def from_event(
    event: str, fields: Mapping[str, JSON], *, occurred_ms: int, project: str, source: str = "hook"
) -> Captured:
    """A hook event with its parsed payload -> what it says happened."""
    rest: dict[str, JSON] = {name: value for name, value in fields.items() if name not in _PLACED}
    read = _READERS.get(event)
    said = read(fields) if read else _Said(Kind.SYSTEM, event)
    if said.shape is not None:
        rest["response"] = said.shape
    return Captured(
        kind=said.kind,
        text=said.text,
        session=_text(fields.get("session_id")) or UNKNOWN_SESSION,
        occurred_ms=occurred_ms,
        speaker=said.speaker,
        project=project,
        tool=said.tool,
        event=event,
        event_id=said.event_id,
        source=source,
        metadata=rest,
    )


# ---- one reader for each event: its fields in, what it says out


class _Said(NamedTuple):
    kind: Kind
    text: str
    speaker: str = ""
    event_id: str = ""  # "" where the host gave nothing to know a repeat by
    tool: ToolUse | None = None
    shape: JSON = None  # of the tool's answer, around its text


def _prompt(fields: Mapping[str, JSON]) -> _Said:
    text, prompt_id = _text(fields.get("prompt")), _text(fields.get("prompt_id"))
    # The host's own notices come under the running turn's id, so the words belong to the key.
    event_id = f"prompt:{prompt_id}:{digest(text)}" if prompt_id else ""
    if text.lstrip().startswith(_HOST_PROMPTS):
        return _Said(Kind.SYSTEM, text, "", event_id)
    return _Said(Kind.USER_MESSAGE, text, "user", event_id)


def _answer(fields: Mapping[str, JSON]) -> _Said:
    return _call(fields, fields.get("tool_response"), failed=False)


def _failure(fields: Mapping[str, JSON]) -> _Said:
    return _call(fields, fields.get("error"), failed=True)


def _call(fields: Mapping[str, JSON], response: JSON, *, failed: bool) -> _Said:
    text, shape = lift(response)
    call = _text(fields.get("tool_use_id"))
    tool = ToolUse(_text(fields.get("tool_name")) or "unknown tool", fields.get("tool_input"), failed)
    return _Said(Kind.TOOL_CALL, text, "", f"tool:{call}" if call else "", tool, shape)


def _reply(fields: Mapping[str, JSON]) -> _Said:
    text, prompt_id = _text(fields.get("last_assistant_message")), _text(fields.get("prompt_id"))
    if not text:
        return _Said(Kind.SYSTEM, text)
    event_id = f"reply:{prompt_id}:{digest(text.strip())}" if prompt_id else ""
    return _Said(Kind.ASSISTANT_MESSAGE, text, "assistant", event_id)


def _reply_of_agent(fields: Mapping[str, JSON]) -> _Said:
    text, prompt_id = _text(fields.get("last_assistant_message")), _text(fields.get("prompt_id"))
    agent, agent_id = _text(fields.get("agent_type")), _text(fields.get("agent_id"))
    event_id = f"reply:{prompt_id}:{agent_id}:{digest(text.strip())}" if prompt_id and agent_id else ""
    if text and agent:
        return _Said(Kind.ASSISTANT_MESSAGE, text, agent, event_id)
    return _Said(Kind.SYSTEM, text, "", event_id)  # a compaction is a sub-agent without a type: nobody's words


def _summary(fields: Mapping[str, JSON]) -> _Said:
    text, prompt_id = _text(fields.get("compact_summary")), _text(fields.get("prompt_id"))
    # A long turn is compacted several times under one id, so the words belong to the key.
    event_id = f"compact:{prompt_id}:{digest(summarised(text))}" if prompt_id or text else ""
    return _Said(Kind.SYSTEM, text, "", event_id)


# Around a summary, where it stands in the conversation: what the host says before and after it.
_CONTINUED = "This session is being continued"
_AFTER_SUMMARY = (
    "If you need specific details from before compaction",
    "Continue the conversation from where",
    "Please continue the conversation from where",
    "Recent messages are preserved",
)


def summarised(text: str) -> str:
    """The words of a compaction's summary: the same from the hook, as the model wrote it, and from the transcript.

    >>> summarised("<analysis>Hm.</analysis>\\n<summary>\\nTabs.\\n</summary>")
    'Tabs.'
    >>> summarised("This session is being continued.\\n\\nSummary:\\nTabs.\\n\\nContinue the conversation from where …")
    'Tabs.'
    """
    if text.startswith(_CONTINUED):
        text = text.partition("\n\n")[2]
        if text.startswith("<system-reminder>"):
            text = text.partition("</system-reminder>")[2]
        text = text.strip().removeprefix("Summary:")
        text = text[: min([at for end in _AFTER_SUMMARY if (at := text.find(f"\n{end}")) >= 0], default=len(text))]
    else:
        before, opening, rest = text.partition("<analysis>")
        text = before + rest.partition("</analysis>")[2] if opening and "</analysis>" in rest else text
        text = text.replace("<summary>", "").replace("</summary>", "")
    return " ".join(text.split())


def _named(what: str, why: str) -> Callable[[Mapping[str, JSON]], _Said]:
    """For an event that only happens: its name, and the field that says why."""
    return lambda fields: _Said(Kind.SYSTEM, f"{what} ({_text(fields.get(why)) or 'unknown'})")


_READERS: Final = {
    "UserPromptSubmit": _prompt,
    "PostToolUse": _answer,
    "PostToolUseFailure": _failure,
    "Stop": _reply,
    "SubagentStop": _reply_of_agent,
    "PostCompact": _summary,
    "SessionStart": _named("session start", "source"),
    "SessionEnd": _named("session end", "reason"),
    "PreCompact": _named("compaction", "trigger"),
}


def _from_raw(record: Mapping[str, JSON], fields: Mapping[str, JSON], event: str) -> Captured:
    """A record too large or too broken to parse: its text, whole or as head and tail, with what was legible."""
    metadata: dict[str, JSON] = {"unparsed": True}
    text = _text(record["raw"])
    if "digest" in record:
        metadata |= {"cut": True, "size": record["size"], "digest": record["digest"]}
        text = f"{text}\n[… cut: {record['size']} bytes in all …]\n{_text(record.get('tail'))}"
    name = _text(fields.get("tool_name"))
    call = _text(fields.get("tool_use_id"))
    is_prompt = event == "UserPromptSubmit"
    return Captured(
        kind=Kind.TOOL_CALL if name else Kind.USER_MESSAGE if is_prompt else Kind.SYSTEM,
        text=text,
        session=_text(fields.get("session_id")) or UNKNOWN_SESSION,
        occurred_ms=int(str(record["at"])),
        speaker="user" if is_prompt else "",
        project=_text(record.get("project")),
        tool=ToolUse(name, None, event == "PostToolUseFailure") if name else None,
        event=event,
        event_id=f"tool:{call}" if call else "",
        source="hook",
        metadata=metadata,
    )


def digest(text: str) -> str:
    """A short name for a text, the same from every door."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


# ---- a tool's answer: its longest text is the observation's text, and the shape around it is kept beside


def lift(response: JSON) -> tuple[str, JSON]:
    """Take the longest string out of a tool's answer. The shape is None where the answer is that string alone.

    >>> lift({"stdout": "3 passed", "stderr": "", "interrupted": False})
    ('3 passed', {'path': ['stdout'], 'rest': {'stdout': None, 'stderr': '', 'interrupted': False}})
    """
    if isinstance(response, str):
        return response, None
    longest = _longest(response)
    if longest is None:
        return "", {"path": None, "rest": response}
    _, text, path = longest
    return text, {"path": path, "rest": _with(response, path, None)}


def restore(text: str, shape: JSON) -> JSON:
    """The tool's answer as it was."""
    if not isinstance(shape, dict):
        return text
    path = shape["path"]
    return _with(shape["rest"], path, text) if isinstance(path, list) else shape["rest"]


_DEEPEST = 6


def _longest(value: JSON, depth: int = 0) -> tuple[int, str, list[JSON]] | None:
    """The longest string inside with its size and the way to it, None if there is none."""
    best: tuple[int, str, list[JSON]] | None = None
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in pairs:
        if isinstance(part, str):
            # A file's name is longer than a short file, and says less.
            size = 0 if isinstance(step, str) and step.lower().endswith("path") else len(part)
            if best is None or size > best[0]:
                best = size, part, [step]
        elif isinstance(part, (dict, list)) and depth < _DEEPEST:
            inner = _longest(part, depth + 1)
            if inner and (best is None or inner[0] > best[0]):
                best = inner[0], inner[1], [step, *inner[2]]
    return best


def _with(value: JSON, path: Sequence[JSON], leaf: JSON) -> JSON:
    if not path:
        return leaf
    step, *further = path
    if isinstance(value, dict):
        assert isinstance(step, str)
        return {**value, step: _with(value[step], further, leaf)}
    assert isinstance(value, list)
    return [_with(part, further, leaf) if index == step else part for index, part in enumerate(value)]
