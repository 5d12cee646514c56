"""What rules learn from a turn: as often right as promised, each kind in its own words, and nothing from what is pasted."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from distil import score
from distil.turns import labelled_turn, observation, said, turn
from reverie.distil.rules import by_rules
from reverie.distil.said import (
    actions,
    changes,
    corrections,
    cues,
    everyday,
    facts,
    findings,
    passages,
    preferences,
    sentences,
)
from reverie.distil.said.phrases import Phrases
from reverie.distil.said.subjects import subject_of
from reverie.records import Kind, Learning, LearningType, Observation, Owner, Priority, Scope, ToolUse, Trust, Turn


def extract(labelled: score.Turn) -> list[tuple[str, str]]:
    return [(learning.type.value, learning.text) for learning in by_rules(labelled_turn(labelled))]


def learned(text: str) -> list[tuple[LearningType, str]]:
    return [(learning.type, learning.text) for learning in by_rules(said(text))]


# ---- the bar


@pytest.mark.parametrize("half", ["all", "unseen"])
def test_nine_of_ten_findings_are_right_and_six_of_ten_are_found(half: str):
    judged = score.score(extract, half)

    assert judged.precision >= 0.90, judged.table()
    assert judged.recall >= 0.60, judged.table()


def test_nine_of_ten_right_findings_of_turns_never_used_have_the_right_scope():
    right = wrong = 0
    for labelled in score.load("unseen"):
        for found in by_rules(labelled_turn(labelled)):
            labels = [one for one in labelled["learnings"] if score.fits(one, found.type.value, found.text)]
            if labels and "scope" in labels[0]:
                right += labels[0]["scope"] == found.scope
                wrong += labels[0]["scope"] != found.scope

    assert right >= 9 * wrong


# ---- the kinds, in sentences that no rule was written from

PREFERENCES = """
    I like my functions small and my commits atomic.
    Use British spelling in all docs.
    please don't use abbreviations for variable names, ever
    no default exports in this project
    Prefer composition over inheritance in our codebase
    keep commits small, one logical change per commit
    You don't need to apologise every time.
    Whenever you add a dependency, tell me why and what it weighs
    I'd like responses without bullet points
    for tests, we prefer table-driven style
    it'd be great if you always included the type hints
    Do not add Co-Authored-By lines to commits.
    I don't like nested ternaries, avoid them
    All dates in ISO 8601 please, always.
    Next time, ask before deleting anything.
    Going forward, put new migrations under db/migrate
    2 space indentation, please, for all JS files
    I can't stand wildcard imports
    Be brief. I read on my phone.
    stop summarising what you did at the end, I can read the diff
    single quotes in python, double only for docstrings
    Could you in the future put the tests in the same commit?
    Treat warnings as errors in everything you build for me.
    if you're not sure about an API, look it up instead of making it up
    Ich möchte, dass du immer Tests schreibst
    Prefiero que uses comillas simples
    Je préfère les réponses courtes
"""
CORRECTIONS = """
    No, I said the staging server, not production.
    That's wrong: the endpoint is /api/v2/users.
    You misunderstood, we want UTC timestamps, not local time.
    Actually the limit is 100 requests per minute.
    it's not MySQL, it's MariaDB
    wrong file. It's in src/utils/date.ts
    Nope. The config is loaded from the environment, there's no YAML.
    we don't use Redux anymore, we switched to Zustand
    Not quite: the cron runs at 3am UTC, not 3am local
    hm that's not correct, Priya owns that service
    You keep calling it master, the branch is main
    no, it's the other way around: the client polls the server
    that isn't how our auth works, tokens are validated in the gateway
    Wait, we aren't on Vue 2. We upgraded to Vue 3 last year.
    You assumed Linux, but I'm on Windows.
    that's our old domain. The new one is kestrel.io
    There's no users table. It's called accounts.
    Hmm, no. The flag is read at build time, not at runtime.
    Nein, das ist falsch, der Server läuft auf Port 9000.
    No, eso está mal: el campo se llama fecha_alta
    Non, c'est dans le dossier services, pas dans lib
