"""Records -> a file that survives anything, and back. Runs in the hook process too, so it imports only C modules.

A frame is magic, length, checksum, payload. A writer appends one frame in one write under a lock; if the lock is not
free in 100 ms it writes a file of its own. Acknowledged means that the sync returned. The reader renames the file
under the same lock before it reads (reading first and unlinking after lost 229 of 6,000 records), and after damage
goes on at the next magic.

The lock file holds a number as well: of events that were not kept, where not even the log had room to say so. Its bytes
are written while there is room, at the latest with the first event, and later in place, so that a full disk can still
be counted on. (A file system that never writes in place may refuse that, too.)
"""

import posix
import sys
import time
from binascii import crc32
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

from reverie.hook.locate import NotAFile, open_file

MAGIC = b"\xf5RVR"  # starts with a byte that no UTF-8 text contains
_HEADER = 12
_LOCK_WAIT_SECONDS = 0.1
CURRENT = "current"
OWN_PREFIX = "own-"
DRAIN_PREFIX = "drain-"
# With nobody to drain it, the file is set aside at this size, so that no reader has to hold more at once.
_ROLL_BYTES = 64_000_000
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_MOST_DIGITS = 15  # of a file's number; a longer one is nobody's count
LOSSES = b"%012d events lost, the last at %015d\n"  # always as long


def boot_id() -> str:
    """Return the id of this run of the machine: its monotonic clock starts anew with each. "" where nothing tells."""
    try:
        file = posix.open(_BOOT_ID, posix.O_RDONLY | posix.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return posix.read(file, 36).decode("ascii", "replace").strip()
    finally:
        posix.close(file)


def frame(payload: bytes) -> bytes:
    return MAGIC + len(payload).to_bytes(4, "little") + crc32(payload).to_bytes(4, "little") + payload


def frames(data: bytes) -> tuple[list[bytes], int]:
    """The whole payloads in a file, and how many bytes belong to none.

    >>> frames(frame(b"a") + b"torn" + frame(b"b"))
    ([b'a', b'b'], 4)
    """
    payloads: list[bytes] = []
    damaged = 0
    at = 0
    while at < len(data):
        if data.startswith(MAGIC, at):
            end = at + _HEADER + int.from_bytes(data[at + 4 : at + 8], "little")
            payload = data[at + _HEADER : end]
            if end <= len(data) and crc32(payload) == int.from_bytes(data[at + 8 : at + 12], "little"):
                payloads.append(payload)
                at = end
                continue
        following = data.find(MAGIC, at + 1)
        following = len(data) if following < 0 else following
        damaged += following - at
        at = following
    return payloads, damaged


def append(folder: str, payload: bytes) -> bool:
    """Make one payload durable, or raise OSError: then it is not acknowledged. Says whether others are in front."""
    data = frame(payload)
    lock = open_file(folder + "/lock", posix.O_RDWR | posix.O_CREAT)
    try:
        if take(lock, _LOCK_WAIT_SECONDS):
            try:
                return _append_shared(folder, data, lock) > 0
            except NotAFile:
                pass  # something of a stranger's has the name of our file; it is left alone
        _write_own(folder, data)
        return True
    finally:
        posix.close(lock)


def take(lock: int, wait_seconds: float) -> bool:
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)


def count_loss(folder: str, at_ms: int) -> None:
    """Note that one more event was not kept, without needing any space."""
    lock = open_file(folder + "/lock", posix.O_RDWR)
    try:
        take(lock, _LOCK_WAIT_SECONDS)  # if that fails, a count that may be one short still says that there is one
        count = losses(posix.pread(lock, 100, 0))[0]
        posix.pwrite(lock, LOSSES % (count + 1, at_ms), 0)
        sync(lock)
    finally:
        posix.close(lock)


def losses(counted: bytes) -> tuple[int, int]:
    """Read from the lock file how many events were lost, and when the last of them was.

    >>> losses(LOSSES % (3, 1_794_798_605_599)), losses(b"")
    ((3, 1794798605599), (0, 0))
    """
    count, at_ms = counted[:12], counted[38:53]
    return (int(count), int(at_ms)) if count.isdigit() and at_ms.isdigit() else (0, 0)


def _reserve(lock: int) -> None:
    """See to it that the count has its bytes."""
    if not posix.fstat(lock).st_size:
        try:  # noqa: SIM105 — contextlib is not for a hook
            posix.pwrite(lock, LOSSES % (0, 0), 0)
        except OSError:
            pass  # what matters is whether the record itself can be written


