"""Prints the size of files and functions, largest first: places to ask whether two ideas share a room."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "reverie"


def main() -> None:
    files: list[tuple[int, str]] = []
    functions: list[tuple[int, str]] = []
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = str(path.relative_to(ROOT))
        files.append((len(text.splitlines()), name))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                functions.append((node.end_lineno - node.lineno + 1, f"{name}:{node.name}"))
    lengths = sorted(size for size, _ in files)
    print(f"{len(files)} files, {sum(lengths)} lines, median {lengths[len(lengths) // 2]}")
    print(f"{len(functions)} functions, {sum(size > 40 for size, _ in functions)} over 40 lines")
    for title, sizes in (("files", files), ("functions", functions)):
        print(f"\nlongest {title}")
        for size, name in sorted(sizes, reverse=True)[:10]:
            print(f"  {size:4}  {name}")


if __name__ == "__main__":
    main()
