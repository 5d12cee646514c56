"""Judge a value: drawn at random, chosen as a password, or only a placeholder where a secret could stand.

Imports nothing: a hook loads it by path, in an interpreter without `re`.
"""


def a_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ALPHANUMERIC = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ALL_BYTES = bytes(range(256))


def to_spaces(kept: bytes) -> bytes:
    """A table for `translate` that turns all but these bytes into spaces."""
    others = ALL_BYTES.translate(None, kept)
    return bytes.maketrans(others, b" " * len(others))


# A value that is one of these, or has one of those inside, stands for a secret and is none. They are `str`, because
# `in` on bytes first tries the left side as a number, which takes five times as long.
STAND_INS = a_set(
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
    "define undef !vault !secret !env !ref"
)
ANNOUNCING = ("pass", "secret", "token", "key", "pwd", "cred")
_WORDS_INSIDE = (
    "your", "example", "placeholder", "redacted", "removed", "insert", "replace", "dummy", "sample", "xxxx", "todo",
)  # fmt: skip
_SIGNS_INSIDE = (
    "[secret:", "[private]", "${", "{{", ")s", "#{", "<<", "***", "...", "•", "…", "_here", "-here", "not-set",
    "not_set", "arn:", "process.env", "os.environ", "getenv", "env.", "secrets.", "vault:", "op://", "ssm:",
    "(?:", "(?=", "(?!", "(?<", "(?p<", "(?i)",
    "[a-z", "[0-9", "[^", "\\d", "\\w", "\\s", "0-9a-z", "a-z0-9", "a-za-z", "a-f0-9", ".+)", ".*)",
)  # fmt: skip
_INSIDE = _WORDS_INSIDE + _SIGNS_INSIDE
# These say it even where the rest looks drawn at random.
_ALWAYS = a_set("xxxx ${ {{ [secret: [private] process.env os.environ arn: (?: (?= (?! (?< (?p< (?i) [a-z [0-9 [^ \\d")

