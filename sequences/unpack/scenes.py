# SPDX-License-Identifier: Apache-2.0
"""Scripts: what all players do, in phases.

The players know nothing of each other. A *phase* begins when as many items were done as all
earlier phases have, and, if it says so, when both unpackers are idle: the first item that each
player has in a phase waits for that. Inside a phase a player goes ahead as it can, unless an item
has a condition of its own.

A :class:`Script` keeps a picture of what has been written (``plan.View``); what it writes a second
time is left out. Its items are taken from it in pieces, so that a random test can go on for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np

from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import ALU_WORD, MISC, Setup, Thread
from tilepath.sequences.unpack.counters import FENCE, set_words
from tilepath.sequences.unpack.plan import Plan, View
from tilepath.sequences.unpack.rows import NONE, Barrier, Row, to_items
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import Context, Stimulus, TestSpec
from tilepath.tb.unpack import items
from tilepath.tb.unpack.items import DST, NOTHING, READ, RELEASE, SRCA, SRCB, ZERO

PLAYERS: Final = (
    "t0.issue", "t1.issue", "t2.issue", "cfg", "t0.setc16", "t1.setc16", "t2.setc16", "matrix",
    "l1_write",
)  # fmt: skip
THREADS: Final = range(3)
UNPACKERS: Final = range(2)

__all__ = [
    "DST", "FENCE", "NOTHING", "READ", "RELEASE", "SRCA", "SRCB", "ZERO", "Feed", "Script",
    "script_test",
]  # fmt: skip


# What a player does first in a phase, if its first item has a gap: nothing that anybody notices.
_LEADS: Final[Mapping[str, tuple[Any, ...]]] = {
    "issue": (FENCE,),
    "cfg": (0, 40, 0, (0, 0, 0, 0)),
    "setc16": (60, 0),
    "matrix": (NOTHING, DST, 0, 0, 0, 0, 0),
}


class Script:
    """Collects items. ``view``: what has been written so far, and how the counters stand.

    ``released``: how often each file has been. ``pointer``: the Matrix Unit's bank pointers.
    ``stale``: SrcA banks that must not be read (U37). ``history``: if a list, everything is noted
    there, as (player, fields without conditions), in an order in which it can happen.
    """

    def __init__(self, profile: str) -> None:
        self.profile = profile
        self.view = View(profile)
        self.counts = dict.fromkeys(PLAYERS, 0)
        self.released = [0, 0]
        self.pointer = [0, 0]
        self.stale: set[int] = set()
        self._items: dict[str, list[Row]] = {name: [] for name in PLAYERS}
        self._config: list[dict[int, int]] = [{}, {}]
        self._thread: list[dict[int, int]] = [{}, {}, {}]
        self.history: list[tuple[str, tuple[Any, ...]]] | None = None
        self._begin = 0
        self._barrier = self._before = self._gate = NONE
        self._fresh = set(PLAYERS)

    # -- order

    @property
    def total(self) -> int:
        """Items of all players so far."""
        return sum(self.counts.values())

    def phase(self, idle: bool = True) -> Script:
        """What follows waits for all that came before, and with ``idle`` until it has ended."""
        self._begin = len(self.history or ())
        self._before = self._barrier
        self._gate = Barrier(self.total)
        if idle:
            # one item waits for that, all others for it: what they do makes the unpackers busy
            self._gate.idle = items.ALL_IDLE
            self._items["matrix"].append(Row((NOTHING, DST, 0, 0, 0, 0, 0), 0, 0, self._gate, 0))
            self.counts["matrix"] += 1
        self._barrier = Barrier(self.total) if idle else self._gate
        self._fresh = set(PLAYERS)
        return self

    def done(self, player: str) -> int:
        """The condition that all that ``player`` has been given so far is done."""
        number, kind = self.counts[player], player.rpartition(".")[2]
        if kind == "issue":
            return int(items.after_issue(int(player[1]), number))
        if kind == "setc16":
            return int(items.after_setc16(int(player[1]), number))
        made = {"cfg": items.after_cfg, "matrix": items.after_matrix}
        return int(made.get(kind, items.after_l1_write)(number))

    def _add(
        self, player: str, fields: tuple[Any, ...], gap: int = 0, after: int = 0, idle: int = 0
    ) -> None:
        barrier = NONE
        if player in self._fresh:
            self._fresh.discard(player)
            barrier = self._barrier
            lead = _LEADS.get(player.rpartition(".")[2])
            if gap and lead:
                # a gap is over before the barrier is: something else must wait for that
                self._items[player].append(Row(lead, 0, 0, barrier, 0))
                self.counts[player] += 1
                barrier = NONE
        if self.history is not None:
            self.history.append((player, fields))
        self._items[player].append(Row(fields, gap, idle, barrier, after))
        self.counts[player] += 1

    def pause(self, cycles: int) -> Script:
        """Every player, whatever it does, spends so many cycles in this phase.

        The bench asks each player for as many items as can fill a number of cycles: one with few
        items would have to be far ahead of the others. As any item, this one must not be done
        before its phase: barriers count all items.
        """
        for player in PLAYERS:
            lead = _LEADS.get(player.rpartition(".")[2])
            if lead:
                self._add(player, lead, cycles)
        return self

    # -- what the players do

    def word(self, thread: int, *words: int, gap: int = 0, after: int = 0, idle: int = 0) -> Script:
        """``thread`` issues ``words``: the first after ``gap`` and conditions, then straight on.

        ``idle``: bits of ``busy`` that must be 0. The view follows.
        """
        for k, word in enumerate(words):
            first = (gap, after, idle) if k == 0 else (0, 0, 0)
            self._add(f"t{thread}.issue", (word,), *first)
            if word >> 24 == w.OPCODE:
                self.view.commit(thread, word)
            elif word >> 24 != w.NOP_OPCODE:
                self.view.counters.issue(thread, word)
        return self

    def flips(self, thread: int, unpacker: int) -> Script:
        """Tell the view that a NOP that ``thread`` has just issued hands over."""
        self.view.flip(thread, unpacker)
        return self

    def fence(self, thread: int) -> Script:
        """A word that issues only when what the thread issued before has been sampled."""
        return self.word(thread, FENCE)

    def counters(
        self, thread: int, unpacker: int, *, by: int | None = None, **values: int
    ) -> Script:
        """Set counters of ``thread``: ``x0`` … ``w1``; ``by``: the thread that issues it."""
        numbers = {w.ALL_COUNTERS.index(name): value for name, value in values.items()}
        if by is None or by == thread:
            return self.word(thread, *set_words(unpacker, numbers))
        return self.word(by, *set_words(unpacker, numbers, thread))

    def config(self, banks: int, index: int, value: int, gap: int = 0, after: int = 0) -> Script:
        """Write a configuration word in ``banks`` (multi-hot)."""
        self._add("cfg", (banks, index, 0, (value, 0, 0, 0)), gap, after)
        self._note(banks, index, value)
        return self

    def config4(
        self, banks: int, index: int, values: tuple[int, ...], gap: int = 0, after: int = 0
    ) -> Script:
        """Write the four words around ``index`` at once."""
        self._add("cfg", (banks, index, 1, values), gap, after)
        for k, value in enumerate(values):
            self._note(banks, index & ~3 | k, value)
        return self

    def _note(self, banks: int, index: int, value: int) -> None:
        for bank in (0, 1):
            if banks >> bank & 1 or index >= 180:
                self._config[bank][index] = value

    def setup(self, banks: int, unpacker: int, setup: Setup, wide: bool = True) -> Script:
        """Make ``setup`` that of ``unpacker`` in ``banks``: writes the words that differ.

        ``wide``: four at a time where that saves writes.
        """
        for bank in (0, 1):
            if not banks >> bank & 1:
                continue
            self.view.setups[bank][unpacker] = setup
            known = self._config[bank]
            new = setup.words(unpacker)
            todo = [index for index in sorted(new) if known.get(index, 0) != new[index]]
            for index in todo:
                four = range(index & ~3, (index & ~3) + 4)
                if known.get(index, 0) == new[index]:
                    continue
                if wide and sum(k in todo for k in four) > 1:
                    values = tuple(new.get(k, known.get(k, 0)) for k in four)
                    self.config4(1 << bank, index, values)
                else:
                    self.config(1 << bank, index, new[index])
        return self

    def unsigned(self, value: int, banks: int = 3) -> Script:
        """Write word 1 of the configuration (:func:`tilepath.sequences.unpack.config.alu_word`)."""
        if any(banks >> b & 1 and self._config[b].get(ALU_WORD, 0) != value for b in (0, 1)):
            self.config(banks, ALU_WORD, value)
        return self

    def thread(self, thread: int, own: Thread, after: int = 0) -> Script:
        """Make ``own`` the thread's words: writes those that differ, and a reset always."""
        known, new = self._thread[thread], own.words()
        for index, value in new.items():
            reset = index == MISC and own.reset != (0, 0)
            if known.get(index, 0) != value or reset:
                self.setc16(thread, index, value, after=after)
        for unpacker in UNPACKERS:
            if own.reset[unpacker]:
                self.view.context[unpacker][thread] = 0
        self.view.threads[thread] = own
        return self

    def setc16(self, thread: int, index: int, value: int, gap: int = 0, after: int = 0) -> Script:
        """Write a word of ``thread``; the view does not follow (use :meth:`thread`)."""
        self._add(f"t{thread}.setc16", (index, value), gap, after)
        self._thread[thread][index] = value
        return self

    def matrix(
        self, op: int, file: int, bank: int = 0, row: int = 0, *, wait: int = 0, toggle: int = 0,
        follow: int = 0, gap: int = 0, after: int = 0, idle: int = 0,
    ) -> Script:  # fmt: skip
        """A command of the Matrix Unit."""
        self._add("matrix", (op, file, bank, row, wait, toggle, follow), gap, after, idle)
        if toggle and file != DST:
            self.pointer[file] ^= 1
        return self

    def release(self, file: int, gap: int = 0, reads: Iterable[int] = ()) -> Script:
        """The Matrix Unit takes the next bank of ``file``, reads rows, ``gap`` later releases it.

        One for each time that the bank is handed over, in that order.
        """
        bank = self.released[file] & 1
        self.released[file] += 1
        first = 1
        for row in reads:
            self.matrix(READ, file, bank, row, wait=first)
            first = 0
        if first and gap:
            self.matrix(NOTHING, file, bank, wait=1)
            first = 0
        return self.matrix(RELEASE, file, bank, wait=first, toggle=1, gap=gap)

    def memory(self) -> Script:
        """Write what has been put into the view's memory since."""
        lines, data = self.view.memory.flush()
        for line, row in zip(lines.tolist(), data.tolist(), strict=True):
            self._add("l1_write", (line, tuple(row)))
        return self

    def memory_before(self) -> Script:
        """The same, but in the phase before this one: this one waits for it."""
        lines, data = self.view.memory.flush()
        fresh = self._before
        if self.history is not None:
            rows = zip(lines.tolist(), data.tolist(), strict=True)
            self.history[self._begin : self._begin] = [("l1_write", (n, tuple(r))) for n, r in rows]
        for line, row in zip(lines.tolist(), data.tolist(), strict=True):
            self._items["l1_write"].append(Row((line, tuple(row)), 0, 0, fresh, 0))
            self.counts["l1_write"] += 1
            fresh = NONE
        for barrier in {id(b): b for b in (self._gate, self._barrier)}.values():
            barrier.count += len(lines)
        return self

    def plan(self, thread: int, word: int) -> Plan:
        """What the view says of an UNPACR that came next."""
        return self.view.plan(thread, word)

    # -- items

    def take(self) -> dict[str, Items]:
        """The items since the last call, by player; players without any are left out."""
        made = {name: to_items(name, rows) for name, rows in self._items.items() if rows}
        for rows in self._items.values():
            rows.clear()
        return made


