# SPDX-License-Identifier: Apache-2.0
"""What random stimulus of the stand-in is drawn from, and presets of the tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tilepath.engine.stimulus.tables import (
    Table,
    Tables,
    by,
    chance,
    choice,
    mix,
    uniform,
)
from tilepath.models.format_codes import EXPONENT_5, INT8, TF32
from tilepath.tb.standin.streams import OPS

STYLES: Final = ("matmul", "eltwise", "phased", "moves", "pool", "any")
"""What kernels do: MVMUL; sums; products in several phases; moves; GMPOOL. ``any``: anything."""
LEGAL_STYLES: Final = STYLES[:-1]
ALL_OPS: Final = (*OPS, "unsupported")
E5: Final = (*EXPONENT_5, INT8)
E8: Final = tuple(code for code in range(16) if code not in (*E5, TF32))
FORMS: Final = ("e8", "tf32", "e5", "integers", "fp16")
_CONTROL: Final = {
    "ZEROACC": 1.0, "ZEROSRC": 0.6, "SETRWC": 1.5, "INCRWC": 0.7, "CLEARDVALID": 0.5,
    "GATESRCRST": 0.1, "CLREXPHIST": 0.1,
}  # fmt: skip


def _ops(**weights: float) -> Any:
    return choice(ALL_OPS, _CONTROL | weights)


def _near(shape: int | tuple[()] = ()) -> Any:
    """Small steps, steps of blocks, any."""
    parts = {
        "small": (2, uniform(0, 4)),
        "block": (3, choice((8, 16, 4))),
        "any": (1, uniform(0, 63)),
    }
    return mix(parts, shape=shape)


SETUP: Final = Table(
    "setup",
    style=choice(STYLES, {one: 1.0 for one in STYLES}, legal=LEGAL_STYLES),
    form=by("style", {"pool": choice(FORMS, {"e8": 2.0, "tf32": 1.0})}, choice(FORMS, {
        "e8": 3.0, "tf32": 2.0, "e5": 2.0, "integers": 2.0, "fp16": 0.7
    })),
    wild=by("style", {"any": chance(0.4)}, 0),
    a=by("form", {"e8": choice(E8), "tf32": TF32, "e5": choice(E5)}, uniform(0, 15)),
    b=by("form", {"e8": choice(E8), "tf32": choice((TF32, *E8)), "e5": choice(E5)}, uniform(0, 15)),
    codes=mix({0.8: uniform(0, 15), 0.2: TF32}, shape=4),
    a_override=chance(0.5),
    b_override=chance(0.5),
    own=by("style", {"any": chance(0.4, shape=2)}, chance(0.7, shape=2)),
    fp32=chance(0.5),
    keep_zero=chance(0.4),
    swizzle=uniform(0, 1),
    remap=uniform(0, 1),
    absolute=uniform(0, 1),
    other=chance(0.3),
    thread_bank=uniform(0, 1, shape=3),
    offset=mix({
        "none": (3, 0), "half": (2, 512), "quarter": (1, 256), "tile": (1, choice((64, 576, 960))),
        "end": (1, choice((480, 488, 496, 504, 1008))),
        "any": (1, uniform(0, 4095)),
    }),
    keep=chance(0.3, shape=2),
    phase=uniform(0, 3),
    thread=uniform(0, 2),
    switch=chance(0.3),
    mods=chance(0.5, shape=8),
    length=uniform(4, 30, within=range(1, 201)),
    gaps=chance(0.3),
    disturb=by("style", {"any": chance(0.3)}, 0),
).aimed(form=("format.*",), offset=("address.*", "zeroacc.*"), keep="giveback.*")  # fmt: skip
"""Scenes. ``wild``: formats of the files have nothing to do with each other. ``own``: implied
formats are off. ``other``: the other bank of Config has other values. ``switch``: words come from
all threads. ``disturb``: configuration is written while words are on their way.
"""

WORD: Final = Table(
    "word",
    style=choice(STYLES),
    op=by("style", {
        "matmul": _ops(MVMUL=6.0, GAPOOL=2.0),
        "eltwise": _ops(ELWADD=3.0, ELWSUB=3.0, ELWMUL=3.0),
        "phased": _ops(ELWMUL=6.0, MVMUL=1.0),
        "moves": _ops(MOVA2D=2.0, MOVB2D=2.0, MOVD2A=2.0, MOVD2B=2.0, MOVB2A=1.0, TRNSPSRCB=0.3),
        "pool": _ops(GMPOOL=5.0, ZEROSRC=0.0),
    }, _ops(
        MVMUL=2.0, GAPOOL=1.5, GMPOOL=1.0, ELWADD=2.0, ELWSUB=2.0, ELWMUL=2.0, MOVA2D=1.5,
        MOVB2D=1.5, MOVD2A=1.0, MOVD2B=1.0, MOVB2A=0.7, TRNSPSRCB=0.2, unsupported=0.5,
    )),
    thread=uniform(0, 2),
    give=mix({"none": (3, 0), "some": (1, uniform(1, 3))}),
    mod=uniform(0, 7),
    dst=mix({
        "none": (2, 0), "block": (3, choice(range(0, 64, 8))), "near": (2, uniform(0, 63)),
        "any": (0.5, uniform(0, 1023)),
    }),
    src=mix({"none": (2, 0), "block": (2, choice((8, 16, 32, 48))), "any": (2, uniform(0, 63))}),
    low=chance(0.3),
    flag=chance(0.5),
    wide=chance(0.5),
    bcast=uniform(0, 3),
    mode=uniform(0, 7),
    wrong=by("style", {"any": mix({0.85: 0, 0.15: uniform(1, 3)})}, 0),
    zero_mode=choice((0, 0, 1, 1, 1, 2, 3)),
    where=by("style", {"any": mix({
        "near": (3, uniform(0, 15)), "half": (1, uniform(0, 63)),
        "end": (1, choice((31, 32, 63, 64))), "any": (1, uniform(0, 1023)),
    })}, uniform(0, 15)),
    files=uniform(0, 3),
    crs=uniform(0, 15),
    mask=mix({"all": (1, 15), "any": (3, uniform(0, 15))}),
    step_a=by("style", {("matmul", "phased"): 0}, choice((0, 0, 4, 8, 8, 15))),
    step_b=by("style", {"pool": 0}, choice((0, 0, 4, 8, 8, 15, 3))),
    step_d=choice((0, 0, 4, 8, 8, 15, 3)),
    junk=mix({"none": (1, 0), "any": (1, uniform(0, 0xFFFFFF))}),
    other=uniform(0, 99),
    pause=uniform(1, 20),
).aimed(op="word.*", zero_mode="zeroacc.*", crs="setrwc.*")  # fmt: skip
"""Words; columns that an opcode has no field for do not matter."""

MOD: Final = Table(
    "mod",
    style=choice(STYLES),
    a=by("style", {("matmul", "phased"): choice((0, 16, 32, 48, 16))}, _near()),
    b=by("style", {"pool": 0}, _near()),
    d=mix({"small": (2, choice((0, 1, 4, 8, 8, 16))), "any": (1, uniform(0, 1023))}),
    forms=chance(0.2, shape=7),
    fidelity=by("style", {"eltwise": 0}, choice((0, 0, 1, 1, 2, 3))),
    fidelity_clear=chance(0.2),
    bias=by("style", {"any": mix({0.7: choice((0, 4, 8)), 0.3: uniform(0, 15)})}, choice((0, 4))),
    bias_clear=chance(0.3),
).aimed(forms="modifier.*", bias="modifier.bias_*")
"""Address modifiers. ``forms``: CR and Clear of A, of B and of Dst, CToCR."""

LOAD: Final = Table(
    "load",
    first=choice((0, 0, 0, 16, 32, 48, 5)),
    rows=uniform(12, 20),
    bank=uniform(0, 1, shape=2),
    paired=chance(0.4),
    dst_first=mix({"near": (3, choice((0, 8, 16, 48))), "any": (1, uniform(0, 1023))}),
    dst_rows=uniform(0, 24),
    top=chance(0.2),
    low_zero=chance(0.3),
).aimed(paired="sum.*", top="integer.*")
"""Rows that are loaded for a scene. ``paired``: B has what A has, but for signs. ``top``: Dst has
the largest numbers.
"""

DATA: Final = Table(
    "data",
    exponents=choice(("near", "far", "same", "edges", "low", "high", "tiny", "any"), {
        "near": 5.0, "far": 2.0, "same": 2.0, "edges": 1.0, "low": 0.5, "high": 0.5, "tiny": 0.7,
        "any": 0.5,
    }),
    mantissas=choice(("any", "none", "all", "one"), {
        "any": 5.0, "none": 1.0, "all": 1.0, "one": 1.0
    }),
    zeros=choice((0, 0, 0, 1, 4, 15, 16)),
    shift=uniform(0, 9),
    minus=choice((0, 8, 8, 8, 16)),
    valid=chance(0.8),
).aimed(exponents=("sum.*", "product.*", "accumulate.*", "result.*"))  # fmt: skip
"""A row of 16 datums: its exponents, mantissas, how many sixteenths are 0, and are negative."""

LEVELS: Final = Table(
    "levels",
    owner=mix({"all": (2, 15), "any": (1, uniform(0, 15))}, legal=("all",)),
    implied=choice(("all", "e8"), {"all": 1.0}, legal=("e8",)),
    codes=uniform(0, 15, shape=4),
    codes_e8=choice(E8, shape=4),
    stale=mix({"none": (3, 0), "any": (1, uniform(0, 3))}, legal=("none",)),
    bank=uniform(0, 3),
    cycles=uniform(1, 120),
).aimed(owner="giveback.*", stale="fault.*")
PAUSE: Final = Table(
    "pause",
    kind=choice(("never", "rarely", "half", "mostly"), {
        "never": 3.0, "rarely": 3.0, "half": 1.0, "mostly": 0.5
    }),
    share=by("kind", {"never": 0, "rarely": 2, "half": 8, "mostly": 13}),
    times=uniform(1, 40),
).aimed(share="pause.*")  # fmt: skip
"""How many sixteenths of cycles unpacker 0 writes Dst in, for so many changes."""
UNPACK_ZERO: Final = Table(
    "unpack_zero", files=uniform(1, 3), gap=mix({"next": (1, 0), "some": (1, uniform(0, 30))})
)
PACK_READ: Final = Table(
    "pack_read",
    lanes=uniform(1, 15),
    wide=uniform(0, 1),
    row=mix({"near": (4, uniform(0, 40)), "any": (1, uniform(0, 1023))}, shape=4),
    gap=mix({"next": (1, 0), "some": (1, uniform(0, 9))}),
)

_ALL: Final = Tables(SETUP, WORD, MOD, LOAD, DATA, LEVELS, PAUSE, UNPACK_ZERO, PACK_READ)
_LEGAL: Final = Tables(SETUP, WORD, MOD, LOAD, DATA, LEVELS, PAUSE).weighted(
    style={one: 1.0 for one in LEGAL_STYLES}, owner={"all": 1.0}, implied={"e8": 1.0},
    stale={"none": 1.0},
)  # fmt: skip
_ANY: Final = {"any": 1.0}
PRESETS: Final[Mapping[str, Tables]] = {
    "random_default": _LEGAL,
    "random": _ALL.weighted(style=_ANY),
    "random_values": _LEGAL.weighted(
        style={"matmul": 1.0, "eltwise": 2.0, "phased": 2.0, "pool": 1.0}, paired=0.6,
        length=(4, 12),
    ),
    "random_counters": _ALL.weighted(style=_ANY, length=(10, 60), mods=0.9, dst_rows=(0, 2)),
    "random_pressure": _ALL.weighted(
        style=_ANY, kind={"rarely": 1.0, "half": 2.0, "mostly": 1.0}, owner={"any": 1.0},
    ),
}  # fmt: skip
"""The tests of these names use them."""