# What a value looks like. Classes: a lower, A upper, 0 digit, - anything else.
_CLASSES = b"-" * 48 + b"0" * 10 + b"-" * 7 + b"A" * 26 + b"-" * 6 + b"a" * 26 + b"-" * 133
_HEX = b"0123456789abcdefABCDEF"
_VOWELS = b"aeiouyAEIOUY"
_WORDS = to_spaces(ALPHANUMERIC)
_NO_LETTERS = ALL_BYTES.translate(None, ALPHANUMERIC[10:])
_UNCHAINED = to_spaces(ALPHANUMERIC + b"_.")  # all but a.b.c
_NAMES = ALPHANUMERIC + b"_.-/:|,;=()[]{}"
_ODD_SIGNS = frozenset(b"!#$%&*+?@^~<>\\")
_JOINING_SIGNS = frozenset(b"&+")
_LEADING_SIGNS = frozenset(b"!%&^+")
_TRAILING_SIGNS = frozenset(b"$%^&#@~")
_ALL_SIGNS = ALL_BYTES[:128].translate(None, ALPHANUMERIC)
_OPENERS = frozenset((b'{"', b"{'", b'["', b"['", b"{\\", b"[\\", b"{}", b"[]", b"()", b"{%"))
# Words of sentences. With one of them, several words under a name are more likely a label than a password.
_FUNCTION_WORDS = a_set(
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
_ROOTS = a_set(
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
    if lower[:2] == "@@" == lower[-2:]:
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
    if bare[:1] == b"(" and bare.find(b".") > 0:  # (self.password.encode("utf-8") if ...
        bare = bare[1:]
    chain = bare.translate(_UNCHAINED).partition(b" ")[0]
    following = bare[len(chain) : len(chain) + 1]
    if value.find(b":`") >= 0 or chain == b"function":  # a role of reStructuredText
        return True
    if value[:1] == b"(" and value[-2:] == b")=" and not value.translate(None, _NAMES):  # const pw=(a,b)=>...
        return True
    if value[:1] in (b"&", b"*", b"!") and len(bare) == len(value) - 1 and bare.isalpha():  # a type, an alias, a tag
        return True
    if following in (b"(", b"["):
        inner = bare[len(chain) + 1 :]  # tag[colon+1 : and hash($request->password
        is_term = chain.replace(b"_", b"").isalpha() and chain.islower() and inner.lstrip(b"$")[:2].isalpha()
        others = value.translate(None, _NAMES + (b"*\"'+$" if is_term and inner.count(b"$") < 2 else b"*\"'"))
        return bool(chain) and not others and not _is_drawn_around(chain, value)
    root, dot, _ = chain.decode().lower().partition(".")
    return bool(dot) and (root in _ROOTS or value.translate(None, b"._").isalpha() or _announces(chain))


def _is_drawn_around(name: bytes, value: bytes) -> bool:
    """Whether a bracket that is never closed makes a password look like a call of this name."""
    if value[-1:] in (b"(", b"["):  # `Py27Dict()` without what closes it
        return False
    is_closed = value.count(b"(") == value.count(b")") and value.count(b"[") == value.count(b"]")
    words = value.translate(_WORDS).split()
    is_mixed = name[:1].isdigit() or any(len(word) >= 6 and is_random(word) and not is_wordy(word) for word in words)
    is_mixed = is_mixed or not (name.islower() or name.isupper() or is_wordy(name))
    return (
        is_mixed and not is_closed and not any(len(word) >= 4 and word.isalpha() and word.islower() for word in words)
    )


def _announces(value: bytes) -> bool:
    lower = value.decode("utf-8", "replace").lower().replace("monkey", "").replace("donkey", "")
    return any(word in lower for word in ANNOUNCING)


def is_word_list(value: bytes) -> bool:
    """Whether it is four or more words of which somebody made a password: correct-horse-battery-staple."""
    words = value.split(b"-")
    return (
        len(words) >= 4
        and value.islower()
        and all(len(word) >= 4 and word.isalpha() for word in words)
        and not _announces(value)
    )


def _is_drawn_between(value: bytes) -> bool:
    """Whether the letters between signs look drawn: `o#ZdhIHZFPJwUx*e`."""
    return not value.isalpha() and is_drawn(value.translate(None, _NO_LETTERS))


def has_odd_signs(value: bytes) -> bool:
    """Whether words have signs among them that only a password has there: Meadow#Falcon, Copper_Walnut$, &Amber+Oak.

    What joins words in prose proves nothing (hashed+salted, Bob's, name@example.com), nor does what ends a sentence.
    """
    letters = value.translate(None, _NO_LETTERS)
    if len(letters) < 5 or _announces(value) or is_address(value):
        return False
    middle = value.strip(_ALL_SIGNS)
    others = middle.translate(None, _NAMES)
    signs = set(others) & _ODD_SIGNS
    is_mixed = not (letters.islower() or letters.isupper())
    if signs and (len(signs) > 1 or (is_mixed and (len(others) > 1 or not signs <= _JOINING_SIGNS))):
        return True
    edges = set(value[: value.find(middle)]) & _LEADING_SIGNS | set(value[-1:]) & _TRAILING_SIGNS
    edges |= {42} if value[-1:] == b"*" != value[:1] else set()  # else it is set in bold type
    return is_mixed and bool(edges) and (bool(signs) or not middle.isalpha())


def is_address(value: bytes) -> bool:
    """Whether it is the address of somebody's mail."""
    name, _, host = value.strip(b"<>()").partition(b"@")
    return bool(name) and host.find(b".") > 0 and not (name + host).translate(None, ALPHANUMERIC + b"._+-")


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
    """Whether it says where a secret, or anything else, is kept: projects/a/secrets/b."""
    if meaning in ("password", "passphrase"):
        return False
    parts = value.split(b"/")
    if len(parts) > 2 and all(map(is_wordy, parts)):
        return True
    return meaning in ("key", "env-key") and _is_object(parts if len(parts) > 1 else value.split(b":"))


def _is_object(parts: list[bytes]) -> bool:
    """Whether these are the parts of a path in a store, words and then a checksum or a uuid: logs/2024/0a1b2c3d.gz."""
    if len(parts) < 2 or not parts[0].replace(b"-", b"").isalpha() or not is_wordy(parts[0]):
        return False
    parts = [part.partition(b".")[0] for part in parts]
    return all(is_wordy(part) or is_uuid(part) or (len(part) >= 16 and not part.strip(_HEX)) for part in parts)


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
    if value[:1] == b"*" == value[-1:] and how in ("said", "loose"):  # set in bold type
        value = value.strip(b"*")
        if len(value) < LEAST.get(meaning, 16) or is_stand_in(value):
            return False
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
    if not has_digit and meaning == "password" and how != "loose" and is_word_list(value):
        return True
    if not has_digit and not odd:
        if how == "ini":
            return is_chosen(value) or _is_drawn_between(value)
        if how == "ENV" and meaning == "secret":
            return is_drawn(value) or (len(value) >= 8 and value.isalpha() and value.islower())
        if meaning == "secret" or how in ("loose", "said", "code", "call"):
            is_long = len(value) >= 16 or (len(value) >= 10 and not is_wordy(value))
            return is_long and (is_random(value) or is_drawn(value))
        if value.isupper() or b"." in value:
            return _is_drawn_between(value)
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
        if odd and not has_digit:
            is_told = how == "said" and meaning == "password" and has_odd_signs(value)
            return is_told or (bool(value.strip(odd).translate(None, _NAMES)) and _is_drawn_between(value))
        return len(value) >= 6 and has_digit and bool(is_text) and (how == "said" or is_long or not several)
    if meaning == "secret":
        return not (several and len(value) < 24) and (how != "call" or (len(value) >= 8 and not is_wordy(value)))
    return True
