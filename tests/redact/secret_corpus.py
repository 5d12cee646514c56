"""Invented secrets and clean lines, for judging the redactor. It knows formats, and nothing of the patterns.

`secrets(seed)` gives secrets of many kinds, each in a line of the sort that turns up in shells, files, logs, payloads
and chat; `clean_lines(seed)` gives lines that look near a secret and are none. The same seed gives the same corpus.
"""

import base64
import json
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret in its surroundings; `kept` is a piece of the text that must survive."""

    kind: str
    group: str  # structured | generic
    text: str
    value: str
    kept: str = ""


def pick(r: Random, alphabet: str, length: int, most: int = 0) -> str:
    return "".join(r.choices(alphabet, k=r.randint(length, most or length)))


def b64(r: Random, size: int) -> str:
    return base64.b64encode(r.randbytes(size)).decode()


def b64url(r: Random, size: int) -> str:
    return base64.urlsafe_b64encode(r.randbytes(size)).decode().rstrip("=")


def claims(r: Random) -> str:
    body = {"sub": pick(r, string.digits, 8), "iat": r.randint(1_600_000_000, 1_800_000_000), "role": "service"}
    return base64.urlsafe_b64encode(json.dumps(body).encode()).decode().rstrip("=")


def jwt(r: Random) -> str:
    header = {"alg": r.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}
    head = base64.urlsafe_b64encode(json.dumps(header, separators=(",", ":")).encode()).decode().rstrip("=")
    return f"{head}.{claims(r)}.{b64url(r, r.choice([32, 64, 256]))}"


def uuid(r: Random) -> str:
    text = f"{r.getrandbits(128):032x}"
    return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


# Tokens that say by themselves what they are. Each: kind -> (name under which people keep it, maker).
TOKENS: dict[str, tuple[str, Callable[[Random], str]]] = {
    "aws-access-key": ("AWS_ACCESS_KEY_ID", lambda r: r.choice(["AKIA", "ASIA"]) + pick(r, UPPER[:26] + "234567", 16)),
    "github": ("GITHUB_TOKEN", lambda r: r.choice(["ghp", "gho", "ghu", "ghs", "ghr"]) + "_" + pick(r, ALNUM, 36)),
    "github-pat": ("GH_TOKEN", lambda r: f"github_pat_{pick(r, ALNUM, 22)}_{pick(r, ALNUM, 59)}"),
    "gitlab": ("GITLAB_TOKEN", lambda r: r.choice(["glpat", "gldt", "glrt", "glptt"]) + "-" + pick(r, URLSAFE, 20)),
    "slack-bot": ("SLACK_BOT_TOKEN", lambda r: f"xoxb-{pick(r, '123456789', 12)}-{pick(r, '123456789', 13)}-{pick(r, ALNUM, 24)}"),
    "slack-user": ("SLACK_TOKEN", lambda r: f"xoxp-{pick(r, '123456789', 11)}-{pick(r, '123456789', 11)}-{pick(r, '123456789', 12)}-{pick(r, HEX, 32)}"),
    "slack-app": ("SLACK_APP_TOKEN", lambda r: f"xapp-1-A{pick(r, UPPER, 10)}-{pick(r, '123456789', 13)}-{pick(r, HEX, 64)}"),
    "slack-webhook": ("SLACK_WEBHOOK_URL", lambda r: f"https://hooks.slack.com/services/T{pick(r, UPPER, 8)}/B{pick(r, UPPER, 10)}/{pick(r, ALNUM, 24)}"),
    "stripe": ("STRIPE_SECRET_KEY", lambda r: r.choice(["sk_live_", "rk_live_", "sk_test_"]) + pick(r, ALNUM, 24, 99)),
    "stripe-webhook": ("STRIPE_WEBHOOK_SECRET", lambda r: "whsec_" + pick(r, ALNUM, 32)),
    "openai": ("OPENAI_API_KEY", lambda r: f"sk-{pick(r, ALNUM, 20)}T3BlbkFJ{pick(r, ALNUM, 20)}"),
    "openai-project": ("OPENAI_API_KEY", lambda r: f"sk-proj-{pick(r, URLSAFE, 74)}T3BlbkFJ{pick(r, URLSAFE, 74)}"),
    "anthropic": ("ANTHROPIC_API_KEY", lambda r: f"sk-ant-api03-{pick(r, URLSAFE, 93)}AA"),
    "google-api": ("GOOGLE_API_KEY", lambda r: "AIza" + pick(r, URLSAFE, 35)),
    "google-oauth": ("ACCESS_TOKEN", lambda r: "ya29." + pick(r, URLSAFE, 120, 180)),
    "google-client-secret": ("CLIENT_SECRET", lambda r: "GOCSPX-" + pick(r, URLSAFE, 28)),
    "npm": ("NPM_TOKEN", lambda r: "npm_" + pick(r, ALNUM, 36)),
    "pypi": ("TWINE_PASSWORD", lambda r: "pypi-AgEIcHlwaS5vcmc" + pick(r, URLSAFE, 140, 170)),
    "twilio": ("TWILIO_API_KEY", lambda r: "SK" + pick(r, HEX, 32)),
    "sendgrid": ("SENDGRID_API_KEY", lambda r: f"SG.{pick(r, URLSAFE, 22)}.{pick(r, URLSAFE, 43)}"),
    "mailgun": ("MAILGUN_API_KEY", lambda r: "key-" + pick(r, HEX, 32)),
    "telegram": ("TELEGRAM_BOT_TOKEN", lambda r: f"{pick(r, '123456789', 9, 10)}:AA{pick(r, URLSAFE, 33)}"),
    "discord": ("DISCORD_TOKEN", lambda r: f"{r.choice('MNO')}{pick(r, ALNUM, 23, 25)}.{pick(r, URLSAFE, 6)}.{pick(r, ALNUM, 27, 38)}"),
    "discord-webhook": ("DISCORD_WEBHOOK", lambda r: f"https://discord.com/api/webhooks/{pick(r, '123456789', 18)}/{pick(r, URLSAFE, 68)}"),
    "hugging-face": ("HF_TOKEN", lambda r: "hf_" + pick(r, string.ascii_letters, 34)),
    "digitalocean": ("DO_TOKEN", lambda r: "dop_v1_" + pick(r, HEX, 64)),
    "shopify": ("SHOPIFY_TOKEN", lambda r: r.choice(["shpat_", "shpss_", "shpca_"]) + pick(r, HEX, 32)),
    "square": ("SQUARE_ACCESS_TOKEN", lambda r: r.choice(["EAAA" + pick(r, URLSAFE, 60), "sq0csp-" + pick(r, URLSAFE, 43)])),
    "databricks": ("DATABRICKS_TOKEN", lambda r: "dapi" + pick(r, HEX, 32)),
    "docker": ("DOCKER_PAT", lambda r: "dckr_pat_" + pick(r, URLSAFE, 27)),
    "vault": ("VAULT_TOKEN", lambda r: "hvs." + pick(r, URLSAFE, 90, 100)),
    "terraform": ("TF_TOKEN", lambda r: f"{pick(r, ALNUM, 14)}.atlasv1.{pick(r, URLSAFE, 67)}"),
    "linear": ("LINEAR_API_KEY", lambda r: "lin_api_" + pick(r, ALNUM, 40)),
    "notion": ("NOTION_TOKEN", lambda r: r.choice(["secret_" + pick(r, ALNUM, 43), "ntn_" + pick(r, ALNUM, 46)])),
    "postman": ("POSTMAN_API_KEY", lambda r: f"PMAK-{pick(r, HEX, 24)}-{pick(r, HEX, 34)}"),
    "new-relic": ("NEW_RELIC_API_KEY", lambda r: "NRAK-" + pick(r, UPPER, 27)),
    "sentry": ("SENTRY_AUTH_TOKEN", lambda r: f"sntrys_{claims(r)}_{pick(r, BASE64, 43)}"),
    "grafana": ("GRAFANA_TOKEN", lambda r: f"glsa_{pick(r, ALNUM, 32)}_{pick(r, HEX, 8)}"),
    "doppler": ("DOPPLER_TOKEN", lambda r: "dp.pt." + pick(r, ALNUM, 43)),
    "age": ("SOPS_AGE_KEY", lambda r: "AGE-SECRET-KEY-1" + pick(r, BECH32, 58)),
    "jwt": ("SUPABASE_KEY", jwt),
}  # fmt: skip

# Values that only their name gives away, yet whose format is fixed.
NAMED: dict[str, tuple[list[str], Callable[[Random], str]]] = {
    "aws-secret": (["AWS_SECRET_ACCESS_KEY", "aws_secret_access_key", "SecretAccessKey", "secretKey"], lambda r: pick(r, BASE64, 40)),
    "aws-session": (["AWS_SESSION_TOKEN", "aws_session_token", "SessionToken"], lambda r: "IQoJb3JpZ2luX2Vj" + pick(r, BASE64, 200) + "=="),
    "heroku": (["HEROKU_API_KEY", "heroku_api_key"], uuid),
    "twilio-auth": (["TWILIO_AUTH_TOKEN", "twilio_auth_token", "authToken"], lambda r: pick(r, HEX, 32)),
    "datadog": (["DD_API_KEY", "DATADOG_API_KEY", "datadog_api_key"], lambda r: pick(r, HEX, 32)),
    "cloudflare": (["CLOUDFLARE_API_TOKEN", "CF_API_KEY"], lambda r: pick(r, URLSAFE, 40)),
    "django": (["SECRET_KEY", "DJANGO_SECRET_KEY"], lambda r: pick(r, string.ascii_lowercase + string.digits + "!@%^&*(-_=+)", 50)),
    "client-secret": (["client_secret", "OAUTH_CLIENT_SECRET", "clientSecret"], lambda r: pick(r, ALNUM, 32, 48)),
}  # fmt: skip

WORDS = (  # noqa: SIM905
    "correct horse battery staple dragon monkey falcon winter summer autumn purple orange tiger river stone golden "
    "silver rocket planet coffee garden window castle shadow thunder pepper ginger maple bridge harbor violet"
).split()


def password(r: Random) -> str:
    word = r.choice(WORDS)
    return r.choice(
        [
            lambda: word.capitalize() + str(r.randint(1950, 2030)) + r.choice("!?#$*"),
            lambda: word + str(r.randint(1, 9999)),
            lambda: "".join(r.choices(ALNUM, k=r.randint(10, 24))) + r.choice("0123456789"),
            lambda: "".join(r.choices(ALNUM + "!@#%^*_-+.?~", k=r.randint(12, 28))) + r.choice("0123456789") + "a",
            lambda: "-".join(r.sample(WORDS, 4)) + str(r.randint(1, 99)),
            lambda: (
                word.replace("o", "0").replace("e", "3").replace("a", "4") + r.choice("!_%") + str(r.randint(10, 99))
            ),
            lambda: pick(r, HEX, 16, 40) + "7f",
        ]
    )()


HOSTS = [
    "db.internal",
    "localhost",
    "10.0.3.17",
    "prod-db.eu-west-1.rds.amazonaws.com",
    "cache.example.com",
    "mail.example.org",
]
USERS = ["admin", "root", "app", "deploy", "alice", "svc_reader", "postgres"]
PASSWORD_NAMES = "password passwd pwd DB_PASSWORD MYSQL_ROOT_PASSWORD smtp_password adminPassword REDIS_PASS user_passwd PGPASSWORD passphrase db-password Password".split()  # noqa: SIM905
SECRET_NAMES = "api_key API_KEY apiKey auth_token ACCESS_TOKEN access_token app_secret client_secret SECRET_KEY secretKey encryption_key signing_key SESSION_SECRET JWT_SECRET webhook_secret x-api-key refresh_token private_token master_key serviceCredential".split()  # noqa: SIM905

# Lines around a name and its value. {n} the name, {v} the value, {u} a user, {h} a host.
ASSIGNMENTS = [
    "{n}={v}",
    "export {n}={v}",
    'export {n}="{v}"',
    "{n} = '{v}'",
    '{n} = "{v}"',
    "{n}: {v}",
    '  {n}: "{v}"',
    "    {n}: '{v}'",
    '"{n}": "{v}"',
    '{{"user": "{u}", "{n}": "{v}", "host": "{h}"}}',
    "{{'user': '{u}', '{n}': '{v}'}}",
    'const {n} = "{v}";',
    "let {n} = `{v}`",
    '$config["{n}"] = "{v}";',
    "os.environ['{n}'] = '{v}'",
    'client = connect(host="{h}", user="{u}", {n}="{v}")',
    ':{n} => "{v}",',
    'config.{n} = "{v}"',
    '{n} := "{v}"',
    'private static final String {n} = "{v}";',
    "+{n}={v}",
    "-  {n}: {v}",
    'ENV {n}="{v}"',
    "docker run -e {n}={v} -p 80:80 nginx:1.25",
    "2026-03-01T10:22:31Z INFO config loaded {n}={v} host={h}",
    '{{\\"user\\": \\"{u}\\", \\"{n}\\": \\"{v}\\"}}',
    '{{"stdout":"{{\\"{n}\\":\\"{v}\\"}}","exit":0}}',
    '{{"command": "export {n}={v}\\nmake deploy"}}',
    "<{n}>{v}</{n}>",
    "set {n}={v}",
    "# old: {n}={v}",
    "[{h}]\nuser = {u}\n{n} = {v}\nport = 5432",
    "kubectl create secret generic app --from-literal={n}={v}",
    "{n}={v} ./run.sh --port 8080",
    "- name: {n}\n  value: {v}",
    '{{"name": "{n}", "value": "{v}"}}',
    "+- name: {n}\n+  value: {v}",
    "     7→- name: {n}\n     8→  value: {v}",
    'let {n}: &str = "{v}";',
    'const {n}: string = "{v}";',
    'var {n} string = "{v}"',
    'variable "{n}" {{\n  type    = string\n  default = "{v}"\n}}',
    "{n}: |-\n  {v}\nport: 5432",
]
BARE = [  # a self-explaining token without a name
    "{v}",
    "curl -H 'Authorization: Bearer {v}' https://api.example.com/v1/me",
    "I pasted {v} into the chat by mistake",
    "here is the key: {v}, please use it",
    'print("{v}")',
    "2026-03-01 10:22:31,120 DEBUG http.client: send: token {v}\\r\\n",
    "https://api.example.com/v1/items?limit=10&key={v}",
    '{{"stdout": "logged in\\n{v}\\ndone"}}',
    '{{\\"text\\":\\"a\\\\n{v}\\\\tb\\"}}',
    "| service | {v} | 2026-01-02 |",
    "svc,{v},active",
    "\x1b[32m{v}\x1b[0m",
    "`{v}`",
    "<td>{v}</td>",
    "echo {v} | login --with-token",
    "x = [{v!r}, 2]",
]
PROSE = [
    "my password is {v}",
    "the password for {u} is {v}, change it later",
    "Password: {v}",
    "login with {u} and password {v}",
    "use passphrase `{v}` for the key",
    'The database password is "{v}".',
    "ok so the pw is {v} and the user is {u}",
    "credentials: {u} / {v}",
    "the credentials are {u} and {v}.",
    "password for the {u} account is `{v}`",
    "the db password is: {v}",
]
COMMANDS = [
    "mysql -u {u} -p{v} -h {h} shop",
    "mysqldump --user={u} --password={v} shop > dump.sql",
    "curl -u {u}:{v} https://{h}/api",
    "curl --user '{u}:{v}' https://{h}/api",
    "sshpass -p {v} ssh {u}@{h}",
    "docker login -u {u} -p {v} registry.example.com",
    "redis-cli -h {h} -a {v} ping",
    "PGPASSWORD={v} psql -h {h} -U {u}",
    "tool login --username {u} --password {v}",
    "tool login --token={v} --region eu",
    "machine {h} login {u} password {v}",
    "{h}:5432:shop:{u}:{v}",
    "ALTER USER {u} WITH PASSWORD '{v}';",
    "CREATE USER '{u}'@'%' IDENTIFIED BY '{v}';",
    "Server={h};Database=shop;User Id={u};Password={v};Encrypt=true",
    "jdbc:postgresql://{h}:5432/shop?user={u}&password={v}",
    "username={u}&password={v}&remember=1",
    "requests.get(url, auth=('{u}', '{v}'))",
    "gpg --batch --passphrase {v} -d backup.gpg",
    "openssl enc -d -aes-256-cbc -pass pass:{v} -in x.enc",
    'sql.Open("mysql", "{u}:{v}@tcp({h}:3306)/shop")',
    "run(['sshpass', '-p', '{v}', 'ssh', '{u}@{h}'])",
    "http -a {u}:{v} {h}/api",
    "bindpw {v}",
]
SCHEMES = [
    "postgres",
    "postgresql",
    "mysql",
    "mongodb+srv",
    "redis",
    "amqp",
    "https",
    "ftp",
    "smtp",
    "postgresql+asyncpg",
]


def fill(r: Random, template: str, name: str, value: str) -> tuple[str, str]:
    user, host = r.choice(USERS), r.choice(HOSTS)
    text = template.format(n=name, v=value, u=user, h=host)
    return text, host if "{h}" in template else user if "{u}" in template else name if "{n}" in template else ""


def private_key(r: Random) -> tuple[str, str]:
    label = r.choice(
        ["RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
    )
    body = b64(r, r.choice([120, 400, 1200]))
    lines = [body[i : i + 64] for i in range(0, len(body), 64)]
    end = r.choice(["\n", "\\n", "\r\n"])
    block = end.join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])
    if r.random() < 0.2:  # cut off in the middle, as tool output often is
        block = block[: int(len(block) * 0.8)]
    return block, body


def structured(r: Random) -> Iterator[Secret]:
    for kind, (name, make) in TOKENS.items():
        for i in range(56):
            value = make(r)
            if i % 2:
                text, kept = fill(r, ASSIGNMENTS[(i // 2) % len(ASSIGNMENTS)], name, value)
            else:
                text, kept = fill(r, BARE[(i // 2) % len(BARE)], name, value)
            random_part = value.rpartition("/")[2] if kind.endswith("webhook") else value[4:]
            yield Secret(kind, "structured", text, random_part, kept)
    for kind, (names, make_named) in NAMED.items():
        for i in range(72):
            value = make_named(r)
            text, kept = fill(r, ASSIGNMENTS[i % len(ASSIGNMENTS)], r.choice(names), value)
            yield Secret(kind, "structured", text, value, kept)
    for _ in range(60):
        block, body = private_key(r)
        around = r.choice(
            [
                "{v}",
                'key: "{v}"',
                "cat id_rsa\n{v}\n$ ",
                '{{"private_key": "{v}", "client_id": "1"}}',
                "pem = '''{v}'''",
            ]
        )
        yield Secret("private-key", "structured", around.format(v=block), body)
        user, host, value = (
            r.choice(USERS),
            r.choice(HOSTS),
            password(r).replace("@", "%40").replace("#", "%23").replace("?", "%3F"),
        )
        url = f"{r.choice(SCHEMES)}://{r.choice([user, user, ''])}:{value}@{host}:5432/shop"
        around = r.choice(
            [
                "{v}",
                "DATABASE_URL={v}",
                'url = "{v}"',
                "connecting to {v} ...",
                '{{\\"url\\":\\"{v}\\"}}',
                "git clone {v}",
            ]
        )
        yield Secret("url-password", "structured", around.format(v=url), value, host)
        value = base64.b64encode(f"{user}:{password(r)}".encode()).decode()
        head = r.choice(
            [
                "Authorization: Basic {v}",
                '"authorization": "Basic {v}"',
                "> authorization: basic {v}",
                "-H 'Authorization: Basic {v}'",
            ]
        )
        yield Secret("basic-auth", "structured", head.format(v=value), value)
        value = pick(r, URLSAFE, 32, 60)
        head = r.choice(
            [
                "Authorization: Bearer {v}",
                '"Authorization": "Bearer {v}"',
                "headers = {{'Authorization': f'Bearer {v}'}}",
                "authorization: token {v}",
                '\\"Authorization\\":\\"Bearer {v}\\"',
            ]
        )
        yield Secret("bearer", "structured", head.format(v=value), value)
        value = pick(r, ALNUM, 26, 48)
        head = r.choice(
            [
                "Set-Cookie: sessionid={v}; Path=/; HttpOnly",
                "Cookie: theme=dark; session={v}; lang=en",
                '"cookie": "connect.sid={v}"',
                "set-cookie: PHPSESSID={v}; secure",
                "-b 'auth_token={v}'",
            ]
        )
        yield Secret("cookie", "structured", head.format(v=value), value)
        value = b64(r, 64)
        text = f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={value};EndpointSuffix=core.windows.net"
        yield Secret(
            "azure-storage",
            "structured",
            r.choice(["{v}", 'conn = "{v}"', "CONN={v}"]).format(v=text),
            value,
            "AccountName=shop",
        )
        value = b64(r, 32).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
        text = f"https://shop.blob.core.windows.net/backup/x.zip?sv=2022-11-02&se=2026-12-31T00%3A00%3A00Z&sr=b&sp=r&sig={value}"
        yield Secret("azure-sas", "structured", text, value, "shop.blob.core.windows.net")


def generic(r: Random) -> Iterator[Secret]:
    for kind, templates, names in [
        ("password-assignment", ASSIGNMENTS, PASSWORD_NAMES),
        ("secret-assignment", ASSIGNMENTS, SECRET_NAMES),
    ]:
        for i in range(720):
            value = (
                password(r)
                if kind == "password-assignment"
                else pick(r, r.choice([ALNUM, HEX, URLSAFE, BASE64]), 20, 64)
            )
            text, kept = fill(r, templates[i % len(templates)], r.choice(names), value)
            yield Secret(kind, "generic", text, value, kept)
    for kind, templates in [("command", COMMANDS), ("prose", PROSE)]:
        for i in range(400):
            value = password(r)
            text, kept = fill(r, templates[i % len(templates)], "", value)
            yield Secret(kind, "generic", text, value, kept)


def secrets(seed: int = 1) -> list[Secret]:
    """All secrets of the corpus; for the same seed always the same."""
    r = Random(seed)
    return [*structured(r), *generic(r)]


IDENTIFIERS = (
    "user order item invoice session request worker cache batch config client payload record node path index".split()  # noqa: SIM905
)
SENTENCES = [
    "The key point: keep the cache warm before {a} runs.",
    "Press any key to continue, then check the {a} table.",
    "A token is a word piece; this {a} used {n} tokens.",
    "We should rotate the password every {n} days.",
    "the password is too short, it must have at least {s} characters",
    "The secret is to start with the {a} and work backwards.",
    "Authors: see AUTHORS.md; author = {a} team",
    "Your password has been reset. Follow the link in the mail.",
    "the token is expired, please log in again",
    "Is the api key required for the {a} endpoint?",
    "It stores the secret in the keyring, not in the {a} file.",
    "primary_key and foreign_key of {a} are both integers",
    "The passphrase is asked for interactively.",
    "Keyboard shortcuts: ctrl+k opens {a}, ctrl+p the palette",
    "the auth service is down since {n} minutes",
    "He said the monkey ate {n} bananas: a turkey would not.",
    "Token usage: input={n} output={s} cache={n}",
    "The access key is stored in AWS Secrets Manager.",
    "Passwords: hashed with argon2id, never logged",
    "credentials: read from the environment by the {a} client",
    "Note: authentication is handled by the {a} middleware.",
]
CODE = [
    "def login(user: str, password: str) -> {A}:",
    "    password: str | None = None",
    "    password: Optional[str] = Field(default=None, repr=False)",
    "    token = get_token()",
    "    token = self.{a}.token",
    '    api_key = os.environ["API_KEY"]',
    "    api_key=os.getenv('{A}_API_KEY', '')",
    "const token = process.env.{A}_TOKEN;",
    "const secret = config.get('{a}.secret');",
    "    return {a}.password == other.password",
    "if not token or token != expected_token:",
    "    client = Client(api_key=api_key, token=token)",
    "max_tokens={n}, temperature=0.2",
    '"max_tokens": {n},',
    "token_count: {n}",
    '"prompt_tokens": {n}, "completion_tokens": {s}, "total_tokens": {n}',
    "PASSWORD_MIN_LENGTH = {s}",
    "TOKEN_EXPIRY_SECONDS={n}",
    "password_field = form.fields['password']",
    "    {a}_id = Column(Integer, primary_key=True)",
    "    {a} = models.ForeignKey({A}, on_delete=models.CASCADE)",
    'cache_key = f"{a}:{{user_id}}:{n}"',
    "cache_key={a}:{n}",
    "for key, value in {a}.items():",
    "sorted({a}, key=lambda x: x.{a}_id)",
    'key = "{a}_name"',
    '{{"key": "{a}", "value": {n}}}',
    'tokenizer = AutoTokenizer.from_pretrained("bert-base-{a}")',
    '  "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "[UNK]"',
    "func NewClient(token string, opts ...Option) *{A} {{",
    "public void setPassword(String password) {{ this.password = password; }}",
    "private final String secretKey;",
    "  password: z.string().min({s}),",
    "type Credentials = {{ username: string; password: string }};",
    'assert response.json()["token"] is not None',
    'raise ValueError("password must not be empty")',
    'logger.info("refreshing token for %s", {a})',
    "import {{ getToken, setPassword }} from './{a}/auth';",
    "from {a}.security import SecretStr, get_password_hash",
    'password = getpass.getpass("Password: ")',
    "    password = hash_password(form.password.data)",
    'token = request.headers.get("Authorization", "").removeprefix("Bearer ")',
    'headers = {{"Authorization": f"Bearer {{token}}"}}',
    "headers: {{ Authorization: `Bearer ${{token}}` }},",
    'curl -H "Authorization: Bearer $TOKEN" https://api.example.com/{a}',
    "mysql -u root -p shop < {a}.sql",
    "psql postgresql://$DB_USER:$DB_PASSWORD@localhost/{a}",
    "DATABASE_URL=postgres://user:${{DB_PASSWORD}}@db:5432/{a}",
    "git remote add origin https://github.com/acme/{a}.git",
    'url = f"https://{{user}}:{{password}}@{{host}}/{a}"',
    "docker login -u ci --password-stdin < /run/secrets/{a}",
    '<input type="password" name="password" autocomplete="current-password" id="{a}">',
    '<label for="token">Token</label>',
    "SELECT id, password_hash FROM {a} WHERE api_key = $1;",
    "CREATE TABLE {a} (id uuid PRIMARY KEY, token text NOT NULL, secret bytea);",
    "ALTER TABLE {a} ADD CONSTRAINT {a}_key UNIQUE (key);",
    "        secretKeyRef: {{name: {a}-secrets, key: password}}",
    "  secretName: {a}-tls",
    "password: {{{{ .Values.{a}.password }}}}",
    "token: ${{{{ secrets.GITHUB_TOKEN }}}}",
    "password = var.{a}_password",
    "API_KEY=YOUR_API_KEY",
    "api_key: <your-api-key>",
    "OPENAI_API_KEY=sk-...",
    "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "password=********",
    "DB_PASSWORD=",
    "password: null",
    '"secret": true, "token": null, "password": ""',
    ".password-field {{ color: #3f3f3f; margin: {s}px; }}",
    "--token-color: #a1b2c3;",
    '[token.{a}] color="#ff00aa"',
    "key: {a}_updated_at",
    "sort_key={a}_id&page={n}",
    "task-{a}-{n} finished; disk-usage {s}%",
    '--author="Alice Example <alice@example.com>"',
    "keyspace_hits:{n}",
    "ssh-keygen -t ed25519 -f ~/.ssh/id_{a}",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
]


def clean_line(r: Random) -> tuple[str, str]:
    """A label and one line that holds no secret."""
    a = r.choice(IDENTIFIERS)
    words = {"a": a, "A": a.capitalize(), "n": r.randint(100, 99999), "s": r.randint(6, 64)}
    sha1, sha256, when = (
        pick(r, HEX, 40),
        pick(r, HEX, 64),
        f"2026-0{r.randint(1, 9)}-1{r.randint(0, 9)}T0{r.randint(0, 9)}:22:31Z",
    )
    blob = b64(r, 64)
    makers: list[tuple[str, Callable[[], str]]] = [
        ("prose", lambda: r.choice(SENTENCES).format(**words)),
        ("code", lambda: r.choice(CODE).format(**words)),
        ("code", lambda: r.choice(CODE).format(**words)),
        ("code", lambda: r.choice(CODE).format(**words)),
        (
            "uuid",
            lambda: r.choice(
                [
                    f'"session_id": "{uuid(r)}",',
                    f"request_id={uuid(r)} status=200 duration_ms={r.randint(1, 900)}",
                    f"{when} INFO [{uuid(r)}] started",
                    uuid(r),
                    f"{a}_id: {uuid(r)}",
                    f"INSERT INTO {a} (id) VALUES ('{uuid(r)}');",
                    f'"key": "{uuid(r)}"',
                    f"/api/v1/{a}/{uuid(r)}/items",
                    f"idempotency-key: {uuid(r)}",
                ]
            ),
        ),
        (
            "commit",
            lambda: r.choice(
                [
                    f"commit {sha1}",
                    f"{sha1[:7]} Fix the token refresh in {a}",
                    f"Merge: {sha1[:9]} {sha1[9:18]}",
                    f"index {sha1[:7]}..{sha1[7:14]} 100644",
                    f"HEAD is now at {sha1[:8]} Add password reset",
                    f"    rev: {sha1}",
                    f"uses: actions/checkout@{sha1}",
                    f"Subproject commit {sha1}",
                    f"{sha1}\trefs/heads/{a}-token",
                    f"git checkout {sha1} -- src/auth/token.py",
                    f'"resolved_commit": "{sha1}"',
                ]
            ),
        ),
        (
            "checksum",
            lambda: r.choice(
                [
                    f"{sha256}  {a}-1.2.{r.randint(0, 9)}.tar.gz",
                    f"sha256:{sha256}",
                    f"{pick(r, HEX, 32)}  ./{a}.bin",
                    f'    {{file = "{a}-1.0-py3-none-any.whl", hash = "sha256:{sha256}"}},',
                    f'      "integrity": "sha512-{blob}",',
                    f'checksum = "{sha256}"',
                    f"github.com/acme/{a} v1.2.3 h1:{b64(r, 32)}",
                    f"nginx@sha256:{sha256}",
                    f"--hash=sha256:{sha256} \\",
                    f"  resolved https://registry.example.com/{a}/-/{a}-4.17.21.tgz#{sha1}",
                    f"Digest: sha256:{sha256}",
                    f'ETag: "{pick(r, HEX, 32)}"',
                    f'<script src="x.js" integrity="sha384-{b64(r, 48)}" crossorigin></script>',
                    f"md5={pick(r, HEX, 32)} size={r.randint(1, 99999)}",
                ]
            ),
        ),
        ("image", lambda: f'<img src="data:image/png;base64,iVBORw0KGgo{b64(r, r.randint(60, 400))}">'),
        ("image", lambda: f"background: url(data:image/svg+xml;base64,{b64(r, 90)}) no-repeat;"),
        (
            "id",
            lambda: r.choice(
                [
                    f'"tool_use_id": "toolu_01{pick(r, ALNUM, 22)}"',
                    f'"id": "msg_01{pick(r, ALNUM, 22)}"',
                    f'"request_id": "req_011{pick(r, ALNUM, 21)}"',
                    f'{{"id": "01{pick(r, "ABCDEFGHJKMNPQRSTVWXYZ0123456789", 24)}", "kind": "{a}"}}',
                    f"container {pick(r, HEX, 12)} exited with code 0",
                    f"trace_id={pick(r, HEX, 32)} span_id={pick(r, HEX, 16)}",
                    f'"etag": "{pick(r, HEX, 32)}", "size": {r.randint(1, 9999)}',
                    f"https://www.youtube.com/watch?v={pick(r, URLSAFE, 11)}",
                    f"https://docs.google.com/document/d/{pick(r, URLSAFE, 44)}/edit",
                    f"arn:aws:iam::{pick(r, string.digits, 12)}:role/{a}",
                    f"{a}-{pick(r, string.ascii_lowercase + string.digits, 10)}-{pick(r, string.ascii_lowercase + string.digits, 5)}   1/1   Running",
                    f"call_{pick(r, ALNUM, 24)}",
                    f'"next_page": "{uuid(r)}"',
                    f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64(r, 32)[:43]} alice@example.com",
                    f"SHA256:{b64(r, 32)[:43]} alice@example.com (ED25519)",
                    f"Fingerprint: {':'.join(pick(r, HEX, 2) for _ in range(16))}",
                ]
            ),
        ),
        (
            "log",
            lambda: r.choice(
                [
                    f"{when} INFO {a}: processed {r.randint(1, 9999)} rows in {r.random():.3f}s",
                    f'10.0.0.{r.randint(1, 254)} - - [{when}] "GET /{a}/{r.randint(1, 999)} HTTP/1.1" 200 {r.randint(1, 99999)}',
                    f"{when} WARN auth: invalid token for user {a}",
                    f'{when} ERROR password authentication failed for user "{a}"',
                    f"npm WARN deprecated {a}@1.{r.randint(0, 9)}.0: use something else",
                    f'  File "/srv/app/{a}/tokens.py", line {r.randint(1, 999)}, in refresh_token',
                    f"PASSED tests/test_{a}.py::test_password_is_hashed",
                    f"-rw-r--r-- 1 root root {r.randint(1, 99999)} Mar  1 10:22 api_key.py",
                    f"Using config /etc/{a}/credentials.json",
                    f"key={a} ttl={r.randint(1, 999)} hit=true",
                    f"[{r.randint(1, 99)}/{r.randint(100, 200)}] Building CXX object src/{a}/auth_token.cc.o",
                    f"{when} DEBUG tokens used: {r.randint(1, 99999)} (cache {r.randint(1, 999)})",
                ]
            ),
        ),
    ]
    label, make = r.choice(makers)
    return label, make()


def clean_lines(seed: int = 2, count: int = 24_000) -> list[tuple[str, str]]:
    """Lines without secrets, with the label of the family they come from."""
    r = Random(seed)
    return [clean_line(r) for _ in range(count)]
