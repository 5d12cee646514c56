"""Random lives of a memory: whatever happened, a rebuild gives the same, what is forgotten is gone, budgets hold."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reverie import Memory
from reverie.language.tokens import count_tokens
from reverie.testing import FakeEnv

SUBJECTS = ("staging port", "deploy branch", "test command", "coffee machine")
VALUES = ("8080", "9090", "main", "release/2", "make check", "in the kitchen")
CANARIES = ("xylograph", "quokkalike", "zirconiumish", "fjordlandia")
QUESTIONS = ("Which port does staging use?", "What is the deploy branch?", "Where is the coffee machine?")

text = st.builds(lambda subject, value: f"The {subject} is {value}", st.sampled_from(SUBJECTS), st.sampled_from(VALUES))
canary = st.builds(
    lambda word, said: said.format(word),
    st.sampled_from(CANARIES),
    st.sampled_from(("My secret word is {}.", "I prefer to be called {}.", "ok {}", "Please fix the {} bug later.")),
)
step = st.one_of(
    st.tuples(st.just("observe"), st.one_of(text, canary)),
    st.tuples(st.just("memorize"), st.one_of(text, canary)),
    st.tuples(st.just("think"), text),
    st.tuples(st.just("track"), st.sampled_from(("make build", "make deploy", "git pull"))),
    st.tuples(st.just("ask"), st.one_of(st.sampled_from(QUESTIONS), canary)),
    st.tuples(st.just("aim"), canary),
    st.tuples(st.just("hide"), st.sampled_from((*CANARIES, "8080", "main", "staging"))),
    st.tuples(st.just("recover"), st.just("")),
    st.tuples(st.just("forget"), st.sampled_from(CANARIES)),
    st.tuples(st.just("tend"), st.just("")),
    st.tuples(st.just("pause"), st.just("")),
)


def live(memory: Memory, env: FakeEnv, steps: list[tuple[str, str]]) -> set[str]:
    """Go through the steps; returns the words that were forgotten for good and not said again."""
    forgotten: set[str] = set()
    hidden: tuple[str, ...] = ()
    for number, (what, word) in enumerate(steps):
        env.pass_time(61)
        if what in ("observe", "memorize", "ask", "aim"):
            forgotten -= {one for one in CANARIES if one in word}
        match what:
            case "observe":
                memory.observe(f"{word} ({number})", session=f"s{number % 3}", speaker="Ana")
            case "memorize":
                memory.memorize(word, type="fact")
            case "think":
                memory.memorize(word, type="thought", session="s0")
            case "track":
                memory.track_tool_invocation("Bash", {"command": word}, "ok", session=f"s{number % 3}")
            case "ask":
                budget = 40 + 37 * (number % 9)
                found = memory.assemble_context(word, budget, session="s0")
                assert count_tokens(found.text) <= found.tokens <= budget
                memory.commit()
            case "aim":
                memory.goals.add(word)
            case "hide":
                hidden = memory.forget(f"text:{word}").ids
            case "recover":
                memory.recover(hidden)
            case "forget":
                memory.forget(f"text:{word}", hard=True)
                forgotten.add(word)
            case "tend":
                memory.maintenance.compact("s0")
                memory.maintenance.extract_skills()
                memory.maintenance.merge_duplicates()
            case "pause":
                env.pass_time(3600)
                memory.parts.background.catch_up(distil_seconds=60)
    return forgotten


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(step, min_size=3, max_size=25))
def test_a_rebuild_gives_the_same_items_links_and_answers_and_what_is_forgotten_is_gone(
    steps: list[tuple[str, str]],
) -> None:
    env = FakeEnv()
    with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "home", env=env) as memory:
        forgotten = live(memory, env, steps)
        memory.maintenance.refresh_index()
        before = list(memory.engine.dump_derived())
        answers = [memory.search(question, at=env.now_ms()) for question in QUESTIONS]

        memory.rebuild()

        assert list(memory.engine.dump_derived()) == before
        assert [memory.search(question, at=env.now_ms()) for question in QUESTIONS] == answers
        memory.engine.scrub()
        on_disk = b"".join(file.read_bytes() for file in (Path(folder) / "home").rglob("*") if file.is_file()).lower()
        for word in forgotten:
            assert word.encode() not in on_disk
            assert all(word not in hit.text for hit in (*memory.search(word), *memory.parts.word_lookup.search(word)))
            assert word not in memory.context("/p")
