"""A number in, whether its check digits and its form hold out: cards, IBANs, national and tax numbers.

A check digit is what lets a rule find a number without being told that it is one: of random digits nine in ten fail
Luhn, 96 in 97 fail an IBAN. Each function takes the number as it was written and looks at its letters and digits only.
"""

from collections.abc import Callable, Iterable
from datetime import date
from typing import Final


def compact(text: str) -> str:
    """Letters and digits only, upper case.

    >>> compact("gb82 WEST-1234")
    'GB82WEST1234'
    """
    return "".join(filter(str.isalnum, text)).upper()


def luhn(digits: str) -> bool:
    """The check of payment cards, IMEIs and several national numbers.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    odd = [int(digit) for digit in digits[::-1][::2]]
    even = [divmod(2 * int(digit), 10) for digit in digits[::-1][1::2]]
    return (sum(odd) + sum(tens + ones for tens, ones in even)) % 10 == 0


# Who issues a card: first digits (from, to), and how many digits it has in all.
_ISSUERS: Final = (
    ("4", "4", (13, 16, 19)),  # Visa
    ("51", "55", (16,)),  # Mastercard
    ("2221", "2720", (16,)),
    ("34", "34", (15,)),  # American Express
    ("37", "37", (15,)),
    ("300", "305", (14, 16)),  # Diners Club
    ("36", "36", (14,)),
    ("38", "39", (14, 16)),
    ("3528", "3589", (16, 17, 18, 19)),  # JCB
    ("1800", "1800", (15,)),
    ("2131", "2131", (15,)),
    ("6011", "6011", (16, 17, 18, 19)),  # Discover
    ("644", "659", (16, 17, 18, 19)),
    ("62", "62", (16, 17, 18, 19)),  # UnionPay
    ("2200", "2204", (16, 17, 18, 19)),  # Mir
    ("50", "50", tuple(range(12, 20))),  # Maestro
    ("56", "69", tuple(range(12, 20))),
)


def is_card(text: str) -> bool:
    """Whether it is the number of a payment card: an issuer's first digits, its length, Luhn.

    >>> is_card("4111 1111 1111 1111"), is_card("1700000000000")
    (True, False)
    """
    digits = compact(text)
    issued = any(low <= digits[: len(low)] <= high and len(digits) in lengths for low, high, lengths in _ISSUERS)
    return issued and len(set(digits)) > 1 and luhn(digits)


# How long an IBAN is in each country.
IBAN_LENGTHS: Final = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip


def is_iban(text: str) -> bool:
    """Whether country, length and check digits are those of a bank account.

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    number = compact(text)
    if not number.isascii() or IBAN_LENGTHS.get(number[:2]) != len(number):
        return False
    return int("".join([str(int(letter, 36)) for letter in number[4:] + number[:4]])) % 97 == 1


def is_ssn(text: str) -> bool:
    """Whether it can be a US social security number; those that start with 9 are tax numbers (ITIN)."""
    digits = compact(text)
    if len(digits) != 9 or digits[:3] in ("000", "666") or digits[3:5] == "00" or digits[5:] == "0000":
        return False
    return digits[0] != "9" or 50 <= int(digits[3:5]) <= 99


def _weighted(digits: str, weights: Iterable[int], modulus: int) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False)) % modulus


def is_spanish(text: str) -> bool:
    """DNI and NIE: the letter is the number modulo 23."""
    number = compact(text)
    digits = number[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return digits.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


def is_brazilian(text: str) -> bool:
    """CPF: two check digits."""
    digits = compact(text)
    if len(digits) != 11 or len(set(digits)) == 1:
        return False
    first = 10 * _weighted(digits[:9], range(10, 1, -1), 11) % 11 % 10
    second = 10 * _weighted(digits[:10], range(11, 1, -1), 11) % 11 % 10
    return digits[9:] == f"{first}{second}"


def is_french(text: str) -> bool:
    """The social security number: sex, year, month, place, order, and a key modulo 97."""
    number = compact(text).replace("2A", "19").replace("2B", "18")
    return number.isdigit() and len(number) == 15 and 97 - int(number[:13]) % 97 == int(number[13:])


def is_chinese(text: str) -> bool:
    """The resident identity number: a birth date inside, and a check digit modulo 11."""
    number = compact(text)
    weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
    return _is_date(number[6:14]) and "10X98765432"[_weighted(number[:17], weights, 11)] == number[17]


def is_korean(text: str) -> bool:
    """The resident registration number."""
    digits = compact(text)
    return _is_date("20" + digits[:6]) and (
        11 - _weighted(digits, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5), 11)
    ) % 10 == int(digits[12])


def is_finnish(text: str) -> bool:
    """HETU: a birth date, a sign for the century, and a check character modulo 31."""
    number = compact(text.translate({ord("-"): None, ord("+"): None}))
    digits = number[:6] + number[-4:-1]
    return digits.isdigit() and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(digits) % 31] == number[-1]


def is_italian(text: str) -> bool:
    """Codice fiscale: letters for names, a birth date, a place, and a check letter."""
    number = compact(text)
    odd = dict(zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True)) | dict(
        zip(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
            strict=True,
        )
    )
    total = sum(odd[letter] for letter in number[:15:2])
    total += sum(int(letter) if letter.isdigit() else ord(letter) - ord("A") for letter in number[1:15:2])
    return chr(ord("A") + total % 26) == number[15]


def is_british(text: str) -> bool:
    """National Insurance number: no check digit, but many prefixes are never given."""
    number = compact(text)
    return number[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def _is_date(digits: str) -> bool:
    """Whether eight digits are a year, a month and a day."""
    try:
        date(int(digits[:4]), int(digits[4:6]), int(digits[6:8]))
    except ValueError:
        return False
    return True


# Numbers that are recognised by their form and check alone, without being called by their name.
NATIONAL: Final[tuple[tuple[str, Callable[[str], bool]], ...]] = (
    (r"\d{3}-\d{2}-\d{4}", is_ssn),
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", is_brazilian),
    (r"(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]", is_spanish),
    (r"[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}", is_french),
    (r"[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]", is_chinese),
    (r"\d{6}-[1-8]\d{6}", is_korean),
    (r"(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[-+A]\d{3}[\dA-FHJ-NPR-Y]", is_finnish),
    (r"[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z]", is_italian),
    (r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", is_british),
    (r"[A-Z][AEIOUX][A-Z]{2}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[HM][A-Z]{5}[A-Z\d]\d", lambda _: True),
)
