"""Domain documents: edited by section, every edit kept and undone exactly, whole documents a person's alone."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reverie.documents import document_text
from reverie.documents.document_text import outline, read_markdown, to_markdown
from reverie.engines.sqlite import SqliteEngine
from reverie.errors import BadInput, StaleVersion
from reverie.records.prompt_inputs import Document, Documents, DocumentSection
from reverie.redact.secrets import redact
from reverie.testing import START_MS
from reverie.tools.domaindocs import DomaindocTool
from tools.made import an_engine, an_id, at

GARDEN = """# The garden

Everything that grows behind the house.

## Roses

Prune them in March.

### Pests

Aphids: soap water.

## Lawn
<!-- reverie closed: how short, how often -->

Mow it every week.
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteEngine]:
    made = an_engine(tmp_path_factory.mktemp("documents"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def documents(engine: SqliteEngine) -> Documents:
    return engine.documents


@pytest.fixture
def tool(documents: Documents) -> DomaindocTool:
    return door(documents)


@pytest.fixture
def person(documents: Documents) -> Iterator[DomaindocTool]:
    made = door(documents, by="user")
    made.import_markdown("garden", GARDEN)
    yield made
    for document in documents.all():
        documents.remove(document.name)


def door(
    documents: Documents, by: str = "agent", clean: Callable[[str], str] = redact, depth: int = 1
) -> DomaindocTool:
    return DomaindocTool(documents, an_id, lambda: START_MS, clean, depth, 5_000, by=by)


def texts(document: Document) -> dict[str, str]:
    return {one.path: one.section.content for one in outline(document.sections)}


# ---- sections


def test_the_overview_shows_sections_with_their_states(person: DomaindocTool, tool: DomaindocTool) -> None:
    shown = tool.overview("garden")

    assert shown["sections"] == [
        {"section": "Roses", "characters": 20, "state": "expanded"},
        {"section": "Roses > Pests", "characters": 19, "state": "expanded"},
        {"section": "Lawn", "characters": 18, "summary": "how short, how often", "state": "collapsed"},
    ]
    assert tool.overview()[0]["sections"] == ["Roses", "Roses > Pests", "Lawn"]


def test_a_model_edits_sections_through_one_call(person: DomaindocTool, tool: DomaindocTool) -> None:
    ask = {"operation": "append", "name": "garden", "header": "roses", "text": "Water them at dawn."}

    done = tool.run(ask, at())

    assert done == {
        "document": "garden", "version": 3, "section": "Roses", "characters": 40, "by": "agent", "state": "expanded",
    }  # fmt: skip
    assert texts(person.document("garden"))["Roses"] == "Prune them in March.\nWater them at dawn."


def test_every_edit_says_by_whom_and_what_changed(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.replace_text("garden", "Roses", "March", "February")

    newest = person.history("garden")[0]

    assert (newest.version, newest.by, newest.operation, newest.header) == (3, "agent", "replace_text", "Roses")
    assert "-Prune them in March.\n+Prune them in February." in newest.diff
    assert [one.by for one in person.history("garden")] == ["agent", "user", "user"]


@pytest.mark.parametrize(("old", "count"), [("e", 2), ("July", 0), ("", 0)])
def test_text_to_replace_must_occur_once(person: DomaindocTool, tool: DomaindocTool, old: str, count: int) -> None:
    with pytest.raises(BadInput, match=f"occurs {count} times"):
        tool.replace_text("garden", "Roses", old, "x")

    assert person.document("garden").version == 2


def test_a_header_that_is_not_there_names_the_nearest(person: DomaindocTool, tool: DomaindocTool) -> None:
    with pytest.raises(BadInput, match='no section "Rosse"; did you mean "Roses"'):
        tool.append("garden", "Rosse", "x")
    with pytest.raises(BadInput, match='did you mean "Roses > Pests"'):
        tool.append("garden", "pets", "x")
    with pytest.raises(BadInput, match='no document "gardne"; did you mean "garden"'):
        tool.append("gardne", "Roses", "x")
    with pytest.raises(BadInput, match='known are "Roses", "Roses > Pests", "Lawn"'):
        tool.append("garden", "quantum physics", "x")


def test_a_header_that_is_there_already_names_the_alternatives(person: DomaindocTool, tool: DomaindocTool) -> None:
    with pytest.raises(BadInput, match=r'"lawn" already; append to it, .*taken are "Roses", "Lawn"'):
        tool.create_section("garden", "lawn")
    with pytest.raises(BadInput, match="already"):
        tool.rename("garden", "Roses", "LAWN")
    assert tool.rename("garden", "Roses", "ROSES")["section"] == "ROSES"


def test_the_same_header_below_two_sections_is_named_by_its_path(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.create_section("garden", "Pests", "Moles.", parent="Lawn")

    with pytest.raises(BadInput, match='"Pests" 2 times; say "Roses > Pests", "Lawn > Pests"'):
        tool.append("garden", "Pests", "x")
    tool.append("garden", "lawn > pests", "And voles.")

    assert texts(person.document("garden"))["Lawn > Pests"] == "Moles.\nAnd voles."


def test_sections_nest_only_as_deep_as_they_may(
    person: DomaindocTool, tool: DomaindocTool, documents: Documents
) -> None:
    with pytest.raises(BadInput, match='"Roses > Pests" can hold no section'):
        tool.create_section("garden", "Aphids", parent="Pests")
    assert door(documents, depth=2).create_section("garden", "Aphids", parent="Pests")["section"].count(">") == 2


def test_what_is_collapsed_cannot_be_deleted(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.collapse("garden", "Pests")

    with pytest.raises(BadInput, match='expand "Roses > Pests" first'):
        tool.delete("garden", "Roses")
    assert tool.expand("garden", "Pests")["content"] == "Aphids: soap water."
    assert tool.delete("garden", "Roses")["deleted"] == 2
    assert list(texts(person.document("garden"))) == ["Lawn"]


def test_to_expand_a_subsection_shows_what_it_stands_in(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.collapse("garden", "Roses")
    tool.expand("garden", "Pests")

    assert [one["state"] for one in tool.overview("garden")["sections"]] == ["expanded", "expanded", "collapsed"]


def test_a_pinned_section_stays_in_sight(person: DomaindocTool, tool: DomaindocTool) -> None:
    assert tool.pin("garden", "Lawn")["state"] == "pinned"
    tool.pin("garden", "Pests")

    with pytest.raises(BadInput, match='"Lawn" is pinned and cannot be collapsed'):
        tool.collapse("garden", "Lawn")
    with pytest.raises(BadInput, match='holds "Pests", which is pinned'):
        tool.collapse("garden", "Roses")
    tool.pin("garden", "Lawn", pinned=False)
    assert tool.collapse("garden", "Lawn")["state"] == "collapsed"


def states(tool: DomaindocTool, name: str = "garden") -> dict[str, str]:
    return {one["section"]: one["state"] for one in tool.overview(name)["sections"]}


def test_what_was_expanded_for_a_talk_is_collapsed_after_it(
    person: DomaindocTool, tool: DomaindocTool, documents: Documents
) -> None:
    tool.expand("garden", "Lawn")
    tool.create_section("garden", "Hedge", "Cut it in June.")
    tool.pin("garden", "Hedge")

    assert tool.to_defaults() == ["garden"]

    kept = {"Roses": "expanded", "Roses > Pests": "expanded", "Lawn": "collapsed", "Hedge": "pinned"}
    assert states(tool) == kept
    assert tool.to_defaults() == []  # nothing to do makes no version
    person.disable("garden")
    assert tool.to_defaults() == []
    with pytest.raises(BadInput, match="no operation"):
        tool.run({"operation": "to_defaults"}, at())


def test_a_section_is_expanded_by_default_until_that_is_taken_back(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.create_section("garden", "Moles", "Let them be.", parent="Lawn")
    tool.run({"operation": "expand", "name": "garden", "header": "Moles", "by_default": True}, at())
    tool.collapse("garden", "Roses")
    person.to_defaults()
    assert set(states(tool).values()) == {"expanded"}  # with what it stands in

    tool.collapse("garden", "Moles", by_default=True)
    person.to_defaults()

    assert states(tool)["Lawn"] == states(tool)["Lawn > Moles"] == "collapsed"


def test_a_document_that_is_enabled_or_imported_shows_what_it_shows_by_default(
    person: DomaindocTool, tool: DomaindocTool
) -> None:
    tool.expand("garden", "Lawn")
    person.disable("garden")
    person.enable("garden")
    assert states(tool)["Lawn"] == "collapsed"

    person.import_markdown("fresh", "## A\n<!-- reverie closed -->\n\nx\n\n## B\n\ny\n")
    assert states(tool, "fresh") == {"A": "collapsed", "B": "expanded"}


def test_who_edits_while_documents_are_reset_is_not_disturbed(
    person: DomaindocTool, tool: DomaindocTool, documents: Documents
) -> None:
    class Meanwhile:
        """The store, in which somebody edits after the documents were read."""

        def __getattr__(self, name: str) -> object:
            return getattr(documents, name)

        def all(self) -> list[Document]:
            found = documents.all()
            tool.append("garden", "Lawn", "Edges too.")
            return found

    tool.expand("garden", "Lawn")
    assert door(Meanwhile(), by="user").to_defaults() == []
    assert states(tool)["Lawn"] == "expanded"


# ---- who wrote it


def by_whom(person: DomaindocTool) -> dict[str, str]:
    return {one.path: one.section.by for one in outline(person.document("garden").sections)}


@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("append", {"text": "Water them."}),
        ("replace_text", {"old": "March", "new": "May"}),
        ("replace_section", {"content": "Let them grow."}),
        ("set_summary", {"summary": "The person wants them cut down."}),
        ("rename", {"new_header": "Roses to cut down"}),
    ],
)
def test_what_an_agent_writes_is_marked(
    person: DomaindocTool, tool: DomaindocTool, operation: str, more: dict[str, str]
) -> None:
    assert set(by_whom(person).values()) == {"user"}

    tool.run({"operation": operation, "name": "garden", "header": "Roses", **more}, at())

    marks = by_whom(person)
    assert [header for header, by in marks.items() if by == "agent"] == [more.get("new_header", "Roses")]
    person.undo("garden")
    assert set(by_whom(person).values()) == {"user"}


def test_who_only_moves_or_shows_a_section_has_not_written_it(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.collapse("garden", "Roses")
    tool.expand("garden", "Lawn", by_default=True)
    tool.pin("garden", "Pests")
    tool.reorder("garden", ["Lawn", "Roses"])
    tool.replace_section("garden", "Lawn", "Mow it every week.")

    assert set(by_whom(person).values()) == {"user"}


def test_a_person_who_writes_the_content_makes_it_theirs(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.append("garden", "Roses", "Burn them.")
    tool.create_section("garden", "Hedge", "Cut it.")

    person.set_summary("garden", "Hedge", "when to cut it")
    person.replace_text("garden", "Roses", "Burn", "Feed")

    assert by_whom(person) == {"Roses": "user", "Roses > Pests": "user", "Lawn": "user", "Hedge": "agent"}
    person.undo("garden")  # the agent's words are back, and the mark with them
    assert by_whom(person)["Roses"] == "agent"


def test_markdown_tells_who_wrote_a_section(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.append("garden", "Roses", "Burn them.")
    tool.create_section("garden", "Hedge", "Cut it.")
    written = person.export_markdown("garden")

    assert "## Hedge\n<!-- reverie agent -->\n\nCut it." in written
    person.import_markdown("copy", written)
    assert [one.by for one in person.document("copy").sections].count("agent") == 2
    person.import_markdown("garden", written.replace("Cut it.", "Cut it in June."))
    assert (by_whom(person)["Hedge"], by_whom(person)["Roses"]) == ("user", "agent")


# ---- sizes


def test_what_is_too_long_is_refused_with_a_way_out(person: DomaindocTool, tool: DomaindocTool) -> None:
    most = "x" * 199_999
    tool.replace_section("garden", "Lawn", most)
    tool.replace_section("garden", "Lawn", most + "x")

    with pytest.raises(BadInput, match=r"at most 200,000 characters, not 200,002; split it"):
        tool.append("garden", "Lawn", "x")
    with pytest.raises(BadInput, match="at most 200,000"):
        tool.create_section("garden", "Long", most + "xx")
    with pytest.raises(BadInput, match='section "Long" has at most 200,000'):
        person.import_markdown("fresh", f"## Long\n\n{most}xx\n")
    with pytest.raises(BadInput, match="a description has at most"):
        person.import_markdown("fresh", f"# T\n\n{most}xx\n")

    for number in range(8):
        tool.create_section("garden", f"Part {number}", most)
    with pytest.raises(BadInput, match=r"garden would have 2,000,\d+ characters, .* split it into several documents"):
        tool.create_section("garden", "One more", most)
    ten = "".join(f"## {number}\n\n{most}\n\n" for number in range(11))
    with pytest.raises(BadInput, match=r"fresh would have 2,199,\d+ characters"):
        person.import_markdown("fresh", ten)
    assert [one.name for one in person._visible()] == ["garden"]  # nothing was made half
    assert tool.replace_section("garden", "Part 1", "short")["characters"] == 5


def test_an_order_must_name_every_header(person: DomaindocTool, tool: DomaindocTool) -> None:
    for headers, problem in [
        (["Lawn"], '"Roses" is missing'),
        (["Lawn", "Roses", "Trees"], 'there is no "Trees"'),
        (["Lawn", "Roses", "lawn"], "one stands there twice"),
    ]:
        with pytest.raises(BadInput, match=problem):
            tool.reorder("garden", headers)

    tool.reorder("garden", ["Lawn", "Roses"])

    assert list(texts(person.document("garden"))) == ["Lawn", "Roses", "Roses > Pests"]


def test_a_large_section_is_flagged(person: DomaindocTool, tool: DomaindocTool) -> None:
    assert "large" not in tool.replace_section("garden", "Roses", "x" * 5_000)
    assert "over 5000" in tool.replace_section("garden", "Roses", "x" * 5_001)["large"]
    assert "over 5000" in tool.overview("garden")["sections"][0]["large"]


def test_a_search_finds_every_word_and_shows_the_line(person: DomaindocTool, tool: DomaindocTool) -> None:
    assert tool.search("SOAP aphids") == [
        {"document": "garden", "section": "Roses > Pests", "line": "Aphids: soap water."}
    ]
    assert tool.search("soap mow") == []
    with pytest.raises(BadInput, match="some words"):
        tool.search("  ")


def test_an_edit_that_changes_nothing_makes_no_version(person: DomaindocTool, tool: DomaindocTool) -> None:
    assert tool.expand("garden", "Roses")["version"] == 2
    assert tool.replace_section("garden", "Roses", "Prune them in March.")["version"] == 2


def test_secrets_are_not_kept_in_any_version(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.append("garden", "Roses", "The pump: curl -u bob:hunter2-long https://example.com")
    tool.set_summary("garden", "Roses", "password=hunter2-long")
    tool.create_section("garden", "token=ghp_" + "a1B2" * 9)

    assert "hunter2" not in str(person.history("garden")) + str(person.document("garden"))
    assert "ghp_a1" not in str(person.history("garden")) + str(person.document("garden"))


@pytest.mark.parametrize("header", ["", "  \n ", "x" * 201, "a > b"])
def test_a_header_that_cannot_be_used_is_refused(person: DomaindocTool, tool: DomaindocTool, header: str) -> None:
    with pytest.raises(BadInput, match="header"):
        tool.create_section("garden", header)


# ---- versions


def test_who_edits_what_was_changed_meanwhile_is_told(
    person: DomaindocTool, tool: DomaindocTool, documents: Documents
) -> None:
    seen = person.document("garden").version
    tool.append("garden", "Lawn", "Edges too.")

    with pytest.raises(StaleVersion, match="version 3, not 2"):
        person.replace_section("garden", "Lawn", "Gravel.", version=seen)
    with pytest.raises(StaleVersion, match="version 3, not 2"):
        person.import_markdown("garden", GARDEN, version=seen)

    def meanwhile(text: str) -> str:
        tool.append("garden", "Roses", "Meanwhile.")
        return text

    with pytest.raises(StaleVersion, match="read it again"):
        door(documents, clean=meanwhile).append("garden", "Lawn", "x")
    assert "Edges too." in texts(person.document("garden"))["Lawn"]


def test_undo_takes_back_an_edit_and_those_after_it(person: DomaindocTool, tool: DomaindocTool) -> None:
    before = person.document("garden").sections
    tool.append("garden", "Lawn", "one")
    tool.append("garden", "Lawn", "two")

    person.undo("garden")
    assert texts(person.document("garden"))["Lawn"] == "Mow it every week.\none"
    person.undo("garden", 3)
    assert person.document("garden").sections == before
    assert person.history("garden")[0].operation == "undo 3"
    for version in (0, 1, 99):
        with pytest.raises(BadInput, match=f"no edit {version} of garden"):
            person.undo("garden", version)


def test_undo_takes_back_what_somebody_did(person: DomaindocTool, tool: DomaindocTool) -> None:
    tool.expand("garden", "Lawn")
    tool.append("garden", "Lawn", "one")
    assert person.to_defaults() == ["garden"]
    assert person.history("garden")[0].by == "reverie"

    person.undo("garden")

    assert texts(person.document("garden"))["Lawn"] == "Mow it every week."
    assert states(tool)["Lawn"] == "expanded"


LINES_OF_A = st.lists(st.sampled_from(["a", "b", "c", "", "## x", "@@ -1 +1 @@", "-- d"]), max_size=12).map("\n".join)


@pytest.mark.parametrize("comparable", [4_000_000, 0])
@settings(max_examples=100, deadline=None)
@given(LINES_OF_A, LINES_OF_A)
def test_a_difference_leads_from_one_version_to_the_next(comparable: int, old: str, new: str) -> None:
    before, after = (
        Document(name="d", title="t", sections=(DocumentSection(id="1", header="h", content=text),))
        for text in (old, new)
    )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(document_text, "_COMPARABLE", comparable)
        diff = document_text.difference(before, after, 1)

    assert applied(diff, to_markdown(before, 1).split("\n")) == to_markdown(after, 1).split("\n")


def applied(diff: str, lines: list[str]) -> list[str]:
    """What a program that applies a unified diff would make of the lines."""
    made: list[str] = []
    at_line = 0
    for line in diff.split("\n")[2:]:
        if line.startswith("@@"):
            begin = int(line.split()[1][1:].split(",")[0]) - 1
            made += lines[at_line:begin]
            at_line = begin
            assert len(made) == int(line.split()[2][1:].split(",")[0]) - 1
        elif line.startswith("+"):
            made.append(line[1:])
        else:
            assert lines[at_line] == line[1:]
            made += [line[1:]] if line.startswith(" ") else []
            at_line += 1
    return made + lines[at_line:]


# ---- whole documents


def test_a_model_can_neither_make_nor_remove_documents(person: DomaindocTool, tool: DomaindocTool) -> None:
    for operation in ("create", "remove", "enable", "disable", "undo", "history", "import_markdown", "document"):
        with pytest.raises(BadInput, match="has no operation"):
            tool.run({"operation": operation, "name": "garden"}, at())


def test_a_disabled_document_is_the_persons_alone(person: DomaindocTool, tool: DomaindocTool) -> None:
    person.disable("garden")

    assert tool.overview() == []
    assert tool.search("aphids") == []
    with pytest.raises(BadInput, match="disabled; only the person"):
        tool.append("garden", "Roses", "x")
    assert person.search("aphids")
    person.enable("garden")
    assert tool.search("aphids")


@pytest.mark.parametrize("name", ["", "two words", "../garden", "a\nb", "x" * 65])
def test_a_name_that_is_none_is_refused(person: DomaindocTool, name: str) -> None:
    with pytest.raises(BadInput, match="not a name for a document"):
        person.create(name)
    with pytest.raises(BadInput, match="not a name for a document"):
        person.import_markdown(name, GARDEN)


def test_a_document_is_made_once_and_removed_whole(person: DomaindocTool) -> None:
    with pytest.raises(BadInput, match="already"):
        person.create("Garden")
    person.remove("garden")

    with pytest.raises(BadInput, match="there are none yet"):
        person.history("garden")
    assert person.create("garden").version == 1
    assert len(person.history("garden")) == 1


def test_documents_of_another_user_are_not_seen(tmp_path: Path) -> None:
    ana, ben = an_engine(tmp_path), an_engine(tmp_path, "ben")
    door(ana.documents, by="user").import_markdown("garden", GARDEN)

    assert door(ben.documents).overview() == []
    door(ben.documents, by="user").create("garden")
    assert len(door(ana.documents).overview("garden")["sections"]) == 3
    ana.close()
    ben.close()


# ---- Markdown


def test_markdown_comes_out_as_it_went_in(person: DomaindocTool) -> None:
    written = person.export_markdown("garden")

    assert written.startswith("# The garden\n\nEverything that grows behind the house.\n\n## Roses\n\nPrune")
    assert "## Lawn\n<!-- reverie closed: how short, how often -->\n\nMow" in written
    assert person.import_markdown("garden", written).version == 2


def test_code_and_deeper_headings_are_content() -> None:
    text = "# T\n\n## A\n\n```sh\n# a comment\n## another\n```\n\n#### deep\n\n## B\n\n~~~\nnever closed\n\n## C\n"

    sections = read_markdown(text, 1).sections

    assert [one.header for one in sections] == ["A", "B", "C"]
    assert sections[0].content == "```sh\n# a comment\n## another\n```\n\n#### deep"


def test_a_heading_that_skips_a_level_is_not_lost() -> None:
    told = read_markdown("### first\na\n# second\nb\n### third\nc", 1)

    assert [(one.header, one.level, one.content) for one in told.sections] == [
        ("first", 0, "a"),
        ("second", 0, "b"),
        ("third", 1, "c"),
    ]


def test_two_sections_of_one_name_are_not_imported(person: DomaindocTool) -> None:
    with pytest.raises(BadInput, match='"b" already'):
        person.import_markdown("fresh", "## A\n## B\n## b\n")
    with pytest.raises(BadInput, match="no document"):
        person.document("fresh")


LINES = st.sampled_from(
    ["", "text", "# one", "## two", "### three", "#### four", "\\## two", "\\\\# one", "```", "```py", "~~~", "  ```", "````",
     "\\```", "  \\~~~", "<!-- reverie pinned -->", "<!-- reverie agent: x -->", "  indented", "#nospace", "##", "a\tb", "\u2028", " ", "---"]
)  # fmt: skip
CONTENT = st.lists(st.one_of(LINES, st.text(max_size=12)), max_size=8).map("\n".join)
HEADER = (
    st.text(min_size=1, max_size=12)
    .map(lambda text: " ".join(text.split()))
    .filter(lambda text: text and " > " not in text)
)
SUMMARY = st.one_of(st.just(""), st.sampled_from(["a -->", ": b", "pinned: c"]), st.text(max_size=10))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(HEADER, CONTENT, SUMMARY, st.booleans(), st.booleans()), max_size=6, unique_by=lambda one: one[0].casefold()),
    CONTENT,
)  # fmt: skip
def test_every_document_survives_the_way_to_markdown_and_back(
    engine: SqliteEngine, sections: list[tuple[str, str, str, bool, bool]], description: str
) -> None:
    with engine.write():  # one transaction for the whole example: a sync for each edit would take most of the time
        engine.documents.remove("trip")
        person = door(engine.documents, by="user", clean=str)
        person.create("trip", "A title", description)
        fill(person, door(engine.documents, clean=str), sections)
        person.to_defaults()
        before = person.document("trip")

        person.import_markdown("trip", person.export_markdown("trip"))

        after = person.document("trip")
    assert (after.sections, after.title, after.description) == (before.sections, before.title, before.description)
    assert after.version == before.version


def fill(person: DomaindocTool, agent: DomaindocTool, sections: list[tuple[str, str, str, bool, bool]]) -> None:
    parent = ""
    for number, (header, content, summary, pinned, expanded) in enumerate(sections):
        below = parent if number % 3 else ""
        by = agent if number % 2 else person
        placed = str(by.create_section("trip", header, content, summary, below)["section"])
        parent = parent if below else header
        if pinned:
            person.pin("trip", placed)
        elif not expanded:
            person.collapse("trip", placed, by_default=True)


EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("create_section"), HEADER, CONTENT),
        st.tuples(st.just("append"), st.integers(0, 5), CONTENT),
        st.tuples(st.just("replace_section"), st.integers(0, 5), CONTENT),
        st.tuples(st.just("rename"), st.integers(0, 5), HEADER),
        st.tuples(st.sampled_from(["delete", "pin", "collapse", "expand"]), st.integers(0, 5), st.just("")),
        st.tuples(st.sampled_from(["reorder", "to_defaults"]), st.integers(0, 5), st.just("")),
        st.tuples(st.just("set_summary"), st.integers(0, 5), SUMMARY),
    ),
    max_size=12,
)


def edit(tool: DomaindocTool, what: str, where: int | str, text: str) -> None:
    present = [one.path for one in outline(tool.document("notes").sections)]
    if what == "create_section":
        tool.create_section("notes", str(where), text, parent=present[0] if len(present) % 2 else "")
    elif what == "to_defaults":
        tool.to_defaults()
    elif present and what == "reorder":
        top = [path for path in present if " > " not in path]
        tool.reorder("notes", top[::-1])
    elif present:
        arguments = [text] if what not in ("delete", "pin", "collapse", "expand") else []
        getattr(tool, what)("notes", present[int(where) % len(present)], *arguments)


@settings(max_examples=60, deadline=None)
@given(EDITS, st.data())
def test_undo_gives_the_exact_former_text(
    engine: SqliteEngine, edits: list[tuple[str, int, str]], data: st.DataObject
) -> None:
    person, agent = door(engine.documents, by="user"), door(engine.documents)
    with engine.write():
        engine.documents.remove("notes")
        made = person.create("notes")
        was = {made.version: made}
        for what, where, text in edits:
            try:
                edit(agent, what, where, text)
            except BadInput:
                assert person.document("notes") == was[max(was)]  # what is refused leaves no trace
            now = person.document("notes")
            was[now.version] = now
        newest = max(was)
        assert len(person.history("notes")) == newest  # one version for every edit, and each with its difference
        assert all(one.diff for one in person.history("notes"))
        if newest == 1:
            return
        undone = data.draw(st.integers(2, newest))
        person.undo("notes", undone)
        now = person.document("notes")
        assert now.sections == was[undone - 1].sections
        assert to_markdown(now, 1) == to_markdown(was[undone - 1], 1)
        if now.version > newest:
            person.undo("notes")
            assert person.document("notes").sections == was[newest].sections
