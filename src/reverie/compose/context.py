"""Soul, user, learnings, actions -> the text that an agent is told when a session starts, and later the news.

Everything stands inside our own marker, which capture removes again: Reverie never remembers its own recall.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from reverie.foundation.text import fair_shares, inert
from reverie.mirrors import SECTION, uncommented
from reverie.records import Action, Learned, LearningType, Owner, Priority
from reverie.settings import ContextSettings

TAG = "reverie-context"

_HEADINGS = {
    LearningType.FACT: "Facts",
    LearningType.PATTERN: "Patterns",
    LearningType.CORRECTION: "Corrections",
    LearningType.PREFERENCE: "More preferences",  # beside those in user.md, which has a heading "Preferences"
}
_MARKS = {Priority.URGENT: "[URGENT] ", Priority.HIGH: "[HIGH] ", Priority.NORMAL: ""}
LEARNING_HOURS = 48  # older learnings are found by search; preferences stay in user.md
MAX_LEARNINGS = 40  # newest first; an agent that reads a wall of text reads none of it
_MAX_ACTIONS = 20  # the most pressing first
_LONGEST_LINE = 400
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class InjectedContext:
    """Text to inject (empty if there is nothing to say), and the ids of what it shows."""

    text: str
    shown: frozenset[str]


def session_context(
    soul: str,
    user: str,
    learnings: Sequence[Learned],
    actions: Sequence[Action],
    settings: ContextSettings,
) -> InjectedContext:
    """Everything, as at the start of a session. Parts that are empty are not mentioned."""
    parts = [
        partial(_fit_soul, inert(said(soul))),
        partial(_fit_user, inert(said(user))),
        partial(_fit_learnings, _told(learnings), MAX_LEARNINGS),
        partial(_fit_actions, _due(actions), _MAX_ACTIONS),
    ]
    return _wrap(parts, settings.max_chars)


def news(
    learnings: Sequence[Learned], actions: Sequence[Action], shown: frozenset[str], settings: ContextSettings
) -> InjectedContext:
    """Only what the agent of this session has not been shown yet."""
    parts = [
        partial(_fit_learnings, _told(learnings, shown), MAX_LEARNINGS),
        partial(_fit_actions, _due(actions, shown), _MAX_ACTIONS),
    ]
    context = _wrap(parts, settings.max_chars)
    return InjectedContext(context.text, shown | context.shown)


def _told(learnings: Sequence[Learned], shown: frozenset[str] = frozenset()) -> list[Learned]:
    """Return the learnings that may be told as knowledge. Of equal texts only the newest, and none that was shown."""
    known = {it.text.casefold() for it in learnings if it.id in shown}
    newest: dict[str, Learned] = {}
    for it in learnings:
        if not it.is_held_back and it.text.casefold() not in known:
            newest.setdefault(it.text.casefold(), it)
    return list(newest.values())


def _due(actions: Sequence[Action], shown: frozenset[str] = frozenset()) -> list[Action]:
    """Return the actions that were not shown. Only the person and their agents ask for actions, not tools or others."""
    return [it for it in actions if it.id not in shown and it.trust.has_a_say]


# ---- each part in the room that it has; what is cut says so, and where the rest is

_Part = Callable[[int], InjectedContext]
_EVERYTHING = 1 << 40  # more room than any part needs


def _wrap(parts: Sequence[_Part], limit: int) -> InjectedContext:
    """The parts one after the other. Short ones are whole and long ones share what is left, so that none crowds another
    out: a user.md of 100 KB leaves the actions where they are."""
    wanted = [part for part in parts if part(_EVERYTHING).text]
    if not wanted:
        return InjectedContext("", frozenset())
    room = limit - len(_BETWEEN) * (len(wanted) - 1)
    shares = fair_shares([_size(part(_EVERYTHING).text) for part in wanted], room, room)
    fitted = [part(share) for part, share in zip(wanted, shares, strict=True)]
    body = _BETWEEN.join(part.text for part in fitted if part.text)
    return InjectedContext(f"<{TAG}>\n{body}\n</{TAG}>", frozenset().union(*[part.shown for part in fitted]))


def _fit_soul(text: str, room: int) -> InjectedContext:
    """Its beginning: who the agent is comes before the details."""
    return InjectedContext(_first_lines(text.splitlines(), "more of it in soul.md", room), frozenset())


def _fit_user(text: str, room: int) -> InjectedContext:
    """All of it but the oldest preferences; they are appended, so the newest stand last in their section."""
    if _size(text) <= room:
        return InjectedContext(text, frozenset())
    lines = text.splitlines()
    start = lines.index(SECTION) + 1 if SECTION in lines else len(lines)
    end = next((i for i in range(start, len(lines)) if lines[i].startswith("#")), len(lines))
    around, preferences = lines[:start] + lines[end:], [line for line in lines[start:end] if line.strip()]
    own = _first_lines(around, "more of it in user.md", max(room // 2, room - _size("\n".join(preferences))))
    kept: list[str] = []
    left = room - _size(own) - len("\n\n[… 000,000 older preferences in user.md]\n\n")
    for line in reversed(preferences):
        if (left := left - _size(line) - 1) < 0:
            break
        kept.insert(0, line)
    if len(kept) < len(preferences):
        kept.insert(0, f"[… {len(preferences) - len(kept):,} older preferences in user.md]")
    before = own.splitlines()
    if kept and SECTION not in before:
        before += ["", SECTION]
    at = before.index(SECTION) + 1 if kept else len(before)
    return InjectedContext("\n".join([*before[:at], "", *kept, *before[at:]]).strip(), frozenset())


def _first_lines(lines: Sequence[str], more: str, room: int) -> str:
    text = "\n".join(lines)
    if _size(text) <= room:
        return text
    kept: list[str] = []
    left = room - len(f"\n[… {more}]")
    for line in lines:
        if (left := left - _size(line) - 1) < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"[… {more}]"])


def _fit_learnings(learnings: Sequence[Learned], most: int, room: int) -> InjectedContext:
    """A heading per type. The newest come first in the list, and the oldest are left out."""
    told = [it for it in learnings if it.type in _HEADINGS]
    left = room - sum(len(f"## {heading}") + 2 * len(_BETWEEN) for heading in _HEADINGS.values())
    left -= len("[… 000,000 more; search finds them]")
    count = len(told[:most])
    if _size(_listed_learnings(told[:most], len(told))) > room:
        count = _that_fit([f"- {_line(it.text)}" for it in told[:most]], left)
    return InjectedContext(_listed_learnings(told[:count], len(told)), frozenset(it.id for it in told[:count]))


def _listed_learnings(learnings: Sequence[Learned], of: int) -> str:
    parts = []
    for kind, heading in _HEADINGS.items():
        lines = [f"- {_line(it.text)}" for it in learnings if it.type is kind]
        if lines:
            parts.append(f"## {heading}\n\n" + "\n".join(lines))
    if len(learnings) < of:
        parts.append(f"[… {of - len(learnings):,} more; search finds them]")
    return _BETWEEN.join(parts)


def _fit_actions(actions: Sequence[Action], most: int, room: int) -> InjectedContext:
    """The most pressing come first in the list."""
    if not actions:
        return InjectedContext("", frozenset())
    lines = [
        f"- {_MARKS[it.priority]}{_line(it.text)}{' (for the user to do)' if it.owner is Owner.USER else ''}"
        for it in actions
    ]
    count = min(most, len(lines))
    if _size(_listed_actions(lines, count)) > room:
        count = _that_fit(
            lines[:count], room - len(_listed_actions([], 0) + "\n[… 000,000 more; `reverie actions` lists them]")
        )
    return InjectedContext(_listed_actions(lines, count), frozenset(it.id for it in actions[:count]))


def _listed_actions(lines: Sequence[str], count: int) -> str:
    more = [f"[… {len(lines) - count:,} more; `reverie actions` lists them]"] if count < len(lines) else []
    return "## Pending actions\n\n" + "\n".join([*lines[:count], *more])


def _that_fit(lines: Sequence[str], room: int) -> int:
    count = 0
    for line in lines:
        if (room := room - _size(line) - 1) < 0:
            break
        count += 1
    return count


def _size(text: str) -> int:
    """As the agent's host counts: a character outside the first 65,536 is two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def said(text: str) -> str:
    """A person's file as an agent reads it: without comments, and without headings that have nothing under them.

    >>> said("# Me <!-- say\\nmore -->\\nI am Sam.\\n## Empty\\n")
    '# Me \\nI am Sam.'
    """
    text = uncommented(text)
    kept: list[str] = []
    below = ""  # the next line that says something
    for line in reversed(text.splitlines()):
        if line.startswith("#") and (not below or 0 < _depth(below) <= _depth(line)):
            continue
        below = line if line.strip() else below
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(reversed(kept)).strip()


def _depth(line: str) -> int:
    """Count the # signs of a heading; 0 for a line that is none."""
    return len(line) - len(line.lstrip("#"))


def _line(text: str) -> str:
    """Stored text as one line: it cannot start a heading or a list of its own."""
    flat = " ".join(text.split())
    flat = flat if len(flat) <= _LONGEST_LINE else flat[: _LONGEST_LINE - 1] + "…"
    return inert(flat)
