"""A recalled memory -> one line that says why it is there: the formula's terms, the cues, and where it comes from."""

from collections.abc import Mapping
from datetime import UTC, datetime

from reverie.records import Recalled
from reverie.settings import RecallSettings

_PARTS = {
    "own": "own words",
    "ctx": "its neighbours' words",
    "ses": "its session",
    "aside": "the goal and plan",
}
_CUES = {
    "speaker": "said by the person who is named",
    "there": "from a session that they take part in",
    "self": "said by the person who asks",
    "asst": "said by the assistant, as asked",
    "month": "from the time that is asked about",
    "onlyq": "only asks",
    "short": "very short",
}


def why(found: Recalled, settings: RecallSettings) -> str:
    """One line for one memory."""
    terms = (
        f"{found.score:.3f} = {settings.similarity:g}·similarity {found.similarity:.2f} + {settings.recency:g}·recency "
        f"{found.recency:.2f} + {settings.importance:g}·importance {found.importance:.2f}"
    )
    if found.duplication:
        terms += f" − {settings.duplication:g}·duplication {found.duplication:.2f}"
    return "; ".join(part for part in (terms, _evidence(found.parts), _provenance(found)) if part)


def _evidence(parts: Mapping[str, float]) -> str:
    told = [f"{words} {parts[name]:.2f}" for name, words in _PARTS.items() if parts.get(name)]
    if parts.get("cos"):
        told.append(f"meaning {parts['cos']:+.1f}σ")
    return ", ".join([*told, *(words for name, words in _CUES.items() if parts.get(name))])


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