"""
FACTS = """
    We're a team of four, all remote.
    Our CI runs on GitHub Actions.
    I'm on an M2 MacBook Air.
    The production database is hosted on RDS in eu-west-1.
    our frontend is React 18 with TypeScript and Vite
    btw we have a feature freeze until March 3rd
    The app is written in Elixir and deployed to Fly.io.
    My team lead is Fatima.
    all our services talk gRPC
    I'm currently learning Go, coming from Java
    the staging URL is https://staging.acme.dev
    Tests live next to the source files as *.spec.ts
    I don't have root on this machine.
    we're still on Django 3.2 because of a plugin
    our staging environment gets wiped every Sunday
    Note: the payments service is owned by team Falcon
    you should know that prod runs behind Cloudflare
    hi, I'm Tomek, I took over this repo from Sara last week.
    Wir benutzen GitLab für alles.
    Nuestro servidor corre Debian 12
    On utilise Symfony 6 pour le backend.
"""
ACTIONS = """
    Remind me to renew the domain before the 15th.
    TODO: write tests for the parser
    tomorrow we need to rotate the API keys
    I need to email Marta about the contract on Friday
    When the API v3 is out, migrate the client.
    once PR 231 is merged, delete the feature flag
    put "upgrade to Node 22" on the backlog
    at some point we need to replace moment.js
    note to self: ask Ben for the VPN config
    Let's postpone the redesign until after the launch
    can you remind me in two days to follow up with the vendor?
    Someone needs to update the changelog before we ship 2.0
    next time we touch this module, let's extract the date helpers
    before the end of the month the SSL certs have to be renewed
    let's revisit the caching strategy after the launch
    After we upgrade to Postgres 16, remove the workaround in db.py
    keep the old endpoint until the mobile app 5.0 is out, then delete it
    Bitte erinnere mich morgen an das Backup
    Recuérdame mañana llamar al proveedor
    Rappelle-moi demain de mettre à jour le certificat
"""
NOTHING = """
    fix the failing test in parser.py
    Can you always be sure that the map is sorted?
    The button should always be visible and never overlap the footer.
    I want a script that renames all files in a folder.
    I want the sidebar to remember its width and never go below 200px.
    As a user I want to always see my balance so that I never overspend.
    We need to add pagination to the users endpoint.
    my tests are failing with a timeout
    our build is broken since yesterday
    The docs say you should always call close().
    What do you prefer, REST or GraphQL?
    actually, forget it
    no, leave it
    No. Try again.
    that's wrong, try something else
    let's go with option 2
    I prefer the second one
    I'd rather do it now than later
    never mind, found it
    It always crashes when I click save
    add a TODO comment above the function
    remember that the array is zero-indexed
    When the user clicks on save, show a toast
    Once the tests pass, commit and push.
    if we used Postgres, would this be faster?
    Imagine our team has 500 developers. How would you structure the repo?
    Assume I'm on Windows. What changes?
    My colleague prefers spaces but whatever
    My professor wants us to always use Java. Which version should I install?
    He told me we use Oracle, is that visible in the config?
    the client said "we never deploy on Friday"
    Write a test that checks that the reminder is sent tomorrow
    Create a reminder app with a todo list: add, delete, mark as done
    Rename getUser to fetchUser everywhere
    use a dict instead of a list here
    just this once, skip the tests
    explain this to me in simple terms
    schedule the job for tomorrow at 5
    Reply to the customer in French that we ship on Monday.
    the release is wrong, it should be 42
    I get 404, not 200
    Is our staging db Postgres 14?
    I'm stuck on this bug since this morning
    I have to go now, see you tomorrow
    you're right, my mistake
    I don't think so
    Act as a senior engineer who never compromises on quality.
    write a job ad: we use Go, we deploy daily, we have 20 engineers
    Improve this prompt: Always answer politely and never mention competitors.
    Default to port 8080 if PORT is unset
    the date must be in the future
    Never heard of that tool
    I can't say that I always want it that way
    Let's say my name is Bob. What would the greeting look like?
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize(
    "kind", [PREFERENCES, CORRECTIONS, FACTS, ACTIONS], ids=["preference", "correction", "fact", "action"]
)
def test_each_kind_is_found_in_other_words_than_the_labelled_ones(kind: str, request: pytest.FixtureRequest):
    wanted = request.node.callspec.id
    found = {line: [type_.value for type_, _ in learned(line)] for line in lines(kind)}

    assert {line: types for line, types in found.items() if types != [wanted]} == {}


