"""A text in, where personal data of one kind stands out: what has the shape, and then passes a check.

RE2 finds the shapes in linear time. What it cannot say is asked here: a check digit, what stands beside a hit, whether
a word announces it. Texts come with digits, spaces and dashes as ASCII.
"""

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

from reverie.redact import personal_patterns as shapes
from reverie.redact.check_digits import IBAN_LENGTHS, compact, is_card, is_iban, is_ssn, luhn
from reverie.redact.personal_patterns import compiled


class Personal(StrEnum):
    """The kinds, in the order in which a piece of text is claimed: the surest first."""

    EMAIL = "email"
    IBAN = "iban"
    CARD = "card"
    ID = "id"
    IP = "ip"
    BIRTH_DATE = "birth_date"
    PHONE = "phone"
    ADDRESS = "address"
    NAME = "name"


# ---- what stands beside a hit


def _alone(text: str, start: int, end: int) -> bool:
    """Whether it is a word of its own, not part of a longer number, name, path or version."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before[-1:].isalnum() or before[-1:] == "_" or after[:1].isalnum() or after[:1] == "_":
        return False
    if before[-1:] in ("-", ".") and before[:-1].isalnum():
        return False
    return not (after[:1] in ("-", ".") and after[1:].isalnum() and not _ends_here(text, end))


def _ends_here(text: str, end: int) -> bool:
    """Whether a dot or dash after a hit is punctuation: "07700 063 966-Fax" and "4111….Thanks" are."""
    return text[end + 1 : end + 2].isalpha() and text[end + 1 : end + 4].isalpha() and text[end + 1].isupper()


def _spans(pattern: str, text: str) -> Iterator[tuple[int, int, Any]]:
    for match in compiled(pattern).finditer(text):
        group = match.re.groupindex.get("v", 0)
        yield match.start(group), match.end(group), match


# ---- the finders


def _emails(text: str) -> Iterator[tuple[int, int]]:
    for start, end, _ in _spans(shapes.EMAIL, text):
        userinfo = "://" in text[max(0, start - 12) : start]  # https://user@host is a place, not a mailbox
        remote = text[end : end + 1] == ":" and text[end + 1 : end + 2] not in ("", " ", "\n")  # git@host:path
        call = text[end : end + 1] == "("
        while text[start] in ".'-+%":
            start += 1
        if not (userinfo or remote or call) and text[start] != "@":
            yield start, end


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    last = 0
    for start, _, match in _spans(shapes.IBAN_HEAD, text):
        length = IBAN_LENGTHS.get(match.group(0)[:2].upper())
        if length is None or start < last or (start and text[start - 1].isalnum()):
            continue
        end, count = start, 0
        while end < len(text) and count < length:
            if text[end].isalnum():
                count += 1
            elif text[end] not in " -" or text[end - 1] in " -":
                break
            end += 1
        if count == length and not text[end : end + 1].isalnum() and is_iban(text[start:end]):
            last = end
            yield start, end


def _cards(text: str) -> Iterator[tuple[int, int]]:
    """Windows over a run of digits: a whole group, or groups laid out as on a card."""
    for start, end, _ in _spans(shapes.CARD_RUN, text):
        groups = [(start + one.start(), start + one.end()) for one in compiled(r"\d+").finditer(text[start:end])]
        named = compiled(shapes.CARD_WORDS).search(text[max(0, start - 60) : start]) is not None
        first = 0
        while first < len(groups):
            for last in range(min(first + 6, len(groups)), first, -1):
                window = groups[first:last]
                if _is_card_window(text, window, named):
                    yield window[0][0], window[-1][1]
                    first = last - 1
                    break
            first += 1


def _is_card_window(text: str, window: list[tuple[int, int]], named: bool) -> bool:
    start, end = window[0][0], window[-1][1]
    lengths = tuple(stop - begin for begin, stop in window)
    # Twelve digits, or seventeen and more, in one run are more often an id than a card.
    grouped = len(window) > 1 and lengths in shapes.CARD_LAYOUTS
    alone = len(window) == 1 and (named or lengths[0] in (14, 15, 16))
    if not 12 <= sum(lengths) <= 19 or not (grouped or alone or named):
        return False
    path = not named and text[max(0, start - 1) : start] in ("/", "#")
    if named:  # new ranges are issued every year, so an announced number needs the check digit only
        return luhn(compact(text[start:end]))
    return not path and is_card(text[start:end]) and _alone(text, start, end)


def _ids(text: str) -> Iterator[tuple[int, int]]:
    for pattern, holds in shapes.NATIONAL_IDS:
        for start, end, match in _spans(pattern, text):
            if _alone(text, start, end) and holds(match.group(0)):
                yield start, end
    named = [*_spans(shapes.NAMED_ID, text), *_spans(shapes.ID_NAMED_AFTER, text)]
    for start, end, match in named:
        value = match.group("v")
        digits = sum(map(str.isdigit, value))
        version = value.count(".") >= 1 and digits < 9
        if 5 <= digits <= 16 and not version and not text[end : end + 1].isalnum() and not _is_plain_date(value):
            yield start, end
    for start, end, match in _spans(r"\d{3} \d{2} \d{4}", text):
        if is_ssn(match.group(0)) and compiled(r"(?i)\b(?:ssn|social security)\b").search(
            text[max(0, start - 60) : start]
        ):
            yield start, end


def _is_plain_date(value: str) -> bool:
    return (
        compiled(r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))$").search(value)
        is not None
    )


def _ips(text: str) -> Iterator[tuple[int, int]]:
    for start, end, match in _spans(shapes.IP4, text):
        if _is_address(match.group(0)) and _alone(text, start, end) and not _is_version(text, start, end):
            yield start, end
    for start, end, match in _spans(shapes.IP6, text):
        value = match.group(0).rstrip(":") if not match.group(0).endswith("::") else match.group(0)
        if value.count(":") < 2 or text[max(0, start - 1) : start].isalnum() or text[end : end + 1].isalnum():
            continue
        # "a::b" is a path in several languages; real short forms begin with a global or local prefix.
        short = "::" in value and not compiled(r"^(?i:[23][0-9a-f]{3}|f[cde][0-9a-f]{2}|::ffff|64):").search(value)
        if not short and _is_address(value):
            yield start, start + len(value)


def _is_version(text: str, start: int, end: int) -> bool:
    """Chrome/120.0.0.0, version 1.2.3.4, ==1.2.3.4, an OID; and a network such as 10.0.0.0/8 is nobody's address."""
    before = text[max(0, start - 24) : start]
    network = text[start:end].endswith(".0") and text[end : end + 1] == "/"
    return network or compiled(_VERSION_BEFORE).search(before) is not None


