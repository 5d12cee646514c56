"""One event of a coding agent: stdin -> one durable, redacted record in the spool.

Runs in the hook process, whose cost is mostly start-up, so it imports no package: only C modules, and its neighbours
and `redact/` through the `load` that it is given. `import json` alone would double its time.
"""

import posix
import time
from _signal import ITIMER_REAL, SIGALRM, setitimer, signal

from reverie.hook.locate import exists, find_project, find_workspace, open_file, personal
from reverie.hook.opt_out import is_off

TYPE_CHECKING = False  # `import typing` costs as much as the hook itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Load = Callable[[str], Any]

CUT_ABOVE = 8_000_000  # bytes; larger records keep head, tail, size and digest
_HEAD, _TAIL = 4_000_000, 1_000_000
_AT_A_TIME = 65_536  # bytes; a pipe holds no more, and to make room for more takes longer
_OVERLAP = 65_536  # longer than any secret: with so much more of the text, one that a cut would split is seen whole
PROJECT_VARIABLE = b"CLAUDE_PROJECT_DIR"  # where the session began; the event tells where the agent is now
_HIDDEN = (b"private", b"reverie-context")  # tags whose contents are never kept
_STDIN_SECONDS = 5.0  # an agent that never closes stdin is not waited for any longer
_ALL_SECONDS = 9.0  # agents give a hook ten, and what they end by force cannot say in the log that it failed
_AGAIN_SECONDS = 0.5
_LONGEST_PATH = 4096
_ASKED = 4_000  # characters of a prompt's start, and of its end
_BLANK = " \t\r\n\ufeff\0"  # may stand around an event
# Levels. What is nested deeper is kept as text, because its readers, who stand deeper themselves, could not parse it.
_DEEPEST = 200
_FULL = (28, 122, 69)  # ENOSPC; EDQUOT on Linux and on macOS
_SECRET_PARTS = ("values", "patterns", "search", "rare", "shapes", "names", "commands")  # each after what it imports
_AT_ONCE = 8  # records of one hook, each with a sync of its own; what follows more events is kept as one text
_MOST = 100_000  # values in one event; more would take 100 MB and seconds as Python objects, so they stay text, too


class Seen:
    """The facts that an answer needs: the event, the workspace, and the session that asks."""

    __slots__ = ("event", "home", "is_not_alone", "path", "project", "prompt", "session")

    def __init__(self, event: str, home: str, project: str, fields: dict[str, object]) -> None:
        self.event, self.home, self.project = event, home, project
        self.is_not_alone = False  # earlier events wait in the spool, too
        self.session = str(fields.get("session_id") or "")
        self.prompt = start_and_end(fields.get("prompt"))
        self.path = ""  # of the file that is about to be opened


def start_and_end(prompt: object) -> str:
    """As much of a prompt as is asked about: a pasted log in the middle of it is not the question."""
    text = prompt if isinstance(prompt, str) else ""
    return text if len(text) <= 2 * _ASKED else f"{text[:_ASKED]}\n{text[-_ASKED:]}"


class Given:
    """The input from stdin. Taken out of here, it is held by nobody else: 8 MB with one emoji are 32 MB as a string."""

    __slots__ = ("digest", "folders", "raw", "size", "value")

    def __init__(self, raw: bytes, size: int, digest: str, value: object) -> None:
        self.raw, self.size, self.digest, self.value = raw, size, digest, value
        self.folders: Iterable[object] = ()  # of the events in a text, if there may be several


def capture(event: str, home: str, load: "Load") -> "Seen | None":
    """Keep what is on stdin: one event, by the name that it has itself if none is given, and whatever follows it there.

    None if the event was not kept: the project opted out, or it failed and the log says so.
    """
    started = time.monotonic()
    fill_standard_streams()
    raw, size, digest = read_stdin()
    value, rest = first_value(raw) if size <= CUT_ABOVE else (None, b"")
    event = event or named_event(value) or "unknown"
    given = Given(raw, size, digest, value)
    ids = {name: value[name] for name in ("session_id", "cwd") if name in value} if isinstance(value, dict) else {}
    del raw, value
    seen = capture_one(event, home, load, given, {}, started)
    count = 1
    while rest:  # an agent that sent two at once, or garbage behind its event: neither is ours to drop
        raw, count = rest, count + 1
        is_last = count == _AT_ONCE or time.monotonic() - started > _ALL_SECONDS
        value, rest = (None, b"") if is_last else first_value(raw)
        given = Given(raw, len(raw), "", value)
        given.folders = () if isinstance(value, dict) else folders_in(raw, ids.get("cwd"))
        capture_one(named_event(value) or event, home, load, given, ids, started)
    return seen


