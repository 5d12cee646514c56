"""An item in, what it is about out: `port:staging`, `person:ana home`, `choice:package manager`; or nothing.

Two facts with the same subject cannot both hold, so the newer one supersedes the older. A wrong subject hides a true
fact, a missing one only leaves two lines where one would do. So only sentences of a few plain forms get one, about
things that have one value at a time, and whatever hedges, denies, adds or looks back gets none.
"""

import re
from typing import Final

from reverie.language.words import GRAMMAR
from reverie.records import ItemType, MemoryItem

# Things that have one value at a time.
_SINGLE: Final = (
    "port|url|uri|host|hostname|branch|version|region|zone|endpoint|timezone|time zone|email|phone number|language|"
    "editor|"
    "deadline|path|folder|directory|timeout|limit|budget|price|domain|bucket|cluster|namespace|registry|channel|"
    "account|"
    "birthday|address|username|nickname|salary|licence|license|name|title|shell|theme|locale|currency|colour|color|"
    "prefix|suffix|interval|threshold|schedule|release date|launch date|start date|due date|office|home town|hometown|"
    "database|db|server|framework|default|base image|runtime|package manager|build tool|test command|build command|"
    "deploy command|lint command|line length|unit|encoding|format|frequency|sampling rate|baud rate|bundle id|"
    "tool|provider|service|repository|repo|remote|kernel|os|operating system|model|context|project|toolchain"
)
# People who are the only ones in their role.
_ROLE: Final = (
    r"(?:[\w-]+ ){0,3}(?:officer|manager|lead|owner|maintainer|boss|director|contact|admin|administrator|cto|ceo|cfo|"
    r"head|"
    r"captain|chair|supervisor|advisor|adviser|mentor|therapist|dentist|doctor|landlord|coach|teacher|lawyer|"
    r"accountant|"
    r"partner|husband|wife|spouse)"
)
_NAME: Final = r"(?P<who>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?|I|[Uu]ser|[Tt]he user|[Ss]he|[Hh]e)"
_NOW: Final = r"(?: (?:now|currently|today|actually|still|always|recently))*"
_WHERE: Final = r"(?P<where>(?: (?:in|on|for|at|of|during|under|within|inside) .+)?)"

