"""A recalled memory -> one line that says in words why it is there, and where it comes from; or the formula's terms."""

from collections.abc import Mapping
from datetime import UTC, datetime

from reverie.records import Recalled
from reverie.settings import RecallSettings

# How much of each part there must be for each phrase, the strongest first.
_PHRASES: Mapping[str, tuple[tuple[float, str], ...]] = {
    "own": ((0, "has words of the question"),),
    "ctx": ((0.25, "what was said around it is about that"),),
    "ses": ((0.6, "its session is about that"),),
    "cos": ((2.0, "means much the same"), (1.0, "is near in meaning")),
    "aside": ((0, "has to do with the goal or the plan"),),
    "always include": ((0, "is to be included always"),),
}
_CUES = {
    "speaker": "said by the person who is named",
    "there": "from a session that they take part in",
    "self": "said by the person who asks",
    "asst": "said by the assistant, as asked",
    "month": "from the time that is asked about",
}
_SHARES = {"own": "own words", "ctx": "its neighbours' words", "ses": "its session", "aside": "the goal and plan"}


def why(found: Recalled) -> str:
    """One line for one memory, in words."""
    parts = found.parts
    told = [
        next((words for least, words in phrases if parts.get(name, 0) > least), "")
        for name, phrases in _PHRASES.items()
    ]
    told += [words for name, words in _CUES.items() if parts.get(name)]
    return "; ".join(part for part in (", ".join(filter(None, told)), _provenance(found)) if part)


def formula(found: Recalled, settings: RecallSettings) -> str:
    """One line for one memory: what its score is made of."""
    terms = (
        f"{found.score:.3f} = {settings.similarity:g}·similarity {found.similarity:.2f} + {settings.recency:g}·recency "
        f"{found.recency:.2f} + {settings.importance:g}·importance {found.importance:.2f}"
    )
    if found.duplication:
        terms += f" − {settings.duplication:g}·duplication {found.duplication:.2f}"
    shares = [f"{words} {found.parts[name]:.2f}" for name, words in _SHARES.items() if found.parts.get(name)]
    if found.parts.get("cos"):
        shares.append(f"meaning {found.parts['cos']:+.1f}σ")
    return "; ".join(part for part in (terms, ", ".join(shares)) if part)


def _provenance(found: Recalled) -> str:
    item = found.item
    when = datetime.fromtimestamp(item.created_ms / 1000, UTC).isoformat(" ")[:16]  # to the minute
    who = f" by {item.speaker}" if item.speaker else ""
    sources = ", ".join(item.sources) if item.sources and item.sources != (item.id,) else ""
    past = f", superseded by {item.superseded_by}" if item.superseded_by else ""
    return (
        f"{item.type} of {when}{who} in {item.store} memory, trust {item.trust}"
        + (f", from {sources}" if sources else "")
        + past
    )
