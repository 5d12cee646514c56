"""The words by which rules recognise what a sentence is: how lists are written, and those that several kinds share.

Cues are looked for in plain sentences (see `sentences.py`): small letters, straight apostrophes, code as ǁ and quotes
as ǂ. There is one cue to a line, or several with bars between them; a line that ends with a bar goes on in the next
one; a name in <angle brackets> stands for the words defined under it. English first; German, Spanish and French where a
cue is hard to misread.
"""

import re
from typing import Final

from reverie.distil.said.phrases import LowerText, PhraseBook, Phrases, words

BOOK: Final = PhraseBook()

_named: dict[str, str] = {}
_STARTS = ("<clause>", "<since>")
_STARTS_WITH_A_WORD = re.compile(r"(?:\(\?:|\(\?P<\w+>|<(?=tag|n|day|month|verb|language))*[^\W_]")


# Words whose apostrophe many leave out: "dont", "thats", "im". Not where another word results: "we're", "i'll", "it's".
_SHORTENED = re.compile(r"\b(?:\w+n't|(?:that|there|what|let|here|who)'s|i'm|(?:you|they)'re|(?:i|you|they)'ve)\b")
# The same where the endings are a group: "i(?:'m| am)" also stands for "im".
_ENDINGS = re.compile(r"\b(?P<word>i|you|they|he|she|that|there|what|here|who|we)\(\?:(?P<all>'[^()]*)\)\??")
_SHORT = re.compile("'[a-z]")
# Not "were", "hell", "shed"; and not "ill" and "ive", which are rare, while "i" excludes much.
_OTHER_WORDS = {"i": ("'ll", "'ve"), "we": ("'re", "'ll", "'d"), "he": ("'ll",), "she": ("'ll", "'d")}


def _also_bare(shortened: re.Match[str]) -> str:
    word, endings = shortened["word"], shortened["all"].split("|")
    others = _OTHER_WORDS.get(word, ())
    bare = [word + one[1:] for one in endings if _SHORT.match(one) and not one.startswith(others)]
    return f"(?:{'|'.join([shortened[0], *bare])})"


def _also_without_apostrophe(word: re.Match[str]) -> str:
    both = "|".join((word[0], word[0].replace("'", "")))
    is_alternative = word.string[: word.start()].endswith(("(?:", "|")) and word.string[word.end() :].startswith(
        ("|", ")")
    )
    return both if is_alternative else f"(?:{both})"


def pattern(text: str) -> str:
    """One pattern for all lines. A line goes on eight spaces in; a ninth is the first letter of what follows."""
    lines = [line.strip() for line in re.sub(r"\|\n {8}", "|", text).splitlines() if line.strip()]
    lines = [_ENDINGS.sub(_also_bare, _SHORTENED.sub(_also_without_apostrophe, line)) for line in lines]
    for start in _STARTS:  # what begins alike is tried once
        after = [line.removeprefix(start) for line in lines if line.startswith(start)]
        if len(after) > 1:
            lines = [line for line in lines if not line.startswith(start)] + [f"{start}(?:{'|'.join(after)})"]
    joined = "|".join(lines)
    for one, meaning in _named.items():
        joined = joined.replace(f"<{one}>", meaning)
    return f"(?:{joined})"


def name(**groups: str) -> None:
    """Names for groups of words, to be used in the lists that follow."""
    for one, text in groups.items():
        _named[one] = pattern(text)


def cues(text: str) -> Phrases:
    """Any of these, from the edge of a word to the edge of a word."""
    return BOOK.add(_from_edge_to_edge(text))


def further(text: str) -> Phrases:
    """The same, for what is looked for only after a cue was found, and so is not worth an entry in the book."""
    return Phrases(_from_edge_to_edge(text))


def _from_edge_to_edge(text: str) -> str:
    starts = all(_STARTS_WITH_A_WORD.match(line.strip()) for line in text.splitlines() if line.strip())
    return (r"\b(?<!-)" if starts else r"(?:(?<![\w-])|(?!\w))") + pattern(text) + r"(?:(?!\w)|(?<!\w))"


