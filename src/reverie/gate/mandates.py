"""The text of soul.md in, what its person wants kept, never kept and always shown out.

A person writes them under a heading that speaks of memory, in one line or as a list:

    ## Memory

    - Always keep: decisions about the API; release dates
    - Never keep: salaries; "Project Nightingale"
    Always include:
    - the on-call rota

A mandate in quotes matches literally, whatever the case. Any other matches when all of its telling words are in the
text, in any form ("salaries" finds "salary"), or when it names a type of item ("preferences").
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reverie.gate.same_text import telling_words
from reverie.language.words import words
from reverie.records import SEMANTIC, MemoryItem


@dataclass(frozen=True, slots=True)
class Mandates:
    """The wishes of a person for their memory, each as it was written."""

    always_keep: tuple[str, ...] = ()
    never_keep: tuple[str, ...] = ()
    always_include: tuple[str, ...] = ()


_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_ABOUT_MEMORY = re.compile(r"\b(?:memory|memories|remember|remembering|mandates?)\b", re.IGNORECASE)
_MANDATE = re.compile(
    r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?\**(?P<rule>always keep|always remember|never keep|never remember|always include|"
    r"always show)"
    r"\**\s*:\**\s*(?P<what>.*)$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?P<what>.+)$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SEPARATE = re.compile(r"""\s*(?P<one>"[^"]*"|“[^”]*”|[^;,"“]+)\s*(?:[;,]|$)?""")
_FIELDS = {
    "always keep": "always_keep",
    "always remember": "always_keep",
    "never keep": "never_keep",
    "never remember": "never_keep",
    "always include": "always_include",
    "always show": "always_include",
}


def read_mandates(soul: str) -> Mandates:
    """The mandates in a soul.md.

    >>> read_mandates("## Memory\\n- Never keep: salaries; health\\n\\n## Tools\\n- Never keep: this")
    Mandates(always_keep=(), never_keep=('salaries', 'health'), always_include=())
    """
    found: dict[str, list[str]] = {field: [] for field in _FIELDS.values()}
    current = ""
    for line in _lines_about_memory(_COMMENT.sub("", soul)):
        if rule := _MANDATE.match(line):
            current = _FIELDS[rule["rule"].lower()]
            found[current] += _separate(rule["what"])
        elif current and (bullet := _BULLET.match(line)):
            found[current] += _separate(bullet["what"])
        elif line.strip():
            current = ""
    return Mandates(**{field: tuple(dict.fromkeys(mandates)) for field, mandates in found.items()})


def _lines_about_memory(soul: str) -> Iterable[str]:
    depth = 0  # of the heading that we are under; 0 means none
    for line in soul.splitlines():
        if heading := _HEADING.match(line):
            level = len(heading[1])
            if not depth or level <= depth:
                depth = level if _ABOUT_MEMORY.search(heading[2]) else 0
        elif depth:
            yield line


def _separate(text: str) -> list[str]:
    return [one["one"].strip(" .*") for one in _SEPARATE.finditer(text) if one["one"].strip(" .*…")]


def matching(item: MemoryItem, mandates: Sequence[str]) -> str:
    """The first mandate that speaks of an item: of its words, or of its type; nothing if none does."""
    return mandate_for(" ".join([item.text, item.subject, *item.tags]), mandates) or names_type(item.type, mandates)


def names_type(type_: str, mandates: Sequence[str]) -> str:
    """The first mandate that names a type; nothing if none does.

    >>> names_type("preference", ["health", "preferences"])
    'preferences'
    """
    return next((mandate for mandate in mandates if words(mandate.replace(" ", "_")) == words(type_)), "")


def mandate_for(text: str, mandates: Sequence[str]) -> str:
    """The first mandate that speaks of a text; nothing if none does.

    >>> mandate_for("Her salary is 50k", ["health", "salaries"])
    'salaries'
    """
    stems = set(words(text))
    for mandate in mandates:
        quoted = mandate.strip('"“”')
        if quoted != mandate:
            if quoted.casefold() in text.casefold():
                return mandate
        elif set(telling_words(mandate)) <= stems:
            return mandate
    return ""


def always_included(item: MemoryItem, mandates: Mandates) -> str:
    """The mandate by which an item belongs in every context; only distilled items, never a tool's word or another's."""
    if item.store != SEMANTIC or not item.is_current or not item.trust.has_a_say:
        return ""
    return matching(item, mandates.always_include)
