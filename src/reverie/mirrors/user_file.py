"""user.md: a mirror of the preferences in force, beside what a person wrote there."""

from collections.abc import Callable, Sequence

from reverie.foundation.workspace import Workspace
from reverie.mirrors.file_text import bullet, lines_of, said_in, uncommented
from reverie.mirrors.merge_lines import Edits, MirrorLine, MirrorSection
from reverie.mirrors.mirror import Mirror
from reverie.mirrors.starters import SECTION, STARTER_USER
from reverie.ports import Engine, Env
from reverie.records import Learned, Trust

_USER_FILE = "user.md"  # also the session of the notes that people make by writing there
# Whose preferences become lines in a person's file, and whose lines in it are told to agents.
_PERSONAL = (Trust.PERSON, Trust.PERSON_FILE)


class UserFile:
    """Shows preferences; a line that a person adds is a note of theirs, and one that they remove is retracted."""

    def __init__(
        self,
        workspace: Workspace,
        env: Env,
        engine: Engine,
        note: Callable[[str], None] = lambda _: None,
        clean: Callable[[str], str] = str,
    ) -> None:
        self._note = note
        self._env = env
        self._engine = engine
        self._mirror = Mirror(
            workspace.user,
            env,
            engine,
            self._sections,
            self._take_in,
            starter=STARTER_USER,
            shows="your preferences",
            clean=clean,
        )
        self.write_starter = self._mirror.write_starter
        self.sync = self._mirror.sync
        self.obstacle = self._mirror.obstacle
        self.leftover = self._mirror.leftover

    def trusted(self) -> str:
        """Return the file without lines that a tool may have put there: they wait until a person writes them.

        Where the file cannot show the preferences in force, they are told as if it did.
        """
        trust: dict[str, str] = {}
        for _, _, _, data in self._engine.log.acts(kind="edit", target=_USER_FILE):
            assert isinstance(data, dict)
            trust[str(data["added"])] = str(data["trust"])
        lines = lines_of(self._mirror.text())
        return "\n".join(line for line in lines if trust.get(line, Trust.PERSON_FILE) in _PERSONAL)

    def from_record(self) -> str:
        """Return what the file would show, for a user who has none: the files of a workspace are its owner's."""
        return "\n".join(line.text for line in self._preferences())

    def _sections(self) -> Sequence[MirrorSection]:
        return [MirrorSection(SECTION, self._preferences())]

    def _preferences(self) -> tuple[MirrorLine, ...]:
        """Return the lines to show. What was learned from the file stands there already, in the person's own words."""
        in_force = self._engine.learnings.preferences()
        shown = [it for it in in_force if it.trust in _PERSONAL and it.session != _USER_FILE]
        return tuple(MirrorLine(bullet(it.text), it.id) for it in shown)

    def _take_in(self, edits: Edits, text: str, since: int) -> None:
        """Retract what a person removed, and note what they added, which stays as it is; an edited line is both.

        If a tool call named the file meanwhile, it may have been the tool: then what was removed comes back, and what
        was added is not told to agents.
        """
        by_tool = any(
            self._engine.scoped(user).log.has_tool_call_naming(_USER_FILE, since) for user in self._engine.users()
        )  # also one that another user's agent called
        trust = Trust.LOCAL_TOOL if by_tool else Trust.PERSON_FILE
        removed = [*edits.removed, *(line for line, _ in edits.edited)] if not by_tool else []
        in_force = self._engine.learnings.preferences()
        now = self._env.now_ms()
        said = {said_in(line) for line in lines_of(uncommented(text))}
        with self._engine.write():
            for learned in dict.fromkeys(id for line in removed for id in self._behind(line, in_force)):
                self._engine.log.act("retract", learned, {"file": _USER_FILE}, now)
                self._engine.learnings.retract(learned)
            for line in (*edits.added, *(text for _, text in edits.edited)):
                self._engine.log.act("edit", _USER_FILE, {"added": line, "trust": trust.value}, now)
                if not by_tool and (noted := said_in(line)) and noted in said:  # and not inside a longer comment
                    self._note(noted)

    def _behind(self, line: MirrorLine, in_force: Sequence[Learned]) -> list[str]:
        """Find the preferences that a line showed, or what was learned from it if a person had written it."""
        shown = [it.id for it in in_force if it.id == line.id or bullet(it.text) == line.text]
        return shown or self._learned_from(said_in(line.text))

    def _learned_from(self, text: str) -> list[str]:
        found = []
        for it in self._engine.learnings.all() if text else ():
            if it.session == _USER_FILE and not it.superseded_by:
                observation = self._engine.log.get(it.observation_id)
                if observation and observation.text == text:
                    found.append(it.id)
        return found
