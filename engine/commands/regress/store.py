# SPDX-License-Identifier: Apache-2.0
"""The SQLite file of regressions: what is to be run, and what came of it.

A rollback journal and not WAL, so that the file is all there is, and can be read on a read-only
disk. A verdict is one transaction, on the disk when that returns: what is killed at any moment
leaves jobs that are done, and jobs that are not.
"""

from __future__ import annotations

import contextlib
import errno
import json
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.coverage.report import CoverageReport, hits
from tilepath.engine.description.readings import profile_of, readings_of
from tilepath.engine.host.origin import now, origin

VERSION: Final = 2
NOT_DONE: Final = "state <> 'done'"
_APPLICATION: Final = 0x74696C65
_LONGEST: Final = 100_000  # characters of a report
_OF_OUTCOME: Final = (
    *("message", "command", "signature", "digest", "cycles", "events", "faults", "seconds"),
)
_TABLES: Final = """
CREATE TABLE regressions (id INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT,
  options TEXT NOT NULL, root_seed TEXT, origin TEXT NOT NULL);
CREATE TABLE jobs (id INTEGER PRIMARY KEY, regression INTEGER NOT NULL REFERENCES regressions,
  sim TEXT NOT NULL, profile TEXT NOT NULL, block TEXT NOT NULL, test TEXT NOT NULL,
  seed TEXT NOT NULL, cycles_wanted INTEGER, start INTEGER, knobs TEXT NOT NULL,
  condition TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'todo' CHECK (state IN ('todo', 'running', 'done')),
  verdict TEXT, message TEXT, report TEXT, command TEXT, signature TEXT, digest TEXT,
  cycles INTEGER, events INTEGER, faults INTEGER, seconds REAL, ended TEXT, revision TEXT,
  bins BLOB, counts TEXT,
  again TEXT CHECK (again IN ('todo', 'same', 'differs')),
  CHECK ((state = 'done') = (verdict IS NOT NULL)),
  UNIQUE (regression, sim, profile, block, test, seed));
CREATE TABLE plans (regression INTEGER NOT NULL REFERENCES regressions, block TEXT NOT NULL,
  profile TEXT NOT NULL, report TEXT NOT NULL, PRIMARY KEY (regression, block, profile));
"""
"""``seed`` is text: it has 64 bits and SQLite's integers have 63. ``bins``: a bit for each bin of
the block's plan of coverage (``plans``), hit or not, packed by NumPy and zlib. ``counts``: JSON,
stream → records; files of version 1 have none. ``options`` has what was typed, and ``profiles``:
name → ``readings`` of its parameters."""


@dataclass(frozen=True)
class Group:
    """Jobs that one runner does: those of a simulator and a profile."""

    sim: str
    profile: str


