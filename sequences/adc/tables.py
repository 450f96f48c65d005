# SPDX-License-Identifier: Apache-2.0
"""What random stimulus of the address counters is drawn from: a table a port, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tilepath.engine.stimulus.tables import (
    Table,
    Tables,
    by,
    chance,
    choice,
    column,
    mix,
    only,
    pauses,
    phases,
    uniform,
)
from tilepath.sequences.adc.words import ILLEGAL, OPS, addr_mod

_SETADC, _SETADCXX = OPS.index("setadc"), OPS.index("setadcxx")
_MOST: Final = 0x3FFFF  # of 18 bits


def _top(counter: Any, zw: Any) -> Any:
    """The largest value of a counter."""
    return (1 << np.where(counter & 2, zw, np.where(counter & 1, 13, 18))) - 1


_WIDE: Final = {
    "0": (1, 0),
    "1": (1, 1),
    "max": (1, lambda top: top),
    "near_max": (1, uniform(lambda top: top - 7, lambda top: top)),
    "does_not_fit": (1, uniform(lambda top: np.minimum(top + 1, _MOST), _MOST)),
    "random": (1, uniform(0, lambda top: top)),
}
"""Values for counters up to ``top``."""


def _narrow(top: int) -> Any:
    """Four small values."""
    return mix({"0": (1, 0), "1": (1, 1), "max": (1, top), "random": (1, uniform(0, top))}, shape=4)


ISSUE: Final = Table(
    "issue",
    op=choice(OPS),
    target=mix(
        {"one": (2, choice((1, 2, 4))), "several": (1, choice((3, 5, 6, 7))), "none": (0.1, 0)},
        legal=("one", "several"),
    ),
    override=chance(0.4, faulty=True),
    towards=only("override", choice(("set0", "set1", "set2"))),
    chosen=column(lambda override, towards: override * (towards + 1)),
    one=column(lambda op: op == _SETADC),
    counter=only("one", uniform(0, 7)),
    zw=8,
    far=column(lambda op: (op == _SETADC) | (op == _SETADCXX)),
    top=only("far", lambda one, counter, zw: np.where(one, _top(counter, zw), 1023)),
    wide=only("far", mix(_WIDE, shape=2)),
    narrow=_narrow(7),
    mask=mix(
        {"none": (0.1, 0), "one": (1, choice((1, 2, 4, 8))), "all": (1, 15),
         "random": (1, uniform(1, 15))},
        legal=("one", "all", "random"),
    ),
    ignored=chance(0.1),
    junk=only("ignored", uniform(0, (1 << 24) - 1)),
    illegal=chance(0.02, faulty=True),
    opcode=only("illegal", choice(ILLEGAL)),
    pace=phases(choice(("none", "sparse", "long"), (4, 2, 0.05)), 16),
    gap=by("pace", {"none": 0, "sparse": uniform(0, 3), "long": uniform(0, 39)}),
).aimed(
    op="instruction.op_x_*",
    target="conflict.*target*",
    override=("instruction.op_x_target*", "fault.x_override*"),
    towards="conflict.writers_x_target_x_set",
    counter="setadc.counter_*",
    wide=("setadc.counter_x_value", "setadcxx.channel_x_value", "wrap.instruction*"),
    narrow=("instruction.op_x_field_x_value", "addrcr.*"),
    mask=("instruction.op_x_mask", "instruction.value_without_mask_bit"),
    ignored="instruction.ignored_bit_set",
    illegal="fault.illegal_opcode",
    opcode="fault.illegal_opcode",
    gap="order.first*",
)  # fmt: skip
"""Instructions of a thread.

