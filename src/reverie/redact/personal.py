"""A text in, the personal data in it and the same text without it out.

Every kind has a policy: keep it, mask it (the number becomes `[card]`) or drop the whole item. Finding is in two steps:
RE2 finds what has the shape, in linear time; then a check digit, a neighbour or an announcing word decides. What
developers write all day has such shapes too (versions, hashes, timestamps, ids), so a bare shape is rarely enough.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from reverie.redact.personal_finders import FINDERS, Personal
from reverie.redact.redaction import Redaction


@dataclass(frozen=True, slots=True)
class PersonalMatch:
    """A place of personal data in a text."""

    kind: Personal
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with its personal data out: what kinds were masked, and which of them forbid keeping the item at all."""

    text: str
    status: Redaction = Redaction.NONE
    kinds: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


_ORDER = {kind: place for place, kind in enumerate(Personal)}
_WITHOUT_NAMES = tuple(kind for kind in Personal if kind is not Personal.NAME)
_NEED_DIGITS = frozenset({Personal.IBAN, Personal.CARD, Personal.ID, Personal.IP, Personal.PHONE})
_FOUR_DIGITS = re.compile(r"\d(?:\D*\d){3}", re.ASCII)  # the least that any of those has: 1.2.3.4
_MOST_PASSES = 4  # what a mask uncovers is looked at again; each pass leaves fewer digits


class PrivacyPolicy(Protocol):
    """Keep, mask or drop: for each kind of `Personal` an attribute of its name says what to do."""

    @property
    def log(self) -> str: ...


def masked(text: str, policy: PrivacyPolicy, announced: str = "") -> Masked:
    """The text under a policy. `announced` says what the text is, such as the key that it stands under.

    >>> from reverie.settings import PrivacySettings
    >>> masked("Pay with 4111 1111 1111 1111, thanks", PrivacySettings())
    Masked(text='Pay with [card], thanks', status=<Redaction.PARTIAL: 'partial'>, kinds=('card',), forbidden=())
    >>> masked("467 3395", PrivacySettings(phone="mask"), announced="phone").text
    '[phone]'
    """
    wanted = [kind for kind in Personal if getattr(policy, kind) != "keep"]
    kinds: dict[str, None] = {}
    for _ in range(_MOST_PASSES):
        found = find_personal(text, wanted, announced)
        if not found:
            break
        kinds |= dict.fromkeys(str(one.kind) for one in found)
        text = _without(text, found)
    if policy.log == "strict":  # then the log had the mark already, and what stood there forbids as much
        kinds |= {str(kind): None for kind in wanted if getattr(policy, kind) == "drop" and f"[{kind}]" in text}
    forbidden = tuple(kind for kind in kinds if getattr(policy, kind) == "drop")
    if not kinds:
        return Masked(text)
    left = text
    for kind in kinds:
        left = left.replace(f"[{kind}]", "")
    status = Redaction.PARTIAL if any(map(str.isalnum, left)) else Redaction.FULL
    return Masked(text, status, tuple(kinds), forbidden)


def _without(text: str, found: Iterable[PersonalMatch]) -> str:
    parts, done = [], 0
    for one in found:
        parts += [text[done : one.start], f"[{one.kind}]"]
        done = one.end
    return "".join([*parts, text[done:]])


def find_personal(text: str, kinds: Iterable[Personal] = _WITHOUT_NAMES, announced: str = "") -> list[PersonalMatch]:
    """The personal data of some kinds, in the order of the text, none of it twice.

    >>> [str(one.kind) for one in find_personal("ana@example.org, v1.2.3.4, call me at 555-123-4567")]
    ['email', 'phone']
    """
    prefix = f"{announced}: " if announced else ""
    plain = _plain(prefix + text)
    taken = bytearray(len(plain))
    found: list[PersonalMatch] = []
    numbered = _FOUR_DIGITS.search(plain) is not None  # most lines have no number, and are done with this one look
    for kind in sorted(set(kinds), key=_ORDER.__getitem__):
        if kind in _NEED_DIGITS and not numbered:
            continue
        for start, end in FINDERS[kind](plain):
            if start >= len(prefix) and not any(taken[start:end]):
                taken[start:end] = b"1" * (end - start)
                found.append(PersonalMatch(kind, start - len(prefix), end - len(prefix)))
    return sorted(found, key=lambda one: one.start)


def _plain(text: str) -> str:
    """The same length, with digits, spaces and dashes of other alphabets as ASCII."""
    if text.isascii():
        return text
    return "".join(_ascii(letter) if letter > "\x7f" else letter for letter in text)


def _ascii(letter: str) -> str:
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    match unicodedata.category(letter):
        case "Zs":
            return " "
        case "Pd":
            return "-"
    return "+" if letter == "＋" else letter
