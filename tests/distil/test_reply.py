"""The parser keeps what has the right form, and nothing that is an excuse, an error or a flood."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reverie.distil.reply import ReplyLine, is_worth_storing, looks_like_refusal, read_reply
from reverie.records import LearningType, Owner, Priority


def only_line(text: str) -> ReplyLine:
    read = read_reply(text, observations=9)
    assert read.rejected == ()
    (line,) = read.lines
    return line


def test_a_whole_line_is_read_with_all_its_parts():
    line = only_line("ACTION [o3] (0.75) {priority=urgent, owner=user}: Rotate the deploy key")
    assert line == ReplyLine(
        type=LearningType.ACTION,
        text="Rotate the deploy key",
        refs=(3,),
        confidence=0.75,
        priority=Priority.URGENT,
        owner=Owner.USER,
    )


@pytest.mark.parametrize("word", ["FACT", "PATTERN", "CORRECTION", "PREFERENCE", "ACTION"])
def test_the_plain_form_is_valid(word: str):
    line = only_line(f"{word}:  Builds run on Node 22 ")
    assert line == ReplyLine(LearningType(word.lower()), "Builds run on Node 22", refs=(), confidence=0.7)


@pytest.mark.parametrize(
    "text",
    [
        "- FACT [o1]: Port 8443 is staging",
        "* FACT [o1]: Port 8443 is staging",
        "1. FACT [o1]: Port 8443 is staging",
        "**FACT** [o1]: Port 8443 is staging",
        "**FACT [o1]:** Port 8443 is staging",
        "FACT[O1]: Port 8443 is staging",
        "FACT (0.7) [1]： Port 8443 is staging",
        "FACT {} [o1] (confidence 0.7): Port 8443 is staging",
        "```\nFACT [o1]: Port 8443 is staging\n```",
        "FACT [o1]: Port\u200b 8443\u202e is staging",
    ],
)
def test_common_decorations_do_no_harm(text: str):
    assert only_line(text) == ReplyLine(LearningType.FACT, "Port 8443 is staging", refs=(1,))


def test_a_preference_has_a_subject_in_one_normal_form():
    line = only_line("PREFERENCE [o1] (0.9) {subject= Reply   Language }: Answer in German")
    assert line.subject == "reply language"
    assert only_line("PREFERENCE {subject=" + "x" * 99 + "}: Answer in German").subject == "x" * 60


def test_an_unknown_detail_or_priority_falls_back_instead_of_losing_the_line():
    line = only_line("ACTION {priority=yesterday, mood=good, owner}: Rotate the deploy key")
    assert (line.priority, line.owner) == (Priority.NORMAL, Owner.AGENT)


def test_several_observations_can_be_named():
    assert only_line("FACT [o1, o2][o5]: Port 8443 is staging").refs == (1, 2, 5)


@pytest.mark.parametrize(
    "text", ["NONE", " none ".upper(), "NONE.", "**NONE**", "`NONE`", "NONE\n\nNothing here.", "NONE: nothing new"]
)
def test_none_means_that_there_is_nothing(text: str):
    read = read_reply(text, 9)
    assert read.says_none
    assert read.is_readable
    assert read.lines == ()


@pytest.mark.parametrize(
    "text", ["", "  \n", "none", "None of this matters.", "Sure! Here you go:", '["FACT: a"]', "FACT - a"]
)
def test_what_is_neither_a_line_nor_none_is_unreadable(text: str):
    assert not read_reply(text, 9).is_readable


def test_valid_lines_survive_among_others_and_the_others_are_counted():
    read = read_reply("Here is what I found:\nFACT: Port 8443 is staging\n\nFACT [o77]: no such\nHope it helps!", 9)
    assert [line.text for line in read.lines] == ["Port 8443 is staging"]
    assert read.rejected == ("Here is what I found:", "FACT [o77]: no such", "Hope it helps!")


@pytest.mark.parametrize(
    "line",
    [
        "FACT:",
        "FACT: …",
        "FACT: NONE",
        "FACT: a",
        f"FACT: {'long ' * 101}",
        "FACT [o0]: Port 8443 is staging",
        "FACT [o10]: Port 8443 is staging",
        "FACT [c1]: Port 8443 is staging",
        "FACT []: Port 8443 is staging",
        "FACT (1.5): Port 8443 is staging",
        "FACT (-0.5): Port 8443 is staging",
        "FACT (high): Port 8443 is staging",
        "FACT (nan): Port 8443 is staging",
        "FACT [o1] and then: Port 8443 is staging",
        "FACTS: Port 8443 is staging",
        "fact: Port 8443 is staging",
        "THE FACT: Port 8443 is staging",
        "FACT: <html><title>502</title>",
        'FACT: {"error": {"type": "overloaded_error"}}',
        "FACT: Error: connection reset",
        "FACT: 503 Service Unavailable",
        "FACT: No learnings in this turn.",
        "PREFERENCE: There is nothing worth noting",
    ],
)
def test_a_line_that_is_not_quite_one_is_rejected(line: str):
    read = read_reply(line, 9)
    assert read.lines == ()
    assert len(read.rejected) == 1


@pytest.mark.parametrize(
    "text",
    [
        "The user is sorry for long messages and wants short replies",
        "Errors are logged to /var/log/app",
        "The 404 page is rendered by Nuxt",
        "Do not apologise in commit messages",
        "Use error: prefix in log lines",
        'package.json needs "type": "module"',
        "Unfortunately named branch main2 is the real one",
        "Das Team nutzt Port 8443 für Staging",
        "ステージングのポートは8443です",
        "Use <title> in every page",
    ],
)
def test_learnings_about_errors_and_apologies_are_kept(text: str):
    assert is_worth_storing(text)


def test_a_flood_is_cut_and_repeats_count_once():
    flood = "\n".join(f"FACT: Fact number {n}" for n in range(500))
    read = read_reply(flood, 9)
    assert len(read.lines) == 20
    assert len(read.rejected) == 480
    assert len(read_reply("FACT: The same\n" * 50, 9).lines) == 1


@pytest.mark.parametrize(
    "line",
    [
        "(" * 50_000,
        "FACT " + "[o1]" * 10_000,
        "FACT " + "{" * 40_000,
        "FACT" + " " * 40_000 + ":",
        "I " * 25_000,
        "NONE" + "-" * 40_000 + "x\n" * 10,
    ],
)
def test_a_hostile_reply_takes_no_time(line: str):
    start = time.process_time()  # others on the machine do not count
    read_reply(line, 9)
    read_reply(f"FACT: {line}", 9)
    assert time.process_time() - start < 2.0, "what is not linear takes minutes"


@given(st.text(), st.integers(0, 5))
@example("FACT [o" + "9" * 400 + "]: x y z", 1)
def test_no_text_makes_the_parser_fail_or_break_its_promises(text: str, observations: int):
    for line in read_reply(text, observations).lines:
        assert 3 <= len(line.text) <= 500
        assert line.text.isprintable()
        assert 0 <= line.confidence <= 1
        assert all(1 <= ref <= observations for ref in line.refs)


parts = st.sampled_from(
    [
        "FACT",
        "ACTION",
        "NONE",
        "[o1]",
        "[o2,o3]",
        "(0.5)",
        "(2)",
        "{subject=a}",
        ":",
        " ",
        "\n",
        "*",
        "text here",
        "{",
        "]",
    ]
)


@given(st.lists(parts, max_size=30).map("".join))
def test_pieces_of_the_form_in_any_order_do_not_confuse_it(text: str):
    for line in read_reply(text, 3).lines:
        assert ":" in text
        assert line.type.value.upper() in text


# Written from what models say, not from the patterns: openings and what follows them.
OPENINGS = [
    "I'm sorry, but I can't help with that",
    "I’m sorry, but I can’t assist with this request",
    "I am very sorry, I cannot comply",
    "Sorry, I can't do that",
    "I apologize, but I am unable to process this",
    "I apologise for the confusion",
    "My apologies, there was a problem",
    "I cannot provide learnings from this",
    "I can't extract anything here",
    "I won't be able to help",
    "I am unable to identify the speaker",
    "I'm not able to see the content",
    "I'm afraid I can't do that",
    "Unfortunately, I cannot see the turn",
    "As an AI language model, I do not have opinions",
    "As a large language model I cannot",
    "I don't have access to the conversation",
    "I do not have enough information",
    "We are unable to process your request",
    "I must decline to answer",
    "Es tut mir leid, aber dabei kann ich nicht helfen",
    "Lo siento, no puedo ayudar con eso",
    "Je suis désolé, je ne peux pas",
    "抱歉，我无法帮助",
    "申し訳ありませんが、お手伝いできません",
]
frames = st.sampled_from(
    [
        "{}",
        "FACT: {}",
        "ACTION [o1] (0.9): {}.",
        "- **PREFERENCE** {{subject=x}}: {}!",
        'FACT: "{}"',
        "CORRECTION: Hello. {}",
        "PATTERN (0.5): {} because of policy.",
    ]
)


@given(st.lists(st.tuples(frames, st.sampled_from(OPENINGS)), min_size=1, max_size=6))
def test_no_refusal_is_ever_stored(said: list[tuple[str, str]]):
    text = "\n".join(frame.format(opening) for frame, opening in said)
    read = read_reply(text, 3)
    assert read.lines == ()
    assert not read.says_none


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_refusal_in_words_is_known_as_one(opening: str):
    assert looks_like_refusal(opening)
    assert read_reply(opening, 3).is_refusal
    kept = read_reply(f"{opening}\nFACT: Port 8443 is staging", 3)
    assert not kept.is_refusal
    assert [line.text for line in kept.lines] == ["Port 8443 is staging"]


def test_the_examples_of_the_prompt_are_not_learnings_when_a_model_repeats_them():
    from importlib.resources import files

    prompt = files("reverie.distil").joinpath("prompts", "extract.xml").read_text()
    assert len(re.findall(r"^(?:FACT|PREFERENCE|ACTION) \[o\d\]", prompt, re.M)) == 3
    assert [line for line in read_reply(prompt, 9).lines if "[" in line.text or "…" in line.text] == []
    repeated = "\n".join(line for line in prompt.splitlines() if re.match(r"[A-Z]+ \[o\d\]", line))
    assert read_reply(repeated, 9).lines == ()
