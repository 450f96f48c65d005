# SPDX-License-Identifier: Apache-2.0
"""Compiles a block's golden model before its first runs, which would each do it at once.

``python -m tilepath.tb.kernel.host.compiled BLOCK PROFILE`` fills Numba's cache.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tilepath.tb.kernel.checking.checker import Checker
from tilepath.tb.kernel.checking.rows import rising, rows_of, same
from tilepath.tb.kernel.description.block import ROOT
from tilepath.tb.kernel.description.registry import load_block
from tilepath.tb.kernel.host import children, store
from tilepath.tb.kernel.host.folders import build_folder
from tilepath.tb.kernel.host.verilator import installed_version

_FOLDERS = ("isa", "models", "tb/kernel/checking")


def compile_model(block: str, profile: str) -> None:
    """Compile the model of ``block`` unless that was done since its sources changed.

    Of several processes that ask one does it, and the others wait. A model that does not compile
    is no error here: the run will say so.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return
    folder = build_folder() / "models" / block
    stamp = folder / "stamp"
    state = _state()
    with store.locked(folder):
        if stamp.exists() and stamp.read_text() == state:
            return
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


def main() -> None:
    """Make a checker, which loads, and so compiles, all that a run needs of the model."""
    block, profile = sys.argv[1:]
    described = load_block(block)
    Checker(described, profile)
    nothing = rows_of(next(iter(described.stream_table.values())).empty())
    rising(nothing, 0, 0)
    same(nothing, nothing, 0)


if __name__ == "__main__":
    main()
