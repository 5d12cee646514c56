"""The formats of known tokens, and the names that announce a secret.

Tables for its neighbours, which do the work. Patterns are RE2 over UTF-8 bytes read as Latin-1, so that a class is
one table of bytes. Lengths are checked in Python, since RE2 unrolls `{20,500}` into 500 copies; `+` costs one.
"""

from reverie.redact.secret_values import a_set, is_drawn, is_random

# Tokens that say by themselves what they are: kind, prefixes, the least length of what follows the prefix.
# "!" after the kind: the prefix is short, so a word must begin there and what follows must look drawn at random.
# "?": what follows must look drawn at random. Here letters, digits, "_" and "-" may follow.
TOKENS = (
    ("aws-key!", "AKIA ASIA ABIA ACCA", 16),
    ("github-token", "github_pat_", 30),
    ("gitlab-token", "glpat- gldt- glrt- glrtr- glptt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct-", 18),
    ("gitlab-token", "GR1348941", 18),
    ("slack-token", "xoxb- xoxp- xoxa- xoxs- xoxr- xoxo- xoxc- xoxd- xoxe- xoxe.xoxp- xoxe.xoxb- xapp-", 20),
    ("anthropic-key", "sk-ant-", 20),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", 20),
    ("google-key!", "AIza", 30),
    ("google-oauth", "ya29. GOCSPX-", 20),
    ("google-oauth!", "1//0", 20),
    ("pypi-token", "pypi-AgE pypi-AgN", 20),
    ("square-token!", "EAAA EAAl", 55),
    ("square-token", "sq0atp- sq0csp- sq0idp-", 20),
    ("facebook-token!", "EAAC EAAB EAAD EAAG EAAM", 60),
    ("facebook-token!", "EAA", 120),
    ("crates-token!", "cio", 32),
    ("docker-token", "dckr_pat_ dckr_oat_", 20),
    ("vault-token!", "hvs. hvb. hvr.", 20),
    ("azure-secret", "Q~", 28),
    ("terraform-token", ".atlasv1.", 40),
    ("telegram-token", ":AA", 32),
    ("discord-token", "mfa.", 60),
    ("atlassian-token", "ATATT3 ATCTT3", 20),
    ("atlassian-token!", "ATBB", 28),
    ("heroku-key", "HRKU-", 30),
    ("supabase-key", "sb_secret_", 20),
    ("alibaba-key!", "LTAI", 12),
    ("tencent-key!", "AKID", 32),
    ("jfrog-key!", "AKCp cmVmd", 40),
    ("nuget-key!", "oy2", 40),
    ("plaid-token", "access-sandbox- access-development- access-production-", 30),
    ("hubspot-token", "pat-na1- pat-na2- pat-eu1-", 30),
    ("brevo-key", "xkeysib- xsmtpsib-", 40),
    ("onepassword-token", "ops_eyJ", 80),
    ("openshift-token", "sha256~", 40),
    ("grafana-token!", "glc_", 30),
    ("dropbox-token!", "sl.A sl.B sl.u.A sl.", 100),
    ("easypost-key!", "EZAK EZTK", 40),
    ("paypal-token", "access_token$production$ access_token$sandbox$", 20),
    ("api-token?", "tskey- figd_ figu_ pscale_tkn_ pscale_pw_ pscale_oauth_ nvapi- tvly- CFPAT- bkua_ tfp_ fio-u-", 20),
    ("fly-token?", "fo1_ fm2_ fm1a_ fm1r_", 20),
    ("bedrock-key!", "ABSK", 80),
    ("stripe-key?", "sk_test_ sk_live_ rk_live_", 10),
    ("api-token?", "duffel_live_ duffel_test_ tk-us- dnkey- AVNS_ sm_aat_ sm_sat_ sm_pat_ sgp_ SWMTKN-1-", 16),
    ("api-token?", "FLWSECK_TEST- FLWSECK- sk-lf- NRJS-", 12),
)  # fmt: skip
# The same, but 20 or more letters and digits follow, and are looked for first: in RE2 one such run is far cheaper to
# know than a hundred short prefixes, which together take 3 ms to build the automaton for.
DRAWN = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", 30),
    ("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_ whsec_", 20),
    ("openrouter-key", "sk-or-v1- sk-or-", 24),
    ("openai-key!", "sk-", 20),
    ("npm-token!", "npm_", 30),
    ("mailgun-key!", "key-", 32),
    ("huggingface-token!", "hf_ api_org_", 28),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", 32),
    ("shopify-token", "shpat_ shpss_ shpca_ shppa_ shptka_", 28),
    ("linear-key", "lin_api_ lin_oauth_", 30),
    ("notion-token!", "secret_ ntn_", 40),
    ("postman-key", "PMAK-", 20),
    ("newrelic-key", "NRAK- NRII- NRAA- NRRA- NRJS-", 20),
    ("grafana-token", "glsa_", 20),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", 30),
    ("age-key", "AGE-SECRET-KEY-", 40),
    ("supabase-key", "sbp_", 30),
    ("api-token", "wandb_v1_", 20),
    (
        "api-token!",
        "gsk_ xai- pplx- r8_ pcsk_ jina_ csk- tgp_v1_ fw_ lsv2_pt_ lsv2_sk_ fc- e2b_ pul- nfp_ rubygems_ bkpt_ "
        "hcaik_ hcxik_ pnu_ rdme_ fio-u- ico- aio_ CLOJARS_ lip_ API- t1. zpka_ vcp_ vck_ re_ p8e- "
        "ngrok_ glhf_ sk_ ak_ prv_ phx_ fm1_ fm2r_ wak_ eas_ dtn_ sqp_ squ_ sqa_ rootly_ pa- ddp_ napi_ xau_ nyk_v0_ "
        "atkn_ s-s4t2ud- s-s4t2af- signkey-prod- signkey-test- signkey-branch- bedrock-api-key- live_",
        20,
    ),
    ("api-token?", "_live_ _prod_ _secret_ _pat_ _api_ _token_ _apikey_ _key_ CCIPAT_ CCIPRJ_", 20),
)  # fmt: skip
# Tokens with a mark near their end: kind, how many letters and digits are before it, and after.
MARKED = {b"NRAL": ("newrelic-key", 36, 0), b"AZDO": ("azure-devops-token", 76, 4)}
# What may follow a prefix beside letters, digits, "_" and "-".
_BASE64 = rb"[\w+/=-]*"
BODIES = {
    "azure-secret": rb"[\w.~-]*",
    "paypal-token": rb"[\w$-]*",
    "gitlab-token": rb"[\w-]*(?:\.[0-9a-z]{2}\.?[0-9a-z]{7}[0-9a-z]*)?",
    "fly-token": _BASE64,
    "grafana-token": _BASE64,
    "bedrock-key": _BASE64,
    "onepassword-token": _BASE64,
    "atlassian-token": rb"[\w-]*(?:=[0-9A-F]{8})?",
}
# The prefix stands within these, so each begins where its word does.
BEGUN_BEFORE = ("terraform-token", "azure-secret", "telegram-token")
# Formats that a prefix does not describe: kind, how it begins (a pattern), its least length, the whole.
SHAPES = (
    ("jwt", rb"eyJ", 36, rb"eyJ[\w-]+={0,2}\.eyJ[\w-]+={0,2}\.?[\w.=-]*|eyJhbGciOi[\w.=-]+"),
    ("sendgrid-key", rb"SG\.", 50, rb"SG\.[\w-]+\.[\w-]+"),
    ("twilio-key!", rb"SK[0-9a-f]", 34, rb"SK[0-9a-f]{32}"),
    ("databricks-token!", rb"dapi[0-9a-f]", 36, rb"dapi[0-9a-f]{32}"),
    ("webhook", rb"hooks\.slack\.com/", 40, rb"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]+"),
    ("webhook", rb"discord(?:app)?\.com/api/", 60, rb"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[\w/-]+"),
    ("webhook", rb"office\.com/webhook", 40, rb"office\.com/webhookb?2?/[\w/@-]+"),
    ("webhook", rb"hooks\.zapier\.com/", 30, rb"hooks\.zapier\.com/hooks/catch/[\w/]+"),
    ("mapbox-token", rb"sk\.eyJ", 40, rb"sk\.eyJ[\w-]+\.[\w-]+"),
    ("airtable-token", rb"pat[A-Za-z0-9]{14}\.", 70, rb"pat[A-Za-z0-9]{14}\.[0-9a-f]+"),
    ("sentry-token", rb"sntry[su]_", 40, rb"sntry[su]_[\w+/=-]+"),
    ("doppler-token", rb"dp\.(?:st|ct|sa)\.[a-z]", 40, rb"dp\.(?:st|ct|sa)\.[a-z0-9_-]+\.[A-Za-z0-9]+"),
    (
        "password-hash",
        rb"\$(?:[156y]|apr1|2[aby]|argon2id?)\$(?:[0-9]{2}\$|v=[0-9]+\$m=)?[\w./]{6}",
        30,
        rb"\$[a-z0-9]+\$[\w./$=,+]+",
    ),
    ("dynatrace-token", rb"dt0[a-z][0-9]", 60, rb"dt0[a-z][0-9]{2}\.[A-Z0-9]+\.[A-Z0-9]+"),
    ("grafana-token!", rb"eyJrIjoi", 70, rb"eyJrIjoi[A-Za-z0-9]+={0,2}"),
    ("jwt!", rb"ZXlKaGJHY2lPaU", 60, rb"ZXlK[\w+/-]+={0,2}"),
    ("cloudflare-key!", rb"v1\.0-[0-9a-f]", 150, rb"v1\.0-[0-9a-f]{24}-[0-9a-f]+"),
    ("yandex-token!", rb"t1\.", 100, rb"t1\.[\w-]+={0,2}\.[\w-]+={0,2}"),
    ("harness-token!", rb"pat\.", 70, rb"pat\.[\w-]{22}\.[A-Za-z0-9]+\.[A-Za-z0-9]+"),
    ("onepassword-key!", rb"A3-[A-Z0-9]{6}-", 36, rb"A3-[A-Z0-9]{6}-[A-Z0-9]{6}-?[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3}"),
)

