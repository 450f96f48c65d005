# SPDX-License-Identifier: Apache-2.0
"""Points of pauses in parts of an instruction (M32), and of stores of cores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, yes
from tilepath.isa.profiles import Profile
from tilepath.models.standin.plan import OPS
from tilepath.tb.standin.coverage import labels as L

_BEFORE: Final = ("sampling", "read", "write", "read and write", "clears", "last")
_LONG: Final[Mapping[str, tuple[str, ...]]] = {
    "MVMUL": ("read", "read and write"),
    "GAPOOL": ("read", "read and write"),
    "GMPOOL": ("read", "write"),
    "TRNSPSRCB": ("read", "write"),
    "ZEROACC": ("clears",),
    **{op: ("read and write",) for op in (*L.ELTWISE, *L.ALL_MOVES)},
}
"""What cycles between the first and the last one do."""


def _impossible(op: str, chosen: Profile) -> Exclude:
    long = op in _LONG and (op != "ZEROACC" or chosen.zeroacc_storage_rows)
    there = ("sampling", "last", *_LONG[op]) if long else ("sampling",)
    why = "no cycle of it does that" if long else "it has one cycle"
    return Exclude((op, tuple(before for before in _BEFORE if before not in there)), why)


def pause_plan(chosen: Profile) -> CoveragePlan:
    """Pauses, by what the instruction does in the cycle behind them."""
    return L.plan(
        "pause",
        {
            "before": Bins(
                "0 if not sampled else 5 if last else 3 if reads and writes else 2 if writes"
                " else 1 if reads else 4",
                _BEFORE,
            ),
            "length": Bins("(cycles >= 2) + (cycles >= 3)", ("1", "2", "3 or more")),
            "row_kept": yes("kept"),
        },
        Point("pause.op_x_before", "M27 M31 M32", times="cycles",
              exclude=tuple(_impossible(op, chosen) for op in OPS)),
        Point("pause.cycles_x_row_kept", "M32", "length row_kept"),
    )  # fmt: skip


_STORES: Final = L.plan(
    "store",
    {
        "thread": L.counted("thread", 3),
        "beside": Bins(
            "0 if setc16 < 0 else 1 + (setc16 == index)", ("none", "other_word", "same_word")
        ),
    },
    Point("store.thread_x_beside_setc16", "M30", "thread beside"),
)

PLANS: Final = (pause_plan, _STORES)
