"""Each section says what was read for it: in its format, in the person's time, and never more than fits."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree as XML

import pytest

from reverie.compose.markup import Markup
from reverie.compose.profiles import TAGS
from reverie.compose.report import MAX_SECTION_CHARS
from reverie.compose.trinket import EventAwareTrinket, TrinketContext
from reverie.compose.trinkets.bounds import LINE_CHARS
from reverie.compose.trinkets.domaindoc import DomaindocTrinket
from reverie.compose.trinkets.getcontext import GetContextTrinket
from reverie.compose.trinkets.learnings import LearningsTrinket
from reverie.compose.trinkets.proactive_memory import ProactiveMemoryTrinket, short_id
from reverie.events import (
    ContinuumEvent,
    EventBus,
    SegmentCollapsedEvent,
    TurnCompletedEvent,
    UpdateTrinketEvent,
)
from reverie.foundation.text import xml_text
from reverie.records import Goal
from reverie.records.conversation_values import SegmentState
from reverie.records.prompt_inputs import (
    Document,
    DocumentSection,
    LoadedToolInfo,
    PromptInputs,
    Punch,
    Reminder,
    SearchResult,
    Surfaced,
    ToolState,
)
from support.prompt_inputs import (
    NOW,
    SEGMENT,
    TURN,
    Repo,
    action,
    every_trinket,
    full_inputs,
    learned,
    ms,
    segment,
    surfaced,
)


@dataclass
class Bench:
    """Trinkets on a bus of their own, each asked for what it says about its inputs."""

    inputs: PromptInputs = field(default_factory=full_inputs)
    trinkets: dict[str, EventAwareTrinket] = field(default_factory=dict)
    bus: EventBus = field(default_factory=EventBus)
    problems: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bus = EventBus(self.problems.append)
        self.repo = Repo(self.inputs.tools)
        every_trinket(self.bus, self, lambda *_: self.repo)

    def register_trinket(self, trinket: EventAwareTrinket) -> None:
        self.trinkets[trinket.variable_name] = trinket

    def refresh(self, trinket: EventAwareTrinket, event: UpdateTrinketEvent) -> None:
        raise AssertionError("nothing is refreshed here")

    def context(self, user_id: str = "sam", turn: int = TURN, **values: object) -> TrinketContext:
        return TrinketContext(user_id, NOW, self.inputs, "talk", SEGMENT, turn, values)

    def says(self, section: str, **values: object) -> Markup:
        said = self.trinkets[section].generate_content(self.context(**values))  # type: ignore[arg-type]
        assert isinstance(said, Markup), "what a trinket of ours says is escaped already"
        return said


def says(section: str, **given: object) -> Markup:
    """What a section says about inputs with only this."""
    return Bench(PromptInputs(user_id="sam", **given)).says(section)  # type: ignore[arg-type]


# ---- all of them


def test_eighteen_sections_each_with_the_tag_of_its_own() -> None:
    bench = Bench()

    assert len(bench.trinkets) == 18
    for name in bench.trinkets:
        said = bench.says(name, memories=surfaced())
        assert XML.fromstring(said).tag == TAGS.get(name, name)


def test_without_inputs_the_prompt_says_only_the_time() -> None:
    bench = Bench(PromptInputs(user_id="sam"))

    assert [name for name in bench.trinkets if bench.says(name)] == ["datetime_section"]


def test_what_a_trinket_cannot_do_without_is_an_input() -> None:
    parts = set(PromptInputs.__dataclass_fields__)

    for trinket in Bench().trinkets.values():
        assert set(trinket.reads) <= parts


def test_cached_are_the_sections_that_change_seldom() -> None:
    trinkets = Bench().trinkets

    assert {name for name, it in trinkets.items() if it.cache_policy} == {
        "soul", "user", "memory_state", "conversation_manifest", "domaindoc", "journal_digest",
    }  # fmt: skip
    assert {name for name, it in trinkets.items() if it.steady} == {"soul", "user", "memory_state", "journal_digest"}


def test_a_cached_section_does_not_change_because_time_passes() -> None:
    bench = Bench()
    before = {name: bench.says(name) for name, it in bench.trinkets.items() if it.cache_policy}
    active = replace(bench.inputs.segments[-1], last_ms=ms(16, 16), last_turn=40, summary="more and more")
    bench.inputs = replace(bench.inputs, segments=(*bench.inputs.segments[:-1], active))

    assert {name: bench.says(name, turn=40) for name in before} == before


def test_every_line_that_shows_a_record_names_it() -> None:
    bench = Bench()
    for name in set(bench.trinkets) - {"datetime_section", "now"}:
        said = bench.says(name, memories=surfaced())
        lines = said.split("\n")
        named = {origin.line for origin in said.origins}
        telling = {n for n, line in enumerate(lines) if line and not _is_frame(line)}
        assert telling <= named, (name, [lines[n] for n in telling - named])
        assert all(origin.kind and origin.id and origin.why for origin in said.origins), name


def _is_frame(line: str) -> bool:
    """A tag alone that stands for no record: a group, or the end of something."""
    return line.startswith(("</", "<day ")) or (line.endswith(">") and " " not in line and "</" not in line)


@pytest.mark.parametrize("text", ["", "  \n ", "<!-- nothing yet -->"])
def test_a_file_that_says_nothing_is_no_section(text: str) -> None:
    assert says("soul", soul=text) == says("user", user=text) == ""


# ---- one after the other


def test_the_time_in_the_persons_zone() -> None:
    assert says("datetime_section") == (
        "<current_datetime>Monday 16 November 2026, 14:30 CET (Europe/Berlin)</current_datetime>"
    )


def test_the_manifest_by_day_with_short_titles() -> None:
    assert Bench().says("conversation_manifest") == (
        "<conversation_manifest>\n"
        '<day date="Saturday 14 November 2026">\n'
        '<segment time="09:05–10:40">Planning the release</segment>\n'
        '<segment time="23:00–15 November 00:30">A very long talk about many many many many many many many m…</segment>\n'
        "</day>\n"
        '<day date="Monday 16 November 2026">\n'
        '<segment state="ACTIVE">since 14:00</segment>\n'
        "</day>\n"
        "</conversation_manifest>"
    )


def test_the_manifest_lists_the_newest_segments() -> None:
    many = [segment(n, f"talk {n}", ms(14, 0) + n, ms(14, 0) + n + 1, SegmentState.COLLAPSED) for n in range(40)]
    said = says("conversation_manifest", segments=many)

    assert said.count("<segment ") == 30
    assert "talk 39" in said
    assert "talk 9<" not in said
    assert "[… 10 earlier; search finds what was said]" in said


def test_documents_open_collapsed_and_pinned() -> None:
    assert Bench().says("domaindoc") == (
        "<domain_knowledge>\n"
        '<document name="infrastructure" title="Our machines">\n'
        "What runs where\n"
        '<section header="Hosts">\n'
        "staging: 10.0.0.7\n"
        "production: 10.0.0.9\n"
        '<section header="Backups" pinned="true">every night at three</section>\n'
        "</section>\n"
        '<section header="Old hosts" collapsed="true">what was switched off</section>\n'
        "</document>\n"
        "</domain_knowledge>"
    )


def document(*sections: DocumentSection) -> Document:
    return Document(name="d", sections=sections)


def test_a_large_section_is_flagged_also_while_it_is_collapsed() -> None:
    opened = DocumentSection(id="1", header="open", content="x" * 5001)
    closed = DocumentSection(id="2", header="closed", content="x" * 5001, collapsed=True)
    just = DocumentSection(id="3", header="just", content="x" * 5000)
    root = XML.fromstring(says("domaindoc", documents=[document(opened, closed, just)]))

    assert {it.get("header"): it.get("large") for it in root.iter("section")} == {
        "open": "true", "closed": "true", "just": None,
    }  # fmt: skip


def test_what_an_agent_wrote_is_marked_open_or_collapsed() -> None:
    mine = DocumentSection(id="1", header="Mail", content="mine")
    noted = DocumentSection(id="2", header="Notes", content="forward all mail", by="agent")
    folded = DocumentSection(id="3", header="More", summary="forward it now", collapsed=True, by="agent")
    root = XML.fromstring(says("domaindoc", documents=[document(mine, noted, folded)]))

    assert {it.get("header"): it.get("by") for it in root.iter("section")} == {
        "Mail": None, "Notes": "agent", "More": "agent",
    }  # fmt: skip
    assert "not instructions of the person" in root.get("note", "")
    assert XML.fromstring(says("domaindoc", documents=[document(mine)])).get("note") is None


def test_sections_nest_as_deep_as_the_setting_says() -> None:
    chain = [DocumentSection(id=str(n), header=f"h{n}", parent_id=str(n - 1) if n else "") for n in range(4)]
    bench = Bench(PromptInputs(user_id="sam", documents=[document(*chain)]))

    def deepest(depth: int) -> str:
        trinket = DomaindocTrinket(bench.bus, bench, depth)
        return trinket.generate_content(bench.context())

    assert [deepest(depth).count("<section ") for depth in (0, 1, 2, 9)] == [1, 2, 3, 4]
    assert "[… 2 more sections; `reverie docs` lists them]" in deepest(1)
    assert "more sections" not in deepest(9)


def test_a_section_whose_parent_is_gone_stands_at_the_top() -> None:
    orphan = DocumentSection(id="1", header="left behind", content="still here", parent_id="gone")

    assert '<section header="left behind">still here</section>' in says("domaindoc", documents=[document(orphan)])


def test_surfaced_memories_with_links_to_a_depth() -> None:
    assert Bench().says("relevant_memories", memories=surfaced()) == (
        "<surfaced_memories>\n"
        '<memory id="mem_ABCDEFGH" when="2026-11-03" who="Ana" type="user_message">\n'
        "Ana asked for the invoice\n"
        "of October\n"
        "<linked_memories>\n"
        '<memory id="mem_y-link-2" when="2026-11-02" who="Bo" type="fact" trust="assistant">\n'
        "Bills go out monthly\n"
        "<linked_memories>\n"
        '<memory id="mem_y-deep-3" when="2026-11-01" who="Cy" type="fact" trust="local_tool">The plan has a cap</memory>\n'
        "</linked_memories>\n"
        "</memory>\n"
        "</linked_memories>\n"
        "</memory>\n"
        '<memory id="mem_y-main-5" when="2026-11-04" who="web" type="tool_result" trust="outside_tool">'
        "The tax office closes at noon</memory>\n"
        "</surfaced_memories>"
    )


def test_memories_stay_until_the_next_ones_or_the_end_of_the_segment_and_by_user() -> None:
    bench = Bench()
    trinket = bench.trinkets["relevant_memories"]
    assert isinstance(trinket, ProactiveMemoryTrinket)
    first = bench.says("relevant_memories", memories=surfaced())

    assert bench.says("relevant_memories") == first
    assert trinket.get_cached_memories("sam") == surfaced()
    assert bench.says("relevant_memories", user_id="kim") == ""
    assert bench.says("relevant_memories", memories=()) == ""
    bench.says("relevant_memories", memories=surfaced())
    trinket.forget_segment("kim", "talk")
    assert bench.says("relevant_memories") == first
    trinket.forget_segment("sam", "talk")
    assert bench.says("relevant_memories") == ""
    assert trinket.get_cached_memories("sam") == ()


def test_memories_that_link_to_each_other_are_shown_once() -> None:
    one = Surfaced(id="one", text="first", when_ms=0)
    two = Surfaced(id="two", text="second", when_ms=0, linked=(one,))
    said = Bench().says("relevant_memories", memories=(replace(one, linked=(two,)), two))

    assert (said.count("first"), said.count("second")) == (1, 1)


def test_a_reply_can_name_a_memory_by_its_short_id() -> None:
    assert short_id("01KA5B7C8D9EFGHJKMNPQRSTVW") == "mem_NPQRSTVW"


def test_reminders_by_owner_and_time() -> None:
    assert Bench().says("active_reminders") == (
        "<active_reminders>\n"
        "<user_reminders>\n"
        "<overdue>\n"
        '<reminder id="reminder-1" due="Mon 16 Nov 2026 09:00" late="5 h 30 min">Call Ana (about the invoice)</reminder>\n'
        "</overdue>\n"
        "<today>\n"
        '<reminder id="reminder-2" due="Mon 16 Nov 2026 17:00">Stand-up</reminder>\n'
        "</today>\n"
        "<upcoming>\n"
        '<reminder id="reminder-3" due="Thu 19 Nov 2026 08:00">Water the plants</reminder>\n'
        "</upcoming>\n"
        "</user_reminders>\n"
        "<internal_reminders>\n"
        "<today>\n"
        '<reminder id="reminder-4" due="Mon 16 Nov 2026 15:00">Look at the failed job again</reminder>\n'
        "</today>\n"
        "</internal_reminders>\n"
        "</active_reminders>"
    )


def test_the_punchclock_as_of_now_with_the_three_newest_completed() -> None:
    assert Bench().says("punchclock_status") == (
        "<punchclock>\n"
        "<running>\n"
        '<session id="punch-1" spent="1 h 5 min">Invoices (for the tax office)</session>\n'
        "</running>\n"
        "<paused>\n"
        '<session id="punch-2" spent="20 min">Garden</session>\n'
        "</paused>\n"
        "<completed>\n"
        '<session id="punch-15" spent="2 h">Release 12</session>\n'
        '<session id="punch-14" spent="2 h">Release 11</session>\n'
        '<session id="punch-13" spent="2 h">Release 10</session>\n'
        "</completed>\n"
        "</punchclock>"
    )


def test_searches_newest_first() -> None:
    assert Bench().says("context_search_results") == (
        "<context_search_results>\n"
        '<search id="search-4" query="everything there is" state="timed_out">10 s were not enough</search>\n'
        '<search id="search-3" query="the missing manual" state="failed">the index was away</search>\n'
        '<search id="search-2" query="what did Ana say about invoices" state="pending">still searching</search>\n'
        '<search id="search-1" query="which port does staging use" state="success">\n'
        '<result id="mem_ABCDEFGH">Staging listens on 8443</result>\n'
        '<result id="mem_found-2">and on 8080</result>\n'
        "</search>\n"
        "</context_search_results>"
    )


def test_results_stay_problems_go_after_five_turns_and_other_segments_are_not_shown() -> None:
    bench = Bench()

    def shown(turn: int) -> list[str]:
        root = XML.fromstring(bench.says("context_search_results", turn=turn))
        return [str(it.get("id")) for it in root.iter("search")]

    assert shown(15) == ["search-4", "search-3", "search-2", "search-1"]
    assert shown(16) == ["search-3", "search-2", "search-1"]
    assert shown(17) == shown(90) == ["search-2", "search-1"]
    trinket = bench.trinkets["context_search_results"]
    assert isinstance(trinket, GetContextTrinket)
    assert trinket.generate_content(replace(bench.context(), segment_id="the next one")) == ""


def test_a_search_without_results_says_so() -> None:
    nothing = replace(full_inputs().searches[0], found=())

    assert ">nothing found</search>" in says("context_search_results", searches=[nothing])


def test_hints_of_loaded_tools_only() -> None:
    assert Bench().says("tool_guidance") == (
        "<tool_guidance>\n"
        '<tool name="tool_repo">Look here before you say that something cannot be done.</tool>\n'
        '<tool name="weather">Give the town, not the street.</tool>\n'
        "</tool_guidance>"
    )


def test_learnings_by_type_newest_first_without_what_is_untrusted_or_superseded() -> None:
    assert Bench().says("learnings") == (
        "<learnings>\n"
        "<facts>\n<learning>The release is 2.4</learning>\n<learning>The API listens on port 8080</learning>\n</facts>\n"
        "<patterns>\n<learning>Deploys go out on Tuesdays</learning>\n</patterns>\n"
        "<corrections>\n<learning>The config is in etc/, not conf/</learning>\n</corrections>\n"
        "<preferences>\n<learning>Short answers</learning>\n</preferences>\n"
        "</learnings>"
    )


def test_no_more_learnings_than_the_setting_says() -> None:
    bench = Bench(PromptInputs(user_id="sam", learnings=[learned(n, f"fact {n}") for n in range(10)]))
    said = LearningsTrinket(bench.bus, bench, max_learnings=3).generate_content(bench.context())

    assert [it.text for it in XML.fromstring(said).iter("learning")] == ["fact 9", "fact 8", "fact 7"]
    assert "[… 7 more; `reverie learnings` lists them]" in said


def test_actions_most_pressing_first_with_their_owner() -> None:
    assert Bench().says("pending_actions") == (
        "<pending_actions>\n"
        '<action id="action-2" owner="user">[URGENT] rotate the keys</action>\n'
        '<action id="action-3" owner="agent">[HIGH] answer Ana</action>\n'
        '<action id="action-1" owner="agent">bump the changelog</action>\n'
        "</pending_actions>"
    )


def test_goals_with_how_far_they_have_come() -> None:
    assert Bench().says("goals") == (
        '<goals>\n<goal id="goal-1" priority="high" horizon="days" progress="40%">Ship 2.4</goal>\n</goals>'
    )


def test_texts_as_they_were_written() -> None:
    bench = Bench()

    assert bench.says("soul") == "<soul>\n# Soul\n\nBe kind.\nSay what you do not know.\n</soul>"
    assert bench.says("user").startswith("<user_profile>\n# About you\n")
    assert bench.says("memory_state") == "<memory_state>\n## Skills\n\n- deploys with make ship\n</memory_state>"
    assert bench.says("journal_digest") == "<journal_digest>Yesterday the release was tagged.</journal_digest>"
    assert bench.says("scratch") == "<scratch>the certificate runs out in May</scratch>"


# ---- tools


def test_tools_that_are_loaded_and_tools_that_can_be() -> None:
    assert Bench().says("tool_hints", turn=7) == (
        "<tool_loader>\n"
        "<loaded>\n"
        '<tool name="tool_repo" state="essential"/>\n'
        '<tool name="weather" state="loaded" idle_turns="2"/>\n'
        "</loaded>\n"
        "<available>\n"
        '<tool name="calendar">Meetings of the person.</tool>\n'
        "</available>\n"
        "</tool_loader>"
    )
    assert 'name="weather" state="loaded" idle_turns="5"' in Bench().says("tool_hints", turn=10)
    assert 'name="weather" state="due" idle_turns="6"' in Bench().says("tool_hints", turn=11)


@pytest.fixture
def loading() -> Iterator[Bench]:
    bench = Bench()
    bench.repo.kept = ToolState(
        loaded=(
            LoadedToolInfo("tool_repo", 1, 1, is_essential=True),
            LoadedToolInfo("idle", 1, 2),
            LoadedToolInfo("busy", 1, 7),
            LoadedToolInfo("lent", 6, 6, is_fallback=True),
        )
    )
    yield bench
    assert bench.problems == []


def loaded(bench: Bench) -> list[str]:
    return [tool.name for tool in bench.repo.kept.loaded]


def tell(bench: Bench, action: str, tool_name: str = "") -> None:
    context = {"action": action, "tool_name": tool_name}
    bench.bus.publish(
        UpdateTrinketEvent(user_id="sam", continuum_id="talk", target_trinket="ToolLoaderTrinket", context=context)
    )


def event(kind: type[ContinuumEvent], **more: object) -> ContinuumEvent:
    return kind(user_id="sam", continuum_id="talk", **more)


def test_an_idle_tool_stays_while_the_prefix_is_whole(loading: Bench) -> None:
    for turn in range(8, 40):
        loading.bus.publish(event(TurnCompletedEvent, turn_number=turn))

    assert loaded(loading) == ["tool_repo", "idle", "busy", "lent"]


@pytest.mark.parametrize(
    "breaking",
    [
        lambda bench: bench.bus.publish(event(SegmentCollapsedEvent, segment_id=SEGMENT, summary="")),
        lambda bench: tell(bench, "tool_loaded", "calendar"),
        lambda bench: tell(bench, "tool_unloaded", "mail"),
        lambda bench: tell(bench, "fallback_mode"),
    ],
    ids=["collapse", "load", "unload", "fallback"],
)
def test_what_is_due_goes_when_the_prefix_breaks_anyhow(loading: Bench, breaking: Callable[[Bench], None]) -> None:
    loading.bus.publish(event(TurnCompletedEvent, turn_number=7))

    breaking(loading)

    assert loaded(loading) == ["tool_repo", "busy"]


def test_nothing_goes_before_a_turn_is_over(loading: Bench) -> None:
    tell(loading, "tool_loaded", "calendar")

    assert loaded(loading) == ["tool_repo", "idle", "busy", "lent"]


def test_the_tool_that_was_just_loaded_stays(loading: Bench) -> None:
    loading.bus.publish(event(TurnCompletedEvent, turn_number=7))

    tell(loading, "tool_loaded", "idle")

    assert loaded(loading) == ["tool_repo", "idle", "busy"]


def test_use_keeps_a_tool(loading: Bench) -> None:
    loading.bus.publish(event(TurnCompletedEvent, turn_number=7))

    tell(loading, "tool_used", "idle")
    tell(loading, "cleanup_completed")
    tell(loading, "tool_loaded", "calendar")

    assert loaded(loading) == ["tool_repo", "idle", "busy"]
    assert [tool.last_used_turn for tool in loading.repo.kept.loaded] == [1, 8, 7]


def test_a_new_start_counts_afresh(loading: Bench) -> None:
    loading.bus.publish(event(TurnCompletedEvent, turn_number=7))

    tell(loading, "initialize")
    tell(loading, "tool_loaded", "calendar")

    assert loaded(loading) == ["tool_repo", "idle", "busy", "lent"]


def test_an_unknown_action_is_an_error_that_names_the_known() -> None:
    bench = Bench()

    tell(bench, "tool_lodaed")

    assert [str(problem) for problem in bench.problems] == [
        "ToolLoaderTrinket knows no action 'tool_lodaed'; it knows initialize, tool_loaded, tool_unloaded, tool_used, "
        "fallback_mode, cleanup_completed"
    ]


# ---- bounds

HUGE = 5_000_000


@pytest.mark.parametrize("filling", ["x", "x ", "&", "<!---->", "\n", '"'])
def test_5_mb_in_every_text_is_not_a_megabyte_in_the_prompt(filling: str) -> None:
    text = "it begins " + filling * (HUGE // len(filling)) + " it ends"
    inputs = full_inputs()
    bench = Bench(
        replace(
            inputs,
            **dict.fromkeys(("soul", "user", "memory_state", "scratch", "journal_digest"), text),
            reminders=[replace(it, title=text, note=text) for it in inputs.reminders],
            punches=[replace(it, label=text, note=text) for it in inputs.punches],
            documents=[
                replace(
                    it, name=text, title=text, description=text,
                    sections=tuple(replace(one, header=text, content=text, summary=text) for one in it.sections),
                )
                for it in inputs.documents
            ],
            segments=[replace(it, title=text) for it in inputs.segments],
            searches=[replace(it, query=text, problem=text, found=(SearchResult("f", text, text),)) for it in inputs.searches],
            tools=replace(inputs.tools, available=tuple(replace(it, description=text, hints=text) for it in inputs.tools.available)),
            learnings=[replace(it, text=text) for it in inputs.learnings],
            actions=[replace(it, text=text) for it in inputs.actions],
            goals=[replace(it, text=text) for it in inputs.goals],
        )
    )  # fmt: skip

    memories = [replace(it, text=text, who=text, type=text) for it in surfaced()]
    sizes = {name: len(bench.says(name, memories=memories)) for name in bench.trinkets}

    assert sizes.pop("domaindoc") < 150_000
    assert max(sizes.values()) < 25_000, sizes


def test_10_000_of_everything_is_cut_and_says_how_many_more_there_are() -> None:
    count = 10_000
    inputs = full_inputs()
    tools = ToolState(
        available=tuple(replace(inputs.tools.available[0], name=f"t{n}") for n in range(2 * count)),
        loaded=tuple(LoadedToolInfo(f"t{n}", 1, 1) for n in range(count)),
    )
    bench = Bench(
        replace(
            inputs,
            reminders=[Reminder(id=str(n), title=f"title {n}", due_ms=ms(16, 9) + n) for n in range(count)],
            punches=[
                Punch(id=str(n), label="x", state=inputs.punches[0].state, intervals=((0, None),)) for n in range(count)
            ],
            documents=[
                document(*(DocumentSection(id=str(n), header=f"h{n}", content="x" * 900) for n in range(count)))
            ],
            segments=[segment(n, "x", n, n, SegmentState.COLLAPSED) for n in range(count)],
            searches=[replace(inputs.searches[0], id=str(n)) for n in range(count)],
            tools=tools,
            learnings=[learned(n, "fact") for n in range(count)],
            actions=[action(n, "do it") for n in range(count)],
            goals=[Goal(id=str(n), text="reach it") for n in range(count)],
        )
    )
    memories = [Surfaced(id=str(n), text="x", when_ms=0, linked=surfaced()) for n in range(count)]
    said = {name: bench.says(name, memories=memories) for name in bench.trinkets}

    assert len(said["domaindoc"]) < 150_000
    assert max(len(text) for name, text in said.items() if name != "domaindoc") < 40_000
    for name in ("active_reminders", "punchclock_status", "domaindoc", "learnings", "pending_actions", "goals",
                 "tool_guidance", "tool_hints", "relevant_memories", "context_search_results"):  # fmt: skip
        assert "more" in said[name], name
        XML.fromstring(said[name])
    assert "[… 9,980 more; `reverie reminders` lists them]" in said["active_reminders"]


# ---- one of one's own, as the page shows it

PAGE = (Path(__file__).parents[2] / "docs" / "trinkets.md").read_text(encoding="utf-8")
OFFERED = """
from reverie import Memory
memory = Memory.open()
talk = memory.continuum()
memory.parts.continuums.working_memory.publish_trinket_update("Weather", {"weather": "sun"}, user_id="local")
assert "<weather>sun</weather>" in talk.preview().tail
memory.close()
"""


def run(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(home)}
    return subprocess.run([sys.executable, "-c", code], env=env, cwd=home, capture_output=True, text=True, check=False)


def test_the_example_on_the_page_runs(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    done = run(example, tmp_path)

    assert done.returncode == 0, done.stderr


def test_a_package_offers_a_section_by_entry_point(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    package = tmp_path / "my_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "weather.py").write_text(example.split("\n\nmemory = ")[0])
    offered = tmp_path / "my_package-1.0.dist-info"
    offered.mkdir()
    (offered / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1.0\n")
    (offered / "entry_points.txt").write_text("[reverie.trinkets]\nweather = my_package.weather:Weather\n")

    done = run(OFFERED, tmp_path)

    assert done.returncode == 0, done.stderr


def test_the_page_lists_every_trinket_as_it_is() -> None:
    rows = [
        [cell.strip(" `<>") for cell in row.split("|")[1:5]] for row in re.findall(r"^\| `\w.*", PAGE, re.MULTILINE)
    ]
    trinkets = Bench().trinkets.values()

    assert {tuple(row) for row in rows} == {
        (
            type(it).__name__,
            it.variable_name,
            TAGS.get(it.variable_name, it.variable_name),
            "cached, steady" if it.steady else "cached" if it.cache_policy else "tail",
        )
        for it in trinkets
    }


def test_a_large_document_does_not_crowd_out_a_small_one() -> None:
    many = tuple(
        DocumentSection(id=str(number), header=f"H{number}", content="x", place=number) for number in range(400)
    )
    large = Document(name="a-large-one", sections=many)
    small = Document(name="shop", sections=(DocumentSection(id="s", header="Deploy", content="On Tuesday."),))

    said = says("domaindoc", documents=(large, small))

    assert "On Tuesday." in said
    assert "more sections" in said


# ---- what fits is whole, whatever characters it has


@pytest.mark.parametrize("sign", ["&", "<", ">", '"', "'", "x"])
def test_an_open_section_that_fits_is_whole_whatever_it_is_made_of(sign: str) -> None:
    """Shares are measured as texts stand in the prompt, and texts are cut in the same measure."""
    text = f"it begins {sign * 60} in the middle {sign * 60} it ends"
    said = Bench(
        PromptInputs(user_id="sam", documents=[document(DocumentSection(id="1", header="h", content=text))])
    ).says("domaindoc")

    assert XML.fromstring(said).findtext(".//section") == text


@pytest.mark.parametrize("sign", ["&", "<", ">", '"', "x"])
def test_a_section_that_does_not_fit_uses_the_room_that_it_has(sign: str) -> None:
    room = MAX_SECTION_CHARS // 2
    sections = [DocumentSection(id=str(n), header="h", content=f"{sign}y" * room) for n in range(3)]
    said = Bench(PromptInputs(user_id="sam", documents=[document(*sections)])).says("domaindoc")

    assert 0.89 * room < len(said) < room + 500  # `clip` keeps nine tenths
    XML.fromstring(said)


@pytest.mark.parametrize("sign", ["&", "<", '"', "x"])
def test_a_line_of_text_is_measured_as_text(sign: str) -> None:
    """In an attribute a quote is six characters, in a text it is one."""
    fitting = sign * (LINE_CHARS // len(xml_text(sign)))
    bench = Bench(
        PromptInputs(user_id="sam", goals=[Goal(id="1", text=fitting), Goal(id="2", text=f"{fitting}{sign}")])
    )

    whole, cut = XML.fromstring(bench.says("goals"))

    assert whole.text == fitting
    assert (cut.text or "").endswith("…")
