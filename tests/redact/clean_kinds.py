"""Clean lines of kinds that look encoded or drawn: minified code, lock files, hashes in HTML, pictures and fonts, logs.

All of them are made here from a seed; none is anybody's text. Each kind has a maker of one line (or of a few lines that
belong together), and `lines` draws so many of each. What stands beside a secret in `wrapped_lines` is here, too, without
one: base64 of plain text, tables and sentences that speak of passwords, identifiers that begin like a token.
"""

import base64
import hashlib
import json
import textwrap
from collections.abc import Callable
from random import Random
from string import ascii_letters, ascii_lowercase, digits

ALNUM = ascii_letters + digits
HEX = "0123456789abcdef"
NAMES = "parse render match token user cache store index route bundle chunk vendor theme modal button query field group".split()  # noqa: SIM905
WORDS = "the build of this page uses a small cache and a long list of routes that the server reads when it starts again".split()  # noqa: SIM905
CJK = "我们在这里记录用户的密码规则和登录方式请不要把令牌写进日志里每次部署之前都要检查一遍设置サーバーの設定を確認してからパスワードを変更してください비밀번호는설정에서바꿀수있습니다"


def pick(r: Random, alphabet: str, count: int) -> str:
    return "".join(r.choices(alphabet, k=count))


def b64(r: Random, count: int) -> str:
    return base64.b64encode(r.randbytes(count)).decode()


def version(r: Random) -> str:
    return f"{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 20)}"


def digest(r: Random, name: str = "sha512") -> str:
    return base64.b64encode(hashlib.new(name, r.randbytes(8)).digest()).decode()


def hex_digest(r: Random, name: str = "sha256") -> str:
    return hashlib.new(name, r.randbytes(8)).hexdigest()


def prose(r: Random, count: int = 12) -> str:
    return " ".join(r.choices(WORDS, k=count))


# ---- code that a machine has written


def minified_js(r: Random) -> str:
    a, b, c = (pick(r, ascii_letters, r.choice((1, 2))) for _ in range(3))
    name, other = r.choice(NAMES), r.choice(NAMES)
    return r.choice(
        [
            f"!function({a},{b}){{var {c}={a}.{name}||{{}};{c}.key={b}.key,{c}.token=null,{a}.{other}={c}}}(this,{{}});",
            f"const {a}=({b},{c})=>{b}?.{name}??{c}[{r.randint(0, 99)}],{name}Token={a}({b});export{{{a} as {other}}};",
            f'({a}=>{{"use strict";{a}.exports=JSON.parse(\'{{"{name}":{r.randint(1, 9999)},"key":"{other}"}}\')}})(module);',
            f"e.{name}=function({a}){{return {a}&&{a}.__esModule?{a}:{{default:{a}}}}},e.password={a}.password,e.{other}=void 0;",
            f"(self.webpackChunk{name}=self.webpackChunk{name}||[]).push([[{r.randint(1, 999)}],{{{r.randint(1000, 99999)}:({a},{b},{c})=>{{{c}.d({b},{{Z:()=>{name}}})}}}}]);",
            f'{a}.src={c}.p+"static/js/{name}.{pick(r, HEX, 8)}.chunk.js",{a}.setAttribute("data-key","{name}-{other}");',
        ]
    )


def minified_css(r: Random) -> str:
    name, other = r.choice(NAMES), r.choice(NAMES)
    return r.choice(
        [
            f".{name}_{pick(r, ALNUM, 5)}__{other}{{color:#{pick(r, HEX, 6)};margin:0 {r.randint(0, 40)}px}}.{other}:hover>a{{opacity:.{r.randint(1, 9)}}}",
            f"@media(max-width:{r.randint(300, 1200)}px){{.{name}-{other}{{display:none!important}}.password-{name}{{width:{r.randint(1, 99)}%}}}}",
            f":root{{--{name}-key:#{pick(r, HEX, 6)};--token-{other}:{r.randint(1, 32)}px}}.token.{name}{{font:{r.randint(10, 20)}px/1.{r.randint(1, 9)} mono}}",
            f".css-{pick(r, ascii_lowercase + digits, 6)}-{name}{{background:url(/static/{other}.{pick(r, HEX, 20)}.svg)}}",
        ]
    )


