"""Secrets are taken out of values, before they are rendered: what is markup stays as it was made."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any
from xml.etree import ElementTree as XML

import pytest

from reverie.compose.markup import Markup, tag
from reverie.compose.profiles import BASE
from reverie.foundation.text import xml_text
from reverie.records.prompt_inputs import PromptInputs, Surfaced
from reverie.redact.secrets import redact
from support.composing import Room
from support.prompt_inputs import Repo, every_trinket, full_inputs, surfaced

SECRET = "sk-ant-api03-" + "aB3" * 30
ULID = "01M4XAYZ8Q2W3E4R5T6Y7V8W9X"


def room_with(inputs: PromptInputs) -> Room:
    """Every section of ours, with the redactor that a conversation has."""
    room = Room(inputs={"sam": inputs}, clean=redact)
    every_trinket(room.bus, room.memory, lambda _: Repo(inputs.tools))
    return room


def shapes(room: Room, memories: tuple[Surfaced, ...] = ()) -> dict[str, list[tuple[str, dict[str, str]]]]:
    """Of every section, its elements with their attributes."""
    room.memory.publish_trinket_update("ProactiveMemoryTrinket", {"memories": memories}, user_id="sam")
    composed = room.compose(segment_id="segment-now", turn_number=12)
    assert not composed.missing
    return {
        one.name: [(it.tag, dict(it.attrib)) for it in XML.fromstring(one.content).iter()]
        for one in composed.sections
        if one.name != BASE
    }


def test_no_section_of_ours_is_changed_where_there_is_no_secret() -> None:
    """Ids are random letters beside words such as `session`: together they look like a token, and are none."""
    inputs = with_ids(full_inputs())
    memories = with_ids(surfaced())
    plain = Room(inputs={"sam": inputs})
    every_trinket(plain.bus, plain.memory, lambda _: Repo(inputs.tools))

    assert len(shapes(plain, memories)) > 12
    assert shapes(room_with(inputs), memories) == shapes(plain, memories)


def with_ids(value: Any) -> Any:
    """The same with an id of ours in the place of every id."""
    if isinstance(value, tuple):
        return tuple(with_ids(one) for one in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed = {field.name: with_ids(getattr(value, field.name)) for field in fields(value)}
    if "id" in changed:
        changed["id"] = ULID[:-4] + f"{abs(hash(value)) % 10_000:04}"
    return replace(value, **changed)


@pytest.mark.parametrize("part", ["soul", "user", "memory_state", "scratch", "journal_digest"])
@pytest.mark.parametrize("sign", ["x", "&"])
def test_a_secret_goes_before_a_text_is_cut(part: str, sign: str) -> None:
    """Half a secret at a cut is not recognised: a password in an address is known by what comes after it."""
    for shift in range(20, 140, 7):
        before = f"{sign} " * ((11_900 + shift) // len(xml_text(f"{sign} ")))
        text = f"{before}postgres://app:Tr0ub4dorXyz9@db.example/shop{' y' * 20_000}"

        said = room_with(PromptInputs(user_id="sam", **{part: text})).compose()  # type: ignore[arg-type]

        assert "characters left out" in said.cached_content + said.tail
        assert not re.search(r"Tr0u|ub4d|yz9@", said.cached_content + said.tail)


@pytest.mark.parametrize("field", ["title", "note"])
def test_a_secret_goes_from_a_record_whose_text_is_escaped(field: str) -> None:
    password = "the password is a&b<c9Xz"
    inputs = full_inputs()
    reminders = [replace(inputs.reminders[0], **{field: password})]

    said = room_with(replace(inputs, reminders=reminders)).compose().tail

    assert "[secret:password]" in said
    assert not re.search("c9|9X|Xz", said)


def test_what_only_together_is_a_secret_goes_too_and_nothing_else() -> None:
    inputs = full_inputs()
    reminders = [replace(inputs.reminders[0], title="password", note="hunter2xyz"), inputs.reminders[1]]
    room = room_with(replace(inputs, reminders=reminders))
    before = shapes(room_with(replace(inputs, reminders=[replace(reminders[0], note="soon"), reminders[1]])))

    assert shapes(room) == before
    said = room.compose().tail
    assert "hunter2xyz" not in said
    assert "Stand-up" in said


OTHERS: Mapping[str, tuple[str, str]] = {
    "an element": (f'<mine id="{ULID}"><session id="{ULID}">key {SECRET}</session></mine>', ".//session"),
    "an attribute": (f'<mine><session id="{ULID}" key="{SECRET}">ok</session></mine>', ".//session"),
    "single quotes": (f"<mine><session id='{ULID}' key='{SECRET}'>1 &gt; 0</session></mine>", ".//session"),
    "its name": (f'<mine><session id="{ULID}"/><db password="hunter2xyz {SECRET}">x</db></mine>', ".//session"),
    "an element's name": ('<mine><session id="{ULID}"/><password>hunter2xyz</password></mine>', ".//session"),
    "plain text": (f"key {SECRET} <3", "."),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("is_markup", [False, True])
def test_a_section_of_somebody_elses_loses_its_secrets_and_keeps_its_shape(kind: str, is_markup: bool) -> None:
    content, kept = OTHERS[kind]
    room = Room(clean=redact)
    made = tag("mine", content) if is_markup and kind == "plain text" else Markup(content) if is_markup else content
    room.section("mine", lambda _: made)

    said = room.compose().tail

    assert XML.fromstring(said).find(kept) is not None
    assert "[secret:" in said or is_markup
    assert SECRET not in said
    if not is_markup:
        assert "hunter2xyz" not in said


def test_what_an_update_hands_over_loses_its_secrets() -> None:
    room = Room(clean=redact)
    room.section("mine", lambda context: tag("mine", str(context.get("weather", ""))), class_name="Mine")

    room.memory.publish_trinket_update("Mine", {"weather": f"sun, {SECRET}", "number": 3}, user_id="sam")

    state = room.memory.get_trinket_state("mine", "sam")
    assert state is not None
    assert state.content.startswith("<mine>sun, [secret:")
