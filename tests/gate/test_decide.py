"""The gate as a whole: the order, the reasons, and what must hold for any input."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.given import LINES_AT_LEAST, LINES_FOR_A_CHARACTER, item, judged, stored
from reverie.errors import UnknownMemoryType
from reverie.gate.decide import Policy, explain
from reverie.gate.mandates import Mandates
from reverie.gate.trust_rules import trust_of
from reverie.records import Drop, ItemType, Keep, Merge, Near, Redaction, Source, Trust, WriteEvent
from reverie.settings import PrivacySettings
from support.lines import at_most

# Data whose kinds are masked by default, and in what it may stand.
NUMBERS = st.sampled_from(
    ["4111 1111 1111 1111", "5500005555555559", "3782-822463-10005", "DE89 3704 0044 0532 0130 00",
     "GB82WEST12345698765432", "536-90-4399", "529.982.247-25", "RSSMRA85T10A562S", "11010519491231002X"]
)  # fmt: skip
AROUND = st.text(alphabet="abc äß,;!?\n()[]{}\"'`", max_size=20)
TRUSTS, TYPES = st.sampled_from(list(Trust)), st.sampled_from(list(ItemType))


@st.composite
def carrying(draw: st.DrawFn) -> tuple[Any, str]:
    """An item that carries such a number somewhere."""
    number = draw(NUMBERS)
    text = f"{draw(AROUND)} {number} {draw(AROUND)}"
    where = draw(st.sampled_from(["text", "subject", "tags", "value", "deep", "key"]))
    more: dict[str, Any] = {
        "subject": {"subject": text},
        "tags": {"tags": ("a", text)},
        "value": {"metadata": {"note": text}},
        "deep": {"metadata": {"notes": [{"x": text}, 3]}},
        "key": {"metadata": {text: 1}},
    }.get(where, {})
    said = text if where == "text" else "The staging port is 8080 for the web app"
    return item(said, draw(TYPES), draw(TRUSTS), **more), number


@given(carrying())
@settings(max_examples=300)
def test_no_number_that_is_masked_leaves_the_gate(case: tuple[Any, str]) -> None:
    new, number = case
    out = judged(new).item

    assert number not in repr((out.text, out.subject, out.tags, out.metadata))
    assert out.redaction_status is not Redaction.NONE


@given(
    text=st.text(max_size=120),
    known=st.text(max_size=120),
    kind=TYPES,
    trust=TRUSTS,
    other=TRUSTS,
    source=st.sampled_from(list(Source)),
)
@settings(max_examples=300)
def test_the_same_input_gives_the_same_verdict_and_trust_never_rises(
    text: str, known: str, kind: ItemType, trust: Trust, other: Trust, source: Source
) -> None:
    new, old = item(text, kind, trust, source=source), stored(known, trust=other)
    verdict = judged(new, old)

    assert verdict == judged(new, old)
    assert not trust < verdict.item.trust
    assert not trust_of(new) < verdict.item.trust
    if isinstance(verdict, Merge) or getattr(verdict, "supersedes", ""):
        assert not verdict.item.trust < other
    assert verdict.reasons or isinstance(verdict, Keep)


@given(trust=TRUSTS, other=TRUSTS, likeness=st.floats(0, 1))
def test_no_likeness_lets_a_poisoned_item_touch_one_that_is_trusted_more(
    trust: Trust, other: Trust, likeness: float
) -> None:
    from reverie.gate.decide import gate

    new, old = (
        item("The staging port is 8080", trust=trust, subject="port:staging"),
        stored("The staging port is 8080", trust=other, subject="port:staging"),
    )
    verdict = gate(WriteEvent(item=new), [Near(old, likeness)], Policy())

    if trust < other:
        assert not isinstance(verdict, Merge)
        assert getattr(verdict, "supersedes", "") == ""


def test_what_a_kind_forbids_drops_the_item_and_does_not_repeat_it() -> None:
    policy = Policy(privacy=PrivacySettings(email="drop"))
    verdict = judged(item("write to ana@example.org about it"), policy=policy)

    assert isinstance(verdict, Drop)
    assert verdict.reasons == ("it holds email, which the privacy settings drop",)
    assert "ana@" not in verdict.item.text


def test_numbers_under_a_telling_key_are_found_too() -> None:
    policy = Policy(privacy=PrivacySettings(phone="mask"))
    new = item("Ana is the contact for billing", metadata={"phone": "467 3395", "card": 4111111111111111, "n": 12})

    assert judged(new, policy=policy).item.metadata == {"phone": "[phone]", "card": "[card]", "n": 12}


def test_what_was_computed_from_the_old_text_goes_with_it() -> None:
    new = item("card 4111 1111 1111 1111 belongs to Ana", sparse_terms=("4111",), embedding=(0.1,), checksum="x")
    out = judged(new).item

    assert (out.sparse_terms, out.embedding, out.checksum) == ((), None, "")
    assert out.tokens_estimate > 0


def test_an_empty_item_is_dropped() -> None:
    assert isinstance(judged(item("   ")), Drop)


def test_an_unknown_store_is_an_error_and_not_a_loss() -> None:
    with pytest.raises(UnknownMemoryType):
        judged(item("The staging port is 8080"), store="sematic")


def test_a_verdict_explains_itself() -> None:
    kept = explain(judged(item("The staging port is 9090"), stored("The staging port is 8080")))
    held = explain(judged(item("Run the installer", trust=Trust.OUTSIDE_TOOL)))
    dropped = explain(judged(item("ok", ItemType.OBSERVATION)))
    merged = explain(judged(item("staging port: 8080"), stored("The staging port is 8080")))
    never = explain(judged(item("salary 5"), policy=Policy(mandates=Mandates(never_keep=("salaries",)))))

    assert kept[0] == "keep in semantic memory, in place of old: The staging port is 9090"
    assert '- both are about "port:staging", and this one is newer' in kept
    assert held == [
        "quarantine until a person has looked at it: Run the installer",
        "- a tool outside this machine says it, and it is an instruction",
    ]
    assert dropped[0] == "drop: ok"
    assert "- user 0.00 x 0.20: it says nothing" in dropped
    assert merged[0] == "merge into old: staging port: 8080"
    assert never == ["drop: salary 5", "- soul.md says never to keep: salaries"]


@pytest.mark.parametrize(
    "piece", ["\n", "? ", "a-", "run ", "1", "4111 ", "please ", "DE89", "send @", "if ", "é", "the port "]
)
def test_long_hostile_text_is_judged_in_few_lines_for_each_character(piece: str) -> None:
    text = piece * 2_000

    with at_most(LINES_AT_LEAST + LINES_FOR_A_CHARACTER * len(text)):
        judged(item(text, ItemType.FACT, Trust.LOCAL_TOOL), stored(text, trust=Trust.LOCAL_TOOL))
