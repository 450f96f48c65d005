# SPDX-License-Identifier: Apache-2.0
"""Other people's benches: writes recorders for them, checks what these have recorded."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.foreign import MANIFEST, ForeignRun
from tilepath.engine.checking.mismatch import MismatchError
from tilepath.engine.checking.trace import TraceError
from tilepath.engine.commands import junit, report
from tilepath.engine.commands.compiling import announce_loops
from tilepath.engine.commands.errors import for_user, writing
from tilepath.engine.commands.given import check_block
from tilepath.engine.commands.regression import Outcome, exit_status
from tilepath.engine.commands.results import output_directory
from tilepath.engine.commands.run_list import RunList
from tilepath.engine.commands.simulation import outcome_of
from tilepath.engine.commands.until import Coverage
from tilepath.engine.description.blame import told
from tilepath.engine.description.bound import bound_recorder
from tilepath.engine.description.registry import load_block
from tilepath.engine.host.files import write_whole
from tilepath.engine.host.origin import now
from tilepath.engine.host.request import RunResult
from tilepath.engine.host.traits import signature

_SIM: Final = "another"  # what results say of the simulator
_PATIENCE: Final = 5.0  # seconds between two lines of progress


def write_recorders(block: str, profile: str, out: Path | None) -> None:
    """Write the recorder of a block to ``out``, or print it.

    Raises:
        UsageError: there is no such block or profile, it has no RTL, ``out`` cannot be written.
    """
    check_block(block)
    with for_user(ValueError):
        text = bound_recorder(load_block(block), profile)
    if out is None:
        print(text, end="")
        return
    with writing(out):
        write_whole(out, text.encode())
    print(f"wrote {out}: what it records, and what it needs, is at its beginning")


def is_foreign(folder: Path) -> bool:
    """Whether another bench has left its traces there."""
    return (folder / MANIFEST).exists()


def check_traces(folders: Sequence[Path], asked: str | None, out: Path) -> int:
    """Check traces of other benches, with results in ``out`` as of a regression; the status.

    Raises:
        UsageError: anything in a folder that is not as it has to be; then nothing is written.
    """
    announce_loops()
    with for_user(TraceError):
        found = [ForeignRun(folder, asked) for folder in folders]
    console, began = report.make_console(), now()
    with output_directory(out):
        outcomes = [_checked(*one, out) for one in zip(folders, count(), found, strict=False)]
        report.print_results(console, outcomes, len(outcomes))
        covered = Coverage()
        covered.add(outcomes)
        for block, merged in covered.reports.items():
            merged.write_json(out / block / "coverage.json")
        report.print_coverage_summary(console, covered.reports)
        plan = RunList(None, tuple(one.run for one in outcomes))
        about = {"sim": _SIM, "profile": ", ".join(dict.fromkeys(one.profile for one in found))}
        junit.write(out / "results.xml", junit.Part(plan, outcomes, began, about))
    report.say(console, f"results: {out / 'results.xml'}")
    return exit_status(outcomes)


def _checked(folder: Path, number: int, run: ForeignRun, out: Path) -> Outcome:
    """Check one folder, say what is left out of it, and store its result."""
    say = partial(report.say, report.make_console())
    block = run.block
    say(f"{folder}: {run.cycles:,} cycles of {block.name}, profile {run.profile}")
    if run.left_out:
        say(f"  not recorded, so not compared: {', '.join(run.left_out)}")
    if silent := [name for name in block.inputs if not len(run.streams[name])]:
        say(f"  inputs without a record: {', '.join(silent)}")
    run_dir = out / block.name / f"{folder.resolve().name}-{number}"
    shutil.rmtree(run_dir, ignore_errors=True)
    run_dir.mkdir(parents=True)
    began, since = now(), time.monotonic()
    told_at, cycle = since, 0
    status, message, text, alike = "pass", "", "", ""
    try:
        for cycle in run.steps():
            if time.monotonic() > told_at + _PATIENCE:
                told_at = time.monotonic()
                print(f"checked {cycle:,} of {run.cycles:,} cycles", file=sys.stderr)
        run.coverage.report().write_json(run_dir / "coverage.json")
    except CheckError as error:
        status, message, text, cycle = "fail", str(error), error.report, error.cycle or cycle
        alike = error.mismatch.signature() if isinstance(error, MismatchError) else ""
    except Exception as error:  # of the model, which may not take what was recorded
        status, message = "error", f"the model cannot follow the traces: {told(error)}"
    command = f"tilepath check {folder} --block {block.name}"
    if text:
        facts = {"traces": folder, "profile": run.profile, "again": command}
        text += "\n" + "".join(f"  {key:<8}{value}\n" for key, value in facts.items())
        write_whole(run_dir / "report.txt", text.encode())
        say(text)
    result = RunResult(
        *(block.name, folder.resolve().name, number, _SIM, run.profile, status, cycle),
        events=run.checker.events,
        seconds=time.monotonic() - since,
        message=message,
        run_dir=run_dir,
        command=command,
        faults=run.faults.total,
        coverage_file=run_dir / "coverage.json" if status == "pass" else None,
        report=run_dir / "report.txt" if text else None,
        began=began,
        signature=signature(message, alike) if message else "",
        counts={n: c for n, c in {**run.checker.recorded, **run.checker.compared}.items() if c},
    )
    result.write_json()
    return outcome_of(result)
