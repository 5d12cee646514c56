"""A coding agent's event, as its hook spooled it -> Captured. What cannot be understood is kept as text."""

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from reverie.language.host_tags import Parted, as_metadata, parted
from reverie.records import JSON, Captured, Kind, ToolUse

UNKNOWN_SESSION = "unknown"
# How a prompt begins that the host wrote itself, also what stands behind its tags; not a person's words.
_HOST_PROMPTS = ("<task-notification>", "<command-name>", "<local-command-")
_OF_SESSION = frozenset(("session_id", "cwd", "hook_event_name"))  # have a place of their own in every observation
ECHO = "[the text of the answer]"  # stands in a tool's input for what the answer says in full
_ECHO_CHARS = 100  # what is shorter may stand twice
_OF_CALL = ("tool_name", "tool_input", "tool_use_id")


Parse = Callable[[bytes], Any]


def parse(payload: bytes) -> Any:
    """JSON as hooks write it: half a surrogate pair is possible."""
    return json.loads(payload.decode("utf-8", "surrogatepass"))


def fast_parse() -> Parse:
    """The same in half the time, for reading thousands: loading it takes as long as 3,000 records gain.

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
    read, placed = _READERS.get(event, (None, ()))
    said = read(fields) if read else _Said(Kind.SYSTEM, event)
    rest: dict[str, JSON] = {
        name: value for name, value in fields.items() if name not in placed and name not in _OF_SESSION
    }
    if said.shape is not None:
        rest["response"] = said.shape
    rest |= said.of_host
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
    of_host: Mapping[str, JSON] = {}  # what a host wrote into a person's words, as metadata


def _prompt(fields: Mapping[str, JSON]) -> _Said:
    text, prompt_id = _text(fields.get("prompt")), _text(fields.get("prompt_id"))
    said = parted(text)
    # The host's own notices come under the running turn's id, so the words belong to the key. What a host adds to a
    # person's words does not: the hook and the transcript may be told different parts of it.
    event_id = f"prompt:{prompt_id}:{digest(said.own or text)}" if prompt_id else ""
    if text.lstrip().startswith(_HOST_PROMPTS) or said.is_of_host:
        return _Said(Kind.SYSTEM, text, "", event_id)
    return _Said(Kind.USER_MESSAGE, said.own, "user", event_id, of_host=as_metadata(said))


def _answer(fields: Mapping[str, JSON]) -> _Said:
    return _call(fields, fields.get("tool_response"), failed=False)


def _failure(fields: Mapping[str, JSON]) -> _Said:
    return _call(fields, fields.get("error"), failed=True)


def _call(fields: Mapping[str, JSON], response: JSON, *, failed: bool) -> _Said:
    text, shape = lift(response)
    call = _text(fields.get("tool_use_id"))
    given = _without_echo(fields.get("tool_input"), text)
    tool = ToolUse(_text(fields.get("tool_name")) or "unknown tool", given, failed)
    return _Said(Kind.TOOL_CALL, text, "", f"tool:{call}" if call else "", tool, shape)


def _without_echo(given: JSON, answer: str) -> JSON:
    """Remove from a tool's input what its answer repeats in full: a Write answers with all that it wrote.

    >>> _without_echo({"file_path": "a.py", "content": "x = 1\\n" * 40}, "x = 1\\n" * 40)
    {'file_path': 'a.py', 'content': '[the text of the answer]'}
    """
    if not isinstance(given, dict) or len(answer) < _ECHO_CHARS:
        return given
    return {name: ECHO if value == answer else value for name, value in given.items()}


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


# Each with the fields that have a place in what it makes of them. The others are kept as they are.
_READERS: Final[Mapping[str, tuple[Callable[[Mapping[str, JSON]], _Said], tuple[str, ...]]]] = {
    "UserPromptSubmit": (_prompt, ("prompt",)),
    "PostToolUse": (_answer, (*_OF_CALL, "tool_response")),
    "PostToolUseFailure": (_failure, (*_OF_CALL, "error")),
    "Stop": (_reply, ("last_assistant_message",)),
    "SubagentStop": (_reply_of_agent, ("last_assistant_message",)),
    "PostCompact": (_summary, ("compact_summary",)),
    "SessionStart": (_named("session start", "source"), ()),
    "SessionEnd": (_named("session end", "reason"), ()),
    "PreCompact": (_named("compaction", "trigger"), ()),
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
    said = parted(text) if event == "UserPromptSubmit" else Parted(text)
    is_prompt = event == "UserPromptSubmit" and not said.is_of_host
    return Captured(
        kind=Kind.TOOL_CALL if name else Kind.USER_MESSAGE if is_prompt else Kind.SYSTEM,
        text=said.own if is_prompt else text,
        session=_text(fields.get("session_id")) or UNKNOWN_SESSION,
        occurred_ms=int(str(record["at"])),
        speaker="user" if is_prompt else "",
        project=_text(record.get("project")),
        tool=ToolUse(name, None, event == "PostToolUseFailure") if name else None,
        event=event,
        event_id=f"tool:{call}" if call else "",
        source="hook",
        metadata=metadata | as_metadata(said) if is_prompt else metadata,
    )


def digest(text: str) -> str:
    """Hash a text; the hash is the same from hooks, transcripts and `observe`."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _text(value: JSON) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


