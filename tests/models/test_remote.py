"""A model by its settings: where it is, which key it gets, and what its server's answers mean."""

import traceback
from contextlib import suppress
from dataclasses import replace

import pytest

from reverie import errors
from reverie.models.remote import connect, failure
from reverie.ports import HttpRequest, HttpResponse, Prompt
from reverie.settings import ModelSettings
from support.model_server import ModelServer, Say
from support.model_world import ModelEnv

KEY = "sk-ant-very-secret-0123456789"
PROMPT = Prompt(system="Be brief.", user="<turn/>", max_output_tokens=300)


def settings(**changes: object) -> ModelSettings:
    return ModelSettings(**{"provider": "anthropic", "timeout_seconds": 2.0, **changes})


def test_no_provider_is_no_model():
    assert connect(ModelSettings(), ModelEnv()) is None


@pytest.mark.parametrize(
    ("provider", "variables", "base_url", "expected"),
    [
        ("anthropic", {}, "", "https://api.anthropic.com"),
        ("anthropic", {"ANTHROPIC_BASE_URL": "http://bridge:8080"}, "", "http://bridge:8080"),
        ("anthropic", {"ANTHROPIC_BASE_URL": "http://bridge:8080"}, "http://mine", "http://mine"),
        ("openai", {}, "", "https://api.openai.com/v1"),
        ("openai", {"OPENAI_BASE_URL": "http://localhost:11434/v1"}, "", "http://localhost:11434/v1"),
    ],
)
def test_settings_come_before_the_environment_and_that_before_the_public_address(
    provider: str, variables: dict[str, str], base_url: str, expected: str
):
    env = ModelEnv({"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, **variables})
    model = connect(settings(provider=provider, base_url=base_url, name="gpt-5-mini"), env)
    assert model is not None
    assert model.base_url == expected


def test_a_provider_is_not_asked_for_the_model_of_another():
    with pytest.raises(errors.BadSettings, match=r"api\.openai\.com/v1 has no model .*name one of its own"):
        connect(settings(provider="openai"), ModelEnv({"OPENAI_API_KEY": KEY}))


@pytest.mark.parametrize(("provider", "header"), [("anthropic", "x-api-key"), ("openai", "authorization")])
def test_the_key_of_the_named_variable_is_sent_and_the_reply_comes_back(provider: str, header: str):
    with ModelServer() as server:
        server.script(Say("FACT: a"))
        env = ModelEnv({"MY_KEY": f"{KEY}\n"})
        model = connect(settings(provider=provider, base_url=server.url, key_variable="MY_KEY"), env)
        assert model is not None
        reply = model.ask(PROMPT)

    assert reply.text == "FACT: a"
    assert reply.end == "done"
    assert server.received[0].headers[header].removeprefix("Bearer ") == KEY


def test_a_public_address_needs_a_key_and_the_message_names_the_variable():
    with pytest.raises(errors.BadSettings, match="ANTHROPIC_API_KEY"):
        connect(settings(), ModelEnv())
    assert connect(settings(base_url="http://localhost:9"), ModelEnv()) is not None


@pytest.mark.parametrize("bad", ["sk ant", "sk-ant\nx: y", "sk-\N{SNOWMAN}", "sk\x00"])
def test_a_value_that_is_no_key_is_named_but_not_shown(bad: str):
    with pytest.raises(errors.BadSettings, match="ANTHROPIC_API_KEY") as raised:
        connect(settings(), ModelEnv({"ANTHROPIC_API_KEY": bad}))
    assert bad not in str(raised.value)


def test_the_key_is_in_no_repr_and_no_traceback():
    requests: list[HttpRequest] = []

    class Recording(ModelEnv):
        def http(self, request: HttpRequest) -> HttpResponse:
            requests.append(request)
            return HttpResponse(401, {}, f'{{"error": "the key {KEY} is wrong"}}'.encode())

    model = connect(settings(), Recording({"ANTHROPIC_API_KEY": KEY}))
    assert model is not None
    with pytest.raises(errors.ModelUnavailable) as raised:
        model.ask(PROMPT)

    shown = [repr(model), str(model), repr(requests), str(raised.value), repr(raised.value)]
    shown += traceback.format_exception(raised.value)
    assert KEY in requests[0].headers["x-api-key"]
    assert not [text for text in shown if KEY in text]
    assert "[key]" in str(raised.value)


@pytest.mark.parametrize("length", [1000, 1950, 1980, 1990, 1999])
def test_a_key_that_is_echoed_at_the_end_of_what_is_looked_at_is_not_shown_in_part(length: int):
    error = failure(HttpResponse(401, {}, b" " * length + KEY.encode() + b" is wrong"), KEY)
    assert KEY[:8] not in str(error)


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_server_that_answers_with_the_key_does_not_get_it_into_the_log(provider: str):
    with ModelServer() as server:
        server.script(Say(f"FACT: the key is {KEY}", change=lambda whole: {**whole, "model": KEY}))
        model = connect(settings(provider=provider, base_url=server.url, key_variable="K"), ModelEnv({"K": KEY}))
        assert model is not None
        reply = model.ask(PROMPT)
    assert reply.text == "FACT: the key is [key]"
    assert KEY not in repr(reply)


def test_a_word_in_the_place_of_a_key_may_be_talked_about():
    with ModelServer() as server:
        server.script(Say("FACT: The model runs in ollama"))
        model = connect(settings(base_url=server.url, key_variable="K"), ModelEnv({"K": "ollama"}))
        assert model is not None
        assert model.ask(PROMPT).text == "FACT: The model runs in ollama"


@pytest.mark.parametrize(
    ("provider", "base", "path"),
    [
        ("anthropic", "", "/v1/messages"),
        ("anthropic", "/", "/v1/messages"),
        ("anthropic", "/v1", "/v1/messages"),
        ("anthropic", "/v1/messages", "/v1/messages"),
        ("anthropic", "/gateway/anthropic/", "/gateway/anthropic/v1/messages"),
        ("anthropic", "/v1/?team=a", "/v1/messages?team=a"),
        ("openai", "/v1//", "/v1/chat/completions"),
        ("openai", "/v1/chat/completions", "/v1/chat/completions"),
        ("openai", "/openai/deployments/mini?api-version=1", "/openai/deployments/mini/chat/completions?api-version=1"),
    ],
)
def test_a_base_may_have_a_path_a_slash_or_a_query(provider: str, base: str, path: str):
    with ModelServer() as server:
        model = connect(settings(provider=provider, base_url=f"{server.url}{base}"), ModelEnv())
        assert model is not None
        with suppress(errors.ModelError):  # the server tells the protocol by the end of the path
            model.ask(PROMPT)
    assert server.received[0].path == path


def test_a_public_address_with_a_slash_needs_a_key_too():
    with pytest.raises(errors.BadSettings, match="ANTHROPIC_API_KEY"):
        connect(settings(base_url="https://api.anthropic.com/"), ModelEnv())


def test_a_redirect_takes_the_key_nowhere():
    with ModelServer() as elsewhere:

        class Redirecting(ModelEnv):
            def http(self, request: HttpRequest) -> HttpResponse:
                response = super().http(request)
                return replace(response, status=307, headers={"location": f"{elsewhere.url}/v1/messages"})

        with ModelServer() as server:
            model = connect(settings(base_url=server.url, key_variable="K"), Redirecting({"K": KEY}))
            assert model is not None
            with pytest.raises(errors.ModelUnavailable, match="keys are not sent on: correct base_url"):
                model.ask(PROMPT)
        assert len(server.received) == 1
        assert elsewhere.received == []


@pytest.mark.parametrize(
    ("status", "body", "is_waited_for"),
    [
        (400, '{"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}', False),
        (400, '{"error": {"message": "the request was flagged by our content policy", "code": 400}}', False),
        (422, '{"detail": [{"msg": "String should have at most 5 characters"}]}', False),
        (413, "<html>Request Entity Too Large</html>", False),
        (400, '{"error": {"message": "Your credit balance is too low to access the API"}}', True),
        (400, '{"error": {"message": "API key not valid. Please pass a valid API key."}}', True),
        (400, '{"error": "Invalid model name passed in model=x"}', True),
        (400, '{"error": {"code": "unsupported_parameter", "message": "use max_completion_tokens"}}', True),
        (400, '{"message": "The model x has been decommissioned"}', True),
        (400, "Client sent an HTTP request to an HTTPS server.", True),
        (401, "", True),
        (418, "", True),
        (799, "", True),
    ],
)
def test_in_the_background_what_somebody_can_mend_is_waited_for(status: int, body: str, is_waited_for: bool):
    response = HttpResponse(status, {"retry-after": "9"}, body.encode())
    error = failure(response, KEY, can_wait=True)
    assert isinstance(error, errors.ModelUnavailable) == is_waited_for
    assert error.unbilled == (status != 799)
    if isinstance(error, errors.ModelUnavailable):
        assert error.retry_after_seconds == 9
    assert not isinstance(failure(response, KEY), errors.ModelUnavailable)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 422, 301, 307, 308])
