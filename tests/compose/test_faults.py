"""What breaks costs its own section and no other: the prompt comes, in time, and says what is missing.

Deadlines pass on a clock that only what hangs moves on, so a busy machine changes nothing here. How long a prompt takes
is measured by `make bench`.
"""

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as all_threads
from time import monotonic

import pytest

from reverie.compose.composer import Composed
from reverie.compose.markup import tag
from reverie.compose.trinket import TrinketContext
from reverie.compose.working_memory import WorkingMemory
from reverie.engines.valkey import ValkeySections
from reverie.errors import BadSettings, StoreError
from reverie.events import EventBus
from reverie.records.prompt_inputs import PromptInputs, SectionState, SectionStates
from reverie.settings import ComposeSettings
from support.composing import HandClock, Room, States
from support.prompt_inputs import NOW, Repo, every_trinket, full_inputs
from support.valkey import answering, running_valkey

IN_TIME_SECONDS = 0.3  # on the test's clock
HANGS_SECONDS = 1.0  # of real time: after this, a prompt that should hang has had its chance to end
FIVE_MEGABYTES = "<weather>" + "rain " * 1_000_000 + "</weather>"
FOR_EVER = ComposeSettings(deadline_ms=3_600_000, trinket_ms=3_600_000)


@pytest.fixture
def released() -> Iterator[Event]:
    """What hangs in a test hangs on this, until the test is over."""
    event = Event()
    yield event
    event.set()


def a_room(settings: ComposeSettings | None = None, states_of: Callable[[str], SectionStates] | None = None) -> Room:
    """All trinkets that ship, inputs for each, and a clock in the test's hand."""
    room = Room(
        settings or ComposeSettings(), inputs={"sam": full_inputs()}, states_of=states_of, monotonic=HandClock()
    )
    every_trinket(room.bus, room.memory, lambda *_: Repo(full_inputs().tools))
    return room


def timed(room: Room, user_id: str = "sam") -> tuple[Composed, float]:
    began = room.monotonic()
    composed = room.compose(user_id, segment_id="segment-now", turn_number=12)
    return composed, room.monotonic() - began


def names(composed: Composed) -> list[str]:
    return [one.name for one in composed.sections]


def expected() -> list[str]:
    return names(timed(a_room())[0])


def hang(room: Room, released: Event) -> None:
    assert isinstance(room.monotonic, HandClock)
    room.monotonic.pass_while_hanging(ComposeSettings().trinket_ms / 1000)
    released.wait()


def hanging(room: Room, released: Event) -> Callable[[TrinketContext], str]:
    def wait(_: TrinketContext) -> str:
        hang(room, released)
        return tag("late", "too late")

    return wait


def failing(error: BaseException) -> Callable[[TrinketContext], str]:
    def fail(_: TrinketContext) -> str:
        raise error

    return fail


def wrapped() -> Exception:
    try:
        raise RuntimeError("cannot tell the weather") from ConnectionRefusedError("nobody there")
    except RuntimeError as error:
        return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("wrong"), "logic"),
        (KeyError("Database"), "logic"),  # by type, not by what it is called
        (RecursionError(), "logic"),
        (SystemExit(3), "logic"),
        (OSError("the disk is gone"), "infrastructure"),
        (TimeoutError("slow"), "infrastructure"),
        (ConnectionResetError("by peer"), "infrastructure"),
        (StoreError("locked"), "infrastructure"),
        (wrapped(), "infrastructure"),
    ],
    ids=lambda it: it if isinstance(it, str) else type(it).__name__,
)
def test_a_trinket_that_raises_is_named_and_the_others_compose(error: BaseException, kind: str) -> None:
    room = a_room()
    room.section("weather", failing(error))
    composed, _ = timed(room)

    assert names(composed) == expected()
    (missing,) = composed.missing
    assert (missing.section, missing.trinket, missing.kind) == ("weather", "WeatherTrinket", kind)
    assert composed.degraded


def test_a_trinket_that_hangs_is_left_behind(released: Event) -> None:
    room = a_room()
    room.section("weather", hanging(room, released))
    composed, seconds = timed(room)

    assert seconds < IN_TIME_SECONDS
    assert names(composed) == expected()
    assert [(one.section, one.kind) for one in composed.missing] == [("weather", "late")]
    assert re.search(r"within 10[01] ms", composed.missing[0].why)


