# SPDX-License-Identifier: Apache-2.0
"""Points of compressed rows, of pointers that wrap, and of requests at L1's port.

Source: unpack-adc section 7, lines Wrap, Compressed, Timing; crosses 9, 11 and 12.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, among, each
from tilepath.isa.profiles import Profile
from tilepath.tb.unpack.coverage.labels import ROW_KINDS, plan, sized, sizes

_COUNT: Final = "(end - first if end > first else 0)"
_BESIDE: Final = "unpacker and want and beside.want and beside.cycle == cycle"
_WANTS: Final = tuple(f"{a}x{b}" for a in (1, 2, 4) for b in (1, 2, 4))

_STARTS: Final = plan(
    "starts",
    {
        "first_mod_32": among("first & 31", 0, 1, 15, 31, other="other"),
        "count": among(_COUNT, 0, 1, 15, 16, 17, 31, 32, 33, other="other"),
        "row": Bins("0 if searches else 1 if end >= 0 else 2", ROW_KINDS),
        "why": Bins({"equal": "end == first", "negative": "end < first"}),
    },
    Point("compressed.first_mod_32", "U20"),
    Point("compressed.count", "U19", when="end >= 0"),
    Point("compressed.empty_row", "U19", "row why", when="end >= 0",
          exclude=(Exclude(("part_of_row", None), "reads no second entry (U19)"),)),
)  # fmt: skip
_REQUEST: Final = plan(
    "request",
    {
        "l1_latency": Bins(
            {"1": "latency < 2", "2-4": "latency < 5", "5-15": "latency < 16", "16-31": "1"}
        ),
        "rsi": Bins("rsi_lines - 1", ("1", "2")),
        "request": Bins("lines > 0", ("alone", "with_datums")),
        # 1, 2 and 4 are places 0 to 2
        "both": Bins("3 * (beside.want // 2) + want // 2", _WANTS),
        "ended": Bins("beside.ends + 2 * ends - 1", ("u0_ends", "u1_ends", "both_end")),
    },
    Point("timing.l1_latency_x_unpacker", "U66"),
    Point("timing.rsi_lines_x_request_x_unpacker", "U18 U19", "rsi request unpacker"),
    Point("timing.both_fetch_wants", "U63", "both", when=_BESIDE),
    Point("timing.both_fetch_wants_x_ends", "U63", "both ended", when=_BESIDE),
)


def plans(profile: Profile) -> tuple[CoveragePlan, ...]:
    """With sizes and row widths of the profile."""
    names = sizes(profile)
    fetched = plan(
        "fetched",
        {
            "kind": each(("datum", "exponent", "delta")),
            "when": each(("never", "initial", "mid")),
            "size": sized(names),
            "groups_crossed": Bins({"none": "groups == 0", "1": "groups == 1", "more": "1"}),
            "drops": Bins("dropped", ("nothing", "into_a_run", "to_end_of_run")),
            "stops": Bins("cut", ("end_of_run", "in_a_run")),
        },
        Point("wrap.kind_x_when_x_size", "U24 U25",
              when="fifo and (kind != 1 or reads_exponents) and (kind != 2 or compressed)"
                   " and (wrapped[kind] >> when - 1 & 1 if when else wrapped[kind] == 0)",
              exclude=(
                  Exclude(("exponent", None, names[3:]), "has no exponents"),
                  Exclude(("delta", None, names[0]), "BFP2 is never compressed (U21)"),
              )),
        Point("compressed.groups_crossed", "U20", when="compressed"),
        Point("compressed.part_of_row_drops_x_stops", "U19 U22", "drops stops",
              when="bounded and source.items > 0"),
    )  # fmt: skip
    return (_STARTS, _REQUEST, fetched)
