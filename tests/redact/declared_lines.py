"""Declarations with a type, values below their names, letters alone.

A generator showed them whose author had seen neither the code nor the other lists.
It draws 6188 structured secrets of 139 kinds and 4640 generic ones of 54 kinds, each in one of some hundred forms. At
first sight 97.8 % of the structured and 94.4 % of the generic ones were found, beside 32 of them something was spoiled,
and 0.64 % of 24 715 clean lines were changed. It was then used for repairs, so later figures of it are not blind.
Here is a line for each class that it showed, and the look-alikes.
"""

from redact.maker_lines import uuid
from redact.secret_lines import ALNUM, HEX, LETTERS, URLSAFE, Leak, known, named, some, words64


def leaks() -> list[Leak]:
    """What was missed on first sight, by class."""
    return [
        # Makers' marks.
        known("git clone with @@ then", "gl" + "pat-" + some(URLSAFE, 27) + ".01." + some(HEX, 9)),
        known("AuthError: @@", "ci" + "o" + some(ALNUM, 32)),
        known("AuthError('@@')", "s" + "l." + some(URLSAFE, 130)),
        known("AuthError('@@')", "EA" + "A" + some(ALNUM, 160)),
        known("the access key @@ is revoked", "LT" + "AI" + "HrfvcFFZRNPNllzaDgUT"),
        # A type between the name and the value.
        named('let vault_token: &str = "@@";', some(ALNUM, 24)),
        named('static API_SECRET: &\'static str = "@@";', some(ALNUM, 32)),
        named('const apiKey: string = "@@";', some(ALNUM, 32)),
        named('let token: String? = "@@"', some(ALNUM, 32)),
        named('var apiToken string = "@@"', some(ALNUM, 32)),
        named('char wifi_password[32] = "@@";', "Harbor1997"),
        named('variable "twilio_auth_token" {\n  type    = string\n  default = "@@"\n}', some(HEX, 32)),
        # A value that stands below its name.
        named("  password: |-\n    @@\n  user: app", "Velvet145"),
        named("     2→  client_secret: |\n     3→    @@\n     4→  user: app", some(ALNUM, 32)),
        named("Your personal access token:\n@@\n", some(ALNUM, 40)),
        named("+        - name: SMTP_PASSWORD\n+          value: @@", "Garden16!"),
        named("     2→- name: DEPLOY_API_KEY\n     3→  value: @@", uuid()),
        known("     1→apiVersion: v1\n     2→kind: Secret\n     3→data:\n     4→  redis: @@\n     5→", words64("url: app@db")),
        known("+apiVersion: v1\n+data:\n+  app.conf: @@\n+kind: Secret\n+", words64("url: app@db")),
        known("+machine github.com\n+  login bot\n+  password @@\n+", "onmnShqmjrOQBRTp"),
        # Letters alone.
        named('RESEND_API_KEY="@@"', "r" + "e_ybqFmMON_AgskgEvjievgkFhNuPYskVZM"),
        named('{"name": "ACCESS_TOKEN", "value": "@@"}', "hyaTEKTTWefNZYRLbtIRrtjeKsH/IJUa"),
        named('password = "@@"', "ecPwDsFGsV"),
        named('ds.setPassword("@@");', "RQeRWAeTkLcKcU"),
        named("await page.fill('#password', '@@');", "Oe@cxVpaBw.YB"),
        # Names.
        named("ENV PINECONE_API_KEY @@", uuid()),
        named("PHPSESSID=@@", some(HEX, 32)),
        named("https://maps.example.org/js?key=@@&libraries=places", some(HEX, 32)),
        named("https://api.example.org/data?q=Paris&appid=@@", some(HEX, 32)),
        named("define('AUTH_KEY', '@@');", "d&ur:gt@Nvr)+!w-!dq1<Br2fwY%9*OtP~ti(0?_:dAvZv-<h%~}0fGY#BYKrHBy"),
        # Sentences.
        named("my db password is: @@", some(HEX, 32)),
        named("password for the staging box is `@@`", "Garden2017"),
        named("login with admin / @@", some(ALNUM, 18)),
        named("The credentials are admin and @@.", some(ALNUM, 14)),
        named("Save this token, it will not be shown again: @@", some(ALNUM, 40)),
        named("Copy it now. You won't be able to see it again!\n\n@@\n", some(ALNUM, 40)),
        # Places.
        known('sql.Open("mysql", "app:@@@tcp(db:3306)/shop?parseTime=true")', "Thunder1991"),
        known("bindpw @@", "Silver809"),
        known("rootpw --plaintext @@", "Rocket1994"),
        known("unzip -P @@ out.zip", "Summer17"),
        known("http -a admin:@@ :8000/api", "Summer17"),
        known("subprocess.run(['sshpass', '-p', '@@', 'ssh', 'h'])", "Planet756"),
        known('["redis-cli", "-a", "@@", "ping"]', "Planet756"),
        known('authorization: Digest username="bob", realm="a", response="@@"', some(HEX, 32)),
        known('{"log": "server.login(\\"bot@h\\", \\"@@\\")", "description": "Run it"}', "Monkey2022"),
        known('{"log": "requests.get(url, auth=(\\"bot\\", \\"@@\\"))"}', "Orange2012"),
        named("POSTGRES_PASSWORD: @@", "AqBSnPXkxl"),
        named('let api_token = String::from(\\"@@\\");', some(LETTERS, 20) + some(ALNUM, 20)),
    ]  # fmt: skip


def clean() -> list[str]:
    """Lines that alarmed on first sight or while the list was worked on, and others like them."""
    return [
        "Sec-WebSocket-Key: " + some(ALNUM, 22) + "==",
        "PUBLISHABLE_KEY=pk" + "_live_" + some(ALNUM, 24),
        "STRIPE_KEY=pk" + "_test_" + some(ALNUM, 24),
        "Cache restored from key: Linux-node-" + some(HEX, 64),
        "SMTP_PASSWORD=${SMTP_PASSWORD:?required}",
        "DATABASE_PASSWORD: !vault |",
        "password: !Ref DatabasePassword",
        "password: *default_password",
        'let db_password = env::var("DB_PASSWORD")?;',
        "$pwd = Win32::GetCwd();",
        'MovedAttribute("HTTPPasswordMgrWithDefaultRealm", "urllib2", "urllib.request"),',
        "private_key: PKCS7PrivateKeyTypes,",
        "key: PKCS12PrivateKeyTypes | None,",
        "#define IPOPT_SECUR_SECRET 0xd788",
        'token_range = "%d,%d"',
        r"re.compile(r'\/\/.+\/:_authToken=\s*((npm_.+)|([A-Fa-f0-9-]{36})).*'),",
        "d_pwpasswd='define'",
        "$this->cookieSecret = $config['cookie_secret'];",
        "fn connect(user: &str, password: &str) -> Result<()> {",
        "password: string | null = null",
        "apiKey?: string;",
        "tokens:\n  - name: first1\n",
        "passwords:\n  admin1: first\n",
        "ACCESS_TOKEN:\ncache_key=" + some(HEX, 32),
        "key: |\n  some text here\n",
        "a{color:red}@media(max-width:3px)",
        "The credentials are valid and 3 users were added",
        "login with foo/bar",
        'variable "region_key" {\n  default = "eu-west-1"\n}',
        'variable "instance_type" {\n  default = "' + some(ALNUM, 32) + '"\n}',
        "the file will not be shown again: see the settings",
        "https://example.org/a?key=abc-def&b=1",
        "MY_API_KEY must be set",
        "<password></password>\nPORT=8080",
    ]  # fmt: skip
