"""The text of a preference -> a short stable key of its subject. A newer one with the same key replaces the older.

Two dangers pull in opposite directions. If the key is too narrow, "use spaces" does not replace "I prefer tabs"; if it
is too wide, "no emojis in commit messages" replaces "commit messages in English". So the cue files name only topics
whose answers exclude each other, and a topic is recognised by an answer in the place of a choice, not by a word
somewhere in the sentence: "use npm" is about the package manager, "run npm test before you push" is not. Where it is
wished belongs to the key as well: tabs in Go and spaces in Python go together. Everything else gets a key of its own
words, without those that say how much it is wished.
"""

import re
from functools import cache, lru_cache
from typing import Final

from reverie.distil.rules.cues import cue_lists, cue_words, group
from reverie.language.porter import stem

_OVER: Final = r",?\s(?:not|over|instead of|rather than|and not|statt|nicht)\s(?:the |with )?"


# Topics that are one for a person, wherever they work.
_EVERYWHERE: Final = frozenset(
    ("name", "pronouns", "time zone", "editor", "clock", "units", "reply language", "comment language", "answer length",
     "commit message language", "commit message style", "emojis in commit messages", "documentation language")
)  # fmt: skip
_LANGUAGES: Final = (
    r"python|golang|go|rust|java|kotlin|scala|javascript|js|typescript|ts|jsx|tsx|c\+\+|c#|ruby|php|swift|dart|elixir"
    r"|haskell|lua|perl|sql|html|s?css|yaml|yml|json|toml|xml|markdown|makefiles?|dockerfiles?|terraform|react|vue"
    r"|svelte|bash|shell"
)
_PARTS: Final = (
    r"front[- ]?end|back[- ]?end|docs?|documentation|readmes?|ui|unit tests|integration tests|e2e tests|scripts?"
    r"|commit messages?|commits?|comments?|notebooks?|migrations?|screenshots?|configs?|chat|examples?"
)
_ALL: Final = "(?:(?:the|our|my|your|all|any|every|its) )*"
# "in Go", "for the frontend tests"; "Python code"; "write docs in British spelling".
_PLACE: Final = re.compile(
    rf"\b(?:in|for|within|inside|throughout) {_ALL}(?P<place>{_LANGUAGES}|{_PARTS})(?!\w)"
    rf"|\b(?P<of>{_LANGUAGES}) (?:code|files?|tests?|projects?|modules?|scripts?)\b"
    rf"|\b(?:write|spell|format|keep|indent) {_ALL}(?P<what>{_LANGUAGES}|{_PARTS})(?!\w)"
)

# "Ask before deleting files" and "no need to ask before deleting a file" are about the same, installing is another.
_BEFORE_WHAT: Final = re.compile(r"\bask\b.{0,20}? before (?P<what>.+)")

# "Forget what I said about tabs" is about tabs.
_TAKEN_BACK: Final = re.compile(
    r"^.{0,20}\b(?:changed (?:my|our) minds? (?:about|on)|(?:forget|ignore|disregard|drop|scrap"
    r"|cancel) (?:what i (?:said|told you|wrote)"
    r"|my (?:rule|wish|preference|request)|the (?:rule|convention|policy)|that (?:rule|convention)|everything i said)"
    r" (?:about|on|with|that|regarding)|(?:you |u )?(?:can|may) (?:now )?(?:stop|quit|skip)|no longer|no need to"
    r"|(?:don't|do not) (?:need|have) to) (?:the |my |our )?"
)


@cache
def _topics() -> list[tuple[str, re.Pattern[str]]]:
    """The topics of the cue files: those known by what is said of them first, then those known by an answer."""
    said, chosen = [], []
    choosing, goes_on = group("choosing"), group("goes_on")
    for name in cue_lists():
        kind, _, topic = name.partition("_")
        if kind == "saying":
            said.append((topic.replace("_", " "), re.compile(group(name))))
        elif kind == "choice" and topic:
            answer = group(name)
            choice = re.compile(rf"{choosing}{answer}{goes_on}|\b{answer}{_OVER}{answer}\b")
            chosen.append((topic.replace("_", " "), choice))
    return said + chosen


# There is one favourite of a kind at a time, whichever it is.
_FAVOURITE: Final = re.compile(r"\bmy (?:new |own )?favou?rite (?P<kind>[\w -]{2,40}?) (?:is|are|is now|has become)\b")

_EMPTY: Final = cue_words("no_content")
_WORDS = re.compile(r"[^\W_][\w'./+#-]*")
_KEY_WORDS = 4


@lru_cache(maxsize=1_000)  # the same wish is said again
def subject_of(text: str) -> str:
    """A key for what a preference is about.

    >>> subject_of("I prefer tabs"), subject_of("use spaces from now on")
    ('indentation', 'indentation')
    >>> subject_of("Never push directly to main"), subject_of("You can push to main directly again.")
    ('directly main push', 'directly main push')
    >>> subject_of("My favourite editor is vim"), subject_of("my favorite editor is now Helix")
    ('favourite editor', 'favourite editor')
    """
    plain = _plain(text)
    if favourite := _FAVOURITE.search(plain):
        return f"favourite {favourite['kind']}"
    if topic := _topic(plain):
        return topic + _where(topic, plain)
    return _by_words(plain.replace("by default", ""), _KEY_WORDS) or plain[:80]


def topic_of(text: str) -> str:
    """The topic of the tables that a wish is about, wherever it is wished; "" if it is about none."""
    return _topic(_plain(text))


def _plain(text: str) -> str:
    return _TAKEN_BACK.sub("", " ".join(text.replace("’", "'").replace("`", "").lower().split()))


def _topic(plain: str) -> str:
    return next((topic for topic, recognised in _topics() if recognised.search(plain)), "")


def _by_words(text: str, most: int) -> str:
    found = [word.rstrip(".'/-") for word in _WORDS.findall(text)]
    content = list(dict.fromkeys(_stem(word) for word in found if word not in _EMPTY))
    return " ".join(sorted(content[:most]))[:80]


def _where(topic: str, plain: str) -> str:
    """Return what a topic is narrowed to, as the end of its key; "" if it is wished in general.

    >>> _where("quotes", "use single quotes in js"), _where("quotes", "use single quotes")
    (' in js', '')
    """
    if topic == "asking before acting":
        before = _BEFORE_WHAT.search(plain)
        return f": {stem(_by_words(before['what'], 1))}" if before else ""
    if topic in _EVERYWHERE or not (place := _PLACE.search(plain)):
        return ""
    named: str = place["place"] or place["of"] or place["what"]
    return f" in {_SAME.get(named, _stem(named))}"


_SAME: Final = {"golang": "go", "javascript": "js", "typescript": "ts", "yml": "yaml", "documentation": "doc"}


_ENDINGS = re.compile(r"(?<=\w{3})(?:(?<![su])s|(?<=[a-z]{3})(?:ing|ed))$")


def _stem(word: str) -> str:
    """A word without its ending, so that "before committing" and "before each commit" are the same.

    >>> [_stem(word) for word in ("committing", "commits", "class", "main.py")]
    ['commit', 'commit', 'class', 'main.py']
    """
    if not word.isalpha():
        return word
    short = _ENDINGS.sub("", f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word)
    if short != word and len(short) > 3 and short[-1] == short[-2] and short[-1] not in "ls":
        short = short[:-1]
    return short
