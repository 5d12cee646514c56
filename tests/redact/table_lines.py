"""Tables, SQL, maps of secrets: what was known to be left alone, and what a third generator showed.

The author of that generator had seen neither the code nor the other lists. It draws 25 795 secrets, 1058 of them in forms
that he calls odd, and 54 739 clean lines. At first sight 212 were left, and 275 of the odd ones; 120 clean lines were
changed. It was then used for repairs, so later figures of it are not blind. Here is a line for each class that was mended.
"""

from redact.apart_lines import Parsed
from redact.secret_lines import ALNUM, HEX, Leak, known, named, some


def leaks() -> list[Leak]:
    """What was left, by class."""
    return [
        # Tables.
        named("user,password,email\nbob,@@,bob@example.org\n", "Lantern1997!"),
        named("user,password,email\nbob,@@,bob@example.org\n", "swordfish"),
        named("user,password\namy,Harbor77#\nbob,@@\n", "swordfish"),
        named("Benutzer;Passwort\nbob;@@\n", "Lantern1997"),
        named("id\tuser\tpassword\n1\tbob\t@@\n", "Lantern1997"),
        named('"user","password"\n"Smith, Bob","@@"\n', "a,Lantern1997"),
        named("name, api_key\nci, @@\n", some(ALNUM, 32)),
        named(" id | name | password \n----+------+----------\n  1 | bob  | @@\n(1 row)\n", "Lantern1997"),
        named("+----+----------+\n| id | password |\n+----+----------+\n|  1 | @@ |\n+----+----------+\n", "Lantern1997"),
        named("| User | Password |\n|---|---|\n| amy | `Harbor77#` |\n| bob | `@@` |\n", "Lantern1997"),
        named("│ user │ password │\n├──────┼──────────┤\n│ bob  │ @@ │\n", "Lantern1997"),
        named("     1→user,password\n     2→bob,@@\n", "Lantern1997"),
        named("+user,password\n+bob,@@\n", "Lantern1997"),
        named(r'{"out": "user,password\nbob,@@\n"}', "Lantern1997"),
        named(r'{"out": "id\tpassword\n1\t@@"}', "Lantern1997"),
        # SQL.
        named("INSERT INTO users (name, password) VALUES ('bob', '@@');", "Lantern1997"),
        named("INSERT INTO users (name, password) VALUES ('amy', 'Harbor77#'), ('bob', '@@')", "Lantern1997"),
        named("insert into `app`.`users` (`id`, `api_key`, `at`)\nvalues (1, '@@', now())", some(ALNUM, 32)),
        named("INSERT INTO users (password, note) VALUES ('@@', 'it''s his, (really)')", "Lantern1997"),
        named("INSERT INTO users (name, password) VALUES ('bob', crypt('@@', gen_salt('bf')))", "Lantern1997"),
        named('execute("INSERT INTO users (name, password) VALUES (?, ?)", ("bob", "@@"))', "Lantern1997"),
        named("COPY public.users (id, name, password) FROM stdin;\n1\tbob\t@@\n\\.\n", "Lantern1997"),
        named(r'{"sql": "INSERT INTO users (name, password)\n VALUES (\"bob\", \"@@\")"}', "Lantern1997"),
        # Below a name in the plural.
        named('{"passwords": {"amy": "Harbor77#", "bob": "@@"}}', "Lantern1997"),
        named("secrets: {A: Harbor77#, B: @@}", "Lantern1997"),
        named("secrets:\n  A: Harbor77#\n  B: @@\nport: 80", "Lantern1997"),
        named("  passwords:\n    - Harbor77#\n    - @@\n", "Lantern1997"),
        named("     1→secrets:\n     2→  prod:\n     3→    A: @@\n", "Lantern1997"),
        named(r'{"out": "passwords:\n  bob: @@\n"}', "Lantern1997"),
        named('API_KEYS = ["first-key", "@@"]', some(ALNUM, 40)),
        # Sentences.
        named("@@ is the new root password.", "Lantern1997"),
        named("`@@` was our old database password", "Lantern1997"),
        named("use @@ as the root password for now", "Lantern1997"),
        named("the password we use is @@", "Lantern1997"),
        named("The password that he gave me yesterday was @@.", "Lantern1997"),
        named("my password's @@", "Lantern1997"),
        named("the password is currently @@", "Lantern1997"),
        named("password changed to @@", "Lantern1997"),
        named("I changed the root password from @@ to Harbor77#", "Lantern1997"),
        named("@@ is our API key", some(ALNUM, 32)),
        named("The admin password is @@, log in and check.", "ember-planet-river-cricket"),
        named("log in as admin with password @@", "ember-planet-river-cricket"),
        named("password for the staging box: @@", "ember-planet-river-cricket"),
        named("set DB_PASSWORD to @@ in the console", "ember-planet-river-cricket"),
        named("the password is @@", "o#ZdhIHZFPJwUx*e"),
        known("log in with admin:@@ on the box", "Falcon1993#"),
        # Values that were taken for something else.
        named("redis_password = @@", "harbor-orchid-ember-castle"),
        named("SET PASSWORD FOR 'bob'@'%' = PASSWORD('@@');", "marble-cobalt-tiger-cobalt"),
        named('KEYSTORE_PASSWORD="@@"', "maple-garden-tiger-monkey"),
        named('databasePasswd = "@@"', "Z.gT=shgDxNc.hWV"),
        named("CREATE USER bob WITH PASSWORD '@@';", "OC#*AV+Hi_^^q%t(?%L^rv!.q(QfL5xb"),
        named('auth=("bob", "@@")', "W%(ZJMXn^((6OP"),
        named("X-CSRF-Token: @@", some(ALNUM, 64)),
        # Commands and code.
        known("set -x MQTT_PWD @@", "wizard-lemon-purple-ember"),
        known("aws ssm put-parameter --name /a/key --type SecureString --value @@", some(HEX, 64)),
        known("aws ssm put-parameter --value @@ --type SecureString --name /a/key", some(ALNUM, 24)),
        named('SECRET_KEY = (\n    "@@"\n)', some(ALNUM, 24)),
        named('password = "Harbor77#" + "@@"', some(ALNUM, 24)),
    ]  # fmt: skip


