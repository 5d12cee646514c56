r"""The shapes of personal data, and the words that announce it. RE2 syntax: no look-around, so linear time.

Where a pattern has a group `v`, that is the value; what stands before it is the announcement and stays. Shapes that
other things have too (a number of seven digits) are believed only when they are announced. What a regular expression
cannot say, such as a check digit or what stands beside a hit, is asked afterwards in `personal`.
"""

from functools import cache
from typing import Any, Final

import re2

from reverie.redact.check_digits import NATIONAL


@cache
def compiled(pattern: str) -> Any:
    """A pattern, compiled once."""
    options = re2.Options()
    options.max_mem = 64 << 20  # classes of all letters make large automata
    return re2.compile(pattern, options)


EMAIL: Final = r"[\pL\pN._%+'-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)*\.\pL\pL+"

CARD_RUN: Final = r"\d(?:[ -]?\d){11,}"
CARD_WORDS: Final = (
    r"(?i)\b(?:cards?|visa|master ?card|amex|american express|maestro|discover|diners|jcb|cc|ccn|credit|debit|"
    r"kreditkarten?\w*|karte|tarjeta|carte|cartão|carta)\b"
)
# How the digits of a card are grouped when it is written as people write it.
CARD_LAYOUTS: Final = frozenset({(4, 4, 4, 4), (4, 4, 4, 4, 3), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 2), (4, 4, 5)})

IBAN_HEAD: Final = r"(?i)[A-Z]{2}\d{2}"

IP4: Final = r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"
IP6: Final = r"[0-9A-Fa-f:]{2,39}(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})?"

# Numbers with a name. A value has five digits or more, and each of its words has one.
_VALUE: Final = r"(?P<v>[A-Z]{0,5}\d[A-Z0-9]*(?:[ ./-][A-Z]{0,3}\d[A-Z0-9]*){0,6})"
_GAP: Final = r"[^\d\n]{0,28}?[\s:=#(]"
_NAMES: Final = (
    r"(?i:\b(?:ssn|social[ -]security(?: (?:number|no\.?|num))?|socials?ecuritynumber|passport(?:[ _](?:number|no\.?|"
    r"num))?|"
    r"reisepass\w*|passeport|pasaporte|passaporto|driver'?s?'?[ _]licen[cs]e|driving[ _]licen[cs]e|drivers?[ _]lic\.?|"
    r"führerschein\w*|permis de conduire|licencia de conducir|patente di guida|"
    r"tax[ -]?(?:payer)?[ -]?(?:id\b|identification|file|number|no\.)(?: number)?|vat (?:number|id|no\.?)|"
    r"steuer-?id\w*|steuernummer|steueridentifikationsnummer|codice fiscale|partita iva|cpf|cnpj|curp|"
    r"pesel|bsn|burgerservicenummer|personnummer|cpr[ -]?(?:nummer|number)|fødselsnummer|henkilötunnus|hetu|aadhaar|"
    r"aadhar|"
    r"national insurance(?: number)?|nhs (?:number|no\.?)|medicare (?:number|no\.?|card)|"
    r"national (?:id\b|identity|identification)(?: card)?(?: (?:number|no\.?))?|"
    r"(?:identity|id) card(?: (?:number|no\.?))?|(?:my|his|her|their|personal) id(?: number)?|"
    r"(?:personal)?ausweis\w*|sozialversicherungsnummer|numéro de sécurité sociale|residence permit|"
    r"licen[cs]e plate|dni|cédula)\b|\b(?-i:TIN|ITIN|EIN|NIF|NIE|NIP|SIN|TFN|NINO|PAN|RUT|DL)\b)"
)
NAMED_ID: Final = rf"(?:{_NAMES})(?:{_GAP})(?i:{_VALUE})"
ID_NAMED_AFTER: Final = rf"(?i:\b{_VALUE}) (?i:is|was) (?i:my|his|her|their|the) (?:{_NAMES})"

# Telephone numbers. The first three shapes are nobody else's; the last one must be announced.
PHONE_ABROAD: Final = r"(?:\+|\b00)[1-9]\d{0,2}[ .-]?(?:\(0?\d{0,4}\)[ .-]?)?\d{1,5}(?:[ ./-]{1,2}\d{1,5}|\d){1,12}"
PHONE_AMERICAN: Final = (
    r"(?:(?:\+|00)?1[ .-]?)?(?:\([2-9]\d{2}\) ?[.-]?|[2-9]\d{2}[.-])\d{3}[.-]\d{4}(?: ?(?:x|ext\.?) ?\d{1,5})?"
)
PHONE_NATIONAL: Final = r"(?:\(0\d{1,5}\)|0\d{1,4})(?:[ ]\d{2,4}){2,4}"
PHONE_ANNOUNCED: Final = r"\(?\d{1,5}\)?(?:[ ./-]{0,2}\(?\d{1,5}\)?){0,7}(?: ?(?:x|ext\.?) ?\d{1,5})?"
PHONE_WORDS: Final = (
    r"(?i)(?:\b(?:tele)?phones?\b|\btel\b|\bmobile\b|\bcell(?:phone)?\b|\bfax\b|\bsms\b|\bwhatsapp\b|\bhotline\b|"
    r"\bvoicemail\b|\bhandy\b|\btelefon\w*|\btéléphone\b|\bteléfono\b|\bmóvil\b|\bcelular\b|\bdesk\b:|\boffice\b:|"
    r"\b(?:call|called|calling|ring|dial|text|reach|contact|phoned?)\b(?: (?:me|us|him|her|them|you|back|someone|to|"
    r"it|the|"
    r"my|this|number)){0,4}(?: (?:at|on|under|via))?\s*:?\s*$|\banswering (?:at|on)\b|\bmessages? (?:to|from|at|on)\b|"
    r"\bregistered\b|\b(?:my|his|her|their|our|your|new|work|home|contact) number\b|\bcall(?:ed|"
    r"ing)?\b[^.\n]{0,24}\b(?:at|on)\b)"
)
PHONE_WORDS_AFTER: Final = r"(?i)^[ ,-]{0,3}\(?(?:office|fax|mobile|cell|home|desk|work|phone|tel)\b"

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE: Final = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH},? ?(?:\d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?)"
)
BIRTH_DATE: Final = (
    r"(?i)\b(?:date of birth|birth ?date|d\.?o\.?b\.?|birthday|born(?: on)?|geburtsdatum|geboren(?: am)?|"
    rf"fecha de nacimiento|date de naissance|né[e]? le)\b[^\d\n]{{0,16}}?(?P<v>{_DATE})"
)