def source_map(r: Random) -> str:
    vlq = ";".join(pick(r, "ACEGIKMOQSUWYacegikmoqsuwy", r.choice((4, 5))) + "," + pick(r, ALNUM, 4) for _ in range(r.randint(4, 20)))  # fmt: skip
    whole = {"version": 3, "sources": [f"src/{r.choice(NAMES)}.ts"], "names": r.sample(NAMES, 4), "mappings": vlq}
    if r.random() < 0.5:
        return json.dumps(whole, separators=(",", ":"))
    text = base64.b64encode(json.dumps(whole).encode()).decode()
    return f"//# sourceMappingURL=data:application/json;charset=utf-8;base64,{text}"


# ---- lock files


def lock_file(r: Random) -> str:
    name, v = r.choice(NAMES) + "-" + r.choice(NAMES), version(r)
    return r.choice(
        [
            f'    "node_modules/{name}": {{"version": "{v}", "resolved": "https://registry.example.com/{name}/-/{name}-{v}.tgz", "integrity": "sha512-{digest(r)}"}},',
            f'"{name}@^{v}":\n  version "{v}"\n  resolved "https://registry.example.com/{name}/-/{name}-{v}.tgz#{hex_digest(r, "sha1")}"\n  integrity sha512-{digest(r)}',
            f"  /{name}/{v}:\n    resolution: {{integrity: sha512-{digest(r)}}}\n    engines: {{node: '>=18'}}\n    dev: true",
            f'[[package]]\nname = "{name}"\nversion = "{v}"\nsource = "registry+https://index.example.com"\nchecksum = "{hex_digest(r)}"',
            f'    {{file = "{name}-{v}-py3-none-any.whl", hash = "sha256:{hex_digest(r)}"}},',
            f"{name}=={v} \\\n    --hash=sha256:{hex_digest(r)} \\\n    --hash=sha256:{hex_digest(r)}",
            f"example.com/{name} v{v} h1:{digest(r, 'sha256')}\nexample.com/{name} v{v}/go.mod h1:{digest(r, 'sha256')}",
            f'  "name": "vendor/{name}", "dist": {{"type": "zip", "reference": "{hex_digest(r, "sha1")}", "shasum": ""}}',
            f"    {name} ({v})\n      {r.choice(NAMES)} (~> {version(r)})\nCHECKSUMS\n  {name} ({v}) sha256={hex_digest(r)}",
            f'  "{name}": {{:hex, :{name.replace("-", "_")}, "{v}", "{hex_digest(r)}", [:mix], [], "hexpm", "{hex_digest(r)}"}},',
            f"  name: {name}\n  sha256: {hex_digest(r)}\n  url: https://channel.example.com/noarch/{name}-{v}-py_0.tar.bz2",
            f'"{name}": {{"type": "Direct", "requested": "[{v}, )", "resolved": "{v}", "contentHash": "{digest(r)}"}}',
        ]
    )


# ---- what is encoded


def page_hashes(r: Random) -> str:
    name = r.choice(NAMES)
    return r.choice(
        [
            f'<script src="/{name}.min.js" integrity="sha384-{digest(r, "sha384")}" crossorigin="anonymous"></script>',
            f'<link rel="stylesheet" href="/{name}.css" integrity="sha256-{digest(r, "sha256")}">',
            f"Content-Security-Policy: script-src 'self' 'sha256-{digest(r, 'sha256')}' 'unsafe-inline'",
            f"<link rel=preload href=/_next/static/chunks/{r.randint(1, 999)}-{pick(r, HEX, 16)}.js as=script>",
            f'<svg><path d="M{r.randint(0, 99)} {r.randint(0, 99)}h{r.randint(1, 20)}v-{r.randint(1, 9)}z"/></svg><img src="/i/{hex_digest(r, "md5")}.png">',
            f'ETag: W/"{pick(r, HEX, 4)}-{digest(r, "sha1")[:27]}"',
        ]
    )


def picture(r: Random) -> str:
    head = r.choice(["iVBORw0KGgoAAAANSUhEUgAA", "/9j/4AAQSkZJRgABAQAAAQABAAD", "R0lGODlhAQABAIAAAP", "UklGR", "Qk0"])
    data = head + b64(r, r.randint(60, 900))
    return r.choice(
        [
            f'<img alt="{r.choice(NAMES)}" src="data:image/png;base64,{data}">',
            f"background-image:url(data:image/gif;base64,{data});",
            f'{{"type": "image", "source": {{"media_type": "image/jpeg", "data": "{data}"}}}}',
            "\n".join(textwrap.wrap(data, 76)),
        ]
    )


