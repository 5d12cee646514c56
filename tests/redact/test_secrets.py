"""Promise 12: secrets are out before the first write. The bars are judged on a corpus that does not know the patterns."""

import ast
import json
import subprocess
import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from string import ascii_letters, digits

from hypothesis import given, settings
from hypothesis import strategies as st

import reverie.redact.secrets as secrets
from redact import secret_corpus
from reverie.redact import secret_commands, secret_patterns, secret_search
from reverie.redact.secrets import RedactorMissing, kinds, redact, redact_json
from support.every import every

SOURCE = Path(secrets.__file__)
TOKEN = "ghp_" + "aB3dE6gH9jK2" * 3
AWS = "AKIA" + "Q6X7R3T2W4Y5Z6A7"


def is_left(value: str, text: str) -> bool:
    """Whether the value, or 8 characters of it, can still be read."""
    return value in text if len(value) <= 8 else any(value[i : i + 8] in text for i in range(len(value) - 7))


# The bars: 99.5 % of the structured, 97 % of the generic, 0.5 % of clean lines. Asked for is what was reached, less a little.


@every("seed", [1, 2])
def test_structured_and_generic_secrets_are_found_in_all_surroundings(seed: int) -> None:
    found, total, spoiled = Counter[str](), Counter[str](), list[str]()
    for secret in secret_corpus.secrets(seed):
        clean = redact(secret.text)
        total[secret.group] += 1
        found[secret.group] += not is_left(secret.value, clean)
        if secret.kept not in clean:
            spoiled.append(clean)

    assert sum(total.values()) >= 3000
    assert len({secret.kind for secret in secret_corpus.secrets(seed)}) >= 30
    assert found["structured"] / total["structured"] >= 0.998
    assert found["generic"] / total["generic"] >= 0.99
    assert spoiled == []


@every("seed", [1, 2])
def test_clean_lines_stay_as_they_are(seed: int) -> None:
    lines = secret_corpus.clean_lines(seed)
    alarms = Counter(label for label, line in lines if redact(line) != line)

    assert len(lines) >= 20_000
    assert sum(alarms.values()) / len(lines) <= 0.001
    assert alarms["uuid"] == alarms["commit"] == 0


@every("levels", [1, 2, 3])
def test_secrets_are_found_in_json_within_json(levels: int) -> None:
    missed = Counter[str]()
    corpus = secret_corpus.secrets(3)[::7]
    for secret in corpus:
        text = secret.text
        for _ in range(levels):
            text = json.dumps({"out": text})
        missed[secret.group] += is_left(secret.value, redact(text))

    assert missed["structured"] <= len(corpus) * 0.005
    assert missed["generic"] <= len(corpus) * 0.01


def test_the_corpus_does_not_know_the_patterns() -> None:
    tree = ast.parse(Path(secret_corpus.__file__).read_text())
    imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    imported |= {name.name for n in ast.walk(tree) if isinstance(n, ast.Import) for name in n.names}

    assert imported == {"base64", "json", "string", "collections.abc", "dataclasses", "random"}


def test_a_second_judge_finds_nothing_that_we_left(tmp_path: Path) -> None:
    lines = [secret.text for secret in secret_corpus.secrets(1)[::3] if "\n" not in secret.text]

    assert len(flagged(tmp_path / "before.txt", lines)) > 400
    assert flagged(tmp_path / "after.txt", [redact(line) for line in lines]) == []


def flagged(path: Path, lines: list[str]) -> list[str]:
    from detect_secrets import SecretsCollection
    from detect_secrets.settings import default_settings

    path.write_text("\n".join(lines))
    with default_settings():
        found = SecretsCollection()
        found.scan_file(str(path))
    return [lines[secret.line_number - 1] for _, secret in found]


# What is replaced, and what stays


