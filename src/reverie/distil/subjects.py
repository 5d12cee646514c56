"""What a preference is about: its text in, a short stable key out. A newer preference with the same key replaces the older.

Two dangers pull in opposite directions. If the key is too narrow, "use spaces" does not replace "I prefer tabs"; if it is
too wide, "no emojis in commit messages" replaces "commit messages in English". So the table below names only topics whose
answers exclude each other, and each is recognised by its answers in the place of a choice, not by a word somewhere in
the sentence: "use npm" is about the package manager, "run npm test before you push" is not. Everything else gets a key
of its own words, without the words that say how much it is wished.
"""

import re
from typing import Final

_LANGUAGE = (
    r"(?:english|german|deutsch|french|français|spanish|español|castellano|italian|portuguese|dutch|polish|russian|ukrainian|"
    r"japanese|chinese|korean|swedish|turkish|hindi|arabic|englisch|französisch|spanisch|inglés|alemán|anglais|allemand)"
)

# A topic and its answers. The answers exclude each other.
_CHOICES: Final = {
    "package manager": "pnpm|npm|yarn|bun",
    "python package manager": "pip|poetry|uv|conda|mamba|pipenv|pdm|hatch",
    "indentation": r"tabs|spaces|(?:\d|two|four|eight)[- ]spaces?(?: indent\w*)?|soft tabs|hard tabs|tab indent\w*|space indent\w*",
    "test framework": "pytest|unittest|nose|jest|vitest|mocha|jasmine|ava|rspec|minitest|junit|testng|catch2|gtest|googletest",
    "quotes": r"(?:single|double)[- ]quot(?:es|ed strings|ation marks)",
    "semicolons": "semi-?colons|no semi-?colons",
    "editor": "vim|neovim|nvim|emacs|vs ?code|visual studio code|intellij|pycharm|sublime|helix|zed|nano|cursor|webstorm",
    "shell": "bash|zsh|fish|powershell|nushell|fish syntax|bash syntax|posix sh",
    "formatter": "black|ruff format|yapf|autopep8|prettier|biome|dprint|gofmt|gofumpt|rustfmt|clang-format",
    "linter": "ruff|flake8|pylint|eslint|tslint|oxlint|golangci-lint|clippy|rubocop",
    "commit message style": "conventional commits?|gitmoji|semantic commits?|imperative mood|past tense",
    "merge strategy": "squash(?: and |-)?(?:merge|merges|merging)?|rebase|rebasing|merge commits?|fast-forward",
    "docstring style": r"(?:numpy|google|sphinx|restructuredtext|rest|epytext)(?:[- ]style)?(?: docstrings?)?",
    "clock": r"24[- ]?h(?:ours?)?(?: clock| format| time)?|12[- ]?h(?:ours?)?(?: clock| format| time)?|am/pm",
    "units": "metric(?: units)?|imperial(?: units)?|si units|celsius|fahrenheit",
    "naming style": "camel ?case|snake[_ ]case|pascal ?case|kebab-case",
    "theme": "dark mode|light mode|dark theme|light theme",
    "spelling": r"(?:british|american|us|uk)(?: english| spelling)",
    "css framework": r"tailwind(?: css)?(?: utility classes)?|bootstrap|css modules|styled[- ]components|emotion|sass|plain css",
    "plot library": "matplotlib|plotly|seaborn|altair|bokeh|ggplot2?",
    "form of address": "du|sie|tú|usted|tu|vous",
}

# Topics that are recognised by what is said of them.
_PHRASES: Final = {
    "name": r"\b(?:call me|address me|refer to me|my name is|nenn mich|llámame|appelle[- ]moi)\b",
    "pronouns": r"\bpronouns\b",
    "comment language": rf"\b(?:comments?|kommentare?|comentarios|commentaires)\b.{{0,40}}\b{_LANGUAGE}\b",
    "commit message language": rf"\bcommit(?: message|s)?s?\b.{{0,30}}\b(?:in|auf|en)\s{_LANGUAGE}\b",
    "documentation language": rf"\b(?:docs?|documentation|readme|docstrings?)\b.{{0,30}}\b(?:in|auf|en)\s{_LANGUAGE}\b",
    "reply language": (
        rf"\b(?:answers?|reply|replies|respond|responses?|speak|talk|write|explain|antworte\w*|schreib\w*|sprich|responde|contesta|"
        rf"respóndeme|háblame|réponds(?:-moi)?|parle(?:-moi)?|explanations?)\b.{{0,60}}\b(?:in|auf|en)\s(?:\w+\s)?{_LANGUAGE}\b"
    ),
    "answer length": (
        r"\b(?:short|shorter|concise|brief|briefer|long|longer|detailed|verbose|terse|succinct|lengthy|one-line|kurze?|breves?|courtes?)\b"
        r".{0,25}\b(?:answers?|replies|reply|responses?|explanations?|summar\w+|antworten|respuestas|réponses)\b"
        r"|\b(?:answers?|replies|responses?|explanations?|antworten)\b.{0,25}\b(?:short|shorter|concise|brief|terse|long|longer|detailed|succinct|kurz|under \d+)\b"
        r"|\bbe (?:more |less )?(?:concise|brief|terse|succinct|verbose|chatty)\b|\b(?:answer|reply|respond) (?:briefly|concisely|in detail|at length|shortly)\b"
        r"|\bkeep it (?:short|brief|concise)\b|\bless verbose\b|\bmore (?:concise|detail)\b"
    ),
    "code comments": (
        r"\b(?:add|adding|write|writing|put|putting|leave|no|without|fewer|less|more|many|want|like|hate|need|stop|avoid)\b(?:\s\w+){0,3}\s(?:code )?comments?\b"
        r"(?!\s(?:on|to) (?:the )?(?:pr|issue|ticket)s?)|\bcomment (?:your|my|the|every|all) (?:code|functions?)\b|\bcomments (?:in|to) (?:my|the|your) code\b"
    ),
    "line length": r"\b\d{2,3}[- ](?:columns?|chars?|characters?)\b|\bline (?:length|width)s?\b|\blines? (?:under|below|longer|shorter|to|at) ",
    "indentation": r"\bindent(?:s|ed|ation|ing)?\b",
    "emojis in commit messages": r"\bemojis?\b.{0,40}\bcommits?\b|\bcommits?\b.{0,40}\bemojis?\b",
    "emojis": r"\bemojis?\b",
    "time zone": r"\btime ?zone\b",
    "semicolons": r"\bsemi-?colons?\b",
    "pull request drafts": r"\bdrafts?\b.{0,40}\b(?:prs?|pull requests?|mrs?)\b|\b(?:prs?|pull requests?|mrs?)\b.{0,40}\bdrafts?\b",
    "asking before acting": r"\b(?:without|w/o) asking\b|\bask (?:me )?(?:first|before)\b|\b(?:no need to|don't have to|don't) ask\b",
}

