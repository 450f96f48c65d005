# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath shrink`` does."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from tilepath.cli.errors import UsageError
from tilepath.cli.processes import Interrupted, end_descendants, signals_raise
from tilepath.cli.report import make_console
from tilepath.cli.shrink import items
from tilepath.cli.shrink.items import PLAYED, One
from tilepath.cli.shrink.reduce import Reduction, Spent
from tilepath.tb.kernel.checking.stored import stored_run
from tilepath.tb.kernel.description.registry import load_block, with_files
from tilepath.tb.kernel.host.files import write_whole
from tilepath.tb.kernel.host.request import RunRequest, RunResult
from tilepath.tb.kernel.host.run import run

_BLOCK_CYCLES = 512  # between two checks: a candidate ends soon behind its failure
_CYCLES = 50_000  # longer than a candidate can be


def shrink(run_dir: Path, out: Path | None, seconds: float) -> int:
    """Write the least of a failing run's items that fails as it did; the exit status.

    Ctrl-C, or the end of ``seconds``, writes the least so far. ``out``: the file, by default
    ``shrunk_<block>_<seed>.py`` here.

    Raises:
        UsageError: no such run, one that passed or kept no stimulus, one that does not fail alike
            when its items are played again, or no file to write.
    """
    request, wanted = _failed(run_dir)
    block = load_block(request.block)
    path = out or Path(f"shrunk_{request.block}_{request.seed}.py")
    if path.suffix != ".py" or not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: a file of tests is called .py, and its folder is there")
    every = items.stored(run_dir, block)
    console = make_console()
    with tempfile.TemporaryDirectory() as folder:
        played = items.write_played(Path(folder), request.block)
        numbers = itertools.count(1)
        said: dict[int, str] = {}

        def fails(some: Sequence[One]) -> bool:
            seed = next(numbers)
            file = Path(folder) / f"{seed}.npz"
            np.savez(file, **items.arrays(some))
            result = run(replace(_candidate(request, Path(folder)), seed=seed))
            file.unlink()
            return result.signature == wanted

        def told(found: Reduction) -> None:
            now = f"{len(found.best)} of {len(every)} items, {found.tried} runs"
            if said.setdefault(len(found.best), now) is now:
                console.print(now, markup=False)

        found = Reduction(
            every,
            fails,
            lambda one: items.simpler(one, block.player_table[one.player]),
            seconds,
            told,
        )
        ended = "nothing more can be left out"
        with with_files([played]):
            if not fails(every):
                raise UsageError(f"{run_dir} does not fail alike when its items are played again")
            try:
                with signals_raise():
                    found.reduce()
            except Spent:
                ended = f"after {seconds:g} s"
            except Interrupted:
                ended = "interrupted"
                end_descendants([])
    about = f"{request.block}, {request.test}, seed {request.seed}: {wanted}".replace('"', "'")
    text = items.directed(block, path.stem, about, found.best)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    console.print(f"{wanted}: {len(found.best)} of {len(every)} items; {ended}", markup=False)
    for one in found.best:
        player = block.player_table[one.player]
        fields = items.values(one, player)
        line = f"  {one.player} {fields}{items.comment(block, player, fields)}"
        console.print(line, markup=False, soft_wrap=True)
    start = f" --start {request.begins_with}"
    console.print(f"again: tilepath run --tests {path}{start}", markup=False, soft_wrap=True)
    return 0


def _candidate(request: RunRequest, folder: Path) -> RunRequest:
    """As ``request``, but for what is played, and without all that costs time."""
    return RunRequest(
        *(request.block, PLAYED, request.seed, request.sim),
        profile=request.profile,
        cycles=_CYCLES,
        out_dir=folder / "runs",
        coverage=False,
        block_cycles=_BLOCK_CYCLES,
        source_root=request.source_root,
        build_root=request.build_root,
        rerun_for_waves=False,
        start=request.begins_with,
    )


def _failed(run_dir: Path) -> tuple[RunRequest, str]:
    """What was run in a folder, and the signature of its failure."""
    if not (run_dir / "request.json").is_file():
        raise UsageError(f"{run_dir} is not the directory of a run")
    try:
        request, _ = stored_run(run_dir)
        result = RunResult.from_json(run_dir / "result.json")
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not result.signature:
        raise UsageError(f"{run_dir} holds a run that did not fail, or of an older version")
    return request, result.signature
