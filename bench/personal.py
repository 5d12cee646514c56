"""How much personal data the gate finds, and how often it cries wolf on what developers write.

Labelled texts come from `REVERIE_DATA` (security-dev); the clean lines are this project's own sources and git log, and
the sources of the installed packages.
"""

import json
import os
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.table import Figure, NotMeasured, figures, machine, progress, save, show
from reverie.redact.personal import find_personal
from reverie.redact.personal_finders import Personal

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("REVERIE_DATA", ROOT.parent / "shared" / "data")) / "security-dev" / "personal_data.jsonl"
LABELS = {
    "CREDIT_CARD": Personal.CARD,
    "IBAN_CODE": Personal.IBAN,
    "EMAIL_ADDRESS": Personal.EMAIL,
    "PHONE_NUMBER": Personal.PHONE,
    "IP_ADDRESS": Personal.IP,
    "US_SSN": Personal.ID,
    "US_DRIVER_LICENSE": Personal.ID,
    "STREET_ADDRESS": Personal.ADDRESS,
}
STRUCTURED = (Personal.CARD, Personal.IBAN, Personal.EMAIL, Personal.PHONE, Personal.IP, Personal.ID)
MOST_LINES = 150_000


def run() -> dict[str, Any]:
    return figures(*on_labelled_texts(), *on_clean_lines())


def on_labelled_texts() -> list[Figure]:
    """Recall and precision by kind; a hit covers at least half of the labelled span."""
    if not DATA.exists():
        raise NotMeasured(f"no labelled texts at {DATA}; CONTRIBUTING.md says where they come from")
    labelled, hit, told, right = score(DATA)
    found = []
    for kind in (*STRUCTURED, Personal.ADDRESS):
        bar = 0.9 if kind in STRUCTURED else None
        found.append(Figure(f"{kind} recall (of {labelled[kind]})", hit[kind] / max(1, labelled[kind]), at_least=bar))
        found.append(Figure(f"{kind} precision (of {told[kind]})", right[kind] / max(1, told[kind]), at_least=bar))
    both = [sum(count[kind] for kind in STRUCTURED) for count in (labelled, hit, told, right)]
    found.append(Figure("structured recall", both[1] / max(1, both[0]), at_least=0.9))
    found.append(Figure("structured precision", both[3] / max(1, both[2]), at_least=0.9))
    return found


def score(path: Path) -> tuple[Counter[str], Counter[str], Counter[str], Counter[str]]:
    """Labelled spans, those that were hit, spans that were found, those of them that are right."""
    labelled, hit, told, right = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for line in path.read_text(encoding="utf-8").splitlines():
        example = json.loads(line)
        wanted = [
            (LABELS[span["entity_type"]], span["start_position"], span["end_position"])
            for span in example["spans"]
            if span["entity_type"] in LABELS
        ]
        found = find_personal(example["text"])
        for kind, start, end in wanted:
            labelled[kind] += 1
            covered = sum(max(0, min(end, one.end) - max(start, one.start)) for one in found if one.kind is kind)
            hit[kind] += 2 * covered >= end - start
        for one in found:
            told[one.kind] += 1
            right[one.kind] += any(
                kind is one.kind and start < one.end and one.start < end for kind, start, end in wanted
            )
    return labelled, hit, told, right


def on_clean_lines() -> list[Figure]:
    """False alarms per 1,000 lines of code, logs and lock files. Masked kinds have the bar: a mask destroys."""
    alarms, lines = Counter[str](), 0
    for line in clean_lines():
        lines += 1
        for one in find_personal(line):
            alarms[one.kind] += 1
            if "-v" in sys.argv:
                print(one.kind, "|", line[one.start : one.end], "|", line[max(0, one.start - 40) : one.end + 20])
    masked = sum(alarms[kind] for kind in (Personal.CARD, Personal.IBAN, Personal.ID))
    found = [Figure(f"{kind} in {lines} clean lines", alarms[kind], "hits") for kind in STRUCTURED]
    return [*found, Figure("masked kinds per 1,000 clean lines", 1000 * masked / max(1, lines), at_most=0.05)]


def clean_lines() -> Iterator[str]:
    """Lines of coding-agent text in which nobody's data should stand; fixtures of personal data are left out."""
    progress("clean lines")
    log = subprocess.run(
        ["git", "log", "-p", "--stat", "-30", "--", "src", ":!src/reverie/redact"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    ).stdout.splitlines()
    sources = sorted(ROOT.glob("src/**/*.py")) + sorted(ROOT.glob("docs/**/*.md")) + [ROOT / "constraints.txt"]
    sources += sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.py"))
    sources += sorted(Path(sysconfig.get_paths()["purelib"]).rglob("RECORD"))
    count = 0
    for line in log:
        yield line[:2000]
    for path in sources:
        if "gate" in path.parts:
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            count += 1
            if count > MOST_LINES:
                return
            yield line[:2000]


if __name__ == "__main__":
    result = run()
    save("personal", result, machine())
    show("personal", result)
