# SPDX-License-Identifier: Apache-2.0
"""The coverage points of the flag pipe, with what parameters exclude."""

from __future__ import annotations

from typing import Final

from tilepath.isa import profiles
from tilepath.isa.boundary.flag_pipe import (
    CORES,
    FAULTS,
    OPS,
    PAIR_FAULTS,
    READ_PORTS,
    WRITE_PORTS,
)
from tilepath.tb.kernel.coverage.bins import Axis, Exclude, PointGroup

ENDS: Final = ("AIC.0", "AIC.1", "AIV0", "AIV1")
MASKS: Final = ("c2v", "v2c", "both")
WAYS: Final = ("c2v", "v2c")
PIPES: Final = ("c2v", "v2c", "both.c2v", "both.v2c")
PAIRS: Final = ("pair0", "pair1")
BEATS: Final = ("1", "2", "3", "4", "16", "other")
PLACES: Final = ("first", "last", "between")
STATES: Final = ("uninit", "idle", "filled", "full", "held", "empty")
OCCUPANCY: Final = ("0", "1", "mid", "N-1", "N")
WAITS: Final = ("1", "2", "3", "4-16", "17+")
ARRIVALS: Final = ("<=-2", "-1", "0", "+1", ">=+2")
RATIOS: Final = ("<1/4", "1/4-0.9", "0.9-1.1", "1.1-4", ">4")
ORDERS: Final = ("cube first", "vector first", "same cycle", "cube while vector waits",
                 "vector while cube waits")  # fmt: skip
CLEARS: Final = ("empty", "with tiles", "cube at work for the other", "vector at work",
                 "vector offers", "cube at work", "cube offers", "SET on its way")  # fmt: skip
ERRORS: Final = tuple(fault.name for fault in FAULTS)
FIELDS: Final = ("mask", "slot_size", "gm_base", "c2v_buf", "v2c_buf")
REFUSED: Final = ("none", "1-3", "4+")
LATENCIES: Final = ("1", "2-6", "7-31")
PORTS: Final = (*READ_PORTS, *WRITE_PORTS)

_UNINIT, _ANY_INIT = STATES[:1], STATES[1:]
# Error → states of the pair, as the core's endpoint sees them, in which it can be
_WHEN: Final[dict[str, Axis]] = {
    "not_init": _UNINIT,
    "bad_dirmask": _UNINIT,
    "bad_slot": _UNINIT,
    "bad_base": _UNINIT,
    "reinit": _ANY_INIT,
    "dir_off": _ANY_INIT,
    "hold_lim": ("held",),
    "free_empty": ("idle", "filled", "full", "empty"),
    "bad_tile": _ANY_INIT,
    "bad_op": STATES,
}


