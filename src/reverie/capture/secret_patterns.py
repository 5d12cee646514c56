"""What secrets look like: the formats of known tokens, the names that announce a secret, the values that only seem one.

Plain data for its neighbours, which do the work. This module imports nothing: a hook loads it by
path in an interpreter without `re`. Patterns are RE2 over UTF-8 bytes read as Latin-1, so that a class is one table of
bytes. Lengths are checked in Python, since RE2 unrolls `{20,500}` into 500 copies; `+` costs one.
"""

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
    ("api-token?", "tskey- figd_ figu_ pscale_tkn_ pscale_pw_ pscale_oauth_ nvapi- tvly- CFPAT- bkua_ tfp_", 20),
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


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ALPHANUMERIC = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ALL_BYTES = bytes(range(256))


def to_spaces(kept: bytes) -> bytes:
    """A table for `translate` that turns all but these bytes into spaces."""
    others = ALL_BYTES.translate(None, kept)
    return bytes.maketrans(others, b" " * len(others))


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
        "password": "password passwords passwd passwds passcode pass pwd pw psk identified passe "
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
KEY_OPENS = _set(
    "api secret access private priv encryption encrypt signing sign master auth account shared storage service "
    "deploy admin app application client crypt aes hmac jwt cipher license session consumer webhook subscription "
    "root ingest write read server rest integration jwe jws fernet recovery backup security anon role token "
    "password cookie"
)
# As few words end in "pass" that mean a password: dbpass, and not bypass or lowpass.
PASS_OF = _set(
    "require db database user my root admin store key trust ssh smtp mail email imap ftp sftp pg mysql sql mongo redis "
    "http https proxy ldap auth basic login app web api svc service test new old n wifi zip rabbitmq amqp mqtt "
    "jdbc broker cert pfx pem host p dbuser u"
)
# Before the word, these say that it is about something else: a sort key, a page token, a monkey, a bypass.
NOT_BEFORE = _set(
    "primary foreign public pub sort cache partition index idx natural bucket schema sequence idempotency hot "
    "object row group dedup dedupe lookup unique composite routing route lock translation event shortcut mon tur "
    "websocket socket publishable "
    "don hoc joc whis next page continuation cancel cancellation pagination cursor resume sync csrf xsrf eos bos "
    "pad unk sep cls mask special stop max min num total prompt completion input output host known change import "
    "upload hash join map dict type range end start last first thinking reasoning per count n estimated cached "
    "used remaining"
)
# What people write before "password" is mostly whose it is. Not these: they make it a question.
NOT_BEFORE_PASSWORD = _set("no is has invalid missing expired forgot forgotten show hide hashed min max use needs")
# After the word, these say that the name holds something about the secret, and not the secret.
NOT_AFTER = _set(
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
    "encoder generator parser encode decode mgr context environment range realm"
)


def meaning_of(name: bytes) -> str:
    """What a value under this name would be, "" if nothing secret.

    >>> [meaning_of(name) for name in (b"smtpPassword", b"AWS_SECRET_ACCESS_KEY", b"sort_key", b"token_count")]
    ['password', 'token', '', '']
    """
    words = _words(name)
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


def _words(name: bytes) -> list[str]:
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
    rb"|[?!]?(?:[ \t]?[\[(][\w .*]*[\])])?[\"'`\]\)\\ \t*]*(?:[?+]?[=:]+>?|->|<-)[ \t*]*"
    rb"(?:[|>\r+-]*(?:\n|\\+n)[\s+-]*)*"
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
_VALUE = rb")(?:" + _Q + rb"|[!#-&(-9;-=?-\[\]-_a-{}-\xfe]*?(?:[0-9!@#$%^&*+=~:>|]|(?-i:[a-z][A-Z]))))"
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
    + rb"|([ \t]+(?:(?:" + _OF + rb")[ \t]+[\w.@'/-]+[ \t]+)?(?:(?:" + _IS + rb"):?[ \t]+)?" + _VALUE
)  # fmt: skip
# A value without quotes. A quote inside belongs to it when a letter or digit follows.
BARE = rb"(?:[^\s\"'`<>\\\x1b\xff]|[\"'`][A-Za-z0-9]|\\[^nrtbfu\"'\\/\xff])+"

