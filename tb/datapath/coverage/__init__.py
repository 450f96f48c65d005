# SPDX-License-Identifier: Apache-2.0
"""Functional coverage of what exists only where blocks are joined; the blocks' own is theirs.

Plans over the account of ``models/datapath``.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Planner, Point, among, each
from tilepath.isa import profiles
from tilepath.models.datapath.account import KINDS, SOURCES
from tilepath.tb.frontend_control.coverage import SeamCoverage

_KINDS: Final = ("none", "STALLWAIT", "SEMWAIT", "STREAMWAIT")
_CONDITIONS: Final = {"THCON": 0, "UNPACK0": 1, "UNPACK1": 2, "PACK": 3, "MATH": 4,
                      "SRCA_UNPACK": 5, "SRCB_UNPACK": 6, "SRCA_MATH": 7, "SRCB_MATH": 8,
                      "TRISC_CFG": 10, "CFG_PIPE": 12}  # fmt: skip
_BOTH: Final = ("pack u0", "pack math", "u0 math", "pack u0 math")
_PAUSE: Final = "nothing is done by the Matrix Unit while unpacker 0 writes Dst (M32)"
_UNPACKERS: Final = ("u0", "u1")
_RISC: Final = "a kernel whose core stores where that raises a fault is refused"
_OTHERS: Final = tuple(f"p{packer}.pack_run_fault" for packer in (1, 2, 3))
_plan: Final = Planner(KINDS)

PLANS: Final = (
    _plan(
        "latches",
        {f"t{thread}": Bins(f"latch[{thread}]", _KINDS) for thread in range(3)},
        *(Point(f"latches.{pair}", "C13") for pair in ("t0_x_t1", "t0_x_t2", "t1_x_t2")),
    ),
    _plan(
        "stalled",
        {  # that alone keeps it waiting
            "condition": Bins(
                {name: f"what & busy == {1 << bit}" for name, bit in _CONDITIONS.items()}
            ),
            "thread": Bins("thread", ("t0", "t1", "t2")),
        },
        Point("stallwait.condition_x_thread", "C17"),
    ),
    _plan(
        "memory",
        {
            "clients": Bins(
                "PLACE[clients & 7]",
                ("u0", "u1", "pack", "u0 u1", "u0 pack", "u1 pack", "u0 u1 pack"),
            ),
            "at_once": Bins(
                "(clients & 1) + (clients >> 1 & 1) + (clients >> 2 & 1) + (clients >> 3) - 1",
                ("one", "two", "three", "four"),
            ),
        },
        Point("l1.clients", "U66 P34"),
        Point("l1.at_once", "U66 P34 P40"),
        PLACE=(-1, 0, 1, 3, 2, 4, 5, 6),
    ),
    _plan(
        "dst",
        {
            "at_once": Bins(
                {
                    both: " and ".join(
                        f"{user} != 0" if user in both.split() else f"{user} == 0"
                        for user in ("pack", "u0", "math")
                    )
                    for both in ("pack", "u0", "math", *_BOTH)
                }
            ),
            "pair": each(_BOTH[:2]),
            "halves": each(("same", "other")),
        },
        Point("dst.at_once", "M14 M31 M32", exclude=(Exclude((_BOTH[2:],), _PAUSE),)),
        Point("dst.pair_x_halves", "M14 U36",
              when="pack & ((math if pair else u0) * 5 >> halves) & 3"),
    ),
    _plan(
        "unpacr",
        {
            "write": each(("config unit", "REG2FLOP", "SETC16", "core")),
            "ago": among("ages[write]", 0, 1, "2-4"),
            "unpacker": Bins("unpacker", _UNPACKERS),
        },
        Point("unpacr.write_x_ago_x_unpacker", "U65 C14"),
    ),
    _plan(
        "handed",
        {
            "file": Bins("unpacker", ("SrcA", "SrcB")),
            "by": Bins("by", ("unpacker", "Matrix Unit")),
            "order": Bins(
                {"switch first": "behind > 0", "same cycle": "behind == 0", "hand-over first": "1"}
            ),
        },
        Point("bank.file_x_by_x_order", "U8 U44 M7"),
    ),
    _plan(
        "raised",
        {"alone": Bins({name: f"sources == {1 << bit}" for bit, name in enumerate(SOURCES)})},
        Point(
            "fault.alone",
            "F17 C6 C18 C19 A2 A7 A13 U53 U66 P34",
            exclude=(
                Exclude(("risc_fault",), _RISC),
                Exclude(("adc_unit_fault",), "neither unpackers nor control ask for it (U7, C14)"),
                Exclude((_OTHERS,), "there is one packer", profiles.having("packers", 1)),
            ),
        ),
    ),
)  # fmt: skip


class DatapathCoverage(SeamCoverage):
    """Coverage of ``datapath``."""

    def __init__(self, profile: str) -> None:
        super().__init__("datapath", profile, PLANS)
