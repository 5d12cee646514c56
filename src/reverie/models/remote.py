"""A language model behind HTTP: settings and an `Env` in, a `Model` out that speaks one of the two wire protocols.

What comes back is a `Reply`, or a ModelError that says whether asking again may help and whether the call was surely
free. Retrying and money are left to others. The key is in no message, no repr and no log.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any

import msgspec

from reverie.env.http_client import checked_url
from reverie.errors import BadSettings, ModelError, ModelRefused, ModelUnavailable, UnreadableReply
from reverie.models import chat, messages
from reverie.models.prices import request_extras
from reverie.ports import Env, HttpRequest, HttpResponse, Prompt, Reply
from reverie.records import JSON
from reverie.settings import ModelSettings

# An extraction answers in a few KB. A megabyte leaves room for a model that thinks aloud, and for nothing worse.
_MAX_BYTES = 1_000_000

# Asking again may help with these; with every other 4xx the request itself, or the key, is wrong.
_WORTH_RETRYING = {408, 409, 425, 429}

# Only these three can be about what was asked. Every other 4xx is about the key, the account, the model's name or the
# address, and so are two of these if they say so: not every server has a status of its own for that.
_TOO_LONG = 413
_ABOUT_THE_QUESTION = {400, 422}
_TO_BE_MENDED = re.compile(
    r"api.?key|authenti|credential|permission|credit|billing|balance|quota|unsupported|not supported"
    r"|(?:invalid|unknown) model|model\b.{0,80}(?:not found|does not exist|not available|decommissioned)",
    re.IGNORECASE,
)
_WAYS_OUT = {
    401: "check the key",
    402: "check the account",
    403: "check the key and what it may be used for",
    404: "check name and base_url in [model]",
    405: "check base_url in [model]",
}

# Shorter ones are not keys but words that fill the place of one ("ollama", "EMPTY"), and may well be talked about.
_SHORTEST_SECRET = 16

# Whoever stands between us and the model answers with these, and cannot know whether the model has done the work.
_FROM_A_GATEWAY = {502, 504, *range(520, 528), 598, 599}

NO_KEY = "no key for"  # so begins what is said where there is none

# A server may ask for patience, not for silence: the steward looks again within the hour.
_LONGEST_WAIT_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class _Provider:
    wire: ModuleType  # messages or chat: url, headers, request, read
    base_url: str
    base_variable: str
    key_variable: str


_PROVIDERS = {
    "anthropic": _Provider(messages, "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
    "openai": _Provider(chat, "https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
}


class Headers(dict[str, str]):
    """Headers that do not show their values when something prints them."""

    def __repr__(self) -> str:
        return f"Headers({', '.join(self)})"


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """A model that is asked over HTTP."""

    name: str
    base_url: str
    wire: ModuleType = field(repr=False)
    key: str = field(repr=False)
    timeout_seconds: float
    http: Callable[[HttpRequest], HttpResponse] = field(repr=False)
    extras: Mapping[str, JSON] = field(default_factory=dict)

    def ask(self, prompt: Prompt) -> Reply:
        """One question, one exchange. Whoever asks can wait until a key or an address is mended."""
        request = HttpRequest(
            method="POST",
            url=self.wire.url(self.base_url),
            headers=Headers(self.wire.headers(self.key)),
            body=self.wire.request(self.name, _sendable(prompt), self.extras),
            timeout_seconds=self.timeout_seconds,
            max_bytes=_MAX_BYTES,
        )
        response = self.http(request)
        if not 200 <= response.status < 300:
            raise failure(response, self.key, can_wait=True)
        body = without_key(response.body, self.key)
        try:
            reply: Reply = self.wire.read(body)
        except UnreadableReply as error:
            if _is_answer(body):
                raise
            # The page of a proxy, or of something that is no model. Whether it asked the model, nobody knows.
            raise ModelUnavailable(f"{error}; check base_url in [model]; it says: {_excerpt(body, self.key)}") from None
        return replace(reply, model=name_to_show(reply.model, self.name))


def variables_used(settings: ModelSettings, env: Env) -> tuple[str, ...]:
    """The environment variables that a connection depends on here: that of the key, and of the address if it counts."""
    if settings.provider == "none":
        return ()
    provider = _PROVIDERS[settings.provider]
    key, base = settings.key_variable or provider.key_variable, provider.base_variable
    has_base = not settings.base_url and bool((env.variable(base) or "").strip())
    is_own_server = has_base or settings.base_url.rstrip("/") not in ("", provider.base_url)
    needs_key = not is_own_server or bool((env.variable(key) or "").strip())
    return (key,) * needs_key + (base,) * has_base


def connect(settings: ModelSettings, env: Env) -> RemoteModel | None:
    """The model that the settings name; None if they name none. No network is touched."""
    if settings.provider == "none":
        return None
    provider = _PROVIDERS[settings.provider]
    base_url = settings.base_url or (env.variable(provider.base_variable) or "").strip() or provider.base_url
    variable = settings.key_variable or provider.key_variable
    key = (env.variable(variable) or "").strip()
    checked_url(base_url)
    if provider.wire is chat and base_url.rstrip("/") == provider.base_url and settings.name.startswith("claude"):
        raise BadSettings(f'{provider.base_url} has no model "{settings.name}"; name one of its own in [model] name')
    if not key and base_url.rstrip("/") == provider.base_url:
        raise BadSettings(f"{NO_KEY} {settings.name}: put it into the environment variable {variable}")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise BadSettings(f"the value of {variable} is not a key: it has spaces or characters that no key has")
    return RemoteModel(
        name=settings.name,
        base_url=base_url,
        wire=provider.wire,
        key=key,
        timeout_seconds=settings.timeout_seconds,
        http=env.http,
        extras=request_extras(settings.name),
    )


def failure(response: HttpResponse, key: str, *, can_wait: bool = False) -> ModelError:
    """The error that stands for an answer which is not a success.

    A wrong key, account, name or address is ModelRefused to a person, who mends it before asking again. To who
    `can_wait` it is ModelUnavailable: it has nothing to do with what was asked, and passes when somebody mends it.
    """
    status = response.status
    redirected = "it redirects, and keys are not sent on: correct base_url" if 300 <= status < 400 else ""
    way_out = _WAYS_OUT.get(status, redirected)  # before what the server says: views cut the end
    said = f"the model's server answered {status}{way_out and f' ({way_out})'}: {_excerpt(response.body, key)}"
    asked_seconds = retry_after(response.headers)
    if status in _WORTH_RETRYING or 500 <= status < 600:
        return ModelUnavailable(said, asked_seconds, unbilled=status not in _FROM_A_GATEWAY)
    if can_wait and not _is_about_the_question(response):
        return ModelUnavailable(said, asked_seconds, unbilled=300 <= status < 500)
    return ModelRefused(said, unbilled=True) if 300 <= status < 500 else UnreadableReply(said)


class _Complaint(msgspec.Struct):
    """An error body as servers write it: in one or two of these fields, as a word or a few."""

    error: Any = None
    message: Any = None
    detail: Any = None

    def in_words(self) -> str:
        error = self.error if isinstance(self.error, dict) else {"message": self.error}
        words = (error.get("type"), error.get("code"), error.get("message"), self.message, self.detail)
        return " ".join(str(it) for it in words if it)


def _is_about_the_question(response: HttpResponse) -> bool:
    """Whether the server refused this very question; a page in place of its own error comes from somebody else."""
    if response.status not in _ABOUT_THE_QUESTION:
        return response.status == _TOO_LONG
    try:
        complaint = msgspec.json.decode(response.body, type=_Complaint)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return not _TO_BE_MENDED.search(complaint.in_words())


def _is_answer(body: bytes) -> bool:
    """Whether it is a model's answer, however broken, and not a page or an error in its place."""
    try:
        whole = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return "content" in whole or "choices" in whole


