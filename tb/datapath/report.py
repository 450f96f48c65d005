# SPDX-License-Identifier: Apache-2.0
"""Where the cycles of a run of ``datapath`` went: what each unit had to do, why each thread stood.

Everything is read off the accounts of the models (``compiled.account``) and off levels that the run
recorded, cycle by cycle. Of a thread each cycle has one reason; there a word leaves the gate, or
the first of these is it: rules 2 and 3 of the gate, what the word asks for (rule 4), words that are
under way in the front end, what the core does. A *tile* is done when the packers are through with
a PACR with Last. *Work* of a unit is the least number of cycles that its contract lets it take for
what it did; the most of all units is the bound of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.checking.stored import stored_account
from tilepath.engine.compiled.records import Records
from tilepath.engine.host.request import RunRequest
from tilepath.isa.boundary.control import MUTEXES
from tilepath.isa.boundary.datapath import OPS, THREADS
from tilepath.models.control.account import BANKS as BANKS_AT
from tilepath.models.control.account import Held
from tilepath.models.control.cycle_latch import LatchKind, sem_cond, stream_cond
from tilepath.models.control.instructions import Kind, Resource
from tilepath.models.control.waiting_text import CONDITIONS, SEMAPHORE_NAMES
from tilepath.models.frontend.account import Replaying
from tilepath.models.pack.fields import LAST
from tilepath.tb.datapath.units import BANKS, Unit, levels, units_of

Codes = NDArray[np.int16]

GROUPS: Final = (
    *("issues", "latch", "bank", "unit busy", "hold", "inside", "behind another thread"),
    *("front end", "FIFO empty", "core polls", "no item"),
)
"""Reasons begin with one of these."""
_MATRIX_BANKS: Final = ("", "SrcA", "SrcB", "SrcA and SrcB")


class Tiles(NamedTuple):
    """Cycles per tile; ``None``: there are too few for it.

    ``first``: from the first item of a core on; ``steady``: the mean from the second tile, or with
    fewer than four from the first, to the last but one, or the last; ``last``: behind the one
    before it. ``window``: the cycles that ``steady`` is of, from the first to behind the last.
    """

    first: int | None
    steady: float | None
    last: int | None
    window: tuple[int, int]
    among: int  # tiles of the window


@dataclass(frozen=True)
class Report:
    """A run, cycle by cycle.

    ``reasons``: texts, ``group`` or ``group: more``; ``why``: their numbers, threads × cycles.
    ``semaphores``: values, 8 × cycles; ``owners``: banks × cycles, 1 the Matrix Unit's;
    ``words``: rows of ``control.word``; ``begin``: cycle of the first item; ``done``: of each tile.
    """

    request: RunRequest
    cycles: int
    begin: int
    done: Sequence[int]
    reasons: Sequence[str]
    why: Codes
    units: Sequence[Unit]
    owners: NDArray[np.int64]
    semaphores: NDArray[np.int64]
    words: Records

    @property
    def title(self) -> str:
        """Which run."""
        r = self.request
        return f"{r.test}, seed {r.seed}, {r.profile}, {r.sim}"

    @property
    def summary(self) -> str:
        """How long it was, and how long a tile took."""
        tiles, (unit, bound) = self.tiles, self.bound
        text = f"{self.end - self.begin:,} of {self.cycles:,} cycles from the first item on; "
        if not self.done:
            return f"{text}no tile was packed"
        text += f"{len(self.done)} tile{'s' * (len(self.done) > 1)}, cycles: first {tiles.first:,}"
        if tiles.steady is not None:
            text += f", steady {tiles.steady:,.1f}, last {tiles.last:,}"
        text += f"; bound {bound:,.1f} ({unit})"
        return (
            text if tiles.steady is None else f"{text}, steady / bound {tiles.steady / bound:.2f}"
        )

    def stood(self) -> dict[str, list[int]]:
        """Reason → cycles of each thread, by group; of a thread they add up to the run's cycles."""
        counts = [np.bincount(row, minlength=len(self.reasons)).tolist() for row in self.why]
        found = {text: [row[k] for row in counts] for k, text in enumerate(self.reasons)}
        order = sorted(found, key=lambda text: (GROUPS.index(text.partition(":")[0]), text))
        return {text: found[text] for text in order if any(found[text])}

    @cached_property
    def end(self) -> int:
        """The cycle behind the last one in which a core has an item or a unit is busy."""
        moves = (self.why != self.reasons.index("no item")).any(axis=0)
        for unit in self.units:
            moves |= unit.busy
        return int(np.flatnonzero(moves)[-1]) + 1

    @cached_property
    def tiles(self) -> Tiles:
        """Cycles per tile."""
        done = self.done
        low, high = (1, len(done) - 2) if len(done) > 3 else (0, len(done) - 1)
        if high <= low:
            first = done[0] + 1 - self.begin if done else None
            return Tiles(first, None, None, (0, self.cycles), max(len(done), 1))
        steady = (done[high] - done[low]) / (high - low)
        window = (done[low] + 1, done[high] + 1)
        return Tiles(done[0] + 1 - self.begin, steady, done[-1] - done[-2], window, high - low)

    def per_tile(self, unit: Unit) -> float:
        """Work of a unit for a tile, in cycles; without a tile for the run."""
        begin, end = self.tiles.window
        return float(unit.work[begin:end].sum()) / self.tiles.among

    @cached_property
    def bound(self) -> tuple[str, float]:
        """The unit that has most to do for a tile, and how much in cycles."""
        most = max(self.units, key=self.per_tile)
        return most.name, self.per_tile(most)


