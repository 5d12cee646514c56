"""Find out who said a text: what somebody else said, as the person tells it, is theirs ("Mallory said: …").

It goes by form, and in doubt a sentence is the writer's own: a thing that "says" something (the docs, a linter, Docker)
is no person, and who draws a conclusion ("…, so use tabs") speaks for themselves. Names are known by their capitals.
"""

import re
from collections.abc import Collection, Iterator

_LONGEST = 4_000  # characters; a longer text is not only what one person said
_LONGEST_SENTENCE = 600

_NAME = r"(?:Mc|Mac|O['’]|D['’])?[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_a-z][^\W\d_A-Z]+)?"
_ROLE = (
    r"(?:my|our|the|an?|his|her|their|another|one of (?:my|our|the)) (?:[\w-]+ ){0,2}?(?:boss|chef|manager|colleague|"
    r"co-?worker|client|customer|reviewer|teacher|professor|doctor|lawyer|accountant|friend|neighbou?r|wife|husband|"
    r"partner|brother|sister|mother|father|mom|mum|dad|son|daughter|lead|cto|ceo|cfo|pm|product owner|designer|"
    r"developer|engineer|admin|intern|guy|people|team|author|chefin|kollege|kollegin)s?"
)
_PERSON = rf"(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?{_NAME}(?: {_NAME}){{0,2}}(?: and {_NAME})?|(?i:{_ROLE})"
_WHO = (
    rf"(?P<who>{_PERSON}|(?i:he|she|they|someone|somebody|everyone|everybody))\b"
    r"(?: (?:from|of|in|at|on) [\w '-]{1,30}?)?"
)
_LEAD = (
    r"(?:(?i:btw|fyi|also|and|well|ok|oh|yesterday|today|earlier|recently|gestern|heute|"
    r"this (?:morning|afternoon|week)|last \w+|on \w+day|"
    r"in (?:the|our|a|today['’]s|yesterday['’]s) [\w-]+(?: [\w-]+)?|at (?:the|our) [\w-]+)[,:]? )*"
)
_SAYING = (
    r"(?:said|says|wrote|writes|mentions|mentioned|claims|claimed|suggests|suggested|recommends|recommended|insists|"
    r"insisted|states|stated|announced|argues|argued|advises|advised|explained|reported|confirmed|promised|"
    r"say(?=:| that)|(?:told|tells|warned|warns|reminded) (?:me|us|everyone|everybody|the team)|"
    r"(?:asked|asks|wants|wanted) (?:me|us|you) (?:to|not|never)|(?:asked|asks) (?:to|that|for)|"
    r"sagte?|meinte?|schrieb|schreibt|hat gesagt|dijo|dice|ha dicho|a dit|dit|écrit)"
)
_SAYS = re.compile(
    rf"{_LEAD}{_WHO} (?:(?:has|have|had|just|also|already|once|then|later|explicitly|always|clearly) )*{_SAYING}\b"
    r"(?: (?:to (?:me|us)|me|us|yesterday|today))?(?P<rest>.*)",
    re.DOTALL,
)
_QUOTED_FIRST = re.compile(
    rf"[\"“„«‘'].+[\"“”»’'],? (?:(?:said|says|wrote|sagte?|meinte?|dijo|a dit) {_WHO}|{_WHO.replace('who', 'she')} "
    r"(?:said|says|wrote|sagte?|meinte?))[^\w\"“]*$",
    re.DOTALL,
)
_ACCORDING = re.compile(
    rf"{_LEAD}(?i:according to|laut|selon|según|(?:a )?(?:quote|message|e?-?mail|note|word) (?:from|of|by)) {_WHO}"
    r"[,: ](?P<rest>.*)",
    re.DOTALL,
)
_MAY_REPORT = re.compile(rf"\b{_SAYING}\b|\b(?i:according to|laut|selon|según|quote|message|mail|note|word)\b")
# Nothing of what they said follows, or the writer goes on in words of their own.
_SAYS_NOTHING = re.compile(
    r"[\s,.:;!]*(?:(?:nothing|no|yes|hi|hello|so|it|that|this)\b[\s\w]{0,8}(?:[,.;!]|$)|nothing\b|$)"
)
_CONCLUDES = re.compile(
    r"[,;] (?:so|but|and so|and i|and we|therefore|hence|then|yet|though|although)\b", re.IGNORECASE
)
_OPEN_SPEECH = re.compile(
    r"\s*:\s*(?![\s\"“„«‘'])"
)  # after a colon, without quotation marks: to the end of the passage
# A sentence after such a speech in which the writer answers it.
_ANSWERS = re.compile(
    r"(?:(?:but|so|however|anyway|still|please|ok|okay|well|no|yes|you)\b|i (?:disagree|agree|don['’]t|told|said)\b"
    r"|.*\b(?:though|anyway)[.!]*$)",
    re.IGNORECASE | re.DOTALL,
)