# A value that is one of these, or has one of those inside, stands for a secret and is none. They are `str`, because
# `in` on bytes first tries the left side as a number, which takes five times as long.
STAND_INS = _set(
    "null none nil undefined true false yes no on off str string text bytes int integer number bool boolean any "
    "object optional required password passwd pass pwd pw secret token key value values default empty blank "
    "hidden masked user username email name admin_password field form input prompt self this args kwargs config "
    "settings env environ process data body request response result results options opts params props state "
    "context ctx const let var new await async function return lambda def class static final public private "
    "protected import from type char varchar secretstr buffer uint8array bearer basic digest jwt oauth oauth2 "
    "apikey api_key cookie session valid invalid expired missing incorrect wrong correct changed reset stored "
    "sent set is are was and or not the a an to for of in with if else has must should can will may unknown error "
    "failed ok hash hashed plain plaintext encrypted base64 hex utf-8 utf8 ascii file path url stdin interactive "
    "option flag argument parameter instead when given using about below above here there then also because "
    "development production testing staging disabled enabled protected user-id user_id compat "
    "ask auto manual same-origin include omit strict lax read write repo workflow scope scopes raw incomplete "
    "define undef"
)
ANNOUNCING = ("pass", "secret", "token", "key", "pwd", "cred")
_WORDS_INSIDE = (
    "your", "example", "placeholder", "redacted", "removed", "insert", "replace", "dummy", "sample", "xxxx", "todo",
)  # fmt: skip
_SIGNS_INSIDE = (
    "[secret:", "[private]", "${", "{{", "%(", "#{", "<<", "***", "...", "•", "…", "_here", "-here", "not-set",
    "not_set", "arn:", "process.env", "os.environ", "getenv", "env.", "secrets.", "vault:", "op://", "ssm:", "(?",
    "[a-z", "[0-9", "[^", "\\d", "\\w", "\\s", "0-9a-z", "a-z0-9", "a-za-z", "a-f0-9", ".+)", ".*)",
)  # fmt: skip
_INSIDE = _WORDS_INSIDE + _SIGNS_INSIDE
# These say it even where the rest looks drawn at random.
_ALWAYS = _set("xxxx ${ {{ [secret: [private] process.env os.environ arn: (? [a-z [0-9 [^ \\d")

# Google's app passwords: four groups of four letters, and no fifth word.
IN_GROUPS = rb"([a-z]{4}(?:[ \t][a-z]{4}){3})(?:[^\w \t-]|[ \t]+[^\w \t]|[ \t]*$)"

# What a value looks like. Classes: a lower, A upper, 0 digit, - anything else.
_CLASSES = b"-" * 48 + b"0" * 10 + b"-" * 7 + b"A" * 26 + b"-" * 6 + b"a" * 26 + b"-" * 133
_HEX = b"0123456789abcdefABCDEF"
_VOWELS = b"aeiouyAEIOUY"
_UNCHAINED = to_spaces(ALPHANUMERIC + b"_.")  # all but a.b.c
_NAMES = ALPHANUMERIC + b"_.-/:|,;=()[]{}"
_OPENERS = frozenset((b'{"', b"{'", b'["', b"['", b"{\\", b"[\\", b"{}", b"[]", b"()", b"{%"))
# Words of sentences. With one of them, several words under a name are more likely a label than a password.
_FUNCTION_WORDS = _set(
    "a an the is are was be been has have had do does did can could may might must shall should will would not no to "
    "of in on at by for from with without as if or and but than then this that these those it its you your we our they "
    "please enter type choose show hide forgot wrong invalid incorrect required missing min max least characters "
    "letters new old current confirm repeat change reset same too short long weak strong login log sign user username"
)
# Parts of the names of variables and functions that a password may be taken from.
_OF_CODE = (
    "input", "value", "string", "hash", "param", "prompt", "field", "config", "default", "arg", "var", "get", "read",
    "load", "generat", "random", "crypt", "plain", "result", "user", "pass", "pwd", "secret", "token", "cred", "key",
    "phrase", "confirm", "candidate", "expected", "actual", "provided", "response", "request", "entry", "text", "line",
    "word", "undefined", "settings", "environ", "nullptr", "form", "data", "info", "code",
)  # fmt: skip
_FILTERS = (b"lowpass", b"highpass", b"bandpass", b"allpass")
# Where expressions start that merely fetch a secret.
_ROOTS = _set(
    "self this config cfg conf settings process os env environ args opts options req request res resp response "
    "ctx context app data user users credentials creds var local secrets module params props state input inputs "
    "form body event json http vault each values steps needs github matrix session auth client account payload "
    "row item result obj model cls random_password kwargs flags cli parsed account_info meta st np"
)