def test_without_a_deadline_the_same_trinket_does_hang_the_prompt(released: Event) -> None:
    room = a_room(FOR_EVER)
    room.section("weather", hanging(room, released))
    answers: list[Composed] = []
    waiting = Thread(target=lambda: answers.append(room.compose()))
    waiting.start()
    waiting.join(HANGS_SECONDS)
    assert waiting.is_alive()
    assert answers == []

    released.set()
    waiting.join()
    assert "too late" in answers[0].tail


def test_many_that_hang_share_one_deadline_and_threads_do_not_pile_up(released: Event) -> None:
    room = a_room()
    for number in range(10):
        room.section(f"weather_{number}", hanging(room, released))
    threads_before = len(all_threads())
    composed, seconds = timed(room)

    assert seconds < IN_TIME_SECONDS
    assert names(composed) == expected()
    assert [one.kind for one in composed.missing] == ["late"] * 10

    for _ in range(20):  # each turn leaves at most two or three new ones behind, until all ten hang
        timed(room)
    composed, _ = timed(room)
    assert [one.why for one in composed.missing] == ["an earlier call to it has not come back yet"] * 10
    assert len(all_threads()) - threads_before <= 11
    assert names(composed) == expected()


def test_what_comes_too_late_is_dropped_and_the_trinket_is_asked_again_once_it_is_free(released: Event) -> None:
    room = a_room()
    came = Event()
    heard: list[str] = []

    def say(context: TrinketContext) -> str:
        try:
            return hanging(room, released)(context)
        finally:
            came.set()

    room.bus.subscribe("TrinketContentEvent", lambda event: heard.append(event.variable_name))
    room.section("weather", say)
    assert timed(room)[0].missing[0].kind == "late"

    released.set()
    assert came.wait(60)
    assert "weather" not in room.states["sam"].kept
    assert "weather" not in heard
    for _ in range(1_000):  # the worker that was left behind is about to end
        composed, _ = timed(room)
        if not composed.missing:
            break
    assert composed.missing == ()
    assert "too late" in composed.tail
    assert "weather" in room.states["sam"].kept
    assert heard.count("weather") == 1


def test_what_hangs_for_one_user_is_asked_for_another(released: Event) -> None:
    room = a_room()
    room.inputs["ana"] = PromptInputs(user_id="ana")

    def wait_for_sam(context: TrinketContext) -> str:
        if context.user_id == "sam":
            hang(room, released)
        return tag("weather", context.user_id)

    room.section("weather", wait_for_sam)

    assert timed(room)[0].missing[0].section == "weather"
    composed, _ = timed(room, "ana")
    assert composed.missing == ()
    assert "<weather>ana</weather>" in composed.tail


def test_a_trinket_that_says_five_megabytes_is_left_out() -> None:
    room = a_room()
    room.section("weather", lambda _: FIVE_MEGABYTES)
    composed, _ = timed(room)

    assert names(composed) == expected()
    assert [(one.section, one.kind) for one in composed.missing] == [("weather", "too_long")]
    assert "5,000,019 characters" in composed.missing[0].why
    assert "weather" not in room.states["sam"].kept


def test_a_trinket_that_does_not_say_a_text_is_named() -> None:
    room = a_room()
    room.section("weather", lambda _: None)  # type: ignore[arg-type, return-value]
    composed, _ = timed(room)

    assert names(composed) == expected()
    assert [(one.section, one.kind) for one in composed.missing] == [("weather", "logic")]


def test_inputs_that_could_not_be_read_are_named() -> None:
    room = a_room()
    room.inputs["sam"] = PromptInputs(user_id="sam", soul="be kind", unread={"goals": "OSError: gone", "tools": "busy"})
    composed, _ = timed(room)

    assert "be kind" in composed.cached_content
    assert {(one.section, one.kind) for one in composed.missing} == {
        ("goals", "unread"), ("tool_hints", "unread"), ("tool_guidance", "unread"),
    }  # fmt: skip


