"""What rules learn from a turn: as often right as promised, each kind in its own words, and nothing from what is pasted."""

import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from distil import score
from distil.turns import labelled_turn, observation, said, turn
from reverie.distil.by_rules import by_rules
from reverie.distil.rules.cues import BOOK, cue_lists, cues
from reverie.distil.rules.passages import passages
from reverie.distil.rules.sentences import sentences
from reverie.distil.rules.subjects import subject_of
from reverie.records import Kind, Learning, LearningType, Observation, Owner, Priority, Scope, ToolUse, Trust, Turn
from support.every import every


def extract(labelled: score.Turn) -> list[tuple[str, str]]:
    return [(learning.type.value, learning.text) for learning in by_rules(labelled_turn(labelled))]


def learned(text: str) -> list[tuple[LearningType, str]]:
    return [(learning.type, learning.text) for learning in by_rules(said(text))]


# ---- the bar


@every("half", ["all", "unseen"])
def test_nine_of_ten_findings_are_right_and_six_of_ten_are_found(half: str):
    judged = score.score(extract, half)

    assert judged.precision >= 0.90, judged.table()
    assert judged.recall >= 0.60, judged.table()


def test_what_is_labelled_as_the_projects_is_the_projects_in_nine_of_ten_turns_never_used():
    judged = Counter()
    for labelled in score.load("unseen"):
        for found in by_rules(labelled_turn(labelled)):
            labels = [one for one in labelled["learnings"] if score.fits(one, found.type.value, found.text)]
            if labels and "scope" in labels[0]:
                judged[labels[0]["scope"], found.scope.value] += 1

    assert judged["project", "project"] >= 9 * judged["project", "person"]
    # These labels are older than the rule that a preference is the project's in doubt: some of them speak of "our"
    # changelog. How well the rule itself is kept, `test_written_by_others.py` measures.
    assert judged["person", "person"] >= 3 * judged["person", "project"]