def is_uuid(value: bytes) -> bool:
    return len(value) == 36 and value[8:24:5] == b"----" and not value.replace(b"-", b"").strip(_HEX)


def is_random(value: bytes) -> bool:
    """Whether the characters look drawn at random: they change class far more often than words and names do."""
    classes = value.translate(_CLASSES)
    changes = sum([classes.count(pair) for pair in (b"a0", b"0a", b"A0", b"0A", b"aA")])
    return changes * (6 if b"0" in classes else 5) >= len(value) and len(set(value)) * 3 >= min(len(value), 24)


def is_wordy(value: bytes) -> bool:
    """Whether it is made of words and small numbers, such as `user_name2` or `eu-west-1`."""
    vowels = len(value) - len(value.translate(None, _VOWELS))
    if len(value) >= 8 and vowels * 8 < len(value):
        return False
    for part in value.translate(_CLASSES).split(b"-"):
        word = part.rstrip(b"0")
        most = len(word) // (
            6 if vowels * 3 < len(value) else 4
        )  # as many words may a camelCase name of this length have
        if b"0" in word or len(part) - len(word) > 4 or word.count(b"aA") > most:
            return False
    return True


def is_drawn(value: bytes) -> bool:
    """Whether letters alone look drawn at random: about as many large as small, and fewer vowels or more changes
    between them than words have."""
    classes = value.translate(_CLASSES)
    size, large, small = len(value), classes.count(b"A"), classes.count(b"a")
    if size < 8 or 48 in classes or large * 3 < small or small * 3 < large:
        return False
    changes, vowels = classes.count(b"aA"), size - len(value.translate(None, _VOWELS))
    if (changes > 1 and vowels * 8 < size >= 12) or (changes * 6 >= size >= 24):
        return True
    return changes * 8 >= size and not is_wordy(value)


def is_stand_in(value: bytes) -> bool:
    """Whether it stands for a secret: a variable, a template, stars, `YOUR_KEY`, `None`."""
    lower = value.decode("utf-8", "replace").lower()
    if lower in STAND_INS or len(set(lower)) <= 2 or (lower.find("|") > 0 and lower.partition("|")[0] in STAND_INS):
        return True
    if lower[0] == "$" and (lower[1:2] in "_{(1" or _is_variable(value[1:])):
        return True
    if lower[0] + lower[-1] in ("{}", "[]", "%%", "<>") or (lower[0] == "{" and lower[1 : lower.find("}")].isalpha()):
        return True
    tag = lower.find("<")
    if (
        tag >= 0
        and (lower[tag + 1 : tag + 2].isalpha() or lower[tag + 1 : tag + 2] in "/!")
        and lower.find(">", tag) > 0
    ):
        return not is_random(value)
    for inside in _WORDS_INSIDE if value.isalnum() else _INSIDE:
        if inside in lower:
            is_noise = len(value) >= 40 and len(set(value.translate(None, _NAMES))) >= 6
            return inside in _ALWAYS or not (is_random(value) or is_noise)
    return False


def _is_variable(value: bytes) -> bool:
    """Whether what follows a dollar sign is a name, and not the rest of a password that begins with it."""
    name = value.translate(_UNCHAINED).partition(b" ")[0]
    if not name[:1].isalpha():
        return False
    rest = value[len(name) :]
    if name.isupper() or _announces(name) or rest[:2] in (b"['", b'["', b"->"):  # $config['cookie_secret']
        return True
    is_mixed = name.translate(_CLASSES).find(b"0") > 0 and not name.islower()
    return not is_mixed and not rest.translate(None, _NAMES + b">")