_SETTING = re.compile(
    rf"^(?:(?:for|in|on|at) (?P<scope>[^,]{{2,40}}), )?(?P<whose>(?:the|our|my|your|its|their|this|[A-Z][\w-]*['’]s|"
    rf"user['’]s) )?"
    rf"(?P<mods>(?:[\w.-]+ ){{0,4}}?)(?P<what>{_SINGLE})(?: (?P<of>(?:of|for|in|on) (?:the |our |"
    rf"my )?[\w .-]{{2,40}}?))?{_NOW}"
    rf"(?:\s*[:=]|{_NOW} (?:is|are|=|became|(?:has )?(?:changed|moved|switched) to|(?:is|has been) set to|runs on|"
    rf"lives (?:in|at|on))){_NOW}"
    rf"\s+(?P<value>(?!an?\b)\S+(?: (?!(?:in|on|for|at|of|during|under|within|inside)\b)\S+){{0,5}}?){_WHERE}$",
    re.IGNORECASE,
)
_MOVED: Final = r"(?:lives?|reside[sd]?|is based|am based|(?:has |have )?(?:just )?(?:moved|relocated))"
_PERSON = (
    (re.compile(rf"^{_NAME}{_NOW} {_MOVED}{_NOW} (?:in|at|to) (?!the\b)\S"), "home"),
    (re.compile(rf"^{_NAME}{_NOW} works? (?:at|for)\b"), "employer"),
    (re.compile(rf"^{_NAME}{_NOW} (?:is|am) \d{{1,3}}(?: years old)?$"), "age"),
    (re.compile(r"^(?P<who>I|[Uu]ser|[Tt]he user) (?:go(?:es)? by|prefers to be called|is called)\b"), "name"),
)
_FAVOURITE = re.compile(
    rf"^(?:(?P<whose>my|our|the user['’]s|user['’]s|(?-i:[A-Z])[\w-]*['’]s){_NOW} )(?:new |all-time )?favou?rite "
    rf"(?P<what>[\w-]+(?: (?!is\b)[\w-]+){{0,3}}?)(?: right now| these days)?{_NOW} (?:is|became|has become){_NOW} \S",
    re.IGNORECASE,
)
_CALLED = re.compile(r"^(?:please )?call me \w+$", re.IGNORECASE)
_IS_ROLE = re.compile(
    rf"^[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?{_NOW} (?:is|became) (?P<whose>the|our|my|"
    rf"their) (?:new )?(?P<role>{_ROLE}){_WHERE}$"
)
_ROLE_IS = re.compile(
    rf"^(?P<whose>[Tt]he|[Oo]ur|[Mm]y|[Tt]heir) (?:new )?(?P<role>{_ROLE})(?P<where>(?: (?:of|"
    rf"for) [\w -]+?)?){_NOW} (?:is|:){_NOW} [A-Z]"
)
_RUNS_VERSION = re.compile(
    r"^(?:(?P<who>(?:(?:the|our|my) )?[\w -]{1,40}?) )?(?:(?:is|are|am|runs?|still|now|currently) )*(?:on|uses?|"
    r"runs?|runs? on|using|"
    r"upgraded to|moved to|requires?)(?: still| now)? (?P<name>(?-i:[A-Z])[\w.+#-]*) v?(?P<version>\d+(?:\.\d+)*)(?: "
    r"LTS)?(?: now)?$",
    re.IGNORECASE,
)
_CHOICES: Final = {
    "package manager": "pnpm|npm|yarn|bun",
    "python package manager": "pip|poetry|uv|conda|pipenv|pdm|hatch",
    "indentation": r"tabs|spaces|(?:\d|two|four|eight)[- ]spaces?",
    "test framework": "pytest|unittest|jest|vitest|mocha|rspec|minitest|junit",
    "quotes": "(?:single|double)[- ]quotes",
    "editor": "vim|neovim|nvim|emacs|vs ?code|intellij|pycharm|helix|zed",
    "shell": "bash|zsh|fish|powershell|nushell",
    "formatter": "black|ruff format|prettier|biome|gofmt|rustfmt",
    "linter": "ruff|flake8|pylint|eslint|oxlint|golangci-lint|rubocop",
    "ci": "github actions|gitlab ci|jenkins|circleci|buildkite|travis|drone|azure pipelines",
    "state management": "redux|zustand|mobx|recoil|jotai|pinia|vuex",
    "bundler": "webpack|vite|rollup|esbuild|parcel|turbopack",
    "http client": "requests|httpx|aiohttp|axios|ky",
    "build tool": "bazel|gradle|maven|cmake|meson",
    "docs tool": "sphinx|mkdocs|docusaurus",
    "issue tracker": "jira|linear|youtrack|github issues|asana|trello",
    "theme": "dark (?:mode|theme)|light (?:mode|theme)",
}
_CHOICE = re.compile(
    r"^(?:(?:we|i|they|user|the user|the team|[A-Z]\w+|always|please|only)(?: all)?(?: now| always| only)* )*"
    r"(?:uses?|prefers?|switch(?:ed)? to|moved to|stick (?:to|with)|(?:is|are) on|went back to) (?P<choice>[\w -]+?)"
    r"(?:,? (?:and )?(?:not|instead of|rather than|over) [\w -]+?)?(?: (?:now|here|everywhere|from now on|"
    r"in this repo))*$",
    re.IGNORECASE,
)
# What takes nothing back: additions, denials, doubts, the past, conditions, several at once.
_UNSURE = re.compile(
    r"\b(?:think|guess|believe|hope|there|around|roughly|also|too|as well|another|additional(?:ly)?|besides|plus|"
    r"one of|either|or|and|both|was|were|used to|had|"
    r"formerly|previously|"
    r"might|(?-i:may)|maybe|perhaps|probably|could|should|would|will|if|unless|sometimes|usually|often|mostly|some|"
    r"supports?|allows?|accepts?|isn't|aren't|never|neither|until|except|wants to|plans? to|hopes?|likes?|loves?|"
    r"once|than|because)\b|\?",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:^|[^,] )\b(?:not|no)\b", re.IGNORECASE)
_WORD = re.compile(r"\w[\w./#+-]*")
_GRAMMAR = GRAMMAR | {"our", "my", "new", "we", "your", "now", "still", "is", "was"}
_TYPES = frozenset({ItemType.FACT, ItemType.PREFERENCE, ItemType.CORRECTION, ItemType.OBSERVATION})
_LONGEST = 140
_THE_PERSON = ("", "user", "human", "me")  # how the person is called where speakers have no names


def subject_of(item: MemoryItem) -> str:
    """Return the subject of an item; the one that it was given wins."""
    if item.subject or item.type not in _TYPES:
        return item.subject
    return subject_in(item.text, item.speaker)


