"""The pages tell the truth: generated ones are current, links lead somewhere, examples and commands run.

Pages and code speak of the project alone: no paths of a machine, no hosts but public ones, no papers of its makers.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.exceptions import NoArgsIsHelpError

from reverie import Memory
from reverie.shells.cli.main import cli
from reverie.testing import FakeEnv
from support.every import every

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
WRITTEN_BY_HAND = [page for page in PAGES if page.name not in ("commands.md", "settings.md")]
CODE = sorted(
    path
    for folder in ("src", "bench", "scripts")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".sql", ".json", ".sh", ".toml")
)


def test_the_generated_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/docs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@every("page", WRITTEN_BY_HAND)
def test_a_name_that_is_said_to_be_in_a_file_is_there(page: Path) -> None:
    for name, where in re.findall(r"`(\w+)` in `([\w/]+\.py)`", page.read_text(encoding="utf-8")):
        files = [folder / where for folder in (ROOT, ROOT / "src" / "reverie") if (folder / where).exists()]
        assert files, f"{page.name} speaks of {where}"
        code = files[0].read_text(encoding="utf-8")
        assert re.search(rf"\b{name}\b", code), f"{page.name}: there is no {name} in {where}"


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_in_the_docs_runs(tmp_path: Path, page: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        done = subprocess.run(
            [sys.executable, "-c", block],
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


# ---- commands


def parsed(arguments: list[str]) -> click.Context:
    """What click makes of a command line, down to the last command in it. Nothing is run."""
    context = cli.make_context("reverie", list(arguments))
    while isinstance(group := context.command, click.Group):
        rest = [*getattr(context, "_protected_args", ()), *context.args]
        name, command, rest = group.resolve_command(context, rest)
        assert command is not None
        context = command.make_context(name, rest, parent=context)
    return context


def options_of(context: click.Context) -> set[str]:
    parameters = context.command.get_params(context)
    return {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}


def lines_to_type(text: str) -> Iterator[tuple[str, str]]:
    """Each command of the blocks that one types, and the comment behind it."""
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            command, _, comment = line.partition(" # ")
            for one in command.split("&&"):
                if one.strip().startswith("reverie "):
                    yield one.strip(), comment


def check_line(line: str, comment: str = "") -> None:
    context = parsed(shlex.split(line)[1:])
    told = set(re.findall(r"--[a-z][a-z-]*", comment))
    assert told - options_of(context) == set(), f"`{line}` has no such options"


@every("page", WRITTEN_BY_HAND)
def test_every_line_to_type_is_one_that_reverie_takes(page: Path) -> None:
    for line, comment in lines_to_type(page.read_text(encoding="utf-8")):
        check_line(line, comment)


def test_the_readme_has_lines_to_type() -> None:
    assert len(list(lines_to_type((ROOT / "README.md").read_text(encoding="utf-8")))) > 10


@every("page", WRITTEN_BY_HAND)
def test_every_command_that_is_named_in_a_sentence_exists_with_its_options(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for line in re.findall(r"`(reverie [^`]+)`", prose):
        try:
            parsed(shlex.split(line)[1:])
        except (click.MissingParameter, NoArgsIsHelpError):
            pass  # a sentence may leave out what is up to the reader
        except click.UsageError as error:
            pytest.fail(f"{page.name}: `{line}`: {error.format_message()}")


@pytest.mark.parametrize(
    ("line", "comment"),
    [("reverie serch x", ""), ("reverie forget x --hardly", ""), ("reverie admin prompt --explain", ""), ("reverie docs mend shop", ""),
     ("reverie admin gate explain", ""), ("reverie status now", ""), ("reverie up", "--detached runs it in the background")],
)  # fmt: skip
def test_a_line_that_reverie_does_not_take_is_found(line: str, comment: str) -> None:
    with pytest.raises((click.UsageError, AssertionError)):
        check_line(line, comment)


# ---- words


def test_every_word_of_the_glossary_is_explained_once() -> None:
    words = re.findall(r"^\*\*(.+?)\*\*", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert len(words) == len(set(words)) >= 10


@pytest.mark.parametrize("name", ["observation", "learning", "turn", "session", "steward", "spool", "lease", "tick"])
def test_the_glossary_has_the_words_that_the_code_uses(name: str) -> None:
    assert f"**{name}**" in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_three_sections_say_what_somebody_wrote_and_are_silent_otherwise(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "trinkets.md").read_text(encoding="utf-8")
    files = re.findall(r"`([\w/]+\.md)`, where somebody writes it", page)
    assert len(files) == 3

    with Memory.open(tmp_path, env=FakeEnv()) as memory:
        quiet = memory.continuum().preview("hello")
        assert [one.name for one in quiet.sections if "word for" in one.content] == []
        for name in files:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(f"A word for {name}.\n")
        loud = memory.continuum("another").preview("hello")

    told = {one.name for one in loud.sections if "A word for" in one.content}
    assert told == {"memory_state", "scratch", "journal_digest"}
    assert told & {one.name for one in quiet.sections} == set()


# ---- the project speaks of itself alone

# What a page, an example or a comment may name: public servers, what stands for any, and this very machine.
HOSTS = {
    "api.anthropic.com", "api.openai.com", "db.internal", "example.com", "gateway", "host", "localhost", "127.0.0.1", "sqlite.org", "www.apache.org", "www.apple.com",
    "www.w3.org",
}  # fmt: skip
FOREIGN = {
    "a path of a machine": rf"(?<![\w.])(?:{re.escape(str(ROOT))}/|/(?:home|Users|root|tmp|var/tmp)/\w)",
    "a paper that a reader does not have": (
        r"\bseed's\b|\b(?:of|in|as) the seed\b|\bthe seed (?:lets|says|describes|names)\b"
    ),
    "somebody who made it": r"\bthe (?:last )?judge(?:'s)?\b|\bthe founder\b|\bwritten blind\b|\bwrote blind\b",
}


def foreign(text: str) -> list[str]:
    """What a text says that only its makers can know."""
    hosts = re.findall(r"\b(?:https?|rediss?|postgres(?:ql)?)://(?:[^\s/@\"'`]*@)?([\w.-]*\w)", text)
    found = [f"a host: {host}" for host in hosts if host not in HOSTS]
    return found + [
        f"{what}: {it[0]}" for what, sign in FOREIGN.items() for it in re.finditer(sign, text, re.IGNORECASE)
    ]


@every("path", [*PAGES, *CODE])
def test_nothing_foreign_is_in_the_pages_and_the_code(path: Path) -> None:
    assert foreign(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [f"see {ROOT}/notes", "in /home/sam/reverie", "cp x /tmp/y", "curl https://build-7.corp.net/x", "redis://:pw@cache-3:6379/0", "# the seed's number",
     "as in the seed", "forms that the last judge wrote"],
)  # fmt: skip
def test_what_is_foreign_is_found(text: str) -> None:
    assert foreign(text)


@pytest.mark.parametrize(
    "text",
    ["for the same seed always the same", "a number that only the name and the seed decide", "project:/work/shop", "http://localhost:11434/v1",
     "the gate judges", "~/.reverie", "detect-secrets as a second judge"],
)  # fmt: skip
def test_what_anybody_may_say_is_not(text: str) -> None:
    assert foreign(text) == []


# Hosts of package registries, each in two pieces so that this page names none. A line that needs one has example.com.
REGISTRIES = [
    name.replace(" ", ".")
    for name in (
        "pypi org", "pythonhosted org", "npmjs org", "npmjs com", "yarnpkg com", "crates io", "rubygems org", "maven org", "maven apache",
        "ghcr io", "docker io", "hub docker", "quay io", "gcr io", "azurecr io", "nuget org", "packagist org", "hex pm", "golang org",
        "jfrog io", "unpkg com", "jsdelivr net", "anaconda org",
    )
]  # fmt: skip


def registries_in(text: str) -> list[str]:
    return re.findall("|".join(rf"\b{re.escape(name)}\b" for name in REGISTRIES), text, re.IGNORECASE)


def test_no_file_names_the_host_of_a_package_registry() -> None:
    folders = ("src", "tests", "bench", "docs", "scripts", "evals")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    texts = {
        path: path.read_bytes().decode("utf-8", "replace") for path in [*files, *ROOT.glob("*.*")] if is_ours(path)
    }
    assert len(texts) > 300
    assert {str(path): found for path, text in texts.items() if (found := registries_in(text))} == {}


def is_ours(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.stat().st_size < 5_000_000


def test_a_host_of_a_registry_is_found() -> None:
    assert registries_in(f"npm_config_registry=https://registry.{REGISTRIES[2]}")
    assert not registries_in("npm_config_registry=https://registry.example.com")


def test_both_lists_of_what_the_tests_need_are_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()

    named = {re.split(r"[<>=!~ ]", one)[0] for one in project["dependency-groups"]["dev"]}
    assert named == {line for line in lines if line and not line.startswith("#")}


def test_the_constraints_hold_no_addresses() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")

    assert "://" not in text
    assert "file:" not in text
    assert all(re.fullmatch(r"[\w.-]+==[\w.+]+|#.*|", line) for line in text.splitlines())
