# SPDX-License-Identifier: Apache-2.0
"""``tilepath watch``: a line for each save, about what the saved files are part of.

The process that watches loads no block: each verdict is that of a new process, which has the code
as it is now. It looks whether the block has the saved files at all, and does the block's tests one
after the other until one fails or their time is over. Where only the model changed, the traces that
stand in the folder of results are checked by it, and nothing is simulated.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

from rich.console import Console

from tilepath.engine.checking.stored import check_run
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.jobs import check_profile
from tilepath.engine.commands.processes import Interrupted, end_descendants, signals_raise
from tilepath.engine.commands.regression import Outcome
from tilepath.engine.commands.report import ShowProgress
from tilepath.engine.commands.results import output_directory
from tilepath.engine.commands.run_list import PlannedRun, RunList, Selection, make_run_list
from tilepath.engine.commands.simulation import EngineRunner, RunOptions
from tilepath.engine.description.blame import told
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.host.build import BuildError

FOLDERS: Final = ("engine", "isa", "models", "rtl", "sequences", "tb")
_ALWAYS: Final = ("isa", "engine")  # of every block, and in part loaded by simulators only
_CYCLES: Final = 2_048
_START: Final = 1  # of all runs, which therefore share a warm simulator


@dataclass(frozen=True)
class Watched:
    """What is watched; ``tests``: names or patterns. No test begins after ``seconds``."""

    block: str
    tests: tuple[str, ...]
    sim: str
    profile: str
    out: str
    seconds: int


def watch_block(what: Watched) -> None:
    """Print a line at the start, and one for each save from then on, until Ctrl-C.

    Raises:
        UsageError: an unknown block, test or profile, a simulator or watchfiles that is missing, a
            folder of results in use.
    """
    try:
        from watchfiles import watch
    except ImportError:
        raise UsageError("watching needs watchfiles: pip install 'tilepath[watch]'") from None
    check_profile(what.profile)
    _runner(what).check(_plan(what))
    with output_directory(Path(what.out)), signals_raise():
        try:
            begun = False  # nothing saved since is missed: the first verdict comes when it watches
            folders = [ROOT / name for name in FOLDERS]
            for saves in watch(
                *folders, raise_interrupt=True, rust_timeout=200, yield_on_timeout=True
            ):
                if saves or not begun:
                    _say(what, sorted({path for _, path in saves}) if begun else ())
                begun = True
        except (Interrupted, KeyboardInterrupt):  # how it ends: watchfiles turns one into the other
            end_descendants([])


def _say(what: Watched, paths: Sequence[str]) -> None:
    """Print what a new process says of ``paths``, or of all where there are none."""
    began = time.monotonic()
    for path in paths:
        if path.endswith(".py"):  # a second save in one second, of one size, would be its first
            Path(cache_from_source(path)).unlink(missing_ok=True)
    orders = json.dumps([asdict(what), list(paths)])
    command = [sys.executable, "-m", "tilepath.engine.commands.watch", orders]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = done.stdout.strip() or done.stderr.strip().rpartition("\n")[2]
    if text or done.returncode:
        at = time.strftime("%H:%M:%S")
        print(f"{at} {text or 'it ended'} ({time.monotonic() - began:.1f} s)", flush=True)


def _runner(what: Watched) -> EngineRunner:
    out = Path(what.out)
    return EngineRunner(RunOptions(what.sim, what.profile, out, _CYCLES, coverage=False, keep=True))


def _plan(what: Watched) -> RunList:
    """A run of each test, and the same ones each time."""
    plan = make_run_list(Selection((what.block,), what.tests, seeds=1, root_seed=1))
    runs = {r.test: PlannedRun(r.block, r.test, r.seed, start=_START) for r in plan.runs}
    return RunList(1, tuple(runs.values()))


def verdict(what: Watched, paths: Sequence[Path]) -> str:
    """What there is to say of a save; empty where the block has none of these files."""
    # what has neither contents nor suffix was an editor's
    mine = [p.relative_to(ROOT).as_posix() for p in paths if p.exists() or p.suffix]
    try:
        mine = [name for name in mine if _is_part(what, ROOT / name, name)]
        if paths and not mine:
            return ""
        if not all(name.startswith("models/") for name in mine) or not mine:
            shutil.rmtree(Path(what.out) / what.block, ignore_errors=True)
        became = _all(what, _first(_plan(what), paths))
    except (BuildError, UsageError) as error:
        became = f"FAIL: {error}"
    except Exception as error:  # its Python does not load, for one
        became = f"FAIL: {told(error)}"
    of = ", ".join(mine) if len(mine) < 4 else f"{len(mine)} files"
    return f"{of or what.block}: {became}"


def _is_part(what: Watched, path: Path, name: str) -> bool:
    """Whether the block is made of ``path``, as far as its Python tells."""
    described = load_block(what.block)
    tests_of(what.block)
    for make in filter(None, (described.model, described.untimed)):
        make(what.profile)  # loads it
    sources = {*described.rtl_sources(), *described.harness_sources()}
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    loaded = {Path(file) for file in files if file}
    if path.suffix == ".py" and path.exists():
        return path in loaded or name.startswith(_ALWAYS)
    return path.parent in {one.parent for one in (*sources, *loaded)} or name.startswith(_ALWAYS)


def _first(plan: RunList, paths: Sequence[Path]) -> list[PlannedRun]:
    """Its runs, those of tests that are in ``paths`` first."""

    def elsewhere(run: PlannedRun) -> bool:
        module = sys.modules.get(tests_of(run.block)[run.test].stimulus.__module__)
        return Path(getattr(module, "__file__", None) or "") not in paths

    return sorted(plan.runs, key=elsewhere)


def _all(what: Watched, runs: Sequence[PlannedRun]) -> str:
    """Do ``runs`` until one fails or the time is over; what became of them."""
    runner, events = _runner(what), 0
    runner.build(what.block, ShowProgress(Console(quiet=True), runs))
    began = time.monotonic()
    for number, run in enumerate(runs):
        if number and time.monotonic() - began > what.seconds:
            return f"pass, {number} of {len(runs)} tests, {events:,} events"
        folder = run.folder(Path(what.out))
        stored = (folder / "result.json").exists()
        one = check_run(folder) if stored else runner.run(run)
        events += one.events
        if one.status != "pass":
            again = one.command if isinstance(one, Outcome) else f"tilepath check {folder}"
            return f"FAIL {run.test}: {one.message.strip().splitlines()[0]}; again: {again}"
    return f"pass, {len(runs)} tests, {events:,} events"


if __name__ == "__main__":
    orders, saved = json.loads(sys.argv[1])
    orders["tests"] = tuple(orders["tests"])
    print(verdict(Watched(**orders), [Path(path) for path in saved]))
