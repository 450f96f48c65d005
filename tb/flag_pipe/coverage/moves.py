# SPDX-License-Identifier: Apache-2.0
"""Points of tiles on their way: WAITs, transfers, beats at ports, tags, flags.

And of their pairs: clears, errors, deadlocks.
"""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, each, numbers
from tilepath.isa.boundary.flag_pipe import PAIR_FAULTS, READ_PORTS, SHARED_PORTS
from tilepath.isa.profiles import Profile
from tilepath.models.flag_pipe.rules import COMPARED
from tilepath.models.flag_pipe.timing_state import PORTS
from tilepath.tb.flag_pipe.coverage.labels import A2A3, PAIR, PIPES, WAY, beats, plan, planner

_KINDS: Final = tuple(fault.name for fault in PAIR_FAULTS)
_ONE_PORT: Final = "one port takes one write a cycle, so no two TPUSHes end at once"
_MOST_CORES: Final = {"l1_wr": 2, "gm_rd": 3, "gm_wr": 3}


def wait_plan(chosen: Profile) -> CoveragePlan:
    """WAITs."""
    return planner(chosen)(
        "wait",
        {
            "length": Bins({"1": "length == 1", "2": "length == 2", "3": "length == 3",
                            "4-16": "length <= 16", "17+": "1"}),
            "flag": Bins("op == TPUSH", ("ready", "free")),
            "cycles": Bins({"<=-2": "arrived <= -2", "-1": "arrived == -1", "0": "arrived == 0",
                            "+1": "arrived == 1", ">=+2": "1"}),
            "occupancy": Bins("2 if other_filled >= other_slots else other_filled > 0",
                              ("empty", "mid", "full")),
            "late": Bins("late", ("AIV0", "AIV1", "at once")),
        },
        Point("wait.end_x_op_x_length", "T1 T27"),
        Point("wait.set_against_first_wait", "T1 T2", "flag way cycles"),
        Point("halves.op_x_late", "T37", "op late", when="pairs == 2 and arrived >= -8",
              exclude=(Exclude(("TPOP", "at once"), _ONE_PORT),)),
        Point("wait.passed_while_peer_in_pre", "T12 T25", "end", when="op == TPUSH and peer_sets"),
        Point("wait.cube_holds_up_other_pair", "T6 T26", "pair op occupancy",
              when="core == 0 and length > 2 and other_mask >> way & 1"),
    )  # fmt: skip


def transfer_plan(chosen: Profile) -> CoveragePlan:
    """Transfers."""
    only = Exclude(("TPOP", None, None), "no copy on a5")
    rules = () if chosen.platform == A2A3 else (only,)
    address = "(from_addr if op == TPUSH else to_addr)"
    end = f"{address} + beats * BEAT == (L1 if core == 0 else UB_LEGAL)"
    return planner(chosen).where("then == XFER")(
        "wait",
        {
            "beats": beats("beats"),
            "place": Bins({"first": f"{address} == 0", "last": end, "between": "1"}),
        },
        Point("transfer.op_x_core_x_beats", "T9 T20 T24", exclude=rules),
        Point("tile.op_x_core_x_place", "T19", exclude=rules),
    )


def beat_plan(chosen: Profile) -> CoveragePlan:
    """Beats that ports accept."""
    a2a3 = chosen.platform == A2A3
    gone = () if a2a3 else tuple(port for port in PORTS if port.startswith("gm"))
    unused = "not used on this platform"
    most = _MOST_CORES | {"l1_wr": 1 if a2a3 else 2}
    alone = tuple(
        Exclude((port, tuple("123"[0 if port in gone else most[port] :])),
                "no more cores use it at once")
        for port in SHARED_PORTS
    )  # fmt: skip
    two = Point(
        "port.two_vectors_write_l1_x_beats", "T17", "beats", when="port == L1_WR and cores == 2"
    )
    return planner(chosen)(
        "beat",
        {
            "port": Bins("port", PORTS),
            "reads": Bins("port", READ_PORTS),
            "shared": Bins({port: f"port == {port.upper()}" for port in SHARED_PORTS}),
            "refused": Bins("(refused >= 1) + (refused >= 4)", ("none", "1-3", "4+")),
            "latency": Bins("(latency >= 2) + (latency >= 7)", ("1", "2-6", "7-31")),
            "cores": Bins("cores - 1", ("1", "2", "3")),
            "beats": beats("beats[0]", "beats[1]"),
        },
        Point("port.refused", "T24", "port refused", exclude=(Exclude((gone, None), unused),)),
        Point("port.latency", "T24", "reads latency", exclude=(
            Exclude((tuple(port for port in gone if port in READ_PORTS), None), unused),
        )),
        Point("port.cores_at_once", "T17 T24", "shared cores", exclude=alone),
        *(() if a2a3 else (two,)),
    )  # fmt: skip


def endpoint_plan(chosen: Profile) -> CoveragePlan:
    """Tags."""
    tags = numbers(chosen.nflags)
    half = "a ring has half of the flags"
    upper = tags[chosen.nflags // 2 :]
    beyond = (Exclude((PIPES[2:], upper, None), half), Exclude((PIPES[2:], None, upper), half))
    return planner(chosen)(
        "endpoint",
        {
            "pair": Bins("end % 2", PAIR.labels),
            "ring": each(WAY.labels),
            "pipe": Bins("ring + 2 * (mask == BOTH)", PIPES),
            "push_tag": Bins("push_tags[ring]", tags),
            "free_tag": Bins("free_tags[ring]", tags),
            "own_pipe": Bins("way + 2 * (mask == BOTH)", PIPES),
            "pointer": Bins("op - TPUSH", ("push", "pop", "free")),
            "times": Bins({"1": "wraps == 1", "2": "wraps == 2", "3+": "wraps > 2"}),
        },
        Point("ring.push_tag_x_free_tag", "T7 T8 T23", "pipe push_tag free_tag",
              when="mask == other.mask and mask >> ring & 1", exclude=beyond),
        Point("ring.wraps", "T7 T8", "own_pipe pointer times"),
        Point("ring.wraps_both_ways_at_once", "T8", "pair",
              when="op == TPUSH and wraps and wrapped.wraps and wrapped.cycle == cycle",
              exclude=(Exclude((None,), _ONE_PORT),) if chosen.platform == A2A3 else ()),
    )  # fmt: skip


FLAGS: Final = plan(
    "flag",
    {"pair": Bins("bank % 4 // 2", PAIR.labels)},
    Point("flags.both_banks_set_at_once", "T2 T26", "pair", when="both"),
)


def strobe_plan(chosen: Profile) -> CoveragePlan:
    """Strobes of a pair; of clears whether they are granted, or why not."""
    at_once = Exclude((None, "SET on its way"), "a SET arrives at once")
    return plan(
        "strobe",
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
        Point("clear.pair_x_why", "T13 T39", when="strobe == CLR",
              exclude=(at_once,) if chosen.flag_lat == 1 else ()),
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
