# SPDX-License-Identifier: Apache-2.0
"""Stimulus with which the unpackers stand still for ever, in each way there is; no test of theirs.

The simulator loads this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pyuvm

from tilepath.engine.description.stimulus import ANY, Context, TestSpec
from tilepath.engine.simulation.test import CosimTest
from tilepath.sequences.unpack import TESTS
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.directed.common import FEW, ZEROS, tile
from tilepath.sequences.unpack.script import NOTHING, RELEASE, SRCA, SRCB, Script, script_test
from tilepath.sequences.unpack.words import unpacr
from tilepath.tb.unpack.items import after_matrix

_LONG: Final = {**ZEROS, "x1": 2047}


def _given(script: Script, unpacker: int, counters: dict[str, int], **setup: int) -> Script:
    """Both banks of a file are the Matrix Unit's, and nobody releases them."""
    script.setup(1, unpacker, tile(x_dim=2048, z_dim=1, out_base=128, **setup))
    script.phase()
    script.counters(0, unpacker, **counters)
    both = (w.setdvalid(script.profile, unpacker),) * 2
    return script.word(0, *both)


def _step_a(script: Script) -> None:
    _given(script, 0, FEW).word(0, unpacr(0))


def _step_b(script: Script) -> None:
    _given(script, 1, FEW).word(0, unpacr(1))


def _step_dst(script: Script) -> None:
    """Steps to Dst wait for SrcA's bank, too (U37)."""
    _given(script, 0, FEW, if_sel=1).word(0, unpacr(0))


def _zero_own(script: Script) -> None:
    _given(script, 1, FEW).word(0, w.zerosrc(script.profile, 1, wait=1))


def _zero_pointer(script: Script) -> None:
    """The own bank is the Unpackers'; the one that the Matrix Unit's pointer names is not."""
    script.word(0, w.setdvalid(script.profile, 0), w.zerosrc(script.profile, 0))


def _room(script: Script) -> None:
    """Beats of one instruction fill the buffer behind a step that waits."""
    _given(script, 0, _LONG).word(0, unpacr(0))


def _token(script: Script) -> None:
    """40 beats of a line each, and a token that finds no room."""
    setdvalid = w.setdvalid(script.profile, 0)
    lines = {**ZEROS, "x1": 40 * 8 - 1}
    _given(script, 0, lines, throttle=0).word(0, unpacr(0), setdvalid)


def _bounded(script: Script) -> None:
    """A part of a compressed row decides for no beat while an entry is in use."""
    compressed = {**ZEROS, "x0": 1, "x1": 4}
    _given(script, 0, FEW, uncompressed=0).word(0, unpacr(0, multi=1))
    script.fence(0).counters(0, 0, **compressed).word(0, unpacr(0))


def _queue(script: Script) -> None:
    """The queue is full: a word of another thread is not taken, one for the other unpacker is."""
    _given(script, 0, _LONG).word(0, *(unpacr(0),) * 17)
    script.fence(0).word(1, unpacr(1), unpacr(0), after=script.done("t0.issue"))


def _command(script: Script) -> None:
    """The Matrix Unit waits for a bank that nobody hands over."""
    script.word(0, w.nop(script.profile, 0)).matrix(RELEASE, SRCA, 1, wait=1)


def _row(script: Script) -> None:
    """A row of the Matrix Unit waits for a bank that nobody hands over."""
    script.word(0, w.nop(script.profile, 0)).matrix_write(SRCB, 1, 3, (7,) * 16, wait=1)


def _condition(script: Script) -> None:
    """A thread waits for commands that the Matrix Unit is never given."""
    script.word(0, w.nop(script.profile, 0)).matrix(NOTHING, SRCA)
    script.word(2, w.nop(script.profile, 0), after=int(after_matrix(3)))


def _test(name: str, build: Callable[[Script], None]) -> TestSpec:
    def whole(script: Script, _: Context) -> None:
        build(script)
        script.phase().fence(2)  # when all is idle: never

    return script_test(name, f"stands still: {name}", whole, {"busy": 1}, faults=ANY)


STANDS: Final = {
    (name := f"stands{build.__name__}"): _test(name, build)
    for build in (
        _step_a, _step_b, _step_dst, _zero_own, _zero_pointer, _room, _token, _bounded, _queue,
        _command, _row, _condition,
    )
}  # fmt: skip


@pyuvm.test()
class StandsTest(CosimTest):
    """Runs a request whose test is one of ``STANDS``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        TESTS.update(STANDS)
        super().__init__(name, parent)
