# SPDX-License-Identifier: Apache-2.0
"""Directed tests: every fault of every thread, worked sums and products, integers at their ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, TestSpec
from tilepath.isa import profiles
from tilepath.isa.boundary.standin import THREADS
from tilepath.models.format_codes import BF16, BFP2A, FP16, FP32, TF32
from tilepath.sequences.standin.script import COLUMNS, DST, A, B, Script, script_test
from tilepath.tb.standin.streams import EVENTS, LEVELS, STORE

_E8: Final = {"a": BF16, "b": BF16, "fp32": 1}
_LONG: Final = 60_000  # cycles: until the end

# name, Config fields, fields of ThreadConfig, words
_Case = tuple[str, Mapping[str, int], Mapping[str, int], tuple[str | int, ...]]
_ZEROACC: Final = tuple(f"ttzeroacc 1,{wide},0,0,{where}" for wide in (0, 1) for where in (15, 99))
_FAULTS: Final[tuple[_Case, ...]] = (
    ("unsupported", {}, {}, (0x29000000, 0x3A123456)),
    ("src_row", _E8, {}, ("ttincrwc 0,0,0,8", "ttmvmul 0,0,0,0", "ttgapool 0,1,0,0,0")),
    ("dvalid_reset", {}, {}, ("ttcleardvalid 0,0,1",)),
    ("mixed", {"a": FP16, "b": BF16}, {}, ("ttelwmul 0,0,0,0,0", "ttmvmul 0,0,0,0")),
    ("mixed", {"a": TF32, "b": FP16, "fp32": 1}, {}, ("ttelwadd 0,1,0,0,0",)),
    ("fidelity", _E8, {"phase": 2}, ("ttelwadd 0,0,0,0,0", "ttelwsub 0,0,0,0,0")),
    ("mvmul_bcast", _E8, {}, ("ttmvmul 0,1,0,0",)),
    ("pool_mode", _E8, {}, ("ttgapool 0,0,0,0,0", "ttgapool 0,1,0,1,0")),
    ("pool_scale", _E8, {}, ("ttgmpool 0,1,0,0,0",)),
    ("tf32_low", {"a": TF32, "fp32": 1}, {}, ("ttmova2d 1,0,0,1,0", "ttmovb2d 1,0,0,4,8")),
    ("wh_word", {}, {"offset": 32}, (0x10200009, 0x10288003)),
    ("dst16", {"a": BF16}, {}, ("ttmovd2a 1,0,0,1,0", "ttmovd2b 1,0,0,0,0")),
    ("dst16", {"a": TF32}, {}, ("ttmovd2a 0,0,0,0,0",)),
    ("zeroacc_range", {"absolute": 1}, {}, ("ttzeroacc 1,0,0,0,64", "ttzeroacc 1,1,1,0,32")),
    ("zeroacc_range", {}, {"offset": 512}, ("ttzeroacc 1,0,0,0,32", "ttzeroacc 1,1,0,0,16")),
    *(
        ("zeroacc_range", {"absolute": absolute}, {"offset": 256 * quarter}, _ZEROACC)
        for absolute in (0, 1)
        for quarter in range(4)
    ),
)
_OWN: Final = {"own_a": 1, "own_b": 1}


def _start(script: Script, thread: int, fields: Mapping[str, int], own: Mapping[str, int]) -> None:
    """Counters at 0 and other settings, once nothing is inside."""
    script.phase().setup(3, **fields)
    script.thread(thread, **{**_OWN, **own})
    script.phase(idle=False).issue(thread, "ttsetrwc 0,0,0,0,0,15")


def _is_bh(ctx: Context) -> bool:
    return profiles.get(ctx.profile).math_enc == "BH"


def _modifiers(ctx: Context) -> range:
    """Numbers of address modifiers that a word can name."""
    return range(8 if _is_bh(ctx) else 4)


def faults(script: Script, ctx: Context) -> None:
    """Faults of words and settings; of GMPOOL's formats and of the bias where they are."""
    ones = np.full((4, COLUMNS), 0x7F)
    for thread in range(THREADS):
        for name, fields, own, words in _FAULTS:
            if name == "wh_word" and not _is_bh(ctx):
                continue
            if name == "pool_scale":
                script.phase().load(B, 0, 0, ones ^ np.eye(4, COLUMNS, dtype=np.int64))
            _start(script, thread, fields, own)
            script.issue(thread, *words)
        script.phase().load(B, 0, 0, ones)
        for fields in ({"a": FP16, "b": FP16}, {"a": BF16, "b": BF16, "integers": 1}):
            _start(script, thread, fields, {})
            script.issue(thread, "ttgmpool 0,1,0,0,0")
        script.modifier(thread, 1, BiasIncr=2)
        if _is_bh(ctx):
            script.phase(idle=False).issue(thread, "ttelwmul 0,0,0,1,0")


