"""What the rules learn from turns that somebody wrote who had not read the cues: no figure falls below what was measured."""

import json
from collections import Counter
from pathlib import Path

from distil.turns import said
from reverie.distil.by_rules import by_rules
from support.every import every

_LABELLED = Path(__file__).parents[1] / "data" / "labelled"
# A standing rule for the agent is a preference here, a decision a fact or a preference.
_RIGHT = {
    "fact": {"fact"},
    "preference": {"preference"},
    "action": {"preference", "fact"},
    "decision": {"fact", "preference"},
    "correction": {"correction"},
}


def measured(language: str, split: str) -> Counter[str]:
    """How many turns of each kind were learned, how many learnings were right, and how many had the right scope."""
    counts: Counter[str] = Counter()
    for line in (_LABELLED / f"{language}.jsonl").read_text(encoding="utf-8").splitlines():
        turn = json.loads(line)
        if turn["split"] != split:
            continue
        found = by_rules(said(turn["text"]))
        right = [one for one in found if one.type.value in _RIGHT.get(turn["kind"], ())]
        counts["wrong"] += 0 if turn["kind"] in _RIGHT else len(found)
        counts["found"] += len(found)
        counts[turn["kind"]] += bool(right)
        if right:
            counts["scope"] += right[0].scope.value == {"personal": "person"}.get(turn["scope"], turn["scope"])
            counts["learned"] += 1
    return counts
