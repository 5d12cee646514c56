"""Session context: what a coding agent is told when a session starts, and the news at later prompts."""

from collections.abc import Callable, Sequence
from functools import partial

from reverie import mirrors
from reverie.compose.context import LEARNING_HOURS, InjectedContext, news, session_context
from reverie.pipeline.ingest import NOTES
from reverie.pipeline.open_store import OpenStore
from reverie.pipeline.profile import Profile
from reverie.records import Action, Learned, LearningType, Session

_RULES = (LearningType.PREFERENCE, LearningType.CORRECTION)  # what holds always, whatever a prompt is about
_SEEN = "-"  # marks a session whose agent has been given the whole context, even if that showed nothing


class SessionContext:
    def __init__(self, store: OpenStore, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    def tell(self, project: str, session: str | None, *, only_news: bool) -> str:
        """Return the context, and record in the session what its agent has been shown."""
        return self._tell(project, self._session(session), only_news)

    def teller(self, project: str, session: str, *, only_news: bool) -> Callable[[], str]:
        """Return `tell` as a function that may be called again when more is known. What is news is decided now."""
        return partial(self._tell, project, self._session(session), only_news)

    def preview(self, project: str = "", session: str | None = None, *, only_news: bool = False) -> str:
        """Return the context for a person to look at: nothing is recorded."""
        return self._context(project, self._session(session), only_news).text

    def _session(self, session: str | None) -> Session | None:
        return self._store.engine.log.session(self._store.clean_name(session)) if session else None

    def _tell(self, project: str, session: Session | None, only_news: bool) -> str:
        context = self._context(project, session, only_news)
        if session and (shown := context.shown | {_SEEN}) != session.shown:
            self._store.engine.log.note_injection(session.id, shown)
        return context.text

    def _context(self, project: str, session: Session | None, only_news: bool) -> InjectedContext:
        engine = self._store.engine
        project = self._store.clean_name(project)
        since = self._store.env.now_ms() - LEARNING_HOURS * 3_600_000
        learnings = engine.learnings.recent(since, project)
        # Preferences for all projects stand in user.md; those for this project are told here, however old they are.
        known = {it.id for it in learnings}
        learnings += [it for it in engine.learnings.preferences(project) if project and it.id not in known]
        actions = engine.actions.pending(project)
        if only_news and session and session.shown:
            return self._news(learnings, actions, session)
        return self._whole(learnings, actions)

    def _news(self, learnings: Sequence[Learned], actions: Sequence[Action], session: Session) -> InjectedContext:
        """Return rules, notes and tasks from elsewhere since the session began.

        What this session said its agent has heard. Facts are told with the prompt that needs them (prompt_context.py).
        """
        rules = [it for it in learnings if it.session != session.id and (it.type in _RULES or it.session == NOTES)]
        said_here = {
            it.id for it in self._store.engine.learnings.get([it.id for it in actions]) if it.session == session.id
        }
        tasks = [it for it in actions if it.id not in said_here]
        return news(rules, tasks, session.shown, self._store.settings.context)

    def _whole(self, learnings: Sequence[Learned], actions: Sequence[Action]) -> InjectedContext:
        user = self._profile.person()
        in_file = set(user.splitlines())
        fresh = [it for it in learnings if mirrors.bullet(it.text) not in in_file]
        context = session_context(self._profile.soul(), user, fresh, actions, self._store.settings.context)
        return InjectedContext(context.text, context.shown | {it.id for it in learnings})
