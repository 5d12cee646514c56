"""What the redactor finds, what it wrongly finds, and what it costs in the bare interpreter that hooks run in.

The corpus does not know the patterns. `detect-secrets` judges the same lines beside it: its figures have no bar.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings

from bench.table import Figure, figures, machine, progress, save, show
from reverie.hook.run import PARTS
from reverie.redact import secrets as redactor
from reverie.redact.secrets import redact

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from capture import clean_kinds, secret_corpus, wrapped_lines

SEEDS = (11, 12, 13)  # others than the tests use
SIZES = {"1 KB": 1_000, "100 KB": 100_000, "2 MB": 2_000_000}
ROUNDS = 15
MODULES = [part.rpartition(".")[2] for part in PARTS if "secret" in part]  # in the order in which a hook loads them
# Modules are loaded from their compiled files, as in a hook. CPU time, so that a busy machine does not count.
LEAN = """
import sys, time, marshal
start = time.process_time()
def load(name, path):
    module = sys.modules[name] = type(sys)(name)
    module.__file__ = path.rpartition("/__pycache__/")[0] + "/" + name.rpartition(".")[2] + ".py"
    with open(path, "rb") as file:
        exec(marshal.loads(file.read()[16:]), module.__dict__)
    return module
for path in sys.argv[2:]:
    name = "reverie.redact." + path.rpartition("/")[2].partition(".")[0]
    secrets = load(name, path)
sys.modules["reverie.redact.secret_search"].load_engine()
loaded = time.process_time()
text = open(sys.argv[1], encoding="utf-8").read()
opened = time.process_time()
secrets.redact(text)
first = time.process_time()
secrets.redact(text)
print(loaded - start, first - opened, time.process_time() - first)
"""


def run() -> dict[str, Any]:
    return figures(*found(), *cost())


def found() -> list[Figure]:
    """Recall and false alarms, over several corpora."""
    hits, total, alarms, lines = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for seed in SEEDS:
        for secret in secret_corpus.secrets(seed):
            total[secret.group] += 1
            hits[secret.group] += not is_left(secret.value, redact(secret.text))
        for label, line in (*secret_corpus.clean_lines(seed), *clean_kinds.lines(seed)):
            lines[label] += 1
            alarms[label] += redact(line) != line
    wrapped = [*wrapped_lines.leaks(0), *wrapped_lines.leaks(1)]
    unwrapped = sum(not is_left(leak.secret, redact(leak.line)) for leak in wrapped)
    progress("detect-secrets, as the second judge")
    corpus = [secret for secret in secret_corpus.secrets(SEEDS[0]) if "\n" not in secret.text]
    theirs = flagged(secret.text for secret in corpus)
    group = {name: [i for i, secret in enumerate(corpus) if secret.group == name] for name in total}
    clean = [line for _, line in secret_corpus.clean_lines(SEEDS[0], 8_000)]
    return [
        Figure("secrets", total.total()),
        Figure("clean lines", lines.total()),
        Figure("structured, found", 100 * hits["structured"] / total["structured"], "%", at_least=99.5),
        Figure("generic, found", 100 * hits["generic"] / total["generic"], "%", at_least=97),
        Figure("wrapped (base64, tables, prose), found", 100 * unwrapped / len(wrapped), "%", at_least=97),
        Figure("false alarms", 100 * alarms.total() / lines.total(), "% of lines", at_most=0.5),
        Figure("false alarms, UUIDs and commits", alarms["uuid"] + alarms["commit"], "lines", at_most=0),
        *[
            Figure(f"detect-secrets: {name}, found", 100 * len(theirs.intersection(rows)) / len(rows), "%")
            for name, rows in group.items()
        ],
        Figure("detect-secrets: false alarms", 100 * len(flagged(clean)) / len(clean), "% of lines"),
        Figure("detect-secrets: found in redacted lines", len(flagged(redact(s.text) for s in corpus)), "lines"),
    ]


def is_left(value: str, text: str) -> bool:
    """Whether the value, or 8 characters of it, can still be read."""
    return value in text if len(value) <= 8 else any(value[i : i + 8] in text for i in range(len(value) - 7))


def flagged(lines: Iterable[str]) -> set[int]:
    """The numbers of the lines in which detect-secrets sees a secret."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write("\n".join(lines) + "\n")
    try:
        with default_settings():
            collection = SecretsCollection()
            collection.scan_file(file.name)
    finally:
        os.unlink(file.name)
    return {secret.line_number - 1 for _, secret in collection}


def cost() -> list[Figure]:
    """Milliseconds of CPU in a fresh process: load, the first text with all compiling, the same text again."""
    measured = []
    with tempfile.TemporaryDirectory(prefix="reverie-bench-") as folder:
        path = Path(folder) / "text"
        for with_secrets in (False, True):
            for name, size in SIZES.items():
                label = f"{name}, a secret per KB" if with_secrets else name
                progress(label)
                path.write_text(text(size, with_secrets))
                load, first, again = (1000 * statistics.median(column) for column in zip(*lean(path), strict=True))
                measured += [Figure(f"{label}: first", first, "ms"), Figure(f"{label}: again", again, "ms")]
        measured.append(Figure("load the modules and RE2", load, "ms"))
    return measured


def lean(path: Path) -> list[list[float]]:
    folder, tag = Path(redactor.__file__).parent / "__pycache__", sys.implementation.cache_tag
    compiled = [folder / f"{name}.{tag}.pyc" for name in MODULES]
    command = [sys.executable, "-I", "-S", "-c", LEAN, str(path), *map(str, compiled)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(ROUNDS)]
    return [[float(number) for number in run.stdout.split()] for run in runs]


def text(size: int, with_secrets: bool) -> str:
    """Source code of the standard library, without secrets or with a line that has one in each thousand characters."""
    modules = sorted(Path(os.__file__).parent.glob("*.py"))
    source = "".join(path.read_text("utf-8", "replace") for path in modules)[:size]
    if not with_secrets:
        return source
    r = Random(7)
    dirty = [secret.text for secret in secret_corpus.secrets(7) if len(secret.text) < 300]
    return "\n".join(source[i : i + 900] + "\n" + r.choice(dirty) for i in range(0, size, 1000))[:size]


if __name__ == "__main__":
    result = run()
    save("redaction", result, machine())
    sys.exit(0 if show("redaction", result) else 1)
