"""What to forget is said in a small language, and means neither more nor less than was said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.errors import BadInput
from reverie.language.mentions import says
from reverie.records import Filters, ItemType
from reverie.settings import StoreSettings
from reverie.stores.conversation import Conversation
from reverie.stores.episodic import Episodic
from reverie.stores.forget_scopes import ForgetScope, forget, in_scope, parse_scope
from reverie.testing import MemoryStoreView
from stores.made import NOW_MS, derive_id, item


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("id:01HX id:01HY", ForgetScope(ids=("01HX", "01HY"))),
        ("session:abc", ForgetScope(filters=Filters(session="abc"))),
        ("project:/x type:error type:fact", ForgetScope(filters=Filters(project="/x", types=("error", "fact")))),
        ('speaker:"Ana Maria"  tag:draft', ForgetScope(filters=Filters(speaker="Ana Maria", tags=("draft",)))),
        ("store:working", ForgetScope(filters=Filters(stores=("working",)))),
        ("before:2024-01-01", ForgetScope(filters=Filters(before_ms=1_704_067_200_000))),
        ("after:2024-01-01T00:00+01:00", ForgetScope(filters=Filters(after_ms=1_704_063_600_000))),
        ('text:"words to match"', ForgetScope(text="words to match")),
        ("text:words to match", ForgetScope(text="words to match")),
        ("text:forget it all type:fact", ForgetScope(text="forget it all", filters=Filters(types=("fact",)))),
        ('text:"a \\"quoted\\" word"', ForgetScope(text='a "quoted" word')),
        ('project:""', ForgetScope(filters=Filters(project=""))),
        ("project:C:/x", ForgetScope(filters=Filters(project="C:/x"))),
        ("  all ", ForgetScope(everything=True)),
    ],
)
def test_a_scope_is_read(text: str, scope: ForgetScope) -> None:
    assert parse_scope(text) == scope


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", 'or "all" for everything'),
        ("  \n", "nothing is named"),
        ("all session:x", '"all" stands alone'),
        ("sesion:abc", 'no scope "sesion"; did you mean "session"'),
        ("http://x", "a value with a colon goes in quotes"),
        ("abc", "abc has no key"),
        ('"abc def"', "has no key"),
        ("session:", '"session:" has no value'),
        ('session:"  "', '"session:" has no value'),
        ("session:a session:b", "said twice"),
        ("type:eror", 'no item type "eror"; did you mean "error"'),
        ("before:yesterday", '"yesterday" is not a time; write 2024-01-31'),
        ('text:"never closed', "not closed"),
        ("store:semntic", 'no memory type "semntic"; did you mean "semantic"'),
    ],
)
def test_a_wrong_scope_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        parse_scope(text, stores=("working", "semantic"))


@given(st.text(alphabet=st.sampled_from('ab :"\\allidtexsonprjc/\n'), max_size=40))
def test_whatever_is_said_it_is_a_scope_or_a_clear_error_and_never_everything_by_accident(text: str) -> None:
    try:
        scope = parse_scope(text)
    except BadInput:
        return
    assert scope.everything == (text.split() == ["all"])
    assert scope != ForgetScope()


@given(st.text(min_size=1).filter(str.strip))
def test_any_value_can_be_quoted(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')

    assert parse_scope(f'session:"{quoted}"').filters.session == value


# ---- what it means


def ids(scope: str, *items) -> list[str]:
    view = MemoryStoreView()
    for one in items:
        view.put(one)
    return [one.id for one in in_scope(parse_scope(scope), view)]


def test_a_project_means_that_project_and_not_what_is_personal() -> None:
    assert ids("project:/x", item(1, project="/x"), item(2), item(3, project="/y")) == ["i0001"]
    assert ids('project:""', item(1, project="/x"), item(2)) == ["i0002"]


def test_old_and_hidden_items_are_meant_too() -> None:
    items = [
        item(1, superseded_by="i0002"),
        item(2, lifecycle="quarantined"),
        item(3, lifecycle="expired"),
        item(4, deleted_ms=5),
    ]

    assert ids("type:fact", *items) == ["i0001", "i0002", "i0003", "i0004"]


def test_an_id_means_everything_that_was_made_of_it() -> None:
    items = [item(1), item(2, parent_id="i0001"), item(3, sources=("i0001",)), item(4)]

    assert ids("id:i0001", *items) == ["i0001", "i0002", "i0003"]


def test_words_match_whole_words_in_any_order() -> None:
    items = [item(1, "Ana keeps the password."), item(2, "Banana passwords"), item(3, "密码在这里")]

    assert ids("text:password ANA", *items) == ["i0001"]
    assert ids("text:密码", *items) == ["i0003"]


@pytest.mark.parametrize(
    ("text", "words", "is_said"),
    [
        ("call НАТАЛЬЯ today", "наталья", True),
        ("Zoe\u0308 called", "zo\u00eb", True),  # the same letter, written in two ways
        ("Straße", "STRASSE", True),
        ("start the heart medication", "art", False),
        ("नमस्ते", "नम", False),  # vowel signs belong to their word
        ("नम स्ते", "नम", True),
        ("snake_case", "case", False),
        ("Ana's pin: 4711.", "4711 ana", True),
        ("I ❤️ tea", "❤️", True),
        ("ปิดไฟด้วย", "ไฟ", True),
    ],
)
def test_a_word_is_the_same_word_in_every_script(text: str, words: str, is_said: bool) -> None:
    assert says(text, words) is is_said


def test_terms_must_all_hold_and_times_are_half_open() -> None:
    items = [item(n, type=ItemType.ERROR if n % 2 else ItemType.FACT, created_ms=n) for n in range(6)]
    view = MemoryStoreView()
    for one in items:
        view.put(one)

    found = in_scope(ForgetScope(filters=Filters(types=("error",), after_ms=1, before_ms=5)), view)
    assert [one.id for one in found] == ["i0001", "i0003"]


def test_a_memory_type_that_is_not_meant_loses_nothing() -> None:
    view = MemoryStoreView("working")
    view.put(item(1))

    assert in_scope(parse_scope("store:semantic"), view) == []
    assert len(in_scope(parse_scope("store:semantic store:working"), view)) == 1


def test_soft_hides_hard_erases_also_what_was_hidden_before() -> None:
    memory, view = Episodic(StoreSettings(), derive_id), MemoryStoreView()
    for number in range(4):
        memory.memorize(item(number, session="ab"[number % 2]), view)

    assert memory.forget(Filters(session="a"), view, NOW_MS) == 2
    assert view.get("i0000").deleted_ms == NOW_MS
    assert memory.forget(Filters(session="a"), view, NOW_MS, hard=True) == 2
    assert view.get("i0000") is None
    assert [one.id for one in view.items()] == ["i0001", "i0003"]


def test_a_summary_does_not_go_on_telling_what_was_forgotten() -> None:
    settings = StoreSettings(conversation_max_messages=2)
    memory, view = Conversation(settings, derive_id), MemoryStoreView()
    for number in range(6):
        memory.memorize(item(number, f"Secret {number}.", session="s", speaker="Ana", type=ItemType.USER_MESSAGE), view)
    memory.memorize(item(9, "Other.", session="t", type=ItemType.USER_MESSAGE), view)

    # Nothing that she said early on is on the view any more; the summary that tells of it is.
    assert memory.forget(Filters(speaker="Ana", session="s", before_ms=NOW_MS + 60_000), view, NOW_MS) >= 1
    assert not any("Secret 0" in one.text for one in view.items())
    assert view.get("i0005").is_current
    assert view.get("i0009").is_current


def test_an_empty_scope_made_by_hand_is_refused_as_well() -> None:
    with pytest.raises(BadInput, match="nothing is named"):
        forget(ForgetScope(), MemoryStoreView(), NOW_MS)