@every(
    ("text", "clean"),
    [
        (f"export GH={TOKEN} && make", "export GH=[secret:github-token] && make"),
        (f"aws {AWS} ok", "aws [secret:aws-key] ok"),
        (f"{AWS},wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY", "[secret:aws-key],[secret:aws-secret]"),
        ("postgres://bob:hunter2@db:5432/shop", "postgres://bob:[secret:url-password]@db:5432/shop"),
        ('{"password": "hunter2", "user": "bob"}', '{"password": "[secret:password]", "user": "bob"}'),
        ("password: hunter2 # prod", "password: [secret:password] # prod"),
        ("DB_PASSWORD=swordfish", "DB_PASSWORD=[secret:password]"),
        ("my password is hunter2.", "my password is [secret:password]."),
        ("mysql -u root -phunter2 shop", "mysql -u root -p[secret:password] shop"),
        ("curl -u bob:hunter2 https://x", "curl -u bob:[secret:password] https://x"),
        ("curl https://x \\\n  -u bob:hunter2", "curl https://x \\\n  -u bob:[secret:password]"),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [secret:authorization]"),
        ("Cookie: theme=dark; sid=aB3dE6gH9jK2mN5p", "Cookie: theme=dark; sid=[secret:cookie]"),
        ("https://hooks.slack.com/services/T0AAAAAA1/B0BBBBBBB2/" + "aB3" * 8, "https://hooks.slack.com/services/T0AAAAAA1/[secret:webhook]"),
        ("host=db;Password=hunter2;Encrypt=true", "host=db;Password=[secret:password];Encrypt=true"),
        ("auth=('bob', 'hunter2')", "auth=('bob', '[secret:password]')"),
        ("password: str = 'hunter2'", "password: str = '[secret:password]'"),
        ('let db_password: &str = "hunter2";', 'let db_password: &str = "[secret:password]";'),
        ('var password string = "hunter2"', 'var password string = "[secret:password]"'),
        ("password: |-\n  hunter2\nuser: bob", "password: |-\n  [secret:password]\nuser: bob"),
        ("bob:hunter2@tcp(db:3306)/shop", "bob:[secret:url-password]@tcp(db:3306)/shop"),
        ("['sshpass', '-p', 'hunter2', 'ssh']", "['sshpass', '-p', '[secret:password]', 'ssh']"),
        ("the credentials are bob and hunter2.", "the credentials are bob and [secret:password]."),
        (f'Authorization: Digest username="bob", response="{"0a1b" * 8}"', 'Authorization: Digest username="bob", response="[secret:authorization]"'),
        (r'{\"x\": \"Cookie: sid=aB3dE6gH9jK2mN5p\\nPORT=80\"}', r'{\"x\": \"Cookie: sid=[secret:cookie]\\nPORT=80\"}'),
        (r'"h:5432:db:bob:hunter2\\nPORT=80"', r'"h:5432:db:bob:[secret:password]\\nPORT=80"'),
        (r'"<password>hunter2</password>\\nPORT=80"', r'"<password>[secret:password]</password>\\nPORT=80"'),
        ("user,password,mail\nbob, hunter2 ,b@x.org\n", "user,password,mail\nbob, [secret:password] ,b@x.org\n"),
        ("| user | password |\n|---|---|\n| bob | `hunter2` |", "| user | password |\n|---|---|\n| bob | `[secret:password]` |"),
        ("INSERT INTO u (n, password) VALUES ('a', 'hunter2'), ('b', 'x1y2z3');", "INSERT INTO u (n, password) VALUES ('a', '[secret:password]'), ('b', '[secret:password]');"),
        ("secrets: {A: hunter2, B: 'x1y2z3'}", "secrets: {A: [secret:secret], B: '[secret:secret]'}"),
        ("`hunter2` is the new root password.", "`[secret:password]` is the new root password."),
        ("the password we use is hunter2.", "the password we use is [secret:password]."),
        ("CREATE LOGIN bob WITH PASSWORD = N'hunter2';", "CREATE LOGIN bob WITH PASSWORD = N'[secret:password]';"),
        ("jdbc:sqlserver://h.org:1433;user=sa;password=Ember@941;", "jdbc:sqlserver://h.org:1433;user=sa;password=[secret:password];"),
        ("password = 'hunter2' + 'x1y2z3'", "password = '[secret:password]' + '[secret:password]'"),
        ("gh secret set DB --body 'host=db;user=bob;password=hunter2'", "gh secret set DB --body 'host=db;user=bob;password=[secret:password]'"),
    ],
)  # fmt: skip
def test_only_the_value_is_replaced(text: str, clean: str) -> None:
    assert redact(text) == clean


def test_a_private_key_becomes_one_mark() -> None:
    body = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"] * 5)
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"

    assert redact(f"a\n{block}\nb") == "a\n[secret:private-key]\nb"
    assert redact(json.dumps({"private_key": block})) == '{"private_key": "[secret:private-key]"}'
    assert redact(block[:200]) == "[secret:private-key]"
    assert redact("-----BEGIN PRIVATE KEY-----") == "-----BEGIN PRIVATE KEY-----"


