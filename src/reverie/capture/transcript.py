"""A coding agent's transcript (JSON lines) -> Captured, in its order, with the ids that hooks give the same events.

Only what people, models and tools said is taken: the lines of type user and assistant, and what a person typed while
the agent worked, which is an attachment. The rest of such a file repeats them, or holds context that we injected
ourselves. Thinking is left out, as hooks never see it.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from reverie.capture.hook_events import UNKNOWN_SESSION, digest, from_event
from reverie.capture.observation_input import moment_ms
from reverie.errors import BadInput
from reverie.foundation.ids import id_by_words
from reverie.language.host_tags import parted
from reverie.records import JSON, Captured
from reverie.redact.secrets import redact, redact_json

SOURCE = "transcript"
_QUEUED = "queued"  # the type that we give to a prompt within a turn: it has the turn's id, and begins no other

# The folder that a line was written in -> its project; None where the project has opted out.
ProjectOf = Callable[[str], str | None]


@dataclass
class Tally:
    """Counts of one reading. Blank lines do not count."""

    lines: int = 0
    unreadable: int = 0  # torn or broken: skipped
    recognised: int = 0  # lines that an agent writes into its transcripts, whether something was said in them or not
    found: str = ""  # what the first line has that is none of them
    copied: int = 0  # brought along from the session that this one was forked from: skipped
    opted_out: int = 0  # said or done in a project that has opted out: skipped


def read_transcript(lines: Iterable[bytes], project_of: ProjectOf, tally: Tally | None = None) -> Iterator[Captured]:
    """Yield what was said and done in a session, one prompt and all that followed it at a time."""
    times: dict[tuple[str, str], int] = {}  # how often the same words were said without an id
    for captured in _read(lines, project_of, tally or Tally()):
        if captured.event_id:
            yield captured
        else:
            words = captured.session, id_by_words(captured, 0)
            times[words] = times.get(words, 0) + 1
            yield replace(captured, event_id=id_by_words(captured, times[words]))


def _read(lines: Iterable[bytes], project_of: ProjectOf, tally: Tally) -> Iterator[Captured]:
    projects: dict[str, str | None] = {}
    calls: dict[str, tuple[JSON, JSON]] = {}  # tool calls that wait for their result: name and input
    begun_in: dict[str, str] = {}  # by session: the folder of its first line
    exchange = _Exchange()
    last_ms = 0
    for data in lines:
        data = data.strip(b" \t\r\n\0\xef\xbb\xbf")  # what a crash leaves at the end, an editor at the start
        if not data:
            continue
        tally.lines += 1
        raw = _parse(data)
        if raw is None:
            tally.unreadable += 1
            continue
        if _is_of_a_transcript(raw):
            tally.recognised += 1
        elif not tally.found:
            tally.found = ", ".join(f'"{redact(name)[:30]}"' for name in list(raw)[:6]) or "nothing"
        line = _read_line(raw, data, last_ms)
        if line is None:
            continue
        last_ms = line.occurred_ms
        if line.cwd not in projects:
            project = project_of(line.cwd)
            projects[line.cwd] = project and redact(project)
        begun_in.setdefault(line.session, line.cwd)
        prompt = _prompt(line)
        # A fork rewrites the prompt ids of all lines that it copies to the one of its first own prompt. So whatever
        # came under this prompt's id before it belongs to another session, which has it already.
        if prompt is not None and line.prompt_id and exchange.is_of(line):
            tally.copied += len(exchange.said)
            exchange = _Exchange.of(line)
        elif prompt is not None or (line.prompt_id and not exchange.is_of(line)):
            yield from exchange.captured(projects, begun_in, tally)
            exchange = _Exchange.of(line)
        _add(line, prompt, exchange, calls)
    yield from exchange.captured(projects, begun_in, tally)


# ---- in: a line of the file


@dataclass(frozen=True, slots=True)
class _Line:
    """A line in which somebody says something, as far as it matters here."""

    type: str
    session: str
    prompt_id: str  # assistant lines have none
    occurred_ms: int
    cwd: str
    blocks: tuple[Mapping[str, JSON], ...]  # a plain text is one text block
    is_plain: bool
    agent: str  # the sub-agent's type or id; "" for the main conversation
    message: str  # one answer of the model is spread over several lines
    block_index: int | None
    own_id: str  # for what no hook reports
    raw: Mapping[str, JSON]
    metadata: Mapping[str, JSON]


def _parse(data: bytes) -> Mapping[str, JSON] | None:
    try:
        value = json.loads(data.decode("utf-8", "replace"), strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _is_of_a_transcript(raw: Mapping[str, JSON]) -> bool:
    """Whether an agent may have written this line, of whatever type: it writes many that say nothing to us."""
    marks = ("sessionId", "uuid", "leafUuid", "messageId", "message")
    return isinstance(raw.get("type"), str) and any(raw.get(name) for name in marks)


def _read_line(raw: Mapping[str, JSON], data: bytes, last_ms: int) -> _Line | None:
    kind, message = raw.get("type"), raw.get("message")
    if kind == "attachment":
        kind, message = _QUEUED, _queued(raw.get("attachment"))
    if kind not in ("user", "assistant", _QUEUED) or not isinstance(message, dict):
        return None
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(blocks, list):
        return None
    try:
        occurred_ms = moment_ms(_string(raw.get("timestamp")))
    except BadInput:
        occurred_ms = last_ms
    agent_id, prompt_id = _string(raw.get("agentId")), _string(raw.get("promptId"))
    agent = (agent_id or "subagent") if raw.get("isSidechain") else ""
    about = {
        "prompt_id": prompt_id,
        "agent_id": agent_id,
        "agent_type": agent,
        "uuid": raw.get("uuid"),
        "git_branch": raw.get("gitBranch"),
        "model": message.get("model"),
    }
    index = raw.get("apiBlockIndex")
    own = _string(raw.get("uuid")) or digest(data.decode("utf-8", "replace"))
    return _Line(
        type=str(kind),
        session=_string(raw.get("sessionId")) or UNKNOWN_SESSION,
        prompt_id=prompt_id,
        occurred_ms=occurred_ms,
        cwd=_string(raw.get("cwd")),
        blocks=tuple(block for block in blocks if isinstance(block, dict)),
        is_plain=isinstance(content, str),
        agent=agent,
        message=_string(message.get("id")) or own,
        block_index=index if isinstance(index, int) else None,
        own_id=f"line:{own}",
        raw=raw,
        metadata={name: value for name, value in about.items() if value},
    )


def _queued(attachment: JSON) -> JSON:
    """The message that a person sent while the agent worked; None if this attachment is something else."""
    if isinstance(attachment, dict) and attachment.get("type") == "queued_command":
        return {"content": attachment.get("prompt")}
    return None


def _string(value: JSON) -> str:
    return value if isinstance(value, str) else ""


# ---- what was said


@dataclass(frozen=True, slots=True)
class _Said:
    """One thing that was said or done, as a hook would have reported it."""

    line: _Line
    event: str  # the hook's name for it; "" where no hook fires
    fields: Mapping[str, JSON]
    own_id: str
    message: str = ""  # of a model's text: which answer it is part of


@dataclass
class _Exchange:
    """A prompt and all that followed it. It is held until it is over: only then is it known to be no copy."""

    session: str = ""
    prompt_id: str = ""
    said: list[_Said] = field(default_factory=list)
    blocks: dict[str, int] = field(default_factory=dict)  # by message: how many blocks it has had
    last_text: dict[str, _Said] = field(default_factory=dict)  # by message
    asking: set[str] = field(default_factory=set)  # messages that call a tool

    @classmethod
    def of(cls, line: _Line) -> "_Exchange":
        return cls(line.session, line.prompt_id)

    def is_of(self, line: _Line) -> bool:
        return (self.session, self.prompt_id) == (line.session, line.prompt_id)

    def captured(
        self, projects: Mapping[str, str | None], begun_in: Mapping[str, str], tally: Tally
    ) -> Iterator[Captured]:
        for said in self.said:
            project = projects[said.line.cwd]
            # An agent that went elsewhere is still at work for the project in which its session began.
            if project is None or projects[begun_in[said.line.session]] is None:
                tally.opted_out += 1
            else:
                yield _captured(said, self.prompt_id, project, is_reply=self._is_reply(said))

    def _is_reply(self, said: _Said) -> bool:
        """The last text of an answer that calls no tool is what a Stop hook reports, also when a turn has several."""
        return bool(said.message) and said.message not in self.asking and self.last_text[said.message] is said


def _add(line: _Line, prompt: str | None, exchange: _Exchange, calls: dict[str, tuple[JSON, JSON]]) -> None:
    """Take what a line says into the exchange that it belongs to."""
    if line.type == "assistant":
        _add_answer(line, exchange, calls)
    elif prompt is not None or line.type == _QUEUED:
        fields: dict[str, JSON] = {"prompt": _text_of(line) if prompt is None else prompt}
        if attached := [_string(block.get("type")) for block in line.blocks if block.get("type") != "text"]:
            fields["attached"] = list(attached)
        exchange.said.append(_Said(line, "UserPromptSubmit", fields, line.own_id))
    elif line.raw.get("isCompactSummary"):
        exchange.said.append(_Said(line, "PostCompact", {"compact_summary": _text_of(line)}, line.own_id))
    elif any(block.get("type") == "tool_result" for block in line.blocks):
        exchange.said += _tool_results(line, calls)
    elif _text_of(line).startswith(_INTERRUPTED):
        exchange.said.append(_Said(line, "Interrupt", {"text": _text_of(line)}, line.own_id))


def _add_answer(line: _Line, exchange: _Exchange, calls: dict[str, tuple[JSON, JSON]]) -> None:
    if line.raw.get("isApiErrorMessage"):
        exchange.said.append(_Said(line, "StopFailure", {"text": _text_of(line)}, line.own_id))
        return
    if line.metadata.get("model") == "<synthetic>":
        return  # the host's own filling, such as "No response requested."
    message = line.raw["message"]
    if isinstance(message, dict) and message.get("stop_reason") == "tool_use":
        exchange.asking.add(line.message)
    first = exchange.blocks.get(line.message, 0) if line.block_index is None else line.block_index
    exchange.blocks[line.message] = first + len(line.blocks)
    for index, block in enumerate(line.blocks, first):
        text = _string(block.get("text"))
        if block.get("type") == "tool_use":
            exchange.asking.add(line.message)
            calls[_string(block.get("id"))] = (block.get("name"), block.get("input"))
        elif block.get("type") == "text" and text.strip():
            said = _Said(line, "", {"text": text}, f"msg:{line.message}:{index}", line.message)
            exchange.last_text[line.message] = said
            exchange.said.append(said)


def _tool_results(line: _Line, calls: dict[str, tuple[JSON, JSON]]) -> Iterator[_Said]:
    results = [block for block in line.blocks if block.get("type") == "tool_result"]
    for number, block in enumerate(results):
        call = _string(block.get("tool_use_id"))
        name, given = calls.pop(call, (None, None))
        fields: dict[str, JSON] = {"tool_name": name, "tool_input": given, "tool_use_id": call}
        if denial := line.raw.get("toolDenialKind"):
            fields["denied"] = denial
        own_id = f"{line.own_id}:{number}"
        if block.get("is_error"):
            yield _Said(line, "PostToolUseFailure", {**fields, "error": block.get("content")}, own_id)
        else:
            # The host's own record of the answer is what a hook is given; a sub-agent's file lacks it.
            whole = len(results) == 1 and line.raw.get("toolUseResult") is not None
            answer = line.raw["toolUseResult"] if whole else block.get("content")
            yield _Said(line, "PostToolUse", {**fields, "tool_response": answer}, own_id)


# ---- prompts

# What the host writes into the conversation under the person's name.
_HOST_TEXTS = ("<local-command-", "<command-name>")
_INTERRUPTED = "[Request interrupted by user"
_COMMAND = re.compile(
    r"<command-message>[^<]*</command-message>\s*<command-name>([^<]*)</command-name>"
    r"(?:\s*<command-args>(.*)</command-args>)?",
    re.DOTALL,
)


def _prompt(line: _Line) -> str | None:
    """The prompt as the hook is told it; None if the line is no prompt.

    The host's notices that a task has ended are prompts to the hook, too. What the person types to a command of their
    own is wrapped in tags here: `/greet Bob` again. The host's commands, such as /compact, never reach the model.
    """
    if line.type != "user" or line.agent or line.raw.get("isMeta") or line.raw.get("isCompactSummary"):
        return None
    kinds = {_string(block.get("type")) for block in line.blocks}
    if not kinds or "tool_result" in kinds:
        return None
    text = _text_of(line)
    if command := _COMMAND.match(text):
        return f"{command[1]} {command[2] or ''}".strip()
    if text.startswith((*_HOST_TEXTS, _INTERRUPTED)) or _is_only_reminded(text):
        return None
    return text if text.strip() or kinds != {"text"} else None


def _is_only_reminded(text: str) -> bool:
    """Whether a host wrote all of this to remind the model: of files, of rules, of what a hook of ours said.

    A notice that a task has ended is a prompt all the same: the hook is told it, too.
    """
    return parted(text).is_of_host and not text.lstrip().startswith("<task-notification>")


def _text_of(line: _Line) -> str:
    texts = [_string(block.get("text")) for block in line.blocks if block.get("type") == "text"]
    return texts[0] if line.is_plain else "\n".join(texts).strip()


# ---- out


def _captured(said: _Said, prompt_id: str, project: str, *, is_reply: bool) -> Captured:
    """With its secrets out, through the same function as a hook's event, so that text and id come out the same."""
    line = said.line
    about: dict[str, JSON] = {"session_id": line.session, **line.metadata}
    if prompt_id:
        about["prompt_id"] = prompt_id
    event, fields = said.event, dict(said.fields)
    if said.message:
        # No hook reports a text before a tool call; it is an answer all the same.
        event = "SubagentStop" if line.agent else "Stop"
        text = _string(fields.pop("text"))
        fields["last_assistant_message"] = text.strip() if is_reply else text
    clean: dict[str, JSON] = redact_json({**about, **fields})
    if event in ("Interrupt", "StopFailure"):
        text = _string(clean.pop("text"))
        found = from_event(event, clean, occurred_ms=line.occurred_ms, project=project, source=SOURCE)
        return replace(found, text=text, event_id=said.own_id)
    found = from_event(event, clean, occurred_ms=line.occurred_ms, project=project, source=SOURCE)
    if said.message and not is_reply:
        return replace(found, event="", event_id=said.own_id)
    return found if found.event_id or id_by_words(found, 1) else replace(found, event_id=said.own_id)
