"""A learning -> the memory item that asks at the gate to be kept."""

from reverie.gate.subject import favourite_in, is_named, subject_in
from reverie.ports import Engine
from reverie.records import ItemType, Learned, LearningType, MemoryItem, Source, Trust

_ABOUT_SOMETHING = (LearningType.FACT, LearningType.CORRECTION)
_SOURCES = {
    Trust.PERSON: Source.USER,
    Trust.PERSON_FILE: Source.USER,
    Trust.ASSISTANT: Source.MODEL,
    Trust.OTHER_PEOPLE: Source.USER,
    Trust.LOCAL_TOOL: Source.TOOL,
    Trust.OUTSIDE_TOOL: Source.TOOL,
}


def item_of_learning(learned: Learned, engine: Engine) -> MemoryItem:
    """Return a learning as the gate sees it. What a person prefers goes with the person into every project."""
    return MemoryItem(
        id=engine.derived_id(learned.learned_ms, "learning item", learned.id, "0"),
        type=ItemType(learned.type.value),
        text=learned.text,
        created_ms=learned.learned_ms,
        user=engine.user,
        project=learned.project,
        session=learned.session,
        confidence=learned.confidence,
        source=_SOURCES[learned.trust],
        trust=learned.trust,
        position=learned.position,
        subject=_subject_of(learned, engine),
        sources=(learned.observation_id,),
        metadata={"origin": learned.origin} if learned.origin != "rules" else {},
    )


def _subject_of(learned: Learned, engine: Engine) -> str:
    """Find the subject of a learning where it depends on the speaker: "I live in Lisbon" is about them."""
    observation = engine.log.get(learned.observation_id)
    speaker = observation.speaker if observation else ""
    if learned.type is LearningType.PREFERENCE:
        told = f"{learned.subject} of {speaker}" if learned.subject and is_named(speaker) else learned.subject
        return favourite_in(learned.text, speaker) or told
    return subject_in(learned.text, speaker) if learned.type in _ABOUT_SOMETHING else ""
