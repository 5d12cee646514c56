"""Makers' marks, and names for a secret in several languages: kinds that the two lists in `secret_lines` do not have.

They are taken from blind lines and from the formats of public scanners.
Two generators drew the blind lines. Each was written without a look at the patterns, but by the hand that then repaired
them, so they are blind to the code and not to its author. At first sight:

    C  95.9 % structured (561 of 585), 91.0 % generic (151 of 166); 2.1 % of clean lines that look dangerous were changed
    D  86.9 % structured (590 of 679), 86.1 % generic (199 of 231); 3.6 % of such lines were changed

C was then used for repairs. D was measured six times while they were made, so later figures of it would not be blind, and
none is given. Here is a line for each class that they showed, and the look-alikes.
"""

from redact.secret_lines import ALNUM, HEX, LETTERS, LOWER, UPPER, URLSAFE, Leak, base64_of, known, named, some

DIGITS = "0123456789"
BASE64 = ALNUM + "+/"
WALLET = "acid bacon cabin daisy eagle fabric galaxy habit icon jacket kangaroo ladder"


def uuid() -> str:
    return "-".join(some(HEX, length) for length in (8, 4, 4, 4, 12))


def leaks() -> list[Leak]:
    """What was missed on first sight, by class."""
    return [
        # Makers' marks that were not known, or whose rest has other signs than thought.
        known("[DEBUG] env: {'HOME': '/root', 'X': '@@'}", some(HEX, 32) + "-us" + "18"),
        known("mailgun signs with @@ now", some(HEX, 32) + "-" + some(HEX, 8) + "-" + some(HEX, 8)),
        known("tokens:\n  - @@\n  - null", some(ALNUM, 4)[:3] + "8Q" + "~" + some(LETTERS, 4)[:3] + "." + some(URLSAFE, 30)),
        known("got @@ from the console", some(LETTERS, 4)[:3] + "3Q" + "~" + some(ALNUM, 34)),
        known("fly: @@", "fm" + "2_" + some(ALNUM, 4)[:2] + "/" + some(BASE64, 117)),
        known("line 12: value=@@;", "pc" + "sk_" + some(ALNUM, 6) + "_" + some(ALNUM, 63)),
        known("`@@`,", "r" + "e_" + some(ALNUM, 8) + "_" + some(ALNUM, 24)),
        known("https://api.telegram.org/bot@@/sendMessage?chat_id=12", some(DIGITS, 9) + ":" + some(ALNUM, 35)),
        known("['@@']", "AB" + "IA" + some("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
        known("bedrock @@ works", "AB" + "SK" + some(BASE64, 110) + "="),
        known("x=@@&y=1", "gl" + "c_" + some(BASE64, 90) + "="),
        known("got @@ here", "A3" + "-" + "-".join(some(UPPER, length) for length in (6, 11, 5, 5, 5))),
        known("origin @@", "v1" + ".0-" + some(HEX, 24) + "-" + some(HEX, 146)),
        known("(@@)", "pa" + "t." + some(URLSAFE, 22) + "." + some(ALNUM, 24) + "." + some(ALNUM, 20)),
        known("docker swarm join --token @@ 10.0.0.1:2377", "SWM" + "TKN-1-" + some(LOWER, 50) + "-" + some(LOWER, 25)),
        known("payments @@", "access_token$pro" + "duction$" + some(LOWER, 16) + "$" + some(HEX, 32)),
        known("langfuse @@", "sk-" + "lf-" + uuid()),
        known("got @@ from the console", "sk" + "_test_" + some(ALNUM, 12)),
        # A maker that nobody knows, in the form that most have taken to.
        known("then set @@ there", "qu" + "uxly_" + some(ALNUM, 40)),
        known("then set @@ there", "blob" + "store_rw_" + some(ALNUM, 16) + "_" + some(ALNUM, 30)),
        # Places.
        known("co = cohere.Client('@@')", some(ALNUM, 40)),
        known("conn = mysqli_connect('localhost', 'root', '@@')", "Tulpe99!"),
        known("snyk auth @@", uuid()),
        known("cargo login @@", some(ALNUM, 35)),
        known("AWS Secret Access Key [None]: @@", some(BASE64, 40)),
        known("Password (again): @@", "Tulpe99!"),
        known("seed phrase: @@", WALLET),
        known("my recovery phrase is @@", WALLET),
        known("$password = ConvertTo-SecureString '@@' -AsPlainText -Force", "harbor-velvet-42"),
        known("Authorization: Token token=@@", "u+" + some(ALNUM, 18)),
        known('authorization: Digest username="bob", realm="a", response="@@"', some(HEX, 32)),
        known("_auth=@@", uuid()),
        known('<Pass encoding="base64">@@</Pass>', base64_of(24)),
        known('"okta_token": "SSWS @@"', "00" + some(URLSAFE, 40)),
        known('{"token": "Bearer @@"}', some(URLSAFE, 43)),
        known('aws ssm put-parameter --name /db/password --value "@@"', "Tulpe99!"),
        known("user/pwd: bob/@@", "IhqSb1Gg"),
        # Names beside values.
        named('SECRET_KEY="@@"', "BirchWalnut85"),
        named('secret_key = "@@"', "birch-lantern-nectar-32"),
        named("config.secret_key_base = '@@'", "nectar-Katze-island-87"),
        named('let api_secret = "@@";', "nvWnlXJLTRdWU"),
        named("login with svc / password @@ please", "sRiDVnYfFzMP"),
        named("das Passwort ist @@", "RavenQuartz10"),
        named("Kennwort: @@", "Regenbogen9"),
        named("das Benutzerkennwort ist @@", "Regenbogen9"),
        named("das Datenbankpasswort ist @@", "Regenbogen9"),
        named("mot de passe : @@", "Sommer2019?"),
        named("la contraseña es @@", "orchid-pepper-garnet-70"),
        named("senha: @@", "Girassol77"),
        named("wachtwoord: @@", "Tulpen2020"),
        named("пароль: @@", "Tulpe1999"),
        named("密码：@@", "Tulpe1999"),
        named("パスワードは「@@」です", "Tulpe1999"),
        named("비밀번호는 @@", "Tulpe1999"),
        named("the password is “@@”", "Tulpe1999"),
        named("password for master: @@", "IhqSb1Gg"),
        named("db creds are bob:@@", "Tulpe1999"),
        named("my pass is @@", "Tulpe1999"),
        named("DB_PASS ?= @@", "Tulpe1999"),
        named('password <- "@@"', "Tulpe1999"),
        named('PASSWORD = os.environ.get("PASSWORD") or "@@"', "at5G6zi!m"),
        named("const pw = process.env.DB_PASSWORD || '@@'", "Tulpe1999"),
        named("cy.get('#password').type('@@')", "Tulpe1999"),
        named("EXA_KEY: @@", uuid()),
    ]  # fmt: skip


def clean() -> list[str]:
    """Lines that alarmed on first sight or while the list was worked on, and others like them."""
    digest = some(ALNUM, 4)[:3].lower() + "_" + some(URLSAFE, 39)
    return [
        "kubectl get secret db-credentials-1636 -o yaml",
        "git checkout -b token-8713 " + some(HEX, 40),
        "gcloud secrets create my-secret --version-destroy-ttl=86400s",
        "gcloud auth print-identity-token --token-format=full",
        "--secret=projects/my-project/secrets/my-secret/versions/2",
        "--client-secret=SALESFORCE_OAUTH2_CLIENT_SECRET",
        "unzip - list, test and extract compressed files in a ZIP archive",
        "echo master | git bundle create master.bundle --stdin",
        "PSK_WITH_AES_128_CBC_SHA      PSK-AES128-CBC-SHA",
        "passwd:         compat",
        "PassEnvironment=VAR1 VAR2",
        "you're implementing a server, pass :data:`h11.SERVER`.",
        'password = password.encode("latin1")',
        'proxy_url="socks5h://<username>:<password>@proxy-host"',
        'name="app" publicKeyToken="' + some(HEX, 16) + '"',
        'token = r"[-!#$%&*+.^_|~0-9a-zA-Z]+"',
        "t.prototype.hasToken=function(e){if(!e)return!1;for(var t=0;;)t++}",
        '{key:"wrapRangeInTextNode",value:1}',
        f"pygments/lexers/sgf.py,sha256={digest},1988",
        'client = AsyncInferenceClient("meta-llama/Meta-Llama-3-8B-Instruct")',
        "docker login registry.example.com",
        "s3 = boto3.client('s3', region_name='eu-west-1')",
        "toolu_" + some(ALNUM, 24),
        "eu-us1 is a zone, and so is ap-us2",
        "12345678:" + some(HEX, 40),
        f"{some(HEX, 8)}-{some(HEX, 4)}-{some(HEX, 4)} {some(HEX, 8)}",
        "a passphrase is made of several words that are easy to keep in mind and hard to guess",
        "das Passwort ist abgelaufen",
        "le mot de passe est incorrect",
        "la contraseña es obligatoria",
        "Passwort vergessen?",
        "passwordField.type('text')",
        "hash(password, 'sha256')",
        "the password for this account was reset: see the log",
        "user/password: required",
        "mysql -u root -p shop_2024",
        "psql -h db -U app -p 5433 -d shop",
        "docker run --user app:app -p 8080:80 x",
        "psql -h db -U app -p 543322 -d shop",
    ]  # fmt: skip