class Points:
    """Places of the points' first bins, by the name of the point; ``group`` has them all."""

    def __init__(self, profile: str) -> None:
        chosen = profiles.get(profile)
        self.a2a3 = chosen.platform == "a2a3"
        self.nflags, self.hold_max = chosen.nflags, chosen.hold_max
        self.flag_lat, self.beat = chosen.flag_lat, chosen.beat_bytes
        self.group = PointGroup()
        self.at: dict[str, int] = {}
        self._parameters(chosen)
        self._commands()
        self._rings()
        self._time()
        self._ports()
        self._launch()

    def _add(self, name: str, *axes: Axis, exclude: tuple[Exclude, ...] = ()) -> None:
        self.at[name] = self.group.add(name, *axes, exclude=exclude)

    def place(self, point: str, *index: int) -> int:
        """Where a bin is."""
        axes = self.group.named[point].axes
        place = 0
        for number, axis in zip(index, axes, strict=True):
            place = place * len(axis) + number
        return self.at[point] + place

    def _parameters(self, chosen: profiles.Profile) -> None:
        for name, values in (
            ("platform", ("a2a3", "a5")), ("nflags", ("4", "8")), ("flag_lat", ("1", "2", "4")),
            ("hold_max", ("1", "2", "4", "8")), ("beat_bytes", ("16", "32")),
        ):  # fmt: skip
            own = str(getattr(chosen, name))
            others = (Exclude((v,), "another value of the parameter") for v in values if v != own)
            self._add(f"parameter.{name}", values, exclude=tuple(others))

    def _commands(self) -> None:
        off = "the direction is not in the mask"
        wrong = [
            Exclude((end, op, mask), off)
            for end in ENDS
            for op in OPS[1:]
            for mask in MASKS[:2]
            if (mask == "c2v") != (end.startswith("AIC") == (op == "TPUSH"))
        ]
        self._add("command.end_x_op_x_mask", ENDS, OPS, MASKS, exclude=tuple(wrong))
        never = [
            Exclude((None, error, state), f"{error} depends on the endpoint's state")
            for error, states in _WHEN.items()
            for state in STATES
            if state not in states
        ]
        self._add("error.end_x_code_x_state", ENDS, ERRORS, STATES, exclude=tuple(never))
        # a TFREE or TPOP is legal behind these only where a slot is held, which they do not have
        self._add("error.then_legal", ERRORS, OPS, exclude=(
            *(Exclude((e, "INIT"), "the endpoint is initialised") for e in
              ("reinit", "dir_off", "hold_lim", "free_empty", "bad_tile")),
            *(Exclude((e, o), "INIT comes first") for o in OPS[1:] for e in
              ("not_init", "bad_dirmask", "bad_slot", "bad_base")),
            *((Exclude(("hold_lim", "TPOP"), "TFREE comes first"),)),
            Exclude(("free_empty", "TFREE"), "TPOP comes first"),
        ))  # fmt: skip
        self._add("held.at_tpop", tuple(str(k) for k in range(self.hold_max + 1)))
        only = () if self.a2a3 else (Exclude(("TPOP", None, None), "no copy on a5"),)
        self._add("transfer.op_x_core_x_beats", ("TPUSH", "TPOP"), CORES, BEATS, exclude=only)
        self._add("tile.op_x_core_x_place", ("TPUSH", "TPOP"), CORES, PLACES, exclude=only)
        rings = ("c2v_buf", "v2c_buf", "gm_base")
        own = [Exclude((name, None), "the other platform's") for name in rings
               if (name == "gm_base") != self.a2a3]  # fmt: skip
        self._add("ring.base_x_place", rings, PLACES, exclude=tuple(own))

    def _rings(self) -> None:
        self._add("pairs.mask_x_mask", MASKS, MASKS)
        tags = tuple(map(str, range(self.nflags)))
        half = "a ring has half of the flags"
        beyond = [rule for pipe in PIPES[2:] for tag in tags[self.nflags // 2 :] for rule in (
            Exclude((pipe, tag, None), half), Exclude((pipe, None, tag), half))]  # fmt: skip
        self._add("ring.push_tag_x_free_tag", PIPES, tags, tags, exclude=tuple(beyond))
        self._add("ring.wraps", PIPES, ("push", "pop", "free"), ("1", "2", "3+"))
        self._add("ring.occupancy", PIPES, ("TPUSH", "TPOP"), OCCUPANCY)
        self._add("ring.wrap_while_full", PIPES)
        one = "the one port of global memory takes one write a cycle, so no two TPUSHes end at once"
        self._add(
            "ring.wraps_both_ways_at_once",
            PAIRS,
            exclude=(Exclude((None,), one),) if self.a2a3 else (),
        )

    def _time(self) -> None:
        self._add("wait.end_x_op_x_length", ENDS, ("TPUSH", "TPOP"), WAITS)
        self._add("wait.set_against_first_wait", ("ready", "free"), WAYS, ARRIVALS)
        self._add("wait.passed_while_peer_in_pre", ENDS)
        self._add("wait.cube_holds_up_other_pair", PAIRS, ("TPUSH", "TPOP"),
                  ("empty", "mid", "full"))  # fmt: skip
        self._add("flags.both_banks_set_at_once", PAIRS)
        self._add("rate.way_x_ratio", WAYS, RATIOS)
        self._add("deadlock.pair_x_kind", PAIRS, ("both full", "both empty"))

    def _ports(self) -> None:
        unused = [
            Exclude((port, None), "not used on this platform")
            for port in PORTS
            if port.startswith("gm") and not self.a2a3
        ]
        self._add("port.refused", PORTS, REFUSED, exclude=tuple(unused))
        reads = tuple(rule for rule in unused if rule.where[0] in READ_PORTS)
        self._add("port.latency", READ_PORTS, LATENCIES, exclude=reads)
        most = {"l1_wr": 1 if self.a2a3 else 2, "gm_rd": 3, "gm_wr": 3}
        shared = ("l1_wr", "gm_rd", "gm_wr")
        rules = [Exclude((port, str(n)), "no more cores use it at once") for port in shared
                 for n in range(1, 4)
                 if n > most[port] or (port[0] == "g" and not self.a2a3)]  # fmt: skip
        self._add("port.cores_at_once", shared, ("1", "2", "3"), exclude=tuple(rules))
        if not self.a2a3:
            self._add("port.two_vectors_write_l1_x_beats", BEATS)

    def _launch(self) -> None:
        self._add("init.pair_x_order", PAIRS, ORDERS)
        self._add("clear.pair_x_why", PAIRS, CLEARS, exclude=(
            (Exclude((None, "SET on its way"), "a SET arrives at once"),)
            if self.flag_lat == 1 else ()))  # fmt: skip
        self._add("launch.mask_x_next_mask", ("cleared", "refused"), MASKS, MASKS)
        self._add("fault.pair_x_kind", PAIRS, tuple(f.name for f in PAIR_FAULTS))
        other = ("c2v_buf", "v2c_buf") if self.a2a3 else ("gm_base",)
        self._add("mismatch.pair_x_field", PAIRS, FIELDS, exclude=tuple(
            Exclude((None, name), "the other platform's") for name in other))  # fmt: skip
