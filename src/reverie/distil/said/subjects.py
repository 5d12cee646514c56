"""The text of a preference -> a short stable key of its subject. A newer one with the same key replaces the older.

Two dangers pull in opposite directions. If the key is too narrow, "use spaces" does not replace "I prefer tabs"; if it
is too wide, "no emojis in commit messages" replaces "commit messages in English". So the tables below name only topics
whose answers exclude each other, and a topic is recognised by an answer in the place of a choice, not by a word
somewhere in the sentence: "use npm" is about the package manager, "run npm test before you push" is not. Where it is
wished belongs to the key as well: tabs in Go and spaces in Python go together. Everything else gets a key of its own
words, without those that say how much it is wished.
"""

import re
from functools import cache, lru_cache
from typing import Final

from reverie.distil.said.cues import name, pattern
from reverie.distil.said.phrases import words
from reverie.language.porter import stem

# A topic and its answers.
_CHOICES: Final = {
    "package manager": "pnpm|npm|yarn|bun",
    "python package manager": "pip|poetry|uv|conda|mamba|pipenv|pdm|hatch",
    "indentation": r"""
    tabs|spaces|(?:\d|two|four|eight)[- ]spaces?(?: indent\w*)?|soft tabs|hard tabs|tab indent\w*|space indent\w*
    """,
    "test framework": r"""
    pytest|unittest|nose|jest|vitest|mocha|jasmine|ava|rspec|minitest|junit|testng|catch2|gtest|googletest
    """,
    "quotes": r"(?:single|double)[- ]quot(?:es|ed strings|ation marks)",
    "semicolons": "(?:no )?semi-?colons",
    "editor": r"""
    vim|neovim|nvim|emacs|vs ?code|visual studio code|intellij|pycharm|sublime|helix|zed|nano|cursor|webstorm
    """,
    "shell": "(?:bash|zsh|fish|powershell|nushell|posix sh)(?: syntax)?",
    "formatter": "black|ruff format|yapf|autopep8|prettier|biome|dprint|gofmt|gofumpt|rustfmt|clang-format",
    "linter": "ruff|flake8|pylint|eslint|tslint|oxlint|golangci-lint|clippy|rubocop",
    "commit message style": "conventional commits?|gitmoji|semantic commits?|imperative mood|past tense",
    "merge strategy": "squash(?:(?: and |-)?merg\\w+)?|rebase|rebasing|merge commits?|fast-forward",
    "docstring style": "(?:numpy|google|sphinx|restructuredtext|epytext)(?:[- ]style)?(?: docstrings?)?",
    "clock": r"(?:24|12)[- ]?h(?:ours?)?(?: clock| format| time)?|am/pm",
    "units": "metric(?: units)?|imperial(?: units)?|si units|celsius|fahrenheit",
    "naming style": "camel ?case|snake[_ ]case|pascal ?case|kebab-case",
    "theme": "(?:dark|light) (?:mode|theme)",
    "spelling": "(?:british|american|us|uk)(?: english| spelling)",
    "css framework": r"""
    tailwind(?: css)?(?: utility classes)?|bootstrap|css modules|styled[- ]components|emotion|sass|plain css
    """,
    "plot library": "matplotlib|plotly|seaborn|altair|bokeh|ggplot2?",
}
_CHOOSING: Final = r"""
    \b(?:prefer|use|using|uses|switch(?:ing|ed)? (?:back )?to|default to|stick (?:to|with)|go with|want|like|
        rather(?: have| use)?|with|in|nothing but|move to|nutze|nimm|verwende|usa|utiliza|prefiero|préfère|utilise|on|
        write|format with|work in|always|be|no|only|never|avoid|hate|drop) +(?:(?:the|my|only|just|plain|always|a|our|
        good old|you use|to use|you to use|you to write|to see) +)?
    ^(?:(?:please|pls|only|just) )?
"""
# After an answer: the end, or a word that shows that the answer was not part of a command ("npm test").
_GOES_ON: Final = r"""
    $
    [\s,.;:!?)/]+(?:$|(?:not|and|over|instead|rather|for|in|on|here|everywhere|from|as|to|when|by|please|pls|with|
        always|at|
        or|than|only|if|because|since|throughout|unless|everything|no|never|now|but|so|i|it|we|like|that|this|the|
        statt|nicht|
        en)\b)
"""
_OVER: Final = r",?\s(?:not|over|instead of|rather than|and not|statt|nicht)\s(?:the |with )?"

