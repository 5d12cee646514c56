"""A message -> its writer's sentences, without what is only supposed and without what somebody else said.

Each sentence comes twice: as it was written, and plain, in small letters with code and quotes blacked out, letter for
letter at the same places. Cues are looked for in the plain one, texts are cut from the written one. Questions stay,
marked, because what comes after them may lean on them.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from reverie.distil.said.cues import BOOK, anywhere, name
from reverie.distil.said.passages import OwnLine, passages
from reverie.distil.said.phrases import LowerText, bits, quick

_LONGEST = 600  # characters; what goes on longer without a full stop is not a sentence
_SHORT_MARKS = 40

CODE: Final = "ǁ"  # stands for each character of inline code; a letter, so that patterns see a word
QUOTE: Final = "ǂ"  # the same for each character between quotation marks


class Sentence(NamedTuple):
    """One sentence. A request is a question that asks to do something: "could you always number them?"."""

    text: str
    plain: LowerText
    is_question: bool = False
    is_request: bool = False
    is_listed: bool = False
    follows_quote: bool = False
    leads_to_question: bool = False


def sentences(message: str) -> list[Sentence]:
    """Split a message into its writer's own sentences, in order.

    >>> [s.text for s in sentences('Always use tabs. Suppose we did: why? ```# never```')]
    ['Always use tabs.']
    """
    found: list[Sentence] = []
    read = [[(line, BOOK.read(_plain(line.text))) for line in _joined(lines)] for lines in passages(message)]
    for passage in read:
        for sentence in _split(passage):
            if _NOT_OWN & sentence.plain.seen:
                if _SUPPOSES.match(sentence.plain) or _SHOWS_A_TEXT.match(sentence.plain):
                    break  # the rest of the passage leans on it
                if _REPORTS.search(sentence.plain) and not _YOURS.search(sentence.plain.text):
                    continue
                if _NOT_MEANT.search(sentence.plain):
                    if _KIDDING.search(sentence.plain.text):
                        del found[-1:]
                    continue
            found.append(sentence)
    return found


# ---- what kind of sentence it is

_ASKS: Final = anywhere(r"""
    ^(?:(?:and|so|but|ok|okay|hm+|hey|hi|also|btw|now|or|then|quick question|question|anyway|well|oh|wait|y|et|
        und)[,:]?\s+)*¿?(?:what|
        which|who|
        whose|why|how|where|wie|warum|wieso|welche[rs]?|was|wo|qué|cómo|cuál|dónde|pourquoi|comment|quel|quelle|
        est-ce|
        when (?:do|does|did|is|are|would|should|can|will|to)|is|are|was|were|do (?:you|we|i|they|the|u)|does|did|
        should|
        shall|am i|have (?:you|we|i)|has (?:it|the|anyone)|had|can|could|would|will|any idea|isn't|aren't|doesn't|
        didn't|don't (?:you|we))\b(?!\s(?:we|i) (?:like to |want to )?work\b[\w ]{0,30}:)(?!\s(?:i say is|i want|i know|
        i like|i'd like|i would like|i prefer|i expect|
        you want)\b)
""")
_REQUESTS: Final = anywhere(r"""
    ^(?:(?:and|so|but|ok|okay|hey|hi|hello|also|btw|then|oh|please)[,:]?\s+)*(?:can|could|would(?! you (?!please|mind|
        kindly|always|be so|be able))|will|kannst|
        könntest|
        puedes|podrías|peux-tu|pourrais-tu)\b(?!\s(?:i|it|this|that|the|they|he|she|there)\b)\s?(?:you|u|du|tú|
        mind)?\b
