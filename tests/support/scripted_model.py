"""A scripted model on loopback that a real coding agent accepts. The person's newest prompt is its script:

    TELL text                      say this before the call in the next line, in the same answer
    CALL Bash {"command": "ls"}    call this tool; the lines after it wait for its result
    SAY text                       the reply

Only the prompt counts: what hooks inject, what tools answer and what a compaction sums up is no script, or a memory that
hands an old prompt back would make the model act on it again. It speaks the Messages protocol, plain and streaming, with
the small endpoints beside it; sums up when it is asked to compact; and answers Reverie's own questions by a function.

    with ScriptedModel(learn=lambda turn: "NONE") as model:
        ...  # ANTHROPIC_BASE_URL=model.url
        assert "pnpm" in model.requests[-1].said
"""

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

SUMMARY = "The person asked for a few commands, and they were run."

_SCRIPT = re.compile(r"^(TELL|CALL|SAY) +(.*?) *$", re.MULTILINE)
_INJECTED = re.compile(
    r"<(system-reminder|reverie-context|local-command-\w+|command-\w+|surfaced_memories|context_search_results|"
    r"earlier_conversation|learnings)\b.*?</\1>",
    re.DOTALL,
)
_COMPACTION = "create a detailed summary"  # words of the request that the client makes for a compaction
_EXTRACTION = "<task>"  # how Reverie's own prompts begin
# A real tokenizer needs fewer tokens for English and code, so what is charged here is too much rather than too little.
_CHARS_PER_TOKEN = 3


@dataclass(frozen=True)
class Request:
    """A request for an answer, as it came."""

    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def said(self) -> str:
        """Everything in the conversation that a model reads, injected context included, as plain text."""
        return "\n".join(_texts(self.body.get("messages")))

    @property
    def system(self) -> str:
        return "\n".join(_texts(self.body.get("system")))

    @property
    def is_reveries(self) -> bool:
        return self.system.startswith(_EXTRACTION)

    @property
    def is_compaction(self) -> bool:
        last = (self.body.get("messages") or [])[-3:]  # a hook's answer may come in behind what is asked
        return not self.is_reveries and any(_COMPACTION in text for it in last for text in _texts(it.get("content")))


class ScriptedModel:
    """Listens from `start` (or `with`) to `stop`, on the same port each time. Keeps every request, in order."""

    def __init__(self, learn: Callable[[str], str] = lambda _turn: "NONE") -> None:
        self.learn = learn  # from what Reverie shows of a turn to the lines that the model answers
        self.requests: list[Request] = []
        self._port = 0
        self._server: _Server | None = None
        self.start()
        self.stop()  # the port is ours from now on, and a server that is down can be written about, too

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def asked_by_agents(self) -> list[Request]:
        return [it for it in self.requests if not it.is_reveries and not it.is_compaction]

    @property
    def asked_by_reverie(self) -> list[Request]:
        return [it for it in self.requests if it.is_reveries]

    def start(self) -> None:
        self._server = _Server(("127.0.0.1", self._port), self)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> "ScriptedModel":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def answer(self, request: Request) -> list[dict[str, Any]]:
        """The blocks of the answer."""
        if request.is_reveries:
            return [_text(self.learn(request.said))]
        if request.is_compaction:
            return [_text(f"<analysis>\nNothing odd.\n</analysis>\n<summary>\n{SUMMARY}\n</summary>")]
        return _next_step(request.body.get("messages") or [])


# ---- the script

_numbers = count(1)


def _next_step(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the newest script says, after as many calls as have been answered since."""
    script: list[tuple[str, str]] = []
    answered = 0
    for message in messages:
        if message.get("role") != "user":
            continue
        content = message.get("content")
        results = [it for it in content if it.get("type") == "tool_result"] if isinstance(content, list) else []
        answered += len(results)
        found = _SCRIPT.findall(_INJECTED.sub("", "\n".join(_texts(content)))) if not results else []
        if found:
            script, answered = found, 0
    calls = [place for place, (word, _) in enumerate(script) if word == "CALL"]
    if answered >= len(calls):
        return [_text("\n".join(text for word, text in script if word == "SAY") or "Fine.")]
    place = calls[answered]
    tool, given = script[place][1].split(" ", 1)
    told = [_text(script[place - 1][1])] if place and script[place - 1][0] == "TELL" else []
    return [*told, {"type": "tool_use", "id": f"toolu_{next(_numbers):020}", "name": tool, "input": json.loads(given)}]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _texts(value: object) -> list[str]:
    """Every text in a message, its content or a list of them; tool results are read, too."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    if isinstance(value, dict):
        return _texts(value.get("content")) + _texts(value.get("text"))
    return []


# ---- the wire


def _message(request: Request, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    calls = any(block["type"] == "tool_use" for block in blocks)
    usage = {
        "input_tokens": _tokens([request.body.get("system"), request.body.get("messages")]),
        "output_tokens": _tokens(blocks),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    return {
        "id": f"msg_{next(_numbers):020}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", ""),
        "content": blocks,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }


def _tokens(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False)) // _CHARS_PER_TOKEN + 1


def _events(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The same message as a stream."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [*events, {"type": "message_delta", "delta": end, "usage": message["usage"]}, {"type": "message_stop"}]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a client that keeps its connection open must not keep us from stopping

    def __init__(self, address: tuple[str, int], model: ScriptedModel) -> None:
        self.model = model
        super().__init__(address, _Door)

    def handle_error(self, *_: Any) -> None:
        pass  # a client that hangs up is none of a test's business


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._send({"data": [], "has_more": False})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send({"input_tokens": _tokens(body)})
        elif path.endswith("/messages"):
            request = Request(body, {name.lower(): value for name, value in self.headers.items()})
            self.server.model.requests.append(request)
            message = _message(request, self.server.model.answer(request))
            self._send(message, _events(message) if body.get("stream") else None)
        else:
            self._send({})

    def _send(self, whole: dict[str, Any], events: list[dict[str, Any]] | None = None) -> None:
        data, kind = json.dumps(whole).encode(), "application/json"
        if events is not None:
            data = "".join(f"event: {it['type']}\ndata: {json.dumps(it)}\n\n" for it in events).encode()
            kind = "text/event-stream"
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass
