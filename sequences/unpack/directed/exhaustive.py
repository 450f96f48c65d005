# SPDX-License-Identifier: Apache-2.0
"""Every value of every format of 16 bits or less, and very many of 32 bits.

The data are unpacked to SrcA, SrcB and Dst in pieces of an X window. Values per conversion:

- ``exhaustive_8bit``: INT8 both ways, FP8 both ways, whatever has 8 bits: 256 values.
- ``exhaustive_bfp``: every mantissa with every exponent byte: BFP8 and BFP8a 65 536, BFP4(a) 4 096,
  BFP2(a) 1 024.
- ``exhaustive_16bit``: BF16, FP16, INT16, whatever has 16 bits: 65 536.
- ``fp32_values``: 10^6 random FP32 values to TF32, BF16, FP16 and unchanged; TF32 both to Src and
  to Dst.

That is so where random tests have 50 000 cycles or more, the default of Verilator. A datum takes
Icarus very much longer: with fewer cycles a share of the exponents (BFP) or of the values
(16 bits) is taken, every k-th, beginning where the seed says, and of the exponents those at which
shifts and faults change; and two FP32 values for each cycle.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from tilepath.engine.description.stimulus import Context, TestSpec
from tilepath.models.format_codes import HALVES, WIDE
from tilepath.models.tiles.formats import FORMATS, Format
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.directed.common import Cases, at, case_test, same
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.plan import quarters
from tilepath.sequences.unpack.script import DST, SRCA, SRCB, Script, script_test
from tilepath.sequences.unpack.tiles import I64, datums
from tilepath.sequences.unpack.words import unpacr

WHOLE: Final = 50_000
"""Cycles of random tests from which on nothing is left out."""
_PIECE: Final = 1024
_LINE: Final = 0x1000
_EXPONENTS: Final = (*range(7), 31, 32, 255)
_SPECIAL: Final = {"random": 8.0, "special": 1.0, "near": 1.0}


def _setup(code: int, out: int, file: int, line: int, **more: int) -> Setup:
    size = 4 if out in WIDE else 2 if out in HALVES else 1
    return Setup(
        base=at(line), **same(code, out), x_dim=_PIECE, y_dim=64, z_dim=1, throttle=2,
        if_sel=int(file == DST), out_base=0 if file == SRCB else 64 * size,
    ).with_(**more)  # fmt: skip


def _unpack(script: Script, file: int, setup: Setup, count: int, first: bool = True) -> None:
    """All ``count`` datums of a set-up, row by row of the tile."""
    u = int(file == SRCB)
    if first:
        script.phase()
    script.setup(1, u, setup)
    script.thread(u, Thread(ovrd=int(file == SRCA)))
    script.phase()
    script.counters(u, u, **{**ZEROS, "x1": min(count, _PIECE) - 1})
    script.word(u, *[unpacr(u, inc=(1, 0, 0, 0))] * (-(-count // _PIECE)))


def _share(ctx: Context, count: int) -> I64:
    """Of the numbers below ``count``: all, or every k-th of them."""
    step = max(1, -(-WHOLE // ctx.cycles))
    return np.arange(ctx.seed % step, count, step, dtype=np.int64)


def _plain(bits: int) -> list[Format]:
    """Formats of that size without shared exponents."""
    return [form for form in FORMATS.values() if form.bits == bits and not form.shared]


def _small(cases: Cases) -> None:
    """Formats of eight bits."""
    cases.memory.put(_LINE * 16, np.arange(256, dtype=np.uint8))
    cases.script.phase()
    cases.script.memory()
    for form in sorted(_plain(8), key=lambda form: form.register):
        cases.script.phase()
        cases.script.unsigned(0 if form.signed else 3 << 15)
        e4m3 = int(form.name == "E4M3")
        for file in (SRCA, SRCB, DST):
            _unpack(cases.script, file, _setup(form.code, form.code, file, _LINE, e4m3=e4m3), 256)


def _bfp(cases: Cases) -> None:
    """Mantissas by exponents: each exponent byte has a group of 16 mantissas at a time."""
    script = cases.script
    chosen = np.union1d(_share(cases.ctx, 256), _EXPONENTS)
    for width in (8, 4, 2):
        shared = (form for form in FORMATS.values() if form.shared and form.bits == width)
        groups = max(1, (1 << width) // 16)
        exponents = np.repeat(chosen, groups).astype(np.uint8)
        rows = -(-16 * len(exponents) // _PIECE)
        section = -(-rows * _PIECE // 256) * 16
        script.phase()
        cases.memory.put(_LINE * 16, np.resize(exponents, section))
        mantissas = np.arange(groups * 16, dtype=np.int64) & (1 << width) - 1
        values = np.resize(mantissas, rows * _PIECE)
        cases.memory.put_datums((_LINE * 16 + section) * 4, width, values)
        script.memory()
        for code in (form.code for form in sorted(shared, key=lambda form: -form.register)):
            for file in (SRCA, SRCB, DST):
                setup = _setup(code, code, file, _LINE).with_(y_dim=rows)
                _unpack(script, file, setup, rows * _PIECE)


def _sixteen(cases: Cases) -> None:
    """Formats of 16 bits."""
    script = cases.script
    values = _share(cases.ctx, 1 << 16)
    count = -(-len(values) // _PIECE) * _PIECE
    cases.memory.put_datums(_LINE * 16 * 4, 16, np.resize(values, count))
    script.phase()
    script.memory()
    for form in sorted(_plain(16), key=lambda form: -form.register):
        for file in (SRCA, SRCB, DST):
            _unpack(script, file, _setup(form.code, form.code, file, _LINE), count)


_CONVERSIONS: Final = ((4, SRCA), (5, SRCB), (1, SRCA), (4, DST), (5, DST), (1, DST), (0, DST))
"""(format out, file) of the FP32 values."""


def _values(count: int, d: Cases) -> I64:
    return datums(d.d.rng, 0, count, _SPECIAL)


def _floats(script: Script, ctx: Context) -> None:
    """FP32 values, 16 KiB at a time, in two places that take turns."""
    cases = Cases(script, ctx)
    chunk = 4 * _PIECE
    total = 1_000_000 if ctx.cycles >= WHOLE else max(chunk, 2 * ctx.cycles)
    for number in range(-(-total // chunk)):
        line = _LINE + (number & 1) * (chunk // 4)
        script.view.memory.put_datums(line * 64, 32, _values(chunk, cases))
        for k, (out, file) in enumerate(_CONVERSIONS):
            if k == 0:
                script.phase(idle=False)
                script.memory()
            setup = _setup(0, out, file, line)
            assert quarters(0) == 16
            _unpack(script, file, setup, chunk, first=False)


TESTS: Final[tuple[TestSpec, ...]] = (
    case_test(
        "exhaustive_8bit", "every INT8 and FP8 value to each file", _small,
        u0_write=24, u1_write=12,
    ),
    case_test(
        "exhaustive_bfp", "every BFP mantissa with every exponent, to each file", _bfp,
        u0_write=300, u1_write=150,
        faults=("bfpa",),
    ),
    case_test(
        "exhaustive_16bit", "every BF16, FP16 and INT16 value to each file", _sixteen,
        u0_write=600, u1_write=300,
    ),
    script_test(
        "fp32_values", "random FP32 values to TF32, BF16, FP16 and unchanged", _floats,
        {"u0.write": 1000, "u1.write": 200},
    ),
)  # fmt: skip