def font(r: Random) -> str:
    kind, head = r.choice([("woff2", "d09GMgABAAAAA"), ("woff", "d09GRgABAAAAA"), ("ttf", "AAEAAAALAIAAAwAw")])
    return f"@font-face{{font-family:{r.choice(NAMES)};src:url(data:font/{kind};base64,{head}{b64(r, r.randint(90, 900))}) format('{kind}')}}"


def plain_text_in_base64(r: Random) -> str:
    """Base64 of text without a secret, also of text that speaks of one."""
    text = r.choice(
        [
            prose(r, 20),
            f"PORT={r.randint(1000, 9999)}\nHOST={r.choice(NAMES)}.internal\nDEBUG=true\nLOG_LEVEL=info\n",
            json.dumps({"id": r.randint(1, 9999), "name": r.choice(NAMES), "tags": r.sample(NAMES, 3)}),
            f"<svg xmlns='http://www.example.com/svg' width='{r.randint(8, 64)}'><path d='M0 {r.randint(1, 9)}h9v9z'/></svg>",
            f"#!/bin/sh\nset -e\ncd /srv/{r.choice(NAMES)}\nmake build\necho done: {prose(r, 5)}\n",
            "The password is stored in the vault; ask the admin for access. " + prose(r, 8),
            "DB_PASSWORD=${DB_PASSWORD}\nAPI_KEY=<your-api-key>\nTOKEN=changeme_here\nUSER=" + r.choice(NAMES) + "\n",
            f"cursor:{r.randint(10**9, 10**10)}:{r.choice(NAMES)}:{r.randint(1, 99)}:next",
            f"gid://shop/Product/{r.randint(10**9, 10**12)}",
            CJK[r.randint(0, 20) : r.randint(40, 70)],
        ]
    )
    data = base64.b64encode(text.encode()).decode()
    if r.random() < 0.2:
        data = base64.b64encode(data.encode()).decode()
    return r.choice(
        ["{v}", 'cursor: "{v}"', "echo {v} | base64 -d", '{{"content": "{v}", "encoding": "base64"}}', "/page/{v}",
         "data:text/plain;base64,{v}", "endCursor={v}&first=20"]
    ).format(v=data)  # fmt: skip


def certificate(r: Random) -> str:
    body = "\n".join(textwrap.wrap("MII" + b64(r, r.randint(300, 700)), 64))
    kind = r.choice(["CERTIFICATE", "PUBLIC KEY", "CERTIFICATE REQUEST"])
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


# ---- logs and manifests


def git_log(r: Random) -> str:
    commit = hex_digest(r, "sha1")
    return r.choice(
        [
            f"commit {commit}\nAuthor: Ana <ana@example.com>\nDate:   Mon Nov {r.randint(1, 30)} 10:{r.randint(10, 59)}:00 2026 +0100\n\n    {r.choice(NAMES)}: {prose(r, 6)}",
            f"{commit[:8]} {r.choice(('fix', 'feat', 'chore'))}({r.choice(NAMES)}): rename token to {r.choice(NAMES)} (#{r.randint(1, 9999)})",
            f"index {commit[:7]}..{hex_digest(r, 'sha1')[:7]} 100644\n--- a/src/{r.choice(NAMES)}.py\n+++ b/src/{r.choice(NAMES)}.py\n@@ -{r.randint(1, 99)},7 +{r.randint(1, 99)},9 @@ def password_field(self):",
            f"* {commit[:10]} (HEAD -> main, origin/main) Merge branch 'feature/{r.choice(NAMES)}-key-{r.randint(1, 99)}'",
            f"tree {hex_digest(r, 'sha1')}\nparent {commit}\ncommitter Ana <ana@example.com> {r.randint(10**9, 2 * 10**9)} +0000",
        ]
    )