# Postal addresses: a number and a street in any of the usual orders, with what follows them up to the post code.
_UNIT: Final = r"(?:,?\s+(?:Apt|Apartment|Suite|Ste|Unit|Floor|Fl|Room|App)\b\.?\s*#?\d+[A-Za-z]?)"
_TOWN: Final = (
    r"(?:,?[ \t]*\n?[ \t]*,?[ ]?\p{Lu}[\pL'’.-]*(?:[ -]\p{Lu}[\pL.'-]*){0,3}(?:,?\s+[A-Z]{2})?,?\s+"
    r"\d{4,6}(?:-\d{4})?\b)?"
)
_ENGLISH: Final = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Terrace|Parkway|"
    r"Pkwy|Highway|Hwy|Close|Crescent|Grove|Gardens|Mews|Alley|Trail|Circle|Loop|Plaza|Row|Hill|Walk)"
)
ADDRESSES: Final = (
    rf"\d{{1,5}}[A-Za-z]?,?[ ](?:\p{{Lu}}[\pL'’.-]*[ ]){{1,4}}{_ENGLISH}\b\.?{_UNIT}?{_TOWN}",
    r"(?:\d{1,6}[ ])?(?:\p{Lu}[\pL.-]*[ ]){0,3}\p{Lu}?[\pL-]*(?:straße|strasse|str\.|[ ]Str\.|weg|gasse|platz|allee|"
    r"gatan|vägen|gata|"
    r"vej|gade|vænget|veien|vegen|veg|katu|tie|kuja|polku|laan|straat|plein|gracht|utca|útja|"
    r"stien)[ ]\d{1,5}[a-zA-Z]?\b"
    rf"{_UNIT}?{_TOWN}",
    r"(?:[Rr]ue|Avenue|Av\.|Boulevard|Bd|Place|Chemin|Via|Viale|Piazza|Corso|Calle|C/|Avenida|Plaza|Paseo|Carrera|Rua|"
    r"Travessa|Praça|Ulica|[Uu]l\.|Strada|Ulice|Cesta)[ ](?:\pL[\pL'’.-]*[ ]){0,5}\p{Lu}[\pL'’.-]*,?[ ]\d{1,5}\b"
    rf"{_UNIT}?{_TOWN}",
    r"\d{1,4}(?:[ ]?(?:bis|ter))?,?[ ](?i:rue|avenue|boulevard|place|chemin|allée|impasse|"
    r"quai)[ ](?:[\pL'’.-]+[ ]){0,5}"
    rf"\p{{Lu}}[\pL'’.-]+{_TOWN}",
    r"\b(?i:p\.?[ ]?o\.?[ ]?box|postfach|apartado(?: postal)?|PSC[ ]\d+,[ ]Box)[ ]#?\d{1,6}\b",
    r"(?i:\b(?:home|postal|mailing|billing|shipping|street|delivery)[ ]address|\b(?:i|he|she|we|they|"
    r"\pL+)[ ]lives?[ ]at)"
    r"[ ]?(?:is|:)?\s{0,6}(?P<v>\d{1,6}[ ](?:[\pL'’.-]+[ ]){1,5}[\pL'’.-]*\d*|(?:\p{Lu}[\pL'’.-]+[ ]){1,5}\d{1,5}\b)",
)

# Names, only where somebody is introduced or addressed.
NAMES: Final = (
    r"(?i:\bmy name is|\bname(?: is)?:|\bcall me|\bsigned(?: by)?:?|\bsincerely,?|\bdear|\bregards,?)\s+"
    r"(?P<v>\p{Lu}[\pL'’-]+(?:[ ](?:\p{Lu}[\pL'’-]+|\p{Lu}\.?)){0,3})",
    r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Frau|Sra|Sr|Mme|M)\.?[ ](?P<v>\p{Lu}[\pL'’-]+(?:[ ]\p{Lu}[\pL'’-]+){0,2})",
)

NATIONAL_IDS: Final = NATIONAL