_AFTER = r"(?:$|[\s,.;:!?)/]+(?:$|not\b|and\b|over\b|instead\b|rather\b|for\b|in\b|on\b|here\b|everywhere\b|from\b|as\b|to\b|when\b|by\b|please\b|pls\b|with\b|always\b|at\b|or\b|than\b|only\b|if\b|because\b|since\b|throughout\b|unless\b|everything\b|no\b|never\b|now\b|but\b|so\b|i\b|it\b|we\b|like\b|that\b|this\b|the\b|instead of\b|statt\b|nicht\b|en\b))"
_CHOICE_VERB = (
    r"\b(?:prefer|use|using|uses?|switch(?:ing|ed)? (?:back )?to|default to|stick (?:to|with)|go with|want|like|rather(?: have| use)?|with|in|install with|nothing but|move to|nutze|nimm|verwende|usa|utiliza|prefiero|préfère|"
    r"utilise|on|write|format with|work in|always|be|no|only|never|avoid|hate|drop)\s+(?:(?:the|my|only|just|plain|always|a|our|good old|that you use|you use|to use|you to use|you to write|to see|the lovely)\s+)?"
)


def _topics() -> list[tuple[str, re.Pattern[str]]]:
    found = [
        (
            topic,
            re.compile(
                rf"(?:{_CHOICE_VERB}|^(?:please |pls |only |just )?)(?:{answers})\b{_AFTER}"
                rf"|\b(?:{answers}),?\s(?:not|over|instead of|rather than|and not|statt|nicht)\s(?:the |with )?(?:{answers})\b"
            ),
        )
        for topic, answers in _CHOICES.items()
    ]
    return [*((topic, re.compile(phrase)) for topic, phrase in _PHRASES.items()), *found]


_TOPICS = _topics()

# Words that say how much, when or to whom, not what.
_EMPTY: Final = frozenset(
    "a an the i i'd i'm i've you u me my your our we us it its it's that that's this these those there to of in on at for with from by as and or but so if then than "
    "not no never always ever every each any all only just also please pls plz don't do does dont doesn't isn't is are be been was were will would could should must can may might "
    "want wants wanted like likes liked prefer prefers preferred rather would'd use uses used using make makes making have has had get keep keeps stick love hate dislike need needs "
    "from now on future going forward time times whenever when while before after instead over rule general generally default habit remember way really much more less stop avoid "
    "one thing things something anything everything new ones them they their what which who how still even very too here everywhere anymore thanks ok "
    "bitte immer nie niemals ich mir mich du dir ab jetzt sofort zukunft in der die das den dem ein eine und oder nicht kein keine keinen auf mit für von zu "
    "siempre nunca por favor a partir de ahora el la los las un una y o no en con para que mi tu me je tu le les des du de la une et ou ne pas toujours jamais en avec pour s'il te plaît".split()
)
_WORDS = re.compile(r"[^\W_][\w'./+#-]*")
_KEY_WORDS = 4


def subject_of(text: str) -> str:
    """A key for what a preference is about.

    >>> subject_of("I prefer tabs"), subject_of("use spaces from now on")
    ('indentation', 'indentation')
    >>> subject_of("Never push directly to main")
    'push directly main'
    """
    plain = " ".join(text.replace("’", "'").replace("`", "").lower().split())
    for topic, pattern in _TOPICS:
        if pattern.search(plain):
            return topic
    words = [word.rstrip(".'/-") for word in _WORDS.findall(plain)]
    content = list(dict.fromkeys(word for word in words if word not in _EMPTY))
    return " ".join(content[:_KEY_WORDS])[:80] or plain[:80]
