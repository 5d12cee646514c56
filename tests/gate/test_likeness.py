"""A twin says the same: what a word denies, or turns the other way, is no twin however alike the rest is."""

import pytest

from gate.given import item, judged, stored
from reverie.gate.same_text import adds_nothing
from reverie.records import Keep, Merge

_RULE = "the backend team may deploy the billing service on Friday evening without approval"


@pytest.mark.parametrize(
    ("known", "new"),
    [
        (f"Nobody on {_RULE}", _RULE),
        ("Nothing in the shop module writes to the audit database of the billing service", "The shop module writes to the audit database of the billing service"),
        ("Hardly anybody reads the weekly report about the billing service and the audit database", "Anybody reads the weekly report about the billing service and the audit database"),
        ("Except on Fridays the billing service and the audit database deploy from the main branch", "On Fridays the billing service and the audit database deploy from the main branch"),
        ("Ana dislikes long weekly planning meetings about the billing service and its audit database", "Ana likes long weekly planning meetings about the billing service and its audit database"),
        ("The nightly export job of the billing service is switched off in the staging cluster", "The nightly export job of the billing service is switched on in the staging cluster"),
        ("Niemand aus dem Backend darf den Abrechnungsdienst am Freitag abend neu starten und verteilen", "Aus dem Backend darf den Abrechnungsdienst am Freitag abend neu starten und verteilen"),
        ("Der Abrechnungsdienst schreibt nirgends Namen oder Adressen der Kunden in das Protokoll der Kasse", "Der Abrechnungsdienst schreibt Namen oder Adressen der Kunden in das Protokoll der Kasse"),
    ],
)  # fmt: skip
def test_a_fact_is_not_merged_into_its_opposite(known: str, new: str) -> None:
    assert isinstance(judged(item(new), stored(known)), Keep)


def test_the_same_denial_twice_is_a_twin() -> None:
    assert isinstance(judged(item(f"Nobody on {_RULE}"), stored(f"nobody on {_RULE}.")), Merge)


def test_a_word_that_only_begins_like_a_denial_denies_nothing() -> None:
    assert adds_nothing("the disk is full", "the disk of the display server is full, as discussed")