name(
    short=r"""
    short|shorter|concise|brief|briefer|long|longer|detailed|verbose|terse|succinct|lengthy|one-line|kurze?|breves?|
        courtes?
    """,
    replies=r"answers?|replies|reply|responses?|explanations?|summar\w+|antworten|respuestas|réponses",
    pulls=r"prs?|pull requests?|mrs?",
)
# Topics that are recognised by what is said of them.
_SAYINGS: Final = {
    "name": r"\b(?:call me|address me|refer to me|my name is|i go by|nenn mich|llámame|appelle[- ]moi)\b",
    "pronouns": r"\bpronouns\b",
    "comment language": r"\b(?:comments?|kommentare?|comentarios|commentaires)\b.{0,40}\b<language>\b",
    "commit message language": r"\bcommit(?: message|s)?s?\b.{0,30}\b(?:in|auf|en)\s<language>\b",
    "documentation language": r"\b(?:docs?|documentation|readme|docstrings?)\b.{0,30}\b(?:in|auf|en)\s<language>\b",
    "reply language": r"""
    \b(?:answers?|reply|replies|respond|responses?|speak|talk|write|explain|explanations?|antworte\w*|schreib\w*|sprich|
        responde|contesta|respóndeme|háblame|réponds(?:-moi)?|parle(?:-moi)?)\b.{0,60}\b(?:in|auf|
        en)\s(?:\w+\s)?<language>\b
    """,
    "answer length": r"""
    \b<short>\b.{0,25}\b<replies>\b
    \b<replies>\b.{0,25}\b(?:<short>|kurz|under \d+|below \d+)\b
    \bbe (?:more |less )?(?:concise|brief|terse|succinct|verbose|chatty)\b
    \b(?:answer|reply|respond) (?:briefly|concisely|in detail|at length|shortly)\b
    \bkeep it (?:short|brief|concise)\b
    \b(?:less verbose|more concise|more detail)\b
    """,
    "code comments": r"""
    \b(?:add|adding|write|writing|put|putting|leave|no|without|fewer|less|more|many|want|like|hate|need|stop|
        avoid)\b(?:\s\w+){0,3}\s(?:code )?comments?\b(?!\s(?:on|to) (?:the )?(?:pr|issue|ticket)s?)
    \bcomment (?:your|my|the|every|all) (?:code|functions?)\b
    \bcomments (?:in|to) (?:my|the|your) code\b
    """,
    "line length": r"""
    \b(?:[6-9]\d|1\d\d)[- ](?:columns?|chars?|characters?)\b
    \bline (?:length|width)s?\b
    \blines? (?:under|below|longer|shorter)\s
    \blines? (?:to|at) (?:most |\d)
    """,
    "indentation": r"\bindent(?:s|ed|ation|ing)?\b",
    "emojis in commit messages": r"\bemojis?\b.{0,40}\bcommits?\b|\bcommits?\b.{0,40}\bemojis?\b",
    "emojis": r"\bemojis?\b",
    "time zone": r"\btime ?zone\b",
    "semicolons": r"\bsemi-?colons?\b",
    "pull request drafts": r"\bdrafts?\b.{0,40}\b<pulls>\b|\b<pulls>\b.{0,40}\bdrafts?\b",
    "asking before acting": r"\b(?:without|w/o) asking\b|\bask (?:me )?(?:first|before)\b|\b(?:no need to|don't) ask\b",
}


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
    said = [(topic, re.compile(pattern(saying))) for topic, saying in _SAYINGS.items()]
    chosen = []
    for topic, answers in _CHOICES.items():
        answer = pattern(answers)
        choice = f"{pattern(_CHOOSING)}{answer}{pattern(_GOES_ON)}"
        chosen.append((topic, re.compile(rf"{choice}|\b{answer}{_OVER}{answer}\b")))
    return said + chosen


# There is one favourite of a kind at a time, whichever it is.
_FAVOURITE: Final = re.compile(r"\bmy (?:new |own )?favou?rite (?P<kind>[\w -]{2,40}?) (?:is|are|is now|has become)\b")

# Words that say how much, when or to whom, not what.
_EMPTY: Final = words(
    "a an the i i'd i'm i've you u me my your our we us it its it's that that's this these those there to of in on "
    "at for with from by as and or but so if then than not no never always ever every each any all only just also "
    "please pls plz don't do does dont doesn't isn't is are be been was were will would could should must can may "
    "might want wants wanted like likes liked prefer prefers preferred rather use uses used using make makes making "
    "have has had get keep keeps stick love hate dislike need needs now future going forward time times whenever "
    "when while before after instead over rule general generally habit remember way really much more less "
    "stop avoid one thing things something anything everything new ones them they their what which who how still "
    "even very too here everywhere anymore thanks ok bitte immer nie niemals ich mir mich du dir ab jetzt sofort "
    "zukunft der die das den dem ein eine und oder nicht kein keine keinen auf mit für von zu siempre nunca por "
    "favor partir de ahora el la los las un una y o en con para que mi tu je le les des une et ou ne pas toujours "
    "jamais avec pour again back longer anymore okay fine allowed welcome repo repository project codebase monorepo "
    "everytime needn't nicht mehr ya i'll we'll you'll"
)
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