# "Password" in other languages, as dialogs and people write it.
_ELSEWHERE = (
    "passwort", "kennwort", "motdepasse", "contraseña", "contrasena", "senha", "wachtwoord", "lösenord", "passord",
    "adgangskode", "kodeord", "salasana", "hasło", "haslo", "heslo", "jelszó", "şifre", "sifre", "parola", "пароль",
    "Пароль", "κωδικός", "密码", "密碼", "口令", "パスワード", "비밀번호", "비번", "패스워드", "암호",
)  # fmt: skip
# Words in a name that announce a secret, by what they announce.
ANNOUNCED = {
    word: meaning
    for meaning, words in {
        "password": "password passwords passwd passwds passcode pass pwd pw psk identified passe authtok "
        + " ".join(_ELSEWHERE).lower(),
        "passphrase": "passphrase mnemonic",
        "secret": "secret secrets",
        "credential": "credential credentials cred creds",
        "token": "token jwt bearer apikey",
        "key": "key keys tokens",
        "auth": "auth authorization",
        "session": "session sessionid sessid sess sid",
        "cookie": "cookie",
        "pin": "pin otp totp cvv",
        "salt": "salt pat",
        "signature": "sig signature",
    }.items()
    for word in words.split()
}
# Names are often written in one piece: PGPASSWORD, authtoken, dbpass, Benutzerkennwort.
GLUED = (
    "password", "passwd", "passphrase", "pass", "pwd", "secret", "token", "key", "sessid", "sessionid", "passwort",
    "kennwort", "wachtwoord", "kodeord",
)  # fmt: skip
# `key` alone says little (sort key, cache key). These before it say: this one opens something.
KEY_OPENS = a_set(
    "api secret access private priv encryption encrypt signing sign master auth account shared storage service "
    "deploy admin app application client crypt aes hmac jwt cipher license session consumer webhook subscription "
    "root ingest write read server rest integration jwe jws fernet recovery backup security anon role token "
    "password cookie"
)
# As few words end in "pass" that mean a password: dbpass, and not bypass or lowpass.
PASS_OF = a_set(
    "require db database user my root admin store key trust ssh smtp mail email imap ftp sftp pg mysql sql mongo redis "
    "http https proxy ldap auth basic login app web api svc service test new old n wifi zip rabbitmq amqp mqtt "
    "jdbc broker cert pfx pem host p dbuser u"
)
# Before the word, these say that it is about something else: a sort key, a page token, a monkey, a bypass.
NOT_BEFORE = a_set(
    "primary foreign public pub sort cache partition index idx natural bucket schema sequence idempotency hot "
    "object row group dedup dedupe lookup unique composite routing route lock translation event shortcut mon tur "
    "websocket socket publishable "
    "don hoc joc whis next page continuation cancel cancellation pagination cursor resume sync eos bos "
    "pad unk sep cls mask special stop max min num total prompt completion input output host known change import "
    "upload hash join map dict type range end start last first thinking reasoning per count n estimated cached "
    "used remaining"
)
# What people write before "password" is mostly whose it is. Not these: they make it a question.
NOT_BEFORE_PASSWORD = a_set("no is has invalid missing expired forgot forgotten show hide hashed min max use needs")
# With one of these, a small number under a name in capitals is a constant: WRONG_PASSWORD = 4086.
OF_CONSTANTS = a_set(
    "wrong invalid bad incorrect missing expired err error errors fail failed failure weak empty mismatch unknown e "
    "status code reset change forgot forget update require required verify check request"
)
# After the word, these say that the name holds something about the secret, and not the secret.
NOT_AFTER = a_set(
    "id ids name names type types url uri file files path dir count counts length len size limit limits expiry "
    "expires expiration ttl field fields label hint policy index usage used at in ref refs hash hashed digest "
    "version enabled required class input form reset error errors message regex pattern rotation manager store "
    "provider endpoint format header prefix suffix algorithm alg scope scopes kind bytes bits rate price cost "
    "budget max min map list env var alias ring pair stdin only mode status state timeout ms seconds age variable "
    "validator validation strength selector schema column placeholder prompt title text color vault audience "
    "issuer mount lifetime created updated changed source location group page link button icon screen view event "
    "handler function factory table spec doc docs help description desc info fingerprint frame up down "
    "press pressed word words board space points point hits misses change results by to on domain region param "
    "params args port username arn arns expired valid invalid failed attempts retries minlength maxlength hasher "
    "encoder generator parser encode decode mgr context environment range realm strftime"
)