def after_reset(script: Script, ctx: Context) -> None:
    """Sums and moves of every thread before anything is written to Config, then in bank 1."""
    rng = ctx.rng("after_reset")
    script.phase()
    for file in (A, B):
        script.load(file, 0, 0, rng.integers(1 << 19, size=(16, COLUMNS)))
    words = (
        "ttelwadd 0,0,0,0,0",
        "ttelwmul 0,0,0,0,0",
        "ttmova2d 0,0,0,1,16",
        "ttmovb2d 0,0,0,4,24",
    )
    for bank in range(2):
        for thread in range(THREADS):
            script.phase().setc16(thread, 0, bank)  # StateID
            script.phase(idle=False).issue(thread, "ttsetrwc 0,0,0,0,0,15", *words)


def _of_levels(script: Script, _ctx: Context) -> None:
    for thread in range(THREADS):
        _start(script, thread, _E8, {})
        script.issue(
            thread, "ttsetrwc 3,0,0,0,0,0", "ttcleardvalid 3,0,0", "ttelwmul 1,0,0,0,0",
            "ttmovd2a 0,0,0,1,0", "ttmovd2b 0,0,0,0,0", "ttmova2d 0,0,0,0,0",
        )  # fmt: skip


def _races(script: Script, _ctx: Context) -> None:
    for thread in range(THREADS):
        _start(script, thread, _E8, {})
        script.issue(
            thread, "ttzerosrc 0,0,1,1,1", "ttzerosrc 1,1,0,0,1", "ttzerosrc 0,0,0,1,0",
            "ttmova2d 0,0,0,1,0", "ttelwadd 0,0,0,0,0", "ttmovb2d 1,0,0,4,0",
        )  # fmt: skip
        script.setup(3, a=BF16, b=BF16).phase(idle=False).issue(thread, "ttmvmul 0,0,0,0")


def _level(name: str, value: int) -> Callable[[Context], Iterable[Items]]:
    return lambda _ctx: [LEVELS[name].pack(cycles=_LONG, value=value)]


def _reads(_ctx: Context) -> Iterable[Items]:
    row = np.array((0, 1, 9, 514))
    return [EVENTS["pack_read"].pack(lanes=15, wide=np.arange(600) & 1, row=row[None, :])]


def _clears(_ctx: Context) -> Iterable[Items]:
    return [EVENTS["unpack_zero"].pack(files=np.arange(600) % 3 + 1)]


_INTEGERS: Final = {"a": 14, "b": 14, "integers": 1}


_MOVES: Final = (
    "ttmova2d {low},{src},{mod},0,{dst}", "ttmova2d {low},{src},{mod},1,{dst}",
    *(f"ttmovb2d {{low}},{{src}},{{mod}},{mode},{{dst}}" for mode in (0, 4, 6)),
    *(f"ttmovd2{x} {{low}},{{src}},{{mod}},{rows},{{dst}}" for x in "ab" for rows in (0, 1)),
    "ttmovb2a {src},{mod},0,{src_b}", "ttmovb2a {src},{mod},1,{src_b}",
)  # fmt: skip


