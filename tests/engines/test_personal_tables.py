"""Every engine keeps what lies on a person's desk and what is said in their conversations: apart for each user."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie.errors import StaleVersion
from reverie.ports import Engine
from reverie.records import Captured, Kind, ToolUse
from reverie.records.conversation_values import Block, LedgerEntry, Message, Role, Segment, SegmentState, ToolCall
from reverie.records.prompt_inputs import (
    ContextSearch,
    Document,
    DocumentSection,
    DocumentVersion,
    LoadedToolInfo,
    Punch,
    PunchState,
    Reminder,
    SearchResult,
    SearchState,
    SectionState,
)

HOSTILE = "a\x00b\ud800 '; DROP TABLE reminders; --"


def test_reminders_come_by_the_time_they_are_due(engine: Engine) -> None:
    for due in (30, 10, 20):
        engine.reminders.put(Reminder(id=str(due), title=f"at {due}", due_ms=due))
    engine.reminders.put(Reminder(id="done", title="over", due_ms=5, status="done"))

    assert [one.due_ms for one in engine.reminders.all()] == [10, 20, 30]
    assert [one.id for one in engine.reminders.all("done")] == ["done"]
    assert len(engine.reminders.all(None)) == 4
    assert engine.reminders.remove("10")
    assert not engine.reminders.remove("10")


def test_a_version_that_is_not_current_is_refused(engine: Engine) -> None:
    first = engine.reminders.put(Reminder(id="a", title="x", due_ms=1))
    second = engine.reminders.put(replace(first, title="y"), first.version)

    assert (first.version, second.version) == (1, 2)
    with pytest.raises(StaleVersion):
        engine.reminders.put(replace(first, title="z"), first.version)
    assert engine.reminders.get("a") == second


def test_punches_come_back_as_they_were(engine: Engine) -> None:
    punch = Punch(id="p", label=HOSTILE[0], state=PunchState.RUNNING, intervals=((1, 5), (9, None)), created_ms=1)

    assert engine.punches.put(punch) == engine.punches.get("p") == punch
    assert engine.punches.all() == [punch]


def test_documents_keep_every_version(engine: Engine) -> None:
    first = Document(name="shop", title="Shop", sections=(DocumentSection(id="s", header="Deploy", content="Tuesday"),))
    edit = DocumentVersion(name="shop", version=1, at_ms=1, by="user", operation="create", header="", diff="")
    engine.documents.put(first, edit)
    second = replace(first, version=2, sections=(replace(first.sections[0], content="Friday", pinned=True),))
    engine.documents.put(second, replace(edit, version=2, operation="replace", diff="-Tuesday\n+Friday"), version=1)

    assert engine.documents.get("shop") == second
    assert engine.documents.at_version("shop", 1) == first
    assert [one.version for one in engine.documents.versions("shop")] == [2, 1]
    with pytest.raises(StaleVersion):
        engine.documents.put(first, edit, version=1)
    assert engine.documents.remove("shop")
    assert (engine.documents.all(), engine.documents.versions("shop")) == ([], [])


TEXTS = st.lists(st.sampled_from(["", "a", "b", "ä\u2028", "\\n", '"', "a\x00"]), max_size=6).map("\n".join)
SECTIONS = st.lists(
    st.builds(
        DocumentSection, id=st.sampled_from("abcdef"), header=st.sampled_from(["x", "y", "Ü"]), content=TEXTS,
        summary=TEXTS, parent_id=st.sampled_from(["", "a"]), place=st.integers(0, 3), collapsed=st.booleans(),
        expanded_by_default=st.booleans(), pinned=st.booleans(), by=st.sampled_from(["user", "agent"]),
    ),
    max_size=6, unique_by=lambda one: one.id,
)  # fmt: skip
STATES = st.lists(st.tuples(SECTIONS, TEXTS, st.booleans()), min_size=1, max_size=12)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STATES)
def test_every_version_comes_back_as_it_was(engine: Engine, states: list[tuple[list, str, bool]]) -> None:
    with engine.write():
        engine.documents.remove("shop")
        kept = []
        for number, (sections, title, enabled) in enumerate(states, start=1):
            document = Document(name="shop", title=title, enabled=enabled, sections=tuple(sections), version=number)
            engine.documents.put(document, an_edit(number), number - 1)
            kept.append(engine.documents.get("shop"))

        assert [engine.documents.at_version("shop", number) for number in range(1, len(kept) + 1)] == kept
        assert engine.documents.at_version("shop", 0) is None
        assert engine.documents.at_version("shop", len(kept) + 1) is None


def an_edit(version: int) -> DocumentVersion:
    return DocumentVersion(name="shop", version=version, at_ms=version, by="user", operation="x", header="", diff="d")


def test_searches_are_cleared_by_segment(engine: Engine) -> None:
    for number, segment in enumerate(("one", "one", "two")):
        engine.searches.put(
            ContextSearch(id=str(number), query="q", state=SearchState.SUCCESS, segment_id=segment, asked_turn=1,
                          asked_ms=number, found=(SearchResult("m", "text", "why"),))
        )  # fmt: skip

    assert [one.id for one in engine.searches.all("one")] == ["0", "1"]
    assert engine.searches.clear("one") == 2
    assert [one.found for one in engine.searches.all()] == [(SearchResult("m", "text", "why"),)]


def test_loaded_tools_keep_their_order_when_they_are_used(engine: Engine) -> None:
    for name in ("b", "a", "c"):
        engine.loaded_tools.put("main", LoadedToolInfo(name, 1, 1))
    engine.loaded_tools.put("main", LoadedToolInfo("b", 1, 9))

    assert [(one.name, one.last_used_turn) for one in engine.loaded_tools.all("main")] == [("b", 9), ("a", 1), ("c", 1)]
    assert engine.loaded_tools.all("other") == []
    assert engine.loaded_tools.remove("main", "a")


def test_the_state_of_sections_is_written_and_cleared_in_one_go(engine: Engine) -> None:
    engine.sections.save({"goals": SectionState("g", False, "t"), "soul": SectionState("s", True, "t")})
    engine.sections.save({"goals": None, "soul": SectionState("new", True, "u"), "never": None})

    assert engine.sections.all() == {"soul": SectionState("new", True, "u")}
    assert engine.sections.get("goals") is None


def _said(engine: Engine, text: str, event_id: str, tool: ToolUse | None = None) -> str:
    kind = Kind.TOOL_CALL if tool else Kind.USER_MESSAGE
    [stored] = engine.log.append(
        [Captured(kind=kind, text=text, session="s", occurred_ms=1, event_id=event_id, tool=tool)]
    )
    assert stored is not None
    return stored.id


def test_a_conversation_comes_back_in_order_with_its_texts_from_the_log(engine: Engine) -> None:
    add = engine.conversations.add
    asked = Message(role=Role.USER, text="look", id=_said(engine, "look", "1"), turn=1, segment_id="s")
    add("main", asked)
    add("main", asked)
    call = ToolCall("c1", "shell", {"command": "ls"})
    add("main", Message(role=Role.ASSISTANT, text="", id="calls-1", turn=1, segment_id="s", tool_calls=(call,)))
    result = _said(engine, "a.txt", "2", ToolUse("shell", {"command": "ls"}, failed=True))
    add("main", Message(role=Role.TOOL, text="a.txt", id=result, turn=1, segment_id="s", call_id="c1"))

    found = engine.conversations.messages("main", "s")

    assert [(one.role, one.text) for one in found] == [(Role.USER, "look"), (Role.ASSISTANT, ""), (Role.TOOL, "a.txt")]
    assert found[1].tool_calls == (call,)
    assert (found[2].call_id, found[2].tool_name, found[2].failed) == ("c1", "shell", True)
    assert engine.conversations.last_turn("main") == 1


def test_what_was_forgotten_is_gone_from_the_conversation_with_its_pair(engine: Engine) -> None:
    call = ToolCall("c1", "shell", {"command": "ls"})
    engine.conversations.add(
        "main", Message(role=Role.USER, text="look", id=_said(engine, "look", "1"), segment_id="s")
    )
    engine.conversations.add(
        "main", Message(role=Role.ASSISTANT, text="", id="calls-1", segment_id="s", tool_calls=(call,))
    )
    result = _said(engine, "a.txt", "2", ToolUse("shell", {"command": "ls"}))
    engine.conversations.add("main", Message(role=Role.TOOL, text="a.txt", id=result, segment_id="s", call_id="c1"))

    engine.erase([result], [], 5)

    assert [one.text for one in engine.conversations.messages("main", "s")] == ["look"]


def test_a_message_may_stand_in_several_conversations_once_in_each(engine: Engine) -> None:
    """A branch, a continuation, a sub-agent's copy: its text has one home in the log, and its place in each of them."""
    call = ToolCall("c1", "shell", {"command": "ls"})
    result = _said(engine, "a.txt", "2", ToolUse("shell", {"command": "ls"}))
    said = [
        Message(role=Role.USER, text="look", id=_said(engine, "look", "1"), turn=1, segment_id="s"),
        Message(role=Role.ASSISTANT, text="", id="calls-1", turn=1, segment_id="s", tool_calls=(call,)),
        Message(role=Role.TOOL, text="a.txt", id=result, turn=1, segment_id="s", call_id="c1"),
    ]
    conversations = {"main": "s", "branch": "b", "sub-agent": "a"}
    for name, segment in conversations.items():
        for message in [*said, *said]:
            engine.conversations.add(name, replace(message, segment_id=segment))

    found = {name: engine.conversations.messages(name, segment) for name, segment in conversations.items()}

    assert all([one.id for one in told] == [one.id for one in said] for told in found.values())
    assert all([one.text for one in told] == ["look", "", "a.txt"] for told in found.values())
    assert [engine.conversations.last_turn(name) for name in conversations] == [1, 1, 1]

    engine.erase([said[0].id], [], 5)

    for name, segment in conversations.items():
        assert [one.id for one in engine.conversations.messages(name, segment)] == ["calls-1", result]