""")
_SUPPOSES: Final = anywhere(r"""
    ^(?:(?:so|and|but|ok|okay|hm+|well|now|hey|y|und|et|just)[,:]?\s+)*(?:what if|suppos(?:e|ing)|imagine|
        assum(?:e|ing)\b|let'?s (?:say|pretend|assume|imagine|suppose)|say (?:we|i|you|that|my|our)\b|pretend|
        hypothetical|in theory|theoretically|(?:user )?stor(?:y|ies)(?: \d+)?:|scenario:|acceptance criteri|
        (?:let'?s|let us) (?:play|role-?play|do a role)|role-?play|
        you(?:'re|'?ll be| are| will be) (?:now )?an? (?:[\w-]+ ){0,4}?(?:assistants?|bot|chatbot|agent|engineer|
        developer|
        expert|tutor|teacher|pirate|sysadmin|reviewer|translator|interviewer|writer|customer|master|consultant|
        analyst|architect|coach|recruiter|manager|critic)\b|for the sake of|as an? (?:thought )?(?:experiment|
        example)|ideally|
        in (?:a perfect|an ideal) world|i wish\b|if only\b|had (?:we|i|you|it)\b|were (?:we|i|you|it)\b|
        for (?:example|instance)\b|e\.g\.|if (?:i|we|you|it|they|he|she|someone|somebody|one) (?:were|had|was|did|
        would|could|
        ever|\w+ed|said|told|went|chose|wrote)\b|
        if (?:the|a|an|our|your|some|any) (?:user|client|customer|caller|person|bot|someone)\b|
        if (?:someone|somebody|users|one)\b|angenommen|nehmen wir an|stell dir vor|
        wenn (?:ich|wir) .{1,40}(?:würde|hätte|wäre)|supongamos|imagina|si (?:usara|tuvier|fuera|prefirier)|
        imaginons|
        supposons|admettons|si (?:on|j'|je|nous) \w+(?:ait|ions|ais)\b)
""")
# "Improve this prompt: always answer politely" shows a text in the same line, "put in the README: we use npm" dictates
# one. Not "write this down:", nor what is put where an agent keeps what it has to know.
name(asked=r"^(?:(?:please|pls|can you|could you|now|and|ok|hey|then|also|bitte)[,:]? )*")
_SHOWS_A_TEXT: Final = anywhere(r"""
    <asked>(?:translate|proof-?read|summari[sz]e|rephrase|reword|rewrite|
        improve|shorten|polish|explain|review|check|fix|answer|comment on|what does|what do you think|is this|
        thoughts on|
        draft|generate|print|say|parse|format|classify|extract|tweet|reply|respond|convert)\b[^:]{0,80}:\s+\S
    <asked>write\b(?![^:]{0,20}\bdown\b)[^:]{0,80}:\s+\S
    <asked>(?:tell|send|text|e-?mail|post|announce) (?:him|her|them|this|that|it|the|my|our|an?|every\w+|all|in|on|
        to)\b[^:]{0,80}:\s+\S
    <asked>tell (?!me\b|us\b)[\w-]+:\s+\S
    <asked>(?:schreibe?|antworte|formuliere?|übersetze?|poste|schicke?|sende?|sage?)\b(?![^:]{0,80}\b(?:auf|immer|nie|
        niemals|ab jetzt|künftig|mir|uns)\b)[^:]{0,80}:\s+\S
    <asked>(?:put|add|append|insert|paste|include|mention|füge?|setze?|trage?)\b(?![^:]{0,60}\b(?:memory|rules?|
        (?<!release )notes|todos?|to-do|backlog|list|claude\.md|agents\.md|every|each|always|immer|from now on|
        ab jetzt)\b)[^:]{0,60}\b(?:readme|docs?|documentation|doku|wiki|faq|guide|manual|contributing|changelog|
        release notes|comment|description|docstring|footer|header|banner|page|site|template|e?-?mail|message|ticket|
        issue|pr|[\w/-]+\.(?:md|txt|rst|adoc|html?|tex|ya?ml|json|toml))\b[^:]{0,40}:\s+\S+ \S+ \S
    <asked>(?:make|let|have) (?!me\b|us\b|your\b|sure\b)[^:]{1,40}\b(?:say|reply|answer|respond|print|write|display|
        show|return)\b[^:]{0,40}:\s+\S
""")
# Somebody else's words or wishes without quotation marks, or words that the writer takes back.
_REPORTS: Final = anywhere(r"""
    \b(?=[cdirsw])(?<![/.@_-])(?<!\bi )(?<!\byou )(?<!\bjust )(?<!\bwe )(?<!\bhave )(?<!\byour )(?<!\bi never )(?:says?|
        said|wrote|writes(?=:| that| in| ǂ)|claims?|claimed|
        recommends?|recommended|
        suggests?|states|insists?|sagt|schreibt|dice|dit|reads(?=:| ǂ))\b(?! (?:hi|hello|
        goodbye|so)\b)(?!:? (?:something|
        nothing|no\b))
    \b(?:according to|in the (?:voice|style) of|apparently|supposedly|allegedly|laut|selon|según|not that i)\b
    (?<!\brather you )(?<!\brather u )(?<!\bif you )\b(?:told|tells|asked|warned) (?:me|us)\b
    \bi (?:was told|heard)\b
    \bi(?:'ve)? read (?:that|in|somewhere|online|on (?:the|a|reddit|hn|twitter|stack\w*))\b
    \bi've heard\b
    (?<!\bas )\bif (?:it|there|they|he|she|the \w+) (?:were|had|was)\b
    \bif (?:i|we) (?:told|said|were|had)\b
    \b(?:can't|cannot|can not|couldn't|wouldn't) (?:really )?say\b
    \b(?:boss|manager|colleague|co-?worker|client|customer|reviewer|teacher|professor|friend|team ?lead|cto|pm|
        wife|husband|
        brother|sister|dev|developer|guy|person|people|users|everyone|everybody|nobody|author|docs|readme|doc|
        guide|book|
        tutorial|article)s?\b[\w ]{0,20}\b(?:wants?|likes?|prefers?|insists?|thinks?|loves?|hates?|always|never|
        expects?|
        asked|believes?|demands?|recommends?)\b
""")
# Not meant, or long past: "oh sure, let's do it all again, what could go wrong", "in my last job we used SVN".
_NOT_MEANT: Final = anywhere(r"""
    \bwhat (?:could|can) (?:possibly |ever )?go wrong\b
    ^(?:(?:and|but|so|ok|well|lol|haha|ha|ah)[,!]? )*(?:oh|haha|lol|ha|yeah|yea|yep)[,!]? (?:sure|great|yeah|yes|right|
        totally|of course|brilliant|wonderful)[,!]? (?:let's|lets|let us|from now on|because|why not|just|remind|we'll|
        i'll)\b
    ^(?:(?:and|but|so|ok|well)[,:]? )*(?:yeah|yea) right\b
    \b(?:note to self|remind me)\b.*\b(?:lol|lmao|rofl|haha|hahaha|hehe)\b
    \bnote to self\b.*[😂🤣😜😆]
    ^(?:(?:no|nah|haha|lol|ok|ha)[,!]? )*(?:(?:i'm )?(?:just |only )?(?:kidding|joking)|jk)\b
    \b(?:in|at) (?:my|our) (?:last|previous|former|old|earlier|first|ex) (?:job|company|team|employer|workplace|gig|
        startup|
        role|position|firm|place)\b,? (?!.*\b(?:here|now)\b)
    ^(?:(?:and|but|so|ok|well|btw)[,:]? )*(?:back (?:when|in (?:the|my|\d{4}))|(?:many |some |\w+ )?years ago|
        in the old days|
        when i (?:was|worked|used to))\b(?!.*\b(?:here|now)\b)
    \b(?:in meine[mr] (?:letzten|alten|vorigen|früheren) \w+|en mi (?:anterior|antigu[oa]|últim[oa]) \w+|
        en mi \w+ anterior|dans mon ancien(?:ne)? \w+)\b
""")
_KIDDING = re.compile(r"\b(?:kidding|joking|jk)\b")
_YOURS = re.compile(r"\byour (?:\w+ ){1,5}(?:says?|claims?|states|recommends?|suggests?)\b")  # what the agent wrote
_NOT_OWN = bits(_SUPPOSES, _SHOWS_A_TEXT, _REPORTS, _NOT_MEANT)
_TAG_QUESTION: Final = re.compile(
    r"[,.;—–-]? (?:ok|okay|yes|alright|deal|got it|understood|agreed|please|sounds good|fine)\s*\?+$"
)

# ---- where a sentence begins and ends

_QUOTED = re.compile(
    r"""`+[^`]{1,300}`+
    | (?<![\w"])"(?=\S)[^"]{1,600}" | “[^”]{1,600}[”“] | „[^“”]{1,600}[“”] | «[^»]{1,600}»
    | (?<![\w'])'(?=[^\s'])(?:[^']|'(?=\w)){1,300}'(?!\w) | (?<!\w)‘(?:[^’]|’(?=\w)){1,300}’(?!\w)""",
    re.VERBOSE,
)
_QUOTATION_MARKS = "`\"“„«'‘"
_STOP = re.compile(r"[.!?…]+[)\]]*(?=\s|$)")
_STOP_OR_SMILE = re.compile(_STOP.pattern + r"|(?<=\s)[:;]-?[)dp(](?=[\s,.)]|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|incl|resp|cf|z\.b|bzw|ca|d\.h|u\.a|p\.ej|nr|dr|mr|mrs|st)|(?<![\w.])p"
    r"|\b(?:am|vom|zum|dem|der|ab) \d\d?)\.$"
)
# Where a second thought begins that is better looked at by itself: a question after a statement, or another wish.
_THEN_ASKS = re.compile(
    r"[,;]\s+(?:(?:and|so|but|und|y|et)\s+)*(?=(?:can|could|would|will) (?:you|u|we|i)\b"
    r"|(?:how|why|where) (?:do|does|did|can|could|should|would|to|come|is|are)\b|what(?:'s| is| are| would"
    r"| should| do| does)\b"
    r"|which (?:of|one|\w+ (?:is|are|should|would|do))\b|should (?:i|we)\b|is (?:there|it|that|this)\b"
    r"|are (?:there|they)\b"
    r"|does (?:it|that|this|the)\b|do (?:you|i|we)\b|any idea)"
    r"|;\s+(?=(?:please\s|pls\s)?(?:remind me|don't|do not|always|never|please|what|how)\b)"
)
_THEN_WISHES = re.compile(
    r"(?:[,;]|(?<=\w))\s+(?:(?:and|so|but|also|oh|then|und|y|et)\s+)*(?=(?:please\s|pls\s)?remind me\s(?:to|about"
    r"|that)\b"
    r"|don't let me forget\s\w)"
    r"|(?:[,;]\s+(?:(?:and|so|but|also|oh|then)\s+)*|\s(?:and|also|but)\s+)(?=from now on\b.{10}|call me\s"
    r"|i prefer\b|my name is\b)"
    r"|[,;]\s+(?:and|so|but)\s+(?=[^,;]{1,60}\bfrom now on[.!]*$)"
)
_WISHES = ("remind me", "let me forget", "from now on", "call me", "i prefer", "my name is")
# One of these is where a line is parted into sentences or thoughts. Many lines have none, and RE2 is quick to say so.
# "TODO: urgent!" is how a thing to do begins.
_ONLY_MARKS = re.compile(
    r"\s*(?:todo|to-do|reminder|note to self|follow-?up)\b(?:[\s:!,(-]+(?:urgent|asap|important|critical"
    r"|high prio(?:rity)?"
    r"|low prio(?:rity)?|prio(?:rity)? \w+|p[0-3]|dringend|wichtig|urgente|importante))*[\s:!,)]*$"
)
_MAY_BE_PARTED = quick(r"[,;]| :|[.!?][)\]]*(?: |$)|[^ -~]|" + "|".join(_WISHES))
_ASIDE = re.compile(r"\(([^()]{10,300})\)")


def _split(lines: list[tuple[OwnLine, LowerText]]) -> Iterator[Sentence]:
    """The sentences of some lines. What may be in a line may be in each of its sentences: it is read only once."""
    for line, (plain, seen) in lines:
        for start, end, leads in _spans(plain):
            for sentence in _sentence(line.text[start:end], LowerText(plain[start:end], seen), line, leads):
                yield sentence
                line = line._replace(follows_quote=False) if line.follows_quote else line


def _joined(lines: list[OwnLine]) -> Iterator[OwnLine]:
    """Lines that were only broken at the margin, put together again."""
    begun = lines[0]
    text = begun.text
    for line in lines[1:]:
        if not line.is_listed and len(text) >= 50 and text[-1] not in ".!?:;…" and line.text[0].islower():
            text = f"{text} {line.text}"
        else:
            yield OwnLine(text, begun.is_listed, begun.follows_quote)
            begun, text = line, line.text
    yield OwnLine(text, begun.is_listed, begun.follows_quote)


def _plain(text: str) -> str:
    """Quotes blacked out, and small letters, as many as before: a few capitals become two letters, and those stay."""
    if any(map(text.__contains__, _QUOTATION_MARKS)):
        text = _QUOTED.sub(_blacked_out, text)
    small = text.lower()
    if len(small) != len(text):
        small = "".join(one if len(one := letter.lower()) == 1 else letter for letter in text)
    return small.replace("’", "'").replace("\u00a0", " ")


def _blacked_out(quoted: re.Match[str]) -> str:
    return (CODE if quoted[0][0] == "`" else QUOTE) * len(quoted[0])


def _spans(plain: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the places of the sentences, and whether they lead to a question."""
    if not _MAY_BE_PARTED(plain.encode("utf-8", "replace")):
        if len(plain) <= _LONGEST:
            yield 0, len(plain), False
        return
    has_wishes = any(map(plain.__contains__, _WISHES))
    smiles = " :" in plain or " ;" in plain
    start = 0
    for stop in [*(_STOP_OR_SMILE if smiles else _STOP).finditer(plain), None]:
        end = stop.end() if stop else len(plain)
        mark = stop[0] if stop else ""
        if mark == "." and _ABBREVIATION.search(plain, max(start, end - 8), end):
            continue
        if "!" in mark and end - start < _SHORT_MARKS and _ONLY_MARKS.match(plain[start:end]):
            continue
        if end - start <= _LONGEST:
            if has_wishes or plain.find(",", start, end) >= 0 or plain.find(";", start, end) >= 0:
                yield from _thoughts(plain, start, end, has_wishes)
            else:
                yield start, end, False
        start = end


def _thoughts(plain: str, start: int, end: int, has_wishes: bool) -> Iterator[tuple[int, int, bool]]:
    # Where one thought ends, and whether a question may follow.
    turns = {turn.start(): True for turn in _THEN_ASKS.finditer(plain, start, end)}
    if has_wishes:
        turns |= {turn.start(): False for turn in _THEN_WISHES.finditer(plain, start, end)}
    if turns and _ASKS.exact.match(plain[start:end].lstrip()):
        turns = {}
    for turn in sorted(turns):
        if turn > start:
            yield start, turn, turns[turn] and _ASKS.exact.match(plain[turn:end].lstrip(" ,;")) is not None
            start = turn
    yield start, end, False


def _sentence(text: str, read: LowerText, line: OwnLine, leads_to_question: bool = False) -> Iterator[Sentence]:
    """The sentence, and what it says in passing in parentheses."""
    plain, seen = read
    asides = []
    if "(" in plain:
        asides = [aside for aside in _ASIDE.finditer(plain) if plain.count(" ", *aside.span()) > 1]
        if any(len(aside[0]) >= len(plain.strip()) - 2 for aside in asides):
            asides = []
        for aside in asides:
            plain = plain[: aside.start()] + " " * len(aside[0]) + plain[aside.end() :]
    written = text
    cut = len(plain) - len(plain.lstrip(" ,;-–—(•"))
    text, plain = text[cut:].rstrip(), plain[cut:].rstrip()
    if plain.endswith("?") and (tag := _TAG_QUESTION.search(plain)):
        text, plain = text[: tag.start()], plain[: tag.start()]
    if not any(map(str.isalnum, plain)):
        return
    read = LowerText(plain, seen)
    asks = plain.endswith("?") or _ASKS.match(read) is not None
    requests = asks and _REQUESTS.match(read) is not None
    yield Sentence(text, read, asks and not requests, requests, line.is_listed, line.follows_quote, leads_to_question)
    for aside in asides:
        yield from _sentence(
            written[aside.start(1) : aside.end(1)], LowerText(aside[1], seen), OwnLine("", line.is_listed)
        )