def without_key(body: bytes, key: str) -> bytes:
    """An answer without the key, which some servers echo."""
    return body.replace(key.encode(), b"[key]") if is_secret(key) else body


def name_to_show(told: str, asked: str) -> str:
    """The name of the model that answered: what its server told, if that is plain, or else the one that was asked.

    It goes into records and on screens, so anything else that a server may say there is not quoted.
    """
    is_plain = told.isascii() and told.isprintable() and 0 < len(told) <= 100
    return told if is_plain else asked


def is_secret(key: str) -> bool:
    return len(key) >= _SHORTEST_SECRET


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks us to wait, at most an hour; None if it does not say.

    A date is compared with the server's own clock in the same answer, never with ours.

    >>> retry_after({"retry-after": "7"})
    7.0
    >>> retry_after({"retry-after": "Mon, 02 Nov 2026 08:01:00 GMT", "date": "Mon, 02 Nov 2026 08:00:30 GMT"})
    30.0
    >>> retry_after({"retry-after": "soon"}) is None
    True
    """
    asked = headers.get("retry-after", "")
    try:
        seconds = float(asked)
    except ValueError:
        until, now = _date(asked), _date(headers.get("date", ""))
        if until is None or now is None:
            return None
        seconds = (until - now).total_seconds()
    if seconds != seconds:  # not a number
        return None
    return min(max(seconds, 0.0), _LONGEST_WAIT_SECONDS)


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else None


def _excerpt(body: bytes, key: str) -> str:
    """The start of an error page, on one line and without the key, which some servers echo."""
    body = body.replace(key.encode(), b"[key]") if key else body  # before it is cut, or half of it may stay
    text = body[:2000].decode("utf-8", "replace")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:200]


def _sendable(prompt: Prompt) -> Prompt:
    """The prompt without lone surrogates, which no wire can carry."""
    system, user = (text.encode("utf-8", "replace").decode() for text in (prompt.system, prompt.user))
    return replace(prompt, system=system, user=user)
