"""Cues that a short command is about every such thing and not about one: by what it leaves out.

"Don't use mocks in tests" and "use pnpm here, not npm" have no "always". But neither have they a "the", "this" or "a":
they speak of kinds of things, in a place that is wider than the task. "Don't use a mock in this test" does not.
"""

import re
from typing import Final

from reverie.distil.said.cues import KNOWN_NAMES, TROUBLE, cues
from reverie.distil.said.phrases import LowerText, bits, words

# "Use pnpm here, not npm", "tabs over spaces please": one kind of thing instead of another.
_CHOOSES_A_KIND: Final = cues(r"""
    <clause>(?:use|prefer|choose|take|go with|go for|stick (?:to|with)|stay (?:with|on)|write|import from|
        (?:test|build|lint|format|deploy|install|run|work|log|write|indent|plot)(?: \w+)? (?:with|in|
        using)) (?P<chosen><bare>)(?:,? (?P<where><here>))?,? (?:and |but )?(?:not|never|instead of|rather than|over|
        in place of) (?:with |in |from |use )?(?P<refused><bare>)
    ^<and_so>*(?P<first><bare>),? (?:not|instead of|rather than|over|before|beats|
        trumps) (?P<second><bare>),? (?P<wish>please|pls|for me|<here>)
    <clause>(?:use|prefer|stick (?:to|with)) (?P<only><bare>) (?P<there><here>)[.!]*$
""")
# "Don't use mocks in tests", "no abbreviations in names", "don't use sed to edit files".
_FORBIDS_A_KIND: Final = cues(r"""
    <clause>(?:don't|do not|dont|never|avoid|please no|no)(?: (?:ever )?(?:use|using|write|writing|add|adding|put|
        putting|import|importing|create|introduce|leave|commit|committing|make|call|calling|rely on|mock|mocking|
        catch|log|logging|
        hardcode|hard-code|store|nest|nesting|define|declare|throw|mix|do|edit|generate|include|have|need|
        want))? <bare> (?:in|inside|into|within|for|
        from|to|on) (?:<things>|the (?:docs|documentation|readme|changelog|comments|commit messages|code|
        ui|(?:unit|integration|e2e|end-to-end|acceptance|production|front-?end|back-?end|python|typescript|javascript|
        rust|java) (?:tests|code)))(?! yet)(?=$|[\s.,;!)]*(?:$|[,;.(—–-]|please|pls|use|we|i|it|they|that|those|because|
        since|but|and|at all|ever|unless|here|any ?more|in (?:this|our)))
    <clause>(?:don't|do not|dont|never) use <bare> (?:to|for|when) (?:<verb>|\w+ing) (?!the\b|this\b|that\b|these\b|
        those\b|it\b|an?\b|
        them\b)[\w./+#@ǁ-]+
""")
# "Use type hints everywhere", "write docstrings for all public functions".
_ASKS_FOR_A_KIND: Final = cues(r"""
    <clause>(?:use|using|write|prefer|keep|follow|name|format|spell|stick (?:to|with)|indent(?: with)?|
        quote with) <bare> (?:everywhere|always|
        throughout|across the board|(?:where|when)ever (?:possible|you can|it makes sense)|where possible|(?:in|for|
        on) (?:all|any|every|
        new|our) (?:[\w-]+ ){0,2}(?:files?|code|modules?|tests|classes|functions|methods|components|scripts|services|
        apis|endpoints|
        commits|prs|docs|queries))
    <clause>(?:use|write|name|format|spell|start|end|prefix|keep) (?:commits|commit messages|commit subjects|
        commit titles|pr titles|
        pr descriptions|docstrings|
        comments|variable names|branch names|test names|type hints|error messages|log messages|answers|dates|
        identifiers|imports|
        function names|class names|file ?names|tests|sql)\b.{0,40}\b(?:in|with|as|like|lower|upper|short|under|sorted|
        separate|small|brief)
    <clause>only (?:ever )?(?:run|test|lint|format|check|stage|commit|type-?check) .{1,40}\b(?:you|u) (?:changed?|
        touch(?:ed)?|edit(?:ed)?|modif(?:y|ied))
    ^<and_so>*prefer <bare>
    ^<and_so>*(?:all |our |my |your )?(?:commits|commit messages|pr titles|pr descriptions|pull requests|docstrings|
        code comments|variable names|
        function names|class names|branch names|test names|log messages|error messages|test files|migrations|
        public functions|
        public methods|api responses|identifiers|file ?names) (?:should|must|need to|have to|ought to|shouldn't|
        must not|should not)
    ^<and_so>*(?:each|every) (?:commit|pr|pull request|mr|merge request|branch|release|migration|
        commit message) (?:should|
        must|needs?|has to|gets)
    <clause>stop (?:using|writing|putting|importing|creating) <bare> (?:in|for|inside) <things>
    i (?:always |usually |only |normally )?(?:use|write) <bare>,? (?:not|instead of|rather than) <bare>
""")
# Who works here does it so, and the agent is to do likewise.
_WE_HOLD: Final = cues(r"""
    <clause>we (?:don't|do not|never|only|always|all) (?:do|use|write|add|put|mock|import|export|commit|push|squash|
        log|name|allow|want|
        like|prefix|nest|wrap|catch|throw|hardcode) <bare> (?:(?:in|for|on|to|inside) (?:our |all |any )?(?:tests|
        code|components|
        commits|docs|templates|migrations|scripts|names|comments|main)|(?:in|around) here|here|(?:in|on) (?:this|
        our) (?:\w+ )?(?:repo|
        repository|project|code ?base|package|monorepo|service|team|app|library))
    (?:in|for|on) (?:this|our) (?:\w+ )?(?:repo|repository|project|code ?base|package|monorepo|service|team|app|
        library),? we (?:(?:always|
        only|never|all) )*(?:write|name|avoid|indent|format|commit|squash|rebase|prefix|don't|do not|stick|prefer|put)
""")
# "We call them members, never users."
_WE_CALL: Final = cues(r"""
    <clause>(?:(?:in|on|at) (?:this|our|the) [\w-]+,? |(?:around |over )?here,? )?we (?:all |always )?(?:(?:call|
        name) (?:it|them|these|those|our [\w-]+s)|say)(?: an?| the)? (?!twice|once|from|in\b|on\b|with|after|before|
        again|first|when|every|at\b)[\w./ǁǂ-]+(?: [\w./ǁǂ-]+)?,? (?:and )?(?:not|never) (?:an? |the )?[\w./ǁǂ-]+
""")
_MATTERS_TO_ME: Final = cues(r"""
    (?:it(?:'s| is)|it matters|what(?:'s| is)) (?:very |really |also )?important (?:to|for) (?:me|us)
    i (?:really )?(?:care (?:a lot |deeply )?about|insist on|value) (?!this\b|that\b|it\b|the\b|your\b)
    i (?:(?:really|generally|usually|much) )*like (?!the\b|this\b|that\b|it\b|option|version|your\b|approach|variant|
        plan\b).{2,40} (?:better|more) than
    i(?:'m| am) (?:a (?:big |huge )?fan of|partial to) (?!this\b|that\b|it\b|the\b)
    i (?:don't|do not|never) want (?:any|more|new|to see any|you to (?:add|use|write|create|introduce|make|push|
        commit|touch|delete)(?: any)?) (?!of\b|help\b|advice\b|
        trouble\b|the\b|this\b|that\b|it\b)
    (?:in|for|when it comes to|as for) (?!the\b|this\b|that\b|now\b|my\b|example|a\b|an\b)[\w -]{2,30},? (?:i|
        we) (?:always |generally )?(?:want|like|
        expect)(?: you to| to (?:see|have))? (?!the\b|this\b|that\b|it\b|an?\b)
""")
EVERYDAY: Final = (_CHOOSES_A_KIND, _FORBIDS_A_KIND, _ASKS_FOR_A_KIND, _WE_HOLD, _WE_CALL, _MATTERS_TO_ME)
STARTS = bits(*EVERYDAY)

