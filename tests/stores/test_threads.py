"""Threads: activity with no gap longer than the timeout, and threads that somebody chose."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from reverie.records import ItemType, MemoryItem
from reverie.stores.threads import threads_of
from stores.said import DAY_MS, MINUTE_MS, START_MS, in_session, said


def ids(threads):
    return [thread.items for thread in threads]


def test_a_gap_of_exactly_the_timeout_is_no_gap() -> None:
    first, second = said("Dinner?"), said("Yes!", 30 * MINUTE_MS)

    assert ids(threads_of([first, second])) == [(first.id, second.id)]


def test_a_millisecond_more_begins_a_new_thread() -> None:
    first, second = said("Dinner?"), said("Yes!", 30 * MINUTE_MS + 1)

    assert ids(threads_of([first, second])) == [(first.id,), (second.id,)]


def test_the_timeout_counts_from_the_last_message_not_the_first() -> None:
    messages = [said(f"message {number}", number * 25 * MINUTE_MS) for number in range(10)]

    assert len(threads_of(messages)) == 1


def test_a_chosen_thread_goes_on_for_days() -> None:
    session = [in_session(text, "session-1", day * DAY_MS) for day, text in enumerate(("start", "go on", "finish"))]

    (thread,) = threads_of(session)

    assert thread.explicit
    assert thread.channels == ("session-1",)
    assert thread.ended_ms - thread.started_ms == 2 * DAY_MS


def test_two_chosen_threads_at_the_same_time_stay_apart() -> None:
    one, two = in_session("fix the parser", "a"), in_session("write the docs", "b", 1000)

    assert ids(threads_of([one, two])) == [(one.id,), (two.id,)]


def test_mail_and_text_messages_within_the_timeout_are_one_thread() -> None:
    mail = said("The contract is attached", channel="mail:ana@example.org", session="mailbox")
    text = said("Did you get the contract?", 5 * MINUTE_MS, channel="sms")

    (thread,) = threads_of([mail, text])

    assert not thread.explicit
    assert thread.channels == ("mail:ana@example.org", "sms")


def test_what_nobody_filed_anywhere_is_not_a_chosen_thread() -> None:
    assert not threads_of([said("hello", channel="", session="")])[0].explicit


def test_a_clock_that_goes_back_a_little_changes_nothing() -> None:
    first, second, third = said("one", 20 * MINUTE_MS), said("two", 10 * MINUTE_MS), said("three", 21 * MINUTE_MS)

    (thread,) = threads_of([first, second, third])

    assert thread.items == (first.id, second.id, third.id), "the order is the log's"
    assert (thread.started_ms, thread.ended_ms) == (START_MS + 10 * MINUTE_MS, START_MS + 21 * MINUTE_MS)


def test_an_old_message_that_comes_late_falls_into_its_own_day() -> None:
    today, old = said("today", 2 * DAY_MS), said("two days ago", MINUTE_MS)

    assert ids(threads_of([today, old])) == [(old.id,), (today.id,)]


def test_users_never_share_a_thread() -> None:
    assert len(threads_of([said("hi", user="ana"), said("hi", user="ben")])) == 2


def test_turns_and_tokens_are_counted() -> None:
    messages = [said("one two three"), said("four", 1000, type=ItemType.ASSISTANT_MESSAGE), said("five", 2000)]

    (thread,) = threads_of(messages)

    assert (thread.turns, thread.tokens) == (2, 5)


def test_nothing_gives_no_threads() -> None:
    assert threads_of([]) == []


@st.composite
def histories(draw) -> list[MemoryItem]:
    places = draw(
        st.lists(st.tuples(st.integers(0, 300), st.sampled_from(["sms", "mail", "", "s1", "s2"])), max_size=25)
    )
    return [
        replace(
            in_session("x", place, minute * MINUTE_MS)
            if place in ("s1", "s2")
            else said("x", minute * MINUTE_MS, place),
            id=f"i{number:03}",
            position=number,
        )
        for number, (minute, place) in enumerate(places)
    ]


@given(histories(), st.randoms(use_true_random=False))
def test_every_item_is_in_one_thread_whatever_order_they_come_in(items, chance) -> None:
    threads = threads_of(items)
    shuffled = chance.sample(items, len(items))

    assert sorted(name for thread in threads for name in thread.items) == sorted(item.id for item in items)
    assert threads == sorted(threads, key=lambda thread: (thread.started_ms, thread.id))
    assert all(list(thread.items) == sorted(thread.items) for thread in threads)
    assert threads_of(shuffled) == threads
