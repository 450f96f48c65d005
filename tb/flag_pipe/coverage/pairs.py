# SPDX-License-Identifier: Apache-2.0
"""Points of pairs: clears, errors, deadlocks."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, each
from tilepath.isa.boundary.flag_pipe import PAIR_FAULTS
from tilepath.isa.profiles import Profile
from tilepath.models.flag_pipe.rules import COMPARED
from tilepath.tb.flag_pipe.coverage.labels import A2A3, plan, planner

_KINDS: Final = tuple(fault.name for fault in PAIR_FAULTS)


def clear_plan(chosen: Profile) -> CoveragePlan:
    """Clears: granted, or why not."""
    at_once = Exclude((None, "SET on its way"), "a SET arrives at once")
    return plan(
        "clear",
        {
            "why": Bins(
                "8 if alone else 3 if vector_state else 4 if vector_offers"
                " else 5 if cube_state and cube_pair == pair else 6 if cube_offers"
                " else 7 if flying else 2 if cube_state else filled > 0",
                ("empty", "with tiles", "cube at work for the other", "vector at work",
                 "vector offers", "cube at work", "cube offers", "SET on its way",
                 "alone, with halves"),
            ),
        },
        Point("clear.pair_x_why", "T13 T39", exclude=(at_once,) if chosen.flag_lat == 1 else ()),
    )  # fmt: skip


def fault_plan(chosen: Profile) -> CoveragePlan:
    """Errors of a pair."""
    other = ("c2v_buf", "v2c_buf") if chosen.platform == A2A3 else ("gm_base",)
    return plan(
        "fault",
        {
            "kind": each(_KINDS),
            "field": each(COMPARED),
        },
        Point("fault.pair_x_kind", "T2 T6 T13", when="faults >> kind & 1"),
        Point("mismatch.pair_x_field", "T6 T16 T20",
              when="faults & CFG_MISMATCH and differ >> field & 1",
              exclude=(Exclude((None, other), "the other platform's"),)),
        CFG_MISMATCH=1 << _KINDS.index("cfg_mismatch"),
    )  # fmt: skip


def deadlock_plan(chosen: Profile) -> CoveragePlan:
    """Pairs that stand still."""
    return planner(chosen)(
        "deadlock",
        {
            "kind": Bins(
                "2 if pipes[0] != pipes[1] else op == TPOP",
                ("both full", "both empty", "in two pipes"),
            )
        },
        Point("deadlock.pair_x_kind", "T18 T35"),
        Point("halves.deadlock", "T18 T39", "pair", when="pairs == 2"),
    )