def clean() -> list[str]:
    """Lines that alarmed on first sight or while the list was worked on, and others like them."""
    return [
        # Tables that tell of settings, and code that looks like one.
        "| Name | Type | Default |\n|------|------|---------|\n| password | string | required |\n| sha256 | string | - |\n",
        "| password | string | required |\n",
        "| Name | Type |\n|---|---|\n| token | string |\n| password | string |\n| sha256 | string |\n",
        "| User | Password | Notes |\n|---|---|---|\n| admin | required | at least 12 |\n",
        "| Endpoint | Token | Since |\n|---|---|---|\n| /login | optional | 2.14.0 |\n",
        "name,password_hash,token_count\nbob,x1y2z3x1y2z3,123456\n",
        "user,password,email\n",
        "user,password\nadmin,admin\nbob,***\namy,<redacted>\n",
        "key,en,de\npassword,Password,Passwort\ntoken2,Token,Token\n",
        "from lib import user, token, secret\nfrom b64 import encode2, decode64, hash256\n",
        "def login(user, password, email1):\n    return check(user, password, email1)\n",
        "We need a user, password, and token.\nThen, as of 2026, step10 follows.\n",
        "Status | Last_Synced_Token | Version\nSYNCED | 2945500b7f | 1.18.3\n",
        # Schemas and statements.
        "CREATE TABLE users (\n  id serial,\n  password VARCHAR(255) NOT NULL,\n  token CHAR(64) UNIQUE\n);",
        "INSERT INTO users (name, password) VALUES (?, ?)",
        "INSERT INTO users (name, password) VALUES (%s, %s)', (name, hashed1)",
        "INSERT INTO users (name, password) VALUES (:name, :password);",
        "INSERT INTO users (name, password_hash) SELECT name, hash256 FROM old1;",
        "INSERT INTO roles (name, secret) VALUES ('reader1', 'none')",
        "COPY users (id, email1) FROM stdin;\n1\tbob1990\n\\.\n",
        # Maps.
        "secrets:\n  db_password:\n    file: ./db_password1.txt\n  api1:\n    external: true\n",
        "secrets:\n  region: us-east-1\n  name: app-secret-2\n  enabled: true\n",
        "secrets:\n  token: ${{ secrets.GITHUB_TOKEN }}\n",
        "passwords:\nusers:\n  bob: staff2026\n",
        "tokens:\n  primary: '#3366ff80'\n  radius: 12px\n",
        '{"secrets": {"created_at": "2026-08-10T14:59:22Z"}}',
        "token_variants = ['+i6t-not-inline', '+i6t-inline', '+i6t-use-option']",
        # Sentences.
        "argon2id is the recommended password hash.",
        "bcrypt2 is the default password hasher",
        "the password we use is hashed with sha256",
        "The password that you enter is checked against rfc2898",
        "read the password from vault2",
        "the password is case-sensitive and never-shown-again",
        'r"""Candidate42 for the logprobs token and score.',
        "Log in with google: oauth2 is used",
        # Constants.
        "WRONG_PASSWORD = 4086",
        "ERR_INVALID_TOKEN = 1017",
        "    BAD_PASSWORD = 10045,",
        "WrongPassword: 4001",
        "const RESET_PASSWORD = 1005;",
        # Others.
        "    at renderToken (/app/dist/tiger.e709b0c6.js:459:14)",
        "    at savePassword (/app/dist/summer.b6554419.js:511:30)",
        "LDAP_BIND_PASSWORD = '@@TOKEN@@'",
        '  "keystorePassword": "!vault",',
        'class GoogleCredentials(Base):\n    """Metadata wrapper for oauth2client."""',
        "aws ssm put-parameter --name /a/size --type String --value m5.large2",
        "client = Client('AC" + some(HEX, 32) + "', auth_token=token)",
    ]  # fmt: skip


def values() -> list[Parsed]:
    """Maps of secrets in values that are parsed."""
    password, mark = "Lantern1997!", "[secret:password]"
    listed = {"secrets": [{"name": "app-1", "created_at": "2026-08-10T14:59:22Z"}]}
    about = {"passwords": {"min_length": "12345", "policy": "strict2026"}, "keys": {"a": some(ALNUM, 40)}}
    return [
        Parsed({"passwords": {"bob": password}}, {"passwords": {"bob": mark}}),
        Parsed({"passwords": {"bob": ["swordfish"]}}, {"passwords": {"bob": [mark]}}),
        Parsed({"passwords": {"prod": {"bob": 12345678}}}, {"passwords": {"prod": {"bob": mark}}}),
        Parsed(
            {"secrets": {"A": password, "region": "us-east-1"}},
            {"secrets": {"A": "[secret:secret]", "region": "us-east-1"}},
        ),
        Parsed({"tokens": {"input": 123456, "radius": "12px"}}, {"tokens": {"input": 123456, "radius": "12px"}}),
        Parsed(listed, listed),
        Parsed(about, about),
    ]
