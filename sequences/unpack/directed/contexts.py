# SPDX-License-Identifier: Apache-2.0
"""Contexts and address-counter sets: which is used, and what becomes of them."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import MISC, Thread
from tilepath.sequences.unpack.directed.common import PLACE, Cases, case_test, fill_tile, tile
from tilepath.sequences.unpack.directed.faults import FEW, ZEROS
from tilepath.sequences.unpack.script import FENCE
from tilepath.sequences.unpack.words import unpacr


def _plain(cases: Cases) -> None:
    fill_tile(cases.memory, cases.d, 6, PLACE, 8192)


def _distinct(cases: Cases) -> None:
    """Eight contexts in which everything differs."""
    codes = ((5, 5), (0, 4), (14, 14), (9, 9), (1, 1), (6, 6), (0, 0), (10, 10))
    setup = tile(
        base=(0x3FF, 0x410, 0x423, 0x437, 0x44B, 0x45D, 0x471, 0x482),
        offset=(0, 3, 5, 9),
        ctx_in=tuple(code for code, _ in codes),
        ctx_out=tuple(out for _, out in codes),
        ovrd_format=1,
        ctx_x_dim=(16, 32, 48, 80),
        dest=(64, 96, 129, 160),
        shift=(1, 2, 4, 8),
        ctx_if_sel=0b1101_0100,
        ctx_uncompressed=0b1011_0111,
        context_count=3,
        uncompressed=1,
        out_format=5,
        x_dim=64,
        y_dim=2,
    )
    for own in (0, 1):
        for add in (0, 1):
            changed = setup.with_(ovrd_format=own, add_dest=add)
            cases.prepare({(0, 0): changed}, {0: Thread(reset=(1, 1)), 1: Thread(offset=(3, 1))})
            for t in (0, 1):
                cases.script.counters(t, 0, **{**ZEROS, "x1": 12, "y0": 1, "z0": 1})
                for ctx in range(8):
                    cases.script.word(t, unpacr(0, multi=1, ctx=ctx, adc=t))
                    if not own and ctx not in (3, 6):
                        cases.script.word(t, unpacr(0, multi=1, counter=1, adc=t))
    # neighbours by any bit of the context differ in the bit that counts
    for plain, sel in ((0x96, 0), (0x69, 0), (0xFF, 0x96), (0xFF, 0x69)):
        changed = setup.with_(
            ctx_uncompressed=plain,
            ctx_if_sel=sel,
            ovrd_format=0,
            shift=(0,) * 4 if sel else (1, 2, 4, 8),
        )
        cases.prepare({(0, u): changed for u in (0, 1)}, {0: Thread()})
        for u in (0, 1):
            cases.script.counters(0, u, **{**ZEROS, "x1": 12})
            for ctx in range(8):
                cases.script.word(0, unpacr(u, multi=1, ctx=ctx))
    cases.prepare({(0, 1): setup.with_(ctx_uncompressed=0xFF)}, {0: Thread()})
    cases.script.counters(0, 1, **{**ZEROS, "x1": 12})
    for ctx in range(8):
        cases.script.word(0, unpacr(1, multi=1, ctx=ctx), unpacr(1, counter=1))
    one = setup.with_(ctx_in=(6, 5) * 4, ctx_out=(6, 5) * 4, ctx_uncompressed=0xFF)
    cases.prepare({(0, 1): one}, {0: Thread(), 2: Thread(offset=(0, 1))})
    for t in (0, 2):
        cases.script.counters(t, 1, **{**ZEROS, "x1": 40})
        for ctx in (0, 1, 7, 0, 2, 5):
            cases.script.word(t, unpacr(1, multi=1, ctx=ctx, adc=t))


def _count(cases: Cases) -> None:
    """The context counter: wraps, offsets, resets; both forms that move it."""
    script = cases.script
    for count, offset in product(range(4), (0, 1, 2, 7, 8, 15)):
        setup = tile(context_count=count, x_dim=16)
        threads = {t: Thread(offset=(offset, 8 + offset & 15), reset=(1, 1)) for t in range(3)}
        cases.prepare({(0, 0): setup}, threads)
        script.counters(0, 0, **{**ZEROS, "x1": 3})
        for n in range(10):
            script.word(0, unpacr(0, multi=1, counter=1))
            if n % 3 == 1:
                script.word(0, w.inc_context(0))
            if n == 6:
                # of both forms FlushCache is the one
                flush = w.flush_cache(0, 1), w.flush_cache(0) | w.inc_context(0)
                script.word(0, unpacr(0, multi=1), unpacr(0, counter=1), *flush)
    for count, t in product(range(4), range(3)):
        setup = tile(context_count=count, x_dim=16)
        cases.prepare({(0, 1): setup}, {t: Thread(reset=(0, 1))})
        script.word(t, *[w.inc_context(1)] * 9)
        script.fence(t)
        script.thread(t, Thread(reset=(0, 1)), after=script.done(f"t{t}.issue"))
        script.counters(t, 1, **{**ZEROS, "x1": 3})
        for ctx in (0, 1):
            script.word(t, unpacr(1, multi=1, ctx=ctx, adc=t))
        script.word(t, unpacr(1, multi=1, counter=1, adc=t))


def _walk(cases: Cases) -> None:
    """Every value of the counter with every Context_count, offsets: bank 0 lets it count to 7."""
    script = cases.script
    for count, offset in product(range(4), (0, 1, 5, 7, 12)):
        setups = {(0, 0): tile(context_count=3), (1, 0): tile(context_count=count)}
        cases.prepare(setups, {0: Thread(offset=(offset, 0), reset=(1, 1))})
        script.counters(0, 0, **{**ZEROS, "x1": 2})
        for value in range(8):
            if offset:
                script.phase(idle=False)
                script.thread(0, Thread(offset=(offset, 0), reset=(1, 1)))
                script.phase(idle=False)
            script.word(0, *[w.inc_context(0)] * value)
            last = (unpacr(0, multi=1, counter=1), w.inc_context(0))
            for word in last[: 1 if offset else 2]:
                script.fence(0)
                script.thread(0, Thread(1, offset=(offset, 0)), after=script.done("t0.issue"))
                script.word(0, word, after=script.done("t0.setc16"))
                script.fence(0)
                reset = Thread(0, offset=(offset, 0), reset=(1, 1))
                script.thread(0, reset, after=script.done("t0.issue"))
                script.word(0, FENCE, after=script.done("t0.setc16"))
                if word != last[-1] and not offset:
                    script.word(0, *[w.inc_context(0)] * value)


def _reset(cases: Cases) -> None:
    """SETC16 resets in each cycle around an update: the reset wins."""
    script = cases.script
    setups = {(0, u): tile(context_count=3, x_dim=16) for u in (0, 1)}
    cases.prepare(setups, {0: Thread(), 1: Thread()})
    for u in (0, 1):
        script.counters(0, u, **{**ZEROS, "x1": 3})
    for u, delay, value, kind in product(
        (0, 1), range(6), (0x10, 0x1000, 0x1010, 0x20, 0x2101), (0, 1)
    ):
        script.phase()
        script.setc16(0, MISC, 0x1010)
        script.phase()
        word = unpacr(u, multi=1, counter=1) if kind else w.inc_context(u)
        script.word(0, FENCE, word, w.inc_context(u))
        script.setc16(0, MISC, value, gap=delay + 1)
        script.setc16(1, MISC, value, gap=delay)
    script.phase()
    for t in (0, 1):
        script.setc16(t, MISC, 0x1010)
        script.view.context[0][t] = script.view.context[1][t] = 0


def _sets(cases: Cases) -> None:
    """Which counters: MultiContextMode, thread, ContextADC, increments of each kind."""
    script = cases.script
    setup = tile(x_dim=32, y_dim=3, z_dim=3, y_stride=32, z_stride=64, dest=(64, 80, 66, 96))
    for u in (0, 1):
        cases.prepare({(0, u): setup.with_(add_dest=1 - u)}, {t: Thread(ovrd=1) for t in range(3)})
        for t, multi, adc in product(range(3), (0, 1), range(3)):
            for s in range(3):
                values = {
                    "x0": s,
                    "x1": 9 + s,
                    "y0": s,
                    "z0": 2 - s,
                    "w0": 0,
                    "y1": s,
                    "z1": 1,
                    "w1": 0,
                }
                script.counters(s, u, by=t, **values)
            for inc in (
                (0, 0, 0, 0),
                (1, 0, 0, 0),
                (0, 2, 0, 0),
                (0, 0, 3, 0),
                (0, 0, 0, 1),
                (3, 1, 2, 3),
            ):
                script.word(t, unpacr(u, inc=inc, multi=multi, adc=adc))
            script.phase(idle=False)


_OPS: Final = (
    "setadc", "setadcxy", "setadczw", "setadcxx", "incadcxy", "incadczw", "addrcrxy", "addrcrzw",
)  # fmt: skip


def _op(op: str, target: int, value: int, override: int) -> int:
    if op == "setadc":
        return int(counter_words.setadc(target, 1, value | override << 16))
    if op == "setadcxx":
        return int(counter_words.setadcxx(target, 0, value + 3))
    return int(counter_words.packed(op, target, (0, value, 0, value), 0b1010, override))


def _pairs(cases: Cases) -> None:
    """Counter words in pairs around an UNPACR with increments: own set, another thread's set."""
    script = cases.script
    cases.prepare(
        {(0, u): tile(x_dim=16, y_dim=2, z_dim=2, dest=(64,) * 4) for u in (0, 1)},
        {t: Thread(ovrd=1) for t in range(3)},
    )
    for t, u in product(range(3), (0, 1)):
        script.counters(t, u, **{**ZEROS, "x1": 6})
    for (k, before), behind in product(enumerate(_OPS), _OPS):
        u = k & 1
        words = [_op(before, 1 << u, 1, 0), unpacr(u, inc=(1, 1, 1, 1)), _op(behind, 1 << u, 1, 0)]
        script.word(0, *words)
        script.word(0, _op("setadcxy", 3, 0, 0), _op("setadczw", 3, 0, 0))
    # another thread's set, by override, while that thread is idle
    for before, behind in product(_OPS, _OPS):
        words = [_op(before, 3, 1, 2), unpacr(0, inc=(1, 0, 1, 0), multi=1, adc=1)]
        script.word(0, *words, _op(behind, 2, 1, 2))
        script.word(0, _op("setadcxy", 3, 0, 2), _op("setadczw", 3, 0, 2))
        script.word(0, _op("setadcxy", 3, 0, 0), _op("setadczw", 3, 0, 0))


def _own(cases: Cases) -> None:
    """Other threads write their own sets and this one's, around the sampling cycle."""
    script = cases.script
    cases.prepare({(0, 0): tile(x_dim=16, y_dim=4, dest=(64,) * 4)}, {0: Thread(ovrd=1)})
    for delay, multi, override in product(range(6), (0, 1), (0, 1, 2)):
        script.phase()
        script.counters(0, 0, **FEW)
        script.counters(1, 0, **FEW)
        script.phase()
        script.word(0, unpacr(0, inc=(1, 0, 0, 0), multi=multi, adc=1))
        script.word(1, _op("incadcxy", 1, 1, override), gap=delay)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "contexts", "eight contexts that differ, the context counter", _plain, _distinct, _count,
        _walk, _reset, u0_pointers=100, u1_pointers=40, u0_write=50,
        faults=("context_range", "dst_modes", "format_src", "out_low", "out_row"),
    ),
    case_test(
        "counter_sets", "ContextADC, increments, counter words around UNPACRs", _plain, _sets,
        _pairs, _own, t0_unpacker0=200, t0_unpacker1=60, u0_write=150,
        faults=("out_low",),
    ),
)  # fmt: skip