def opening(text: str) -> Phrases:
    """Any of these at the start of a sentence, perhaps after an "and", "so" or "please"."""
    return BOOK.add("^" + pattern("<and_so>") + "*" + pattern(text) + r"(?:(?!\w)|(?<!\w))")


def anywhere(text: str) -> Phrases:
    """Any of these, as they stand."""
    return BOOK.add(pattern(text))


# ---- groups of words

name(
    and_so=r"""
    (?:and|but|so|also|then|ok|okay|oh|well|hey|hi|btw|plus|fyi|hm+|please|pls|plz|bitte|und|y|et|anyway|note|
        by the way|one more thing|small thing|right|yes|yeah|sure|true|fair enough|generally)[,:]? +
    """,
    please=r"(?:please|pls|plz|bitte|kindly|por favor|stp|svp|s'il te plaît),? +",
    n=r"""
    \d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a few|a couple of|dozens of
    drei|vier|fünf|tres|cuatro|cinco|seis|trois|quatre|cinq
    """,
    day=r"monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    month=r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*",
    tag=r"""
    montag|dienstag|mittwoch|donnerstag|freitag|lunes|martes|miércoles|jueves|viernes
    lundi|mardi|mercredi|jeudi|vendredi
    """,
    language=r"""
    english|german|deutsch|french|français|spanish|español|italian|portuguese|dutch|polish|russian|japanese|chinese
    swedish|norwegian|danish|finnish|turkish|korean|arabic|hindi|ukrainian|czech|greek|hungarian|romanian|hebrew|
        catalan
    englisch|französisch|spanisch|inglés|alemán|anglais|allemand
    """,
)
# Where a clause begins: "never push" but not "users never find it".
name(
    clause=r"""
    (?:^|[,:;—–(] *| - )<and_so>*(?:(?:just|remember|again)[,:]? )?<please>?
    \b(?:and|but|also|please|pls|plz|so) <please>?
    """
)

name(
    # Some words without anything that points at one thing.
    bare=r"""
    (?!the\b|this\b|that\b|these\b|those\b|it\b|its\b|an?\b|my\b|your\b|his\b|her\b|their\b|them\b|one\b|some\b|
        both\b|
        option\b|plan\b|version\b|approach\b|line\b|lines\b|port\b|\d)[\w./+#@ǁ-]+(?: (?!the\b|this\b|that\b|these\b|
        those\b|it\b|an?\b|my\b|your\b|them\b|not\b|and\b|but\b)[\w./+#@ǁ-]+){0,3}?
    """,
)

name(
    # Kinds of things that are worked on again and again.
    things=r"""
    (?:(?:new|unit|integration|e2e|end-to-end|test|public|private|shared|production|our|my|your|all|any|every|python|
        js|ts|
        typescript|javascript|rust|go|java|kotlin|ruby|shell|bash|sql|css|react|vue|async|library|application|
        business|front-?end|
        back-?end|async|server|client|generated) )*(?:tests?|specs?|code|prod|
        commits?|commit messages?|prs?|pull requests?|docs|documentation|docstrings?|components?|modules?|
        class(?:es)?|
        functions?|methods?|handlers|controllers|models|views|templates|migrations?|quer(?:y|ies)|sql|scripts?|
        makefiles?|header(?: file)?s?|loops|libraries|services|notebooks|stylesheets?|css|html|log messages|
        error messages|comments|names|identifiers|file ?names|urls|schemas|types|interfaces|branch names|branches|
        fixtures|
        firmware|packages|files|variables|variable names|imports|signatures|python|typescript|javascript|rust|golang|
        java|
        kotlin|ruby|swift|bash|yaml|json|markdown|jsx|tsx|answers|replies|reviews|changelogs?|production code)
    """,
    here=r"""
    (?:in |around |over )?here
    (?:in|for|on|across|throughout) (?:this|our|my|the whole|the entire|all|every|any|new|
        the) (?:[\w.+#-]+ ){0,2}(?:repos?|
        repository|projects?|code ?base|package|monorepo|workspace|service|app|library|crate|team|things|files|
        modules|code|
        tests|stylesheets|components|scripts|services|packages)
    everywhere|throughout|across the board
    (?:for|in) (?:everything|anything|all things) ?(?:[\w.+#-]+)?
    """,
)

