"""A tool call -> facts that its result states in a known form: versions, remotes, branches, package managers.

Only local tools, only results of questions that have one answer ("node --version"), never prose in an output: a log can
say anything.
"""

import json
import re
from collections.abc import Iterator

from reverie.distil.patterns import command_of
from reverie.distil.trust import trust_of
from reverie.records import Learning, LearningType, Observation, ToolUse, Trust

_MOST_READ = 20_000  # characters of a result; manifests are shorter

_ASKS_VERSION = re.compile(r"(?:\S*/)?(?P<name>[\w.+-]{1,30})\s+(?:--version|-version|version|-V|-v|-vv|version --(?:short|client))(?:\s*(?:2>&1|\|\s*head(?:\s+-\S+)*))*$")
_VERSION = re.compile(r"(?<![\w.])(?:v|go|r)?(\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+.]?(?:rc|beta|alpha|b|a|dev|p)\d*)?)(?![\d.]*\d)")
_NOT_PROGRAMS = frozenset("ls cat grep echo cp mv rm test git-log diff tail head mkdir sort ssh curl".split())
_REMOTE = re.compile(r"(?:https?://|ssh://|git://|git@)[^\s'\"]{3,200}")
_NUMBERED = re.compile(r"^\s*\d+(?:→|\t)", re.MULTILINE)  # how some tools show the lines of a file
_BRANCH = re.compile(r"[\w./-]{1,80}")


def tool_facts(observation: Observation) -> list[Learning]:
    """The facts in one tool result."""
    tool = observation.tool
    if tool is None or tool.failed or trust_of(observation) is not Trust.LOCAL_TOOL:
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
            text=text[:300],
            confidence=confidence,
            observation_id=observation.id,
            subject=subject,
            trust=Trust.LOCAL_TOOL,
        )
        for text, subject, confidence in facts
    ]


_Fact = tuple[str, str, float]  # text, subject, confidence


def _from_command(command: str, output: str) -> Iterator[_Fact]:
    if len(command) > 300:
        return
    output = output[:_MOST_READ].strip()
    if not output:
        return
    asked = [part.strip() for part in re.split(r"&&|;|\n", command) if part.strip()]
    asked = [part for part in asked if not part.startswith(("cd ", "echo "))]
    questions = [_ASKS_VERSION.match(part) for part in asked]
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if questions and all(questions):
        if len(questions) == 1 or len(lines) == len(questions):
            for question, answer in zip(questions, lines if len(questions) > 1 else [lines], strict=True):
                if question is not None and question["name"] not in _NOT_PROGRAMS:
                    yield from _version(question["name"], [answer] if isinstance(answer, str) else answer)
        return
    if len(asked) == 1:
        yield from _from_question(asked[0], lines)


def _version(name: str, lines: list[str]) -> Iterator[_Fact]:
    """The first version in the answer, with the words before it, and the name of the program."""
    for line in lines[:4]:
        version = _VERSION.search(line)
        if version is None or len(line) > 200:
            continue
        words = re.sub(r"[\"'(]+(?=v?\d)", "", line[: version.end()]).strip(" -•*")
        text = words if name.casefold().rstrip("3") in words.casefold() and len(words) < 60 else f"{name} {version[0]}"
        yield text, f"{name} version", 0.9
        return