class _Threads:
    """Why each thread stood, or did not, in each cycle."""

    def __init__(self, cycles: int, account: Mapping[str, Records]) -> None:
        self._cycles, self._account = cycles, account
        self._codes: dict[str, int] = {}
        self.why = np.full((THREADS, cycles), self._code("no item"), np.int16)

    @property
    def reasons(self) -> list[str]:
        """Texts, by number."""
        return list(self._codes)

    def _code(self, reason: str) -> int:
        return self._codes.setdefault(reason, len(self._codes))

    def cores(self, streams: Mapping[str, Records]) -> None:
        """What cores do while their threads have no word."""
        for thread in range(THREADS):
            items, why = streams[f"t{thread}.item"], self.why[thread]
            ends = streams[f"t{thread}.item_done"]["cycle"].astype(int).tolist()
            ends += [self._cycles - 1] * (len(items) - len(ends))
            if len(items):
                begin = int(items["cycle"][0])
                why[begin : ends[-1] + 1] = self._code("FIFO empty: core pauses")
            for item, end in zip(items, ends, strict=True):
                why[int(item["cycle"]) : end + 1] = self._code(_core(item))

    def front_end(self) -> None:
        """Words that are on their way to the gate."""
        rows = self._account["frontend.thread"]
        moves = (rows["fifo"] > 0) | (rows["m"] > 0) | (rows["r"] > 0)
        moves |= (rows["replay_state"] == Replaying.PLAY) | (rows["mop_state"] > 0)
        self._put(rows[moves], self._code("front end: words on their way"))
        self._put(rows[rows["issued"] == 2], self._code("issues: illegal word"))

    def _put(self, rows: Records, code: int) -> None:
        for thread, begin, cycles in rows[["thread", "cycle", "cycles"]].tolist():
            self.why[thread, begin : begin + cycles] = code

    def gates(self) -> None:
        """Words at the gate."""
        for row in self._account["control.gate"]:
            if row["offered"]["valid"]:
                thread, begin = int(row["thread"]), int(row["cycle"])
                self.why[thread, begin : begin + int(row["cycles"])] = self._code(_held(row))


def _core(item: np.void) -> str:
    """What a core's item is, of which no word has come yet."""
    op, number, value = OPS[item["op"]], int(item["index"]), int(item["value"])
    if op.startswith("poll"):
        return f"core polls: {SEMAPHORE_NAMES[number]} {op.removeprefix('poll ')} {value}"
    does = {"push": "pushes", "mop": "writes MopCfg", "store": "stores", "sync": "syncs"}
    return f"FIFO empty: core {does.get(op, f'{op}s {SEMAPHORE_NAMES.get(number, number)}')}"