def test_segments_are_listed_newest_last_and_open_ones_apart(engine: Engine) -> None:
    for number in range(5):
        state = SegmentState.ACTIVE if number == 4 else SegmentState.COLLAPSED
        engine.conversations.put_segment(
            Segment(id=f"s{number}", continuum_id="main", state=state, began_ms=number, last_ms=number,
                    tools_used=("a", "b"), done=frozenset({"x"}), last_turn=number)
        )  # fmt: skip

    assert [one.id for one in engine.conversations.segments("main", 2)] == ["s3", "s4"]
    assert [one.id for one in engine.conversations.open_segments()] == ["s4"]
    assert engine.conversations.last_turn("main") == 4


def _entry(turn: int, *names: str, segment: str = "s") -> LedgerEntry:
    blocks = tuple(Block(name, f"address of {name}", 1, 1, True) for name in names)
    return LedgerEntry(
        continuum_id="main", segment_id=segment, turn=turn, request=1, at_ms=turn, model="m", blocks=blocks
    )


def test_the_ledger_gives_every_entry_back_whole(engine: Engine) -> None:
    entries = [
        _entry(1, "a", "b", "tail 1"), _entry(2, "a", "b", "c", "tail 2"), _entry(3, "x", "b"), _entry(4, "x", "b"),
        _entry(5, "x", "b", "d", segment="t"), _entry(6, "x", segment="t"),
    ]  # fmt: skip
    for entry in entries:
        engine.ledger.add(entry)

    assert engine.ledger.entries("main") == entries
    for count in range(1, 7):
        assert engine.ledger.entries("main", count) == entries[-count:]
    assert engine.ledger.last("main") == entries[-1]
    assert engine.ledger.last("other") is None