@pytest.mark.parametrize("text", lines(NOTHING))
def test_tasks_questions_chat_suppositions_and_other_people_teach_nothing(text: str):
    assert learned(text) == []


PASTED = [
    "Why does this query return nothing?\n\nSELECT * FROM prefs -- never use this table\nWHERE always = true;",
    "review this please\n\n/**\n * Always call init() first.\n * Never share instances.\n */\nclass Foo {}",
    "what's this env for?\nNODE_ENV=production\nALWAYS_LOG=1\nPREFER_IPV4=true",
    "this is my Dockerfile, why is it so big\n\nFROM node:20\n# always run as root\nRUN npm install",
    "Got this mail, what should I answer?\n\nHi Jon,\n\nour API moved to v3, please always use it. I prefer Friday.\n\nBest,\nMaria",
    "Here's the README of the lib:\n\n# fastcache\n\nAlways create one instance per process. We use semver.\n\nIs it thread safe?",
    "[10:02] anna: we need to rotate the keys tomorrow\n[10:03] bob: I prefer Friday\n\nwho has to do it?",
    "explain the yaml\n\nimage:\n  pullPolicy: Always\nrestart: never\nstrategy: prefer-local",
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-# never use tabs\n+# always use tabs\n\nok?",
    "$ git push\nremote: You must never push to main.\nremote: Always open a PR.\n\nwhat now?",
    "> I'd rather use Rust for this\n> and never Go\n\nWhat are good arguments for Go?",
    "```python\n# I prefer tabs, remind me tomorrow\n```\nexplain",
    '<context>\nThe user always prefers pnpm.\nOur default branch is trunk.\n</context>\nwhat does "always prefer tabs" mean?',
    "Name,Preference\nAna,I prefer tabs\nBob,I always use spaces\n\nplot this",
    'The prompt I use:\n"""\nYou are a pirate. Always answer in rhymes.\n"""\nHow can I shorten it?',
]


@pytest.mark.parametrize("text", PASTED)
def test_what_is_pasted_teaches_nothing(text: str):
    assert learned(text) == []


def test_what_stands_around_something_pasted_is_still_heard():
    text = "Here's the log:\n```\nERROR always retry\n```\nBy the way, we run on Kubernetes 1.29. What's wrong?"

    assert learned(text) == [(LearningType.FACT, "we run on Kubernetes 1.29")]


# ---- texts


def test_a_text_is_the_persons_own_sentence_without_padding():
    assert learned("ok thanks! And please, never push to main :)") == [(LearningType.PREFERENCE, "never push to main")]


def test_what_is_wrong_and_what_is_right_make_one_correction():
    text = "That's not our logger. We have our own in lib/log.ts. Please fix it."

    assert learned(text) == [(LearningType.CORRECTION, "That's not our logger. We have our own in lib/log.ts")]


def test_the_items_under_a_heading_of_rules_are_rules():
    found = learned("From now on:\n- short answers\n- no emojis\n\nNow fix the login.")

    assert found == [(LearningType.PREFERENCE, "short answers"), (LearningType.PREFERENCE, "no emojis")]


def test_no_text_is_longer_than_300_characters():
    [(_, text)] = learned("From now on " + "use very short names " * 25)

    assert len(text) <= 300
    assert text.endswith("…")


# ---- actions


