"""Words that say nothing by themselves, as they are written; and a question without them.

Light, for a process that lives for one search: `words` and `telling` have the same words as stems.
"""

import re
from importlib.resources import files

# The words that hold a sentence together.
GRAMMAR_WORDS = (  # noqa: SIM905
    "a an the and or of to in on at for with by from about as is are was were be been do does did has have had what "
    "which who whom when where why how that this these those it its he she they his her their him them i you"
).split()
# Whoever asks also says whose it is, and how surely it is wanted.
_OF_QUESTIONS = {
    *GRAMMAR_WORDS,
    *"am me my mine we us our your yours can could will would shall should may might must please there".split(),  # noqa: SIM905
}
_ENDING = re.compile(r"(?:n['’]t|['’](?:s|m|d|ll|re|ve))\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ALSO_NAMES = ("Will", "May")


def asked_by(question: str) -> list[str]:
    """The words of a question, as they are written, without those that say nothing, unless there are no others.

    >>> asked_by("Where's my car?"), asked_by("Who is the IT contact of Will?"), asked_by("Who are you?")
    (['car'], ['IT', 'contact', 'Will'], ['Who', 'are', 'you'])
    """
    written = _WORD.findall(_ENDING.sub(" ", question))
    shouted = question.upper() == question
    telling = [word for place, word in enumerate(written) if _tells(word, is_first=place == 0, shouted=shouted)]
    return telling or written


def _tells(word: str, *, is_first: bool, shouted: bool) -> bool:
    is_name = (word in _ALSO_NAMES and not is_first) or (len(word) > 1 and word.isupper() and not shouted)
    return is_name or word.lower() not in _OF_QUESTIONS


def word_list(name: str) -> list[str]:
    """The words of a list in this folder; a line that begins with # says what follows."""
    lines = files("reverie.language").joinpath(name).read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]
