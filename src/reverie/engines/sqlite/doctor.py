"""A SQLite file that may be damaged -> what is wrong with it, and its repair. The port is `RecordDoctor`.

Nothing is deleted: rows that cannot be read are set aside in the same file, and a file whose trees are broken is kept
beside the new one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from reverie.engines.sqlite import SqliteEngine
from reverie.engines.sqlite.damage import broken_trees, damaged_rows
from reverie.engines.sqlite.damaged_rows import Damaged
from reverie.engines.sqlite.database import check_library
from reverie.engines.sqlite.failures import FAILURES, translating
from reverie.engines.sqlite.salvage import DERIVED, repair_rows, salvage
from reverie.engines.sqlite.schema import read_versions, write_version
from reverie.engines.sqlite.wal import files_of
from reverie.errors import ReverieError, StoreError
from reverie.ports import Env
from reverie.records import CheckResult

_PASSES = 2  # what belongs to a row that was set aside is found by the next look
_SHOWN_ROWS = 3  # of those that are damaged; the others are counted
_ONLY_READ = "it can only be read here: copy it, and repair the copy"


@dataclass(frozen=True, slots=True)
class SqliteDoctor:
    """Checks one file. What the fields mean, `reverie.engines.record_doctor` says."""

    path: Path
    env: Env
    is_writable: bool
    rebuild: Callable[[], int]
    in_use: str
    traces: Sequence[Path]

    def has_record(self) -> bool:
        return self.env.files.size(self.path) > 0

    def is_lost(self) -> bool:
        return not self.has_record() and self._trace() is not None

    def lock_files(self) -> list[Path]:
        return [self.path.with_name("write.lock")]

    def check_library(self) -> CheckResult:
        try:
            check_library()
        except StoreError as error:
            return CheckResult("library", False, str(error))
        return CheckResult("library", True, f"SQLite {apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})")

    # ---- trees and rows

    def check_record(self, *, repair: bool) -> CheckResult:
        if not self.has_record():
            return self._missing(repair and self.is_writable)
        is_foreign = self._is_foreign()
        found = broken_trees(self.path, writable=self.is_writable, is_foreign=is_foreign)
        if not found and not is_foreign:
            try:
                rows = damaged_rows(self.path, writable=self.is_writable)
            except FAILURES as error:
                found = [str(error)]
            else:
                if rows:
                    return self._rows(rows, repair)
        if not found:
            looked = "checked as far as this Reverie knows it" if is_foreign else "every row checked"
            return CheckResult("record", True, f"{self.env.files.size(self.path):,} bytes, {looked}")
        wrong = f"damaged: {found[0]}"
        if is_foreign:
            return CheckResult("record", False, f"{wrong}; only the newer Reverie that wrote it can repair it")
        if not repair:
            return CheckResult("record", False, f"{wrong}; --repair saves what can be read")
        if not self.is_writable:
            return CheckResult("record", False, f"{wrong}; {_ONLY_READ}")
        return self._salvaged("record")

    def _is_foreign(self) -> bool:
        try:
            return read_versions(self.path, writable=self.is_writable).is_foreign
        except FAILURES:
            return False  # it cannot even be asked: that is damage

    def _rows(self, damaged: Sequence[Damaged], repair: bool) -> CheckResult:
        """Rows that hold what cannot stand there, in a file that is whole otherwise: only they have to go."""
        told = "; ".join(it.said for it in damaged[:_SHOWN_ROWS])
        told += f"; and {len(damaged) - _SHOWN_ROWS:,} more" if len(damaged) > _SHOWN_ROWS else ""
        wrong = f"{len(damaged):,} {'row' if len(damaged) == 1 else 'rows'} damaged: {told}"
        if not repair:
            way_out = "--repair sets them aside, and derives again what can be derived"
            return CheckResult("record", False, f"{wrong}; {way_out}")
        if not self.is_writable:
            return CheckResult("record", False, f"{wrong}; {_ONLY_READ}")
        try:
            if self._set_aside(damaged):
                self.rebuild()
        except ReverieError:  # it is not only the rows
            return self._salvaged("record")
        moved = [it for it in damaged if it.where and it.table not in DERIVED]
        where = f"; {len(moved)} set aside, which `reverie admin export` shows as the table set_aside" if moved else ""
        return CheckResult("record", True, f"repaired: {wrong}{where}")

    def _set_aside(self, damaged: Sequence[Damaged]) -> bool:
        """Set rows aside, and then those that only belonged to one of them; says whether a rebuild must follow."""
        must_rebuild = False
        engine = SqliteEngine.open(self.path, self.env)
        try:
            for _ in range(_PASSES):
                must_rebuild |= repair_rows(engine.database, damaged, self.env.now_ms())
                with translating(self.path):
                    damaged = damaged_rows(self.path)
        finally:
            engine.close()
        return must_rebuild

    def _missing(self, can_repair: bool) -> CheckResult:
        """Before the first event there is no record, and that is well. After it, there was one."""
        trace = self._trace()
        if trace is None:
            home = self.path.parent
            return CheckResult("record", True, f"none in {home} yet; the first command that needs one makes it")
        gone = f"{self.path} is gone, but {trace.name} is there"
        if trace == self._log():  # which holds what was written last, and in a young record everything
            if can_repair:
                return self._salvaged("record")
            return CheckResult(
                "record", False, f"{gone}: put it back from a copy, or --repair saves what the log holds"
            )
        if can_repair:
            return CheckResult("record", True, f"{gone}: a new one is started")
        way_out = "put it back from a copy; without one, --repair starts a new record"
        return CheckResult("record", False, f"{gone}: {way_out}")

    def _trace(self) -> Path | None:
        """A file that only a record, or work on one, leaves behind; None if there is none."""
        log = self._log()
        if self.env.files.size(log):
            return log
        present = self.env.files.names(self.path.parent)
        return next((path for path in (*self.traces, *self.lock_files()) if path.name in present), None)

    def _log(self) -> Path:
        return files_of(self.path)[1]

    def _salvaged(self, name: str) -> CheckResult:
        """Carry over what can be read into a new file, and keep the old one."""
        if self.in_use:
            return CheckResult(name, False, self.in_use)
        with translating(self.path):
            saved = salvage(self.path, self.env)
            rows = damaged_rows(self.path)
        self._set_aside(rows)
        skipped = self.rebuild()
        kept = f"{saved.kept['observations']:,} observations kept"
        gone = f", {skipped:,} turns skipped whose observations are gone" if skipped else ""
        return CheckResult(name, True, f"repaired: {kept}{gone}; the old file is {saved.set_aside.name}")

    # ---- the version

    def check_schema(self, *, repair: bool) -> CheckResult:
        """The number in the header must be that of the tables: by it we decide what is still to be migrated."""
        with translating(self.path):
            versions = read_versions(self.path, writable=self.is_writable)
        said, true, known = versions.said, versions.true, versions.known
        if said == true == known:
            return CheckResult("schema", True, f"version {said}")
        if said == true:
            way_out = "opening it brings it up to date" if self.is_writable else "whoever owns it must open it once"
            return CheckResult("schema", self.is_writable, f"version {said}, and this Reverie has {known}: {way_out}")
        if versions.is_foreign:
            told = f"version {said}, and this Reverie knows {known}: upgrade Reverie; the file was not touched"
            return CheckResult("schema", False, told)
        tables = f"its tables are those of {true}" if true is not None else "its tables are not those of any version"
        wrong = f"the file says version {said}, but {tables}"
        if repair and not self.is_writable:
            return CheckResult("schema", False, f"{wrong}; {_ONLY_READ}")
        if versions.is_behind and true is not None:
            if not repair:
                return CheckResult("schema", False, f"{wrong}: somebody changed the number; --repair corrects it")
            with translating(self.path):
                write_version(self.path, true)
            return CheckResult("schema", True, f"{wrong}: the number was set to {true}")
        if repair:
            return self._salvaged("schema")
        newer = "; if a newer Reverie wrote it, upgrade, otherwise" if said > known else ";"
        return CheckResult("schema", False, f"{wrong}{newer} --repair carries over what is in it, and keeps this file")