# What things do, without the "s". Alone they would be commands or nouns: "no, use the other function".
name(
    acts=r"""
    accept|accrue|add|allow|answer|append|assume|belong|bill|build|cache|call|charge|check|come|connect|consist|
        contain|
        control|convert|cost|count|cover|create|define|delete|deliver|deploy|depend|describe|drive|emit|encode|end|
        expect|expire|export|feed|follow|generate|get|give|guard|handle|happen|hold|ignore|import|include|initiate|
        keep|lead|lie|limit|list|listen|live|load|log|look|manage|map|measure|need|offer|open|own|pay|point|poll|
        produce|protect|provide|pull|read|receive|refer|refresh|render|report|represent|require|reset|resolve|return|
        rotate|round|run|save|scale|schedule|send|serve|set|sit|speak|start|stop|store|support|sync|take|talk|target|
        track|trigger|trust|use|validate|wait|want|weigh|work|wrap|write
    """,
    plural=r"[\w-]+(?<![su'])s",
)

# What an agent is told to do. A list, because in English nothing else tells a command from a noun.
_VERBS: Final = words(
    "assume audit benchmark bisect cite monitor profile propose quote suggest tune undo add answer apply archive "
    "ask avoid backport bump build buy call cancel change check clean clear close collect comment commit compare "
    "configure contact convert copy create cut deactivate debug decide define delete deploy deprecate consider "
    "disable do document double-check download draft drop edit email enable ensure explain export extend extract "
    "file find finish fix flag focus follow format generate get give go handle implement import improve include inform "
    "install investigate invite keep launch leave link lint list log look mail make mark measure mention merge "
    "message migrate move name notify number open optimise optimize order patch pay pick pin ping plan port post "
    "prefer prepare print publish pull push put re-run read rebase rebuild record redo reduce refactor regenerate "
    "release remove rename renew reopen replace reply report request rerun reset respond restart restore revert "
    "review revisit revoke rewrite rotate run save say schedule send set share ship show sign simplify skip speak "
    "split squash start stick stop submit swap switch sync tackle tag talk tell test tidy touch translate treat try "
    "turn uninstall unpin update upgrade upload use verify wait warn wire wrap write"
)
VERB: Final = f"(?:{'|'.join(sorted(_VERBS, key=lambda word: (-len(word), word)))})"
name(
    verb=VERB,
    # What may follow unless it is a noun: "release day is Thursday". Some take a clause: "check backups are there". And
    # what is told may lead to a command: "import jobs are slow, check them on Monday".
    unless_noun="".join(rf"(?<=\b{verb})|" for verb in ("check", "ensure", "verify", "say", "tell", "find", "assume"))
    + r"(?! (?:(?!(?:the|an?|this|that|these|those|it|them|my|our|your|all|if|whether|what|how|when|once|until|after|"
    r"before|while|and|which|who|to|so)\b)[\w-]+ ){0,2}(?:is|are|was|were|starts?|begins?|ends?|happens?|lasts?|"
    rf"opens?|closes?)\b(?!.*[,;] (?:please |pls |so |then |and )*{VERB}\b))",
)

# ---- cues that several kinds of learnings share

