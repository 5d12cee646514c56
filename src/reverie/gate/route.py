"""An item and the memory types that there are in, the one that it belongs to out.

By type: transient reasoning goes to working memory, what happened to episodic, what was distilled to semantic memory.
By content, only where the type says little (`observation`): a how-to or a plain fact is distilled knowledge whatever it
is called. The content rules would rather miss a skill than take a log line for one: an episode is found again anyway.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from reverie.errors import UnknownMemoryType
from reverie.foundation.text import plural
from reverie.gate.sentence_kinds import asks, instructs, is_logged, is_narrated
from reverie.ports import MemoryType
from reverie.records import AUTO, CONVERSATION, EPISODIC, SEMANTIC, WORKING, ItemType, MemoryItem

BY_TYPE = {
    **dict.fromkeys((ItemType.THOUGHT, ItemType.PLAN, ItemType.METRIC), WORKING),
    **dict.fromkeys(
        (
            ItemType.USER_MESSAGE,
            ItemType.ASSISTANT_MESSAGE,
            ItemType.TOOL_RESULT,
            ItemType.OBSERVATION,
            ItemType.ERROR,
            ItemType.ACTION,
        ),
        EPISODIC,
    ),
    **dict.fromkeys(
        (
            ItemType.FACT,
            ItemType.PREFERENCE,
            ItemType.CORRECTION,
            ItemType.PATTERN,
            ItemType.SKILL,
            ItemType.SUMMARY,
            ItemType.INSIGHT,
            ItemType.POINTER,
            ItemType.GOAL,
        ),
        SEMANTIC,
    ),
}
# Where an item goes when its own memory type is switched off.
_INSTEAD = (EPISODIC, SEMANTIC, WORKING, CONVERSATION)

_LONGEST = 600  # characters; a distilled line is short, a report is not

_VERB = (
    r"(?:run|use|set|add|call|edit|open|start|stop|restart|rebuild|delete|remove|create|copy|pass|export|install|check|"
    r"enable|disable|bump|tag|push|pull|merge|rebase|commit|wrap|pin|clear|log|read|write|go|look|ask|write|put|"
    r"change|update|"
    r"regenerate|generate|apply|do|make|keep|avoid|prefer|switch|select|choose|click|mount|source|activate|fetch|reset|"
    r"revert|squash|increase|lower|raise|split|save|send|type|build|test|deploy|rotate|drain|scale|warm|seed|sort|"
    r"flash|hold|take)"
)
_BODY = rf"(?:you )?(?:can |should |must |need to |have to |first |just |always |never |simply |only |also )*{_VERB}\b"
_SKILL = re.compile(
    r"^\W*(?:skill|how[ -]?to|tip|lesson(?: learned)?|rule(?: of thumb)?|best practice|pattern|recipe|procedure|"
    r"playbook|runbook|"
    r"convention|workaround|trick|gotcha)\b[^:\n]{0,60}:\s*\S"
    rf"|^(?:in order )?to (?!be\b|do list|do:)[a-z]+\b(?:[^.!?\n]|\.\S){{0,120}}?[,:]\s*(?:then )?{_BODY}"
    rf"|^(?:when|whenever|if|before|after|once|every time|each time)\b(?:[^.!?\n]|\.\S){{3,120}}?,\s*(?:then )?{_BODY}"
    rf"|^(?:always|never)\s+{_VERB}\b|^(?:prefer|avoid)\s+\w"
    r"|^the (?:(?:right|best|safe|usual|recommended|fastest|correct|only) )?(?:way|trick|command) (?:to|"
    r"for) [^.\n]{3,100} is\b"
    rf"|^use [^.\n]{{2,80}}? (?:to|instead of|rather than|for|when) \w"
    rf"|^(?:steps?|how) (?:to|for) [^:\n]{{3,80}}:\s*(?:1[.)]|{_VERB})"
    r"|^\w[\w ]{2,60} (?:is|are) (?:done|deployed|released|built|tested|run|started|generated|installed|published|"
    r"rotated) (?:by|with|"
    r"using|via) "
    rf"|^for [^,.\n]{{3,60}}, {_BODY}",
    re.IGNORECASE,
)  # fmt: skip
_STATED = re.compile(
    r"^\W*(?:fact|decision|preference|convention|correction|summary|insight|learned|definition|"
    r"policy)\b[^:\n]{0,40}:\s*\S",
    re.IGNORECASE,
)
# What happened once, or is happening: not a skill, however it begins.
_ONCE = re.compile(
    r"\b(?:(?-i:I)|he|she|they)(?:'ve|'d| have| had| was| did| will|'ll)?\b(?! (?:can|could|should))|\b(?:we|"
    r"it) (?:ran|did|had|got|tried|"
    r"fixed|found|saw|were|was|just|failed|worked|took)\b|\b(?:just now|this time|yesterday|today|tonight|tomorrow|"
    r"last (?:night|week|"
    r"time|month|run)|earlier|so far|for now|right now|at the moment|currently|in this (?:run|session|turn|pr|step)|"
    r"once more|"
    r"step \d+ (?:of|/)|attempt \d|try \d|\d+ of \d+|this morning|next i\b|the current (?:task|step)|"
    r"still (?:failing|running))\b|"
    r"\blet me\b|\blet's\b|\?\s*$|\b(?:failed|succeeded|finished|crashed|passed|exited|completed|was|were|went|took|"
    r"ended)\b.{0,40}"
    r"(?:\.|$)|\bplease\b|\bnow\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Route:
    """A memory type's name, and why it."""

    store: str
    why: str


