# SPDX-License-Identifier: Apache-2.0
"""What directed tests of the unpackers share: cases, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tilepath.engine.description.player import Items
from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.engine.stimulus.draw import Draw
from tilepath.models.format_codes import SHARED
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.memory import Memory
from tilepath.sequences.unpack.plan import bits
from tilepath.sequences.unpack.script import Script, latencies, script_test
from tilepath.sequences.unpack.tiles import datums, exponents

__all__ = [
    "EVEN", "LINE", "PLACE", "Cases", "at", "case_test", "fill_tile", "same", "tile",
]  # fmt: skip

LINE: Final = 0x400
"""Where the tile of most cases begins, in lines of 16 bytes."""
PLACE: Final = LINE * 16
EVEN: Final = {"random": 2.0, "special": 1.0, "near": 1.0}

_LATENCY_CYCLES: Final = 16_000

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


def fill_tile(
    memory: Memory, d: Draw, code: int, where: int, count: int, legal: bool = True
) -> None:
    """``count`` datums of ``code`` from byte ``where`` on: exponents first, as in a plain tile."""
    if code in SHARED:
        section = -(-count // 256) * 16
        memory.put(where, exponents(d.rng, code, section, legal).astype(np.uint8))
        where += section
    memory.put_datums(where * 4, bits(code), datums(d.rng, code, count, EVEN))


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
        gap: int = 0,
        reads: Iterable[int] = (),
        release: bool = True,
    ) -> Cases:
        """Set up ``unpacker``, in bank 0 (a pair: in both), then threads issue ``program``.

        ``release``: each bank that is handed over is released, ``gap`` cycles later, after reads of
        these rows.
        """
        setups = setup if isinstance(setup, tuple) else (setup,)
        self.prepare({(bank, unpacker): one for bank, one in enumerate(setups)}, threads)
        self.issue(unpacker, program, gap=gap, reads=reads, release=release)
        return self

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

    def issue(
        self,
        unpacker: int,
        program: Program,
        *,
        gap: int = 0,
        reads: Iterable[int] = (),
        release: bool = True,
    ) -> Cases:
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
                    script.release(u, gap, reads)
        return self

    def own(self, unpacker: int) -> Cases:
        """Give both banks of a file back to the Unpackers, whoever has them; ends a case."""
        self.script.phase()
        for bank in (0, 1):
            self.script.matrix(1, unpacker, bank)
        # no release is owed any more
        self.script.released[unpacker] = self.script.view.bank[unpacker]
        return self


def case_test(
    name: str,
    summary: str,
    *builds: Callable[[Cases], None],
    latency: Sequence[tuple[int, int]] = (),
    faults: tuple[str, ...] = (),
    **floor: int,
) -> TestSpec:
    """A finite test of the cases that ``builds`` add; ``floor``: stream (``_`` for ``.``) → events.

    ``latency``: (cycles, latency of L1), again and again for a while.
    """

    def build(script: Script, ctx: Context) -> None:
        cases = Cases(script, ctx)
        for one in builds:
            one(cases)

    def levels(_: Context) -> Iterable[Items]:
        times = -(-_LATENCY_CYCLES // sum(cycles for cycles, _ in latency))
        return latencies(list(latency) * times)

    least = {
        stream[:2] + stream[2:].replace("_", ".", 1) if stream[1].isdigit() else stream: count
        for stream, count in floor.items()
    }
    players = {"l1_latency": levels} if latency else None
    return script_test(name, summary, build, least, players, faults=faults)