def meaning_of(name: bytes) -> str:
    """Return the kind of secret that a value under this name would be; "" if none.

    >>> [meaning_of(name) for name in (b"smtpPassword", b"AWS_SECRET_ACCESS_KEY", b"sort_key", b"token_count")]
    ['password', 'token', '', '']
    """
    words = words_of(name)
    if len(name) >= 16 and (is_random(name) or is_drawn(name)):  # an id that happens to contain such a word
        return ""
    if len(words) > 1 and words[-1] in NOT_AFTER:
        return ""
    for i in range(len(words) - 1, -1, -1):
        word, before = words[i], words[i - 1] if i else ""
        meaning = ANNOUNCED.get(word, "")
        if not meaning:
            for end in GLUED:
                if word.endswith(end):
                    before, meaning = word[: -len(end)], "token" if end in ("sessid", "sessionid") else ANNOUNCED[end]
                    if (end == "key" and before not in KEY_OPENS) or (end == "pass" and before not in PASS_OF):
                        return ""
                    break
        if meaning:
            is_password = meaning in ("password", "passphrase", "secret", "salt")
            if before in (NOT_BEFORE_PASSWORD if is_password else NOT_BEFORE):
                return ""
            if "public" in words[:i] and not is_password:
                return ""
            opens = before in KEY_OPENS or (i > 0 and ANNOUNCED.get(before, "key") != "key")
            if (meaning == "key" and before == "secret") or (meaning == "secret" and opens):
                return "app-secret"
            return "token" if meaning == "key" and word != "tokens" and opens else meaning
    return ""


