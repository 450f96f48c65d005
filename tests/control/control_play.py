# SPDX-License-Identifier: Apache-2.0
"""Short plays for the coverage tests: what RTL that keeps the contract records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tilepath import isa
from tilepath.engine.description.stream import Records, stream_table
from tilepath.models.control import ControlModel
from tilepath.sequences.control import words as makers
from tilepath.tb.control.coverage import ControlCoverage
from tilepath.tb.control.streams import STREAMS
from tilepath.tests.control.model_helpers import seen, streams, words
from tilepath.tests.coverage_runs import fed, recorded
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

setc16, add, multiply = makers.setc16, makers.adddmareg, makers.muldmareg
stall, sem_wait, stream_wait = makers.stallwait, makers.semwait, makers.streamwait
sem_init, post, get = makers.seminit, makers.sempost, makers.semget
mutex_get, mutex_free = makers.atgetm, makers.atrelm


def w(mnemonic: str, **fields: int) -> int:
    return isa.encode(mnemonic, **fields)


def gpr(register: int, value: int) -> int:
    """SETDMAREG of the low half."""
    return w("SETDMAREG", value=value, half_reg=2 * register)


def high(register: int, value: int) -> int:
    """SETDMAREG of the high half."""
    return w("SETDMAREG", value=value, half_reg=2 * register + 1)


def wrcfg(index: int, register: int = 0, four: int = 0) -> int:
    return w("WRCFG", gpr=register, is128=four, cfg_index=index)


def rdcfg(index: int, register: int = 0) -> int:
    return w("RDCFG", gpr=register, cfg_index=index)


def rmw(index: int, data: int = 0xFF, mask: int = 0xFF, byte: int = 0) -> int:
    return w(f"RMWCIB{byte}", mask=mask, data=data, cfg_index=index)


def stream_cfg(index: int, register: int = 5, select: int = 0) -> int:
    return w("STREAMWRCFG", stream_sel=select, reg_index=register, cfg_index=index)


def shift(index: int, **fields: int) -> int:
    return w("CFGSHIFTMASK", cfg_index=index, **fields)


def flop(**fields: int) -> int:
    return w("REG2FLOP", **fields)


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

    def coverage(self) -> ControlCoverage:
        model = ControlModel(self.profile)
        found = fed(ControlCoverage(self.profile), self.streams(), self.cycles, golden=model)
        found.finish()
        return found

    def counts(self) -> dict[str, dict[str, int]]:
        model = self.coverage()
        assert model.contradicted() == []
        return model.report().points
