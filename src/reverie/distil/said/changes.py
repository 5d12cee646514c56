"""Cues that a wish no longer holds, or that something is allowed again: a preference like any other.

What it is about has to come out as the same subject, so that it takes the place of what it changes (`subjects.py`).
"""

import re
from typing import Final

from reverie.distil.said.cues import cues
from reverie.distil.said.phrases import LowerText, bits

_CHANGES: Final = cues(r"""
    (?:you|u) (?:don't|do not) (?:need|have) to .{2,80}\b(?:any ?more|any longer|every ?time|each time|always|
        (?:after|at the end of|with|in|before) (?:every|each))
    (?:you|u) (?:needn't|need not) .{2,80}\b(?:any ?more|any longer)
    (?:you|u) no longer (?:need|have) to
    no need to .{2,80}\b(?:any ?more|any longer|from now on)
    (?:you|u) (?:can|may) (?:now )?(?:stop|quit|skip) (?:\w+ing|asking)
    (?:you|u|we) (?:can|may|could) (?:now )?(?:also )?(?:use|write|add|put|import|mock|log|mix|merge|squash|rebase|
        push|create|edit|
        commit|leave|include|touch) <bare>(?: (?:to|in|on|for|with|by|without) .{2,40})? again
    (?:you|u) (?:can|may) (?:now|again) (?:use|write|add|put|import|mock|log|mix|merge|squash|rebase|push|create|edit|
        commit|leave|
        include|touch) <bare>
    (?:you|u) (?:can|may) (?:use|write|add|put|import|mock|log|push|create|commit|include|touch|
        merge) <bare>(?: (?:to|in|on|for|
        without) .{2,40}?)? now
    it(?:'s| is) (?:fine|ok|okay|allowed|alright) to (?:use|write|add|put|import|mock|log|push|create|commit|include|
        touch|merge) <bare> now
    i(?:'m| am) (?:fine|ok|okay|happy|good) with <bare> (?:now|again|after all)
    (?:is|are) (?:fine|ok|okay|allowed|welcome|acceptable|permitted)(?: here| with me| by me)? (?:again|from now on|
        after all)
    (?:is|are) (?:ok|okay|allowed|welcome|acceptable|permitted)(?: here| with me| by me)? now
    it(?:'s| is) (?:fine|ok|okay|allowed|alright) (?:again|now) (?:to|if you)
    it(?:'s| is) (?:fine|ok|okay|allowed|alright) (?:to \w+|if you) .{2,60} (?:again|from now on)
    i (?:don't|do not) (?:want|like|care about|mind|insist on|need you to|need your) (?!this\b|that\b|
        it\b).{2,60}\b(?:any ?more|any longer)
    (?:i|we) no longer (?:want|like|prefer|care|mind|insist|require)
    i no longer need (?:you|the|your|any)
    (?:i|we)(?:'ve| have)? changed (?:my|our) minds? (?:about|on)
    (?:forget|ignore|disregard|drop|scrap|cancel) (?:what i (?:said|told you|wrote)|my (?:rule|wish|preference|
        request)|the (?:rule|
        convention|policy)|that (?:rule|convention)|everything i said) (?:about|on|with|that|regarding)
    (?:the|that|my|our) (?:rule|convention|policy|ban) (?:about|on|against|for|that) .{2,60}(?:no longer|
        doesn't (?:apply|hold)|does not (?:apply|
        hold)|is (?:gone|lifted|off|over|history|cancell?ed))
    (?:i|we) (?:prefer|like|want(?! to\b)) .{2,60} (?:now|again|after all|these days|nowadays)
    <clause>(?:go|going|switch|switching|back|change) (?:it )?(?:back )?to (?:tabs|spaces|\w+ spaces|(?:single|
        double) quotes|semicolons|npm|pnpm|yarn|
        bun|english|german|french|spanish|(?:short|long|detailed)\w* (?:answers|replies))
    no (?:tabs|spaces|semicolons|emojis|mocks|comments|abbreviations|docstrings|default exports) (?:any ?more|
        any longer|from now on)
    (?:tut|braucht) nicht mehr|nicht mehr nötig|ya no (?:hace falta|hay que|quiero)|plus besoin de
""")
STARTS = bits(_CHANGES)

# About the moment, or about one thing: "you don't need to look at that any more".
_ONE_THING = re.compile(
    r"\b(?:worry|wait|hurry|for now|right now|today|this time|this once|just once|for this|in this (?!repo"
    r"|repository|project|code ?base"
    r"|package|monorepo|service|team|app|library)\w+|(?:need|have) to (?:\w+ )?(?:it|that|this|them|these|those"
    r"|the (?:bug|issue|error"
    r"|problem|fix|pr|file|page|button|function|ticket))\b)"
)


def takes_back(plain: LowerText) -> bool:
    """Whether a sentence takes back or loosens a wish.

    >>> from reverie.distil.said.cues import BOOK
    >>> [takes_back(BOOK.read(text)) for text in ("you can use mocks in tests again", "you can run it again")]
    [True, False]
    """
    return _CHANGES.search(plain) is not None and _ONE_THING.search(plain.text) is None
