# SPDX-License-Identifier: Apache-2.0
"""What ``tilepath shrink`` does."""

from __future__ import annotations

import itertools
import json
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console

from tilepath.engine.checking.stored import stored_run
from tilepath.engine.commands.errors import UsageError, for_user, writing
from tilepath.engine.commands.given import check_run_dir
from tilepath.engine.commands.own_rtl.own import own_rtl
from tilepath.engine.commands.processes import Interrupted, end_descendants, signals_raise
from tilepath.engine.commands.report import make_console, say
from tilepath.engine.commands.shrink import items
from tilepath.engine.commands.shrink.items import PLAYED, One
from tilepath.engine.commands.shrink.program import program
from tilepath.engine.commands.shrink.reduce import Reduction, Spent
from tilepath.engine.description.block import Block
from tilepath.engine.description.registry import load_block, with_files
from tilepath.engine.host.files import write_whole
from tilepath.engine.host.launch import BY_ITSELF
from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.engine.host.run import run
from tilepath.engine.stimulus.programs import SUFFIX

_BLOCK_CYCLES = 64  # between two checks: a candidate ends soon behind its failure
_BLOCKS = 8  # of the run of all items, the last one of which ends just behind the failure
_SHOWN = 20  # items; all are in the file
_CYCLES = 50_000  # longer than a candidate can be
_LATER = 128  # cycles, or a quarter, by which a candidate may fail later than the run did


def shrink(run_dir: Path, out: Path | None, seconds: float, jobs: int) -> int:
    """Write the least of a failing run's items that fails as it did; the exit status.

    ``jobs`` candidates are tried at once. Ctrl-C, or the end of ``seconds``, writes the least so
    far. ``out``: the file, by default ``shrunk_<block>_<seed>.py`` here.

    Raises:
        UsageError: no such run, one that passed or kept no stimulus, one that does not fail alike
            when its items are played again, or no file to write.
    """
    request, wanted, lengths, cycles = _failed(run_dir)
    block = load_block(request.block)
    own = own_rtl([request.block], request.rtl, request.top, request.profile)
    if own:  # as it is now: it may have been mended
        request = replace(request, source_root=own.tree, **own.of_request())
    path = out or Path(f"shrunk_{request.block}_{request.seed}.py")
    if path.suffix != ".py" or not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: a file of tests is called .py, and its folder is there")
    every = items.stored(run_dir, block)
    console = make_console()
    # a process whose parent was ended may still write there
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        tries = _Tries(request, block, Path(folder), cycles)
        with with_files([tries.played]):
            best, ended = _reduced(tries, every, (wanted, lengths), seconds, jobs, console)
    if best is None:
        raise UsageError(f"{run_dir} does not fail alike when its items are played again: {wanted}")
    best = items.as_played(best, block)
    about = f"{request.block}, {request.test}, seed {request.seed}: {wanted}".replace('"', "'")
    files = written(block, path, about, best, request.profile)
    lines = [f"{wanted}: {len(best)} of {len(every)} items; {ended}"]
    for one in best[:_SHOWN]:
        player = block.player_table[one.player]
        fields = items.values(one, player)
        lines.append(f"  {one.player} {fields}{items.comment(block, player, fields)}")
    typed = f"again: tilepath run --tests {path} --start {request.begins_with}"
    lines.append(" ".join([typed, *(["--block", block.name, *own.typed()] if own else [])]))
    say(console, *lines, *(f"as a program: {file}" for file in files[1:]))
    return 0


def written(
    block: Block, path: Path, about: str, some: Sequence[One], profile: str
) -> tuple[Path, ...]:
    """Write the test, and beside it the program if there is one; the files."""
    texts = {path: items.directed(block, path.stem, about, some)}
    if text := program(block, about, some, profile):
        texts[path.with_suffix(SUFFIX)] = text
    for file, text in texts.items():
        with writing(file):
            write_whole(file, text.encode())
    return tuple(texts)