def _append_shared(folder: str, data: bytes, lock: int) -> int:
    """Append to the shared file; return where in it the data begins."""
    _reserve(lock)
    _roll_if_long(folder)
    # Not O_APPEND: pwrite at the end that we saw under the lock lets us cut off a half-written frame.
    file = open_file(f"{folder}/{CURRENT}", posix.O_WRONLY | posix.O_CREAT)
    try:
        end = posix.fstat(file).st_size
        try:
            if posix.pwrite(file, data, end) < len(data):
                raise OSError(28, "no space left for the whole record")
        except OSError:
            posix.ftruncate(file, end)
            raise
        finally:
            flock(lock, LOCK_UN)
        sync(file)
    finally:
        posix.close(file)
    if end == 0:
        _sync_folder(folder)
    return end


def _roll_if_long(folder: str) -> None:
    try:
        if posix.lstat(f"{folder}/{CURRENT}").st_size > _ROLL_BYTES:
            # A name that never comes again: the store remembers files by it, and would take a new one for drained.
            name = f"{next_drain_name(posix.listdir(folder))}-{posix.urandom(6).hex()}"
            posix.rename(f"{folder}/{CURRENT}", f"{folder}/{name}")
    except FileNotFoundError:
        pass


def next_drain_name(names: list[str], ahead: int = 1) -> str:
    """Files that wait are read in the order of their numbers.

    >>> next_drain_name(["drain-00000007", "current"])
    'drain-00000008'
    """
    numbers = [drain_number(name) for name in names]
    return f"{DRAIN_PREFIX}{max(numbers, default=0) + ahead:08d}"


def drain_number(name: str) -> int:
    """Return the place in line of a file that waits; 0 if its name is not one that we give.

    >>> drain_number("drain-00000007-0a1b2c3d4e5f"), drain_number("drain-00000007"), drain_number("drain-xx")
    (7, 7, 0)
    """
    number, dash, mark = name.removeprefix(DRAIN_PREFIX).partition("-")
    is_ours = name.startswith(DRAIN_PREFIX) and _is_made_of(number, "0123456789") and (not dash or _is_mark(mark))
    return int(number) if is_ours and len(number) <= _MOST_DIGITS else 0


def is_record_file(folder: str, name: str) -> bool:
    """Whether this is a file of ours: a name that we give, and a regular file. Nothing else is read or removed."""
    if not has_our_name(name):
        return False
    try:
        return posix.lstat(f"{folder}/{name}").st_mode & 0o170000 == 0o100000
    except OSError:
        return True  # gone meanwhile, or whoever reads it will say what is wrong with it


def has_our_name(name: str) -> bool:
    """Whether files of records are called so."""
    return name == CURRENT or drain_number(name) > 0 or is_own(name)


def is_own(name: str) -> bool:
    """Whether it is the name of a file that one hook wrote for itself.

    >>> is_own("own-4711-0a1b2c3d4e5f"), is_own("own-notes.txt")
    (True, False)
    """
    process, _, mark = name.removeprefix(OWN_PREFIX).partition("-")
    return name.startswith(OWN_PREFIX) and _is_made_of(process, "0123456789") and _is_mark(mark)


def _is_mark(text: str) -> bool:
    """Six random bytes."""
    return len(text) == 12 and _is_made_of(text, "0123456789abcdef")


def _is_made_of(text: str, characters: str) -> bool:
    return text != "" and not text.strip(characters)


def _write_own(folder: str, data: bytes) -> None:
    name = f"{OWN_PREFIX}{posix.getpid()}-{posix.urandom(6).hex()}"
    unfinished = f"{folder}/.{name}"
    file = posix.open(unfinished, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_CLOEXEC, 0o600)
    try:
        if posix.write(file, data) < len(data):
            raise OSError(28, "no space left for the whole record")
        sync(file)
        posix.rename(unfinished, f"{folder}/{name}")
    except OSError:
        posix.unlink(unfinished)
        raise
    finally:
        posix.close(file)
    _sync_folder(folder)


def sync(file: int) -> None:
    if sys.platform == "darwin":
        from fcntl import F_FULLFSYNC, fcntl  # fsync stops at the drive's cache there

        fcntl(file, F_FULLFSYNC)
    else:
        posix.fsync(file)


def _sync_folder(folder: str) -> None:
    descriptor = posix.open(folder, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        posix.fsync(descriptor)
    finally:
        posix.close(descriptor)
