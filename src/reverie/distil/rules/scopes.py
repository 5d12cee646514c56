"""The type and text of a learning -> its `Scope`: how far it holds.

In doubt it is the project's. The person's is what tells who they are, what they wish for themselves ("I prefer",
"call me", "answer in German"), and how they want code written everywhere, unless it names the project or what belongs
to one: its files, branches, releases, people.
"""

import re
from functools import lru_cache
from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.shared import KNOWN_NAMES
from reverie.records import LearningType, Scope

_DECIDES: Final = cues("decides")
_NAMES_THE_PROJECT: Final = cues("names_the_project")
_NAMES_THE_PERSON: Final = cues("names_the_person")
_ABOUT_THE_PERSON: Final = cues("about_the_person")
_WISH_OF_THE_PERSON: Final = cues("wish_of_the_person")
_WISH_OF_THE_PROJECT: Final = cues("wish_of_the_project")
_STYLE_OF_CODE: Final = cues("style_of_code")


@lru_cache(maxsize=1_000)
def scope_of(kind: LearningType, text: str) -> Scope:
    """Return whose a learning is.

    >>> scope_of(LearningType.PREFERENCE, "use pnpm here, not npm"), scope_of(LearningType.PREFERENCE, "I prefer tabs")
    (<Scope.PROJECT: 'project'>, <Scope.PERSON: 'person'>)
    >>> scope_of(LearningType.FACT, "I live in Berlin"), scope_of(LearningType.FACT, "Our CI runs on GitLab")
    (<Scope.PERSON: 'person'>, <Scope.PROJECT: 'project'>)
    >>> scope_of(LearningType.PREFERENCE, "soft delete orders, accounting needs them for 10 years")
    <Scope.PROJECT: 'project'>
    """
    plain = text.lower().replace("’", "'")
    match kind:
        case LearningType.PREFERENCE:
            is_persons = _is_the_persons_wish(plain)
        case LearningType.FACT | LearningType.CORRECTION if _NAMES_THE_PERSON.search(plain):
            is_persons = True
        case LearningType.FACT:
            is_others = _NAMES_THE_PROJECT.search(plain) or _DECIDES.match(plain)
            is_persons = _ABOUT_THE_PERSON.search(plain) is not None and not is_others
        case _:
            is_persons = False
    return Scope.PERSON if is_persons else Scope.PROJECT


def _is_the_persons_wish(plain: str) -> bool:
    if _NAMES_THE_PROJECT.search(plain):
        return False
    if _WISH_OF_THE_PERSON.search(plain):
        return True
    if _WISH_OF_THE_PROJECT.search(plain):
        return False
    return _STYLE_OF_CODE.search(plain) is not None or not KNOWN_NAMES.isdisjoint(_WORDS.findall(plain))


_WORDS = re.compile(r"[\w.+#-]*[\w+#]")
