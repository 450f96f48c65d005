# SPDX-License-Identifier: Apache-2.0
"""Compiles a block's golden model before its first runs, which would each do it at once.

The model with and without time, what draws its stimulus, and its coverage: no run compiles anything
(``RunResult.compiled`` tells if one did).

``python -m tilepath.engine.host.compiled BLOCK PROFILE`` fills the cache of compiled loops.
"""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tilepath.engine.checking.checker import Checker
from tilepath.engine.checking.finding import CheckError
from tilepath.engine.checking.rows import rising, rows_of, same
from tilepath.engine.checking.run_check import RunCheck
from tilepath.engine.checking.sent import PlayerState
from tilepath.engine.checking.trace import TraceBlock
from tilepath.engine.compiled.jit_cache import compiled_folder, content_of
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import coverage_of, load_block, tests_of
from tilepath.engine.description.stimulus import Context
from tilepath.engine.description.stream import Records, Stream
from tilepath.engine.host import children, store

KEEP_BYTES: Final = 100 << 20
"""What compiled loops may take; those of four blocks take 16 MB."""

_CYCLES = 16


def compile_model(block: str, profile: str, begins: Callable[[], None] = lambda: None) -> bool:
    """Compile the model of ``block`` unless any checkout has done that with these sources.

    ``begins`` is called before it. Of several processes that ask one does it, and the others wait.
    ``False``: it did not compile, or nothing can be kept; a run will say so.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return True
    loops = compiled_folder()
    folder = loops / f"{block}-{_content(block)}"
    try:
        with store.locked(folder):
            store.mark_used(folder)
            if (folder / f"made.{profile}").exists():
                return True
            begins()
            if not _compile(block, profile):
                return False
            (folder / f"made.{profile}").touch()
    except OSError:  # the folder cannot be written: each run compiles what it does not find
        return False
    store.prune(loops, KEEP_BYTES)
    return True


def _content(block: str) -> str:
    """Stands for the model, its check and its coverage: all that files of ``tb/<block>`` import."""
    place = ROOT / "tb" / block
    facts = [content_of(Path(__file__), __name__)]
    for path in sorted(place.rglob("*.py")):
        inner = path.relative_to(ROOT).with_suffix("")
        facts.append(content_of(path, ".".join(("tilepath", *inner.parts))))
    return store.content_key(facts, {})


def _compile(block: str, profile: str) -> bool:
    """Whether a process of its own has compiled the model."""
    command = [sys.executable, "-m", __name__, block, profile]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        children.guarded(command),
        env=environment,
        capture_output=True,
        check=False,
        pass_fds=children.inherited(),
    )
    return done.returncode == 0


def exercise(block: str, profile: str) -> None:
    """Check and cover a block of cycles in which nothing happened, as a run does.

    Before it, stimulus is begun, and the model without time does something; so all is compiled, or
    what was compiled is loaded.
    """
    described = load_block(block)
    Checker(described, profile)
    streams = {name: _nothing(stream) for name, stream in described.stream_table.items()}
    nothing = rows_of(next(iter(streams.values())))
    rising(nothing, 0, 0)
    same(nothing, nothing, 0)
    spec = next(iter(tests_of(block).values()))
    check = RunCheck(described, profile, spec, _CYCLES, Path())
    coverage = coverage_of(described, profile)
    coverage.follow(check.checker.model)
    states = {name: PlayerState(0, False) for name in described.player_table}
    with contextlib.suppress(CheckError):  # the model may expect something
        check.check(TraceBlock(0, _CYCLES, streams), states)
    coverage.sample(streams, 0, _CYCLES)
    check.checker.waiting()
    if described.untimed is not None:
        untimed = described.untimed(profile)
        with contextlib.suppress(CheckError):
            expected = check.checker.check(TraceBlock(_CYCLES, 2 * _CYCLES, streams))
            untimed.follow(streams, expected)
        untimed.state()
    described.also(profile)
    _draw(block, profile)


def _draw(block: str, profile: str) -> None:
    """Begin the stimulus of the block's default random test."""
    tests = tests_of(block)
    name = next((name for name in tests if name.startswith("random_default")), next(iter(tests)))
    context = Context(block, name, 0, profile, _CYCLES)
    for items in tests[name].stimulus(context).values():
        next(iter(items), None)


def _nothing(stream: Stream) -> Records:
    """Return no record, as a trace has it: read-only, which makes a difference to Numba."""
    records = stream.empty()
    records.flags.writeable = False
    return records


if __name__ == "__main__":
    # looking through all of Numba's objects again and again took an eighth of the time
    gc.disable()
    exercise(*sys.argv[1:])