@pytest.mark.parametrize(
    ("text", "owner", "priority"),
    [
        ("remind me tomorrow to rebase the old branch", Owner.USER, Priority.NORMAL),
        ("I have to call the bank on Friday", Owner.USER, Priority.NORMAL),
        ("tomorrow we need to rotate the API keys", Owner.AGENT, Priority.NORMAL),
        ("URGENT: tomorrow the cert has to be renewed", Owner.AGENT, Priority.URGENT),
        ("important: next week the certificate has to be replaced", Owner.AGENT, Priority.HIGH),
        ("asap: someone must revoke the token. please keep nagging me until it's done", Owner.USER, Priority.URGENT),
    ],
)
def test_an_action_has_an_owner_and_a_priority(text: str, owner: Owner, priority: Priority):
    [found] = by_rules(said(text))

    assert (found.type, found.owner, found.priority) == (LearningType.ACTION, owner, priority)


# ---- subjects


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I prefer tabs", "use spaces from now on"),
        ("call me Sam", "Call me Samuel, please"),
        ("always use npm", "use pnpm, not npm, from now on"),
        ("keep answers short", "I like detailed explanations"),
        ("Antworte mir ab jetzt immer auf Deutsch", "reply in English from now on"),
        ("stop adding comments to my code", "from now on write more comments"),
        ("I prefer pytest over unittest", "from now on use unittest"),
        ("single quotes please", "I prefer double quotes"),
        ("never push directly to main", "From now on push directly to main"),
    ],
)
def test_a_newer_preference_on_the_same_matter_has_the_same_subject(older: str, newer: str):
    [first], [second] = by_rules(said(older)), by_rules(said(newer))

    assert first.type is second.type is LearningType.PREFERENCE
    assert first.subject == second.subject


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I prefer tabs for indentation.", "I prefer spaces for indentation now, not tabs."),
        ("Always run the tests before committing.", "You don't need to run the tests before committing any more."),
        ("don't use mocks in tests", "You can use mocks in tests again."),
        ("Never push directly to main", "you can push to main directly again"),
        ("In this repo always use npm instead of pnpm.", "use pnpm here, not npm"),
        ("always write changelog entries", "you no longer have to write changelog entries"),
        ("no semicolons from now on", "I changed my mind about the semicolons"),
    ],
)
def test_who_changes_their_mind_speaks_of_the_same_subject(older: str, newer: str):
    [first], [second] = by_rules(said(older)), by_rules(said(newer))

    assert first.type is second.type is LearningType.PREFERENCE
    assert first.subject == second.subject


def test_unrelated_preferences_never_share_a_subject():
    texts = [
        *lines(PREFERENCES), "use pnpm", "run npm test before you push", "use pip", "no emojis in commit messages", "use conventional commits",
        "commit messages in English", "comments in English", "reply in English", "always run the tests", "use jest",
        "never touch vendor/", "call me Sam", "24h clock", "100 columns in this repo", "log with structlog",
        "I want docs for every endpoint", "use metric units",
    ]  # fmt: skip
    subjects = [subject_of(text) for text in texts]
    twice = {subject for subject in subjects if subjects.count(subject) > 1}

    # Shorter answers, and quotes, are asked for in more than one language above.
    assert twice <= {"answer length", "quotes", "indentation"}


# ---- scopes


@pytest.mark.parametrize(
    ("text", "kind", "scope"),
    [
        ("use pnpm here, not npm", LearningType.PREFERENCE, Scope.PROJECT),
        ("In this repo always use npm instead of pnpm.", LearningType.PREFERENCE, Scope.PROJECT),
        ("Use httpx instead of aiohttp for this service", LearningType.PREFERENCE, Scope.PROJECT),
        ("never commit to main in our repo", LearningType.PREFERENCE, Scope.PROJECT),
        ("Rules for this repo:\n- squash merges only", LearningType.PREFERENCE, Scope.PROJECT),
        ("don't use mocks in tests", LearningType.PREFERENCE, Scope.PERSON),
        ("please use type hints everywhere", LearningType.PREFERENCE, Scope.PERSON),
        ("I prefer tabs for indentation.", LearningType.PREFERENCE, Scope.PERSON),
        ("from here on answer in French", LearningType.PREFERENCE, Scope.PERSON),
        ("remember that the deploy key is in vault", LearningType.FACT, Scope.PROJECT),
        ("Our CI runs on GitHub Actions.", LearningType.FACT, Scope.PROJECT),
        ("my name is Ana", LearningType.FACT, Scope.PERSON),
        ("I live in Berlin", LearningType.FACT, Scope.PERSON),
        ("I'm a nurse", LearningType.FACT, Scope.PERSON),
        ("No, the port is 8443, not 8080.", LearningType.CORRECTION, Scope.PROJECT),
    ],
)
def test_what_names_the_project_is_the_projects_and_other_preferences_are_the_persons(
    text: str, kind: LearningType, scope: Scope
):
    [found] = by_rules(said(text))

    assert (found.type, found.scope) == (kind, scope)


