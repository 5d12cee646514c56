"""A message in a script without spaces -> what its writer says that is worth knowing.

Chinese and Japanese have no edges of words, on which the other rules rely, so they have a short way of their own:
questions and what holds only once are left out; a sentence rejects, rules or states, in this order.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.learning_text import shortened
from reverie.distil.rules.passages import passages
from reverie.distil.rules.rule_match import Finding
from reverie.records import LearningType, Scope

_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SPACED: Final = re.compile(r"[A-Za-zÀ-ɏ]+")
_SENTENCE: Final = re.compile(r"[^。！？!?\n]+[。！？!?]*")

_ASKS: Final = cues("unspaced_asks")
_ONCE: Final = cues("unspaced_once")
_REJECTS: Final = cues("unspaced_rejects")
_RULES: Final = cues("unspaced_rules")
_STATES: Final = cues("unspaced_states")
_CONCRETE: Final = cues("unspaced_concrete")
_TROUBLE: Final = cues("unspaced_trouble")
_PERSON: Final = cues("unspaced_person")
_PROJECT: Final = cues("unspaced_project")
_OPENERS: Final = cues("unspaced_openers")


def is_unspaced(text: str) -> bool:
    """Whether a text is written without spaces between words: it has more such characters than words with spaces.

    >>> is_unspaced("redis 在 6380 端口"), is_unspaced("what does 你好 mean?")
    (True, False)
    """
    return not text.isascii() and len(_UNSPACED.findall(text)) > len(_SPACED.findall(text))


def unspaced_findings(message: str) -> list[Finding]:
    """Return what can be learned from one message.

    >>> [(one.type.value, one.text) for one in unspaced_findings("不对，端口是 5433，不是 5432。好的，继续")]
    [('correction', '端口是 5433，不是 5432')]
    """
    found: list[Finding] = []
    for text in _sentences(message):
        finding = _finding(text)
        if finding is None:
            continue
        if found and LearningType.CORRECTION in (found[-1].type, finding.type) and _goes_on(found[-1], finding):
            found[-1] = replace(found[-1], type=LearningType.CORRECTION, text=f"{found[-1].text}。{finding.text}")
        else:
            found.append(finding)
    return [replace(one, text=shortened(one.text), scope=_scope(one)) for one in found]


def _sentences(message: str) -> Iterator[str]:
    for lines in passages(message):
        for line in lines:
            yield from (one.strip() for one in _SENTENCE.findall(line.text) if one.strip())


def _finding(text: str) -> Finding | None:
    if _ASKS.search(text) or _ONCE.search(text):
        return None
    rejects = _REJECTS.search(text) is not None
    core = _OPENERS.exact.sub("", text, count=1) if _OPENERS.match(text) else text
    core = core.strip("。.!！ ")
    if not core:
        return None
    states = _STATES.search(core) is not None
    if rejects and (states or _RULES.search(core)):
        return Finding(LearningType.CORRECTION, core, 0.85)
    if _RULES.search(core):
        return Finding(LearningType.PREFERENCE, core, 0.85)
    if states and _CONCRETE.search(core) and not _TROUBLE.search(core):
        return Finding(LearningType.FACT, core, 0.75)
    return None


def _goes_on(before: Finding, finding: Finding) -> bool:
    """Whether a correction and its neighbour are one: "30 seconds. Not 3."."""
    return finding.type in (LearningType.CORRECTION, LearningType.FACT) and before.type is not LearningType.PREFERENCE


def _scope(finding: Finding) -> Scope:
    """The person's is what is about them and names nothing of the project."""
    is_persons = _PERSON.search(finding.text) is not None and not _PROJECT.search(finding.text)
    return Scope.PERSON if is_persons else Scope.PROJECT
