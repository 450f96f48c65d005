# SPDX-License-Identifier: Apache-2.0
"""The update ports and REG2FLOP: every field (A11, P18, C14)."""

from __future__ import annotations

from itertools import product
from typing import Final

from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.directed.common import THREADS, timeline_test, top
from tilepath.sequences.adc.timeline import Timeline
from tilepath.tb.kernel.description.stimulus import TestSpec


def _apart(tl: Timeline) -> None:
    """Give every counter a value of its own, so that a wrong one shows."""
    for thread, counter in product(THREADS, range(8)):
        for target in range(3):
            tl.issue(
                thread, int(w.setadc(1 << target, counter, thread * 60 + target * 17 + counter))
            )
            tl.step()


def _unpack(tl: Timeline) -> None:
    """Each thread and adc, the illegal ones too, with each increment of each counter."""
    _apart(tl)
    for thread, adc, unpacker in product(range(4), range(4), (0, 1)):
        for shift in range(4):
            y0, z0, y1, z1 = ((shift + k) % 4 for k in range(4))
            tl.unpack(unpacker, thread, adc, y0, z0, y1, z1).step()
        for field, value in product(("y0", "z0", "y1", "z1"), (1, 2, 3)):
            tl.unpack(unpacker, thread, adc, **{field: value}).step()
        tl.unpack(unpacker, thread, adc).step()


_FLAGS: Final = ("YsrcCR", "YsrcClear", "YdstCR", "YdstClear", "ZsrcClear", "ZdstClear")


def _pack(tl: Timeline) -> None:
    """Each field by itself, flags in every combination with and without increments, each set."""
    _apart(tl)
    for sets, name in product(range(8), w.ADDR_MOD):
        tl.pack(sets, **{name: 1}).step()
    for sets in range(8):
        tl.pack(sets).step()
    for channel, value in product(("Ysrc", "Ydst"), range(16)):
        tl.pack(1 + value % 7, **{f"{channel}Incr": value}).step()
    for number, flags in enumerate(product((0, 1), repeat=len(_FLAGS))):
        for sets, y, z in ((1, 0, 0), (2, 0, 0), (4, 0, 0), (7, 1 + number % 15, 1)):
            fields = dict(zip(_FLAGS, flags, strict=True))
            tl.pack(sets, YsrcIncr=y, YdstIncr=y ^ (y > 1), ZsrcIncr=z, ZdstIncr=z, **fields)
            tl.step()
        # new values, so that there is something to clear
        thread = number % 3
        tl.issue(thread, int(w.packed("setadcxy", 4, (1, 2, 3, 4), 15))).step()
        tl.issue(thread, int(w.packed("incadczw", 4, (5, 6, 7, 1)))).step()


def _flop(tl: Timeline) -> None:
    """Each counter and checkpoint, no such thread or select, values that do not fit."""
    _apart(tl)
    number = 0
    for thread, select, counter, checkpoint in product(range(4), range(4), range(8), (False, True)):
        number += 1
        tl.flop(thread, select, counter, number * 13 & 0xFF, checkpoint).step()
    for counter, checkpoint in product(range(8), (False, True)):
        largest = top(tl.profile, counter)
        for value in (0, 1, largest, largest - 1, 0x3FFFF, (largest + 1) & 0x3FFFF, 0x2AAAA):
            tl.flop(number % 3, number // 3 % 3, counter, value, checkpoint).step()
            number += 1


_UNPACKED: Final = {f"t{s}.unpacker{k}": 80 for s in THREADS for k in (0, 1)}
_PACKED: Final = {f"t{s}.packers": 100 for s in THREADS}

TESTS: Final[tuple[TestSpec, ...]] = (
    timeline_test(
        "unpack_port",
        "unpacker updates",
        _unpack,
        unpack=500,
        unit_fault=200,
        **_UNPACKED,
        faults=("unpack_thread",),
    ),
    timeline_test("pack_port", "packer updates", _pack, pack=300, **_PACKED),
    timeline_test(
        "flop_port",
        "REG2FLOP writes",
        _flop,
        flop=350,
        unit_fault=100,
        level=30,
        faults=("flop_select", "flop_thread"),
    ),
)