def words_of(name: bytes) -> list[str]:
    """The words of a name, in lower case: `dbPassword2`, `DB_PASSWORD_2` and `db-password-2` have the same three."""
    text = name.decode("utf-8", "replace")
    pieces: list[str] = []
    start = 0
    for i, c in enumerate(text):
        if not c.isalnum():
            pieces.append(text[start:i])
            start = i + 1
        elif i > start and (
            (c.isupper() and (text[i - 1].islower() or text[i + 1 : i + 2].islower()))
            or (c.isdigit() and not text[i - 1].isdigit())
        ):
            pieces.append(text[start:i])
            start = i
    return [piece.lower() for piece in (*pieces, text[start:]) if piece and not piece.isdigit()]


# How such a word begins; the rest of the name follows. RE2 finds the groups of a match twice as fast in a program of up
# to 512 steps, and with all words written out HEAD would have more. It has nearly as many, so a class is written in few
# ranges, and what is rare goes to `secret_commands.py`.
_WORD = (
    rb"pass|pw|psk|secret|mnemonic|cred|token|[_-]pat|jwt|bearer|key|auth|cookie|sess|sid|salt|pin|otp|cvv|sig"
    rb"|identified"
)
_Q = rb"[\"'`\\]"
_PLAIN = (  # what is between a name and a value that may be anything
    rb":[ \t]*[&A-Za-z\[][\w.\[\]<>?|&' \t]*[ \t]=[ \t]+|[ \t]+string[ \t]+=[ \t]+"  # with a type: `key: &str = `
    # Also `key [None]:`, and a value that stands below: `key: |-`, and a line break.
    rb"|[?!]?(?:[ \t]?[\[(][\w .*]*[\])])?[\"'`\]\)\\ \t*]*(?:[?+!]?[=:]+>?|->|<-)[ \t*]*"
    rb"(?:[|>(\r+-]*(?:\n|\\+n)[\s+-]*)*"
    # name: X, value: Y; between them may be the number of a line and its arrow, and all of it escaped: \\n, \u2192.
    rb"|[\s\"'\\ntu,0-9+\xe2\x86\x92-]*value[\"'\\]*[ \t]*[=: ][ \t]*"
)
_QUOTED = (  # setX("..."), then setenv("X", "...") and $("#X").val("..."), then env["X"] or "..."
    rb"\([ \t]*|\]?[\"'\\]+(?:[ \t]*,|\)\.\w+\()[ \t]*|[\"'\\]*[\])]*[ \t]+(?:or|[|?]{2})[ \t]+"
)
# What is between them in prose and on command lines: the value must have a digit, a symbol, or quotes. Of two ways to
# read the same words, RE2 follows the first as far as it goes, so the ones that go far come last, or each name of
# `password for a is x1 password for a is x1` would look through the rest of the line.
_LOOSE = (
    rb"[\"'\\]*>|[ \t]+\w+=\\*[\"'][\w.:/-]*\\*[\"']>|[ \t]*\|[ \t]*"
    rb"|[ \t]+(?:(?:for|of|to|on|at|in)[ \t]+(?:[\w.@'/-]+[ \t]+)+?)??"
    rb"(?:is|are|was|to|has been)[ \t]*(?:(?:now|(?:re)?set to|changed to)[ \t]*)?:?[ \t]+"
    rb"|[ \t]+(?:by[ \t]+)?|[ \t]+for[\w.@'/ \t-]+[:=][ \t]*"
)
# A value has four characters or more, so what cannot have them is no hit. After quotes two are asked for.
_FOUR = rb"(?:(?-i:[(\[{fbru@]*)" + _Q + rb"+[^\"'`\\\xff]{2}|[!#-&(-\[\]-_a-\xfe][!-\xfe]{3}|[\w.@+-]+[ \t]+/)"
# Groups: 1 the word, 2 the rest of the name, then the separator: 3 plain, 4 before a quote, 5 loose.
# The look ahead after a loose one stops at every sign that can end another name. If it could pass them, each name of
# `key->key->key->` would look through the rest of the line: 25 s for half a megabyte.
_VALUE = rb")(?:" + _Q + rb"|[!#-&(-9;-=?-\[\]-_a-{}-\xfe]*?(?:[0-9!@#$%^&*+=~:>?|]|(?-i:[a-z][A-Z]))))"
HEAD = (
    rb"(?i)(" + _WORD + rb")([\w.-]*)(?:(" + _PLAIN + rb")" + _FOUR + rb"|(" + _QUOTED + rb")" + _Q
    + rb"|(" + _LOOSE + _VALUE
)  # fmt: skip
# The same for other languages, where "is" is another word, too. All in one pattern would take half as long again.
ELSEWHERE = [word.encode() for word in (*_ELSEWHERE, "mot de passe", "mot_de_passe", "mot-de-passe", "palavra-passe")]
_SIGNS = b"|".join((rb"=>|[=:]+", *[sign.encode() for sign in "：は是为為는은"]))
_OF, _IS = "für|von|pour|de|du|para|del|do|для".encode(), "ist|lautet|war|est|es|é|è|är|er|jest|to|is".encode()
HEAD_ELSEWHERE = (
    rb"(?i)(" + b"|".join(ELSEWHERE) + rb")([\w.-]*)"
    rb"(?:([\"'`\]\)\\ \t*]*(?:" + _SIGNS + rb")[ \t*]*|\()" + _FOUR + rb"|(" + _QUOTED + rb")" + _Q
    + rb"|([ \t]+(?:(?:" + _OF + rb")[ \t]+(?:[\w.@'/-]+[ \t]+)+?(?:" + _IS + rb"):?[ \t]+"
    rb"|(?:(?:" + _OF + rb")[ \t]+[\w.@'/-]+[ \t]+)?(?:(?:" + _IS + rb"):?[ \t]+)?)" + _VALUE
)  # fmt: skip
# A value without quotes. A quote inside belongs to it when a letter or digit follows.
BARE = rb"(?:[^\s\"'`<>\\\x1b\xff]|[\"'`][A-Za-z0-9]|\\[^nrtbfu\"'\\/\xff])+"

# Google's app passwords: four groups of four letters, and no fifth word.
IN_GROUPS = rb"([a-z]{4}(?:[ \t][a-z]{4}){3})(?:[^\w \t-]|[ \t]+[^\w \t]|[ \t]*$)"