def moves(script: Script, ctx: Context) -> None:
    """Every move, in every format and half: rows anywhere, each parity of modifiers."""
    rng = ctx.rng("moves")
    script.phase()
    for file in (A, B):
        script.load(file, 0, 0, rng.integers(1 << 19, size=(64, COLUMNS)))
    script.load(DST, 0, 0, rng.integers(1 << 16, size=(64, COLUMNS)))
    places = ((2, 4, 7), (7, 11, 5), (61, 30, 2), (8, 16, 12))
    for number, (code, fp32) in enumerate(product((BF16, FP16, TF32, FP32, BFP2A), (0, 1))):
        _start(script, number % THREADS, {"a": code, "b": code, "fp32": fp32}, {})
        for low, (src, dst, src_b), text in product((0, 1), places, _MOVES):
            word = text.format(low=low, src=src, dst=dst, src_b=src_b, mod=rng.integers(4))
            script.issue(number % THREADS, word)


def clearing(script: Script, ctx: Context) -> None:
    """ZEROACC of a row, and of sixteen at offsets around the half, under each modifier."""
    rng = ctx.rng("clearing")
    for fp32, offset in product((0, 1), (0, 200, 480, 488, 496, 511, 700, 1000)):
        _start(script, 0, {"a": BF16, "fp32": fp32}, {"offset": offset})
        for where, mod in product((1, 8, 15, 16, 31), (0, 1, 2, 3)):
            script.issue(
                0, f"ttzeroacc 0,{rng.integers(2)},{rng.integers(2)},{mod},{where}",
                f"ttzeroacc 1,{rng.integers(2)},{rng.integers(2)},{mod},{where}",
            )  # fmt: skip


def integers(script: Script, ctx: Context) -> None:
    """Sums and products of integers near the ends of what Dst holds, either way."""
    rng = ctx.rng("integers")
    words = ["ttmvmul 0,0,0,0", "ttgapool 0,1,0,0,8"]
    words += [f"ttelw{op} 0,1,0,0,{row}" for op, row in (("add", 16), ("sub", 24), ("mul", 32))]
    for top in (0x7FFF, 0xFFFF):
        for signs in range(4):
            script.phase()
            for file in (A, B):
                data = rng.integers(0, 1024, (16, COLUMNS)) << 8 | 1 | (signs >> file & 1) << 18
                script.load(file, 0, 0, data)
            for row in range(80):  # the high halves are the largest, the low ones nearly
                value = 0xFFFF - rng.integers(0, 300, COLUMNS) if row & 8 else [top] * COLUMNS
                script.load(DST, 0, row, value)
            _start(script, 1, _INTEGERS, {})
            script.issue(1, *words)


def counters(script: Script, ctx: Context) -> None:
    """Row counters that wrap, in every way to advance them."""
    most = _modifiers(ctx)[-1]
    for thread in range(THREADS):
        script.phase()
        for number, (a, b, d) in enumerate(((60, 61, 1020), (5, 7, 1000), (63, 1, 30))):
            for cr in range(2):
                script.modifier(
                    thread, 2 * number + cr, SrcAIncr=a, SrcACR=cr, SrcBIncr=b, SrcBCR=cr,
                    DestIncr=d, DestCR=cr, FidelityIncr=number + 1,
                )  # fmt: skip
        script.modifier(thread, 6, DestIncr=9, DestCToCR=1)
        _start(script, thread, _E8, {})
        for cr in range(2):
            for number in range(3):
                script.issue(
                    thread, f"ttmovb2a 0,{min(most, 2 * number + cr)},0,0",
                    f"ttincrwc {7 * cr},15,15,15", f"ttincrwc {7 * cr},15,3,8",
                    f"ttmovb2a 0,{min(most, 6)},0,0",
                )  # fmt: skip
        for bits in range(16):
            script.issue(thread, f"ttsetrwc 0,{bits},{bits},3,5,{15 - bits}")
        script.issue(thread, "ttsetrwc 0,0,0,0,0,15", "ttmovb2a 0,1,0,0", "ttincrwc 7,15,15,15")