class Store:
    """An open file; its methods may be called from several threads."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self._lock = threading.RLock()
        if not create and not path.is_file():
            raise UsageError(f"there is no file {path}")
        with self._told():
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=60,
            )
            self._db.row_factory = sqlite3.Row
            self._open(create)

    def _open(self, create: bool) -> None:
        db = self._db
        known = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        empty = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if known != _APPLICATION and not (empty and create):
            raise UsageError(f"{self.path} is not a file of tilepath regress")
        if version > VERSION:
            raise UsageError(
                f"{self.path} is of a newer tilepath: its version is {version}, this one reads "
                f"{VERSION} and older"
            )
        problem = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise UsageError(f"{self.path} is damaged: {problem}")
        db.execute("PRAGMA synchronous = FULL")  # nothing half written, even when the power goes
        if empty:
            with self._writing():
                for statement in filter(str.strip, _TABLES.split(";")):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")
        elif create and version < VERSION:
            with self._writing():
                db.execute("ALTER TABLE jobs ADD COLUMN counts TEXT")
                db.execute(f"PRAGMA user_version = {VERSION}")

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite complains of becomes an ``OSError`` that names the file."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            number = errno.ENOSPC if code == sqlite3.SQLITE_FULL else errno.EIO
            raise OSError(number, str(error), str(self.path)) from None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all that happens inside, or nothing."""
        with self._lock, self._told():
            if self._db.in_transaction:  # a part of another one
                yield self._db
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite ends it itself when the disk is full
                    self._db.execute("ROLLBACK")
                raise

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """What a query finds."""
        with self._lock, self._told():
            return self._db.execute(query, values).fetchall()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def last(self) -> Mapping[str, Any]:
        """The last regression; empty without one."""
        found = self.rows("SELECT * FROM regressions ORDER BY id DESC LIMIT 1")
        return dict(found[0]) if found else {}

    def begin(
        self,
        number: int,
        options: Mapping[str, Any],
        root_seed: int | None,
        jobs: Mapping[Group, Iterable[PlannedRun]],
    ) -> None:
        """A new regression with all its jobs."""
        about = json.dumps({group.sim: origin(group.sim) for group in jobs})
        readings = {group.profile: readings_of(group.profile) for group in jobs}
        seed = None if root_seed is None else str(root_seed)
        with self._writing() as db:
            db.execute(
                "INSERT INTO regressions (id, began, options, root_seed, origin) "
                "VALUES (?, ?, ?, ?, ?)",
                (number, now(), json.dumps({**options, "profiles": readings}), seed, about),
            )
            for group, runs in jobs.items():
                self.add(number, group, runs)

    def add(self, number: int, group: Group, runs: Iterable[PlannedRun]) -> None:
        """Jobs more."""
        rows = [
            (
                *(number, group.sim, group.profile, run.block, run.test, str(run.seed)),
                *(run.cycles, run.start, json.dumps(run.knobs), run.where),
            )
            for run in runs
        ]
        query = (
            "INSERT INTO jobs (regression, sim, profile, block, test, seed, cycles_wanted, start, "
            f"knobs, condition) VALUES ({', '.join('?' * 10)})"
        )
        with self._writing() as db:
            db.executemany(query, rows)

    def root_seed(self, number: int) -> int | None:
        """What all seeds of a regression come from."""
        (row,) = self.rows("SELECT root_seed FROM regressions WHERE id = ?", number)
        return None if row[0] is None else int(row[0])

    def resume(self, number: int) -> None:
        """What was running when all ended is to be done."""
        with self._writing() as db:
            db.execute("UPDATE regressions SET ended = NULL WHERE id = ?", (number,))
            db.execute(
                "UPDATE jobs SET state = 'todo' WHERE regression = ? AND state = 'running'",
                (number,),
            )

    def jobs(self, number: int, group: Group, condition: str = "true") -> dict[PlannedRun, int]:
        """The jobs of a group of which an SQL condition is true, and their numbers."""
        found = self.rows(
            f"SELECT * FROM jobs WHERE regression = ? AND sim = ? AND profile = ? AND {condition} "
            "ORDER BY id",
            *(number, group.sim, group.profile),
        )
        return {planned(row): row["id"] for row in found}

    def running(self, job: int) -> None:
        """A job was begun."""
        with self._writing() as db:
            db.execute("UPDATE jobs SET state = 'running' WHERE id = ? AND state = 'todo'", (job,))

    def done(self, job: int, outcome: Outcome, group: Group) -> None:
        """Store a verdict and all that belongs to it, unless there is one already."""
        bins = coverage = None
        if outcome.passed and outcome.coverage_file is not None:
            coverage = CoverageReport.read_json(outcome.coverage_file)
            bins = zlib.compress(np.packbits(hits(coverage, coverage.points)).tobytes())
        about = origin(group.sim)
        report = None
        if not outcome.passed and outcome.report is not None and outcome.report.is_file():
            report = outcome.report.read_text(errors="replace")[:_LONGEST]
        found = {name: getattr(outcome, name) for name in _OF_OUTCOME}
        found |= {"verdict": outcome.status, "report": report, "ended": now(), "bins": bins}
        found["counts"] = json.dumps(dict(outcome.counts))
        found["revision"] = about["revision"] + ("+" if about["modified"] else "")
        names = ", ".join(f"{name} = :{name}" for name in found)
        with self._writing() as db:
            if coverage is not None:
                coverage.points = {p: dict.fromkeys(b, 0) for p, b in coverage.points.items()}
                db.execute(
                    "INSERT OR IGNORE INTO plans SELECT regression, block, ?, ? FROM jobs "
                    "WHERE id = ?",
                    (group.profile, json.dumps([coverage.points, coverage.axes]), job),
                )
            query = f"UPDATE jobs SET state = 'done', {names} WHERE id = :id AND state <> 'done'"
            db.execute(query, {**found, "id": job})

    def end(self, number: int) -> None:
        """A regression has come to its end, whether or not all was done."""
        with self._writing() as db:
            db.execute("UPDATE regressions SET ended = ? WHERE id = ?", (now(), number))

    def choose_again(self, number: int, most: int) -> None:
        """Have ``most`` jobs run once more, of those that ended with a digest; spread over all."""
        with self._writing() as db:
            found = db.execute(
                "SELECT id FROM jobs WHERE regression = ? AND digest <> '' AND again IS NULL "
                "ORDER BY id",
                (number,),
            ).fetchall()
            most = min(most, len(found))
            chosen = [found[index * len(found) // most] for index in range(most)]
            db.executemany("UPDATE jobs SET again = 'todo' WHERE id = ?", map(tuple, chosen))

    def again(self, job: int, outcome: Outcome) -> bool:
        """Store whether a job that ran once more had the same verdict and traces."""
        with self._writing() as db:
            same = "verdict = :verdict AND digest = :digest"
            db.execute(
                f"UPDATE jobs SET again = iif({same}, 'same', 'differs') WHERE id = :id",
                {"verdict": outcome.status, "digest": outcome.digest, "id": job},
            )
        return bool(self.rows("SELECT again = 'same' FROM jobs WHERE id = ?", job)[0][0])

    def hits(self, number: int, block: str, profile: str, bins: int) -> Iterator[NDArray[np.bool_]]:
        """Whether each of so many ``bins`` was hit, job by job, in the order of their ends."""
        for row in self.rows(
            "SELECT bins FROM jobs WHERE regression = ? AND block = ? AND profile = ? "
            "AND bins IS NOT NULL ORDER BY ended, id",
            *(number, block, profile),
        ):
            packed = np.frombuffer(zlib.decompress(row["bins"]), dtype=np.uint8)
            yield np.unpackbits(packed, count=bins).astype(bool)

    def covered(self, number: int) -> dict[tuple[str, str], CoverageReport]:
        """Block and profile → in how many passed jobs each bin was hit.

        The report's profile is called as what it was is called now.
        """
        found = {}
        known = {}
        for row in self.rows("SELECT options FROM regressions WHERE id = ?", number):
            known = json.loads(row["options"]).get("profiles", {})
        for plan in self.rows("SELECT * FROM plans WHERE regression = ?", number):
            block, profile = plan["block"], plan["profile"]
            points, axes = json.loads(plan["report"])
            counts: NDArray[np.int64] = np.zeros(sum(map(len, points.values())), dtype=np.int64)
            rows = 0
            for hit in self.hits(number, block, profile, len(counts)):
                counts += hit
                rows += 1
            values = iter(counts.tolist())
            points = {
                point: {name: next(values) for name in bins} for point, bins in points.items()
            }
            axes = {point: tuple(names) for point, names in axes.items()}
            called = profile_of({"block": block, "profile": profile, **known.get(profile, {})})
            found[block, profile] = CoverageReport(block, called, rows, points, axes)
        return found


def planned(row: sqlite3.Row) -> PlannedRun:
    """The run that a row of ``jobs`` stands for."""
    return PlannedRun(
        *(row["block"], row["test"], int(row["seed"]), row["cycles_wanted"], row["start"]),
        *(tuple(json.loads(row["knobs"])), row["condition"]),
    )
