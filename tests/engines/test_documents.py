"""What SQLite keeps of the versions of a document: little, and what it gives back is exact or nothing."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reverie.engines.sqlite import SqliteEngine
from reverie.records.prompt_inputs import Document, DocumentSection, DocumentVersion
from reverie.testing import FakeEnv


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[SqliteEngine]:
    opened = SqliteEngine.open(tmp_path / "reverie.db", FakeEnv())
    yield opened
    opened.close()


def an_edit(version: int) -> DocumentVersion:
    return DocumentVersion(name="shop", version=version, at_ms=version, by="user", operation="x", header="", diff="d")


def a_long_document(version: int, added: str) -> Document:
    """Five megabytes in 50 sections; something was added to one of them."""
    texts = [f"line of section {number}\n" * 5_000 for number in range(50)]
    texts[7] += added
    sections = (DocumentSection(id=f"{number:02}", header="h", content=text) for number, text in enumerate(texts))
    return Document(name="shop", sections=tuple(sections), version=version)


def test_a_line_more_in_a_long_document_writes_one_section_and_the_line(engine: SqliteEngine) -> None:
    engine.documents.put(a_long_document(1, ""), an_edit(1), 0)
    before = engine.database.wal_bytes()

    for version in range(2, 12):
        engine.documents.put(a_long_document(version, "one more line\n" * version), an_edit(version), version - 1)

    section = len(a_long_document(1, "").sections[7].content)
    assert (engine.database.wal_bytes() - before) / 10 < section + 50_000
    assert engine.documents.at_version("shop", 3) == a_long_document(3, "one more line\n" * 3)


def test_a_version_that_cannot_be_told_exactly_is_none(engine: SqliteEngine) -> None:
    contents = ("one\ntwo", "one\ntwo\nthree", "two\nthree", "two")
    for version, content in enumerate(contents, start=1):
        document = Document(
            name="shop", version=version, sections=(DocumentSection(id="a", header="h", content=content),)
        )
        engine.documents.put(document, an_edit(version), version - 1)

    with engine.write():
        engine.database.execute("UPDATE domaindoc_sections SET content = 'due'")
    assert [engine.documents.at_version("shop", number) is None for number in range(1, 5)] == [True, True, True, False]
    with engine.write():
        engine.database.execute("UPDATE domaindoc_sections SET content = 'two'")
        engine.database.execute("DELETE FROM domaindoc_versions WHERE version = 3")
    assert [engine.documents.at_version("shop", number) is None for number in range(1, 5)] == [True, True, False, False]


def test_what_was_forgotten_between_two_versions_stays_forgotten(engine: SqliteEngine) -> None:
    both = (DocumentSection(id="a", header="A", content="one"), DocumentSection(id="b", header="B", content="two"))
    engine.documents.put(Document(name="shop", version=1, sections=both), an_edit(1), 0)
    changed = tuple(replace(one, content=one.content + "\nmore") for one in both)
    engine.documents.put(Document(name="shop", version=2, sections=changed), an_edit(2), 1)

    with engine.write():
        engine.database.execute("DELETE FROM domaindoc_sections WHERE id = 'b'")

    assert engine.documents.at_version("shop", 1).sections == both[:1]