def _latched(latch: np.void, look: np.void) -> str:
    """What a latch waits for."""
    kind, what = LatchKind(latch["kind"]), int(latch["what"])
    if kind == LatchKind.STALLWAIT:
        waits = what & int(look["busy"])
        text = "+".join(name for bit, name in CONDITIONS.items() if waits >> bit & 1)
    elif kind == LatchKind.SEMWAIT:
        texts = []
        for number, name in SEMAPHORE_NAMES.items():
            if int(look["waiting"]) >> number & 1:
                least = sem_cond(what) & 1 and look["levels"][number] == 0
                texts.append(f"{name} {'0' if least else 'at its maximum'}")
        text = ", ".join(texts)
    else:
        text = "" if latch["met"] else "messages" if stream_cond(what) else "phase"
    return f"latch: {kind.name} {text or 'is met'}"


def _held(row: np.void) -> str:
    """What holds a word, if anything does."""
    offered, look = row["offered"], row["look"]
    held = int(row["rules"]) if offered["kind"] != Kind.ILLEGAL else 0
    if held & (Held.INSIDE | Held.HOLD) == 0 and held & Held.LATCHED:
        return _latched(row["latch"], look)
    if held == Held.UNAVAILABLE and offered["resource"] == Resource.MATH and look["ready"]:
        return (
            f"bank: {_MATRIX_BANKS[offered['banks'] >> BANKS_AT & look['taken']] or 'of no file'}"
        )
    if row["wins"]:
        return "issues"
    if held & Held.INSIDE:
        return f"inside: {Kind(row['scalar']).name}"
    if held & Held.HOLD:
        return "hold: address phase"
    place = int(offered["resource"]) - Resource.MUTEX
    of_mutex = 0 <= place < len(MUTEXES)
    what = f"mutex {MUTEXES[place]}" if of_mutex else Resource(offered["resource"]).name
    return f"{'unit busy' if held else 'behind another thread'}: {what}"


def read_report(run_dir: Path) -> Report:
    """The report of a stored run of ``datapath``.

    Raises:
        ValueError: no such run, one of another block or of another version, one in which no core
            did anything.
        TraceError: damaged traces.
    """
    if (run := RunRequest.from_json(run_dir / "request.json")).block != "datapath":
        raise ValueError(f"{run_dir} is a run of block {run.block}, not of datapath")
    request, cycles, account, streams = stored_account(run_dir)
    words = account["control.word"]
    for t in range(THREADS):
        own = words["cycle"][words["thread"] == t]
        if not np.array_equal(own, streams[f"t{t}.dispatch"]["cycle"]):
            raise ValueError(
                f"{run_dir}: the models let other words of thread {t} pass: the run fails, or is "
                f"of another version; tilepath check {run_dir} tells more"
            )
    begins = [streams[f"t{t}.item"]["cycle"][:1] for t in range(THREADS)]
    if not any(map(len, begins)):
        raise ValueError(f"{run_dir}: no core did anything in any cycle")
    threads = _Threads(cycles, account)
    threads.cores(streams)
    threads.front_end()
    threads.gates()
    numbers = np.arange(len(SEMAPHORE_NAMES))[:, None]
    owner = levels(streams["unpack_owner"], cycles)
    return Report(
        request,
        cycles,
        int(np.concatenate(begins).min()),
        _done(account["pack.share"]),
        threads.reasons,
        threads.why,
        units_of(request.profile, cycles, account, streams),
        owner >> np.arange(len(BANKS))[:, None] & 1,
        levels(streams["semaphores"], cycles) >> 4 * numbers & 15,
        words,
    )


def _done(shares: Records) -> list[int]:
    """In which cycle each tile is done; of a PACR of several packers, the last of them."""
    found: dict[int, int] = {}
    heads = shares["share"]["head"]
    for row in shares[(heads["is_pacr"] == 1) & (heads["word"] >> LAST.lsb & LAST.mask == 1)]:
        issued = int(row["share"]["head"]["cycle"])
        found[issued] = max(found.get(issued, 0), int(row["cycle"]))
    return sorted(found.values())