def is_code(value: bytes) -> bool:
    """Whether a value without quotes is an expression: a call, an index, an attribute of something."""
    bare = value.lstrip(b"*&!").replace(b"::", b".")
    chain = bare.translate(_UNCHAINED).partition(b" ")[0]
    following = bare[len(chain) : len(chain) + 1]
    if value.find(b":`") >= 0 or chain == b"function":  # a role of reStructuredText
        return True
    if value[:1] in (b"&", b"*", b"!") and len(bare) == len(value) - 1 and bare.isalpha():  # a type, an alias, a tag
        return True
    if following in (b"(", b"["):
        return bool(chain) and not value.translate(None, _NAMES + b"*\"'")
    root, dot, _ = chain.decode().lower().partition(".")
    return bool(dot) and (root in _ROOTS or value.translate(None, b"._").isalpha() or _announces(chain))


def _announces(value: bytes) -> bool:
    lower = value.decode("utf-8", "replace").lower()
    return any(word in lower for word in ANNOUNCING)


def is_phrase(value: bytes) -> bool:
    """Whether it is several small words and nothing else, none of which speaks of secrets."""
    return value.replace(b" ", b"").isalpha() and value.islower() and value.isascii() and not _announces(value)


def is_chosen(value: bytes) -> bool:
    """Whether letters alone, where code and settings look the same, are a password rather than a variable."""
    text = value.decode("utf-8", "replace")
    return (
        len(text) >= 8
        and text.isascii()
        and text.isalpha()
        and text.islower()
        and not any(part in text for part in _OF_CODE)
    )


def is_path(value: bytes) -> bool:
    if value[:1] not in (b"/", b"~", b".") or value.find(b"/") < 0:
        return False
    if value.translate(None, _NAMES + b"~@+ ") or max([len(part) for part in value.split(b"/")]) >= 24:
        return False
    return not (len(value) >= 32 and is_random(value))


def is_checksum(value: bytes) -> bool:
    """Whether it is as likely a checksum as a key, perhaps with words around it: linux-node-0a1b2c3d."""
    if not value.strip(_HEX):
        return True
    return all(not part.strip(_HEX) or is_wordy(part) for part in value.replace(b"_", b"-").split(b"-"))


def is_type(value: bytes) -> bool:
    """Whether it is a name of code that speaks of secrets: PKCS7PrivateKeyTypes."""
    return value.isalnum() and value[:1].isupper() and _announces(value) and is_wordy(value.translate(None, _HEX[:10]))


def is_resource(meaning: str, value: bytes) -> bool:
    """Whether it says where a secret is kept: projects/a/secrets/b."""
    is_asked = meaning not in ("password", "passphrase") and value.count(b"/") >= 2
    return is_asked and all(map(is_wordy, value.split(b"/")))


_PUBLIC = (b"pk_live_", b"pk_test_", b"pk.eyJ")  # keys that are meant to be published
# Shorter values are not secrets. With no other proof than a name such as `key`, a value must have 16 characters.
LEAST = {"password": 4, "passphrase": 4, "secret": 4, "app-secret": 4, "credential": 4, "pin": 4, "token": 8}


def weigh(meaning: str, value: bytes, how: str) -> bool:
    """Whether a value under a name with this meaning is a secret.

    `how` it stands there: quoted, env (`x=value`), ENV (`X=value`), line (to the end of its line), ini (`x = value`, a
    line of its own), code, call, said ("is ..."), loose.
    """
    size = len(value)
    if size < LEAST.get(meaning, 16) or (size < 6 and how in ("loose", "said") and meaning != "pin"):
        return False
    # The same few values come again and again, in logs as in hostile lines.
    known = (meaning, value, how)
    verdict = _verdicts.get(known)
    if verdict is None:
        verdict = not is_stand_in(value) and _is_secret(meaning, value, how)
        if size <= 64:
            if len(_verdicts) >= 1024:
                _verdicts.clear()
            _verdicts[known] = verdict
    return verdict


_verdicts: dict[tuple[str, bytes, str], bool] = {}