BATCH: Final = 8


class Feed:
    """Endless stimulus from one stream of scenes that all players share.

    ``scene`` appends a scene to the script; it is called as often as the players want items.
    """

    def __init__(self, script: Script, scene: Callable[[Script], None]) -> None:
        self._script = script
        self._scene = scene
        self._waiting: dict[str, list[Items]] = {name: [] for name in PLAYERS}

    def _more(self) -> None:
        for _ in range(BATCH):
            self._scene(self._script)
        for name, made in self._script.take().items():
            self._waiting[name].append(made)

    def player(self, name: str) -> Iterator[Items]:
        """The items of a player."""
        place = 0
        while True:
            while not self._waiting[name]:
                self._more()
            place += 1
            yield self._waiting[name].pop(0)

    def stimulus(self) -> dict[str, Iterable[Items]]:
        """All item players."""
        return {name: self.player(name) for name in PLAYERS}


def latencies(values: Iterable[tuple[int, int]]) -> list[Items]:
    """Stimulus of ``l1_latency``: (cycles, latency)."""
    return [np.concatenate([items.l1_latency(cycles, latency) for cycles, latency in values])]


def script_test(
    name: str,
    summary: str,
    build: Callable[[Script, Context], None],
    floor: Mapping[str, int],
    levels: Mapping[str, Callable[[Context], Iterable[Items]]] | None = None,
    kind: Any = "directed",
    faults: tuple[str, ...] = (),
) -> TestSpec:
    """A finite test of what ``build`` puts into a script; ``levels``: players of levels."""

    def stimulus(ctx: Context) -> Stimulus:
        script = Script(ctx.profile)
        build(script, ctx)
        players: dict[str, Iterable[Items]] = {n: [made] for n, made in script.take().items()}
        for player, source in (levels or {}).items():
            players[player] = source(ctx)
        return players

    return TestSpec(
        name=name, summary=summary, kind=kind, stimulus=stimulus, floor=floor, faults=faults
    )
