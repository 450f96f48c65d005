# SPDX-License-Identifier: Apache-2.0
"""Does one run: build, folder, simulation, verdict."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block, tests_of
from tilepath.engine.host import children, files
from tilepath.engine.host.build import BuildOptions, build, check_simulator
from tilepath.engine.host.compiled import compile_model
from tilepath.engine.host.folders import build_folder
from tilepath.engine.host.launch import kill_all, simulate, wave_format, wave_path
from tilepath.engine.host.origin import now, origin
from tilepath.engine.host.request import RunRequest, RunResult
from tilepath.engine.host.verdict import judge
from tilepath.engine.host.wave_views import write_views

__all__ = ["RunRequest", "RunResult", "build_options", "kill_all", "run", "wave_format"]

_MEMORY = Path("/dev/shm")  # never holds more than a block of cycles or two of a run
_ROOM = 256 << 20  # bytes that must be free there: several times as much, as others run beside it
_PREFIX = "tilepath-"


def run(request: RunRequest) -> RunResult:
    """Run one simulation and return its result, which is also stored in the run's folder.

    The folder is emptied first; ``result.json`` appears last and at once, so what a killed run
    leaves is no result. Raises ``ValueError`` for a request that cannot be run, ``OSError`` where
    there is no room to write, and :class:`tilepath.engine.host.build.BuildError` when the design
    does not compile.
    """
    check_simulator(request.sim)
    tests = tests_of(request.block)
    if request.test not in tests:
        raise ValueError(f"block {request.block} has no test {request.test!r}")
    request = replace(request, out_dir=request.out_dir.resolve())
    # before the build: when that fails, no earlier verdict may stay behind
    shutil.rmtree(request.run_dir, ignore_errors=True)
    program = build(request.block, build_options(request))
    if request.check:
        compile_model(request.block, request.profile)
    request.run_dir.mkdir(parents=True)
    request.write_json(request.run_dir / "request.json")
    for name, text in _settings(request, tests[request.test].endless).items():
        (request.run_dir / name).write_text(text)
    date = now()
    with _data_folders(request):
        began = time.monotonic()
        ended = simulate(request, program)
        if ended is not None:
            if request.waves:
                write_views(load_block(request.block), wave_path(request))
            result = judge(request, ended, time.monotonic() - began)
            result = replace(result, began=date, origin=origin(request.sim))
            if result.status not in ("pass", "unchecked"):
                _blame_disk(request, result.message)
            result.write_json()
            return result
    return run(replace(request, cold=True))


def _settings(request: RunRequest, endless: bool) -> dict[str, str]:
    """Files in the run's folder that the HDL reads: what differs between runs of a process."""
    return {"block_cycles": str(request.cycles_per_block(endless)), **request.provided}


@contextlib.contextmanager
def _data_folders(request: RunRequest) -> Iterator[None]:
    """Make the folders of traces and stimulus; in memory when the run does not keep them.

    Not where there is little memory for files, as in containers.
    """
    folders = [request.trace_dir, request.stimulus_dir]
    if request.replay is not None:
        folders.pop().symlink_to(request.replay / request.stimulus_dir.name)
    in_memory = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM
    if request.keeps_trace or not in_memory:
        for folder in folders:
            folder.mkdir()
        yield
        return
    _remove_orphans()
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX, dir=_MEMORY) as memory,
        (Path(memory) / "unlocked").open("w") as lock,
        children.own_inherit(lock.fileno()),
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        Path(lock.name).rename(Path(memory) / "lock")
        for folder in folders:
            target = Path(memory) / folder.name
            target.mkdir()
            folder.symlink_to(target)
        try:
            yield
        finally:
            for folder in folders:
                folder.unlink()


def _remove_orphans() -> None:
    """Remove from memory what runs have left there that were killed."""
    for lock in _MEMORY.glob(f"{_PREFIX}*/lock"):
        with contextlib.suppress(OSError), lock.open() as handle:  # in use, or somebody else's
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)


def build_options(request: RunRequest) -> BuildOptions:
    """The build that a run needs."""
    return BuildOptions(
        sim=request.sim,
        profile=request.profile,
        waves=wave_format(request),
        record=request.check or request.replay is not None,
        fast=request.build == "fast",
        coverage=request.rtl_coverage,
        netlist=request.netlist,
        source_root=request.source_root or ROOT,
        build_root=request.build_root or build_folder(),
    )


def _blame_disk(request: RunRequest, message: str) -> None:
    """``OSError`` if a run failed because there was no room to write; then it says nothing else."""
    folder = request.run_dir
    files.check_text(message, folder)
    with contextlib.suppress(FileNotFoundError):  # stopped before it had begun to write
        files.check_text((folder / "sim.log").read_text(errors="replace"), folder)
    files.check_limit(folder.glob("**/*"))
    for written in (folder, request.trace_dir, build_folder()):
        if written.is_dir():
            files.check_room(written)
