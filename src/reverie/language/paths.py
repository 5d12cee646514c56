"""Whether a sentence names a file, or a folder that the file is in."""

import re

_WORD = re.compile(r"[^\s\"'`,;:()<>\[\]{}]+")
_FOLDER_WORDS = r"(?:folder|directory|dir|ordner|verzeichnis|carpeta|dossier)"


def names_file(text: str, path: str) -> bool:
    """Whether a text names this file: by its name, by its path or the end of that, or by a pattern.

    >>> path = "src/db/schema.gen.ts"
    >>> names_file("don't edit schema.gen.ts.", path), names_file("leave `*.gen.ts` alone", path)
    (True, True)
    >>> names_file("db/schema.gen.ts is made by make", path), names_file("myschema.gen.ts is old", path)
    (True, False)
    """
    name = path.rpartition("/")[2]
    for word in _WORD.findall(text):
        said = word.rstrip(".?!").removeprefix("./")
        if said == name or (said.endswith(f"/{name}") and f"/{path}".endswith(f"/{said.lstrip('/')}")):
            return True
        if 0 < said.count("*") <= 4 and len(said) > 2 and any(_pattern(said).fullmatch(one) for one in (name, path)):
            return True
    return False


def names_folder(text: str, path: str) -> bool:
    """Whether a text names a folder that this file is in: as a path, or with a word for a folder.

    >>> path = "app/migrations/0001_init.py"
    >>> names_folder("never edit app/migrations by hand", path), names_folder("the migrations folder is frozen", path)
    (True, True)
    >>> names_folder("run the migrations first", path), names_folder("app/migrations_old is gone", path)
    (False, False)
    """
    folders = path.split("/")[:-1]
    for word in _WORD.findall(text):
        said = word.rstrip(".?!*").removeprefix("./")
        if "/" in said and (inner := said.strip("/")) and f"/{inner}/" in f"/{'/'.join(folders)}/":
            return True
    return any(re.search(rf"(?<![\w./-]){re.escape(one)}[ -]{_FOLDER_WORDS}\b", text) for one in folders if one)


def _pattern(said: str) -> re.Pattern[str]:
    """A pattern for files as people write it: `**` for any folders, `*` for anything within a name."""
    parts = [re.escape(one) for one in said.replace("**", "\0").split("*")]
    return re.compile("[^/]*".join(parts).replace("\0", ".*"))
