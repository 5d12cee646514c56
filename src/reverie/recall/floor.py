"""A ranked memory -> whether it has to do with the question at all: what comes up unasked should."""

from reverie.records import ReadContext, Recalled

_FEW = 20  # memories; the mean and deviation of fewer say nothing


def is_about(found: Recalled, context: ReadContext, floor: float, among: int) -> bool:
    """Whether a memory, or what was said around it, has a word of the question, or means much the same.

    `floor` is how close it must be in meaning otherwise, in standard deviations. Around what was said in this very
    session stands the question itself.
    """
    parts = found.parts
    nearby = parts.get("ctx", 0) > 0 and found.item.session != context.session
    return parts.get("own", 0) > 0 or nearby or (among >= _FEW and parts.get("cos", 0) >= floor)