def manifest(r: Random) -> str:
    name = r.choice(NAMES)
    return r.choice(
        [
            f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  labels:\n    app: {name}\n    pod-template-hash: {pick(r, 'bcdfghjklmnpqrstvwxz2456789', 10)}",
            f"    env:\n    - name: DB_PASSWORD\n      valueFrom:\n        secretKeyRef:\n          name: {name}-db\n          key: password",
            f"  image: registry.example.com/team/{name}:v{version(r)}@sha256:{hex_digest(r)}\n  imagePullPolicy: Always",
            f"pod/{name}-{pick(r, 'bcdfghjklmnpqrstvwxz2456789', 10)}-{pick(r, 'bcdfghjklmnpqrstvwxz2456789', 5)}   1/1   Running   0   {r.randint(1, 99)}m",
            f'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  uid: {pick(r, HEX, 8)}-{pick(r, HEX, 4)}-4{pick(r, HEX, 3)}-a{pick(r, HEX, 3)}-{pick(r, HEX, 12)}\ndata:\n  LOG_LEVEL: info\n  PORT: "{r.randint(1000, 9999)}"',
            f"  caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSU{b64(r, 120)}",
            f'    checksum/config: {hex_digest(r)}\n    kubectl.kubernetes.io/restartedAt: "2026-11-{r.randint(10, 28)}T10:00:00Z"',
        ]
    )


def placeholder(r: Random) -> str:
    """What pages write where a token would stand."""
    name = r.choice(NAMES).upper()
    return r.choice(
        [
            "Authorization: Bearer <your-jwt>",
            f"export {name}_TOKEN=eyJhbGciOi...",
            "A JWT has three parts: header.payload.signature, as in xxxxx.yyyyy.zzzzz",
            f"curl -H 'Authorization: Bearer ${name}_TOKEN' https://api.example.com/v{r.randint(1, 9)}/{name.lower()}",
            "re_xxxxxxxx_xxxxxxxxxxxxxxxxxxxxxxxx",
            "set WANDB_API_KEY to wandb_v1_<your key>",
            f"token: ${{{{ secrets.{name}_TOKEN }}}}",
            f"const token = jwt.sign({{ sub: '{name.lower()}' }}, process.env.{name}_SECRET, {{ expiresIn: '{r.randint(1, 48)}h' }});",
        ]
    )


def identifier(r: Random) -> str:
    """Names of code that begin like a token."""
    words = [r.choice(NAMES) for _ in range(4)]
    camel = words[0] + "".join(word.title() for word in words[1:])
    return r.choice(
        [
            f"re_{words[0]}_{words[1]} = re_compile({words[2]}_{words[3]})",
            f"def re_{words[0]}_all_{words[1]}_{words[2]}_in_{words[3]}(self):",
            f"re_{camel}_{camel}With{words[1].title()}And{words[2].title()}()",
            f"wandb_v1_{words[0]}_{words[1]}_{words[2]}_callback({words[3]}=None)",
            f"from lib import re_{words[0]}_{words[1]}{words[2]}{words[3]}, wandb_{words[1]}",
            f"re_{r.randint(2020, 2026)}_{words[0]}_{words[1]}_{words[2]}_{r.randint(1, 12)}",
            f"are_{camel}_{words[0]} and more_{camel}{r.randint(1, 9)} were {words[1]}_{camel}",
            f"config.re_{words[0]}_{hex_digest(r, 'md5')[:6]} = {words[2]}",
        ]
    )


# ---- beside what is wrapped


def drawn_table(r: Random) -> str:
    """A table that is drawn, about passwords or about nothing of the kind."""
    rows = r.choice(
        [
            [["field", "type", "required"], ["password", "string", "yes"], ["token", "string", "no"]],
            [["Setting", "Default"], ["password_min_length", str(r.randint(8, 20))], ["token_ttl", f"{r.randint(1, 90)} days"]],
            [["name", "value"], ["password", "(hidden)"], ["port", str(r.randint(1000, 9999))]],
            [["name", "password set"], ["amy", "yes"], ["bob", "no"]],
            [["commit", "branch", "age"], [hex_digest(r)[:10], r.choice(NAMES), f"{r.randint(1, 60)} min"]],
            [["key", "size", "hits"], [f"{r.choice(NAMES)}:{r.randint(1, 999)}", f"{r.randint(1, 99)} KB", str(r.randint(1, 9999))]],
            [["Passwort", "erforderlich"], ["Benutzer", "ja"]],
        ]
    )  # fmt: skip
    bar, head = r.choice(["││", "┃│", "║║", "||"])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [bar.join(["", *(f" {c:<{w}} " for c, w in zip(row, widths, strict=True)), ""]) for row in rows]
    rule = "├" + "┼".join("─" * (w + 2) for w in widths) + "┤"
    return "\n".join([lines[0].replace(bar, head), rule, *lines[1:]])


