"""Made-up projects with questions whose answers are known: at least nine in ten of the relevant items are found."""

import random
from dataclasses import dataclass
from pathlib import Path

from reverie import Memory
from reverie.pipeline.lookup import given_ids
from reverie.testing import FakeEnv

SERVICES = (
    "billing",
    "search",
    "checkout",
    "mailer",
    "catalogue",
    "auth",
    "reports",
    "gateway",
    "ledger",
    "thumbnailer",
)
PEOPLE = ("Ana", "Bo", "Chidi", "Dilnoza", "Emre", "Farah", "Goran", "Hana")
ATTRIBUTES = {
    "port": (
        "The {s} service listens on port {v}.",
        "Which port does {s} listen on?",
        lambda r: r.randrange(3000, 9999),
    ),
    "region": ("We host {s} in {v}.", "In which region is {s} hosted?", lambda r: r.choice(("eu-west-1", "us-east-2"))),
    "owner": ("{v} owns the {s} service these days.", "Who owns {s}?", lambda r: r.choice(PEOPLE)),
    "command": ("Deploy {s} with `make ship-{s}-{v}`.", "How do I deploy {s}?", lambda r: r.randrange(1, 9)),
    "store": (
        "{s} keeps its data in {v}.",
        "Where does {s} keep its data?",
        lambda r: r.choice(("Postgres 14", "Redis 7")),
    ),
}
HOBBIES = ("sailing", "pottery", "chess", "climbing", "baking bread", "birdwatching", "salsa dancing", "woodwork")
MONTHS = ("January", "February", "March", "April", "May", "June")
IDENTIFIERS = (
    "parseConfigFile",
    "retry_with_backoff",
    "src/net/http_client.py",
    "C++",
    "TokenBucket",
    "load_user_profile",
)
NOISE = (
    "Good morning everyone, how was the weekend?",
    "I am a bit late today because of the train.",
    "The coffee machine on the second floor is broken again.",
    "Let us talk about it after lunch, shall we?",
    "That sounds fine to me, go ahead.",
    "It has been raining since yesterday and the windows leak.",
)


@dataclass(frozen=True)
class Task:
    question: str
    relevant: frozenset[str]


def world(seed: int) -> tuple[list[dict[str, object]], list[Task]]:
    """TurnTrace of half a year, and questions with the turns that answer them."""
    chance = random.Random(seed)
    said: list[tuple[int, str, str]] = []  # day, who, what
    asked: list[tuple[str, list[str]]] = []
    for service in SERVICES:
        for template, question, value in ATTRIBUTES.values():
            text = template.format(s=service, v=value(chance))
            said.append((chance.randrange(180), chance.choice(PEOPLE), text))
            asked.append((question.format(s=service), [text]))
    for number, person in enumerate(PEOPLE):
        month, hobby = number % 6, HOBBIES[number]
        text = f"I have taken up {hobby} and went for the first time last Saturday!"
        said.append((month * 30 + 12, person, text))
        asked.append((f"What did {person} take up in {MONTHS[month]}?", [text]))
    for name in IDENTIFIERS:
        told = [f"There is a bug in {name}: it forgets the last line.", f"I have fixed {name} by reading to the end."]
        said += [(chance.randrange(180), chance.choice(PEOPLE), text) for text in told]
        asked.append((f"What was wrong with {name}, and how was it fixed?", told))
    said += [(chance.randrange(180), chance.choice(PEOPLE), f"{chance.choice(NOISE)} ({n})") for n in range(400)]
    said.sort()
    ids = {text: f"t{number}" for number, (_, _, text) in enumerate(said)}
    turns: list[dict[str, object]] = [
        {"id": ids[text], "text": text, "speaker": who, "session": f"day {day}",
         "time": 1_767_225_600_000 + day * 86_400_000 + number * 1000}
        for number, (day, who, text) in enumerate(said)
    ]  # fmt: skip
    return turns, [Task(question, frozenset(ids[text] for text in texts)) for question, texts in asked]


def test_nine_in_ten_of_the_relevant_items_are_found(tmp_path: Path) -> None:
    found = wanted = packed = 0
    for seed in range(3):
        turns, tasks = world(seed)
        with Memory.open(tmp_path / f"home{seed}", env=FakeEnv()) as memory:
            memory.observe(turns)
            for task in tasks:
                hits = memory.search(task.question, limit=10, at="2026-07-01T00:00:00")
                shown = memory.assemble_context(task.question, 1000, at="2026-07-01T00:00:00")
                memory.commit()
                given = {
                    one for ids in given_ids(memory.parts.store, [each.item for each in shown.items]) for one in ids
                }
                found += len(task.relevant & {one for hit in hits for one in hit.given_ids})
                packed += len(task.relevant & given)
                wanted += len(task.relevant)

    assert found / wanted >= 0.9
    assert packed / wanted >= 0.9
