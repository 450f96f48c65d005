# SPDX-License-Identifier: Apache-2.0
"""Scenes of constrained random stimulus: a set-up and rows, then words of one thread or of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.stimulus.tables import Table
from tilepath.isa import profiles
from tilepath.isa.boundary.standin import THREADS
from tilepath.models.format_codes import TF32
from tilepath.sequences.standin.script import COLUMNS, DST, A, B, Script
from tilepath.sequences.standin.tables import ALL_OPS, FORMS, STYLES
from tilepath.sequences.standin.words import word_of

I64 = NDArray[np.int64]
_ANY: Final = STYLES.index("any")
_POOL: Final = STYLES.index("pool")
_ELTWISE: Final = STYLES.index("eltwise")
_E8, _TF32, _E5, _INTEGERS, _FP16 = range(len(FORMS))
_ONE: Final = 0x7F  # 1.0, of GMPOOL's factors
_INTO_DST: Final = tuple(ALL_OPS.index(op) for op in ("MOVA2D", "MOVB2D"))
_FROM_DST: Final = tuple(ALL_OPS.index(op) for op in ("MOVD2A", "MOVD2B"))
_SPACING: Final = 100  # cycles, fewer than most scenes take
_MODIFIERS: Final = 8
_DISTURBED: Final = ((0, 0x3FF), (1, 0xA1FE0000), (2, 1), (220, 0xB))  # Config words, bits
_NEAR, _FAR, _SAME, _EDGES, _LOW, _HIGH, _TINY = range(7)  # exponents of a row; 7: any
_M_NONE, _M_ALL, _M_ONE = range(1, 4)  # mantissas; 0: any
_SIXTEENTHS: Final = 16


def _parts(
    rows: NDArray[Any], rng: np.random.Generator, width: int, mantissa: int
) -> tuple[I64, I64, I64]:
    """Signs, mantissas of ``mantissa`` bits and exponents of ``width`` bits, n × 16."""
    shape = (len(rows), COLUMNS)
    top = (1 << width) - 1
    centre, reach = top >> 1, 30 if width == 8 else 8
    draw = rng.integers(0, 1 << 16, (*shape, 4))
    kind = rows["exponents"][:, None]
    half = centre // 2
    edges = np.array((0, 1, 2, top - 2, top - 1, top))[draw[..., 0] % 6]
    exponent = np.select(
        [kind == k for k in (_NEAR, _FAR, _SAME, _EDGES, _LOW, _HIGH, _TINY)],
        [
            centre - 3 + draw[..., 0] % 7,
            centre - reach // 2 + draw[..., 0] % reach,
            np.broadcast_to(centre, shape),
            edges,
            half - 4 + draw[..., 0] % 9,
            centre + half - 4 + draw[..., 0] % 9,
            1 + draw[..., 0] % 13,
        ],
        draw[..., 0] & top,
    )
    exponent = np.where(draw[..., 1] % _SIXTEENTHS < rows["zeros"][:, None], 0, exponent)
    most = (1 << mantissa) - 1
    bits = draw[..., 2] & most
    kind = rows["mantissas"][:, None]
    one = np.broadcast_to(1 << np.minimum(rows["shift"], mantissa - 1)[:, None], shape)
    bits = np.select([kind == _M_NONE, kind == _M_ALL, kind == _M_ONE], [0 * bits, most, one], bits)
    sign = (draw[..., 3] % _SIXTEENTHS < rows["minus"][:, None]).astype(np.int64)
    return sign, bits, exponent


def _src_rows(rows: NDArray[Any], rng: np.random.Generator, five: bool) -> I64:
    """Rows of SrcA or SrcB, n × 16 of 19 bits; ``five``: exponents have five bits."""
    sign, bits, exponent = _parts(rows, rng, 5 if five else 8, 10)
    return sign << 18 | bits << 8 | exponent


def _dst_rows(rows: NDArray[Any], rng: np.random.Generator, five: bool) -> I64:
    """Rows of storage, n × 16 of 16 bits, each as of a Dst of 16 bits, or as high halves."""
    sign, bits, exponent = _parts(rows, rng, 5 if five else 8, 10 if five else 7)
    return sign << 15 | bits << (5 if five else 8) | exponent


class Scenes:
    """Makes scenes of ``tables``, one after the other."""

    def __init__(self, rng: np.random.Generator, tables: Mapping[str, Table], profile: str) -> None:
        self._rng = rng
        self._tables = tables
        self._setups = tables["setup"].drawn(rng, 64)
        self._loads = tables["load"].drawn(rng, 64)
        self._profile = profile

    def __call__(self, script: Script) -> None:
        """Append a scene."""
        before = dict(script.counts)
        script.phase()
        setup = next(self._setups)
        self._configure(script, setup)
        self._load(script, setup)
        script.phase(idle=False)
        self._words(script, setup)
        for player, lead in (("cfg", (0, 4, 0, (0, 0, 0, 0))), *_SETC16):
            if script.counts[player] == before[player]:
                script.add(player, lead)
            script.widen(player, script.counts[player] - before[player], _SPACING)

    def _rows(self, table: str, count: int, **given: Any) -> list[Any]:
        one = self._tables[table]
        return list(one.tuples(one.rows(self._rng, count, **given)))

    def _configure(self, script: Script, setup: Any) -> None:
        integers = int(setup.form == _INTEGERS)
        codes = (setup.codes[0], setup.codes[1]) if setup.wild else (setup.a, setup.b)
        fields = {
            "a_override": setup.a_override, "b_override": setup.b_override, "fp32": setup.fp32,
            "integers": integers, "keep_zero": setup.keep_zero, "swizzle": setup.swizzle,
            "remap": setup.remap, "absolute": setup.absolute,
        }  # fmt: skip
        # the code that does not count is another one
        for name, code, other in zip("ab", codes, setup.codes[2:], strict=True):
            counts, idle = (f"{name}_value", name) if fields[f"{name}_override"] else (
                name, f"{name}_value")  # fmt: skip
            fields |= {counts: code, idle: other}
        fields = {name: int(value) for name, value in fields.items()}
        script.setup(3, **fields)
        if setup.other and setup.style == _ANY:
            script.setup(2, **fields | {"fp32": fields["fp32"] ^ 1, "a": setup.codes[3]})
        legal = setup.style != _ANY
        own = (1, 1) if legal and setup.form != _E8 else tuple(map(int, setup.own))
        mods = self._rows("mod", THREADS * _MODIFIERS, style=setup.style)
        for thread in range(THREADS):
            script.setc16(thread, 0, int(setup.thread_bank[thread]))
            script.thread(
                thread,
                offset=int(setup.offset) + thread * 64 * int(not legal) & 0xFFF,
                own_a=own[0],
                own_b=own[1],
                keep_a=int(setup.keep[0]),
                keep_b=int(setup.keep[1]),
                phase=0 if setup.style == _ELTWISE else int(setup.phase),
                fp16=int(setup.form == _FP16),
            )
            for number, mod in enumerate(mods[_MODIFIERS * thread :][:_MODIFIERS]):
                # in a legal scene all must suit its style
                if legal or setup.mods[number]:
                    self._modifier(script, thread, number, mod)

    @staticmethod
    def _modifier(script: Script, thread: int, number: int, mod: Any) -> None:
        a_cr, a_clear, b_cr, b_clear, d_cr, d_clear, d_to_cr = map(int, mod.forms)
        script.modifier(
            thread, number,
            SrcAIncr=mod.a, SrcACR=a_cr, SrcAClear=a_clear, SrcBIncr=mod.b, SrcBCR=b_cr,
            SrcBClear=b_clear, DestIncr=mod.d, DestCR=d_cr, DestClear=d_clear, DestCToCR=d_to_cr,
            FidelityIncr=mod.fidelity, FidelityClear=int(mod.fidelity_clear),
            BiasIncr=mod.bias, BiasClear=int(mod.bias_clear),
        )  # fmt: skip

    def _load(self, script: Script, setup: Any) -> None:
        load = next(self._loads)
        table, rng = self._tables["data"], self._rng
        five = setup.form == _FP16 or setup.form == _E5
        count = int(load.rows)
        rows = _src_rows(table.rows(rng, count), rng, five)
        script.load(A, int(load.bank[0]), int(load.first), rows)
        if setup.style == _POOL:
            for bank in (0, 1):
                script.load(B, bank, 0, np.full((4, 16), _ONE))
        elif load.paired:
            script.load(
                B, int(load.bank[1]), int(load.first), rows ^ rng.integers(0, 2, rows.shape) << 18
            )
        else:
            rows = _src_rows(table.rows(rng, count), rng, five)
            script.load(B, int(load.bank[1]), int(load.first), rows)
        drawn = table.rows(rng, int(load.dst_rows))
        wide = setup.fp32 or setup.form == _INTEGERS
        rows = _dst_rows(drawn, rng, five and not wide)
        if load.top:
            rows = rows & 0x8000 | 0x7FFF - rng.integers(0, 4, rows.shape)
        elif load.low_zero:
            rows &= 0x7F00 | 0xFF
        first = int(load.dst_first) + int(setup.offset)
        for k, row in enumerate(rows):
            script.load(DST, 0, first + k & 1023, row, int(drawn["valid"][k]))

    def _words(self, script: Script, setup: Any) -> None:
        legal = setup.style != _ANY
        if legal:
            for thread in range(THREADS):
                script.issue(thread, "ttsetrwc 0,0,0,0,0,15")
        tf32 = TF32 in (setup.a, setup.b) and setup.form != _FP16
        narrow = not (setup.fp32 or setup.form == _INTEGERS) or setup.form == _FP16
        whole = setup.fp32 and setup.form != _FP16 and profiles.get(self._profile).move_fp32_rows
        for row in self._rows("word", int(setup.length), style=setup.style):
            thread = int(row.thread) if setup.switch else int(setup.thread)
            if legal:
                if row.op in _FROM_DST and (tf32 and narrow):
                    continue
                low = row.low and not tf32 and not (row.op in _FROM_DST and narrow)
                low = low and not (row.op in _INTO_DST and whole)
                row = row._replace(low=int(low))
            gap = int(row.pause) if setup.gaps else 0
            script.issue(thread, word_of(row, self._profile), gap=gap)
            if setup.disturb and row.pause < 5:
                self._disturb(script)

    def _disturb(self, script: Script) -> None:
        rng = self._rng
        index, bits = _DISTURBED[rng.integers(len(_DISTURBED))]
        script.config(int(rng.integers(1, 4)), index, int(rng.integers(1 << 32)) & bits,
                      gap=int(rng.integers(40)))  # fmt: skip
        thread, index = int(rng.integers(THREADS)), int(rng.integers(12, 20))
        script.setc16(thread, index, int(rng.integers(1 << 16)))


_SETC16: Final = tuple((f"t{thread}.setc16", (60, 0)) for thread in range(THREADS))
