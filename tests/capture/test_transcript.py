"""Transcripts and hooks tell of the same session with the same ids, so importing adds only what is missing."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.capture.hook_events import from_event, read_record
from reverie.capture.transcript import Tally, read_transcript
from reverie.records import Captured, Kind
from reverie.redact.secrets import redact_json

SESSION = "session-1"
START = "2026-03-01T10:00:{:06.3f}Z"


class Transcript:
    """Writes the lines that a coding agent would, in their order."""

    def __init__(self, session: str = SESSION) -> None:
        self.lines: list[dict[str, Any]] = []
        self.session = session

    def line(self, kind: str, message: Any = None, **more: Any) -> None:
        number = len(self.lines)
        line = {"type": kind, "uuid": f"uuid-{self.session}-{number}", "timestamp": START.format(number / 10)}
        line |= {"sessionId": self.session, "cwd": "/work/shop", "isSidechain": False, "gitBranch": "main"}
        self.lines.append(line | ({"message": message} if message else {}) | more)

    def prompt(self, text: Any, prompt_id: str, **more: Any) -> None:
        self.line("user", {"role": "user", "content": text}, promptId=prompt_id, promptSource="sdk", **more)

    def answer(self, message_id: str, *blocks: dict[str, Any], **more: Any) -> None:
        stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        for index, block in enumerate(blocks):
            message = {"id": message_id, "model": "m-1", "role": "assistant", "content": [block], "stop_reason": stop}
            self.line("assistant", message, apiBlockIndex=index, **more)

    def result(self, call: str, prompt_id: str, content: Any, answer: Any = None, **more: Any) -> None:
        block = {
            "type": "tool_result",
            "tool_use_id": call,
            "content": content,
            "is_error": more.pop("is_error", False),
        }
        if answer is not None:
            more["toolUseResult"] = answer
        self.line("user", {"role": "user", "content": [block]}, promptId=prompt_id, **more)

    @property
    def data(self) -> list[bytes]:
        return [json.dumps(line).encode() + b"\n" for line in self.lines]

    def read(self, tally: Tally | None = None) -> list[Captured]:
        return list(read_transcript(self.data, lambda cwd: f"project of {cwd}", tally))


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(identifier: str, command: str, name: str = "Bash") -> dict[str, Any]:
    return {"type": "tool_use", "id": identifier, "name": name, "input": {"command": command}}


def bash(stdout: str) -> dict[str, Any]:
    return {"stdout": stdout, "stderr": "", "interrupted": False}


def from_hook(event: str, **fields: Any) -> Captured:
    """What becomes of the same event when the hook spooled it."""
    payload = redact_json({"session_id": SESSION, "cwd": "/work/shop", "hook_event_name": event, **fields})
    record = {"event": event, "at": 1, "mono": 1, "project": "project of /work/shop", "payload": payload}
    return read_record(json.dumps(record).encode())


KEY = "AKIA" + "Q3EGRZ7LDPWX5T2M"
ERROR = "Exit code 2\nls: cannot access 'nowhere'"


def shop_session() -> Transcript:
    """Two prompts; two tool calls in the first, one of them failing; text before a call; a secret; a block prompt."""
    t = Transcript()
    t.line("queue-operation", operation="enqueue", content="I prefer tabs.")
    t.prompt(f"I prefer tabs. My key is {KEY}", "p1")
    t.line("attachment", attachment={"type": "hook_additional_context", "content": ["what we injected"]})
    t.answer("msg_1", text("Let me look. "), call("toolu_1", "ls"))
    t.result("toolu_1", "p1", "a.py", bash("a.py"))
    t.answer("msg_2", call("toolu_2", f"export K={KEY}; ls nowhere"))
    t.result("toolu_2", "p1", ERROR, "Error: " + ERROR, is_error=True)
    t.answer("msg_3", text("First part."), text(" All done.\n\n"))
    t.prompt([text(" Thanks, and"), {"type": "image", "source": {}}, text("now tests ")], "p2")
    t.answer("msg_4", text("Tested."))
    return t


HOOKED = [
    from_hook("UserPromptSubmit", prompt_id="p1", prompt=f"I prefer tabs. My key is {KEY}"),
    from_hook(
        "PostToolUse",
        prompt_id="p1",
        tool_name="Bash",
        tool_input={"command": "ls"},
        tool_use_id="toolu_1",
        tool_response=bash("a.py"),
    ),
    from_hook(
        "PostToolUseFailure",
        prompt_id="p1",
        tool_name="Bash",
        tool_input={"command": f"export K={KEY}; ls nowhere"},
        tool_use_id="toolu_2",
        error=ERROR,
    ),
    from_hook("Stop", prompt_id="p1", last_assistant_message="All done."),
    from_hook("UserPromptSubmit", prompt_id="p2", prompt="Thanks, and\nnow tests"),
    from_hook("Stop", prompt_id="p2", last_assistant_message="Tested."),
]


# ---- what a hook saw, too


def test_everything_that_hooks_captured_has_the_same_id_and_the_same_words():
    imported = {captured.event_id: captured for captured in shop_session().read()}

    for hooked in HOOKED:
        found = imported[hooked.event_id]
        assert (found.kind, found.text, found.speaker, found.tool, found.event, found.project, found.session) == (
            (hooked.kind, hooked.text, hooked.speaker, hooked.tool, hooked.event, hooked.project, hooked.session)
        )


def test_only_what_no_hook_reports_is_added_to_a_captured_session():
    missing = [c for c in shop_session().read() if c.event_id not in {hooked.event_id for hooked in HOOKED}]

    assert [(c.text, c.event_id) for c in missing] == [("Let me look. ", "msg:msg_1:0"), ("First part.", "msg:msg_3:0")]


def test_reading_twice_gives_the_same_ids_in_the_order_of_the_file():
    first, second = shop_session().read(), shop_session().read()

    assert first == second
    assert [c.occurred_ms for c in first] == sorted(c.occurred_ms for c in first)
    assert len({c.event_id for c in first}) == len(first) == 8


def test_a_session_that_is_read_while_it_runs_gets_no_second_id_later():
    whole = shop_session()
    early = Transcript()
    early.lines = whole.lines[:5]  # up to the text before the first tool call

    seen_early = {c.event_id for c in early.read()}

    assert len(seen_early) == 2
    assert seen_early <= {c.event_id for c in whole.read()}


def test_no_secret_comes_through():
    assert KEY not in repr(shop_session().read())
    assert "[secret:" in shop_session().read()[0].text


def test_times_and_project_come_from_the_line():
    first = shop_session().read()[0]

    assert (first.occurred_ms, first.project, first.source) == (
        1_772_359_200_100,
        "project of /work/shop",
        "transcript",
    )


def test_an_opted_out_project_is_left_out():
    assert list(read_transcript(shop_session().data, lambda cwd: None)) == []


# ---- who spoke


def test_what_the_host_wrote_is_not_a_persons_word():
    t = Transcript()
    t.line("user", {"content": "<local-command-caveat>not for you"}, isMeta=True, promptId="p1")
    t.line("user", {"content": "<command-name>/usage</command-name>\n<command-message>usage</command-message>"})
    t.line("user", {"content": "<local-command-stdout>5 dollars</local-command-stdout>"}, promptId="p1")
    t.prompt("Real question", "p2")
    t.line(
        "assistant", {"id": "e", "model": "<synthetic>", "content": [text("API Error: 500")]}, isApiErrorMessage=True
    )
    t.line("user", {"content": [text("[Request interrupted by user for tool use]")]}, promptId="p2")
    t.prompt("<task-notification>done</task-notification>", "p3", turnOrigin="task_notification")
    t.line("assistant", {"id": "f", "model": "<synthetic>", "content": [text("No response requested.")]})

    assert [(c.kind, c.text) for c in t.read()] == [
        (Kind.USER_MESSAGE, "Real question"),
        (Kind.SYSTEM, "API Error: 500"),
        (Kind.SYSTEM, "[Request interrupted by user for tool use]"),
        (Kind.SYSTEM, "<task-notification>done</task-notification>"),
    ]


def test_what_a_person_types_while_the_agent_works_is_their_word_in_that_turn():
    t = Transcript()
    t.prompt("deploy it", "p1")
    t.answer("m1", {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}})
    t.line("attachment", attachment={"type": "queued_command", "prompt": "I prefer tabs.", "commandMode": "prompt"})
    t.line("attachment", attachment={"type": "date", "date": "2026-03-01"})
    t.result("c1", "p1", "made", {"stdout": "made"})
    t.answer("m2", text("done"))

    hooked = {"session_id": SESSION, "prompt_id": "p1", "prompt": "I prefer tabs."}
    found = t.read()

    assert [one.text for one in found] == ["deploy it", "I prefer tabs.", "made", "done"]
    assert found[1].kind is Kind.USER_MESSAGE
    assert found[1].event_id == from_event("UserPromptSubmit", hooked, occurred_ms=1, project="").event_id


def test_a_mark_at_the_start_of_the_file_hides_nothing():
    t = Transcript()
    t.prompt("hello", "p1")

    (found,) = read_transcript([b"\xef\xbb\xbf" + t.data[0]], lambda _: "")

    assert found.text == "hello"


def test_a_command_of_the_persons_own_is_what_they_typed():
    t = Transcript()
    wrapped = "<command-message>greet</command-message>\n<command-name>/greet</command-name>\n<command-args>Bob</command-args>"
    t.prompt(wrapped, "p1")
    t.line("user", {"content": [text("Please greet Bob politely.")]}, isMeta=True, promptId="p1")

    assert [(c.text, c.event_id) for c in t.read()] == [
        ("/greet Bob", from_hook("UserPromptSubmit", prompt_id="p1", prompt="/greet Bob").event_id)
    ]


def test_a_compaction_leaves_its_summary_as_a_system_observation():
    t = Transcript()
    t.line("system", subtype="compact_boundary")
    t.line(
        "user", {"content": "This session is being continued.\n\nSummary:\ntabs"}, isCompactSummary=True, promptId="p1"
    )

    (summary,) = t.read()

    hooked = from_hook("PostCompact", prompt_id="p1", compact_summary="<summary>tabs</summary>")
    assert (summary.kind, summary.event, summary.event_id) == (Kind.SYSTEM, "PostCompact", hooked.event_id)


INTRODUCED = (
    "This session is being continued from a previous conversation that ran out of context. The summary follows."
)
REMINDER = "<system-reminder>\n<tools-used-before-summary></tools-used-before-summary>\n</system-reminder>\n"
DETAILS = (
    "If you need specific details from before compaction (like exact code), read the full transcript at: /t.jsonl\n"
)
GO_ON = "Continue the conversation from where it left off without asking the user any further questions."


@pytest.mark.parametrize(
    ("hooked", "written"),
    [
        ("<analysis>\nHm.\n</analysis>\n<summary>\n{}\n</summary>", f"{REMINDER}Summary:\n{{}}\n\n{DETAILS}{GO_ON}"),
        ("<summary>{}</summary>", f"Summary:\n{{}}\n\n{GO_ON}"),
        ("<summary>{}</summary>", f"Summary:\n{{}}\nPlease {GO_ON[0].lower()}{GO_ON[1:]}"),
        ("{}", f"{REMINDER}{{}}\n\n{DETAILS}{GO_ON}"),
        ("{}", "{}"),
    ],
)
def test_a_summary_is_the_same_from_the_hook_and_as_the_conversation_goes_on_with_it(hooked, written):
    t = Transcript()
    summaries = ["1. Tabs.\n\n\n2. Summary: `<none>`, if you need it.", "2. Spaces."]
    for summary in summaries:
        said = f"{INTRODUCED}\n\n{written.format(summary)}"
        t.line("user", {"content": said}, isCompactSummary=True, promptId="p1")

    assert [c.event_id for c in t.read()] == [
        from_hook("PostCompact", prompt_id="p1", compact_summary=hooked.format(summary)).event_id
        for summary in summaries
    ]
    assert len({c.event_id for c in t.read()}) == 2


def test_a_sub_agent_speaks_under_its_own_name():
    t = Transcript()
    side = {"isSidechain": True, "agentId": "a93"}
    t.prompt("what the main agent asked for", "p1", **side)
    t.answer("msg_1", call("toolu_9", "ls"), **side)
    t.result("toolu_9", "p1", "inner.py", **side)  # such files have no toolUseResult
    t.answer("msg_2", text("Found inner.py"), **side)

    tool, reply = t.read()

    assert (tool.event_id, tool.text, tool.metadata["agent_id"]) == ("tool:toolu_9", "inner.py", "a93")
    assert (reply.kind, reply.speaker, reply.text) == (Kind.ASSISTANT_MESSAGE, "a93", "Found inner.py")


def test_a_denied_call_is_a_failed_one():
    t = Transcript()
    t.prompt("go", "p1")
    t.answer("msg_1", call("toolu_1", "rm -r x"))
    t.result("toolu_1", "p1", "needs approval", "Error: needs approval", is_error=True, toolDenialKind="user-rejected")

    denied = t.read()[1]

    assert denied.tool is not None
    assert (denied.tool.failed, denied.text, denied.metadata["denied"]) == (True, "needs approval", "user-rejected")


def test_parallel_results_find_their_own_calls():
    t = Transcript()
    t.prompt("go", "p1")
    t.answer("msg_1", call("toolu_1", "one"), call("toolu_2", "two", name="Grep"))
    t.result("toolu_2", "p1", "2", bash("2"))
    t.result("toolu_1", "p1", "1", bash("1"))

    calls = [(c.tool.name, c.tool.input, c.text) for c in t.read() if c.tool]

    assert calls == [("Grep", {"command": "two"}, "2"), ("Bash", {"command": "one"}, "1")]


def test_each_reply_of_a_turn_that_a_stop_hook_kept_going_is_a_reply():
    t = Transcript()
    t.prompt("go", "p1")
    t.answer("msg_1", text("Done?"))
    t.line("user", {"content": "Stop hook feedback: not yet"}, isMeta=True, promptId="p1")
    t.answer("msg_2", text("Done!"))

    assert [c.event_id for c in t.read()[1:]] == [
        from_hook("Stop", prompt_id="p1", last_assistant_message=said).event_id for said in ("Done?", "Done!")
    ]


# ---- forks


def test_a_fork_brings_in_only_what_happened_after_it():
    fork = Transcript("session-2")
    fork.line("user", {"content": "This session is being continued …"}, isCompactSummary=True, promptId="p9")
    fork.prompt("Old one", "p9")
    fork.answer("msg_1", text("Old answer"), call("toolu_1", "ls"))
    fork.result("toolu_1", "p9", "a.py", bash("a.py"))
    fork.prompt("Old two", "p9")
    fork.answer("msg_2", text("Old answer two"))
    fork.prompt("New", "p9")
    fork.answer("msg_3", text("New answer"))
    fork.prompt("Newer", "p10")
    tally = Tally()

    assert [c.text for c in fork.read(tally)] == ["New", "New answer", "Newer"]
    assert tally.copied == 6


def test_a_fork_right_after_a_compaction_does_not_bring_the_summary():
    fork = Transcript("session-2")
    fork.line("user", {"content": "This session is being continued …"}, isCompactSummary=True, promptId="p9")
    fork.answer("msg_2", text("Kept from before"))
    fork.prompt("New", "p9")

    assert [c.text for c in fork.read()] == ["New"]


# ---- files as they are


def test_a_file_of_an_older_client_without_prompt_ids_loses_nothing():
    t = Transcript()
    for said in ("same", "same"):
        t.line("user", {"content": said})
        t.answer(f"msg_{len(t.lines)}", text("reply"))

    read = t.read()

    assert [c.text for c in read] == ["same", "reply", "same", "reply"]
    assert len({c.event_id for c in read}) == 4


def test_torn_lines_are_counted_and_skipped():
    data = shop_session().data
    torn = [data[1][:50], b"\0\0\0\n", b"\n", b"[1]\n", *data, data[-1][:-20]]
    tally = Tally()

    assert list(read_transcript(torn, lambda cwd: f"project of {cwd}", tally)) == shop_session().read()
    assert tally.unreadable == 3


def test_an_exchange_is_handed_over_before_the_rest_of_the_file_is_read():
    lines = iter(shop_session().data)

    first = next(iter(read_transcript(lines, lambda cwd: cwd)))

    assert first.text.startswith("I prefer tabs")
    assert len(list(lines)) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = [
    "type",
    "message",
    "uuid",
    "timestamp",
    "sessionId",
    "cwd",
    "promptId",
    "isSidechain",
    "agentId",
    "toolUseResult",
    "apiBlockIndex",
    "isMeta",
]
BLOCK = st.dictionaries(
    st.sampled_from(["type", "text", "id", "name", "input", "tool_use_id", "content", "is_error"]), JSON
)
TYPED = st.builds(
    lambda block, kind: block | {"type": kind}, BLOCK, st.sampled_from(["text", "tool_use", "tool_result"])
)
CONTENT = JSON | st.lists(TYPED | JSON, max_size=3)
MESSAGE = st.builds(
    lambda message, content: message | {"content": content}, st.dictionaries(st.just("id"), JSON), CONTENT
)
LINE = st.builds(
    lambda line, kind, message: line | {"type": kind, "message": message},
    st.dictionaries(st.sampled_from(NAMES), JSON),
    st.sampled_from(["user", "assistant"]),
    MESSAGE | JSON,
)


@settings(deadline=None)
@given(st.lists(LINE | JSON, max_size=6))
def test_whatever_a_line_holds_the_lines_around_it_come_through(strange):
    data = [json.dumps(line).encode() for line in strange]
    good = shop_session()

    read = list(read_transcript(data + good.data, lambda cwd: f"project of {cwd}"))

    assert read[-len(good.read()) :] == good.read()
    assert all(c.event_id for c in read)