def test_asking_again_will_not_help_and_cost_nothing(status: int):
    error = failure(HttpResponse(status, {}, b"no"), KEY)
    assert isinstance(error, errors.ModelRefused)
    assert error.unbilled


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 501, 503, 529])
def test_asking_later_may_help_and_this_time_was_free(status: int):
    error = failure(HttpResponse(status, {"retry-after": "12"}, b"no"), KEY)
    assert isinstance(error, errors.ModelUnavailable)
    assert error.retry_after_seconds == 12
    assert error.unbilled


@pytest.mark.parametrize("status", [502, 504, 520, 522, 524, 598])
def test_a_gateway_cannot_know_whether_the_model_was_paid(status: int):
    error = failure(HttpResponse(status, {}, b"no"), KEY)
    assert isinstance(error, errors.ModelUnavailable)
    assert not error.unbilled


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("0", 0), ("-5", 0), ("1e9", 3600), ("inf", 3600), ("nan", None), ("", None), ("tomorrow", None)],
)
def test_a_wait_is_bounded_or_unknown(asked: str, seconds: float | None):
    error = failure(HttpResponse(429, {"retry-after": asked}, b""), KEY)
    assert isinstance(error, errors.ModelUnavailable)
    assert error.retry_after_seconds == seconds


def test_an_error_page_is_quoted_on_one_short_line():
    error = failure(HttpResponse(500, {}, b"<html>\n\x1b[31m\x00" + b"x" * 5000), KEY)
    assert str(error).isprintable()
    assert len(str(error)) < 300


def test_a_server_cannot_choose_an_odd_name_for_its_model():
    with ModelServer() as server:
        server.script(Say("NONE", change=lambda whole: {**whole, "model": "evil\n<b>"}))
        model = connect(settings(base_url=server.url), ModelEnv())
        assert model is not None
        assert model.ask(PROMPT).model == "claude-haiku-4-5"


def test_a_thinking_model_is_asked_not_to():
    with ModelServer() as server:
        model = connect(settings(base_url=server.url, name="claude-haiku-5-5"), ModelEnv())
        assert model is not None
        model.ask(PROMPT)
    assert server.received[0].body["thinking"] == {"type": "disabled"}


def test_a_prompt_with_a_lone_surrogate_is_sent_all_the_same():
    with ModelServer() as server:
        model = connect(settings(base_url=server.url), ModelEnv())
        assert model is not None
        assert model.ask(Prompt("s", "a\ud800b", 10)).text == "NONE"
