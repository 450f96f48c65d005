# SPDX-License-Identifier: Apache-2.0
"""Tests of the tiny block: sound ones, and every way in which a test can go wrong."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tilepath.engine.description.player import END, Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.host.request import REQUEST_VARIABLE
from tilepath.tb.tiny.block import BLOCK, LIE

SOURCE, GATE = BLOCK.players
_LITTER: list[int] = []


def words(*values: int) -> Items:
    """Items of the source."""
    return SOURCE.pack(word=values)


def gate(*levels: tuple[int, int]) -> Items:
    """Items of the gate."""
    cycles, opened = zip(*levels, strict=True)
    return GATE.pack(cycles=cycles, open=opened)


def _endless(ctx: Context, then: Callable[[int], object] = lambda _n: None) -> Iterator[Items]:
    rng = ctx.rng("source")
    number = 0
    while True:
        yield SOURCE.pack(word=rng.integers(0, 1 << 32, 64), gap=rng.integers(0, 4, 64))
        then(number)
        number += 1


def _toggling(ctx: Context) -> Iterator[Items]:
    rng = ctx.rng("gate")
    while True:
        yield GATE.pack(cycles=rng.integers(1, 3, 64), open=rng.integers(0, 2, 64))


def _trace_dir() -> Path:
    return Path(os.environ[REQUEST_VARIABLE]).with_name("trace")


def _cut(number: int) -> None:
    """Cut a trace once the run has been going for a while."""
    if number == 20:
        path = _trace_dir() / "got.bin"
        os.truncate(path, path.stat().st_size - 4)


def _kill(number: int) -> None:
    if number == 20:
        os.kill(os.getpid(), signal.SIGKILL)


def _raise(number: int) -> None:
    if number == 20:
        raise RuntimeError("the sequence has a bug")


def _litter(_ctx: Context) -> Stimulus:
    """Leave something in every place that a later run could find it in."""
    if problem := _found():
        raise RuntimeError(f"an earlier run has left {problem}")
    _LITTER.append(1)
    os.environ["LITTER"] = "1"
    random.seed(1)  # noqa: TID251
    np.random.seed(1)  # noqa: NPY002
    np.seterr(all="raise")
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    return {"source": [words(1, 2, 3)]}


def _found() -> str:
    """What a run finds that it should not, and what of its own is missing."""
    drawn = (random.random(), np.random.random())  # noqa: TID251, NPY002
    random.seed(1)  # noqa: TID251
    np.random.seed(1)  # noqa: NPY002
    seeded = (random.random(), np.random.random())  # noqa: TID251, NPY002
    folder = Path(os.environ[REQUEST_VARIABLE]).parent
    found = {
        "a global": bool(_LITTER),
        "an environment variable": "LITTER" in os.environ,
        "a state of random": drawn[0] == seeded[0],
        "a state of NumPy": drawn[1] == seeded[1],
        "NumPy's errors": np.geterr()["divide"] == "raise",
        "a signal's handler": signal.getsignal(signal.SIGUSR1) != signal.SIG_DFL,
        "another folder": Path.cwd() != folder,
        "another group": os.getpgrp() != os.getpid(),
        "another log": not Path("/proc/self/fd/1").samefile(folder / "sim.log"),
        "another seed": os.environ["COCOTB_RANDOM_SEED"] != folder.name.rpartition("-")[2],
    }
    return ", ".join(name for name, is_so in found.items() if is_so)


def _wait(number: int) -> None:
    """Tell who this is, and go on once somebody has answered."""
    if number == 20:
        folder = Path(os.environ[REQUEST_VARIABLE]).parents[2]
        if not (folder / "go").exists():
            (folder / "waiting.part").write_text(f"{os.getpid()} {os.getppid()}")
            (folder / "waiting.part").rename(folder / "waiting")
        while not (folder / "go").exists():
            time.sleep(0.01)


def _obstruct(_ctx: Context) -> Stimulus:
    (_trace_dir() / "count.bin").mkdir()  # the recorders open their files after this
    return {"source": [words(1, 2, 3)]}


def _raise_at_once(_ctx: Context) -> Stimulus:
    raise RuntimeError("the test has a bug")


def _test(
    name: str, stimulus: Callable[[Context], Stimulus], endless: bool = False, floor: int = 1
) -> TestSpec:
    return TestSpec(name, name, "directed", stimulus, endless, floor={"got": floor})


_ALL = (
    _test("walk", lambda ctx: {"source": _endless(ctx), "gate": _toggling(ctx)}, True, 50),
    _test("finite", lambda _ctx: {"source": [words(*range(40))], "gate": [gate((9, 0))]}),
    _test("lie", lambda _ctx: {"source": [words(1, 2, LIE, 4)]}),
    _test("nothing", lambda _ctx: {}),
    _test("short", lambda _ctx: {"source": [words(1, 2, 3)]}, floor=4),
    _test("unknown", lambda _ctx: {"source": [words(1)], "sauce": [words(2)]}),
    _test("stuck", lambda _ctx: {"source": [words(*range(9))], "gate": [gate((1 << 31, 0))]}),
    _test("misshapen", lambda _ctx: {"source": [words(1)[:, :1]]}),
    _test("end_marker", lambda _ctx: {"source": [np.array([[END, 1]], np.uint32)]}),
    _test("raises", lambda ctx: {"source": _endless(ctx, _raise)}, True),
    _test("raises_at_once", _raise_at_once),
    _test("cut", lambda ctx: {"source": _endless(ctx, _cut)}, True),
    _test("obstruct", _obstruct),
    _test("kill", lambda ctx: {"source": _endless(ctx, _kill)}, True),
    _test("litter", _litter),
    _test("wait", lambda ctx: {"source": _endless(ctx, _wait)}, True),
    _test("dry", lambda _ctx: {"source": [words(1, 2, 3)]}, True),
)
TESTS = {test.name: test for test in _ALL}