def named_event(value: object) -> str:
    named = value.get("hook_event_name") if isinstance(value, dict) else None
    return named if isinstance(named, str) else ""


def capture_one(
    event: str, home: str, load: "Load", given: Given, ids: dict[str, object], started: float
) -> "Seen | None":
    """Keep one event. `ids` are those of the first on this stdin, for what follows it and has none of its own."""
    value, raw = given.value, given.raw
    given.value, given.raw = None, b""
    if isinstance(value, dict):
        fields = value = {**ids, **value} if ids else value
    else:
        fields = {**ids, **scrape(raw)}
    folder = folder_of(fields.get("cwd"), ids.get("cwd"))
    begun_in = folder_of(posix.environ.get(PROJECT_VARIABLE, b"").decode("utf-8", "surrogateescape"), folder)
    project = find_project(folder)
    home = absolute(home) if home else find_workspace(begun_in, default_home())[0]
    # An agent that went elsewhere is still at work for the project in which its session began.
    if is_off(project, home) or (begun_in != folder and is_off(find_project(begun_in), home)):
        return None
    # Again and again: where the first alarm comes while code is loaded, whoever loads it goes another way.
    setitimer(ITIMER_REAL, max(0.1, started + _ALL_SECONDS - time.monotonic()), _AGAIN_SECONDS)
    try:
        if any(is_off(find_project(folder_of(told, folder)), home) for told in given.folders):
            return None  # what may be kept of such a text cannot be told from what may not
        for part in _SECRET_PARTS:
            load(f"reverie.redact.secret_{part}")
        secrets = load("reverie.redact.secrets")
        event = event if event.isalpha() else secrets.redact(event)  # an agent may give it any name
        spool = load("reverie.hook.spool")
        record = {"event": event, "at": time.time_ns() // 1_000_000, "mono": time.monotonic_ns()}
        record["boot"] = spool.boot_id()  # the drain finds these three in front, and puts events in order by them
        record.update(contents(value, fields, raw, given.size, given.digest, secrets))
        record["project"] = project = clean_project(project, record["payload"], secrets)
        seen, is_ascii = Seen(event, home, project, fields), raw.isascii()
        del value, fields, raw  # encoding takes as much again
        seen.is_not_alone = keep(home, record, spool, is_ascii)
    except BaseException as error:  # the agent must not notice, whatever it was
        setitimer(ITIMER_REAL, 0)
        complain(home, event, error, load)
        return None
    finally:
        setitimer(ITIMER_REAL, 0)
    return seen


def fill_standard_streams() -> None:
    """Open closed standard streams, or a file of ours would get their number and the agent's output."""
    for number in (0, 1, 2):
        try:
            posix.fstat(number)
        except OSError:
            posix.open("/dev/null", posix.O_RDWR)


def folder_of(*told: object) -> str:
    """Return the agent's folder: the first of what it told that can be a path, else where this process was started."""
    for cwd in told:
        if isinstance(cwd, str) and cwd[:1] == "/" and len(cwd) <= _LONGEST_PATH and "\0" not in cwd:
            return cwd
    try:
        return posix.getcwd()
    except OSError:
        return "/"


def default_home() -> str:
    return personal(posix.environ.get(b"HOME", b"").decode("utf-8", "surrogateescape"))


def absolute(home: str) -> str:
    if home == "~" or home[:2] == "~/":
        return default_home().removesuffix("/.reverie") + home[1:]
    return home if home[:1] == "/" else f"{posix.getcwd()}/{home}"


# ---- in


def read_stdin() -> tuple[bytes, int, str]:
    """All of stdin, its size and digest; of a huge one, head and tail with what redaction needs around the cut."""
    signal(SIGALRM, _raise_timeout)
    setitimer(ITIMER_REAL, _STDIN_SECONDS)
    chunks: list[bytes] = []
    size = 0
    try:
        while chunk := posix.read(0, _AT_A_TIME):
            chunks.append(chunk)
            size += len(chunk)
            if size > CUT_ABOVE:
                break
        if size <= CUT_ABOVE:
            return b"".join(chunks), size, ""
        return _read_huge(b"".join(chunks), size)
    except TimeoutError:
        return b"".join(chunks), size, ""
    finally:
        setitimer(ITIMER_REAL, 0)


def _read_huge(start: bytes, size: int) -> tuple[bytes, int, str]:
    """Read on, keeping no more than the end. Tags are followed: what they hide may have begun in what is not kept."""
    from _blake2 import blake2b

    digest = blake2b(start, digest_size=16)
    head, tail, held, hidden, seam = start[: _HEAD + _OVERLAP], [start], size, b"", b""
    del start
    try:
        while chunk := posix.read(0, _AT_A_TIME):
            digest.update(chunk)
            size += len(chunk)
            tail.append(chunk)
            held += len(chunk)
            while held - len(tail[0]) >= _TAIL + _OVERLAP:
                dropped = tail.pop(0)
                held -= len(dropped)
                hidden, seam = open_tag(seam + dropped, hidden), dropped[-20:]
    except TimeoutError:
        pass  # what came is kept, and its size says that it is a part
    end = b"".join(tail)
    hidden = open_tag(seam + end[: -(_TAIL + _OVERLAP)], hidden)
    end = end[-(_TAIL + _OVERLAP) :]
    if hidden:  # written over what is only there to be redacted, not to be kept
        end = b"<%s>" % hidden + end[len(hidden) + 2 :]
    return head + end, size, digest.hexdigest()


def open_tag(data: bytes, before: bytes) -> bytes:
    """Return the tag that hides its contents and is open after this data, if `before` was open in front of it."""
    data = data.lower()
    for tag in _HIDDEN:
        opening, closing = data.rfind(b"<" + tag), data.rfind(b"</" + tag)
        if opening > closing:
            before = tag
        elif closing > opening and before == tag:
            before = b""
    return before


def _raise_timeout(_number: int, _frame: object) -> None:
    raise TimeoutError


def parse(raw: bytes) -> object:
    """JSON -> values. None if it is not JSON, or too much of it."""
    return first_value(raw)[0]


def first_value(raw: bytes) -> tuple[object, bytes]:
    """The first JSON value, by the C scanner that the json module is built on; and what follows it, if it is an object.

    None if there is no JSON, or too much of it.
    """
    import _json

    if len(raw) > _MOST and raw.count(b",") > _MOST and count_commas(raw) > _MOST:
        return None, b""

    class Context:
        strict = False  # a raw newline in a string is no reason to lose it
        object_hook = object_pairs_hook = None
        parse_float, parse_int = float, int
        parse_constant = staticmethod(lambda _name: None)
        memo: dict[str, str] = {}  # noqa: RUF012

    try:
        text = raw.decode("utf-8", "replace").strip(_BLANK)
        value, end = _json.make_scanner(Context)(text, 0)  # type: ignore[arg-type]
    except (ValueError, StopIteration, RecursionError, SystemError):
        return None, b""  # SystemError: the scanner has no error to raise while the json module is not loaded
    if depth(value) > _DEEPEST:
        return None, b""
    return value, text[end:].lstrip(_BLANK).encode() if isinstance(value, dict) else b""


def count_commas(raw: bytes) -> int:
    """The commas between values, not those inside strings."""
    count = inside = 0
    plain = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    for start in range(0, len(plain), 65_536):
        parts = plain[start : start + 65_536].split(b'"')
        count += sum([part.count(b",") for part in parts[inside::2]])
        inside = (inside + len(parts) - 1) % 2
    return count


def depth(value: object) -> int:
    level, deepest = [value], 0
    while level := [box for box in level if isinstance(box, (dict, list))]:
        level = [inner for box in level for inner in (box.values() if isinstance(box, dict) else box)]
        deepest += 1
    return deepest


def scrape(raw: bytes) -> dict[str, object]:
    """The ids near the start of a record that could not be parsed."""
    found: dict[str, object] = {}
    start = raw[:20_000].decode("utf-8", "replace")
    for name in ("session_id", "cwd", "tool_name", "tool_use_id", "prompt_id", "transcript_path"):
        _, _, rest = start.partition(f'"{name}"')
        value = rest.lstrip(" :\n")
        closing = value.find('"', 1)
        if value[:1] == '"' and 0 < closing < 500:
            found[name] = value[1:closing]
    return found


def folders_in(raw: bytes, first: object) -> "Iterator[object]":
    """Each folder of a text in which there may be many events: the one before it, which they inherit, and their own."""
    yield first
    found, at = set(), 0
    while (at := raw.find(b'"cwd"', at) + 5) > 4:
        start = raw.find(b'"', at, at + 20)
        stop = raw.find(b'"', start + 1, start + 6 * _LONGEST_PATH)  # six: each character may be an escape
        if 0 < start < stop and not raw[at:start].strip(b" \t\r\n:") and (told := raw[start : stop + 1]) not in found:
            found.add(told)
            yield parse(told)


# ---- kept


def contents(
    value: object, fields: dict[str, object], raw: bytes, size: int, digest: str, secrets: "Any"
) -> dict[str, object]:
    """Return what is stored of an event, without secrets: the payload, or the text if it is huge or unreadable."""
    if isinstance(value, dict):
        return {"payload": secrets.redact_json(value)}
    ids = secrets.redact_json(fields)
    if not digest:
        return {"payload": ids, "raw": secrets.redact(raw.decode("utf-8", "replace"))}
    # Half a secret at a cut is not recognised. Redacted with the cut here and with the cut further out, the text is the
    # same up to where a cut makes a difference.
    head = same_start(*[secrets.redact(raw[:cut].decode("utf-8", "replace")) for cut in (_HEAD, _HEAD + _OVERLAP)])
    ends = [secrets.redact(raw[-cut:].decode("utf-8", "replace"))[::-1] for cut in (_TAIL, _TAIL + _OVERLAP)]
    return {"payload": ids, "raw": head, "tail": same_start(*ends)[::-1], "size": size, "digest": digest}


def same_start(one: str, other: str) -> str:
    """The longest text that both begin with, found by halving.

    >>> same_start("token [secret:key] and", "token ghp_")
    'token '
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return one[:low]


def clean_project(project: str, payload: "Any", secrets: "Any") -> str:
    """The project without secrets. It mostly is the start of the event's folder, which has been looked at already."""
    return project if str(payload.get("cwd")).startswith(project) else str(secrets.redact(project))


def keep(home: str, record: dict[str, object], spool: "Any", is_ascii: bool = False) -> bool:
    """Make a record durable; says whether others wait in front of it."""
    folder = home + "/spool"
    payload = encode(record, is_ascii)
    try:
        return bool(spool.append(folder, payload))
    except FileNotFoundError:
        make_folders(folder)
        return bool(spool.append(folder, payload))


def encode(record: dict[str, object], is_ascii: bool = False) -> bytes:
    """Values -> JSON. What came as ASCII goes out as ASCII, in half the time; other text would grow by that."""
    import _json

    string = _json.encode_basestring_ascii if is_ascii else _json.encode_basestring
    write = _json.make_encoder(None, str, string, None, ":", ",", False, False, True)
    pieces, before = [], b"{"
    for name, value in record.items():
        pieces += [before, *slices(name, string), b":"]
        if isinstance(value, str):
            pieces += slices(value, string)
        else:
            pieces += [piece.encode("utf-8", "surrogatepass") for piece in write(value, 0)]
        before = b","
    return b"".join([*pieces, b"}"]) if pieces else b"{}"


def slices(text: str, string: "Callable[[str], str]") -> "Iterator[bytes]":
    """A JSON string, a piece at a time: megabytes of text, in up to four bytes a character, are not held thrice."""
    yield b'"'
    for at in range(0, len(text), 100_000):
        yield string(text[at : at + 100_000])[1:-1].encode("utf-8", "surrogatepass")
    yield b'"'


def make_folders(folder: str) -> None:
    parent = folder.rpartition("/")[0]
    if parent and not exists(parent):
        make_folders(parent)
    try:  # noqa: SIM105 — contextlib is not for a hook
        posix.mkdir(folder, 0o700)
    except FileExistsError:
        pass


# ---- when it went wrong


def complain(home: str, event: str, error: BaseException, load: "Load") -> None:
    """One line in the log that `status` counts. Nothing of the event itself: it may be a secret."""
    at = time.time_ns() // 1_000_000
    try:
        line = f"{at} {event[:40] if event.isalpha() else 'unknown'!r} {type(error).__name__}"
        if isinstance(error, OSError):
            line += f" {error.strerror} {error.filename or ''}"
            line += "; free some space on this disk" if error.errno in _FULL else ""
        elif type(error).__name__ == "BadSettings":  # it names the setting, and the way out
            line += f" {error}"
        home = absolute(home) if home else default_home()
        make_folders(home)
        try:
            append_line(home + "/hook-errors.log", line.replace("\n", " "))
        except OSError:
            load("reverie.hook.spool").count_loss(home + "/spool", at)
    except BaseException:  # noqa: S110
        pass  # there is nowhere left to say it


def append_line(path: str, line: str) -> None:
    file = open_file(path, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT)
    try:
        data = (line + "\n").encode("utf-8", "replace")
        if posix.write(file, data) < len(data):
            raise OSError(_FULL[0], "no space left for the whole line")
    finally:
        posix.close(file)
