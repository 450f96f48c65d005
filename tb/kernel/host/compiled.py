# SPDX-License-Identifier: Apache-2.0
"""Compiles a block's golden model before its first runs, which would each do it at once.

``python -m tilepath.tb.kernel.host.compiled BLOCK PROFILE`` fills Numba's cache.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tilepath.tb.kernel.checking.checker import Checker
from tilepath.tb.kernel.checking.finding import CheckError
from tilepath.tb.kernel.checking.rows import rising, rows_of, same
from tilepath.tb.kernel.checking.run_check import RunCheck
from tilepath.tb.kernel.checking.sent import PlayerState
from tilepath.tb.kernel.checking.trace import TraceBlock
from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.description.registry import load_block, tests_of
from tilepath.tb.kernel.description.stream import Records, Stream
from tilepath.tb.kernel.host import children, store
from tilepath.tb.kernel.host.folders import build_folder
from tilepath.tb.kernel.host.verilator import installed_version

_CYCLES = 16
_FOLDERS = ("isa", "models", "tb")


def compile_model(block: str, profile: str, begins: Callable[[], None] = lambda: None) -> None:
    """Compile the model of ``block`` unless that was done since its sources changed.

    ``begins`` is called before it. Of several processes that ask one does it, and the others wait.
    A model that does not compile is no error here: the run will say so.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return
    folder = build_folder() / "models" / block
    stamp = folder / "stamp"
    state = _state()
    with store.locked(folder):
        if stamp.exists() and stamp.read_text() == state:
            return
        begins()
        command = [sys.executable, "-m", __name__, block, profile]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        done = subprocess.run(
            children.guarded(command),
            env=environment,
            capture_output=True,
            check=False,
            pass_fds=children.inherited(),
        )
        if done.returncode == 0:
            stamp.write_text(state)


def _state() -> str:
    """Stands for what Numba's cache depends on: place, age and size of files, and versions."""
    facts = [f"numba {installed_version('numba')}", sys.executable, sys.version]
    facts.append(os.environ.get("NUMBA_CACHE_DIR", ""))
    for path in sorted(p for name in _FOLDERS for p in (ROOT / name).rglob("*.py")):
        found = path.stat()
        facts.append(f"{path} {found.st_mtime_ns} {found.st_size}")
    return store.content_key(facts, {})


def exercise(block: str, profile: str) -> None:
    """Check and cover a block of cycles in which nothing happened, as a run does.

    Compiles the model, or loads what was compiled.
    """
    described = load_block(block)
    Checker(described, profile)
    streams = {name: _nothing(stream) for name, stream in described.stream_table.items()}
    nothing = rows_of(next(iter(streams.values())))
    rising(nothing, 0, 0)
    same(nothing, nothing, 0)
    described.coverage(profile).sample(streams, 0, _CYCLES)
    spec = next(iter(tests_of(block).values()))
    check = RunCheck(described, profile, spec, _CYCLES, Path())
    states = {name: PlayerState(0, False) for name in described.player_table}
    with contextlib.suppress(CheckError):  # the model may expect something
        check.check(TraceBlock(0, _CYCLES, streams), states)


def _nothing(stream: Stream) -> Records:
    """No record, as a trace has it: not to be written, which makes a difference to Numba."""
    records = stream.empty()
    records.flags.writeable = False
    return records


if __name__ == "__main__":
    exercise(*sys.argv[1:])
