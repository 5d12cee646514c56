"""A tool call -> facts that its result states in a known form: versions, remotes, branches, package managers.

Only local tools, and only answers to questions that have one answer ("node --version"). Prose in an output is never
believed: a log, a page or a file can say anything.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from reverie.distil.patterns import command_of
from reverie.distil.rules.phrases import LowerText, Phrases, words
from reverie.distil.source_trust import trust_of
from reverie.records import Learning, LearningType, Observation, ToolUse, Trust, is_recall

_MOST_READ = 20_000  # characters of a result; manifests are shorter
_LONGEST_COMMAND = 300
_LONGEST_LINE = 200
_LONG_ANSWER = 80  # what is longer is cut behind the version


class _Fact(NamedTuple):
    text: str
    subject: str
    confidence: float = 0.9


def tool_facts(observation: Observation) -> list[Learning]:
    """The facts in one tool result."""
    tool = observation.tool
    if tool is None or tool.failed or is_recall(tool) or not observation.text:
        return []
    if trust_of(observation) is not Trust.LOCAL_TOOL:
        return []
    if command := command_of(tool):
        facts = _from_command(command, observation.text)
    elif path := _path_of(tool):
        facts = _from_file(path, observation.text)
    else:
        return []
    return [
        Learning(
            type=LearningType.FACT,
            text="".join(filter(str.isprintable, fact.text))[:300],
            confidence=fact.confidence,
            observation_id=observation.id,
            subject=fact.subject,
            trust=Trust.LOCAL_TOOL,
        )
        for fact in facts
    ]


# ---- commands

# A quick look before anything is parsed: most commands ask nothing of this kind.
_ASKS_SOMETHING = Phrases(
    lambda: (
        r"version|-[vV]\b|git (?:remote|config|symbolic-ref|rev-parse|branch -[ra])|origin/HEAD|release|sw_vers"
        r"|hostnamectl|uname|nvidia-smi|nproc|cat "
        r"|pip show|(?:npm|pnpm|yarn) (?:ls|list)\b|current-context|configure get|get-value|\bls\b|show active"
        r"|defaultBranchRef"
    )
)
_ASKS_VERSION = re.compile(
    r"(?:\S*/)?(?P<name>(?!(?:ls|cat|grep|echo|cp|mv|rm|test|tail|head|mkdir|sort|ssh|curl|find|sed|awk|set"
    r"|pytest|tar|rsync)\s+-[vV])[A-Za-z][\w.+-]{0,30})\s+(?:--version|-version|version|-V|-v|-vV|--v|(?:version"
    r"|-v)\s+--(?:short|client)(?:\s--short)?)"
    r"(?:\s*(?:2>&1|2>/dev/null|\|\s*(?:head|tail|grep|cat)[^|]*))*$"
)
_VERSION = re.compile(
    r"(?<![\w.])(?:[vV]|go|r)?(?P<number>\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+.]?(?:rc|beta|alpha|preview|b|a|dev"
    r"|p)\.?\d*)?)(?![\d.]*\d)"
)
_MAJOR = re.compile(r"\b(?:version|OTP|openjdk|release)\s\"?(?P<number>\d{1,3})\b")


@lru_cache(maxsize=1_000)  # the same commands are run again and again
def _asks_something(command: str) -> bool:
    return _ASKS_SOMETHING.search(LowerText(command)) is not None


def _from_command(command: str, output: str) -> Iterator[_Fact]:
    if len(command) > _LONGEST_COMMAND or not _asks_something(command):
        return
    lines = [line.strip() for line in output[:_MOST_READ].splitlines() if line.strip()]
    asked = [part.strip() for part in re.split(r"&&|;|\n", command) if part.strip()]
    asked = [part for part in asked if not part.startswith(("cd ", "echo ", "export ", "source "))]
    questions = [_ASKS_VERSION.match(part) for part in asked]
    if not lines or not asked:
        return
    if len(asked) > 1:
        if len(lines) == len(asked):
            for question, line in zip(questions, lines, strict=True):
                yield from _version(question["name"], [line]) if question else ()
    elif questions[0] is not None:
        yield from _version(questions[0]["name"], lines)
    elif read := re.fullmatch(r"cat\s+(\S+)", asked[0]):
        yield from _system(lines) if read[1].endswith("/os-release") else _from_file(read[1], output)
    else:
        yield from _from_question(asked[0], lines)


def _version(name: str, lines: list[str]) -> Iterator[_Fact]:
    """The line of the answer that has a version, best the one that names the program too."""
    shown = [" ".join(line.replace('"', "").split()) for line in lines[:6]]
    named = [line for line in shown if name.casefold().rstrip("3") in line.casefold()]
    for line in [*named, *shown]:
        if len(line) > _LONGEST_LINE or not (found := _VERSION.search(line) or _MAJOR.search(line)):
            continue
        words = line if len(line) <= _LONG_ANSWER else line[: found.end()]
        yield _Fact(words if line in named else f"{name}: {words}", f"{name} version")
        return


_REMOTE = re.compile(r"(?:(?P<name>[\w-]+)\s+)?(?P<url>(?:https?://|ssh://|git://|git@)[^\s'\"]{3,200})")
_BRANCH = re.compile(r"[\w./-]{1,80}")
_GPU = re.compile(r"\b(?:NVIDIA|Tesla|GeForce|Quadro) (?:[\w-]+ ?){1,6}")

# A question whose whole answer, one line, is a value.
_ONE_VALUE: Final = (
    (r"kubectl config current-context", "kubectl context is {}", "kubectl context"),
    (r"aws configure get region", "AWS region is {}", "aws region"),
    (r"gcloud config (?:get-value|get) project", "gcloud project is {}", "gcloud project"),
    (r"rustup show active-toolchain", "Rust toolchain is {}", "rust toolchain"),
    (
        r"git config (?:--global |--get )*init\.defaultbranch",
        "git default branch for new repositories is {}",
        "git init branch",
    ),
    (r"uname(?: -\w+)?", "system is {}", "operating system"),
    (r"nproc", "machine has {} cores", "cpu cores"),
)


def _from_question(command: str, lines: list[str]) -> Iterator[_Fact]:
    first = lines[0]
    if re.match(r"git remote (?:-v|get-url|show)|git config (?:--get )?remote\.", command):
        if remote := _REMOTE.search(first) or _REMOTE.search(" ".join(lines[:3])):
            name = remote["name"] if "-v" in command and remote["name"] else "origin"
            yield _Fact(f"git remote {name} is {remote['url']}", f"git remote {name}")
        if head := re.search(r"HEAD branch: (\S+)", " ".join(islice(lines, 20))):
            yield _Fact(f"default branch is {head[1]}", "default branch")
    elif re.search(r"origin/HEAD|defaultBranchRef|git branch -(?:r|a)\b|--remotes", command):
        yield from _default_branch(lines)
    elif re.match(r"lsb_release|sw_vers|hostnamectl|cat /etc/\S*release", command):
        yield from _system(lines)
    elif command.startswith("nvidia-smi") and (gpu := _GPU.search(" ".join(lines[:12]).replace("  ", "\n"))):
        yield _Fact(f"GPU is {gpu[0].strip()}", "gpu")
    elif asked := re.match(r"pip3? show (\S+)", command):
        if version := re.search(r"^Version: (\S+)$", "\n".join(lines), re.MULTILINE):
            yield _Fact(f"{asked[1]} {version[1]}", f"{asked[1]} version")
    elif asked := re.match(r"(?:npm|pnpm|yarn) (?:ls|list) ([\w@/.-]+)(?: --depth[= ]\d)?$", command):
        versions = set(re.findall(rf"\b{re.escape(asked[1])}@(\d[\w.-]*)", " ".join(lines)))
        if len(versions) == 1:
            yield _Fact(f"{asked[1]} {versions.pop()}", f"{asked[1]} version")
    elif re.match(r"ls(?: -\w+)*(?: \.| \S*lock\S*)*(?: 2>/dev/null)?$", command):
        yield from _package_manager(lines)
    elif len(lines) == 1 and len(first) < _LONGEST_LINE:
        for pattern, says, subject in _ONE_VALUE:
            if re.fullmatch(pattern, command, re.IGNORECASE):
                yield _Fact(says.format(first), subject, 0.85)


def _default_branch(lines: list[str]) -> Iterator[_Fact]:
    text = " ".join(lines[:200])
    found = re.search(r"origin/HEAD -> origin/(\S+)|refs/remotes/origin/(\S+)|\"name\":\s*\"([^\"]+)\"", text)
    branch = (
        next(filter(None, found.groups()), "") if found else lines[0].removeprefix("origin/") if len(lines) == 1 else ""
    )
    if _BRANCH.fullmatch(branch):
        yield _Fact(f"default branch is {branch}", "default branch")


def _system(lines: list[str]) -> Iterator[_Fact]:
    values = {}
    for line in lines[:40]:
        name, sign, value = line.replace(":", "=", 1).partition("=") if "=" not in line else line.partition("=")
        if sign:
            values[name.strip()] = value.strip().strip('"')
    named = values.get("PRETTY_NAME") or values.get("Description") or values.get("Operating System")
    if not named and "ProductName" in values:
        named = f"{values['ProductName']} {values.get('ProductVersion', '')}".strip()
    if not named and len(lines) == 1 and _VERSION.search(lines[0]):
        named = lines[0].strip('"')
    if named and len(named) < _LONGEST_LINE:
        yield _Fact(f"operating system is {named}", "operating system")


_LOCK_FILES: Final = {
    "pnpm-lock.yaml": "pnpm",
    "package-lock.json": "npm",
    "yarn.lock": "yarn",
    "bun.lockb": "bun",
    "bun.lock": "bun",
    "poetry.lock": "poetry",
    "uv.lock": "uv",
    "Pipfile.lock": "pipenv",
}


def _package_manager(lines: list[str]) -> Iterator[_Fact]:
    """By its lock file in a listing, if there is just one."""
    names = {line.rsplit(None, 1)[-1].removeprefix("./") for line in lines[:200]} | {
        name for line in lines[:20] for name in line.split()
    }
    managers = {manager for name, manager in _LOCK_FILES.items() if name in names}
    if len(managers) == 1:
        yield _Fact(f"package manager is {managers.pop()}", "package manager", 0.8)


# ---- manifests

_READERS = words("read read_file readfile view cat_file open_file fs_read")
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t)", re.MULTILINE)  # how some tools show the lines of a file


def _path_of(tool: ToolUse) -> str:
    if tool.name.casefold() not in _READERS or not isinstance(tool.input, dict):
        return ""
    path = tool.input.get("file_path") or tool.input.get("path") or tool.input.get("target_file")
    return path if isinstance(path, str) else ""


_MANIFESTS: Final = {
    "pyproject.toml": (r"^requires-python\s*=\s*[\"']([^\"'\n]{1,40})[\"']", "requires Python {}", "python version"),
    "go.mod": (r"^go\s+(\d+\.\d+(?:\.\d+)?)\s*$", "Go version is {} (go.mod)", "go version"),
    "Cargo.toml": (r"^rust-version\s*=\s*[\"']([^\"'\n]{1,40})[\"']", "requires Rust {}", "rust version"),
    "rust-toolchain.toml": (r"^channel\s*=\s*[\"']([^\"'\n]{1,40})[\"']", "Rust toolchain is {}", "rust toolchain"),
    "rust-toolchain": (r"\A\s*([\w.-]{1,40})\s*\Z", "Rust toolchain is {}", "rust toolchain"),
    "Gemfile": (r"^ruby\s+[\"']([^\"'\n]{1,20})[\"']", "Ruby version is {} (Gemfile)", "ruby version"),
    "global.json": (r"\"version\":\s*\"(\d[\w.-]{1,20})\"", ".NET SDK version is {}", "dotnet version"),
    ".nvmrc": (r"\A\s*((?:v|lts/)?[\w.*-]{1,20})\s*\Z", "Node version is {} (.nvmrc)", "node version"),
    ".node-version": (r"\A\s*(v?[\d.]{1,20})\s*\Z", "Node version is {}", "node version"),
    ".python-version": (r"\A\s*([\w.-]{1,20})\s*\Z", "Python version is {}", "python version"),
    ".ruby-version": (r"\A\s*((?:ruby-)?[\d.]{1,20})\s*\Z", "Ruby version is {}", "ruby version"),
    ".terraform-version": (r"\A\s*([\d.]{1,20})\s*\Z", "Terraform version is {}", "terraform version"),
    ".java-version": (r"\A\s*([\w.-]{1,20})\s*\Z", "Java version is {}", "java version"),
}
_NOT_OURS = re.compile(r"(?:^|/)(?:node_modules|vendor|third_party|site-packages)/")


def _from_file(path: str, content: str) -> Iterator[_Fact]:
    name = path.rsplit("/", 1)[-1]
    if (name != "package.json" and name not in _MANIFESTS) or _NOT_OURS.search(path):
        return
    text = _NUMBERED.sub("", content[:_MOST_READ])
    if name == "package.json":
        yield from _package_json(text)
        return
    pattern, says, subject = _MANIFESTS[name]
    if found := re.search(pattern, text, re.MULTILINE):
        yield _Fact(says.format(found[1]), subject, 0.85)


def _package_json(text: str) -> Iterator[_Fact]:
    """One fact for a manifest: its parts were read together and belong together."""
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(manifest, dict):
        return
    engines = manifest.get("engines")
    manager, node = manifest.get("packageManager"), engines.get("node") if isinstance(engines, dict) else None
    says = []
    if isinstance(manager, str) and re.fullmatch(r"[a-z]+@[\w.+-]{1,120}", manager):
        says.append(f"package manager is {manager.partition('+')[0].replace('@', ' ')}")
    if isinstance(node, str) and 0 < len(node) < 40:
        says.append(f"Node version is {node}")
    if says:
        yield _Fact("; ".join(says), "package manager" if "package" in says[0] else "node version")
