# SPDX-License-Identifier: Apache-2.0
"""Tests of the tiny block: sound ones, and every way in which a test can go wrong."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tilepath.tb.kernel.description.player import END, Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec
from tilepath.tb.kernel.host.request import REQUEST_VARIABLE
from tilepath.tb.tiny.block import BLOCK, LIE

SOURCE, GATE = BLOCK.players


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
    _test("dry", lambda _ctx: {"source": [words(1, 2, 3)]}, True),
)
TESTS = {test.name: test for test in _ALL}