def html_table(r: Random) -> str:
    name, other = r.choice(NAMES), r.choice(NAMES)
    return r.choice(
        [
            "<tr><td>password</td><td>required</td><td>at least 12 characters</td></tr>",
            "<tr><th>Password</th><td>string</td></tr><tr><th>Token</th><td>string, optional</td></tr>",
            "<table><tr><th>User</th><th>Password</th></tr><tr><td>bob</td><td>********</td></tr></table>",
            '<td>Password</td><td><input type="password" name="password2"></td>',
            f"<td>commit</td><td>{hex_digest(r, 'sha1')}</td><td>{version(r)}</td>",
            "<dt>Password</dt><dd>Never stored; see <a href='/docs/auth2'>here</a>.</dd>",
            f"<td>api_key</td><td>Your key for {other}, from the settings page</td>",
            "<tr><td>password_min_length</td><td>12345678</td></tr>",
            f"<tr><td>token_count</td><td>{r.randint(10**6, 10**8)}</td></tr><tr><td>{name}</td><td>{other}</td></tr>",
            '<td data-i18n="password">Passwort</td><td data-i18n="token">Zeichen</td>',
            "<td>password</td><td>${password}</td><td>{{ token }}</td>",
            "<th>Password</th><th>Last changed</th></tr><tr><td>set</td><td>2026-11-16</td></tr>",
        ]
    )


def sentence(r: Random) -> str:
    """Sentences about passwords that tell none."""
    name = r.choice(NAMES)
    return r.choice(
        [
            "The password is case-sensitive!",
            "the staging password is in the vault, not here",
            f"the password is hashed (bcrypt, cost {r.randint(8, 14)})",
            "The password is *required*, the token is **optional**.",
            f"the {name} password is: see the {r.choice(NAMES)} page",
            "Is the password really stored as plain text?!",
            "the password is null/undefined when the form is empty",
            "your password is <redacted>, as in the log above",
            f"the password is at least {r.randint(8, 20)} characters, letters & digits",
            "The password is e-mailed to the user (once).",
            "our password is user-supplied; the key is server-side",
            "the new password is checked against haveibeenpwned & co.",
            "The root password is still unset/unknown.",
            f"the password is passed via $DB_PASSWORD or {name}.password",
            "the staging password is the same as the user name :)",
            "the password is n/a for this kind of account",
            "password is [REDACTED]; token is [FILTERED]",
            'the password is "hidden" by default',
            "the admin password is reset/rotated by @ops every week",
            f"The password is ok, but the {name}'s token isn't.",
            "The password is read-only; its value is write-once.",
            "my password is wrong?? I typed it twice!!",
            "the password is too_weak, said the form",
            "the password is sent to bob@example.com by mail",
            "the password is #1 on the list of leaks",
            "the wifi password is on the wall (2nd floor)",
        ]
    )


def cjk(r: Random) -> str:
    start = r.randint(0, len(CJK) - 30)
    return CJK[start : start + r.randint(15, 29)] + r.choice(["。", "！", f"（{r.randint(1, 99)}）", "、", ""])


KINDS: dict[str, Callable[[Random], str]] = {
    "minified js": minified_js,
    "minified css": minified_css,
    "source map": source_map,
    "lock file": lock_file,
    "hash in a page": page_hashes,
    "picture": picture,
    "font": font,
    "plain text in base64": plain_text_in_base64,
    "certificate": certificate,
    "git log": git_log,
    "manifest": manifest,
    "placeholder": placeholder,
    "identifier": identifier,
    "drawn table": drawn_table,
    "html table": html_table,
    "sentence": sentence,
    "cjk": cjk,
}


# Around what has few forms, so that no line comes twice.
_AROUND = (
    "{v}",
    "- {v}",
    "> {v}",
    "# {v}",
    "// {v}",
    "{n}. {v}",
    "{n}: {v}",
    "<!-- {n} -->{v}",
    "{v} (note {n})",
    "{v} <!-- {n} -->",
)


def lines(seed: int = 1, count: int = 190) -> list[tuple[str, str]]:
    """So many of each kind, each with the name of its kind; for the same seed always the same, and none twice."""
    r = Random(seed)
    drawn: dict[str, str] = {}
    for number, (kind, make) in enumerate(KINDS.items(), 1):
        while len(drawn) < number * count:
            line = make(r)
            if line in drawn:
                line = r.choice(_AROUND).replace("{v}", line).replace("{n}", str(r.randint(1, 999)))
            drawn.setdefault(line, kind)
    return [(kind, line) for line, kind in drawn.items()]
