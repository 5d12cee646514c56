"""Ids that are the same whenever the same thing is seen again.

An id is a ULID: 48 bits of the time in the record, 80 bits of a keyed hash of what makes the thing itself.
The clock only decides where ids sort, never whether two things are one.
"""

from collections.abc import Callable
from hashlib import blake2b

from reverie.records import Captured, Kind

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [first + second for first in _CROCKFORD for second in _CROCKFORD]
_MAX_TIME = (1 << 48) - 1


def fingerprint(store_key: bytes, *parts: str) -> bytes:
    """80 bits that only this store can compute. Parts are length-prefixed: ("ab", "c") is not ("a", "bc")."""
    return blake2b(_prefixed(parts), key=store_key, digest_size=10).digest()


def fingerprints_under(store_key: bytes, *parts: str) -> Callable[[str], bytes]:
    """Fingerprints that differ in their last part only: what they share is hashed once.

    >>> fingerprints_under(b"key", "user", "session")("event") == fingerprint(b"key", "user", "session", "event")
    True
    """
    shared = blake2b(_prefixed(parts), key=store_key, digest_size=10)

    def with_last(part: str) -> bytes:
        whole = shared.copy()
        whole.update(_prefixed((part,)))
        return whole.digest()

    return with_last


def _prefixed(parts: tuple[str, ...]) -> bytes:
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    return b"".join([len(data).to_bytes(8, "big") + data for data in encoded])


def learning_mark(store_key: bytes, user: str, source_id: str, origin: str, kind: str, text: str, number: int) -> bytes:
    """The hash in the id of a learning: from which observation, by whom, what, and for the `number`-th time.

    Nothing in it moves when other messages of the turn are erased, so a rebuild arrives at the same.
    """
    return fingerprint(store_key, user, "learned", source_id, origin, kind, text, str(number))


def ulid(time_ms: int, tail: bytes) -> str:
    """26 characters that sort by time; `tail` is 10 bytes.

    >>> ulid(1, bytes(10))
    '00000000010000000000000000'
    """
    pairs, time, number = _PAIRS, min(max(time_ms, 0), _MAX_TIME), int.from_bytes(tail, "big")
    # Written out: a loop takes twice as long, and every observation has one.
    return (
        f"{pairs[time >> 40]}{pairs[time >> 30 & 1023]}{pairs[time >> 20 & 1023]}{pairs[time >> 10 & 1023]}"
        f"{pairs[time & 1023]}{pairs[number >> 70]}{pairs[number >> 60 & 1023]}{pairs[number >> 50 & 1023]}"
        f"{pairs[number >> 40 & 1023]}{pairs[number >> 30 & 1023]}{pairs[number >> 20 & 1023]}"
        f"{pairs[number >> 10 & 1023]}{pairs[number & 1023]}"
    )


def tail_of(identifier: str) -> bytes | None:
    """The ten hash bytes of an id, by which the record finds it; None if it is no id.

    >>> tail_of(ulid(7, b"0123456789"))
    b'0123456789'
    """
    if len(identifier) != 26 or any(c not in _CROCKFORD for c in identifier):
        return None
    number = 0
    for character in identifier:
        number = number << 5 | _CROCKFORD.index(character)
    return (number & ((1 << 80) - 1)).to_bytes(10, "big")


def id_by_words(said: Captured, number: int) -> str:
    """Make an id for a message without one from its words, said for the `number`-th time in its session.

    The same from every source that counts in the order of what was said. '' if nothing was said: a tool's answer
    may well be the same twice.
    """
    if said.kind not in (Kind.USER_MESSAGE, Kind.ASSISTANT_MESSAGE) and said.event != "UserPromptSubmit":
        return ""
    return f"said:{said.kind.value}:{said.metadata.get('agent_id') or ''}:{content_address(said.text.strip())}:{number}"


def content_address(text: str) -> str:
    """Hash a text: equal texts have equal addresses.

    >>> content_address("a") == content_address("a") != content_address("b")
    True
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
