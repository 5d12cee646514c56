"""Text -> the words that it is found by: lower case, without endings, code and scripts without spaces included.

Prose gives its plain words and nothing else. An identifier also gives its parts and the whole, so `parseConfigFile`,
`parse_config_file` and "parse config file" meet; `C++` is a word of its own. Chinese, Japanese, Thai and their like
give pairs of characters.
"""

import re
from collections.abc import Collection
from unicodedata import normalize

from reverie.language.empty import GRAMMAR_WORDS
from reverie.language.porter import stem

# Kept for speed: a hundred thousand texts use a few ten thousand words. As written -> the word that it is found by, and
# for names of code also -> their parts. Emptied when full, so that they stay bounded.
_STEMS: dict[str, str] = {}
_PARTS: dict[str, tuple[str, ...]] = {}
_MAX_STEMS = 200_000
_MAX_WORD = 64  # characters: base64 and the like are told apart by fewer

MAX_QUESTION_TERMS = 64  # a pasted file is a question too; more words than this make it slower and no better
_QUESTION_ENDS = 20_000  # characters of a very long question that are read, at its start and at its end

_SPACED = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_WRITTEN = re.compile(r"\w+")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+")
# Each of these starts with a plain character, which makes the search for what most texts do not have a quick one.
_DOTTED = re.compile(r"\.(?<=\w\.)[a-z0-9]")
_SHARP = re.compile(r"(?<!\w)[A-Za-z](?:\+\+|#)(?!\w)")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_VERSION = re.compile(r"v?(\d+(?:\.\d+){2,})|v(\d+\.\d+)", re.IGNORECASE)
_FILE = re.compile(r"[\w-]{2,}\.[a-z][a-z0-9]{0,4}")
_AROUND = "\"'`()[]{}<>,;:!?."


def words(text: str) -> list[str]:
    """Every word of a text, in order, with repeats; what an identifier adds comes last.

    >>> words("Lost my job as a banker yesterday.")
    ['lost', 'my', 'job', 'as', 'a', 'banker', 'yesterdai']
    >>> words("call parseConfigFile")
    ['call', 'parseconfigfil', 'pars', 'config', 'file']
    """
    return _words(text, pairs_only=False)


def question_terms(text: str) -> list[str]:
    """The distinct words that a question asks by: without function words, unless there are no others.

    >>> question_terms("When did Gina lose her job at Door Dash?")
    ['gina', 'lose', 'job', 'door', 'dash']
    """
    if len(text) > 2 * _QUESTION_ENDS:
        text = f"{text[:_QUESTION_ENDS]} {text[-_QUESTION_ENDS:]}"
    found = list(dict.fromkeys(_words(text, pairs_only=True)))
    telling = [word for word in found if word not in GRAMMAR] or found
    if len(telling) > MAX_QUESTION_TERMS:  # whoever pastes writes the question before or after the paste
        half = MAX_QUESTION_TERMS // 2
        telling = telling[:half] + telling[-half:]
    return telling


def forget(terms: Collection[str]) -> None:
    """Leave no trace of these words in what is kept for speed."""
    gone = set(terms)
    for word, known in list(_STEMS.items()):  # a copy, for another thread may be reading a text meanwhile
        if known in gone:
            _STEMS.pop(word, None)
            _PARTS.pop(word, None)


def _words(text: str, *, pairs_only: bool) -> list[str]:
    added: list[str] = []
    if text.isascii():
        written = text
    else:
        text = written = normalize("NFKC", text)
        if runs := _RUN.findall(text):
            added += [pair for run in runs for pair in _pairs(run, pairs_only)]
            written = _RUN.sub(" ", text)
    if "++" in text or "#" in text:
        added += [name.lower() for name in _SHARP.findall(written)]
        written = _SHARP.sub(" ", written)
    if "/" in text or _DOTTED.search(text):
        added += _wholes(text)
    found = written.translate(_SPACED).split() if written.isascii() else _WRITTEN.findall(written)
    return _found_by(found) + added


def _found_by(written: list[str]) -> list[str]:
    """Words as they are written -> words as they are found; the parts of names come last."""
    try:
        found = [_STEMS[word] for word in written]
    except KeyError:
        found = [stem for word in written if (stem := _STEMS.get(word) or _learn(word))]
    if not _PARTS.keys().isdisjoint(written):
        found += [part for word in written for part in _PARTS.get(word, ())]
    return found


def _learn(word: str) -> str:
    """Return the stem that a written word is found by, and cache it; "" for one that is only underscores."""
    parts = [part for part in word.split("_") if part]
    found = _stemmed("".join(parts))
    if len(_STEMS) >= _MAX_STEMS:
        _STEMS.clear()
        _PARTS.clear()
    if found and len(word) <= _MAX_WORD:
        _STEMS[word] = found
        humps = _humps(parts[0]) if len(parts) == 1 else parts
        if len(humps) > 1:
            _PARTS[word] = tuple(_stemmed(hump) for hump in humps)
    return found


def _stemmed(word: str) -> str:
    return stem(_without_accents(word.lower()[:_MAX_WORD]))


def _wholes(text: str) -> list[str]:
    """Paths, file names and versions as a whole, beside their parts."""
    wholes: list[str] = []
    for piece in text.split():
        if "/" not in piece and "." not in piece:
            continue
        piece = piece.strip(_AROUND)
        if version := _VERSION.fullmatch(piece):
            wholes.append(version[1] or version[2])
            continue
        name = piece.rpartition("/")[2]
        is_file = _FILE.fullmatch(name) is not None
        if is_file:
            wholes.append(name[:_MAX_WORD].lower())
        if "/" in piece and (is_file or piece.count("/") > 1):
            wholes.append(piece[:_MAX_WORD].lower())
    return wholes


def _pairs(run: str, pairs_only: bool) -> list[str]:
    """Neighbouring characters two by two. A text also gives each by itself, for a question of one character."""
    pairs = [run[start : start + 2] for start in range(len(run) - 1)]
    return pairs if pairs_only and pairs else [*run, *pairs]


def _humps(name: str) -> list[str]:
    """The parts of a camelCase name, if it is one: `iPhone` and `McDonald` are words."""
    humps = _HUMP.findall(name)
    is_name = len(humps) > 1 and min(map(len, humps[:2])) > 2 and not (name[1:].isupper() or name[1:].islower())
    return humps if is_name else []


def _without_accents(word: str) -> str:
    if word.isascii() or not any("\u00c0" <= letter <= "\u024f" for letter in word):
        return word
    return "".join(letter for letter in normalize("NFD", word) if not "\u0300" <= letter <= "\u036f")


GRAMMAR = frozenset(map(stem, GRAMMAR_WORDS))