# ---- the kinds, in many words; what looks like them and is none of them is in NOTHING

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
MORE_PREFERENCES = """
    I'd rather you didn't add new dependencies without a word from me.
    can we stick to plain SQL in this repo?
    can we please stick with yarn for everything here
    Can we agree that you run the tests before you say it's done?
    let's keep the commit messages in English from now on
    let's stay away from ORMs in this project
    Let's not use default exports in this codebase.
    let's agree on camelCase for JSON keys everywhere
    stop using print for debugging, we have a logger
    quit wrapping every function in try/except
    In this project we never use float for money.
    around here we don't use abbreviations in names
    we don't merge on fridays, keep that in mind
    I have a strong preference for early returns.
    I'm more of a functional programming person, so map and filter over loops please.
    I'm not fond of long one-liners, split them up.
    I don't want you to touch the generated files.
    I don't need explanations with the code, only the code.
    I don't need a summary at the end of each answer.
    I'd like you to ask before you delete files.
    I'd love it if you explained the why as well, not only the what.
    I want you to be honest when you're not sure.
    What I'd like from you in general: fewer words.
    Shorter answers please, I read them on my watch.
    You explain too much, just show me the code.
    you can skip the introductions, just get to the point
    Please avoid passive voice in the docs.
    When you write SQL for me, uppercase the keywords.
    When you're unsure, ask instead of guessing.
    Before you change any config, make a backup.
    after every change run the tests please
    I like having the test output in the answer.
    I hate when tools reformat my whole file, so touch only the lines you need.
    Make sure you always run the formatter.
    Mir ist wichtig, dass du vor jedem Commit die Tests laufen lässt.
    Wir schreiben hier alle Commits auf Englisch.
    Bei uns werden Branches immer mit feature/ benannt.
    Bitte verwende keine Abkürzungen in Variablennamen.
    Nutze statt npm bitte pnpm, hier überall.
    Hör auf, jede Datei umzuformatieren.
    En este proyecto usamos comillas simples, síguelo por favor.
    Deja de poner emojis en los mensajes.
    Dans ce projet on écrit les commentaires en anglais.
    Arrête d'ajouter des commentaires partout.
    S'il te plaît, pas d'abréviations dans les noms.
    Désormais, écris les tests avec pytest.
    Write everything that ends up in the repo in English, even when we talk German.
    dont use jest in our tests, im on vitest everywhere
    One commit per logical change please.
    I find long paragraphs hard to read.
    Open PRs as draft.
    before deleting anything ask me
    I'd rather you asked me than guessed, generally.
    I'd rather you told me when you don't know something.
    I would much rather you left a question open than made something up.
    i'd rather u asked before installing stuff
    one thing about how we work: small commits, one per logical change
    How we work here: trunk based, short branches, squash on merge.
    the way i work: tests first, then the code
    How I like to work: one step, then you show me, then the next step.
    plz use metric units always, i am from india
    pls write sql keywords in caps always
    use ISO dates always please
    my preference for naming in unity scripts is _camelCase for private fields
    My preference for error handling is exceptions, not return codes.
    our preference for new services is Go
    my preference when it comes to tests: pytest with fixtures
    Bitte duze mich, das Sie klingt so steif.
    du kannst mich gerne duzen
    Bitte sieze mich.
    Tutéame, por favor.
    tutoie-moi s'il te plaît
    Me gustan las respuestas cortas.
    Évite les abréviations dans les noms de variables.
    Evita los comentarios obvios en el código, por favor.
    Antworte mir bitte kurz und ohne Floskeln, grundsätzlich.
    Keep your hands off the generated code in gen/.
    don't bother with docstrings for private helpers
    No need for a summary when you're done.
    Please be more careful with force pushes, I want to be asked first.
    Readability over cleverness, please.
    We name booleans with is_ or has_.
    Migrations go in their own commit.
    Each PR should touch one thing only.
    Tests belong next to the code in this repo.
    Say so when you are guessing.
    Don't sugarcoat it when my code is bad.
    Just give me the diff, not the whole file.
    Show me only the changed lines when you answer.
    Less talking, more code.
    Speak plainly with me.
    You may commit on your own, but never push.
    Leave my TODO comments alone.
    Please stay within 80 columns.
    ESM only in this codebase, no require.
    Our code style: black, line length 88.
    Log in JSON, never plain text, in all our services.
    Variable names in English, even if I write German.
    Give me the short version first, details after.
    I read diffs, so don't explain what changed.
    Timestamps: always UTC, always ISO 8601.
    Ask me when a requirement is unclear.
    Before big changes I want a plan.
    Don't touch package.json without telling me.
    When I paste an error, start with the cause.
    The fewer dependencies the better.
    Try to keep functions under 30 lines.
    Kein Smalltalk bitte, nur die Antwort.
    Commits immer auf Englisch bitte.
    Prefiero respuestas breves y al grano.
    Pas de commentaires dans le code, merci.
    Do not, under any circumstances, touch the lockfile.
    under no circumstances push to the release branch
    Please do not rename public functions under any circumstances
    Under no circumstances should you delete old migrations.
    i want commits under 100 lines, as i said
    As I told you before, I want tests in their own folder
    I usually want one commit per ticket
    I normally want a short plan before the code
    Don't use sleeps in the e2e tests, we have a fake clock.
    we call them 'tenants', never 'customers'
    In our docs we say 'workspace', not 'project'.
    One nit: here we call it a run, never a job.
    - in general, don't return dicts from our services
    2) for new code we prefer composition over inheritance
    * avoid star imports in this repo
    add this to AGENTS.md: always run make lint before you commit
    rules: always squash
    text files: always use UTF-8
    put the ticket id in every PR title: we need it for the audit
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
    that's not how it works here: the worker pulls, nobody pushes
    You mixed up the two tables, orders has the customer id, not invoices.
    wrong column: it's created_at, not created
    I said Postgres, not MySQL.
    I told you the bucket is called media-eu, not media.
    nah it's port 6380, 6379 is the test redis
    That's incorrect, the token expires after 15 minutes.
    Your assumption is wrong: the ids are not unique across tenants.
    You assumed the file is UTF-8, it's Latin-1.
    You're assuming that everyone has admin rights. They don't, only team leads do.
    you think the tests run in parallel but they run one after another
    You got the order wrong: first validate, then save.
    you've got it backwards, the client initiates the handshake
    You used npm again, this repo is on pnpm.
    You put the file in src/, but our scripts go in tools/.
    It's spelled Müller-Lüdenscheidt, with a hyphen.
    her name is Katarzyna, not Katerina
    It's not a bug, negative values mean refunds.
    it isn't Flask, it's FastAPI
    We don't have a staging cluster, only prod and dev.
    We don't use Jenkins any more, it's GitHub Actions now.
    We're not using React here, it's Preact.
    we aren't on Python 3.9 any more, 3.12 since May
    There is no users.email column, the address is in contacts.
    I misspoke, the deadline is the 20th.
    To be precise, it's 1024 bytes, not 1000.
    careful, euros, not dollars
    Almost right, but discounts apply before tax, not after.
    Falsch, wir nutzen Maven, nicht Gradle.
    Du hast die beiden Server verwechselt, der mit GPU ist kepler.
    Te equivocaste de tabla, es clientes.
    Tu t'es trompé de fichier, c'est config/prod.yml.
    The timeout is in milliseconds, you treated it as seconds.
    Your chart uses kPa but the sensor delivers 2 bar.
    We've upgraded to 2.1, your snippet uses the 1.9 syntax.
    You said the cache is shared between the workers, it is not.
    you said that numpy was already installed, it isn't
    You claimed the lock is reentrant. It is not.
    The leak isn't in the pool as you claimed, it's the logger that keeps the references.
    the culprit is not the proxy like you said, it's the dns cache
    The bug is not in the scheduler as you suspected, it's in the retry queue.
    Your last change broke the build: the package is CommonJS, so import doesn't work there.
    your refactoring broke the cli, argv[0] is the wrapper script there and not python
    Your fix broke the login: our cookies are cross-site because of the iframe.
    you should not have renamed that column, the billing team reads it by that name
    You shouldn't have touched the lockfile, we pin everything by hand.
    please undo, you should not have bumped react, 17.0.2 is what we ship
    hm, that isn't what i asked for. i wanted the weekly totals and you gave me daily ones
    That's not what I wanted: the export is for the tax office, you built one for customers.
    I asked for the p95 and you gave me the average.
    Wait, you can't use fetch there, the runtime is Node 16.
    you cant write to /etc there, the root filesystem is read-only on these devices
    You can't call that endpoint from the app, our gateway only trusts the backend.
    Incorrect. Go 1.21 doesn't have that, it came with 1.22.
    incorrect, the header is called X-Request-Id
    Not true. The free tier has 3 seats.
    the total isnt 40, you counted the header row, it must be 39
    The mean isn't 3.2, you divided by all 50 rows. 12 of them are empty.
    No, te equivocas, el endpoint es /v2/pedidos y no /v1/pedidos.
    Te equivocas, el puerto es el 8443.
    Da liegst du falsch, die Tabelle heißt kunden.
    Du irrst dich, wir haben zwei Regionen und nicht drei.
    Tu te trompes, le fichier est dans conf/ et pas dans etc/.
    The endpoint takes POST, you're sending GET.
    That flag was removed in version 5, use --mode instead.
    It's kebab-case in our API, you wrote camelCase.
    That's the staging key you pasted, prod uses another one.
    Our tax rate isn't 19, it's 7 for books.
    Not in src/. Everything lives under packages/ here.
    The function is called parse_row, there is no parseRow.
    You're looking at the wrong branch, develop is the one we deploy.
    that method was deprecated, the new one is fetch_all
    sorry, I gave you the wrong id, it's 4512
    Julia's arrays start at 1, not 0.
    the column is nullable, your query assumes it isn't
    I never said weekly, it's every two weeks.
    You keep forgetting that our prices are net.
    the meeting is on Tuesday, I mixed that up
    Small correction: the bucket is in us-west-2.
    You interpreted the date as US format, it's day first.
    our Node is 18 so fetch flags like that don't exist
    Sven isn't the PM, Aylin is.
    The limit applies per user, not per key like you implemented it.
    That only works on Linux, our agents run macOS.
    it's Terraform we use for that, CloudFormation is gone
    You hallucinated that option, argparse has no such thing. It's called nargs.
    Du hast den falschen Port genommen, wir nutzen 5433.
    La base de datos es MySQL, no Postgres.
    Ce n'est pas 20 %, la TVA est à 5,5 %.
    No, prices are net.
    nope, ids are unique per tenant
    Not quite - coordinates are in degrees, you treated them as radians.
    you misread me, I meant the preview cluster
    no, I meant the *internal* registry
    Revert that, amounts are in cents.
    Stop. The queue runs on port 5671.
    Stop. You're editing the compiled bundle. Change src/main.ts instead.
    You picked moment again. I told you, dayjs.
    you're using the old api, the new one is v2
    no, we call them tenants, not customers
    You labelled them 'customers'. We call them 'tenants', never 'customers'.
    nein, nicht den Parser, den Lexer sollst du anpassen
    Nicht der Client, sondern der Server setzt das Cookie.
    Nein, den Lexer, nicht den Parser.
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
    I mostly write Go, Python is new to me.
    We are stuck on Java 11 because of a vendor library.
    The staging environment is reset every night.
    For context, this is a medical device, so everything has to be traceable.
    Background: we sell tickets for museums in five countries.
    Nuestro equipo es de tres personas.
    I'm on Windows 11 with WSL2.
    Our sprint ends every second Wednesday.
    The API is rate limited to 100 requests per minute.
    Just so you know, main is protected and needs two approvals.
    Unsere Datenbank ist eine Postgres 14.
    On utilise Kubernetes chez OVH.
    Our users are nurses on a night shift.
    Orders come from SAP every night at 1.
    The events table gets about 1.5 million rows per day.
    there's a code freeze from December 18 to January 7
    We're under HIPAA.
    The GPU box has 2x A6000, 48gb each.
    the build machine has 64 cores and no gpu
    our nas has 4x 8 TB disks
    The render farm has 12 nodes with a 4090 each.
    Python on the cluster is stuck at 3.8, the admins will not upgrade before 2026.
    node on the build agents is frozen at 18
    The novel is set in Lisbon in 1955 and told by a ferry captain.
    The game takes place in Kraków during the 1980s.
    The admin panel sits behind Cloudflare Access.
    the jump host sits in the DMZ at 10.4.0.2
    we dont have any tests for the importer
    We don't have a staging environment.
    we have no qa team, the devs test each other's work
    I have dyslexia so long walls of text are hard for me.
    i have adhd
    im colorblind, red and green look the same to me
    I'm colour-blind.
    I'm hard of hearing.
    so at work we're on windows 11 w/ wsl2 ubuntu, no admin rights
    At home I use Arch with sway.
    at the office we have a proxy on port 3128
    At our company everyone gets a ThinkPad with Fedora.
    im on a thinkpad t14 with fedora 40
    theres no internet on the build agents, only the mirror at 10.0.0.5
    Everything here runs on one Raspberry Pi 4 in a closet.
    Deploys happen through ArgoCD from the infra repo.
    My boss is Ingrid, she approves purchases.
    The frontend people sit in Porto.
    Payments are handled by Adyen.
    Marta does our translations.
    The legacy importer is written in COBOL.
    Tickets are in Linear, project ATLAS.
    We get the data from a Siemens S7 over OPC UA.
    Our fiscal year starts in April.
    I only have a Windows laptop at work.
    I've been doing C++ for 20 years.
    I'm coming from PHP, Rust is new to me.
    English isn't my first language.
    I'm in Melbourne, UTC+10.
    My screen is tiny, 13 inch.
    I use a screen reader.
    The licence server is license01.corp.local.
    We are five people, two of them part time.
    Prod is on Hetzner, staging on a NUC in the office.
    Our users are mostly farmers with bad connectivity.
    The repo was forked from gitea in 2021.
    We ship every other Thursday.
    There are three environments: dev, uat and prod.
    The API key for the weather service expires in March.
    This project is a fork of Redash.
    It's a Django 4.2 app with HTMX.
    The monorepo contains 40 packages.
    All timestamps in the warehouse are CET.
    Support for IE ended last year, we only target evergreen browsers.
    Ich arbeite bei den Stadtwerken in der IT.
    Wir hosten alles bei Hetzner.
    Trabajo con un equipo en Bogotá.
    Notre serveur est chez OVH à Gravelines.
    deploy day is every other Tuesday
    Patch night is the first Wednesday of the month
    merge freeze starts on Monday
    We have a meeting every Monday at 10.
    we have a demo environment at demo.acme.io
    the default branch of our docs repo is gh-pages
    our main branch is develop
    The topic is called orders-v2 since last month.
    Builds need Java 17, otherwise Gradle refuses to start.
    the e2e suite needs Chrome installed, otherwise it hangs
    note: our CI runs on GitLab
    add this to your memory: we use Postgres 14
    write this down: our staging db is on port 5544
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
    Let's tackle the performance issue tomorrow.
    let's leave the refactoring for next sprint
    leave that for later: the retry logic needs jitter
    Let's come back to the pagination bug after the demo.
    We'll look at the flaky test on Monday.
    the SSL certificate expires on June 3, needs to be renewed before
    I promised Tom a fix for the export by Wednesday.
    Still open: the error handling in upload.ts.
    Morgen muss ich noch die Doku schreiben.
    Nach dem Release müssen wir das Feature-Flag entfernen.
    Después del lanzamiento tenemos que borrar los datos de prueba.
    Après la mise en production, il faudra supprimer le flag.
    Follow up with the vendor about the invoice next Tuesday.
    Not today, but we have to upgrade Postgres before November.
    when we're done with the migration we should set up Sentry
    please create a ticket for later: the date picker ignores the locale
    We'll have to swap the map provider by summer since Mapzen shuts down.
    We will have to drop Python 3.9 by autumn.
    we'll need to move off heroku by the end of the year
    We'll want to rotate those keys before the audit.
    the dashboards will need new colours when marketing finishes the rebrand, so plan for that in q3
    The mobile app will need a new signing key, plan for that in Q2.
    Plan a Postgres upgrade for Q1.
    The old certificates will have to go by the end of March.
    TODO: urgent! fix the flaky payment test
    todo (high prio): update the onboarding docs
    TODO!! rotate the deploy key
    Tengo pendiente hablar con el cliente sobre el dominio nuevo.
    Queda pendiente actualizar la documentación.
    Il reste à migrer les anciens comptes.
    Bis zum Sommer müssen wir die Zertifikate erneuern.
    After the holidays I want to look at the memory leak again.
    The retry logic still needs tests, but not today.
    Someday we should get rid of jQuery.
    Put the logging cleanup on the list for next sprint.
    I owe Petra the numbers by Thursday.
    Don't forget: the demo environment has to be reset before Monday.
    Let's do the renaming in a separate PR.
    We can tackle the dark mode after the release.
    By Friday the report must be with the client.
    I'll write the migration guide tomorrow morning.
    For tomorrow: check whether the cron ran.
    Before we go live the debug endpoint has to come out.
    Reminder: renew the TLS cert in May.
    One more thing for later, the CSV export ignores umlauts.
    When Kim is back from leave, ask her about the quota.
    As soon as 3.13 is out we drop 3.9.
    The trial ends on the 30th, we must decide before that.
    I need to remember to cancel the old VM.
    Next week: test the import with 500 users.
    Later we'll split this into two services.
    this hack needs to be removed once upstream fixes the bug
    Bis Freitag muss die Doku fertig sein.
    Nächste Woche kümmern wir uns um das Caching.
    El lunes tengo que enviar la factura.
    Il faudra penser à renouveler le domaine en mars.
    check backups are there tomorrow
    merge the fix once CI is green on Monday
    release the build on Friday
    import jobs are slow, check them on Monday
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
    Add a newline at the end of the file.
    Sort the rows by 3 columns: name, date, price.
    Release the lock after the call to foo().
    After the break statement the loop must continue with the next item.
    The calendar should start on Monday, not Sunday.
    We need to show later dates first.
    The timer has to start when the video is finished.
    remind me what the difference between let and const is
    Can you remind me how git bisect works?
    You should always escape user input, right?
    our meeting is in 10 minutes so just give me the summary
    I'm using the debugger and it stops at line 5.
    I'm in the folder backend/ and run make, nothing happens
    We write to the file in two places, unify that.
    We're at step 3 of the tutorial.
    our PR has 3 conflicts
    my function gets 3 arguments but expects 2
    My laptop is at 5% battery so make it quick.
    The API has 3 endpoints: list, get and delete. Write a client.
    The service has 3 replicas and one of them is restarting.
    The job takes 3 hours since yesterday.
    The package is 3 MB too large for the lambda.
    The build is 3 minutes slower than last week.
    The board is not detected on /dev/ttyUSB0.
    Remember that the index starts at 0.
    For context: I get this when I run npm start.
    Paul owns the ticket but he's sick.
    I normally use Excel for that, how do I do it in pandas?
    We follow the tutorial from the website, but step 3 fails.
    For each commit in the last week, list the author.
    I like option B more than A.
    I'd like you to review the last commit.
    That's not right, the total is still off by one.
    this is wrong: TypeError: x is not a function
    That's wrong. It prints 3 instead of 4.
    No, now the footer is gone.
    No, use the other function.
    nope, it's still at 80% CPU
    no wait, the second one is better
    Hold on, the server is restarting.
    Actually, use 20 instead of 10.
    Actually I have a better idea: let's cache it in Redis.
    You missed the edge case where n is 0.
    You removed the wrong line, I need the import.
    You keep breaking the build.
    It's called twice, not once.
    The result is 12, not 13 as in the test.
    The output is a string, not a number, please convert it.
    it's not that slow, it's fine
    the image is not there, it's a 404
    I moved the helper into utils.py but the tests still import the old path.
    The test suite runs in 30 seconds locally but 4 minutes in the container.
    Make the header sticky and never let it cover the content.
    Explain it in German please, this paragraph only.
    write the mail in English, the customer is from Ireland
    Convert all class components to hooks, everywhere.
    make all the tests use the new fixture
    Our model is overfitting, the validation loss goes up after epoch 5.
    My ESP32 resets when the wifi connects.
    Write docstrings for all public functions in core/.
    ugh, i hate mondays and i hate css
    We have two options: a queue, or a table with 3 columns.
    My goal is a small CLI that reads 10 files.
    Would you rebuild the index each time?
    Can you write a script that always keeps the last 5 backups?
    We have 14 merged PRs since 2.3.
    User story: as a traveller I want a reminder, and I prefer SMS rather than mail.
    You are a helpful assistant. Always answer in JSON.
    that's a note to self
    The pipeline is running, 12 minutes left.
    Das Skript läuft jetzt durch, braucht aber 10 Minuten.
    You said it would take a minute, it's still running.
    Your last change broke the tests, please fix it.
    your last change broke the build
    That isn't what I asked for, try again.
    Incorrect. Try again.
    you can't do that
    You can't use a break statement here, can you?
    You should not have any trouble with that.
    You should not have to do that by hand.
    You said you wanted to see the log, here it is.
    as you said, the cache is shared between the workers
    You can't use the same name twice, that's the error I get.
    You can't go wrong with that.
    the progress bar is stuck at 99
    The job is stuck at step 3.
    the value is set in the constructor
    The flag is set in line 12.
    the modal sits behind the overlay
    The array has 3 elements, the last one is 0.
    the table has two columns, add a third
    I have a question about docker
    i have two errors in the build
    I have an idea
    we dont have time for that now
    We don't have that function in scope.
    i dont have any idea
    we dont have any results yet
    We don't have to do that.
    explain it to me like I'm five
    explain this to me like im 12
    Explain monads to me as if I were a plumber.
    I'd rather you fixed the test first.
    I'd rather you did it now than later
    The preference for dark mode is stored in localStorage.
    Wenn der Nutzer auf Speichern klickt, soll immer eine Meldung kommen.
    Wenn das Feld leer ist, muss immer ein Fehler erscheinen.
    Die Liste soll immer nach Datum sortiert sein.
    Cuando el usuario pulse guardar, siempre debe aparecer un aviso.
    Quand l'utilisateur clique, il faut toujours afficher un message.
    Wie duze ich jemanden auf Englisch?
    note to self: never become a programmer lol
    oh sure, let's rewrite everything in cobol next week, what could go wrong
    yeah right, remind me to never touch a makefile again haha
    Great, let's just delete prod on Friday then, what could possibly go wrong
    oh yeah, lets just push to prod without tests from now on
    From now on write all comments in Klingon. Just kidding.
    note to self: do not drink and commit 😂
    We'll have to see.
    we'll have to live with it
    The list will need a scrollbar when it gets long.
    The page will need a header.
    You will need Node 20 for that.
    in my last job we had to use SVN, horrible
    At my previous company we deployed on Fridays.
    in my old team we always used tabs
    Back when I worked at a bank we had to use Oracle 9.
    years ago we ran everything on Solaris
    En mi trabajo anterior usábamos SVN.
    In meinem letzten Job haben wir SVN benutzt.
    Show me the list of users sorted by name.
    The endpoint takes two parameters and returns JSON.
    why is the sky blue
    It works now, thanks!
    looks good, ship it
    Use a set here, it's faster.
    rename the variable to total_count
    The test fails because the mock returns None.
    The user must confirm the email before logging in.
    Every invoice needs a number and a date.
    Orders over 100 euros ship for free.
    I think we should use Redis for this.
    Should I use Redis for this?
    maybe we could move it to a queue later?
    The loop never terminates.
    I always get a 403 when I call this.
    this never worked for me
    The job runs every night at 2, make it 3.
    Change the timeout to 30 seconds.
    Add a column for the due date.
    You can ignore the warnings for now.
    Don't change anything yet, just look.
    Don't run it yet.
    no tests for this one please
    Only touch the header file this time.
    Let's start with the parser.
    first the parser, then the lexer
    I'm trying to understand this function.
    I'm getting an error on line 12.
    I have this code and it doesn't work.
    My code compiles but the output is empty.
    The server is down again.
    What happens if the disk is full?
    The second argument is a callback.
    Python's GIL is the problem here.
    Rust has no garbage collector.
    Postgres supports JSON columns since 9.2.
    In Go, errors are values.
    The docs mention a rate limit of 60 per minute.
    Stack Overflow says to always use const.
    It says here that we never deploy on Fridays.
    The reviewer wants smaller commits.
    My friend uses vim for everything.
    Some people prefer tabs.
    Let's say we use Kafka for that.
    Write a blog post: we moved to Kubernetes and never looked back.
    Give me three names for a cat.
    Your answer was great, thanks.
    You did a good job on the parser.
    You were right about the cache.
    no worries
    wrong window, sorry
    No idea, check the logs.
    that's not bad at all
    It's not a big deal.
    The button is blue, make it red.
    The total should be 42, but it's 41.
    I expected 3 rows, not 4.
    When the cart is empty, hide the button.
    Once the file is uploaded, show a success message.
    After login, redirect to the dashboard.
    The reminder must be sent a day before the appointment.
    The report should be generated every Monday.
    Schedule the backup for Sunday night.
    We need a button that exports to CSV.
    I need to parse a date in Java.
    Wie sortiere ich eine Liste in Python?
    Der Test schlägt immer fehl.
    ¿Por qué siempre falla la prueba?
    Le bouton doit toujours être visible.
    I asked for help and you gave me a great answer, thanks.
    The sum isn't right, you forgot the last row.
    You can't use a variable before it is declared, the compiler complains.
    You can't run the tests without docker, it hangs.
    Your change broke the sort order, the rows are reversed.
    This doesn't work in Firefox, the menu is hidden behind the header.
    When I ask the API for users, return an empty list.
    If I paste text into the field, trim it.
    The trial expires in 14 days after sign-up.
    we have no tests failing right now
    We don't have docs for this function, add some.
    For all users, give me the last login.
    Tests go in the same file, please move them.
    We can add a cache later if it's slow.
    Tomorrow: sunny, 20 degrees
    Es ist spät und nicht mehr viel zu tun.
    le bouton est bleu et pas rouge
    Das geht generell, aber es ist langsam.
    Everything goes through the same function, refactor it.
    There are three databases in the dropdown, sort them.
    we have a call with the client at 5, hurry
    we've got a demo at 14:00 so keep it short
    our main branch is broken
    The endpoint needs 2 params, otherwise it returns 400
    the function needs a lock, otherwise it hangs
    The app must not crash under any circumstances.
    Under no circumstances can this be null.
    as i said, i want the button on the left
    like i said i want code that compiles
    i usually want 3 rows there but get 4
    I usually like it but not today
    we call it twice, not once
    we call it from main, not from init
    no, thanks
    no, go on
    no, things are fine
    no, errors are gone
    no, others use it too
    no, migrations start tomorrow
    no i meant the login page
    Stop, the disk is full.
    stop, I need to think
    Stop! It's the 5th time
    Undo that. The header is gone.
    undo that please
    nicht nur den Parser, sondern auch den Lexer bitte
    nein, nicht so
    - the form always shows the total
    - users never see deleted rows
    - by default the form is empty
    add this to docs/setup.md: We deploy with Helm. Never run it as root.
    Then append to the changelog: we don't use moment any more, it's dayjs now
    put in the footer: We are a team of six from Oslo.
    tell the client: we never deploy on Fridays. I prefer Tuesday.
    let the chatbot answer: I'm from Bergen and I always use tabs
    post in the channel: from now on we use pnpm
    antworte dem Kunden: Wir nutzen Oracle 19. Ich bevorzuge Teams.
    Schreib ins Wiki: Wir deployen immer dienstags.
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@every(
    ("wanted", "texts"),
    [
        (LearningType.PREFERENCE, PREFERENCES + MORE_PREFERENCES),
        (LearningType.CORRECTION, CORRECTIONS),
        (LearningType.FACT, FACTS),
        (LearningType.ACTION, ACTIONS),
    ],
)
def test_each_kind_is_found_in_other_words_than_the_labelled_ones(wanted: LearningType, texts: str):
    found = {line: [type_ for type_, _ in learned(line)] for line in lines(texts)}

    assert {line: types for line, types in found.items() if types != [wanted]} == {}


@every("text", lines(NOTHING))
def test_tasks_questions_chat_suppositions_and_other_people_teach_nothing(text: str):
    assert learned(text) == []


PASTED = [
    "Can you make this mail less rude?\n\nFrom: Dennis\nTo: all-dev\nSubject: standards\n\nI prefer spaces. Never tabs.\n\nDennis",
    "This is the job ad, does it sound ok?\n\nWe are a team of 12 based in Graz. Our stack is Elixir and Postgres.",
    "Review my cover letter.\n\nI am a developer from Leipzig. I prefer small teams and I always write tests.",
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
    "review the wording of my commit message:\n\nfix: don't use float for money\n\nWe always want Decimal here. TODO: migrate old rows.",
    "Is the tone of this announcement ok?\n\nWe moved to Kubernetes 1.29.\n\nFrom now on always use the new registry.",
    "improve the wording of my PR description:\n\nDrop the mocks\n\nWe never mock the database in tests.\n\nTODO: docs",
    "Proofread my slack message:\n\nMorning everyone!\n\nFrom now on we use pnpm.\n\nRemind me on Friday if I forget.",
    "check the grammar of my release notes:\n\n2.4.0\n\nOur minimum is Node 20 now. We don't use Redux any more, it's Zustand.",
    "From: Ulla\nTo: Kai\nWe use Oracle 19 here. I prefer invoices as XML.\n\n-> draft an answer",
    "From: Ulla\r\nTo: Kai\r\n\r\nNo, the port is 1522, not 1521. I prefer XML.\r\n\r\nwhat do I answer?",
    "Von: Ulla\nAn: Kai\nBetreff: Rechnung\n\nBitte immer bis Freitag melden. Ich bevorzuge XML.\n\nwas soll ich antworten?",
    "From: Ulla\nTo: Kai\n\nI prefer XML.\n\nBest,\nUlla\n\nFrom: Kai\nTo: Ulla\n\nI always use PDF.\n\nsummarise",
    "Hello everyone,\nfrom now on never merge on Fridays. We use Gerrit.\nThanks,\nMilo\n\n^ does that sound ok?",
    "Hi Kai, I prefer XML. BR Ulla\n\nwhat do I answer?",
    "Liebe Kollegen,\nbitte schreibt immer Tests. Wir nutzen GitLab.\nLG Jan\n\nist das zu streng?",
]


@every("text", PASTED)
def test_what_is_pasted_teaches_nothing(text: str):
    assert learned(text) == []


def test_what_stands_around_something_pasted_is_still_heard():
    text = "Here's the log:\n```\nERROR always retry\n```\nBy the way, we run on Kubernetes 1.29. What's wrong?"

    assert learned(text) == [(LearningType.FACT, "we run on Kubernetes 1.29")]


@every(
    "text",
    [
        "From: Ulla\nTo: Kai\n\nHi Kai,\nI prefer XML.\nRegards,\nUlla\n\nwe run on Oracle 19",
        "From: Ulla\nTo: Kai\n\nI prefer XML.\n\n-> tell her no. We run on Oracle 19.",
        "Hi Kai,\n\nI prefer XML.\n\nRegards,\nUlla\n\nwe run on Oracle 19",
        "Hi Claude,\nwe run on Oracle 19.\nThanks, Ana\n\nNow fix the login.",
        "Hi Kai,\nwe run on Oracle 19.\nThanks, Ana",
    ],
)
def test_what_is_said_below_a_mail_or_in_a_letter_to_the_agent_is_heard(text: str):
    [(kind, said_so)] = learned(text)

    assert (kind, said_so.casefold()) == (LearningType.FACT, "we run on oracle 19")


# ---- texts


def test_a_text_is_the_persons_own_sentence_without_padding():
    assert learned("ok thanks! And please, never push to main :)") == [(LearningType.PREFERENCE, "never push to main")]
    assert learned("save this in your memory: we use Postgres 14") == [(LearningType.FACT, "we use Postgres 14")]


def test_what_is_wrong_and_what_is_right_make_one_correction():
    text = "That's not our logger. We have our own in lib/log.ts. Please fix it."

    assert learned(text) == [(LearningType.CORRECTION, "That's not our logger. We have our own in lib/log.ts")]


@every(
    "text",
    [
        "Who told you we're on AWS? Everything sits in Hetzner.",
        "why did you create a github workflow? we're on gitlab",
        "You treat the end date as exclusive. It's inclusive in our system, the 31st counts.",
        "The newsletter goes out weekly. You wrote daily on the signup page.",
        "hm, customer ids aren't integers. they're uuids.",
        "Hmm you wrote that Priya owns it. She doesn't, she moved to the data team. It's Tomasz now.",
        "No, the retry limit is 5, not 3. You read the old config file. The right one is config/prod.toml",
        "nope. we don't deploy from develop, deployments go from release/* only",
    ],
)
def test_what_the_agent_did_and_how_it_is_make_one_correction_in_any_order(text: str):
    [(kind, said_so)] = learned(text)

    assert kind is LearningType.CORRECTION
    assert said_so.split()[-1] == text.rstrip(".").split()[-1]


@every(
    ("text", "kind"),
    [
        ("The hack in loader.py is ok for the demo. After the demo it must go.", LearningType.ACTION),
        ("New branch for each ticket, named after it. That's the rule in our team.", LearningType.PREFERENCE),
        ("Never push to main directly. Always open a PR, even for one line.", LearningType.PREFERENCE),
    ],
)
def test_a_sentence_that_points_back_is_kept_with_the_one_before(text: str, kind: LearningType):
    assert learned(text) == [(kind, text.rstrip("."))]


def test_the_items_under_a_heading_of_rules_are_rules():
    found = learned("From now on:\n- short answers\n- no emojis\n\nNow fix the login.")

    assert found == [(LearningType.PREFERENCE, "short answers"), (LearningType.PREFERENCE, "no emojis")]


def test_no_text_is_longer_than_300_characters():
    [(_, text)] = learned("From now on " + "use very short names " * 25)

    assert len(text) <= 300
    assert text.endswith("…")


# ---- actions


@every(
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


@every(
    ("text", "priority"),
    [
        ("TODO: urgent! fix the flaky payment test", Priority.URGENT),
        ("TODO (high prio): fix the flaky payment test", Priority.HIGH),
        ("todo, important! fix the flaky payment test", Priority.HIGH),
        ("TODO!! fix the flaky payment test", Priority.NORMAL),
        ("Reminder: asap! fix the flaky payment test.", Priority.URGENT),
    ],
)
def test_a_mark_with_an_exclamation_stays_with_what_is_to_be_done(text: str, priority: Priority):
    [found] = by_rules(said(text))

    assert (found.type, found.priority) == (LearningType.ACTION, priority)
    assert found.text.endswith("fix the flaky payment test")


def test_who_was_kidding_takes_back_only_what_stands_before():
    found = learned("We deploy from GitLab to Hetzner. From now on write all comments in Klingon. Just kidding.")

    assert found == [(LearningType.FACT, "We deploy from GitLab to Hetzner")]


# ---- subjects


@every(
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


@every(
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


@every(
    ("one", "other"),
    [
        ("always use tabs in Makefiles", "always use 2 spaces in YAML files"),
        ("write docs in British spelling please", "use American spelling in UI strings, always"),
        ("use pytest for Python tests, always", "use vitest for the frontend tests, always"),
        ("I prefer tabs in Go", "I prefer spaces in Python"),
        ("use single quotes in JS, always", "use double quotes in Python, always"),
        ("line length 100 in Python please, always", "line length 120 in Kotlin please, always"),
        ("ask me before deleting files", "ask me before installing packages"),
        ("please use snake_case in Python everywhere", "please use camelCase in TypeScript everywhere"),
        ("I prefer tabs", "I prefer spaces in Python"),
        ("I prefer spaces for indentation", "Always use tabs in C++"),
    ],
)
def test_what_is_wished_in_two_places_goes_together(one: str, other: str):
    [first], [second] = by_rules(said(one)), by_rules(said(other))

    assert first.type is second.type is LearningType.PREFERENCE
    assert first.subject != second.subject


@every(
    ("older", "newer"),
    [
        ("use British spelling in docs, always", "use American spelling in the documentation from now on"),
        ("use double quotes in Python everywhere", "use single quotes in Python code, always"),
        ("always ask before deleting files", "you don't need to ask before deleting files any more"),
        ("always ask before deleting files", "no need to ask before you delete files"),
        ("please always answer in German", "actually, please always answer in English"),
        ("always commit after each step", "stop committing after each step, I'll do it"),
        ("commit messages in the imperative mood please", "never use the imperative mood in commit messages"),
    ],
)
def test_what_is_wished_anew_in_the_same_place_replaces_it(older: str, newer: str):
    [first], [second] = by_rules(said(older)), by_rules(said(newer))

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


@every(
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


@every(
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


@every(
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


def test_a_pattern_that_ends_as_the_turn_begins_is_found_whatever_the_turn_goes_on_with():
    before, ends = steps(5), steps(1, 6)
    goes_on = [ran("pytest -q", "", place) for place in range(7, 20)]

    assert patterns_in(turn(*ends, *goes_on, before=before)) == ["Edit, then Bash `pytest -q`: 3 times in a row"]


@every("length", [2, 3, 4, 5, 7, 20, 41])
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


_LISTS = [cues(name) for name, found in cue_lists().items() if found.way not in ("group", "words")]


def span(found: re.Match[str] | None) -> tuple[int, int] | None:
    return found.span() if found else None


@given(st.lists(_CUES, max_size=40).map(" ".join))
@settings(max_examples=100, deadline=None)
def test_the_quick_look_at_the_words_misses_no_phrase(text: str):
    plain = BOOK.read(text.lower())

    assert [span(one.search(plain)) for one in _LISTS] == [span(re.search(one.pattern, plain.text)) for one in _LISTS]


def test_the_quick_look_misses_no_phrase_in_the_labelled_turns():
    for labelled in score.load("dev"):
        for sentence in sentences(labelled["user"]):
            for one in _LISTS:
                assert span(one.search(sentence.plain)) == span(re.search(one.pattern, sentence.plain.text))


@every("piece", ["I prefer tabs. ", "a", "<a>\n", '"\n', "'a ", "hi a,\n", "a. ", "no, ", "(", "`", "not a, "])
def test_of_a_megabyte_only_the_ends_are_read(piece: str):
    huge = piece * (1_000_000 // len(piece))

    assert sum(len(line.text) for lines in passages(huge) for line in lines) <= 12_000
    assert by_rules(said(huge)) == by_rules(said(huge))