@pytest.mark.parametrize("read", [StoreError("locked"), PromptInputs(user_id="ana", soul="ana's soul")])
def test_inputs_that_cannot_be_read_or_are_another_users_still_give_a_prompt(read: Exception | PromptInputs) -> None:
    def read_inputs(*_: str) -> PromptInputs:
        if isinstance(read, Exception):
            raise read
        return read

    bus = EventBus()
    memory = WorkingMemory(bus, read_inputs, lambda *_: States(), ComposeSettings(), lambda: NOW, lambda: "id")
    every_trinket(bus, memory, lambda *_: Repo(full_inputs().tools))
    composed = memory.compose("sam", "You help {user}.")

    assert composed.cached_content == "You help the user."
    assert names(composed) == ["base_prompt", "datetime_section"]
    assert composed.missing[0].section == "prompt_inputs"
    assert {one.kind for one in composed.missing[1:]} == {"unread"}


def test_an_update_that_failed_is_in_the_report_of_the_next_prompt() -> None:
    room = a_room()
    room.section("weather", lambda context: tag("weather", str(1 / int(str(context.get("wind", 1))))))
    assert timed(room)[0].missing == ()
    room.memory.publish_trinket_update("WeatherTrinket", {"wind": 0})

    composed, _ = timed(room)
    assert [(one.section, one.kind) for one in composed.missing] == [("weather", "logic")]
    assert "<weather>1.0</weather>" in composed.tail
    assert timed(room)[0].missing == ()


# ---- the state store


def over_valkey(url: str, **more: int) -> Room:
    settings = ComposeSettings(state="valkey", valkey_url=url, **more)  # type: ignore[arg-type]
    kept: dict[str, ValkeySections] = {}

    def states_of(user: str) -> ValkeySections:
        return kept.setdefault(user, ValkeySections(url, user, settings.valkey_ms, monotonic))

    return a_room(settings, states_of)


def test_sections_are_kept_in_valkey_as_another_client_reads_them(tmp_path: Path) -> None:
    import json

    with running_valkey(tmp_path) as server:
        client = pytest.importorskip("valkey").Valkey(port=server.port)
        room = over_valkey(server.url, valkey_ms=5_000)
        room.section("weather", lambda _: tag("weather", "räin"))
        composed, _ = timed(room)
        assert composed.missing == ()

        kept = {name.decode(): json.loads(value) for name, value in client.hgetall("trinkets:sam").items()}
        shown = {one.name: (one.content, one.cache_policy) for one in composed.sections if one.name != "base_prompt"}
        assert {name: (one["content"], one["cache_policy"]) for name, one in kept.items()} == shown
        assert kept["weather"]["updated_at"] == "2026-11-16T13:30:00+00:00"
        assert {name: one.content for name, one in room.memory.get_all_trinket_states("sam").items()} == {
            name: content for name, (content, _) in shown.items()
        }

        room.inputs["sam"] = PromptInputs(user_id="sam")
        timed(room)
        assert {name.decode() for name in client.hkeys("trinkets:sam")} == {"datetime_section", "weather"}
        assert room.memory.get_trinket_state("goals", "sam") is None
        client.close()


def test_a_frozen_valkey_costs_neither_the_prompt_nor_its_time(tmp_path: Path) -> None:
    with running_valkey(tmp_path) as server:
        room = over_valkey(server.url)
        server.freeze()
        composed, _ = timed(room)

        assert names(composed) == expected()
        assert [(one.section, one.kind) for one in composed.missing] == [("section_states", "infrastructure")]
        assert "does not answer in time" in composed.missing[0].why

        again, _ = timed(room)
        assert "left alone" in again.missing[0].why, "a server that failed is not asked every turn"
        with pytest.raises(StoreError, match="left alone"):
            room.memory.get_all_trinket_states("sam")


def test_with_a_long_deadline_the_same_frozen_valkey_does_hang_the_prompt(tmp_path: Path) -> None:
    with running_valkey(tmp_path) as server:
        room = over_valkey(server.url, valkey_ms=3_600_000)
        server.freeze()
        answers: list[Composed] = []
        waiting = Thread(target=lambda: answers.append(room.compose()))
        waiting.start()
        waiting.join(HANGS_SECONDS)
        assert waiting.is_alive()
        assert answers == []

        server.thaw()
        waiting.join()
        assert answers[0].missing == ()


