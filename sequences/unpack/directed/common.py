# SPDX-License-Identifier: Apache-2.0
"""What directed tests of the unpackers share: cases, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.engine.stimulus.draw import Draw
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.script import Script, script_test
from tilepath.sequences.unpack.view import Memory

LINE: Final = 0x400
"""Where the tile of most cases begins, in lines of 16 bytes."""
PLACE: Final = LINE * 16
ZEROS: Final = {"x0": 0, "y0": 0, "z0": 0, "w0": 0, "y1": 0, "z1": 0, "w1": 0}
FEW: Final = {**ZEROS, "x1": 19}
"""Counters for 20 datums."""

Program = Sequence[tuple[int, Any]]
"""(thread, word), (thread, counters of the case's unpacker to set) or (thread, None): a fence."""


def at(line: int) -> tuple[int, int, int, int, int, int, int, int]:
    """Base addresses such that sections begin in ``line``, in all contexts and without offset."""
    return ((line - 1) & 0xFFFF_FFFF,) * 8


def tile(line: int = LINE, **changes: Any) -> Setup:
    """An ordinary set-up whose sections begin in ``line``: to row 4 on, without conversion."""
    made = Setup(base=at(line), out_base=0, dest=(64,) * 4, ctx_x_dim=(256,) * 4)
    return made.with_(**changes)


def same(code: int, out: int | None = None) -> dict[str, Any]:
    """Fields of a set-up with formats ``code`` and ``out`` (left out: the same) in all contexts."""
    other = code if out is None else out
    return {
        "in_format": code, "out_format": other, "ctx_in": (code,) * 8, "ctx_out": (other,) * 8,
    }  # fmt: skip


class Cases:
    """Cases that follow one another, each when the one before has ended.

    ``d``: for values that do not matter.
    """

    def __init__(self, script: Script, ctx: Context) -> None:
        self.script = script
        self.ctx = ctx
        self.profile = ctx.profile
        self.d = Draw(ctx.rng("data"))

    @property
    def memory(self) -> Memory:
        """L1; what is put into it is written in front of the next case."""
        return self.script.view.memory

    def case(
        self,
        unpacker: int,
        setup: Setup | tuple[Setup, Setup],
        program: Program,
        threads: Mapping[int, Thread] | None = None,
        *,
        release: bool = True,
    ) -> Cases:
        """Set up ``unpacker``, in bank 0 (a pair: in both), then threads issue ``program``.

        ``release``: each bank that is handed over is released.
        """
        setups = setup if isinstance(setup, tuple) else (setup,)
        self.prepare({(bank, unpacker): one for bank, one in enumerate(setups)}, threads)
        return self.issue(unpacker, program, release)

    def prepare(
        self,
        setups: Mapping[tuple[int, int], Setup],
        threads: Mapping[int, Thread] | None = None,
    ) -> Cases:
        """A new case: (bank, unpacker) → set-up; what is not given stays as it is."""
        script = self.script
        script.phase()
        script.memory()
        for (bank, unpacker), setup in setups.items():
            script.setup(1 << bank, unpacker, setup)
        for thread, own in (threads if threads is not None else {0: Thread()}).items():
            script.thread(thread, own)
        script.phase()
        return self

    def issue(self, unpacker: int, program: Program, release: bool = True) -> Cases:
        """Threads issue ``program``: at once, in the phase of the case."""
        script = self.script
        for thread, what in program:
            if what is None:
                script.fence(thread)
            elif isinstance(what, dict):
                script.counters(thread, unpacker, **what)
            else:
                u = what >> 23 & 1
                bank = int(script.view.bank[u])
                script.word(thread, what)
                if release and script.view.bank[u] != bank:
                    script.release(u)
        return self


def case_test(
    name: str,
    summary: str,
    *builds: Callable[[Cases], None],
    faults: tuple[str, ...] = (),
    **floor: int,
) -> TestSpec:
    """A finite test of the cases that ``builds`` add; ``floor``: of a stream, ``_`` for ``.``."""

    def build(script: Script, ctx: Context) -> None:
        cases = Cases(script, ctx)
        for one in builds:
            one(cases)

    least = {
        stream[:2] + stream[2:].replace("_", ".", 1) if stream[1].isdigit() else stream: count
        for stream, count in floor.items()
    }
    return script_test(name, summary, build, least, faults=faults)