@every("before", ["\\n", "\\t", "\\r\\n", "\\\\n", "\x1b[32m", "\\u001b[1m", "%3D", "=", "'", "(", "日本"])
def test_a_token_is_found_after_anything_that_ends_a_word(before: str) -> None:
    for token in (TOKEN, AWS, "sk-" + "aB3dE6gH9jK2" * 4, "SK" + "0a1b2c3d" * 4):
        assert not is_left(token[4:], redact(f"x{before}{token}\\nmore"))


@every(
    "value",
    [
        "YOUR_API_KEY", "<token>", "${TOKEN}", "$TOKEN", 'os.environ["TOKEN"]', "process.env.X", "{{ token }}", "xxxxxxxx",
        "null", "None", "true", "get_token()", "self.token", "********", "[REDACTED]", "args.token", "var.token", "''",
    ],
)  # fmt: skip
@every("template", ["password={}", "token = {}", "api_key: {}", "SECRET={}", "client(token={}, a=1)"])
def test_what_stands_for_a_secret_is_none(template: str, value: str) -> None:
    assert redact(template.format(value)) == template.format(value)


@every(
    "line",
    [
        "password: str", "max_tokens=4096", "token_count: 512", "the key point: keep 12 of them", "keyboard = 'de-105keys'",
        "monkey = 'abc12345678'", "author: john2000", "primary_key=True", "sort_key=created_at2", "public_key = 'MIIBIjANBgkqhkiG9w0'",
        "cache_key=user:123", '"tool_use_id": "toolu_01A09q90qw90lq917835lq9"', '"session_id": "b5f1c2d3-1234-4abc-9def-1234567890ab"',
        '{"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}', "nginx@sha256:" + "0a1b2c3d" * 8, '"integrity": "sha512-' + "aB3+" * 21 + '=="',
        "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA" * 20, "--- PASS: TestFoo2 (0.01s)", "PWD=/home/user1/project",
        "mkdir -p /srv/app1", "docker run -p 8080:80 nginx", "passwd: password updated successfully",
    ],
)  # fmt: skip
def test_these_are_not_secrets(line: str) -> None:
    assert redact(line) == line


def test_a_name_makes_its_value_a_secret() -> None:
    assert redact("hunter2", "password") == "[secret:password]"
    assert redact("c4ed6c21-9dd5-4a05-8e3f-c56d1151cce8", "heroku_api_key") == "[secret:token]"
    assert redact("Bearer abcdef123456", "Authorization") == "Bearer [secret:authorization]"
    assert redact("c4ed6c21-9dd5-4a05-8e3f-c56d1151cce8", "session_id").startswith("c4ed")


def test_a_value_longer_than_the_look_at_it_is_replaced_whole() -> None:
    value = "a1B2c3D4e5" * 100

    assert redact(f"curl -u bob:{value} https://x") == "curl -u bob:[secret:password] https://x"
    assert redact(f"password={value}") == "password=[secret:password]"


@every("head", ["curl -u bob:", "password=", "password: ", "mysql -p", "Authorization: Bearer ", "Cookie: sid="])
def test_a_look_that_ends_within_a_character_does_not_break_the_text(head: str) -> None:
    for more in range(6):
        assert isinstance(redact(f"{head}x9{'x' * more}" + "é☃" * 6000), str)


@every("write", ['DB_PASSWORD="{}"', "password: '{}'", '{{"password": "{}"}}'])
def test_a_quoted_password_may_have_any_sign(write: str) -> None:
    chance = Random(31)
    signs = ascii_letters + digits + "!@#$%^&*()_+-=[]{}|;:,.<>?~/"
    drawn = ["".join(chance.choices(signs, k=chance.randint(10, 20))) for _ in range(1000)]
    drawn += ["I<3Kittens!", "$ecretSauce9", "{Curly9Brace", "John@Doe.Smith!9"]

    kept = [value for value in drawn if value in redact(write.format(value))]

    assert len(kept) < 35, kept