def _from_question(command: str, lines: list[str]) -> Iterator[_Fact]:
    first = lines[0]
    if re.match(r"git remote (?:-v|get-url)|git config (?:--get )?remote\.", command) or command == "git remote show origin":
        if remote := _REMOTE.search(first) or _REMOTE.search(" ".join(lines[:3])):
            name = re.match(r"(\w+)\s", first)
            which = name[1] if name and "-v" in command else "origin"
            yield f"git remote {which} is {remote[0]}", f"git remote {which}", 0.9
        head = re.search(r"HEAD branch: (\S+)", " ".join(lines))
        if head:
            yield f"default branch is {head[1]}", "default branch", 0.9
    elif "refs/remotes/origin/HEAD" in command or "origin/HEAD" in command or "defaultBranchRef" in command:
        branch = first.rsplit("origin/", 1)[-1].strip() if "origin/" in first else first
        if found := re.search(r'"name":\s*"([^"]+)"', first):
            branch = found[1]
        if len(lines) == 1 and _BRANCH.fullmatch(branch):
            yield f"default branch is {branch}", "default branch", 0.9
    elif re.match(r"git config (?:--global |--get )*init\.defaultbranch$", command, re.IGNORECASE) and _BRANCH.fullmatch(first):
        yield f"git default branch for new repositories is {first}", "git init default branch", 0.8
    elif re.match(r"lsb_release\b", command) or "/etc/os-release" in command or command.startswith("sw_vers"):
        yield from _system(lines)
    elif command.startswith("uname") and len(lines) == 1 and len(first) < 200:
        yield f"system is {first}", "operating system", 0.8
    elif command.startswith("nvidia-smi") and (gpu := re.search(r"\b(?:NVIDIA |Tesla |GeForce |Quadro )[\w -]{3,40}", " ".join(lines[:12]))):
        if "NVIDIA-SMI" not in gpu[0]:
            yield f"GPU is {gpu[0].strip()}", "gpu", 0.85
    elif command == "nproc" and first.isdigit():
        yield f"machine has {first} cores", "cpu cores", 0.8


def _system(lines: list[str]) -> Iterator[_Fact]:
    values = dict(line.split(sep, 1) for line in lines for sep in ("=", ":") if sep in line and line.index(sep) < 20)
    values = {name.strip(): value.strip().strip('"') for name, value in values.items()}
    named = values.get("PRETTY_NAME") or values.get("Description")
    if not named and "ProductName" in values:
        named = f"{values['ProductName']} {values.get('ProductVersion', '')}".strip()
    if not named and len(lines) == 1 and _VERSION.search(lines[0]) and len(lines[0]) < 100:
        named = lines[0].strip('"')
    if named:
        yield f"operating system is {named}", "operating system", 0.9


# ---- manifests

_READERS = frozenset("read read_file readfile view cat_file open_file fs_read".split())


def _path_of(tool: ToolUse) -> str:
    if tool.name.casefold() not in _READERS or not isinstance(tool.input, dict):
        return ""
    path = tool.input.get("file_path") or tool.input.get("path") or tool.input.get("target_file")
    return path if isinstance(path, str) else ""


_SINGLE_VERSION_FILES = {
    ".nvmrc": "Node",
    ".node-version": "Node",
    ".python-version": "Python",
    ".ruby-version": "Ruby",
    ".terraform-version": "Terraform",
    ".go-version": "Go",
    ".java-version": "Java",
}


def _from_file(path: str, content: str) -> Iterator[_Fact]:
    name = path.rsplit("/", 1)[-1]
    if name not in _KNOWN_FILES or "node_modules/" in path or "/vendor/" in path or "site-packages/" in path:
        return
    text = _NUMBERED.sub("", content[:_MOST_READ])
    if name == "package.json":
        yield from _package_json(text)
    elif name in _SINGLE_VERSION_FILES:
        version = text.strip()
        if re.fullmatch(r"(?:v|go|lts/)?[\w.*-]{1,20}", version):
            yield f"{_SINGLE_VERSION_FILES[name]} version is {version} ({name})", f"{_SINGLE_VERSION_FILES[name]} version".lower(), 0.85
    elif pattern := _MANIFESTS.get(name):
        cue, says, subject = pattern
        if found := re.search(cue, text, re.MULTILINE):
            yield says.format(found[1]), subject, 0.85


_MANIFESTS = {
    "pyproject.toml": (r"^requires-python\s*=\s*[\"']([^\"']{1,40})[\"']", "requires Python {}", "python version"),
    "go.mod": (r"^go\s+(\d+\.\d+(?:\.\d+)?)\s*$", "Go version is {} (go.mod)", "go version"),
    "rust-toolchain.toml": (r"^channel\s*=\s*[\"']([^\"']{1,40})[\"']", "Rust toolchain is {}", "rust toolchain"),
    "rust-toolchain": (r"\A\s*([\w.-]{1,40})\s*\Z", "Rust toolchain is {}", "rust toolchain"),
}
_KNOWN_FILES = {"package.json", *_SINGLE_VERSION_FILES, *_MANIFESTS}


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
        yield "; ".join(says), "package manager" if "package" in says[0] else "node version", 0.9