# The sentence asks for something to be written; what follows is about that thing.
ORDERS_A_TEXT: Final = opening(r"""
    (?:write|create|generate|implement|build|draft|design|compose|make|act|invent|come up with|give me|
        produce)(?: me| us)? (?:an?|some|\d+|two|three|as|the following)\b(?! (?:mental )?(?:note|to-?do|habit|
        point))(?!.*\b(?:from now on|in future|going forward|every time)\b)
    (?:add|put) an? (?:\w+ ){0,2}(?:comment|button|field|column|option|flag|check|test|link|page|label)\b
""")
# Only for what is being done now.
JUST_NOW: Final = further(r"""
    today|for now|right now|now
    this (?:time|once|one)
    at this (?:point|stage)
    just (?:this|once)
    as is|for the moment|at the moment
    (?:in|for|with|on|to) (?:this|that) (?!repo|service|micro-?service|library|crate|app\b|application|repository|
        project|code ?base|package|monorepo|workspace|team|
        company|house|org)\w+
    (?:in|for|with|on) the (?:pr|mr|commit|branch|first|second|next|new|current|other)
    here(?<!around here)(?<!over here)(?<!rule here)(?<!everything here)
    diesmal|heute|esta vez|hoy|cette fois
""")
IMPERATIVE: Final = Phrases(pattern(r"<clause><verb>\b"))
# A command for later: the time comes first, or last; in between it belongs to the thing ("the job for tomorrow").
COMMANDS: Final = opening(r"""
    (?:(?:important|urgent|high prio(?:rity)?|low prio(?:rity)?|low priority)[,:]? )*(?:let's |lets )?(?!schedule|
        set|write|create|generate|implement|show|list|book)<verb>\b<unless_noun>.*
    .{0,60}: <please>?(?:let's |lets )?<verb>\b<unless_noun>.*
""")
# Something is said to be so.
STATES: Final = further(r"""
    is|are|was|were|it's|its|that's|they're|there's|has|have|gets?|we're|we've
    we (?:use|have|keep|deploy|call|store|run|are|do|ship|build|only|host|target|support|write|don't|test|release|
        pin|need|upgraded|switched|moved|want)
    i (?:use|have|am|run|work|said|meant)
    moved to|switched to|came (?:with|in|from)|i'm|called|named|goes|means|only|stands? for
    (?:<acts>)s
    (?:we|they|i|you|<plural>) (?:(?:only|also|all|just|always|never) )?(?:<acts>|mean|go|carry|apply)
    accesses|applies|carries|crosses|matches|passes|processes|publishes|pushes|relies|reaches|touches
    ist|sind|hat|heißt|liegt|läuft|es|son|está|wir (?:nutzen|haben|verwenden|benutzen)|usamos|tenemos|on utilise
    est|c'est|sont|se llama|s'appelle
    \w+'s \w+
""")
NEGATES: Final = re.compile(
    r"(?<!has )(?<!have )\bno\b(?! longer)|\b(?:not|never|nicht|kein\w*|ne|pas|nothing|nobody|none|without)\b|n't\b"
    r"|\b(?:do|does|did|is|are|was|were|has|have|wo|ca|could|would|should)nt\b"
)
SUGGESTS: Final = further(r"""
    let's|lets|let us
    (?:can|could|would|will) (?:you|we|i)
    i think (?:we|you|it)
    i (?:think|believe|guess|suppose)(?=[.!]*$)
    maybe|perhaps|i guess|probably|never ?mind|nvm|forget it
    should (?:i|we)
    thanks|thank you|leave
    (?:we|you) (?:could|should|can)
    changed my mind|i want|i'd
""")
# A report of what goes wrong or of what is being done; true today, not worth knowing tomorrow.
TROUBLE: Final = further(r"""
    bugs?|problems?|issues?(?! tracker)|errors?
    (?:fail|crash|hang|leak|complain|refus|confus)\w*
    broken?|breaks?
    (?:is|are|so|too|very|still|really) slow
    stuck(?! (?:on|with) [\w.#+]+ \d| (?:at|on) v?\d+\.\d)|wrong|weird|strange|missing|off by one|doesn't|does not|
        didn't|won't|(?:can't|
        cannot)(?! (?:be )?(?:touch|chang|updat|upgrad|
        modif|replac|choos|rais|install))|not working
    (?:is|are|turns?|still) (?:red|green|down|empty|ready|done(?! (?:with|by|in|via)\b)|finished|back|ok|fine|blank)
    typos?|blurry|misaligned|flaky|out of memory|timeouts|(?:a|with|into|connection|gateway|request|
        read) timeout(?! (?:is|was|of) )|times? out(?! after \d)|exceptions?|
        exit code|status code|
        undefined|null|nan|questions?|
        trouble|lost
    throw(?:s|ing)?
    returning|returns|getting|trying|tried|looking|wondering|thinking|afraid|sure|happy|glad|curious|tired
    about to|going to|no idea|(?:get|got|see) (?:an?|this|that|the|these)(?! (?:[\w-]+ ){1,2}from\b)|left (?!in\b|
        the\b)|left(?=[.,!?]|$)|
        behind main
    happen(?:s|ed|ing)?(?! (?:on|at|every|only|in|through|via|from)\b)|started (?:after|when|since)
    commits (?:ahead|behind)
    fehler\w*|fehlt|kaputt|(?:schlägt|schlagen) .*fehl|(?:geht|klappt|funktioniert|läuft|stimmt) nicht|falla|fallan|
        erreur|cassée?
""")
TIMES: Final = cues(r"""
    tomorrow(?!'s)|tmrw|tmr
    tonight
    this (?:afternoon|evening|weekend|week|month|sprint|quarter)
    later(?: today| this week| on)?(?! (?:versions?|than|dates?|entries|values?|ones?|items?|rows?|lines?|steps?|
        stages?|
        commits?|calls?|in the (?:file|code|function|text))\b)
    next (?:week|month|sprint|quarter|year|time|release|<day>|iteration|session|deploy)(?!'s)
    (?:on|by|until|before|this|come|from|at) (?:\w+ )?<day>(?:'s \w+)?
    (?<!every )(?<!each )(?<!last )<day>(?: morning| afternoon| evening| night)?(?=[.,!]|$)
    (?:by|before|until|in) (?:next |mid |late |early )?(?:january|february|march|april|june|july|august|september|
        october|november|
        december|q1|q2|q3|q4)
    on the weekend
    (?:by|until|this|next) (?:next |mid |late |early )?(?:summer|autumn|winter|spring|fall|christmas|easter)(?! (?:boot|
        mvc|break|sale))
    for (?:next |mid |late |early )?(?:q1|q2|q3|q4)
    (?:by|until) 20[2-9]\d
    (?:by|before|at|until|towards) (?:the )?end of (?:the |this |next |that )?(?:day|week|month|year|quarter|sprint|
        session|term|semester|season|q1|q2|q3|q4|january|february|march|april|may|june|july|august|september|october|
        november|december)
    (?:by|before|until) (?:eod|eow|noon|the weekend|the deadline)
    in (?:about |around )?<n> (?:hours?|days?|weeks?|months?)
    (?:by|on|before|until) (?:the )?\d{1,2}(?:st|nd|rd|th)(?! (?:row|column|line|of every|of each|item|element))
    (?:by|on|before|until) (?:the )?(?:\d{1,2} (?:of )?<month>|<month> \d{1,2})
    (?:by|before|until) \d{1,2}(?::\d\d)? ?(?:am|pm|o'clock|uhr)
    some ?day|eventually|at some point
    some other (?:time|day)
    another (?:day|time)
    one of these days
    sometime(?: soon| next| this)?
    when(?:ever)? (?:we|i|you|there's|there is) (?:have |get |find |got )?(?:some )?(?:time|a minute|a moment)
    in a (?:follow-?up|separate|later|second|future) (?:pr|mr|step|commit|issue|ticket|session)
    as a follow-?up|first thing
    not today|but not (?:now|yet|in this (?:pr|commit|branch))
    (?:en|avant|d'ici) (?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)
    before i (?:leave|go|forget)
    morgen|übermorgen
    nächste[nrs]? (?:woche|monat|mal|sprint)
    später
    (?:am|bis) <tag>
    el <tag>
    mañana|más tarde|luego|antes del (?:<tag>|\d{1,2})
    (?:bis|vor) (?:zum |dem )?\d{1,2}\.
    bis (?:zum |zur |ende )?(?:des jahres|jahresende|monatsende|wochenende|sommer|herbst|winter|frühjahr|frühling)
    (?:antes de|para) (?:el |l )?(?:verano|otoño|invierno|fin de (?:mes|año)|final de (?:mes|año))
    (?:d'ici|avant) (?:l'(?:été|automne|hiver)|(?:la )?fin)
    avant (?:le \d{1,2}|<tag>)
    la (?:próxima semana|semana que viene)
    demain|plus tard|la semaine prochaine
    <tag> prochain
""")
# Something that a fact can hold on to: a number, a path, a piece of code, a name with a dot or an underscore in it.
CONCRETE: Final = re.compile(
    r"\d|[ǁǂ/@]|\w\.\w|\w_\w|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozens?|hundreds?"
    r"|thousands?|millions?|zwei|drei|vier|fünf|sechs|dos|tres|cuatro|cinco|seis|deux|trois|quatre|cinq"
    r"|(?:every|each) (?:night|day|week|month|hour|morning|evening|quarter|year|sprint)|nightly|hourly)\b"
)