def _is_secret(meaning: str, value: bytes, how: str) -> bool:
    size = len(value)
    is_of_app = meaning == "app-secret"
    if meaning in ("credential", "app-secret"):
        meaning = "secret"
    if value.isdigit():
        return meaning in ("password", "passphrase", "pin", "secret") or size >= 20
    if meaning == "pin":  # or what makes them
        return size >= 16 and value.isupper() and value.isalnum() and is_random(value)
    is_number = value[1:].isdigit() or (value[:2] == b"0x" and size <= 10)  # -12, 0xd788
    if is_number or value.find(b"://") >= 0 or value.startswith(_PUBLIC):
        return False
    if is_path(value) or is_resource(meaning, value):
        return False
    if how not in ("quoted", "call") and (is_code(value) or value[:2] in _OPENERS or value in (b"{", b"[", b"(")):
        return False
    has_digit = 48 in value.translate(_CLASSES)
    if meaning == "passphrase":
        if value.count(b" ") >= 2 and is_phrase(value):
            return True
        meaning = "password"
    if 32 in value:
        if meaning == "password" and is_phrase(value) and _FUNCTION_WORDS.isdisjoint(value.decode().split()):
            return True
        words = [word for word in value.split() if len(word) >= 5 and b"0" in word.translate(_CLASSES)]
        return meaning in ("password", "secret") and any(not is_wordy(word) for word in words)
    odd = value.translate(None, _NAMES)  # what neither names nor paths have
    if how not in ("quoted", "env", "ENV") and meaning not in ("password", "secret") and is_type(value):
        return False
    if meaning in ("password", "secret"):
        # People choose these like passwords; under `secret` alone there are the names of secrets, too.
        is_chosen_words = is_of_app and has_digit and size >= 12 and how != "code" and not _announces(value)
        return (is_chosen_words and not odd) or _weigh_password(meaning, value, how, has_digit, odd)
    if meaning == "token":
        if how in ("loose", "said") and (size < 10 or is_uuid(value)):
            return False
        if is_uuid(value):
            return True
        if len(odd) > 1 or (odd and has_digit):
            return True
        if not has_digit and is_drawn(value):
            return True
        longest = max([len(part) for part in value.translate(_CLASSES).split(b"-")])
        return (is_random(value) if longest < 8 or not has_digit else True) and not is_wordy(value)
    if is_uuid(value) or not (is_random(value) or is_drawn(value)):
        return meaning == "env-key" and is_uuid(value)
    if meaning == "key" and value.isalpha() and is_wordy(value):
        return False
    if meaning in ("key", "auth", "session") and (is_checksum(value) or (how == "code" and b"." in value)):
        return False  # the second is an attribute
    return not (meaning == "session" and size == 26 and value.isupper())  # a ULID


def _weigh_password(meaning: str, value: bytes, how: str, has_digit: bool, odd: bytes) -> bool:
    """People choose passwords, so nearly anything may be one; only prose and code need proof."""
    if not has_digit and not odd:
        if how == "ini":
            return is_chosen(value)
        if how == "ENV" and meaning == "secret":
            return is_drawn(value) or (len(value) >= 8 and value.isalpha() and value.islower())
        if meaning == "secret" or how in ("loose", "said", "code", "call"):
            is_long = len(value) >= 16 or (len(value) >= 10 and not is_wordy(value))
            return is_long and (is_random(value) or is_drawn(value))
        if value.isupper() or b"." in value:
            return False
        if _announces(value):  # `rootpass` is chosen often enough
            is_one_word = value.isalpha() and value.islower() and value[3:].endswith(b"pass")
            is_one_word = is_one_word and value not in _FILTERS
            return how in ("quoted", "env", "ENV") and (is_one_word or is_drawn(value))
        return how != "line" or value[:1].islower() or is_drawn(value)  # `password: Incomplete` is a type
    if b"@" in value and not has_digit and b"." in value.partition(b"@")[2] and value.islower():
        return False  # an address
    several = not value.isalnum() and not odd and is_wordy(value)
    if several and value.isupper() and (how == "loose" or _announces(value)):
        return False  # the name of a variable, of a cipher
    if how in ("loose", "said"):
        is_text = value.strip(b"0123456789-:./,")  # not a date or a version
        is_long = len(value) >= 14 and meaning != "secret"  # `kubectl get secret` is followed by a name
        return len(value) >= 6 and has_digit and bool(is_text) and (how == "said" or is_long or not several)
    if meaning == "secret":
        return not (several and len(value) < 24) and (how != "call" or (len(value) >= 8 and not is_wordy(value)))
    return True