def _word(sign: int, mantissa: int, exponent: int) -> int:
    return sign << 18 | mantissa << 8 | exponent


_X: Final = tuple(
    _word(sign, mantissa, exponent)
    for sign, mantissa, exponent in (
        (0, 0, 127), (1, 0, 127), (0, 0, 119), (0, 0, 116), (0, 0, 115), (1, 0, 116), (0, 0, 227),
        (1, 0, 227), (0, 0, 255), (1, 0, 0), (0, 0x1FF, 0), (0, 0x3FF, 127), (0, 0x0D0, 127),
        (0, 0x2A8, 127), (0, 0, 64), (0, 0, 63),
    )
)  # fmt: skip
"""1, -1, 2^-8, 2^-11, 2^-12, -2^-11, 2^100, -2^100, the largest exponent, -0, a denormal, …"""


def sums(script: Script, _ctx: Context, op: str) -> None:
    """Every pair of the numbers above, onto 0 and onto each other, in every format of Dst."""
    pairs = np.array([np.roll(_X, shift) for shift in range(COLUMNS)])
    script.phase().load(A, 0, 0, np.tile(np.array(_X), (COLUMNS, 1))).load(B, 0, 0, pairs)
    for code, fp32, keep in ((BF16, 0, 0), (BF16, 1, 1), (TF32, 1, 0), (FP16, 0, 0), (FP16, 1, 1)):
        _start(script, 0, {"a": code, "b": code, "fp32": fp32, "keep_zero": keep}, {})
        for accumulates in (0, 1):
            for row in (0, 8):
                script.issue(0, f"ttelw{op} 0,{accumulates},0,0,{row}", "ttincrwc 0,0,8,8")
            script.issue(0, "ttsetrwc 0,0,0,0,0,15")


def products(script: Script, _ctx: Context) -> None:
    """Dot products in four phases: groups far apart, terms that cancel, factors that are 0."""
    for thread in range(THREADS):
        script.phase()
        script.load(A, 0, 0, np.array([np.roll(_X, 3 * k) for k in range(COLUMNS)]))
        script.load(B, 0, 0, np.array([np.roll(_X, 5 * k + 1) for k in range(COLUMNS)]))
        for code, fp32 in ((BF16, 1), (TF32, 1), (BF16, 0), (FP16, 0), (FP16, 1)):
            for phase in range(4):
                _start(script, thread, {"a": code, "b": code, "fp32": fp32}, {"phase": phase})
                script.issue(thread, "ttmvmul 0,0,0,0", "ttgapool 0,1,0,0,8", "ttelwmul 0,1,1,0,8")
        # a sum of 8191 whose half, rounded up, is the half of a place of 16 bits, rounded up (M19)
        script.phase().load(DST, 0, 0, np.full((8, COLUMNS), 19))
        for file, mantissas in ((A, (960, 640, 0)), (B, (1008, 944, 32))):
            rows = np.zeros((16, 16), np.int64)
            rows[:3] = np.array([[m << 8 | 10] for m in mantissas])
            script.load(file, 0, 0, rows if file == A else rows.T)
        _start(script, thread, {"a": FP16, "b": FP16, "fp32": 0}, {"phase": 0})
        script.issue(thread, "ttmvmul 0,0,0,0")
        # products of 0 onto numbers below what their exponent is (97)
        script.phase().load(DST, 0, 0, np.full((8, COLUMNS), 60))
        script.phase(idle=False).issue(thread, "ttzerosrc 0,1,0,0,1", "ttmvmul 0,0,0,0")


