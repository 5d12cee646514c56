"""Mirrors: files for people that show values of the record, and what a person changed in them.

mirror.py       Mirror: one such file; written line by line, never over what a person wrote
merge_lines.py  our lines brought up to date in a file, and the edits since we wrote it
file_text.py    bytes of a person's file as text and lines
user_file.py    user.md, a mirror of the preferences in force
starters.py     how user.md and soul.md begin
"""

from reverie.mirrors.file_text import bullet, lines_of, said_in, text_of, uncommented
from reverie.mirrors.merge_lines import Edits, MirrorLine, MirrorSection, find_edits, merge_sections
from reverie.mirrors.mirror import Mirror, is_absent
from reverie.mirrors.starters import SECTION, STARTER_SOUL, STARTER_USER
from reverie.mirrors.user_file import UserFile

__all__ = [
    "SECTION",
    "STARTER_SOUL",
    "STARTER_USER",
    "Edits",
    "Mirror",
    "MirrorLine",
    "MirrorSection",
    "UserFile",
    "bullet",
    "find_edits",
    "is_absent",
    "lines_of",
    "merge_sections",
    "said_in",
    "text_of",
    "uncommented",
]