``chosen``: ThreadOverride. ``wide``, up to ``top``: what SETADC and SETADCXX set; ``narrow``: the
3-bit values. ``zw``: width of Z and W. ``junk``: where the ignored bits come from.
"""

UNPACK: Final = Table(
    "unpack",
    unpacker=uniform(0, 1),
    own=uniform(0, 2),
    other=chance(0.5),
    away=uniform(1, 2),
    unit_faults=chance(0.02, faulty=True),
    wrong=choice(("thread", "adc", "both")),
    thread=column(lambda own, unit_faults, wrong: np.where(unit_faults & (wrong != 1), 3, own)),
    adc=column(
        lambda own, other, away, unit_faults, wrong: np.where(
            unit_faults & (wrong != 0), 3, (own + other * away) % 3
        )
    ),
    narrow=_narrow(3),
    pause=pauses(2.0),
).aimed(
    other="unpack.thread_x_adc*",
    unit_faults=("unpack.fault*", "unit_fault.flags"),
    narrow=("unpack.*increment*", "wrap.unpack*"),
    pause="order.unpack*",
)
"""Updates by UNPACR. ``other``: ``adc`` is not ``thread``; ``narrow``: increments."""


def _addr_mod(packs: Any, narrow: Any, first: Any, other: Any, word: Any) -> Any:
    """ADDR_MOD_PACK words; of Z the increments have one bit."""
    y0, y1, z0, z1 = narrow.T
    words = addr_mod(YsrcIncr=y0, YdstIncr=y1, ZsrcIncr=z0 & 1, ZdstIncr=z1 & 1)
    carry = addr_mod(YsrcCR=first, YdstCR=other)
    clear = addr_mod(YsrcClear=first, YdstClear=other, ZsrcClear=other, ZdstClear=first)
    return np.choose(packs, [words, words | carry, words | clear, word, 0])


PACK: Final = Table(
    "pack",
    sets=uniform(0, 7),
    packs=choice(("increment", "carry", "clear", "any", "nothing")),
    narrow=_narrow(15),
    first=uniform(0, 1),
    other=uniform(0, 1),
    word=uniform(0, 0xFFFF),
    addr_mod=column(_addr_mod),
    pause=pauses(2.0),
).aimed(sets="pack.sets", packs="pack.only_field", narrow=("pack.*incr*", "wrap.pack*"))
"""Updates by PACR, of all ``sets`` at once. ``packs``: what ``addr_mod`` does."""

FLOP: Final = Table(
    "flop",
    units=uniform(0, 2, shape=2),
    unit_faults=chance(0.02, shape=2, faulty=True),
    thread=column(lambda units, unit_faults: np.where(unit_faults[:, 0], 3, units[:, 0])),
    select=column(lambda units, unit_faults: np.where(unit_faults[:, 1], 3, units[:, 1])),
    channel=uniform(0, 1),
    counter=uniform(0, 3),
    checkpoint=uniform(0, 1),
    zw=8,
    top=column(_top),
    wide=mix(_WIDE),
    pause=pauses(4.0),
).aimed(
    unit_faults=("flop.fault*", "unit_fault.flags"),
    counter="flop.set_x_target*",
    checkpoint="flop.counter_x_checkpoint*",
    wide="flop.counter_x_checkpoint_x_value",
)
"""REG2FLOP writes of ``wide``."""

_ALL: Final = Tables(ISSUE, UNPACK, PACK, FLOP)
_BUSY: Final = {"unpack.pause": 0.0, "pack.pause": 0.0, "flop.pause": 0.0}

PRESETS: Final[Mapping[str, Tables]] = {
    "random": _ALL,
    "random_default": _ALL.weighted(
        op={**dict.fromkeys(OPS, 1.0), "incadcxy": 3.0, "incadczw": 3.0},
        target={"one": 2.0, "several": 1.0},
        override=0.0,
        mask={"one": 1.0, "all": 1.0, "random": 1.0},
        ignored=0.0,
        illegal=0.0,
        unit_faults=0.0,
    ),
    "random_wrap": _ALL.weighted(
        op={"setadc": 2.0, "incadcxy": 4, "incadczw": 4, "addrcrxy": 4, "addrcrzw": 4},
        wide={"max": 2.0, "near_max": 6.0, "0": 0.5},
        narrow={"max": 2.0, "random": 1.0, "0": 1.0},
        mask={"one": 2.0, "random": 1.0},
        pace={"none": 2.0, "sparse": 3.0},
        illegal=0.0,
        packs={"increment": 3.0, "carry": 2.0, "any": 0.5},
        unit_faults=0.0,
        **{"flop.pause": 1.0},
    ),
    "random_conflict": _ALL.weighted(
        target={"several": 3.0, "one": 1.0, "none": 0.05},
        override=0.8,
        towards={"set0": 6.0, "set1": 1.0, "set2": 1.0},
        narrow={"0": 2.0, "1": 1.0, "max": 1.0, "random": 1.0},
        pace={"none": 1.0},
        **_BUSY,
    ),
    "threads": Tables(ISSUE).weighted(
        override=0.9,
        towards={"set0": 1.0, "set1": 8.0, "set2": 1.0},
        target={"one": 1.0, "several": 2.0},
        pace={"none": 1.0},
        illegal=0.0,
    ),
    "updates": _ALL.weighted(
        op={**dict.fromkeys(OPS, 0.5), "setadc": 4.0},
        wide={"near_max": 3.0, "max": 1.0, "0": 1.0, "random": 1.0},
        pace={"sparse": 1.0, "long": 0.3},
        **_BUSY | {"flop.pause": 3.0},
    ),
}
"""The tests of these names draw from them; players without a table do nothing."""