def test_a_picture_stays_whole() -> None:
    chance = Random(32)
    for _ in range(8):
        picture = "iVBORw0KGgo" + b64encode(chance.randbytes(700_000)).decode()
        assert redact_json({"source": {"data": picture}}) == {"source": {"data": picture}}
    hidden = (
        "k1//0aB3dE5gH7jK9mN1pQ3sT5",
        "/1//0aB3dE5gH7jK9mN1pQ3sT5",
        "/oy2aB3dE5gH7jK9mN1pQ3sT5aB3dE5gH7jK9mN1pQ3sT5",
    )
    for token in hidden:
        assert redact("Qx7" * 40 + token + "Zz8" * 40) == "Qx7" * 40 + token + "Zz8" * 40


def test_a_webhook_without_its_secret_is_an_address() -> None:
    text = "https://hooks.slack.com/services" + "/" * 60

    assert redact(text) == text


# Text that holds escapes: JSON that nobody parsed, because it is huge, cut or broken

SAID = "Ginger1991#"
LOGIN_KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
WORDS = "acid bacon cabin daisy eagle fabric galaxy habit icon jacket kangaroo ladder"
LETTERS = "gatx snwh lala oypn"
WORD_LIST = "ember-planet-river-cricket"
COMMAND_LINES = {
    "mysql": f"mysql -u root -p{SAID} shop",
    "mariadb": f"mariadb -u root -p{SAID} shop",
    "sshpass": f"sshpass -p {SAID} ssh a@b",
    "login(": f"smtp.login('bob', '{SAID}')",
    "login": f"docker login -u bob -p {SAID}",
    "put-parameter": f"aws ssm put-parameter --type SecureString --value {SAID} --name x",
    "mongo": f"mongo -u bob -p {SAID} h",
    "redis-cli": f"redis-cli -h h -a {SAID} ping",
    "ldap": f"ldapsearch -D cn=a -w {SAID} -b x",
    "7z": f"7z a -p{SAID} out.7z x",
    "zip ": f"zip -P {SAID} out.zip x",
    "http ": f"http -a bob:{SAID} h/api",
    "https ": f"https POST --auth=bob:{SAID} h/api",
    "curl": f"curl -u bob:{SAID} https://h",
    "sqlcmd": f"sqlcmd -S h -U sa -P {SAID}",
    "smbclient": f"smbclient //h/s -U bob%{SAID}",
    "htpasswd": f"htpasswd -b f bob {SAID}",
    "ssh-keygen": f"ssh-keygen -t rsa -N {SAID} -f k",
    "openssl": f"openssl rsa -passin pass:{SAID} -in k",
    "mosquitto_": f"mosquitto_pub -u bob -P {SAID} -t x",
    "keytool": f"keytool -list -storepass {SAID} -keystore k",
    "net use ": f"net use z: //h/s /user:bob {SAID}",
    "secret set": f"gh secret set NPM --body {SAID}",
    "rar ": f"rar a -hp{SAID} out.rar x",
    "unrar ": f"unrar x -p{SAID} in.rar",
    " -u ": f"cqlsh -u bob -p {SAID} h",
    "net user": f"net user bob {SAID} /add",
    "lftp": f"lftp -u bob,{SAID} sftp://h",
    "rclone": f"rclone config create x sftp pass {SAID}",
    "--pass": f"tool --pass {SAID} x",
    "requirepass": f"requirepass {SAID}",
    "wandb login": f"wandb login {LOGIN_KEY}",
    "masterauth": f"masterauth {SAID}",
    "bindpw": f"bindpw {SAID}",
    "rootpw": f"rootpw --plaintext {SAID}",
    "setx ": f"setx DB_PASSWORD {SAID}",
    "env ": f"env DB_PASSWORD {SAID}",
    "securestring": f"ConvertTo-SecureString '{SAID}' -AsPlainText",
    "connect(": f"mysqli_connect('h', 'bob', '{SAID}')",
    "getconnection(": f"DriverManager.getConnection(url, 'bob', '{SAID}')",
    "pdo(": f"new PDO('mysql:host=h', 'bob', '{SAID}')",
    "sqlplus ": f"sqlplus bob/{SAID}@h",
    "expdp ": f"expdp bob/{SAID}@h dumpfile=x",
    "impdp ": f"impdp bob/{SAID}@h dumpfile=x",
    ":thin:": f"jdbc:oracle:thin:bob/{SAID}@h:1521:x",
    " /p:": f"xfreerdp /u:bob /p:{SAID} /v:h",
    "add_user ": f"rabbitmqctl add_user bob {SAID}",
    "change_password ": f"rabbitmqctl change_password bob {SAID}",
    "wpa_passphrase ": f"wpa_passphrase home {SAID}",
    " put ": f"consul kv put db/password {SAID}",
    "--user": f"etcdctl --user root:{SAID} get x",
    "client(": f"twilio.Client('AC12', '{LOGIN_KEY}')",
    "snyk auth ": "snyk auth 1b4e28ba-2fa1-41d2-883f-0016d3cca427",
    "phrase": f"seed phrase: {WORDS}",
    "app pass": f"the app password is {LETTERS}",
    "--from-literal": f"kubectl create secret generic a --from-literal=key1={SAID}",
    "credentials are ": f"the credentials are bob and {SAID}",
    "shown again": f"the token will not be shown again: {LOGIN_KEY}",
    "see it again": f"you will not see it again: {LOGIN_KEY}",
    "appid=": f"https://h/data?q=x&appid={LOGIN_KEY}",
    "variable ": f'variable "db_password" {{ default = "{SAID}" }}',
    "machine ": f"machine h.com login bob password {SAID}",
    "alias set ": f"mc alias set m http://h:9000 bob {SAID}",
    "user-secrets": f'dotnet user-secrets set "Db:Password" "{SAID}"',
    "stats auth ": f"stats auth admin:{SAID}",
    "password 0 ": f"username bob password 0 {SAID}",
    "password 7 ": "username bob password 7 " + LOGIN_KEY[:20].upper(),
    "jwt.": f"jwt.sign(payload, '{SAID}')",
    "hmac.new(": f"hmac.new(b'{SAID}', text, sha256)",
    "hmac(": f"crypto.createHmac('sha256', '{SAID}')",
    "credential(": f"new NetworkCredential('bob', '{SAID}')",
    "credentials(": f"pika.PlainCredentials('bob', '{SAID}')",
    "fill in ": f"And I fill in 'Password' with '{SAID}'",
    "password generated": f"random password generated: {SAID}",
    "password is generated": f"A temporary password is generated for root@localhost: {SAID}",
    "password should be": f"the password should be {SAID}",
    "password:</": f"<b>Password:</b> {SAID}",
    "to installation:": f"use the following password to proceed to installation: {LOGIN_KEY}",
    "form-data; name=": f'Content-Disposition: form-data; name="password"\r\n\r\n{SAID}',
    "new value:": f"Password for the [bob] user successfully reset. New value: {SAID}",
    "log in with ": f"log in with bob:{SAID} on the box",
    "sudo -": f"echo {SAID} | sudo -S ls",
    " su -": f"echo {SAID} | su - root",
    "-stdin": f"echo {SAID} | docker login --password-stdin -u bob",
    "chpasswd": f"echo bob:'{SAID}' | chpasswd",
    "--with-token": f"echo {SAID} | gh auth login --with-token",
    "@tcp(": f"sql.Open('mysql', 'bob:{SAID}@tcp(h:3306)/shop')",
    "@unix(": f"dsn := 'bob:{SAID}@unix(/run/mysqld.sock)/shop'",
    "@cloudsql(": f"dsn := 'bob:{SAID}@cloudsql(project:region:h)/shop'",
}
SENTENCES = [
    f"use {SAID} as the password",
    f"try {SAID} as password",
    f"{SAID} is the password",
    f"{SAID} is the new root password",
    f"`{SAID}` was our old database password",
    f"the password we use is {SAID}",
    f"my password's {SAID}",
    f"the password will be {SAID}",
    f"the password was rotated to {SAID}",
    f"I changed the password from {SAID} to {SAID}",
]
SEVERAL_WORDS = (
    b"zip ",
    b"http ",
    b"https ",
    b"login(",
    b"net use ",
    b"net user",
    b"secret set",
    b"rar ",
    b"unrar ",
    b" -u ",
)
FLAGGED = [name.decode() for name in secret_commands.COMMANDS if name not in SEVERAL_WORDS]
ESCAPES = [r"\n", r"\n\n", r"\r\n", r"\t", r"\f", r"\u000a", r"\u000D\u000A", r"\u0009", r"\\n", r"\\\\n", r"\u001b[0m"]


