# SPDX-License-Identifier: Apache-2.0
"""The folder of a regression's results: whose it is, what in it failed, what a new one removes.

A run's folder is ``<block>/<test>-<seed>``; its verdict is in ``result.json`` there.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from tilepath.engine.commands.errors import UsageError, for_user
from tilepath.engine.commands.run_list import PlannedRun, RunList, Selection, select
from tilepath.engine.host import locks
from tilepath.engine.host.children import all_inherit
from tilepath.engine.host.files import check_room
from tilepath.engine.host.request import RunRequest, RunResult


@contextlib.contextmanager
def output_directory(path: Path, *, waits: bool = False) -> Iterator[None]:
    """Make ``path`` and keep other regressions out of it meanwhile.

    Where another one is using it this one ``waits``, and says so, or ends.

    Raises:
        UsageError: it cannot be written, or another regression is using it.
    """
    file = path / ".lock"
    with contextlib.ExitStack() as stack:
        try:
            what = f"{path} is written to" if waits else ""
            handle = stack.enter_context(locks.held(file, what))
            check_room(path)
        except BlockingIOError:
            raise UsageError(
                f"another regression, or what is left of one, is writing to {path}"
                f"{locks.named(locks.holders(file))}: wait for it, or give another directory"
            ) from None
        except OSError as error:
            raise UsageError(f"cannot write to {path}: {error.strerror}") from None
        stack.enter_context(all_inherit(handle))
        yield


def forget_earlier(out: Path, plan: RunList) -> None:
    """Remove what an earlier regression left, so that nothing of it is taken for this one's.

    Of the tests to be run, folders of other seeds stay when these failed: they are being looked
    into. With a seed given, or with runs chosen one by one, all folders of other seeds stay. What
    did not pass stays until that very run begins again: it may be that this regression ends before.
    """
    (out / "results.xml").unlink(missing_ok=True)
    for block in plan.blocks:
        (out / block / "coverage.json").unlink(missing_ok=True)
    planned = {run.folder(out) for run in plan.runs}
    for folder in planned:
        if _verdict(folder) in ("pass", ""):
            _remove(folder)
    if plan.root_seed is None:
        return
    for block, test in {(run.block, run.test) for run in plan.runs}:
        for folder in set((out / block).glob("*")) - planned:
            ours = re.fullmatch(rf"{re.escape(test)}-\d+", folder.name)
            if ours and _verdict(folder) in ("pass", "unfinished", ""):
                _remove(folder)


def _remove(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)


def _verdict(folder: Path) -> str:
    """The status of the run in ``folder``, ``unfinished`` without one; empty: there is no run."""
    if not (folder / "request.json").is_file():
        return ""
    try:
        return RunResult.from_json(folder / "result.json").status
    except ValueError:
        return "unfinished"


def plan_failed(out: Path, sim: str, profile: str, selection: Selection) -> RunList:
    """Every run in ``out`` that failed or did not end, of those that ``selection`` allows.

    Raises:
        UsageError: there is none, or seeds are asked for.
    """
    if not (selection.seed is selection.seeds is selection.root_seed is None):
        raise UsageError("runs that failed are run again with their own seeds: give none")
    chosen = select(selection)
    runs: list[PlannedRun] = []
    others: set[str] = set()
    for path in sorted(out.glob("*/*/request.json")):
        with for_user(ValueError):
            request = RunRequest.from_json(path)
        if request.sim != sim or _verdict(path.parent) == "pass":
            continue
        if request.profile != profile:  # perhaps what it was before a parameter was added
            others.add(request.profile)
            continue
        if request.test in chosen.tests.get(request.block, {}):
            runs.append(
                PlannedRun(
                    *(request.block, request.test, request.seed, request.cycles, request.start),
                    *(request.knobs, request.where),
                )
            )
    if not runs:
        text = f"no run of these tests with {sim}, profile {profile}, failed in {out}"
        raise UsageError(f"{text}{''.join(f'; some did with {one}' for one in sorted(others))}")
    return RunList(None, tuple(runs), chosen.broken)