class _Tries:
    """Plays items as a run of its own, as ``request`` but without all that costs time."""

    def __init__(self, request: RunRequest, block: Block, folder: Path, cycles: int) -> None:
        self.played = items.write_played(folder, request.block)
        self.block = block
        self._folder = folder
        self._numbers = itertools.count(1)
        self._request = RunRequest(
            *(request.block, PLAYED, request.seed, request.sim),
            profile=request.profile,
            cycles=cycles,
            out_dir=folder / "runs",
            coverage=False,
            source_root=request.source_root,
            build_root=request.build_root,
            start=request.begins_with,
            rtl=request.rtl,
            top=request.top,
            left_out=request.left_out,
        )

    def run(self, some: Sequence[One], block_cycles: int = _BLOCK_CYCLES) -> RunResult:
        """What comes of these items; called from several threads."""
        seed = next(self._numbers)
        file = self._folder / f"{seed}.npz"
        np.savez(file, **items.arrays(some, self.block))
        result = run(replace(self._request, seed=seed, block_cycles=block_cycles))
        file.unlink()
        return result

    def fails(self, some: Sequence[One], wanted: str) -> bool:
        """Whether they fail with this signature; nothing stays of the run."""
        result = self.run(some)
        shutil.rmtree(result.run_dir, ignore_errors=True)
        return result.signature == wanted


def _reduced(
    tries: _Tries,
    every: Sequence[One],
    failure: tuple[str, Sequence[int]],
    seconds: float,
    jobs: int,
    console: Console,
) -> tuple[list[One] | None, str]:
    """The least of ``every`` that fails as it does, ``None`` if it does not, and why no less.

    ``failure``: its signature, and lengths of blocks of cycles to try all items with.
    """
    wanted, lengths = failure
    until = time.monotonic() + seconds
    said: dict[int, str] = {}

    def told(found: Reduction) -> None:
        now = f"{len(found.best)} of {len(every)} items, {found.tried} runs"
        if said.setdefault(len(found.best), now) is now:
            say(console, now)

    runs = (tries.run(every, length) for length in lengths)
    whole = next((result for result in runs if result.signature == wanted), None)
    if whole is None:
        return None, ""
    players = tries.block.player_table
    found = Reduction(
        items.stored(whole.run_dir, tries.block),  # without what came behind the failure
        lambda some: tries.fails(some, wanted),
        lambda one: items.kind(one, tries.block),
        lambda one: items.bits(one, players[one.player]),
        lambda one, left: items.of_bits(one, players[one.player], left),
        until - time.monotonic(),
        told,
        jobs,
    )
    ended = "nothing more can be left out"
    try:
        with signals_raise():
            found.reduce()
    except Spent:
        ended = f"after {seconds:g} s"
    except Interrupted:
        ended = "interrupted"
    end_descendants(found.asked)
    return found.best, ended


def _failed(run_dir: Path) -> tuple[RunRequest, str, tuple[int, int], int]:
    """What was run in a folder, its failure's signature, lengths of blocks, cycles of a candidate.

    The first ends a block just behind a mismatch, the second is the run's own: what comes too late
    may look lost at the end of a block. A run that an assertion ended has no outcome.
    """
    check_run_dir(run_dir)
    with for_user(OSError, ValueError):
        result = RunResult.from_json(run_dir / "result.json")
        if result.message.startswith(BY_ITSELF) and (run_dir / "stimulus").is_dir():
            request = RunRequest.from_json(run_dir / "request.json")
            ends, cycle = [int((run_dir / "block_cycles").read_text())], 0
        else:
            request, ends = stored_run(run_dir)
            cycle = json.loads((run_dir / "outcome.json").read_text()).get("mismatch_cycle", 0)
    if not result.signature:
        raise UsageError(f"{run_dir} holds a run that did not fail, or of an older version")
    short = max(_BLOCK_CYCLES, -(-(cycle + _BLOCKS) // _BLOCKS))
    cycles = cycle + max(_LATER, cycle // 4) if cycle else _CYCLES
    return request, result.signature, (short, ends[0]), cycles
