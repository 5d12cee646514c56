"""A turn -> the pending actions that it finished. Conservative: an action that is left open is only shown again.

It takes a sentence that says that something is done, and at least 60 % of the action's own words in it. What was done
must be what was to be done: who has looked at a migration, skipped it or found it missing has not written it. So the
sentence says "done", or its verb is the action's. The person can finish any action, the assistant only those of the
agent. A plan, a question, a supposition or a "not yet" finishes nothing.
"""

import re
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from typing import Final

from reverie.distil.rules.cues import cues
from reverie.distil.rules.phrases import words
from reverie.distil.rules.sentences import sentences
from reverie.distil.source_trust import is_the_persons
from reverie.records import Action, Kind, Observation, Owner, Turn

_MOST_READ = 12_000  # characters of a message; what is longer is mostly pasted
_SHARE = 0.6  # of the words of an action that must be in the sentence

_DONE: Final = cues("says_done")
_NOT_DONE: Final = cues("says_not_done")
_FINISHED: Final = cues("says_finished")  # without a verb of its own

# Words of an action that do not say what is to be done.
_EMPTY = words(
    "ve ll re a an the and or but of to in on at by for from with without into onto about as is are be been was were "
    "will would should must have has had need needs do does did done get got make sure please remember remind me my "
    "i i'm i'll we we'll us our you your it its this that these those there then than so also still just only some "
    "any all more most once when after before until while next time later today tomorrow tonight morning evening "
    "afternoon night week weeks month day days soon someday eventually monday tuesday wednesday thursday friday "
    "saturday sunday urgent asap important high low priority prio todo follow-up followup up again not don't forget "
    "let be can could maybe someone somebody thing things stuff put add list backlog note der die das den dem ein "
    "eine und mit für zu von bitte mich daran am el la los las un una y de del que al por para le les des du une et"
)
_PAST = words(
    "told=tell sent=send wrote=write written=write made=make ran=run bought=buy built=build paid=pay gave=give "
    "given=give took=take taken=take found=find rewrote=rewrite rewritten=rewrite redid=redo redone=redo spoke=speak "
    "met=meet kept=keep got=get did=do began=begin chose=choose drew=draw left=leave lost=lose sold=sell taught=teach "
    "thrown=throw threw=throw set=set put=put cut=cut split=split shut=shut read=read reset=reset run=run"
)
_PRESENT = {past: present for past, _, present in (pair.partition("=") for pair in _PAST)}
_PAST_VERB = re.compile(rf"\b(?:\w{{2,}}ed|{'|'.join(_PRESENT)})\b")
_WORD = re.compile(r"\w[\w./-]*\w|\w")
_OCCASION = re.compile(r"\b(?:after|before|once|when|until|as soon as|by|because)\b[^,.;:]{1,60}")


