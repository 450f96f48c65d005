# SPDX-License-Identifier: Apache-2.0
"""Points of cycles: what waits for what, and what meets at Dst and L1.

Source: docs/pack.md sections 4, 6, 7, 9 and 10.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, each, numbers, yes
from tilepath.isa.boundary.pack import LANES, PACKERS, SLOTS
from tilepath.isa.profiles import Profile
from tilepath.tb.pack.coverage.labels import GRANTED, THREADS, plan, up_to

_LANE: Final = numbers(LANES)
_LINES: Final = tuple(map(str, range(1, SLOTS + 1)))
_BEHIND: Final = f"(0 if {GRANTED} else cycle - granted.cycle if granted.cycle else 10)"


def _bank(row: str) -> str:
    """The bank of a row of storage."""
    return f"(({row} ^ {row} >> 4) & 15)"


_OVER: Final = "ready and cycle > before.cycle"
_GOT: Final = "rows[lane] >= 0 and"
_BEFORE: Final = "cycle - before.cycle == 1"
# The lane asked for its row in the cycle before as well, as far as other grants show it
_ASKED: Final = "(not begins[lane] and behind_step[lane] > 1 or behind_lanes[lane] > 0)"
_MEETS: Final = (
    f"({_bank('rows[lane]')} ^ {_bank('before.matrix')})"
    " & (7 if wide or before.matrix_wide else 15) == 0"
)
_WAITS: Final = (
    f"{_BEFORE} and before.matrix >= 0 and {_ASKED} and {_MEETS}"
    " and rows[lane] >> 4 != before.matrix >> 4"
)


def _written(when: str) -> str:
    """What is written to Dst: the row, the other one of a wide one, others."""
    first, count = f"{when}written", f"{when}count"
    return (
        f"(0 if (rows[lane] - {first}) % 1024 < {count}"
        f" else 1 if wide and (rows[lane] + 8 - {first}) % 1024 < {count} else 2)"
    )


def dst_plan(profile: Profile) -> CoveragePlan:
    """Rows that lanes get, and what else goes on at Dst."""
    row, other = "rows[lane]", "before.rows[taken_by]"
    if profile.packers > 1:  # packers wait for each other
        taken = f"before.rows[lane] < 0 and {_bank(row)} == {_bank(other)} and {row} != {other}"
    else:  # lanes of a step
        upper, upper_other = _bank(f"({row} + 8)"), _bank(f"({other} + 8)")
        shared = f"{upper} == {_bank(other)} or {_bank(row)} == {upper_other}"
        taken = f"behind_lanes[lane] and ({_bank(row)} == {_bank(other)} or wide and ({shared}))"
    own = (
        Point("rows.same_row_together", "", "same_row",
              f"{_GOT} together_with < lane and rows[together_with] >= 0"),
    ) if profile.packers > 1 else ()  # fmt: skip
    together = " + ".join(f"(rows[{lane}] >= 0)" for lane in range(LANES))
    return plan(
        "dst",
        {
            "lane": each(_LANE),
            "lower_lane": Bins("lane - 1", _LANE[1:]),
            "taken_by": each(_LANE[:-1]),
            "together_with": each(_LANE[:-1]),
            "written_at": each(("granted", "refused")),
            "together": Bins(f"{together} - 1", tuple("1234")),
            "same_row": yes(f"rows[together_with] == {row}"),
            "matrix_row": Bins(f"matrix != {row}", ("same_row", "other_row")),
            "written_row": Bins(f"{_written('')} if written_at == 0 else {_written('before.')}",
                                ("row", "low_half", "other_row")),
            "last_row": Bins({"survives": f"{_BEHIND} < 9", "is_lost": f"{_BEHIND} == 9",
                              "was_counted": "1"}),
        },
        Point("rows.matrix_beside_x_lane", "", "matrix_row lane", f"{_GOT} matrix >= 0"),
        Point("rows.matrix_bank_waits_x_lane", "", "lane", f"{_GOT} {_WAITS}"),
        Point("rows.written_x_asked", "", "written_row written_at",
              f"{_GOT} (written >= 0 if written_at == 0 else before.written >= 0 and {_WAITS})"),
        Point("rows.granted_together_x_wide", "", "together wide", f"{_GOT} 1"),
        Point("rows.bank_taken_by_x_lane", "", "taken_by lower_lane",
              f"{_GOT} taken_by < lane and {_BEFORE} and {other} >= 0 and {taken}", (
                  Exclude(("1", "1"), "a lower lane is served first"),
                  Exclude(("2", ("1", "2")), "a lower lane is served first"),
              )),
        *own,
        Point("histogram.clear_x_last_row", "P27", "last_row", "clears"),
    )  # fmt: skip


def step_plan(profile: Profile) -> CoveragePlan:
    """Steps whose rows have been granted."""
    own = (
        Point("rows.behind_the_one_before_x_packer", "P14", "behind packer", "not begins")
        if profile.packers > 1
        else Point("rows.cycles_of_step", "P50 P53", "cycles")
    )
    return plan(
        "step",
        {
            "first": up_to("behind_issue", "10", "11-31", "32-127", "more"),
            "behind": up_to("behind_step", "1", "2-4", "5-15", "more"),
            "cycles": up_to("(lasts + 1)", "1", "2", "more"),
            "packer": Bins("packer", numbers(profile.packers, "p")),
        },
        Point("rows.first_behind_issue", "", "first", "begins"),
        own,
    )


def line_plan(profile: Profile) -> CoveragePlan:
    """Lines that are written to L1."""
    own = (
        Point("port.lines_together", "P39", "together", "ends"),
        Point("port.side_line_beside", "P36 P39", "beside", "kind != LINE_DATA", (
            Exclude(("read",), "sums have no side lines, but where TO changes in a tile (U17)",
                    (profile.name,)),
        )),
    ) if profile.packers == 1 else ()  # fmt: skip
    return plan(
        "line",
        {
            "kind": Bins("kind", ("data", "exponent", "RSI")),
            "waited_for_ready": yes("waited"),
            "together": Bins("data_lines - 1", _LINES),
            "beside": Bins({"nothing": "not data_lines and not reads", "data": "data_lines",
                            "read": "1"}),
        },
        Point("port.kind_x_waited_for_ready", "P39"),
        *own,
    )  # fmt: skip


def read_plan(profile: Profile) -> CoveragePlan:
    """Lines that are read."""
    lines = Point("sum.lines_of_entry", "P40", "lines", "not is_source")
    return plan(
        "read",
        {
            "latency": up_to("latency", "1", "2-8", "9-30", "31"),
            "in_flight": up_to("in_flight", "0", "1", "2-14", "15"),
            "behind_write": yes("written_before"),
            "lines": Bins("count - 1", _LINES),
        },
        *((lines,) if profile.packers == 1 else ()),
        Point("sum.in_flight", "P40", when="not is_source"),
        Point("sum.latency", "P40", when="not is_source"),
        Point("sum.read_behind_write_of_same_line", "P40", "behind_write", "not is_source"),
        Point("source.latency", "P16", when="is_source"),
    )


def level_plans(profile: Profile) -> tuple[CoveragePlan, ...]:
    """Ports that are not ready, who is busy."""
    some = numbers(profile.packers, "p")
    busy = "(threads[packer] >> {} & 1)"
    count = " + ".join(busy.format(t) for t in range(3))
    return (
        plan(
            "ready",
            {
                "length": up_to("(cycle - before.cycle)", "1", "2-15", "16-63", "more"),
                "packer": Bins("packer", some),
            },
            Point("issue.not_ready_for", "", "length", f"{_OVER} and packer == {PACKERS}"),
            Point("port.not_ready_for_x_packer", "P39", "length packer", _OVER),
        ),
        plan(
            "busy",
            {
                "thread": each(THREADS),
                "packer": each(some),
                "threads_of_a_packer": Bins(f"{count} - 1", ("1", "2", "3")),
            },
            Point("busy.thread_x_packer", "", when=busy.format("thread")),
            Point("busy.threads_of_a_packer", ""),
        ),
    )