def test_there_is_a_line_for_every_command() -> None:
    words = secret_commands
    known = [*words.COMMANDS, *words.DIRECTIVES, *words.READERS, *words.HOSTS]

    assert list(COMMAND_LINES) == [name.decode() for name in known]


def assert_nothing_is_left(text: str, around: tuple[str, str]) -> None:
    clean = redact(text)
    assert not is_left(SAID, clean)
    assert not is_left(LOGIN_KEY, clean)
    assert not is_left(WORDS, clean)
    assert not is_left(LETTERS, clean)
    assert clean.startswith(around[0])
    assert clean.endswith(around[1])


@every("escape", ["\n", *ESCAPES])
@every("line", [*COMMAND_LINES.values(), *SENTENCES])
def test_a_command_is_seen_between_escapes(line: str, escape: str) -> None:
    around = ('{"log": "x' + escape, escape + 'all done"}')

    assert_nothing_is_left(json.dumps(line)[1:-1].join(around), around)


@every("padding", range(720, 800, 4))
@every("name", FLAGGED)
def test_a_command_is_seen_where_the_look_at_the_one_before_it_ended(name: str, padding: int) -> None:
    line = COMMAND_LINES[name]
    log = f"{name} --help\n" + "word " * (padding // 5) + "." * (padding % 5) + "\n" + line

    assert not is_left(SAID, redact(json.dumps({"log": log})))


@every("margin", ["", "  ", "\t"])
@every("name", [*FLAGGED, "-stdin", "--with-token"])
def test_a_flag_is_seen_on_a_line_of_its_own(name: str, margin: str) -> None:
    line = "x\n" + COMMAND_LINES[name].replace(" -", f" \\\n{margin}-") + "\nall done"

    assert not is_left(SAID, redact(line))
    assert not is_left(SAID, redact(json.dumps({"log": line})))
    assert not is_left(SAID, redact(json.dumps({"log": line}).replace(r"\n", r"\u000a").replace(r"\t", r"\u0009")))


@every("name", [*FLAGGED, "login(", "--pass", "requirepass", "masterauth"])
def test_a_tab_is_as_good_as_a_space(name: str) -> None:
    line = COMMAND_LINES[name].replace(" ", "\t")

    for text in (
        line,
        json.dumps([line]),
        json.dumps(json.dumps([line])),
        json.dumps([line]).replace(r"\t", r"\u0009"),
    ):
        assert not is_left(SAID, redact(text))


@every(
    "line", [r"C:\tools\redis-cli.exe -a @@ ping", r"curl -d 'one\ntwo' -u bob:@@ h", r"mysql -u 'a\tb' -p'@@\n9' shop"]
)
def test_a_backslash_in_plain_text_hides_nothing(line: str) -> None:
    assert not is_left(SAID, redact(line.replace("@@", SAID)))


@every("escape", ESCAPES)
@every("line", ["DB_PASSWORD=@@", "key=@@", "psk=@@", "api_key: @@", "Authorization: Bearer @@"])
def test_a_name_begins_after_an_escape(line: str, escape: str) -> None:
    value = "zX9k2mQ8vB4nT7wL1pR5"
    around = ('{"log": "x' + escape, escape + 'all done"}')

    clean = redact(line.replace("@@", value).join(around))

    assert not is_left(value, clean)
    assert clean.startswith(around[0])


@every("write", [str, json.dumps, lambda text: json.dumps({"log": text})])
def test_files_of_secrets_are_read_in_json_that_nobody_parsed(write: Callable[[str], str]) -> None:
    pgpass = "h:5432:db:bob:Ginger1991#\nlocalhost:5432:db:bob:Oranges77\n*:*:*:bob:gingerbread\n"
    manifest = "apiVersion: v1\nkind: Secret\ndata:\n  a: R2luZ2VyMTk5MQ==\n  b: T3Jhbmdlczc3\n"

    assert redact(write(pgpass)).count("[secret:password]") == 3
    assert redact(write(manifest)) == write(manifest).replace("R2luZ2VyMTk5MQ==", "[secret:secret]").replace(
        "T3Jhbmdlczc3", "[secret:secret]"
    )


# JSON


def test_strings_and_keys_are_redacted_at_any_place_and_the_original_is_not_touched() -> None:
    value = {
        "env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"deep": [{"text": f"x\n{TOKEN}"}]}],
        "args": ["--password", "hunter2", "--port", "80"],
        "password": {"value": "hunter2"},
        "secrets": ["zX9k2mQ8", "plain words"],
        "pin": 4711,
        "max_tokens": 4096,
        TOKEN: 1,
        TOKEN.replace("a", "b"): 2,
    }
    before = json.dumps(value)

    assert redact_json(value) == {
        "env": [
            {"name": "DB_PASSWORD", "value": "[secret:password]"},
            {"deep": [{"text": "x\n[secret:github-token]"}]},
        ],
        "args": ["--password", "[secret:password]", "--port", "80"],
        "password": {"value": "[secret:password]"},
        "secrets": ["[secret:secret]", "plain words"],
        "pin": "[secret:pin]",
        "max_tokens": 4096,
        "[secret:github-token]": 1,
        "[secret:github-token]+": 2,
    }
    assert json.dumps(value) == before


def test_one_string_of_a_value_does_not_reach_into_the_next() -> None:
    value = ["<private>a", "b password=", "hunter2 c", "-----BEGIN PRIVATE KEY-----", "QUJD" * 20, "<reverie-context>x"]

    assert redact_json(value) == ["[private]", *value[1:5], ""]


@every(
    "text",
    [
        f"user,password\nbob,{SAID}\n",
        f"| user | password |\n|---|---|\n| bob | {SAID} |\n",
        f"INSERT INTO users (name, password) VALUES ('bob', '{SAID}')",
        f"secrets:\n  A: {SAID}\n",
        f"{SAID} is the new root password",
        f"the password we use is {SAID}",
        f"the admin password is {WORD_LIST}",
    ],
)
def test_what_takes_several_cells_or_words_is_found_in_a_string_among_others(text: str) -> None:
    value = {"command": "cat it, (please)", "out": [text, "a,b"], "more": "x"}

    clean = redact_json(value)

    assert not is_left(SAID, clean["out"][0])
    assert not is_left(WORD_LIST, clean["out"][0])
    assert clean == {**value, "out": [clean["out"][0], "a,b"]}


def test_depth_does_not_matter() -> None:
    value: dict[str, object] = {"password": "hunter2"}
    for _ in range(100_000):
        value = {"a": value}

    clean = redact_json(value)

    while "a" in clean:
        clean = clean["a"]
    assert clean == {"password": "[secret:password]"}


# Tags


@every(
    ("text", "clean"),
    [
        ("a <private>b</private> c", "a [private] c"),
        ("let x: Vec<Private> = a;\nlet y = 2;", "let x: Vec<Private> = a;\nlet y = 2;"),
        ("Text in `<private>` is not kept.\nMore.", "Text in `<private>` is not kept.\nMore."),
        ("it is<private>b", "it is[private]"),
        ("a <PRIVATE>b</Private> c <private >d</private>", "a [private] c [private]"),
        ("a <private>b <private>c</private> d</private> e", "a [private] e"),
        ("a <private>b", "a [private]"),
        ("a \\u003cprivate\\u003eb\\u003c/private\\u003e c", "a [private] c"),
        ("a &lt;private&gt;b&lt;/private&gt; c", "a [private] c"),
        ("a <reverie-context from='x'>b</reverie-context> c", "a  c"),
        ("a <reverie-context>b", "a "),
        ("a </private> <PrivateAssets>all</PrivateAssets>", "a </private> <PrivateAssets>all</PrivateAssets>"),
        ("<priv<reverie-context></reverie-context>ate>b", "<priv[]ate>b"),
    ],
)
def test_private_blocks_and_our_own_context_are_removed(text: str, clean: str) -> None:
    assert redact(text) == clean


# Properties

PIECES = st.sampled_from(
    ["password=", "token: ", "key=", '"', "'", "\\", "\\n", "\n", " ", "=", ":", "[secret:", "]", "<private>", "</private>",
     "<reverie-context>", "</reverie-context>", "hunter2", TOKEN, AWS, "://", "a:b1c2@", "@host", "Authorization: ", "Bearer ",
     "Cookie: ", "sid=", ";", "curl -u ", "mysql -p", "x9Z!", "eyJhbGciOi", ".", "-----BEGIN PRIVATE KEY-----", "QUJD" * 9, "é", "☃",
     "\udc80", "value: ", "auth=(", ",", "is ", "{", "}", "(", ")", "&", "?", "sk-", "_live_", "7Q~", "/",
     "\x1b[0m", "\x1b[01;31m\x1b[K", "\\u001b[1m", "-----END PRIVATE KEY-----", "qW8rT5yU2iO9pA6sD3fG0hJ7kL4zX1cV8bN5mQ2wE9r", "     2→"]
)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.one_of(st.text(), st.lists(PIECES, max_size=14).map("".join), st.text(st.characters(), max_size=80)))
def test_any_text_is_redacted_once_and_for_all(text: str) -> None:
    clean = redact(text)

    assert redact(clean) == clean
    if not is_left(TOKEN[4:], text.replace(TOKEN, "")):  # text that is drawn may be a part of the token, and no secret
        assert not is_left(TOKEN[4:], clean)


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.integers(), st.floats(), PIECES, st.text()),
        lambda v: st.lists(v) | st.dictionaries(st.text() | PIECES, v),
    )
)
def test_any_json_is_redacted_like_its_strings(value: object) -> None:
    assert TOKEN not in str(redact_json(value))


