"""Episodes: threads about one matter are linked, others are not, and it is on record why."""

import pytest

from reverie.records import Vote
from reverie.stores.episodes import episodes_of, is_elliptical, links_of
from reverie.stores.threads import threads_of
from stores.said import DAY_MS, HOUR_MS, MINUTE_MS, derive_id, in_session, said


def read(*messages, votes=None):
    """Threads, the links between them, and the episodes they make."""
    threads = threads_of(messages)
    links = links_of(threads, {one.id: one for one in messages}, votes=votes)
    return threads, links, episodes_of(threads, links, derive_id)


def groups(episodes):
    return sorted(episode.threads for episode in episodes)


ROOF = "The roof of the Lindqvist house leaks, the roofer Okafor comes on Friday"
ROOF_MAIL = "Okafor confirmed: Lindqvist house, roof leak, he sends a quote for the roof repair on Friday"
ROOF_AGAIN = "Quote from Okafor for the Lindqvist roof: repair of the leak on Friday, house stays dry"
DENTIST = "Please book a dentist for the children in July"


def test_one_matter_on_two_channels_is_one_episode() -> None:
    first, second = said(ROOF), said(ROOF_MAIL, 2 * HOUR_MS, channel="mail")

    _, (link,), episodes = read(first, second)

    assert link.linked
    assert link.decided_by == "rules"
    assert link.score > 0.7
    assert groups(episodes) == [(first.id, second.id)]
    assert episodes[0].items == (first.id, second.id)


def test_a_coding_session_and_a_mail_about_it_are_one_episode() -> None:
    session = in_session(ROOF, "session-9")
    mail = said(ROOF_MAIL, 3 * HOUR_MS, channel="mail")

    _, _, episodes = read(session, mail)

    assert groups(episodes) == [(session.id, mail.id)]


def test_what_has_nothing_in_common_stays_apart() -> None:
    first, second = said(ROOF), said(DENTIST, 2 * HOUR_MS)

    _, (link,), episodes = read(first, second)

    assert not link.linked
    assert groups(episodes) == [(first.id,), (second.id,)]


def test_three_threads_that_are_all_linked_are_one_episode() -> None:
    messages = [said(text, place * 2 * HOUR_MS) for place, text in enumerate((ROOF, ROOF_MAIL, ROOF_AGAIN))]

    _, links, episodes = read(*messages)

    assert [link.linked for link in links] == [True, True, True]
    assert groups(episodes) == [tuple(message.id for message in messages)]


def test_one_thread_can_be_in_two_episodes() -> None:
    roof, both, dentist = said(ROOF), said("x", 2 * HOUR_MS), said(DENTIST, 4 * HOUR_MS)
    votes = {(roof.id, both.id): Vote(True, 0.99), (both.id, dentist.id): Vote(True, 0.99)}

    _, _, episodes = read(roof, both, dentist, votes=votes)

    assert groups(episodes) == [(roof.id, both.id), (both.id, dentist.id)]


def test_the_same_words_weeks_later_are_another_matter() -> None:
    first, second = said(ROOF), said(ROOF_MAIL, 30 * DAY_MS)

    _, links, episodes = read(first, second)

    assert links == []
    assert len(episodes) == 2


@pytest.mark.parametrize(
    "opener", ["and on Thursday?", "Same for the other one", "did he answer?", "ok, what about it?"]
)
def test_an_elliptical_opener_goes_on_from_the_thread_just_before(opener: str) -> None:
    roof, dentist, more = said(ROOF), said(DENTIST, HOUR_MS), said(opener, 2 * HOUR_MS)

    _, links, episodes = read(roof, dentist, more)

    by_pair = {(link.older, link.newer): link for link in links}
    assert by_pair[dentist.id, more.id].linked
    assert by_pair[dentist.id, more.id].parts["elliptical"] > 0.7
    assert not by_pair[roof.id, more.id].linked
    assert (dentist.id, more.id) in groups(episodes)


def test_an_elliptical_opener_after_three_days_points_at_nothing() -> None:
    _, (link,), _ = read(said(DENTIST), said("and on Thursday?", 3 * DAY_MS))

    assert not link.linked


def test_an_elliptical_opener_in_a_chosen_thread_points_into_that_thread() -> None:
    _, (link,), _ = read(said(DENTIST), in_session("and on Thursday?", "chat-7", HOUR_MS))

    assert not link.linked


@pytest.mark.parametrize(
    "text",
    [
        "Can you book the dentist for Tuesday? It hurts.",
        "The build of parser.py fails since yesterday, can you look at it?",
        "Remind me to call Ben",
        "",
    ],
)
def test_an_opening_that_says_what_it_is_about_is_not_elliptical(text: str) -> None:
    assert not is_elliptical(text)


def test_a_sure_model_overrules_an_unsure_no() -> None:
    first, second = said(ROOF), said(DENTIST, 2 * HOUR_MS)

    _, (link,), episodes = read(first, second, votes={(first.id, second.id): Vote(True, 0.95)})

    assert (link.linked, link.decided_by, link.vote) == (True, "model", Vote(True, 0.95))
    assert link.score < 0.7, "what the rules said stays on record"
    assert len(episodes) == 1


def test_an_unsure_model_does_not_overrule_a_sure_no() -> None:
    first, second = said(ROOF), said(DENTIST, 2 * HOUR_MS)

    _, (link,), _ = read(first, second, votes={(first.id, second.id): Vote(True, 0.55)})

    assert (link.linked, link.decided_by) == (False, "rules")
    assert 1 - link.score > 0.55


def test_a_model_says_no_to_a_link_only_if_it_is_surer_than_the_score() -> None:
    first, second = said(ROOF), said(ROOF_MAIL, 2 * HOUR_MS)
    _, (link,), _ = read(first, second)

    for confidence, linked in ((link.score - 0.01, True), (link.score + 0.01, False)):
        _, (judged,), _ = read(first, second, votes={(first.id, second.id): Vote(False, confidence)})
        assert judged.linked is linked


def test_a_clock_that_goes_back_leaves_scores_between_0_and_1() -> None:
    first, second = in_session(ROOF, "s", 5 * HOUR_MS), said(ROOF_MAIL, 5 * HOUR_MS - 10 * MINUTE_MS)

    _, (link,), _ = read(first, second)

    assert 0 <= link.score <= 1
    assert all(0 <= part <= 1 for part in link.parts.values())


def test_nothing_gives_no_episodes() -> None:
    assert read() == ([], [], [])


def test_a_month_of_daily_threads_about_one_thing_is_read_in_reasonable_pieces() -> None:
    messages = [said(f"{ROOF}, day {day}", day * 7 * HOUR_MS) for day in range(80)]

    threads, _, episodes = read(*messages)

    assert {name for episode in episodes for name in episode.threads} == {thread.id for thread in threads}
    assert len(episodes) < 8 * len(threads)
