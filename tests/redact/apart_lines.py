"""Names that stand apart from their values, JSON web keys, calls.

Another generator showed them whose author had seen neither the code nor the other lists.
It draws 2443 structured secrets of 204 kinds and 3280 generic ones, each in one of many forms. At first sight 99.1 % of
the structured and 90.6 % of the generic ones were found, and 205 of 7792 clean lines were changed. It was then used for
repairs, so later figures of it are not blind. Here is a line for each class that was mended, and the look-alikes.
"""

from typing import Any, NamedTuple

from redact.maker_lines import uuid
from redact.secret_lines import ALNUM, HEX, URLSAFE, Leak, known, named, some


def leaks() -> list[Leak]:
    """What was missed on first sight, by class."""
    return [
        # JSON web keys.
        known('{"kty": "EC", "crv": "P-256", "x": "a", "y": "b", "d": "@@"}', some(URLSAFE, 43)),
        known('{"d":"@@","kty":"OKP","crv":"Ed25519","x":"a"}', some(URLSAFE, 43)),
        known('{"keys": [{"kty": "RSA", "n": "a", "dq": "@@", "e": "AQAB"}]}', some(URLSAFE, 80)),
        known('{"kty":"oct","alg":"HS256","k":"@@"}', some(URLSAFE, 43)),
        known('{"log": "{\\"kty\\":\\"RSA\\",\\"p\\":\\"@@\\"}"}', some(URLSAFE, 80)),
        # Makers' marks near the end.
        known("I committed @@ yesterday", some(HEX, 36) + "NR" + "AL"),
        known(r'{"log": "x\n@@\n"}', some(ALNUM, 36) + "NR" + "AL"),
        known("\x1b[32m@@\x1b[0m", some(HEX, 36) + "NR" + "AL"),
        known('String::from("@@")', some(ALNUM, 76) + "AZ" + "DO" + some(ALNUM, 4)),
        known("| prod | `@@` | monthly |", some(ALNUM, 76) + "AZ" + "DO" + some(ALNUM, 4)),
        known("BOT_TOKEN=@@", "ATA" + "TT3" + some(URLSAFE, 80) + "xXXx" + some(URLSAFE, 80)),
        # The name stands apart.
        named('<bean><property name="password"><value>@@</value></property></bean>', "Meadow19!"),
        named('<setting name="SmtpPassword" serializeAs="String">\n  <value>@@</value>', "Lantern1997"),
        named("  <key>password</key>\n  <string>@@</string>", "castle-planet-52"),
        named('{"ParameterKey":"DbPassword","ParameterValue":"@@"}', "VDCLgmslKEjF"),
        named('{"OutputKey": "AdminPassword", "OutputValue": "@@"}', "Copper1993"),
        named('{"value":"@@","name":"password"}', "Lantern1969!"),
        named('        - value: "@@"\n          name: DB_PASSWORD', "copper-orange-56"),
        named('{"db_password":{"sensitive":true,"type":"string","value":"@@"}}', "ErBDNEXfqpfH"),
        named('{\\"ParameterKey\\":\\"DbPassword\\",\\"ParameterValue\\":\\"@@\\"}', "Copper1993"),
        named('form-data; name="password"\r\n\r\n@@\r\n--x', "Winter707"),
        # Commands and settings.
        known("lftp -u bob,@@ sftp://h", "garden3012"),
        known("mc alias set m http://minio:9000 minioadm @@", "HrF3nqzSA0"),
        known('dotnet user-secrets set "Db:Password" "@@"', "Pxssw0rd120"),
        known('wrangler secret put X <<< "@@"', "Falcon2088!"),
        known("rclone config create x sftp pass @@", "river-falcon-79"),
        known("    stats auth admin:@@", "lnkybx7"),
        known("username bob password 0 @@", "Castle2059*"),
        named("ldap_default_authtok = @@", "Planet*purple9"),
        # Calls.
        known("jwt.sign(payload, '@@')", "orange3595"),
        known("jwt.sign({ id: user.id, role: 1 }, '@@', { expiresIn: 1 })", "orange3595"),
        known('jwt.decode(tok, "@@", algorithms=["HS256"])', "walnut1757"),
        known('new NetworkCredential("bob", "@@")', "pb57H!QUFfmb"),
        known("crypto.createHmac('sha256', '@@').update(b)", "purple8914"),
        known('hmac.new(b"@@", text, hashlib.sha256)', some(HEX, 32)),
        known('And I fill in "Password" with "@@"', "Rocket2071*"),
        named('parser.add_argument("--password", default="@@")', "lantern6481"),
        named('if (req.query.secret !== "@@") return', some(ALNUM, 37)),
        # Sentences.
        named("random password generated: @@", "Cactus*meadow8"),
        named("[Note] A temporary password is generated for root@localhost: @@", "JYoxkGXwNFI9"),
        named("Password for the [elastic] user successfully reset.\nNew value: @@", "lantern-tiger-14"),
        named("the password should be @@", "Silver*cactus7"),
        named("use @@ as the password", "Orange2034!"),
        named("use `@@` as the password for the box", "Orange2034"),
        named("The admin login is admin / @@", "Winter1990*"),
        named("Das Kennwort für den Server ist @@", "Castle123!"),
        # Several at once.
        named('passwords: ["@@", "x"]', "garden7135"),
        named('PASSWORDS = ["x", "@@"]', "Winter2067!"),
        named('user, password = "bob", "@@"', "Af6RfVeaWG"),
    ]  # fmt: skip


