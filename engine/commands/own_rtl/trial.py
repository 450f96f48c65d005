# SPDX-License-Identifier: Apache-2.0
"""A design is compiled and runs a little before anything is left behind by a regression of it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tilepath.engine.checking.stored import stored_run
from tilepath.engine.checking.trace import stored_blocks
from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.jobs import check_profile
from tilepath.engine.commands.own_rtl.elaborated import shown_path
from tilepath.engine.commands.own_rtl.own import OwnRtl, own_rtl
from tilepath.engine.commands.report import ShowProgress, make_console
from tilepath.engine.commands.run_list import PlannedRun, RunList
from tilepath.engine.commands.simulation import KernelRunner, RunOptions
from tilepath.engine.description.block import OWN, Block
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.host.build import BuildError

_CYCLES: Final = 2_000
_ERROR: Final = re.compile(
    rf"^(?:%Error(?:-\w+)?: )?{OWN}/(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?: "
    r"(?!warning)(?:error: )?(?P<text>.+)$",
    re.MULTILINE,
)
_UNKNOWN: Final = re.compile(r"X or Z in stream .*")


def design(
    blocks: Sequence[str],
    given: Sequence[str] | None,
    top: str,
    sims: Sequence[str],
    profiles: Sequence[str],
) -> OwnRtl | None:
    """The design that was typed, tried with each simulator and profile; ``None`` if none was.

    Raises:
        UsageError: as :func:`own_rtl`; a simulator refuses it, an output is unknown, or none ever
            changes.
    """
    own = None
    for profile in profiles:
        check_profile(profile)
        own = own_rtl(blocks, given or (), top, profile)
        if own is None:
            return None
        for sim in sims:
            try_out(own, RunOptions(sim, profile, Path(), coverage=False, waves=False, rtl=own))
    return own


def try_out(own: OwnRtl, options: RunOptions) -> None:
    """Compile a design and run it for some cycles, elsewhere; ``UsageError``, as above."""
    tests = tests_of(own.block)
    random = (name for name in tests if name.startswith("random_default"))
    planned = PlannedRun(own.block, next(random, next(iter(tests))), 1, _CYCLES)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        runner = KernelRunner(replace(options, out=Path(folder)))
        runner.check(RunList(None, (planned,)))
        with ShowProgress(make_console(), ()) as progress:
            try:
                runner.build(own.block, progress)
            except BuildError as error:
                raise _refused(own, options.sim, str(error)) from None
        outcome = runner.run(planned)
        if unknown := _UNKNOWN.search(outcome.message):
            raise UsageError(
                f"{own.name}: {unknown[0]}: is every output driven, and every register that it "
                "comes from reset?"
            )
        run_dir = Path(folder) / own.block / f"{planned.test}-{planned.seed}"
        if outcome.status == "fail" and not _moves(run_dir, load_block(own.block)):
            raise UsageError(
                f"{own.name}: no output changes in {_CYCLES:,} cycles of {planned.test}: does it "
                "come out of reset? rst_ni is 0 in reset"
            )


def _moves(run_dir: Path, block: Block) -> bool:
    """Whether the design of a run has done anything."""
    _, ends = stored_run(run_dir)
    streams = block.stream_table
    outputs = {name: one for name, one in streams.items() if one.direction == "output"}
    parts = stored_blocks(run_dir / "trace", outputs, ends)
    return any(len(records) for part in parts for records in part.streams.values())


def _refused(own: OwnRtl, sim: str, text: str) -> UsageError:
    """The first error of a simulator in one of the user's files, with the source line."""
    found = _ERROR.search(text)
    if found is None:
        return UsageError(f"{sim} cannot compile {own.name}: {text.splitlines()[-1]}")
    path, line = own.common / found["file"], int(found["line"])
    lines = path.read_text(errors="replace").splitlines()
    shown = f"{line:5} | {lines[line - 1]}" if line <= len(lines) else ""
    return UsageError(f"{shown_path(str(path))}:{line}: {sim}: {found['text']}", shown)