def route(
    item: MemoryItem,
    asked: str,
    known: Sequence[str],
    foreign_types: Sequence[MemoryType] = (),
    *,
    is_fact: bool = False,
) -> Route:
    """Choose the memory type of an item: the one it asks for, another's that takes it, or by its type and content."""
    if asked != AUTO:
        return Route(named(asked, known), f"it asked for {asked} memory")
    for foreign in foreign_types:
        if foreign.name in known and foreign.accepts(item):
            return Route(foreign.name, f"{foreign.name} memory takes it")
    wanted = BY_TYPE[item.type]
    why = f"{plural(item.type.replace('_', ' '))} go to {wanted} memory"
    if item.type is ItemType.OBSERVATION and (what := distilled(item.text) or ("fact" if is_fact else "")):
        wanted, why = SEMANTIC, f"it reads as a {what}, which goes to semantic memory"
    if wanted in known:
        return Route(wanted, why)
    return _instead(wanted, known)


def _instead(wanted: str, known: Sequence[str]) -> Route:
    for store in _INSTEAD:
        if store in known:
            return Route(store, f"there is no {wanted} memory here, so it goes to {store} memory")
    raise UnknownMemoryType(f"no memory type takes this: there is only {', '.join(known) or 'none'}")


def named(asked: str, known: Sequence[str]) -> str:
    """The name of a memory type, or an error that names the nearest.

    >>> named("semntic", ["working", "semantic"])
    Traceback (most recent call last):
    ...
    reverie.errors.UnknownMemoryType: no memory type "semntic"; did you mean "semantic"?
    """
    if asked in known:
        return asked
    near = get_close_matches(asked, known, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(known)}"
    raise UnknownMemoryType(f'no memory type "{asked}"; {hint}')


def distilled(text: str) -> str:
    """Return the kind of distilled knowledge that a text plainly is: a skill, a fact, or "".

    >>> distilled("To deploy, run make image and then make push"), distilled("To fix it I ran make twice")
    ('skill', '')
    """
    text = text.strip()
    if not text or len(text) > _LONGEST or is_logged(text) or is_narrated(text) or asks(text):
        return ""
    if _STATED.search(text):
        return "fact"
    if _SKILL.search(text) and not _ONCE.search(text):
        return "skill"
    return "" if not _is_numbered(text) or _ONCE.search(text) or not instructs(text) else "skill"


def _is_numbered(text: str) -> bool:
    """Whether it is a short list of steps."""
    return re.search(r"(?:^|\s)1[.)] .+(?:^|\s)2[.)] ", text, re.DOTALL) is not None