def zeroed(script: Script, _ctx: Context) -> None:
    """Sums of the smallest numbers and a cleared SrcB, which may or may not count as 0."""
    small = np.arange(16) + np.array([[0], [1 << 18], [0x3FF00]])
    for code, fp32, keep in product((BF16, TF32, FP16), (0, 1), (0, 1)):
        script.phase().load(A, 0, 0, small)
        _start(script, 2, {"a": code, "b": code, "fp32": fp32, "keep_zero": keep}, {})
        script.issue(2, "ttzerosrc 0,1,1,1,0", "ttelwadd 0,0,0,0,0", "ttelwsub 0,0,0,0,8")
        script.issue(2, "ttelwadd 0,1,0,0,8", "ttelwmul 0,0,0,0,16")


_STORED: Final = (0, 1, *range(12, 20), *range(28, 36), *range(47, 55), *(60,) * 20)
"""Words of ThreadConfig: StateID, offset, modifiers; one that is not read, the most often."""


def _second_writes(script: Script, ctx: Context) -> None:
    """Modifiers are what SETC16s and cores' stores have left."""
    rng = ctx.rng("setc16")
    for thread in range(THREADS):
        for _ in range(200):
            index, value = int(rng.choice(_STORED)), int(rng.integers(0, 1 << 12))
            script.add(f"t{thread}.setc16", (index, value))
    for thread in range(THREADS):
        script.phase().issue(thread, "ttsetrwc 0,0,0,0,0,15")
        script.issue(thread, *[f"ttmovb2a 0,{number},0,0" for number in _modifiers(ctx)])
        script.issue(thread, *[f"ttmova2d 0,0,{number},0,0" for number in _modifiers(ctx)])


def _stores(ctx: Context) -> Iterable[Items]:
    rng = ctx.rng("store")
    index, value = rng.choice(_STORED, 200), rng.integers(0, 1 << 12, 200)
    last = STORE.pack(gap=[2000, 0, 0], thread=range(THREADS), index=60)
    return [STORE.pack(thread=rng.integers(0, THREADS, 200), index=index, value=value), last]


def _test(
    build: Callable[[Script, Context], None],
    summary: str,
    floor: Mapping[str, int],
    name: str = "",
    **others: Any,
) -> TestSpec:
    return script_test(name or getattr(build, "__name__", ""), summary, build, floor, **others)


_FLOOR: Final = {"issue": 30, "matrix_write": 100}
TESTS: Final = {
    test.name: test
    for test in (
        _test(
            faults, "every fault of words and settings, of every thread", {"fault": 60},
            faults=(*dict.fromkeys(case[0] for case in _FAULTS), "bias", "pool_format"),
        ),
        _test(after_reset, "sums and moves with the configuration of reset", _FLOOR, faults=ANY),
        _test(
            _of_levels, "banks that are not the Matrix Unit's, or are stale", {"fault": 15},
            name="fault_levels", faults=("release_owner", "src_owner", "stale"),
            levels={"owner": _level("owner", 0), "stale": _level("stale", 3)},
        ),
        _test(
            _races, "rows that packers read while they are written, banks cleared twice",
            {"fault": 9}, name="fault_races", faults=("zerosrc_race", "dst_race"),
            levels={"pack_read": _reads, "unpack_zero": _clears},
        ),
        _test(
            _second_writes, "cores' stores to ThreadConfig, beside SETC16s",
            {"rwc": 20, "store": 100},
            name="second_writes", faults=ANY, levels={"store": _stores},
        ),
        _test(
            moves, "moves of rows anywhere, in every format, width and half", _FLOOR,
            faults=("tf32_low", "dst16"),
        ),
        _test(
            clearing, "ZEROACC of rows and blocks, at offsets around the half", {"matrix": 400},
            faults=("zeroacc_range",),
        ),
        _test(zeroed, "sums with a cleared SrcB, whose zeros may count", _FLOOR),
        _test(integers, "integers that saturate", _FLOOR),
        _test(counters, "row counters that wrap", {"rwc": 60}),
        *(
            _test(
                partial(sums, op=op), f"pairs of numbers, {op}", _FLOOR, name=f"pairs_{op}",
            )
            for op in ("add", "sub", "mul")
        ),
        _test(products, "dot products of groups far apart, in four phases", _FLOOR),
    )
}  # fmt: skip
