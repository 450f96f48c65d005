# SPDX-License-Identifier: Apache-2.0
"""What earlier regressions say about the next one, and which sources verdicts depend on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tilepath import __version__
from tilepath.engine.commands.regress.store import Group, Store, planned
from tilepath.engine.commands.run_list import PlannedRun
from tilepath.engine.description.block import ROOT
from tilepath.engine.host.store import content_key
from tilepath.engine.project import ENGINE

_FOLDERS: Final = ("isa", "models", "rtl", "tb", "sequences")
_COMMANDS: Final = ENGINE / "commands"  # no verdict depends on them
# of an installed package's files: a worker may have one of these, or a checkout
_SUFFIXES: Final = frozenset(
    (".py", ".sv", ".svh", ".taps", ".tt", ".toml", ".pipe", ".kernel", ".txt", ".json")
)


@cache
def sources(own: tuple[str, ...] = ()) -> str:
    """Stands for the version of the project, and the contents of all that verdicts depend on.

    ``own``: files of the user's among it.
    """
    folders = (ENGINE, *(ROOT / folder for folder in _FOLDERS))
    read = {
        path.relative_to(folder.parent).as_posix(): path.read_bytes()
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in _SUFFIXES and path.is_file() and _COMMANDS not in path.parents
    }
    read |= {name: Path(name).read_bytes() for name in own if Path(name).is_file()}
    return content_key([__version__], dict(sorted(read.items())))


def failed_first(
    stores: Iterable[Store], group: Group, runs: Sequence[PlannedRun]
) -> list[PlannedRun]:
    """``runs`` in the order in which to begin them, behind some that failed before.

    Of the last regression of each block in each store: the shortest job of each group of failures
    with the same signature, whose tests are among those of ``runs``; then the tests that failed.
    """
    tests = {(run.block, run.test) for run in runs}
    again: dict[str, PlannedRun] = {}  # signature
    failed = set()
    for store in stores:
        for block in {run.block for run in runs}:
            of = (group.sim, group.profile, block)
            mine = "sim = ? AND profile = ? AND block = ? AND state = 'done'"
            for row in store.rows(
                f"SELECT * FROM jobs WHERE {mine} AND verdict <> 'pass' AND regression = "
                f"(SELECT max(regression) FROM jobs WHERE {mine}) ORDER BY cycles, seconds",
                *(*of, *of),
            ):
                run = planned(row)
                if (run.block, run.test) in tests:
                    failed.add((run.block, run.test))
                    again.setdefault(f"{block} {row['signature']}", run)
    rest = sorted(runs, key=lambda run: (run.block, run.test) not in failed)
    folders = {(run.block, run.test, run.seed): run for run in (*rest[::-1], *again.values())}
    first = [run for run in again.values() if folders[run.block, run.test, run.seed] == run]
    return list(dict.fromkeys((*first, *(folders[r.block, r.test, r.seed] for r in rest))))