@every(
    "piece",
    ["key=", "key: ", 'password="', "xoxb-", "<private>", "<private x", "curl redis-cli -a x1 ", "://a:", "-----BEGIN PRIVATE KEY-----", "eyJ",
     "auth=(", "cookie: a=b;", "1234567890", "\\", "key=\\", "A", AWS + " ", "mysql -p", "a:5432:b:c:", "password for a is ", "é", "ghp_",
     "user,password\nbob,x1y2z3\n", "| password |\n", "password,", "insert into a (password) values (", "('x1y2z3', '", "into a (b) values ('",
     "secrets:\n ", "passwords: {a: x1y2z3, ", "x1y2z3 is the new password ", "the password we use is ", "password-", "copy a (password) from stdin\n1\n",
     "key->", "key>", "key|", "Private-Lines: 1 ", "kind: Secret\ndata:\n a: b\n", "echo a | sudo -S ", "mysql -", "machine a login b ", "$6$", "hvs."],
)  # fmt: skip
def test_twice_the_text_takes_about_twice_the_work(piece: str) -> None:
    text = piece * (100_000 // len(piece))

    assert any(
        cpu_seconds(text * 2) / cpu_seconds(text) < 3 for _ in range(3)
    )  # a busy machine can spoil a measurement


def cpu_seconds(text: str) -> float:
    start = time.process_time()
    redact(text)
    return time.process_time() - start + 1e-4


def test_the_heads_of_names_stay_small_enough_to_be_fast() -> None:
    """With more than 512 steps RE2 takes twice as long for each hit."""
    engine = secret_search.load_engine()
    options = engine.RE2.Options()
    options.encoding = engine.RE2.Options.Encoding.LATIN1

    assert engine.RE2(secret_patterns.HEAD, options).ProgramSize() <= 512


# The lean process

LEAN = """
import sys
def load(name, path):
    module = sys.modules[name] = type(sys)(name)
    module.__file__ = path
    exec(compile(open(path).read(), path, "exec"), module.__dict__)
    return module
parts = "values patterns search rare shapes names commands".split()
for part in (*["secret_" + part for part in parts], "secrets"):
    secrets = load("reverie.redact." + part, {folder!r} + "/" + part + ".py")
print(secrets.redact("password=hunter2 " + {token!r}))
print(*sorted(sys.modules))
"""
FORBIDDEN = {
    "json",
    "re",
    "tomllib",
    "pathlib",
    "enum",
    "dataclasses",
    "typing",
    "collections",
    "functools",
    "math",
    "os",
    "re2",
    "site",
}


def test_it_runs_in_a_bare_interpreter_and_imports_nothing() -> None:
    code = LEAN.format(folder=str(SOURCE.parent), token=TOKEN)
    run = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    line, modules = run.stdout.splitlines()

    assert line == "password=[secret:password] [secret:github-token]"
    assert FORBIDDEN.isdisjoint(modules.split())


def test_without_re2_nothing_passes() -> None:
    code = (
        "import reverie.redact.secrets as s; s.use_extension('/nowhere/_re2.so')\n"
        "for f in (s.redact, s.redact_json):\n"
        "    try: print(f('harmless'))\n"
        "    except s.RedactorMissing as error: print('refused', type(error).__mro__[1].__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout.split() == ["refused", "Exception"] * 2
    assert issubclass(RedactorMissing, Exception)


def test_every_kind_can_stand_in_a_mark() -> None:
    assert len(kinds()) >= 30
    for kind in kinds():
        assert redact(f"x [secret:{kind}] y") == f"x [secret:{kind}] y"
        assert redact(f"[secret:{kind}]", "password") == f"[secret:{kind}]"
