# SPDX-License-Identifier: Apache-2.0
"""Every connection is an equation: what a block got is what its neighbour's model gave.

Both are records of the same cycles; where they differ first, ``connection`` has a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.records import Records
from tilepath.engine.description.boundary import NOT_KNOWN, Origin
from tilepath.isa import profiles
from tilepath.isa.boundary.datapath import BOUNDARY, CONNECTIONS, PACK_PORTS
from tilepath.isa.boundary.pack import LINE_WORDS, SLOTS
from tilepath.isa.boundary.unpack import UNPACKERS
from tilepath.models.levels import Ints, Levels, Streams
from tilepath.models.unpack.timing_state import WRITE

# --- what L1 answers to what it was asked, in which cycle: docs/unpack.md section 2, docs/pack.md

PORTS: Final = (
    *(f"u{u}.unpack_answer" for u in range(UNPACKERS)),
    *(f"p{port}.pack_answer" for port in range(PACK_PORTS)),
)
"""Streams of what blocks get."""
REQUESTS: Final = (
    *(f"u{u}.unpack_read" for u in range(UNPACKERS)),
    *(f"p{packer}.pack_read" for packer in range(PACK_PORTS - 1)),
    "pack_source",
)
"""Streams of what they ask for, port by port."""
_PLACES: Final = ("line0", "line1", "line2", "line3", "exponent", "delta", "rsi0", "rsi1")
_WEIGHTS: Final = 2 * np.arange(len(_PLACES) * LINE_WORDS, dtype=np.uint32) + 1
_LINES: Final = 1 << 17  # of packers
_NOTHING: Final = -1


def _lines_asked(name: str, record: np.void) -> list[int]:
    """The line in each place of the answer to a request of stream ``name``."""
    if name not in REQUESTS[:UNPACKERS]:
        count = 1 if name == "pack_source" else int(record["count"])
        return [(int(record["line"]) + k) % _LINES for k in range(count)]
    wanted = [k < record["count"] for k in range(4)]
    wanted += [record["has_exponent"], record["has_delta"]]
    wanted += [k < record["rsi_count"] for k in range(2)]
    return [int(record[n]) if w else _NOTHING for n, w in zip(_PLACES, wanted, strict=True)]


class L1:
    """L1 with the order of its answers."""

    def __init__(self, profile: str) -> None:
        """Zeros, as after reset."""
        self._count = profiles.get(profile).l1_bytes // (4 * LINE_WORDS)
        # the last one stands for what does not exist, and is always 0
        self._lines = np.zeros((self._count + 1, LINE_WORDS), np.uint32)
        self._last = dict.fromkeys(PORTS, _NOTHING)  # cycle of the latest answer
        self._due: dict[str, list[tuple[int, int]]] = {port: [] for port in PORTS}

    def answers(self, streams: Streams, levels: Levels, until: int) -> dict[str, Ints]:
        """Cycle and ``sum`` of the answers before ``until``, by port."""
        names = (*REQUESTS, *(f"w{slot}.stored" for slot in range(SLOTS)), "l1_write")
        events = ((int(r["cycle"]), k, r) for k, name in enumerate(names) for r in streams[name])
        # in a cycle requests come first, and the later of two writes wins
        for cycle, number, record in sorted(events, key=itemgetter(0, 1)):
            if number < len(PORTS):
                self._answer(cycle, number, record, levels)
            elif (first := int(record["line"])) < self._count:
                words = record["data"].reshape(-1, LINE_WORDS)
                self._lines[first : first + len(words)] = words
        found = {}
        for port, due in self._due.items():
            now = [one for one in due if one[0] < until]
            self._due[port] = due[len(now) :]
            found[port] = np.array(now, np.int64).reshape(-1, 2)
        return found

    def _answer(self, cycle: int, number: int, record: np.void, levels: Levels) -> None:
        lines = np.array(_lines_asked(REQUESTS[number], record))
        lines[(lines < 0) | (lines >= self._count)] = self._count
        words = self._lines[lines].reshape(-1)
        latency = int(levels.at(np.array([cycle]), "l1_latency", "cycles")[0])
        port = PORTS[number]
        self._last[port] = max(cycle + max(latency, 1), self._last[port] + 1)
        answer = int((words * _WEIGHTS[: len(words)]).sum(dtype=np.uint32))
        self._due[port].append((self._last[port], answer))


# --- the equations

Rows = list[tuple[int, ...]]

THREADS: Final = 3
LANES: Final = 4
_UNITS: Final = ("unpack", "standin", "pack")
ISSUES: Final = {
    **{f"u{u}.unpack_issue": f"unpack{u}" for u in range(2)},
    **{"standin_issue": "math", "pack_issue": "pack"},
}
"""Words that units get → the stream of control that gives them."""
_INPUTS: Final = list(BOUNDARY.inputs)
_DTYPE: Final = BOUNDARY.stream("connection").expected_dtype
_NUMBER: Final = {name: number for number, name in enumerate(CONNECTIONS)}
_FLOP: Final = ("thread", "select", "channel", "counter", "checkpoint", "value")
_UPDATE: Final = ("unpacker", "thread", "adc", "y0", "z0", "y1", "z1")


def _columns(records: Records, *fields: str) -> npt.NDArray[np.int64]:
    """Cycle and fields of each record, n × numbers."""
    columns = [records[name] for name in ("cycle", *fields)]
    parts = [one if one.ndim > 1 else one[:, None] for one in columns]
    return np.concatenate(parts, axis=1).astype(np.int64)


def _same(name: str) -> tuple[str, ...]:
    """All fields of stream ``name``."""
    return tuple(field.name for field in BOUNDARY.stream(name).fields)


def _granted(streams: Streams) -> npt.NDArray[np.int64]:
    """Rows that packers get: cycle, lanes, whether rows are wide, and a row of each lane."""
    found: dict[int, list[int]] = {}
    for lane in range(LANES):
        for record in streams[f"l{lane}.pack_row"]:
            row = found.setdefault(int(record["cycle"]), [0] * (2 + LANES))
            row[0] |= 1 << lane
            row[1] |= int(record["wide"])
            row[2 + lane] = int(record["row"])
    rows = [(cycle, *found[cycle]) for cycle in sorted(found)]
    return np.array(rows, np.int64).reshape(-1, 3 + LANES)


def _asked(streams: Streams) -> npt.NDArray[np.int64]:
    """Return the same as the Matrix Unit sees it."""
    found = _columns(streams["standin_pack_read"], "lanes", "wide", "row")
    found[:, 3:] *= found[:, 1:2] >> np.arange(LANES) & 1
    return found


def _got(connection: str) -> str:
    """The stream of what is got: of ``t0.x of y`` it is ``t0.y_x``, of control and L1 ``t0.x``."""
    instance, _, block = connection.partition(",")[0].partition(" of ")
    copy, dot, name = instance.rpartition(".")
    return instance if block in ("control", "l1") else f"{copy}{dot}{block}_{name}"


_GOT: Final = [_got(connection) for connection in CONNECTIONS]


class Connections:
    """Compares, block of cycles after block of cycles."""

    def __init__(self, profile: str) -> None:
        self._l1 = L1(profile)
        self._levels = Levels()
        self._seen = dict.fromkeys(_GOT, 0)  # records before this block of cycles
        self._begin = 0  # of this block of cycles
        self._zeroing = np.zeros((0, 2), np.int64)  # what clears behind it

    def step(
        self, inputs: Streams, outputs: Streams, unpacks: Records, packs: Records, until: int
    ) -> Records:
        """Tell where what was got differs from what was given, a connection at most once, by cycle.

        The origin is what was got, unless nothing was.
        ``unpacks``, ``packs``: what the models of unpackers and packers do to address counters;
        ``until``: the end of the block of cycles.
        """
        streams = {**outputs, **inputs}
        self._levels.begin(streams)
        found = [*self._events(streams, unpacks, packs), *self._all_levels()]
        found += [*self._zeros(streams, until), *self._of_l1(streams, until)]
        made = np.zeros(len(found), _DTYPE)
        for place, one in enumerate(sorted(found)):
            made[place] = (*one, self._origin(inputs, *one[:2]))
        for name in self._seen:
            self._seen[name] += len(inputs[name])
        # one a cycle, as of any stream
        return made[np.unique(made["cycle"], return_index=True)[1]]

    def _origin(self, inputs: Streams, cycle: int, number: int) -> int:
        name = _GOT[number]
        at = int(np.searchsorted(inputs[name]["cycle"], cycle))
        if at == len(inputs[name]) or inputs[name]["cycle"][at] != cycle:
            return NOT_KNOWN
        return Origin(name, self._seen[name] + at).encode(_INPUTS)

    def _events(
        self, streams: Streams, unpacks: Records, packs: Records
    ) -> Iterator[tuple[int, ...]]:
        def one(where: str, got: Any, want: Any) -> Iterator[tuple[int, ...]]:
            yield from _first(_NUMBER[where], got, want)

        for t in range(THREADS):
            issue = (
                _columns(streams[f"t{t}.adc_issue"], "word"),
                _columns(streams[f"t{t}.adc"], "word"),
            )
            yield from one(f"t{t}.issue of adc, from control", *issue)
        flop = _columns(streams["adc_flop"], *_FLOP), _columns(streams["flop_adc"], *_FLOP)
        yield from one("flop of adc, from control", *flop)
        given = _columns(streams["adc_unpack"], *_UPDATE), _columns(unpacks, *_UPDATE)
        yield from one("unpack of adc, from unpack", *given)
        mods = (_columns(records, "sets", "addr_mod") for records in (streams["adc_pack"], packs))
        yield from one("pack of adc, from pack", *mods)
        for to, of in ISSUES.items():
            copy, _, name = to.rpartition(".")
            where = f"{copy}.issue of unpack" if copy else f"issue of {name.partition('_')[0]}"
            words = _columns(streams[to], "thread", "word"), _columns(streams[of], "thread", "word")
            yield from one(f"{where}, from control", *words)
        for to, of, banks in (("cfg", "config_write", "banks"), ("flop", "flop_write", "bank")):
            written = _columns(streams[of], banks, "index", "quad", *(f"data{n}" for n in range(4)))
            for unit in (unit for unit in _UNITS if f"{unit}_{to}" in streams):
                got = _columns(streams[f"{unit}_{to}"], banks, "index", "wide", "data")
                yield from one(f"{to} of {unit}, from control", *_one_word(got, written))
        stored = _columns(streams["risc_thread_write"], "thread", "index", "data")
        for unit in _UNITS:
            got = _columns(streams[f"{unit}_store"], "thread", "index", "value")
            yield from one(f"store of {unit}, from control", got, stored)
            for t in range(THREADS):
                got = _columns(streams[f"t{t}.{unit}_setc16"], "index", "value")
                want = _columns(streams[f"t{t}.setc16"], "index", "data")
                yield from one(f"t{t}.setc16 of {unit}, from control", got, want)
        for name, of, to in (
            *((name, "standin", "unpack") for name in ("matrix", "matrix_write")),
            *((f"answer_{file}", "unpack", "standin") for file in "abd"),
        ):
            fields = _same(f"{to}_{name}")
            both = (
                _columns(streams[f"{to}_{name}"], *fields),
                _columns(streams[f"{of}_{name}"], *fields),
            )
            yield from one(f"{name} of {to}, from {of}", *both)
        yield from one("pack_read of standin, from pack", _asked(streams), _granted(streams))
        cleared = _columns(streams["standin_hist_clear"])
        ones = np.ones((len(cleared), 1), np.int64)
        hist = np.concatenate((cleared, ones, 0 * ones, 0 * ones), axis=1)
        got = _columns(streams["pack_hist"], "op", "mode", "packer")
        yield from one("hist of pack, from standin", got, hist)

    def _of_l1(self, streams: Streams, until: int) -> Iterator[tuple[int, ...]]:
        """Lines that are stored, requests, and answers to them."""
        asked = [f"u{u}.requested" for u in range(2)] + [f"p{p}.fetched" for p in range(PACK_PORTS)]
        stored = [(f"w{port}.stored", f"w{port}.pack_write") for port in range(SLOTS)]
        for got, of in (*stored, *zip(asked, REQUESTS, strict=True)):
            fields = _same(got)
            want = streams[of]
            if of == "pack_source":  # a line at a time
                want = np.zeros(len(streams[of]), BOUNDARY.table[got].dtype)
                want["cycle"], want["line"], want["count"] = (
                    streams[of]["cycle"],
                    streams[of]["line"],
                    1,
                )
            where = f"{got} of l1, from {'unpack' if got[0] == 'u' else 'pack'}"
            yield from _first(
                _NUMBER[where], _columns(streams[got], *fields), _columns(want, *fields)
            )
        answers = self._l1.answers(streams, self._levels, until)
        for got in PORTS:
            port, _, block = got.removesuffix("_answer").partition(".")
            where = f"{port}.answer of {block}, from l1"
            yield from _first(_NUMBER[where], _columns(streams[got], "sum"), answers[got])

    def _zeros(self, streams: Streams, until: int) -> Iterator[tuple[int, ...]]:
        """ZEROSRC of the unpackers, which clears ``WRITE`` cycles after it shows."""
        told = _columns(streams["standin_unpack_zero"], "files")
        told[:, 0] += WRITE
        told = np.concatenate((self._zeroing, told))
        self._zeroing = told[told[:, 0] >= until]
        files: dict[int, int] = {}
        for unpacker in range(2):
            for cycle in streams[f"u{unpacker}.unpack_clear"]["cycle"].tolist():
                files[cycle] = files.get(cycle, 0) | 1 << unpacker
        want = np.array(sorted(files.items()), np.int64).reshape(-1, 2)
        where = "unpack_zero of standin, from unpack"
        for cycle, *found in _first(_NUMBER[where], told[told[:, 0] < until], want):
            yield (max(cycle - WRITE, self._begin), *found)
        self._begin = until

    def _all_levels(self) -> Iterator[tuple[int, ...]]:
        levels = self._levels
        for t in range(THREADS):
            where = f"t{t}.busy of control, from unpack, pack, standin"
            yield from self._level(where, f"t{t}.busy", _BUSY_OF, partial(_busy, levels, t))
        where = "unit_ready of control, from unpack, pack, standin"
        yield from self._level(where, "unit_ready", _READY_OF, partial(_ready, levels))
        plain = [("hold of control, from unpack", "hold", "unpack_hold")]
        where = "matrix_bank of unpack, from standin"
        plain.append((where, "unpack_matrix_bank", "standin_matrix_bank"))
        plain += [
            (f"{name} of standin, from unpack", f"standin_{name}", f"unpack_{name}")
            for name in ("owner", "implied", "stale", "pause")
        ]
        for where, got, of in plain:
            yield from self._level(where, got, (of,), partial(levels.value, of))
        where = "unpack_bank of standin, from unpack"
        banks = partial(_unpack_banks, levels)
        yield from self._level(where, "standin_unpack_bank", _POINTERS, banks)

    def _level(
        self, where: str, got: str, of: tuple[str, ...], want: Callable[[Ints], Ints]
    ) -> Iterator[tuple[int, ...]]:
        cycles = self._levels.changes(got, *of)
        found, wanted = self._levels.at(cycles, got), want(cycles)
        differ = np.flatnonzero(found != wanted)
        if len(differ):
            at = differ[0]
            yield int(cycles[at]), _NUMBER[where], int(found[at]), int(wanted[at])


_POINTERS: Final = ("u0.unpack_pointers", "u1.unpack_pointers")
_READY_OF: Final = ("unpack_ready", "pack_ready", "standin_ready")
_BUSY_OF: Final = ("scalar", "unpack_busy", "pack_busy", "standin_busy", "unpack_owner",
                   "standin_matrix_bank", *_POINTERS)  # fmt: skip


def _unpack_banks(levels: Levels, cycles: Ints) -> Ints:
    one, other = (levels.at(cycles, name, "bank") for name in _POINTERS)
    return one | other << 1


def _ready(levels: Levels, cycles: Ints) -> Ints:
    unpack, pack, math = (levels.at(cycles, name) for name in _READY_OF)
    return unpack | pack << 2 | math << 3 | 0b110000


def _busy(levels: Levels, thread: int, cycles: Ints) -> Ints:
    """STALLWAIT's conditions of a thread (C17), without control's own."""
    scalar = levels.at(cycles, "scalar", "busy") & (levels.at(cycles, "scalar", "thread") == thread)
    unpack = levels.at(cycles, "unpack_busy") >> 2 * thread & 3
    pack = (levels.at(cycles, "pack_busy") >> 4 * thread & 15) != 0
    math = levels.at(cycles, "standin_busy") >> thread & 1
    owner = levels.at(cycles, "unpack_owner")
    theirs, its = _unpack_banks(levels, cycles), levels.at(cycles, "standin_matrix_bank")
    value: Ints = scalar | unpack << 1 | pack << 3 | math << 4
    for file in range(2):
        value = value | (owner >> 2 * file + (theirs >> file & 1) & 1) << 5 + file
        value = value | (1 - (owner >> 2 * file + (its >> file & 1) & 1)) << 7 + file
    return value


def _one_word(got: Ints, want: Ints) -> tuple[Ints, Ints]:
    """Writes without the data that a single word does not have."""
    single = (1, 1, 1, 1, 1, 0, 0, 0)
    for rows in (got, want):
        rows *= np.where(rows[:, 3:4] != 0, 1, single)
    return got, want


def _first(number: int, got: Ints, want: Ints) -> Iterator[tuple[int, ...]]:
    """The first event that is not the same on both sides: cycle, connection, values that differ."""
    common = min(len(got), len(want))
    differ = np.flatnonzero((got[:common] != want[:common]).any(axis=1))
    at = int(differ[0]) if len(differ) else common
    if at == common == len(got) == len(want):
        return
    rows = [rows[at] if at < len(rows) else None for rows in (got, want)]
    cycle = min(int(row[0]) for row in rows if row is not None)
    column = 1
    if rows[0] is not None and rows[1] is not None:
        column = int(np.argmax(rows[0] != rows[1]))
    values = [0 if row is None or column >= len(row) else int(row[column]) for row in rows]
    yield (cycle, number, *values)