def subject_in(text: str, speaker: str = "") -> str:
    """Return the subject of a sentence, if it is plain.

    >>> subject_in("The staging port is 8080"), subject_in("deploy branch: release/2")
    ('port:staging', 'branch:deploy')
    >>> subject_in("Ana lives in Lisbon"), subject_in("Ana also likes tea")
    ('person:ana home', '')
    """
    line = " ".join(text.split()).strip().rstrip(".!").strip()
    if not line or len(line) > _LONGEST or _UNSURE.search(line) or ". " in line or "; " in line:
        return ""
    plain = re.sub(r",? (?:and )?not [^,]+$", "", line) if not _CHOICE.match(line) else line
    if _DENIED.search(plain) and not _CHOICE.match(line):
        return ""
    return (
        _favourite(plain, speaker)
        or _chosen(line)
        or _of_person(plain, speaker)
        or _of_role(plain, speaker)
        or _versioned(plain)
        or _of_setting(plain, speaker)
    )


def favourite_in(text: str, speaker: str = "") -> str:
    """Return the subject of a sentence that names a favourite; "" if it names none. There is one at a time.

    >>> favourite_in("My favourite editor is Helix"), favourite_in("Ana's favorite editor is now vim")
    ('favourite:user editor', 'favourite:ana editor')
    """
    return found if (found := subject_in(text, speaker)).startswith("favourite:") else ""


def _favourite(line: str, speaker: str) -> str:
    found = _FAVOURITE.match(line)
    if not found:
        return ""
    about = re.sub(r"our\b", "or", found["what"].lower())  # colour or color
    return _key("favourite", about, _whose(found["whose"], speaker))


def _chosen(line: str) -> str:
    found = _CHOICE.match(line)
    if not found:
        return ""
    for topic, answers in _CHOICES.items():
        if re.fullmatch(rf"(?:the )?(?:{answers})", found["choice"].strip(), re.IGNORECASE):
            return f"choice:{topic}"
    return ""


def _of_person(line: str, speaker: str) -> str:
    if _CALLED.match(line):
        return f"person:{_who('I', speaker)} name"
    for pattern, what in _PERSON:
        if found := pattern.match(line):
            who = _who(found["who"], speaker)
            return f"person:{who} {what}" if who else ""
    return ""


def _who(name: str, speaker: str) -> str:
    if name.lower() in ("he", "she"):
        return ""  # who that is stands somewhere else
    if name.lower() in ("i", "user", "the user", "my"):
        return speaker.lower() if is_named(speaker) else "user"
    return name.lower()


def is_named(speaker: str) -> bool:
    """Whether a speaker has a name, and is not simply the person whose memory this is."""
    return speaker.lower() not in _THE_PERSON


def _whose(word: str, speaker: str) -> str:
    """My, the user's, Ana's -> whose it is; nothing where nobody is named."""
    owner = re.sub(r"['’]s$", "", word)
    return _who(owner, speaker) if owner != word or word.lower() == "my" else ""


def _of_role(line: str, speaker: str) -> str:
    found = _IS_ROLE.match(line) or _ROLE_IS.match(line)
    return _key("role", f"{found['role']} {found['where']}", _whose(found["whose"], speaker)) if found else ""


def _versioned(line: str) -> str:
    found = _RUNS_VERSION.match(line)
    if not found:
        return ""
    return _key("version", f"{found['name']} {found['who'] or ''}")


def _of_setting(line: str, speaker: str) -> str:
    found = _SETTING.match(line)
    if not found:
        return ""
    about = f"{found['scope'] or ''} {found['mods']} {found['of'] or ''} {found['where']}"
    return _key(found["what"].lower(), about, _whose((found["whose"] or "").strip(), speaker))


# What a project has one of, so that it needs no further words. "The limit" could be any limit.
_ONE_PER_PROJECT = frozenset(
    {"licence", "license", "timezone", "deadline", "budget", "editor", "shell", "theme", "locale"}
)


def _key(kind: str, about: str, whose: str = "") -> str:
    """Entity type and identifier: the telling words in alphabetical order, so that their order does not matter."""
    telling = sorted(set(_WORD.findall(about.lower())) - _GRAMMAR)
    identifier = " ".join([whose, *telling] if whose else telling)
    if identifier:
        return f"{kind}:{identifier}"
    return f"project:{kind}" if " " in kind or kind in _ONE_PER_PROJECT else ""
