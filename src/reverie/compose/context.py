"""What an agent is told at the start of a session, and what is new later: soul, user, learnings, actions -> text.

Everything stands inside our own marker, which capture removes again: Reverie never remembers its own recall.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reverie.records import Action, Learned, LearningType, Owner, Priority, Trust
from reverie.settings import ContextSettings

TAG = "reverie-context"

_HEADINGS = {
    LearningType.FACT: "Facts",
    LearningType.PATTERN: "Patterns",
    LearningType.CORRECTION: "Corrections",
    LearningType.PREFERENCE: "Preferences",
}
_MARKS = {Priority.URGENT: "[URGENT] ", Priority.HIGH: "[HIGH] ", Priority.NORMAL: ""}
_LONGEST_LINE = 400


@dataclass(frozen=True, slots=True)
class Context:
    """Text to inject (empty if there is nothing to say), and the ids of what it shows."""

    text: str
    shown: frozenset[str]


def session_context(
    soul: str,
    user: str,
    learnings: Sequence[Learned],
    actions: Sequence[Action],
    settings: ContextSettings,
) -> Context:
    """Everything, as at the start of a session. Parts that are empty are not mentioned."""
    learnings, actions = _trusted(learnings)[: settings.max_learnings], _trusted(actions)
    parts = [_safe(said(soul)), _safe(said(user)), *_learning_parts(learnings), *_action_parts(actions)]
    return _wrap([part for part in parts if part], learnings, actions, settings)


def news(
    learnings: Sequence[Learned], actions: Sequence[Action], shown: frozenset[str], settings: ContextSettings
) -> Context:
    """Only what the agent of this session has not been shown yet."""
    fresh = [it for it in _trusted(learnings) if it.id not in shown][: settings.max_learnings]
    new_actions = [it for it in _trusted(actions) if it.id not in shown]
    parts = [*_learning_parts(fresh), *_action_parts(new_actions)]
    context = _wrap(parts, fresh, new_actions, settings)
    return Context(context.text, shown | context.shown)


def _trusted(things: Iterable[Learned] | Iterable[Action]) -> list:  # type: ignore[type-arg]
    """Nothing that only a web page or a foreign tool said reaches the agent as knowledge."""
    return [it for it in things if it.trust is not Trust.OUTSIDE_TOOL]


def _learning_parts(learnings: Sequence[Learned]) -> list[str]:
    parts = []
    for kind, heading in _HEADINGS.items():
        lines = [f"- {_line(it.text)}" for it in learnings if it.type is kind]
        if lines:
            parts.append(f"## {heading}\n\n" + "\n".join(lines))
    return parts


def _action_parts(actions: Sequence[Action]) -> list[str]:
    lines = [
        f"- {_MARKS[it.priority]}{_line(it.text)}{' (for the user to do)' if it.owner is Owner.USER else ''}"
        for it in actions
    ]
    return ["## Pending actions\n\n" + "\n".join(lines)] if lines else []


def said(text: str) -> str:
    """A person's file as an agent reads it: without comments, and without headings that have nothing under them.

    >>> said("# Me <!-- say\\nmore -->\\nI am Sam.\\n## Empty\\n")
    '# Me \\nI am Sam.'
    """
    while (start := text.find("<!--")) >= 0:
        end = text.find("-->", start)
        text = text[:start] + (text[end + 3 :] if end >= 0 else "")
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
    """How deep a heading is; 0 for a line that is none."""
    return len(line) - len(line.lstrip("#"))


def _line(text: str) -> str:
    """Stored text as one line: it cannot start a heading or a list of its own."""
    flat = " ".join(text.split())
    flat = flat if len(flat) <= _LONGEST_LINE else flat[: _LONGEST_LINE - 1] + "…"
    return _safe(flat)


def _safe(text: str) -> str:
    """No stored text can close or forge our marker."""
    for opening in ("<" + TAG, "</" + TAG):
        at = text.lower().find(opening)
        while at >= 0:
            text = text[:at] + "&lt;" + text[at + 1 :]
            at = text.lower().find(opening)
    return text


def _wrap(
    parts: Sequence[str], learnings: Sequence[Learned], actions: Sequence[Action], settings: ContextSettings
) -> Context:
    if not parts:
        return Context("", frozenset())
    body = "\n\n".join(parts)
    if len(body) > settings.max_chars:
        body = body[: settings.max_chars].rsplit("\n", 1)[0] + "\n[… more; search for it]"
    shown = frozenset(it.id for it in learnings) | frozenset(it.id for it in actions)
    return Context(f"<{TAG}>\n{body}\n</{TAG}>", shown)