# ---- notes


def noted(text: str) -> list[Learning]:
    return by_rules(turn(observation(Kind.NOTE, text)))


def test_a_note_is_kept_as_a_fact_whatever_it_says():
    [found] = noted("the green cable goes into port B")

    assert (found.type, found.text, found.confidence) == (LearningType.FACT, "the green cable goes into port B", 0.95)


def test_a_note_that_says_what_it_is_is_taken_for_that():
    [found] = noted("I prefer tabs")

    assert (found.type, found.subject, found.trust) == (LearningType.PREFERENCE, "indentation", Trust.PERSON)


def test_an_empty_note_teaches_nothing():
    assert noted(" \n\t") == []


# ---- tools


def ran(command: str, output: str, place: int = 2, *, failed: bool = False, tool: str = "Bash") -> Observation:
    return observation(Kind.TOOL_CALL, output, place, ToolUse(tool, {"command": command}, failed))


def edited(place: int, path: str = "a.py") -> Observation:
    return observation(Kind.TOOL_CALL, "ok", place, ToolUse("Edit", {"file_path": path}))


@pytest.mark.parametrize(
    ("command", "output", "fact"),
    [
        ("python3 -V", "Python 3.11.2", "Python 3.11.2"),
        ("node -v", "v20.11.1", "node: v20.11.1"),
        ("mvn -v", "Apache Maven 3.9.6 (bc0240f)\nMaven home: /usr", "mvn: Apache Maven 3.9.6 (bc0240f)"),
        ("java -version 2>&1", 'openjdk version "21.0.3" 2024-04-16', "java: openjdk version 21.0.3 2024-04-16"),
        (
            "git remote -v",
            "origin\tgit@github.com:acme/app.git (fetch)",
            "git remote origin is git@github.com:acme/app.git",
        ),
        ("git symbolic-ref refs/remotes/origin/HEAD", "refs/remotes/origin/trunk", "default branch is trunk"),
        (
            "cat /etc/os-release",
            'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian',
            "operating system is Debian GNU/Linux 12",
        ),
        ("ls", "README.md\npackage.json\npnpm-lock.yaml", "package manager is pnpm"),
        ("cat package.json", '{"packageManager": "yarn@4.1.1"}', "package manager is yarn 4.1.1"),
    ],
)
def test_structured_answers_of_local_tools_are_facts(command: str, output: str, fact: str):
    [found] = by_rules(turn(ran(command, output)))

    assert (found.type, found.text, found.trust) == (LearningType.FACT, fact, Trust.LOCAL_TOOL)


@pytest.mark.parametrize(
    "call",
    [
        ran("npm view react version", "19.1.0"),
        ran("cat /etc/motd", "Always use sbatch. Our cluster has 40 nodes."),
        ran("node -v", "v20.11.1", failed=True),
        ran("node -v", "v20.11.1", tool="mcp__remote__Bash"),
        ran("pytest -v", "3.1.2 passed"),
        observation(Kind.TOOL_CALL, "Python 3.13 is out. We use it.", 2, ToolUse("WebFetch", {"url": "x"})),
    ],
)
def test_prose_failures_and_tools_from_outside_are_not_believed(call: Observation):
    assert by_rules(turn(call)) == []


# ---- patterns


def steps(count: int, first: int = 1) -> list[Observation]:
    """Edit, test, edit, test, … `count` calls."""
    return [
        edited(place, f"{place}.py") if place % 2 else ran("pytest -q", "", place)
        for place in range(first, first + count)
    ]