def test_old_entries_of_the_ledger_expire_with_the_texts_that_only_they_name(engine: Engine) -> None:
    kept, gone = engine.ledger.keep("kept"), engine.ledger.keep("gone")
    old = replace(_entry(1, "a"), blocks=(Block("a", gone, 1, 1, True),))
    entries = [old, replace(old, turn=2, at_ms=2), _entry(3, "b", segment="t"), _entry(4, "b", "c", segment="t")]
    entries[3] = replace(entries[3], blocks=(*entries[3].blocks[:1], Block("c", kept, 1, 1, True)))
    for entry in entries:
        engine.ledger.add(entry)

    assert engine.ledger.expire(4) == 2
    assert engine.ledger.entries("main") == entries[2:]
    assert (engine.ledger.text(kept), engine.ledger.text(gone)) == ("kept", None)
    assert engine.ledger.expire(100) == 0, "the chain that is still written to stays"


def test_no_user_sees_what_is_another_users(engine: Engine) -> None:
    other = engine.scoped("other")
    engine.reminders.put(Reminder(id="a", title="x", due_ms=1))
    engine.sections.save({"goals": SectionState("g", False, "t")})
    engine.ledger.add(_entry(1, "a"))
    address = engine.ledger.keep("a section")
    engine.loaded_tools.put("main", LoadedToolInfo("a", 1, 1))
    engine.conversations.put_segment(
        Segment(id="s", continuum_id="main", state=SegmentState.ACTIVE, began_ms=1, last_ms=1)
    )

    assert (other.reminders.all(None), other.sections.all(), other.ledger.entries("main")) == ([], {}, [])
    assert (other.loaded_tools.all("main"), other.conversations.open_segments()) == ([], [])
    assert other.ledger.text(address) is None
    assert not other.reminders.remove("a")
    assert engine.ledger.text(address) == "a section"


def test_hostile_text_is_kept_as_text(engine: Engine) -> None:
    engine.reminders.put(Reminder(id="a", title=HOSTILE, due_ms=1))

    assert engine.reminders.all()[0].title == "a␀b� '; DROP TABLE reminders; --"
