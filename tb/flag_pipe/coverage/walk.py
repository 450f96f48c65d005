# SPDX-License-Identifier: Apache-2.0
"""Coverage of commands, rings, flags and launches: a walk through the records by cycle.

Within a cycle levels come first, as they are registered; then what is offered, clears, responses.
A command is accepted in the cycle before its core is no longer IDLE.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa.boundary.flag_pipe import BANKS, CORES, ENDPOINTS
from tilepath.isa.boundary.flag_pipe import PAIRS as PAIR_COUNT
from tilepath.tb.flag_pipe.coverage.points import FIELDS, STATES, Points
from tilepath.tb.flag_pipe.coverage.seen import IDLE, PRE, WAIT, XFER, Core, Pipe
from tilepath.tb.kernel.description.stream import Records

INIT, TPUSH, TPOP, TFREE = range(4)
C2V, V2C, BOTH = 1, 2, 3
_L1, _UB, _UB_A2A3 = 1 << 19, 1 << 18, 3 << 16
_BEATS: Final = {1: 0, 2: 1, 3: 2, 4: 3, 16: 4}
Event = tuple[int, int, int, Any]  # cycle, order within it, number of the instance, record


class Walk:
    """Counts into ``counts``, block of cycles after block of cycles."""

    def __init__(self, points: Points, counts: NDArray[np.int64]) -> None:
        self.p = points
        self.counts = counts
        self.cores = [Core() for _ in CORES]
        self.ends: list[Any] = [None] * ENDPOINTS  # levels; None: not initialised
        self.config: list[dict[str, int]] = [{} for _ in range(ENDPOINTS)]
        self.started = [-1] * ENDPOINTS  # acceptance of the last INIT
        self.fresh = [-1] * ENDPOINTS  # first cycle in which it is initialised
        self.last_error = [0] * ENDPOINTS
        self.wraps = [[0, 0, 0] for _ in range(ENDPOINTS)]
        self.pipes = [[Pipe(), Pipe()] for _ in range(PAIR_COUNT)]
        self.flags = [0] * len(BANKS)
        self.flying = 0
        self.arrived: dict[tuple[int, int], int] = {}
        self.mask_before = [0] * PAIR_COUNT
        self.push_wrapped: dict[tuple[int, int], int] = {}
        self.deadlock = [0] * PAIR_COUNT
        self.using: dict[str, dict[int, int]] = {"l1_wr": {}, "gm_rd": {}, "gm_wr": {}}
        self.users: dict[str, list[tuple[int, int, int]]] = {}
        p = points
        values = {"platform": "a2a3" if p.a2a3 else "a5", "nflags": p.nflags,
                  "flag_lat": p.flag_lat, "hold_max": p.hold_max, "beat_bytes": p.beat}  # fmt: skip
        for name, value in values.items():
            axis = p.group.named[f"parameter.{name}"].axes[0]
            self.hit(f"parameter.{name}", axis.index(str(value)))

    def hit(self, point: str, *index: int) -> None:
        """Count one bin."""
        self.counts[self.p.place(point, *index)] += 1

    def count(self, streams: Mapping[str, Records]) -> Mapping[str, Any]:
        """Count a block of cycles; who used the shared ports from when on."""
        self.users = {port: [] for port in self.using}
        for cycle, order, number, record in sorted(self._events(streams), key=lambda e: e[:3]):
            self._acts[order](self, cycle, number, record)
        return self.users

    def _events(self, streams: Mapping[str, Records]) -> Iterator[Event]:
        for order, (pattern, copies) in enumerate(_STREAMS):
            for number in range(copies):
                records = streams[pattern.format(number)]
                names = records.dtype.names or ()
                columns = [records[name].tolist() for name in names]
                for row in zip(*columns, strict=True):
                    record = dict(zip(names, row, strict=True))
                    yield row[0], order, number, record

    # -- who is who

    @staticmethod
    def end(core: int, pair: int) -> int:
        """Number of an endpoint."""
        return pair if core == 0 else 1 + core

    def slots(self, mask: int) -> int:
        """Of a ring."""
        return self.p.nflags // 2 if mask == BOTH else self.p.nflags

    @staticmethod
    def way(core: int, op: int) -> int:
        """Direction of an operation: 0 C2V, 1 V2C."""
        return int((core == 0) != (op == TPUSH))

    def pipe_bin(self, mask: int, way: int) -> int:
        """Place in the axis of pipes."""
        return way + 2 * (mask == BOTH)

    def occupied(self, pair: int, way: int) -> int:
        """Slots that are ready or held."""
        pipe = self.pipes[pair][way]
        return pipe.pushed - pipe.freed

    def _pair_state(self, end: int, pair: int) -> int:
        level = self.ends[end]
        if level is None:
            return STATES.index("uninit")
        if level["held"]:
            return STATES.index("held")
        ways = [way for way in (0, 1) if level["mask"] >> way & 1]
        filled = [self.occupied(pair, way) for way in ways]
        if max(filled) >= self.slots(level["mask"]):
            return STATES.index("full")
        if max(filled):
            return STATES.index("filled")
        moved = any(self.pipes[pair][way].pushed for way in ways)
        return STATES.index("empty" if moved else "idle")

    # -- levels

    def _flags(self, cycle: int, _number: int, record: Any) -> None:
        rising = []
        for bank, name in enumerate(BANKS):
            new = record[name] & ~self.flags[bank]
            rising.append(new)
            self.flags[bank] = record[name]
            for flag in range(self.p.nflags):
                if new >> flag & 1:
                    self.arrived[bank, flag] = cycle - 1
        for pair in range(PAIR_COUNT):
            if rising[2 * pair] and rising[2 * pair + 1]:
                self.hit("flags.both_banks_set_at_once", pair)
        self.flying = record["flying"]

    def _endpoint(self, cycle: int, end: int, record: Any) -> None:
        pair, old = end % 2, self.ends[end]
        self.ends[end] = record if record["init"] else None
        if old is None:
            self.fresh[end] = cycle
        if not record["init"]:
            self.last_error[end] = 0
            self.wraps[end] = [0, 0, 0]
            self.pipes[pair] = [Pipe(), Pipe()]
            return
        mask = record["mask"]
        if old is not None:
            for kind, name in enumerate(("push_tag", "pop_tag", "free_tag")):
                if old[name] and not record[name]:
                    self.wraps[end][kind] += 1
                    way = int((end < 2) == (kind > 0))
                    times = min(self.wraps[end][kind], 3) - 1
                    self.hit("ring.wraps", self.pipe_bin(mask, way), kind, times)
                    if kind == 0:
                        self.push_wrapped[pair, int(end >= 2)] = cycle
                        if self.push_wrapped.get((pair, int(end < 2))) == cycle:
                            self.hit("ring.wraps_both_ways_at_once", pair)
        self._tags(pair)

    def _tags(self, pair: int) -> None:
        cube, vector = self.ends[pair], self.ends[2 + pair]
        if cube is None or vector is None or cube["mask"] != vector["mask"]:
            return
        for way, (producer, consumer) in enumerate(((cube, vector), (vector, cube))):
            if cube["mask"] >> way & 1:
                tags = producer["push_tag"], consumer["free_tag"]
                self.hit("ring.push_tag_x_free_tag", self.pipe_bin(cube["mask"], way), *tags)

    def _core(self, cycle: int, number: int, record: Any) -> None:
        core, state = self.cores[number], record["state"]
        before, core.state = core.state, state
        if before == IDLE and core.offered:
            self._accepted(cycle - 1, number)
        if before == WAIT and state != WAIT:
            self._passed(cycle, number)
        if XFER in (before, state) and before != state:
            self._uses(cycle, number, state == XFER)
        if before != state:
            core.since = cycle

    def _accepted(self, cycle: int, number: int) -> None:
        core = self.cores[number]
        command = core.now = core.offered.popleft()
        core.pair = command["peer"] if number == 0 else number - 1
        end = self.end(number, core.pair)
        core.pair_state = self._pair_state(end, core.pair)
        core.waited = 0
        level = self.ends[end]
        op, pair = command["op"], core.pair
        if level is None or op not in (TPUSH, TPOP):
            if op == INIT and self.fresh[end] == cycle + 1:
                self._initialised(cycle, number, command)
                return
            named = not (number and command["peer"])
            if op == INIT and level and named and 1 <= command["dir_mask"] <= BOTH:
                masks = level["mask"] - 1, command["dir_mask"] - 1
                self.hit("launch.mask_x_next_mask", 1, *masks)
            return
        way = self.way(number, op)
        if not level["mask"] >> way & 1:
            return
        slots, filled = self.slots(level["mask"]), self.occupied(pair, way)
        place = 4 if filled >= slots else 3 if filled == slots - 1 else min(filled, 2)
        self.hit("ring.occupancy", self.pipe_bin(level["mask"], way), op - TPUSH, place)
        if op == TPUSH:
            if filled >= slots and level["push_tag"] == 0:
                self.hit("ring.wrap_while_full", self.pipe_bin(level["mask"], way))
            both = [self.ends[0], self.ends[1]]
            if all(both):
                self.hit("pairs.mask_x_mask", both[0]["mask"] - 1, both[1]["mask"] - 1)
        else:
            self.hit("held.at_tpop", level["held"])
        self._rate(cycle, pair, way, op)

    def _rate(self, cycle: int, pair: int, way: int, op: int) -> None:
        """Periods of producer and consumer, without what they wait for each other."""
        pipe = self.pipes[pair][way]
        last = pipe.produce if op == TPUSH else pipe.consume
        period = cycle - last[0] - last[1] if last else 0
        if op == TPUSH:
            pipe.produce, pipe.period = (cycle, 0), period
            return
        pipe.consume = (cycle, 0)
        if period > 0 and pipe.period > 0:
            ratio = pipe.period / period
            self.hit("rate.way_x_ratio", way, bisect_right((0.25, 0.9, 1.1, 4.0), ratio))

    def _passed(self, cycle: int, number: int) -> None:
        core = self.cores[number]
        op, pair, end = core.now["op"], core.pair, self.end(number, core.pair)
        core.waited = cycle - core.since
        level = self.ends[end]
        place = bisect_right((1, 2, 3, 16), core.waited - 1) if core.waited > 1 else 0
        self.hit("wait.end_x_op_x_length", end, op - TPUSH, min(place, 4))
        way = self.way(number, op)
        pipe = self.pipes[pair][way]
        if op == TPUSH and pipe.produce:
            pipe.produce = (pipe.produce[0], core.waited)
        elif pipe.consume:
            pipe.consume = (pipe.consume[0], core.waited)
        tag = level["push_tag"] if op == TPUSH else level["pop_tag"]
        flag = tag + (self.p.nflags // 2 if level["mask"] == BOTH and way else 0)
        bank = 2 * pair + (1 if number == 0 else 0)
        arrived = self.arrived.get((bank, flag), -9)
        against = max(-2, min(2, arrived - core.since)) + 2
        self.hit("wait.set_against_first_wait", int(op == TPUSH), way, against)
        peer = self.cores[pair + 1 if number == 0 else 0]
        if op == TPUSH and peer.state == PRE and peer.pair == pair:
            self.hit("wait.passed_while_peer_in_pre", end)
        other = self.ends[1 - pair]
        if number == 0 and core.waited > 2 and other is not None and other["mask"] >> way & 1:
            filled = self.occupied(1 - pair, way)
            full = filled >= self.slots(other["mask"])
            place = 2 if full else 1 if filled else 0
            self.hit("wait.cube_holds_up_other_pair", pair, op - TPUSH, place)

    def _uses(self, cycle: int, number: int, begins: bool) -> None:
        core = self.cores[number]
        beats = self.config[self.end(number, core.pair)].get("slot_size", 0) // self.p.beat
        if core.now["op"] == TPUSH:
            ports = ["gm_wr"] if self.p.a2a3 else ["l1_wr"] if number else []
        else:
            ports = ["gm_rd"] + (["l1_wr"] if number == 0 else [])
        if begins:
            bin_ = _BEATS.get(beats, 5)
            if core.now["op"] == TPUSH or self.p.a2a3:
                self.hit("transfer.op_x_core_x_beats", core.now["op"] - TPUSH, number, bin_)
                self._tile(number, core.now, beats * self.p.beat)
        for port in ports:
            using = self.using[port]
            if begins:
                using[number] = _BEATS.get(beats, 5)
            else:
                using.pop(number, None)
            fewest = min(using.values(), default=0)
            self.users[port].append((cycle, len(using), fewest))

    def _tile(self, number: int, command: Any, size: int) -> None:
        end = _L1 if number == 0 else _UB_A2A3 if self.p.a2a3 else _UB
        place = 0 if command["tile_addr"] == 0 else 1 if command["tile_addr"] + size == end else 2
        self.hit("tile.op_x_core_x_place", command["op"] - TPUSH, number, place)

    def _status(self, _cycle: int, pair: int, record: Any) -> None:
        if record["deadlock"] and not self.deadlock[pair]:
            cube = self.cores[0].now
            self.hit("deadlock.pair_x_kind", pair, int(cube["op"] == TPOP))
        self.deadlock[pair] = record["deadlock"]

    # -- events

    def _offered(self, _cycle: int, number: int, record: Any) -> None:
        self.cores[number].offered.append(record)

    def _clear(self, _cycle: int, _number: int, record: Any) -> None:
        for pair in range(PAIR_COUNT):
            if record["pairs"] >> pair & 1:
                self.hit("clear.pair_x_why", pair, self._why(pair))

    def _why(self, pair: int) -> int:
        cube, vector = self.cores[0], self.cores[pair + 1]
        if vector.state != IDLE:
            return 3
        if vector.offered:
            return 4
        if cube.state != IDLE and cube.pair == pair:
            return 5
        if cube.offered and cube.offered[0]["peer"] == pair:
            return 6
        if self.flying >> 2 * pair & 3:
            return 7
        ends = [end for end in (self.ends[pair], self.ends[2 + pair]) if end]
        self.mask_before[pair] = ends[0]["mask"] if ends else 0
        if cube.state != IDLE:
            return 2
        return int(self.occupied(pair, 0) + self.occupied(pair, 1) > 0)

    def _response(self, _cycle: int, number: int, record: Any) -> None:
        core = self.cores[number]
        op, error, pair = record["op"], record["err"], core.pair
        end = self.end(number, pair)
        if error:
            self.hit("error.end_x_code_x_state", end, error - 1, core.pair_state)
            if error == 7:
                self.hit("held.at_tpop", self.p.hold_max)
            self.last_error[end] = error
            return
        if self.last_error[end]:
            self.hit("error.then_legal", self.last_error[end] - 1, op)
            self.last_error[end] = 0
        way = self.way(number, op)
        pipe = self.pipes[pair][way]
        if op == TPUSH:
            pipe.pushed += 1
        elif op == TPOP:
            pipe.popped += 1
        elif op == TFREE:
            pipe.freed += 1
        level = self.ends[end]
        mask = core.now["dir_mask"] if op == INIT else level["mask"] if level else 0
        self.hit("command.end_x_op_x_mask", end, op, mask - 1)

    def _initialised(self, cycle: int, number: int, command: Any) -> None:
        """An INIT that was accepted in ``cycle`` without an error."""
        pair = self.cores[number].pair
        end, other = self.end(number, pair), 2 + pair if number == 0 else pair
        self.config[end] = {name: command[name] for name in FIELDS[1:]}
        self.config[end]["mask"] = mask = command["dir_mask"]
        self.started[end] = cycle
        self._bases(command)
        if self.mask_before[pair]:
            self.hit("launch.mask_x_next_mask", 0, self.mask_before[pair] - 1, mask - 1)
        if self.ends[other] is None:
            return
        peer = self.cores[pair + 1 if number == 0 else 0]
        order = 1 if number == 0 else 0
        if self.started[other] == cycle or self.fresh[other] == cycle + 1:
            order = 2
        elif peer.state == WAIT and peer.pair == pair:
            order = 3 if number == 0 else 4
        self.hit("init.pair_x_order", pair, order)

    def _bases(self, command: Any) -> None:
        size = command["slot_size"]
        own = self.slots(command["dir_mask"]) * size
        rings = [(0, 0, _UB - own), (1, 0, _L1 - own)]
        if self.p.a2a3:
            rings = [(2, self.p.beat, (1 << 32) - self.p.nflags * size)]
        for ring, *edges in rings:
            if self.p.a2a3 or command["dir_mask"] >> ring & 1:
                base = command[("c2v_buf", "v2c_buf", "gm_base")[ring]]
                place = edges.index(base) if base in edges else 2
                self.hit("ring.base_x_place", ring, place)

    def _mismatch(self, pair: int) -> None:
        one, other = self.config[pair], self.config[2 + pair]
        masks = one["mask"] | other["mask"]
        used = {"mask": True, "slot_size": True, "gm_base": self.p.a2a3,
                "c2v_buf": not self.p.a2a3 and masks & C2V,
                "v2c_buf": not self.p.a2a3 and masks & V2C}  # fmt: skip
        for number, name in enumerate(FIELDS):
            if used[name] and one[name] != other[name]:
                self.hit("mismatch.pair_x_field", pair, number)

    def _pair_fault(self, _cycle: int, pair: int, record: Any) -> None:
        for kind, name in enumerate(("cv_set_set", "vc_set_set", "cfg_mismatch", "clr_busy")):
            if record[name]:
                self.hit("fault.pair_x_kind", pair, kind)
        if record["cfg_mismatch"]:
            self._mismatch(pair)

    _acts: tuple[Callable[[Walk, int, int, Any], None], ...] = (
        _flags, _endpoint, _core, _status, _offered, _clear, _response, _pair_fault,
    )  # fmt: skip


_STREAMS: Final = (
    ("flags", 1), ("end{}.endpoint", ENDPOINTS), ("core{}.core", len(CORES)),
    ("pair{}.status", PAIR_COUNT), ("core{}.cmd", len(CORES)), ("clr", 1),
    ("core{}.rsp", len(CORES)), ("pair{}.pair_fault", PAIR_COUNT),
)  # fmt: skip
"""Streams of the walk, with their copies, in the order in which they count within a cycle."""