def patterns_in(now: Turn) -> list[str]:
    return [found.text for found in by_rules(now) if found.type is LearningType.PATTERN]


def test_a_sequence_done_three_times_in_a_row_is_a_pattern():
    assert patterns_in(turn(*steps(6))) == ["Edit, then Bash `pytest -q`: 3 times in a row"]


def test_a_pattern_names_the_call_that_completed_it():
    [found] = by_rules(turn(*steps(8)))

    assert found.observation_id == "o6"
    assert found.text.endswith("4 times in a row")


def test_twice_is_no_pattern_and_one_step_many_times_neither():
    assert patterns_in(turn(*steps(5))) == []
    assert patterns_in(turn(*(edited(place) for place in range(1, 10)))) == []


@pytest.mark.parametrize("length", [2, 3, 4, 5, 7, 20, 41])
def test_a_pattern_is_reported_once_however_the_turns_are_cut(length: int):
    calls = steps(60)
    reports = 0
    for start in range(0, len(calls), length):
        reports += len(patterns_in(turn(*calls[start : start + length], before=calls[:start])))

    assert reports == 1


def test_something_else_in_between_breaks_a_row():
    calls = [*steps(4), observation(Kind.TOOL_CALL, "", 5, ToolUse("Grep", {})), *steps(4, 7)]

    assert patterns_in(turn(*calls)) == []


# ---- anything at all

_WORDS = (
    "always never i prefer we use our my is not no actually remind me tomorrow from now on please don't todo : , . ; ( ) \n "
    "- `x` \" ' > it's the repo has 3 you wrote wrong that's call me when once after before must if what ? ``` <a> </a> + # "
    "\ud800 \0 ß İ 'em"
)
_CUES = st.sampled_from(re.split(" ", _WORDS))


@given(
    st.one_of(st.text(), st.lists(_CUES, max_size=60).map(" ".join)), st.sampled_from([Kind.USER_MESSAGE, Kind.NOTE])
)
@settings(max_examples=300, deadline=None)
def test_no_text_breaks_the_rules_and_the_same_turn_teaches_the_same(text: str, kind: Kind):
    now = turn(
        observation(kind, text),
        ran(text, text),
        observation(Kind.TOOL_CALL, text, 3, ToolUse("Read", {"file_path": text})),
    )
    found = by_rules(now)

    assert found == by_rules(now)
    assert all(0 < len(one.text) <= 300 and one.text.isprintable() and 0 < one.confidence <= 1 for one in found)


_LISTS = [
    value
    for module in (cues, sentences, preferences, everyday, changes, corrections, actions, facts, findings)
    for value in vars(module).values()
    if isinstance(value, Phrases)
]


def span(found: re.Match[str] | None) -> tuple[int, int] | None:
    return found.span() if found else None


@given(st.lists(_CUES, max_size=40).map(" ".join))
@settings(max_examples=100, deadline=None)
def test_the_quick_look_at_the_words_misses_no_phrase(text: str):
    plain = cues.BOOK.read(text.lower())

    assert [span(one.search(plain)) for one in _LISTS] == [span(re.search(one.pattern, plain.text)) for one in _LISTS]


def test_the_quick_look_misses_no_phrase_in_the_labelled_turns():
    for labelled in score.load("dev"):
        for sentence in sentences.sentences(labelled["user"]):
            for one in _LISTS:
                assert span(one.search(sentence.plain)) == span(re.search(one.pattern, sentence.plain.text))


@pytest.mark.parametrize(
    "piece", ["I prefer tabs. ", "a", "<a>\n", '"\n', "'a ", "hi a,\n", "a. ", "no, ", "(", "`", "not a, "]
)
def test_of_a_megabyte_only_the_ends_are_read(piece: str):
    huge = piece * (1_000_000 // len(piece))

    assert sum(len(line.text) for lines in passages.passages(huge) for line in lines) <= 12_000
    assert by_rules(said(huge)) == by_rules(said(huge))