# ---- a tool's answer: what it says is the observation's text, and the shape around that is kept beside

_DEEPEST = 6
# What stands under such a name is no news: it says what sort of thing follows, or is in what the tool was given.
_NO_NEWS = frozenset(("id", "type", "mode", "role", "media_type", "mimeType", "encoding"))
_NO_NEWS_ENDS = ("path", "Path", "_id", "Id", "uuid")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_")
_LOOK = 200  # characters of a long string that tell whether it is encoded


def lift(response: JSON) -> tuple[str, JSON]:
    """Take out of a tool's answer what it says, each piece a line or more. The shape is None where that is all of it.

    >>> lift({"stdout": "3 passed", "stderr": "", "interrupted": False})
    ('3 passed', {'said': [8], 'nulls': [], 'rest': {'stdout': None, 'stderr': '', 'interrupted': False}})
    >>> lift([{"type": "text", "text": "open"}, {"type": "text", "text": "since May"}])[0].splitlines()
    ['open', 'since May']
    """
    if isinstance(response, str):
        return response, None
    said: list[str] = []
    nulls: list[JSON] = []  # which of the gaps in the rest were there before
    rest = _without_words(response, "", 0, said, nulls)
    return "\n".join(said), {"said": [len(text) for text in said], "nulls": nulls, "rest": rest}


def _without_words(value: JSON, name: str, depth: int, said: list[str], nulls: list[JSON]) -> JSON:
    if isinstance(value, dict) and depth <= _DEEPEST:
        return {key: _without_words(part, key, depth + 1, said, nulls) for key, part in value.items()}
    if isinstance(value, list) and depth <= _DEEPEST:
        return [_without_words(part, name, depth + 1, said, nulls) for part in value]
    if isinstance(value, str) and value and _is_news(name, value):
        said.append(value)
        return None
    if value is None:
        nulls.append(len(said) + len(nulls))
    return value


def _is_news(name: str, text: str) -> bool:
    start = text[:_LOOK]
    is_encoded = len(start) == _LOOK and _BASE64.issuperset(start)  # a picture
    return not (name in _NO_NEWS or name.endswith(_NO_NEWS_ENDS) or is_encoded)


def restore(text: str, shape: JSON) -> JSON:
    """The tool's answer as it was."""
    if not isinstance(shape, dict):
        return text
    sizes, nulls, pieces, at = shape["said"], shape["nulls"], [], 0  # as `lift` tells them
    assert isinstance(sizes, list)
    assert isinstance(nulls, list)
    for size in sizes:
        pieces.append(text[at : at + int(str(size))])
        at += int(str(size)) + 1
    places, words = iter(range(len(sizes) + len(nulls))), iter(pieces)

    def with_words(value: JSON, depth: int) -> JSON:
        if isinstance(value, dict) and depth <= _DEEPEST:
            return {key: with_words(part, depth + 1) for key, part in value.items()}
        if isinstance(value, list) and depth <= _DEEPEST:
            return [with_words(part, depth + 1) for part in value]
        return next(words) if value is None and next(places) not in nulls else value

    return with_words(shape["rest"], 0)
