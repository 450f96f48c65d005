# SPDX-License-Identifier: Apache-2.0
"""Short plays for the coverage tests: what RTL that keeps the contract records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.stream import Records, stream_table
from tilepath.isa import encode
from tilepath.isa.codec import maker
from tilepath.sequences.control import words as makers
from tilepath.tb.control.block import BLOCK
from tilepath.tb.control.streams import STREAMS
from tilepath.tests.control.model_helpers import seen, streams, words
from tilepath.tests.coverage_runs import counted, recorded
from tilepath.tests.model_runs import level

TABLE = stream_table(STREAMS)
Entry = int | tuple[int, int]
Rows = Iterable[Sequence[int]]

NOP = 0x02000000
MATH = 0x26000000
SFPU = 0x70000000
PACR = 0x41000000
COUNTER = 0x52000000  # an INCADCXY
DMANOP = 0x60000000

setc16, sem_init = makers.setc16, makers.seminit
add, multiply = maker("ADDDMAREG", "result a b imm"), maker("MULDMAREG", "result a b imm")
stall, sem_wait = maker("STALLWAIT", "block cond"), maker("SEMWAIT", "block sem_mask cond")
stream_wait = maker("STREAMWAIT", "block target_lo cond_idx stream_sel")
post, get = maker("SEMPOST", "sem_mask"), maker("SEMGET", "sem_mask")
mutex_get, mutex_free = maker("ATGETM", "index"), maker("ATRELM", "index")
wrcfg, rdcfg = maker("WRCFG", "cfg_index gpr is128"), maker("RDCFG", "cfg_index gpr")
stream_cfg = maker("STREAMWRCFG", "cfg_index reg_index stream_sel", reg_index=5)
shift, flop = maker("CFGSHIFTMASK", "cfg_index"), maker("REG2FLOP")
_set_half = maker("SETDMAREG", "half_reg value")


def gpr(register: int, value: int) -> int:
    """SETDMAREG of the low half."""
    return _set_half(2 * register, value)


def high(register: int, value: int) -> int:
    """SETDMAREG of the high half."""
    return _set_half(2 * register + 1, value)


def rmw(index: int, data: int = 0xFF, mask: int = 0xFF, byte: int = 0) -> int:
    return encode(f"RMWCIB{byte}", cfg_index=index, data=data, mask=mask)


def unpack(index: int, unit: int = 0) -> int:
    """A word for an unpacker, which views configuration word ``index`` (9 bits)."""
    return 0x42000000 | unit << 23 | index


def pulse(*cycles: int, value: int = 1) -> Callable[[int], int]:
    """A level that is ``value`` in ``cycles`` and else 0."""
    return lambda t: value if t in cycles else 0


def until(end: int, value: int = 1, then: int = 0) -> Callable[[int], int]:
    """A level that is ``value`` before cycle ``end``."""
    return lambda t: value if t < end else then


_NONE = until(0)
_READY = until(0, then=63)


@dataclass
class Play:
    """Words of each thread, ``(cycle, word)`` or as early as can be, and the other inputs."""

    t0: Sequence[Entry] = ()
    t1: Sequence[Entry] = ()
    t2: Sequence[Entry] = ()
    risc: Rows = ()  # cycle, write, address, data
    risc_sem: Rows = ()  # cycle, write, index, get
    busy: Callable[[int], int] = _NONE  # of all threads, but for those in ``own``
    own: Mapping[int, Callable[[int], int]] = field(default_factory=dict)
    hold: Callable[[int], int] = _NONE
    ready: Callable[[int], int] = _READY
    stall: Callable[[int], int] = _NONE
    writes: Mapping[int, Sequence[int]] | None = None  # cycle → stream, register, data
    cycles: int = 60
    profile: str = "baseline"

    def streams(self) -> dict[str, Records]:
        given: dict[str, Rows] = {
            "t0.offer": words(*self.t0), "t1.offer": words(*self.t1), "t2.offer": words(*self.t2),
            "risc": self.risc, "risc_sem": self.risc_sem,
            "busy": level(self.busy, self.cycles), "hold": level(self.hold, self.cycles),
            **{f"t{t}.busy": level(own, self.cycles) for t, own in self.own.items()},
            "unit_ready": level(self.ready, self.cycles),
            "stream_busy": level(self.stall, self.cycles),
            "stream_write": [(t, *row) for t, row in sorted((self.writes or {}).items())],
        }  # fmt: skip
        return recorded(TABLE, seen(streams(given), self.cycles))

    def coverage(self) -> CoverageModel:
        found = counted(BLOCK, self.profile, self.streams(), self.cycles)
        found.finish()
        return found

    def counts(self) -> dict[str, dict[str, int]]:
        model = self.coverage()
        assert model.contradicted() == []
        return model.report().points