_VERSION_BEFORE = r"(?i)(?:\bver(?:sion)?s?\b\W{0,4}|[a-z]\w*/|[=<>~^!]= ?|@|\bv|\boids?\b\W{0,4}|identifier\W{0,4})$"


def _is_address(value: str) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return not (
        address.is_loopback or address.is_unspecified or address.is_multicast or value.startswith(("255.", "0."))
    )


def _birth_dates(text: str) -> Iterator[tuple[int, int]]:
    for start, end, _ in _spans(shapes.BIRTH_DATE, text):
        yield start, end


def _phones(text: str) -> Iterator[tuple[int, int]]:
    for start, end, match in _spans(shapes.PHONE_ABROAD, text):
        digits = compact(match.group(0))
        bare = text[max(0, start - 1) : start] in ("", "\n") and match.group(0)[1:].isdigit() and len(digits) < 12
        american = match.group(0).startswith("+1") and len(digits) == 11
        # "+1609459200" at the start of a line is a number in a diff.
        fewest = 11 if match.group(0).startswith("00") else 8
        plausible = american or not match.group(0).startswith("+1")
        if fewest <= len(digits) <= 15 and plausible and not bare and _alone(text, start, end):
            yield start, end
    for pattern, fewest in ((shapes.PHONE_AMERICAN, 10), (shapes.PHONE_NATIONAL, 9)):
        for start, end, match in _spans(pattern, text):
            codes = {len(group) for group in match.group(0).split()} == {4}  # a table of character codes
            if fewest <= len(compact(match.group(0))) <= 16 and not codes and _alone(text, start, end):
                yield start, end
    for start, end, match in _spans(shapes.PHONE_ANNOUNCED, text):
        if _is_announced_phone(text, start, end, match.group(0)):
            yield start, end


def _is_announced_phone(text: str, start: int, end: int, value: str) -> bool:
    digits = compact(value)
    if not 6 <= len(digits) <= 15 or _is_plain_date(value) or value.count(".") == 3 or not _alone(text, start, end):
        return False
    before = text[max(0, start - 48) : start].rsplit("\n\n", 1)[-1]
    after = compiled(shapes.PHONE_WORDS_AFTER).search(text[end : end + 12]) is not None
    grouped = not value.isdigit()
    return (after and grouped) or compiled(shapes.PHONE_WORDS).search(before) is not None


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    for pattern in shapes.ADDRESSES:
        for start, end, _ in _spans(pattern, text):
            yield start, end


def _names(text: str) -> Iterator[tuple[int, int]]:
    for pattern in shapes.NAMES:
        for start, end, _ in _spans(pattern, text):
            yield start, end


FINDERS: Final[Mapping[Personal, Callable[[str], Iterator[tuple[int, int]]]]] = {
    Personal.EMAIL: _emails,
    Personal.IBAN: _ibans,
    Personal.CARD: _cards,
    Personal.ID: _ids,
    Personal.IP: _ips,
    Personal.BIRTH_DATE: _birth_dates,
    Personal.PHONE: _phones,
    Personal.ADDRESS: _addresses,
    Personal.NAME: _names,
}