# Words with a capital before "said" that name nobody: they begin a sentence, or they are things.
_NOBODY = frozenset(
    re.findall(
        r"\w+",
        "user human person "
        "it this that these those there here which what who whoever whatever if when whether where why how "
        "like as having easier never easily all well once since because while although though and or but so "
        "then tell ask remember please nobody nothing everything something anything one some most many few we "
        "you the docs documentation readme guide manual tutorial spec linter compiler terminal console log "
        "logs error warning output test tests build report policy contract ticket issue page website article "
        "book law rule rules comment config note claude chatgpt gpt gemini copilot codex cursor anthropic "
        "openai alexa siri assistant agent docker kubernetes postgres mysql redis sqlite python node npm pnpm "
        "yarn rust cargo java maven gradle typescript javascript react vue angular django flask rails "
        "terraform ansible jenkins github gitlab git bitbucket jira slack sentry grafana datadog stripe "
        "google microsoft apple amazon azure linux ubuntu debian windows vim emacs pytest mypy ruff eslint "
        "prettier webpack vite bash wikipedia reddit twitter stackoverflow make poetry pip uv",
    )
)
_STOP = re.compile(r"(?<=[.!?…])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bProf\.)[\"”’)]*\s+")
_BLANK_LINE = re.compile(r"\n\s*\n")


def reported_by(text: str, own_names: Collection[str] = ()) -> str:
    """Return who said a text, if all of it is reported; "" if any of it is the writer's own.

    >>> reported_by("Mallory said: always deploy on Fridays"), reported_by("I said: use tabs")
    ('Mallory', '')
    """
    if len(text) > _LONGEST or not _MAY_REPORT.search(text):
        return ""
    said = speeches(text, own_names)
    return said[0][0] if said and all(who for who, _ in said) else ""


def speeches(text: str, own_names: Collection[str] = ()) -> list[tuple[str, str]]:
    """The sentences of a text, each with who said it: nobody's name where it is the writer's own word.

    >>> speeches("Ship it. Bob said that it is ready.")
    [('', 'Ship it.'), ('Bob', 'Bob said that it is ready.')]
    """
    return [speech for passage in _BLANK_LINE.split(text) for speech in _of_passage(passage, own_names)]


def _of_passage(passage: str, own_names: Collection[str]) -> Iterator[tuple[str, str]]:
    speaking = ""  # whose speech goes on to the end of the passage
    for sentence in _STOP.split(passage.strip()):
        if not sentence:
            continue
        if speaking and not _ANSWERS.match(sentence):
            yield speaking, sentence
            continue
        who, goes_on = _report(sentence) if len(sentence) <= _LONGEST_SENTENCE else ("", False)
        who = "" if who.casefold() in own_names else who
        speaking = who if goes_on else ""
        yield who, sentence


def _report(sentence: str) -> tuple[str, bool]:
    """Return who said a sentence if it is reported, and whether what follows is theirs as well."""
    if quoted := _QUOTED_FIRST.match(sentence):
        return _somebody(quoted["who"] or quoted["she"]), False
    found = _SAYS.match(sentence) or _ACCORDING.match(sentence)
    if not found or _SAYS_NOTHING.match(found["rest"]):
        return "", False
    goes_on = _OPEN_SPEECH.match(found["rest"]) is not None
    if not goes_on and _CONCLUDES.search(found["rest"]):
        return "", False
    return _somebody(found["who"]), goes_on


def _somebody(who: str) -> str:
    return "" if any(word in _NOBODY for word in who.casefold().split()[:2] if not _is_role(who)) else who


def _is_role(who: str) -> bool:
    return re.match(_ROLE, who, re.IGNORECASE) is not None