# Names that people do not capitalise.
KNOWN_NAMES: Final = words(
    "postgres postgresql mysql mariadb sqlite oracle mongodb redis valkey kafka rabbitmq docker podman kubernetes "
    "k8s helm terraform ansible aws gcp azure heroku vercel netlify hetzner linux ubuntu debian fedora nixos macos "
    "windows wsl android ios python django flask fastapi ruby rails java kotlin scala clojure golang rust swift "
    "typescript javascript node deno bun react vue svelte angular nextjs next.js nuxt remix astro vite webpack "
    "rollup esbuild pnpm npm yarn pip poetry uv conda cargo maven gradle bazel cmake ninja meson jest vitest mocha "
    "pytest unittest rspec junit playwright cypress selenium git github gitlab gerrit bitbucket mercurial svn "
    "perforce jenkins circleci travis buildkite argocd jira linear asana trello slack teams discord notion "
    "confluence vim neovim nvim emacs vscode intellij pycharm goland xcode tmux zsh bash fish powershell nginx "
    "apache caddy traefik haproxy envoy istio grpc graphql rest protobuf json yaml toml csv parquet avro numpy "
    "pandas pytorch tensorflow jax spark airflow dbt snowflake bigquery redshift databricks elasticsearch "
    "opensearch grafana prometheus datadog sentry loki splunk stripe auth0 okta keycloak oauth saml ldap slurm cuda "
    "arduino esp32 raspberry freertos zephyr unity unreal godot blender haskell ocaml elixir erlang phoenix php "
    "laravel symfony wordpress drupal dotnet .net c# f# c++ perl lua zig julia matlab fortran cobol latex typst "
    "mkdocs sphinx docusaurus hugo jekyll storybook figma tailwind bootstrap sass monday tuesday wednesday thursday "
    "friday mondays tuesdays wednesdays thursdays fridays daily weekly monthly quarterly utc cet pst gmt s3 ec2 "
    "lambda rds dynamodb cloudfront cloudflare mqtt lorawan modbus sap salesforce nx turborepo lerna trunk-based "
    "monorepo remote chrome firefox safari edge httpx requests aiohttp axios lodash underscore dayjs moment luxon "
    "zod yup joi ruff black isort flake8 pylint mypy pyright biome prettier eslint oxlint tslint clippy rustfmt "
    "gofmt golangci-lint rubocop pydantic attrs dataclasses marshmallow sqlalchemy alembic psycopg asyncpg prisma "
    "drizzle typeorm sequelize knex redux zustand mobx jotai pinia vuex tanstack swr trpc express koa fastify hono "
    "nestjs gin fiber actix axum tokio celery sidekiq temporal rq polars duckdb dask matplotlib seaborn plotly "
    "altair structlog loguru winston pino logback log4j slf4j make just taskfile podman colima mise asdf pyenv nvm "
    "volta tox nox hypothesis faker factory_boy testcontainers wiremock mockito sinon enzyme puppeteer detox "
    "maestro os.path pathlib argparse click typer subprocess curl wget httpie sed awk grep ripgrep rg fd jq yq"
)
_NOT_NAMES = words("I I'm I've I'd I'll OK Ok PR PRs ASAP URGENT TODO FYI BTW Please And But So LOVE NOT NEVER ALWAYS")


def is_concrete(text: str, plain: LowerText) -> bool:
    """Whether there is a name, a number, a path or code in a sentence: something to hold on to."""
    if CONCRETE.search(plain.text):
        return True
    if any(word[:1].isupper() and word.rstrip(".,;:!") not in _NOT_NAMES for word in text.split()[1:]):
        return True
    return any(word.strip(".,;:()!") in KNOWN_NAMES for word in plain.text.split())