def test_everything_at_once_is_still_in_time(tmp_path: Path, released: Event) -> None:
    with running_valkey(tmp_path) as server:
        room = over_valkey(server.url)
        for number in range(5):
            room.section(f"hangs_{number}", hanging(room, released))
        room.section("fails", failing(OSError("gone")), cache_policy=True)
        room.section("shouts", lambda _: FIVE_MEGABYTES, cache_policy=True)
        server.freeze()
        composed, seconds = timed(room)

        assert seconds < IN_TIME_SECONDS
        assert names(composed) == expected()
        assert {one.kind for one in composed.missing} == {"infrastructure", "late", "too_long"}
        assert len(composed.missing) == 8


def test_a_valkey_that_is_away_is_asked_again_later_and_told_everything(tmp_path: Path) -> None:
    clock = [0.0]
    with running_valkey(tmp_path) as server:
        port, url = server.port, server.url
    sections = ValkeySections(url, "sam", 5_000, lambda: clock[0])
    room = a_room(states_of=lambda _: sections)
    assert "refused" in timed(room)[0].missing[0].why

    with running_valkey(tmp_path, port=port):
        assert "left alone" in timed(room)[0].missing[0].why
        clock[0] += 6
        composed, _ = timed(room)
        assert composed.missing == ()
        assert set(sections.all()) == {*names(composed)} - {"base_prompt"}


def test_a_valkey_that_was_restarted_is_found_again_at_once(tmp_path: Path) -> None:
    state = SectionState("said", False, "now")
    with running_valkey(tmp_path) as server:
        sections = ValkeySections(server.url, "sam", 5_000, monotonic)
        sections.save({"goals": state})
        port = server.port
    with running_valkey(tmp_path, port=port):
        assert sections.all() == {}
        sections.save({"goals": state, "scratch": None})
        assert sections.get("goals") == state


def test_a_password_and_a_database_are_honoured(tmp_path: Path) -> None:
    with running_valkey(tmp_path, "--requirepass", "open sesame") as server:
        inside = ValkeySections(f"valkey://:open%20sesame@127.0.0.1:{server.port}/3", "sam", 5_000, monotonic)
        inside.save({"goals": SectionState("said", True, "now")})
        elsewhere = ValkeySections(f"valkey://:open%20sesame@127.0.0.1:{server.port}", "sam", 5_000, monotonic)
        assert (len(inside.all()), len(elsewhere.all())) == (1, 0)

        with pytest.raises(StoreError, match="NOAUTH"):
            ValkeySections(server.url, "sam", 5_000, monotonic).all()
        with pytest.raises(StoreError, match="refuses") as wrong:
            ValkeySections(f"redis://:wrong-word@127.0.0.1:{server.port}", "sam", 5_000, monotonic).all()
        assert "wrong-word" not in str(wrong.value)


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"",
        b"\r\n\r\n",
        b"$-5\r\n" * 9,
        b"$99999999999\r\n",
        b"*99999999\r\n" * 50,
        b"*" + b"9" * 5_000 + b"\r\n",
        b"$5\r\nab",
        b"\x00\xff\xfe" * 30_000,
        b"+OK\r\n+OK\r\n+OK\r\n+OK\r\n",
        b"*2\r\n$5\r\ngoals\r\n$3\r\n{]}\r\n" * 4,
        b"-ERR \xff</soul>\r\n",
    ],
)
def test_a_valkey_that_answers_nonsense_costs_neither_the_prompt_nor_its_time(reply: bytes) -> None:
    with answering(reply) as url:
        room = over_valkey(url)
        composed, _ = timed(room)

        assert names(composed) == expected()
        assert {one.section for one in composed.missing} <= {"section_states"}
        with pytest.raises(StoreError):
            ValkeySections(url, "sam", 50, monotonic).all()


@pytest.mark.parametrize(
    ("host", "why"), [("no.such.host", "its name is not known: .*Name or service"), ("no..host", "its name is not one")]
)
def test_a_name_that_leads_nowhere_is_told(host: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(name: str, *_: object, **__: object) -> None:
        name.encode("idna")
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(StoreError, match=f"Valkey at {host}:6379: {why}"):
        ValkeySections(f"redis://{host}", "sam", 5_000, monotonic).all()


@pytest.mark.parametrize(
    "url", ["", "http://localhost", "redis://", "redis://h:x", "redis://h/one", "redis://:pw@h/-1"]
)
def test_an_address_that_is_none_says_what_one_looks_like(url: str) -> None:
    with pytest.raises(BadSettings, match="redis://127") as wrong:
        ValkeySections(url, "sam", 50, monotonic)
    assert "pw" not in str(wrong.value)