class OpenActions:
    """An index of pending actions by their words, so that a turn that mentions none of them costs nothing."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self._actions: dict[str, Action] = {}
        self._wanted: dict[str, frozenset[str]] = {}
        self._verbs: dict[str, frozenset[str]] = {}  # the words that may be what is to be done: all of them
        self._having: dict[str, dict[str, None]] = {}  # the ids that have a word, in the order in which they came
        self._saying: dict[tuple[str, str], dict[str, None]] = {}  # the same by their whole text and project
        self._beginnings: set[str] = set()
        for action in actions:
            self.add(action)

    def __len__(self) -> int:
        return len(self._actions)

    def add(self, action: Action) -> None:
        self._actions[action.id] = action
        self._wanted[action.id] = wanted = _content(action.text)
        self._verbs[action.id] = frozenset(_stem(word) for word in _WORD.findall(_folded(action.text)))
        for word in wanted:
            self._having.setdefault(word, {})[action.id] = None
        self._saying.setdefault(_alike(action.text, action.project), {})[action.id] = None
        self._beginnings.update(word[:_BEGINNING] for word in wanted)

    def remove(self, action_id: str) -> None:
        action = self._actions.pop(action_id)
        del self._verbs[action_id]
        for word in self._wanted.pop(action_id):
            del self._having[word][action_id]
        del self._saying[_alike(action.text, action.project)][action_id]

    def saying(self, text: str, project: str) -> list[str]:
        """The ids of those that say the same to do in the same project."""
        return list(self._saying.get(_alike(text, project), ()))

    def mentioned_in(self, text: str) -> frozenset[str]:
        """The words of a text that may be those of an action."""
        return _stems(_folded(text), self._beginnings)

    def is_done_by(self, action_id: str, sentence: str) -> bool:
        """Whether a sentence about an action that says that something was done means the action itself."""
        if _FINISHED.search(sentence):
            return True
        return any(_stem(verb) in self._verbs[action_id] for verb in _PAST_VERB.findall(sentence))

    def about(self, said: frozenset[str], by: str) -> Iterator[str]:
        """The ids of those that somebody may finish and that these words are about; the rarest word leads to them."""
        seen: set[str] = set()
        known = [(len(self._having[word]), word) for word in said if word in self._having]
        for _, word in sorted(known):
            for action_id in self._having[word]:
                if action_id not in seen:
                    seen.add(action_id)
                    is_theirs = by == "user" or self._actions[action_id].owner is Owner.AGENT
                    if is_theirs and _is_about(said, self._wanted[action_id]):
                        yield action_id


def closes(turn: Turn, pending: OpenActions) -> list[tuple[str, str, str]]:
    """Return the actions that the turn finished: the id, the id of the observation that says so, whose word it is."""
    closed: dict[str, tuple[str, str, str]] = {}
    for observation in turn.observations if len(pending) else ():
        by = _BY.get(observation.kind)
        if by is None or not is_the_persons(observation):
            continue
        mentioned = pending.mentioned_in(observation.text[:_MOST_READ])
        if next(pending.about(mentioned, by), None) is None:
            continue
        for sentence in _completions(observation):
            folded = _folded(sentence)
            for action_id in pending.about(_stems(folded) & mentioned, by):
                if pending.is_done_by(action_id, folded):
                    closed.setdefault(action_id, (action_id, observation.id, by))
    return list(closed.values())


_BY = {Kind.USER_MESSAGE: "user", Kind.NOTE: "user", Kind.ASSISTANT_MESSAGE: "agent"}


def _completions(observation: Observation) -> Iterator[str]:
    """The sentences that say that something is done."""
    for sentence in sentences(observation.text):
        asks = sentence.is_question or sentence.is_request
        if not asks and _DONE.search(sentence.plain) and not _NOT_DONE.search(sentence.plain.text):
            yield sentence.text


def _is_about(said: frozenset[str], wanted: frozenset[str]) -> bool:
    return bool(wanted) and len(said & wanted) >= max(_SHARE * len(wanted), min(2, len(wanted)))


@lru_cache(maxsize=10_000)  # the same actions are read again and again
def _content(text: str) -> frozenset[str]:
    """The words of an action, without its occasion ("after the release") if enough is left."""
    folded = _folded(text)
    short = _stems(_OCCASION.sub(" ", folded))
    return short if len(short) > 1 else _stems(folded)


def _alike(text: str, project: str) -> tuple[str, str]:
    return text.casefold(), project


def _folded(text: str) -> str:
    return text.casefold().replace("’", "'").replace("`", "")


_BEGINNING = 2  # letters that a word keeps when its ending is cut off


def _stems(text: str, beginnings: Set[str] = frozenset()) -> frozenset[str]:
    """The words that carry content, without their endings. With beginnings: those that can begin so, which is quicker.

    >>> sorted(_stems("I've rotated the API keys")) == sorted(_stems("rotate the API key"))
    True
    """
    found = set(_WORD.findall(text)) - _EMPTY
    if beginnings:
        found = {word for word in found if word[:_BEGINNING] in beginnings or word in _PRESENT}
    return frozenset(_stem(word) for word in found if len(word) > 1)


@lru_cache(maxsize=10_000)
def _stem(word: str) -> str:
    word = _PRESENT.get(word, word)
    for ending in ("ing", "ied", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]  # "dropped", "dropping"
    return word.rstrip("e") if len(word) > 3 else word