def clean() -> list[str]:
    """Lines that alarmed on first sight or while the list was worked on, and others like them."""
    return [
        "s3 key velvet/" + some(HEX, 32),
        "    Key: logs/2024/" + some(HEX, 32) + ".gz",
        "key: app/window/" + uuid() + ".png",
        '"Key": "uploads/' + uuid() + '/photo.jpg",',
        "cache hit key=anchor:" + uuid(),
        "pwd = (self.password.encode('utf-8') if isinstance(self.password, str)",
        "token = tag[colon+1 : len(tag)]",
        "$password = password_hash($request->password, PASSWORD_DEFAULT);",
        "return token_expiration.strftime('%Y-%m-%dT%H:%M:%SZ')",
        '"clientRequestToken": "' + uuid() + '",',
        '"IdempotencyToken": "' + uuid() + '",',
        '{"kty": "EC", "crv": "P-256", "x": "' + some(URLSAFE, 43) + '", "y": "' + some(URLSAFE, 43) + '"}',
        '{"kty": "RSA", "n": "' + some(URLSAFE, 90) + '", "e": "AQAB", "kid": "k1"}',
        '{"d": "' + "-".join((some(HEX, 12), some(HEX, 12))) + '", "p": 1}',
        some(HEX, 37) + "NR" + "AL",
        some(HEX, 12) + "NR" + "AL",
        some(ALNUM, 75) + "AZ" + "DO" + some(ALNUM, 4),
        '<setting name="SmtpHost"><value>mail-01.example.org</value></setting>',
        "<key>CFBundleVersion</key>\n<string>1.2.3b4</string>",
        '{"ParameterKey":"InstanceType","ParameterValue":"m5.large2"}',
        '{"password":{"type":"label","value":"Passwort"}}',
        '<data name="Password" xml:space="preserve">\n  <value>Kennwort</value>',
        '{"value":"a1b2c3d4","name":"colour"}',
        "use sha256 as the password hash",
        "use argon2id as the password hasher",
        "store it as password: see below",
        "the password should be at least 12 characters",
        '"password": ["is too short", "required"]',
        'user, password = "bob", get_password()',
        'jwt.decode(token, "public", algorithms=["RS256"])',
        "jwt.verify(token, publicKey)",
        'Credentials("token", "refresh_token")',
        "New value: 12345678",
        'form-data; name="file"; filename="a1.png"',
        "rclone copy a:pass b:pass",
    ]  # fmt: skip


class Parsed(NamedTuple):
    """A value as JSON has it, and what is to become of it."""

    given: Any
    wanted: Any


def values() -> list[Parsed]:
    """The same classes in values that are parsed."""
    part, password = some(URLSAFE, 43), "Lantern1997!"
    receipt = {"clientRequestToken": uuid()}
    return [
        Parsed({"kty": "EC", "x": part, "d": part}, {"kty": "EC", "x": part, "d": "[secret:private-key]"}),
        Parsed({"keys": [{"k": part, "kty": "oct"}]}, {"keys": [{"k": "[secret:private-key]", "kty": "oct"}]}),
        Parsed({"kty": "EC", "k": part, "d": 1}, {"kty": "EC", "k": part, "d": 1}),
        Parsed(
            {"ParameterKey": "DbPassword", "ParameterValue": password},
            {"ParameterKey": "DbPassword", "ParameterValue": "[secret:password]"},
        ),
        Parsed(
            {"ParameterKey": "Size", "ParameterValue": password}, {"ParameterKey": "Size", "ParameterValue": password}
        ),
        Parsed({"value": password, "name": "password"}, {"value": "[secret:password]", "name": "password"}),
        Parsed(
            {"db_password": {"sensitive": True, "value": password}},
            {"db_password": {"sensitive": True, "value": "[secret:password]"}},
        ),
        Parsed(receipt, receipt),
    ]