_EDGES = ".,;:()!"
# What is weighed against something else: "readability over cleverness, please".
_KNOWN = KNOWN_NAMES | words(
    "readability clarity simplicity correctness speed performance cleverness brevity explicitness composition "
    "inheritance consistency safety security convenience completeness"
)
_IN_ONE_PLACE = re.compile(
    r"\s*(?:in|for|on|at|to|from|inside) (?:the|this|that|these|those|an?|ǁ)"
    r"(?! (?:\w+ )?(?:repo|repository|project|code ?base|package|monorepo|service|library|crate|app|team)\b)"
)
_WRITES_HERE = re.compile(r"(?:please )?(?:write|add|create) .*\b(?:in|under|of|from) (?:[\w.-]*[/ǁ]|\w+\.\w{1,4}\b)")
_PLURAL = re.compile(r"\w{2,}(?<!s)s$")


def is_about_a_kind(plain: LowerText) -> bool:
    """Whether a command is about all things of a kind."""
    if not STARTS & plain.seen:
        return False
    if writes_here(plain):
        return False
    if (choice := _CHOOSES_A_KIND.search(plain)) and _is_wide(choice):
        return True
    if _FORBIDS_A_KIND.search(plain) and not TROUBLE.search(plain):
        return True
    return any(cue.search(plain) is not None for cue in (_ASKS_FOR_A_KIND, _WE_HOLD, _WE_CALL, _MATTERS_TO_ME))


def we_call(plain: LowerText) -> bool:
    """Whether a sentence says what things are called here."""
    return _WE_CALL.search(plain) is not None


def writes_here(plain: LowerText) -> bool:
    """Whether something is to be written in one place: "write docstrings for all public functions in core/"."""
    return _WRITES_HERE.match(plain.text) is not None


def _is_wide(choice: re.Match[str]) -> bool:
    """Whether a choice is more than one for the task at hand: it says where it holds, or it is between known tools."""
    if choice["where"] or (choice["wish"] or "") not in ("", "please", "pls", "for me"):
        return True
    if _IN_ONE_PLACE.match(choice.string, choice.end()):
        return False
    named = [choice[group] for group in ("chosen", "refused", "first", "second", "only") if choice[group]]
    known = [any(word.strip(_EDGES) in _KNOWN for word in one.split()) for one in named]
    if choice["only"]:
        return all(known)
    return any(known) or all(_PLURAL.search(one) for one in named)
