# SPDX-License-Identifier: Apache-2.0
"""Instructions that a run recorded, a row each, with what they sampled.

An instruction is inside from the cycle behind its issue to the last one in which ``busy`` has a
bit: one at a time, so the pairs of ``issue`` and of an end of ``busy`` are in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import profiles, tables
from tilepath.isa.boundary.matrix import RWC
from tilepath.isa.boundary.standin import BOUNDARY, THREADS
from tilepath.isa.constants import CFG_GLOBAL_BASE
from tilepath.tb.kernel.description.stream import Records
from tilepath.tb.standin.streams import OPS as EXECUTED

I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

OPS: Final = (*EXECUTED, "unsupported")
OP: Final = {name: number for number, name in enumerate(OPS)}
CONFIG: Final = (0, 1, 2, 220)
_THREAD_WORDS: Final = 64
_LEVELS: Final = (
    "owner", "implied", "stale", "unpack_bank", "pause", "matrix_bank",
    *(f"t{thread}.rwc" for thread in range(THREADS)),
)  # fmt: skip
_EVENTS: Final = (
    "issue", "cfg", *(f"t{thread}.setc16" for thread in range(THREADS)), "store", "matrix",
    "matrix_write", "answer_a", "answer_b", "answer_d", "fault",
)  # fmt: skip
_ROW: Final = np.dtype(
    [
        ("cycle", "i8"),  # of its issue
        ("sampled", "i8"),
        ("last", "i8"),
        ("thread", "i8"),
        ("word", "i8"),
        ("config", "i8", len(CONFIG)),
        ("own", "i8", _THREAD_WORDS),
    ]
)


class Table:
    """Complete instructions of some cycles, and what was recorded meanwhile.

    ``rows``: cycle, sampled, last, thread, word, config (words ``CONFIG`` of its bank), own (words
    of ThreadConfig). ``events``: records by stream; ``levels``: likewise, with the value before.
    """

    def __init__(
        self,
        rows: NDArray[Any],
        events: Mapping[str, Records],
        levels: Mapping[str, Records],
        profile: str,
    ) -> None:
        self.rows, self.events, self._levels = rows, events, levels
        self._fields = _fields(profile)
        self.word: I64 = rows["word"]
        self.op: I64 = _op_of(profile)[self.word >> 24]
        self.thread: I64 = rows["thread"]
        self.rwc = {name: self._rwc(name) for name, _ in RWC}

    def __len__(self) -> int:
        return len(self.rows)

    def field(self, name: str) -> I64:
        """A field of the words by its name in the instruction tables; 0 of those without it."""
        lsb, mask = self._fields[name]
        found: I64 = self.word >> lsb[self.op] & mask[self.op]
        return found

    def is_op(self, *names: str) -> Flags:
        """Which are one of these."""
        return np.isin(self.op, [OP[name] for name in names])

    def config(self, word: int, lsb: int = 0, width: int = 1) -> I64:
        """A field of a Config word, as sampled."""
        found: I64 = self.rows["config"][:, CONFIG.index(word)] >> lsb & (1 << width) - 1
        return found

    def own(self, word: int | I64, lsb: int = 0, width: int = 16) -> I64:
        """A field of a word of ThreadConfig, as sampled; ``word``: also one an instruction."""
        found: I64 = self.rows["own"][np.arange(len(self)), word] >> lsb & (1 << width) - 1
        return found

    def level(self, name: str, cycles: I64, field: str = "value") -> I64:
        """A level in these cycles."""
        records = self._levels[name]
        place = np.searchsorted(records["cycle"], cycles, side="right") - 1
        found: I64 = records[field][place].astype(np.int64)
        return found

    def _rwc(self, name: str) -> I64:
        each = [self.level(f"t{t}.rwc", self.rows["sampled"], name) for t in range(THREADS)]
        found: I64 = np.choose(self.thread, each)
        return found

    def which(self, cycles: NDArray[Any]) -> I64:
        """The instruction that is inside in these cycles, or was when nothing is since."""
        found: I64 = np.searchsorted(self.rows["cycle"], cycles.astype(np.int64), side="left") - 1
        return found

    def answers(self, name: str, chosen: Flags) -> tuple[Records, I64]:
        """Rows that the ``chosen`` instructions read, and the instruction of each."""
        records = self.events[name]
        which = self.which(records["cycle"] - 1)
        mine = chosen[which] if len(self) else np.zeros(0, bool)
        return records[mine], which[mine]


class Collector:
    """Makes tables from blocks of cycles; what is not complete stays for the next one."""

    def __init__(self, profile: str) -> None:
        self._profile = profile
        table = {s: BOUNDARY.stream(s.rpartition(".")[2]) for s in (*_LEVELS, *_EVENTS)}
        self._events = {name: np.zeros(0, table[name].dtype) for name in _EVENTS}
        self._levels = {name: np.zeros(1, table[name].dtype) for name in _LEVELS}
        for level in self._levels.values():
            level["cycle"] = 0
        self._falls: I64 = np.zeros(0, np.int64)
        self._config = np.zeros((2, CFG_GLOBAL_BASE + 44), np.int64)
        self._own = np.zeros((THREADS, _THREAD_WORDS), np.int64)

    def add(self, streams: Mapping[str, Records], end: int) -> Table:
        """The instructions that are complete in front of cycle ``end``."""
        for kept in (self._events, self._levels):
            for name, records in kept.items():
                kept[name] = np.concatenate((records, _alike(streams[name], records.dtype)))
        busy = streams["busy"]
        falls = busy["cycle"][busy["value"] == 0].astype(np.int64)
        self._falls = np.concatenate((self._falls, falls))
        issue = self._events["issue"]
        complete = len(self._falls)
        horizon = int(issue["cycle"][complete]) if complete < len(issue) else end
        events = {name: _before(records, horizon) for name, records in self._events.items()}
        table = Table(self._rows(events, complete), events, dict(self._levels), self._profile)
        for name, records in self._events.items():
            self._events[name] = records[len(events[name]) :]
        for name, records in self._levels.items():
            last = np.searchsorted(records["cycle"], horizon, side="right") - 1
            self._levels[name] = records[max(last, 0) :]
        self._falls = self._falls[complete:]
        return table

    def _rows(self, events: Mapping[str, Records], complete: int) -> NDArray[Any]:
        rows = np.zeros(complete, _ROW)
        issue = events["issue"][:complete]
        for name in ("cycle", "thread", "word"):
            rows[name] = issue[name]
        rows["last"] = self._falls - 1
        rows["sampled"] = self._sampled(rows)
        writes = self._writes(events)
        for row in rows:
            while writes and writes[-1][0] < row["sampled"]:
                self._write(*writes.pop()[1:])
            thread = int(row["thread"])
            row["own"] = self._own[thread]
            row["config"] = self._config[self._own[thread, 0] & 1, CONFIG]
        while writes:
            self._write(*writes.pop()[1:])
        return rows

    def _sampled(self, rows: NDArray[Any]) -> I64:
        """The first cycle behind each issue without a pause."""
        if not len(rows):
            return np.zeros(0, np.int64)
        pause = self._levels["pause"]
        cycles = np.arange(rows["cycle"][0] + 1, rows["last"][-1] + 1)
        place = np.searchsorted(pause["cycle"], cycles, side="right") - 1
        free = cycles[pause["value"][place] == 0]
        found: I64 = free[np.searchsorted(free, rows["cycle"] + 1)]
        return found

    def _writes(self, events: Mapping[str, Records]) -> list[tuple[int, int, int, int, Any]]:
        """Cycle, thread (or -1), banks, index and data of writes, the last first."""
        found = []
        for write in events["cfg"]:
            index, data = int(write["index"]), write["data"]
            index, data = (index & ~3, data) if write["wide"] else (index, data[:1])
            found.append((int(write["cycle"]), -1, int(write["banks"]), index, data))
        for thread in range(THREADS):
            for write in events[f"t{thread}.setc16"]:
                found.append((int(write["cycle"]), thread, 0, int(write["index"]), write["value"]))
        for write in events["store"]:
            place = int(write["thread"]), 0, int(write["index"])
            found.append((int(write["cycle"]), *place, write["value"]))
        return sorted(found, key=lambda write: -write[0])

    def _write(self, thread: int, banks: int, index: int, data: Any) -> None:
        if thread >= 0:
            if index < _THREAD_WORDS:
                self._own[thread, index] = data
            return
        for bank in range(2):
            if banks >> bank & 1 or index >= CFG_GLOBAL_BASE:
                part = self._config[bank, index : index + len(data)]
                part[:] = data[: len(part)]


def _alike(records: Records, dtype: Any) -> Records:
    """The fields of a stream; a model's records may have more."""
    if records.dtype == dtype:
        return records
    found = np.zeros(len(records), dtype)
    for name in dtype.names:
        found[name] = records[name]
    return found


def _before(records: Records, cycle: int) -> Records:
    return records[: np.searchsorted(records["cycle"], cycle)]


def _op_of(profile: str) -> I64:
    """Opcode → number in ``OPS``."""
    found = np.full(256, OP["unsupported"], np.int64)
    for name, layout in tables.by_mnemonic(profile).items():
        if name in OP:
            found[layout.opcode] = OP[name]
    return found


def _fields(profile: str) -> dict[str, tuple[I64, I64]]:
    """Field or view → of each of ``OPS`` its lowest bit, and its mask, 0 where it has none."""
    found: dict[str, tuple[I64, I64]] = {}
    for name, layout in tables.by_mnemonic(profile).items():
        if name not in OP:
            continue
        for field in (*layout.fields, *layout.views):
            none = np.zeros(len(OPS), np.int64)
            lsb, mask = found.setdefault(field.name, (none, none.copy()))
            lsb[OP[name]], mask[OP[name]] = field.lsb, (1 << field.width) - 1
    return found


def is_bh(profile: str) -> bool:
    """Whether ``profile`` has the newer field map."""
    return profiles.get(profile).math_enc == "BH"
