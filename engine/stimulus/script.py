# SPDX-License-Identifier: Apache-2.0
"""Scripts: what all item players do, in phases.

The players know nothing of each other. A *phase* begins when as many items were done as all
earlier phases have, and, if it says so, when the block is idle: the first item that each player has
in a phase waits for that. Inside a phase a player goes ahead as it can, unless an item has a
condition of its own. Items are taken from a script in pieces, so that a random test can go on for
ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.description.waiting import Holding
from tilepath.isa.constants import CFG_GLOBAL_BASE, CFG_THCON_BASE

Fields = tuple[Any, ...]

ALL_ROWS: Final = (1 << (CFG_GLOBAL_BASE - CFG_THCON_BASE) // 4) - 1
"""A bit for each four words that REG2FLOP can write, from word 64 on."""


@dataclass
class Barrier:
    """How many items must be done before a phase; it can still grow until items are taken."""

    count: int = 0
    idle: int = 0


NONE: Final = Barrier()
"""At once."""


Row = tuple[Fields, int, int, Barrier, int]
"""An item: fields, gap, idle, barrier, and_after. No class: making one of it took a third of
:meth:`PhaseScript.add`."""


class PhaseScript:
    """Collects items; a block derives from it and says how its items are made.

    ``holding``: what its items can wait for; ``waiter``: a player and the fields of an item of it
    that changes nothing; ``leads``: the same for each kind of player that may begin a phase with a
    gap. ``history``: if a list, what is added is noted there, as (player, fields without
    conditions), in an order in which it can happen.
    """

    holding: ClassVar[Holding]
    waiter: ClassVar[tuple[str, Fields]]
    leads: ClassVar[Mapping[str, Fields]]

    def __init__(self) -> None:
        self.counts = dict.fromkeys(self.holding.sources, 0)
        self._items: dict[str, list[Row]] = {name: [] for name in self.counts}
        self._barrier = self._before = self._gate = NONE
        self._fresh = set(self.counts)
        self._config: list[dict[int, int]] = [{}, {}]
        self.history: list[tuple[str, Fields]] | None = None

    def make(self, player: str, rows: Sequence[Fields], **heads: ArrayLike) -> Items:
        """The items of ``player``; ``heads``: gaps, idle, after and and_after of each."""
        raise NotImplementedError

    # -- order

    @property
    def total(self) -> int:
        """Items of all players so far."""
        return sum(self.counts.values())

    def phase(self, idle: bool = True) -> Self:
        """What follows waits for all that came before, and with ``idle`` until it has ended."""
        self._before = self._barrier
        self._gate = Barrier(self.total)
        if idle:
            # one item waits for that, all others for it: what they do makes the block busy
            player, fields = self.waiter
            self._gate.idle = (1 << self.holding.busy) - 1
            self._items[player].append((fields, 0, 0, self._gate, 0))
            self.counts[player] += 1
        self._barrier = Barrier(self.total) if idle else self._gate
        self._fresh = set(self.counts)
        return self

    def done(self, player: str) -> int:
        """The condition that all that ``player`` has been given so far is done."""
        return self.holding.condition(player, self.counts[player])

    def add(self, player: str, fields: Fields, gap: int = 0, after: int = 0, idle: int = 0) -> None:
        """An item of ``player``: after its gap, ``after`` a condition, when ``idle`` bits are 0."""
        barrier = NONE
        if player in self._fresh:
            self._fresh.discard(player)
            barrier = self._barrier
            lead = self.leads.get(player.rpartition(".")[2])
            if gap and lead:
                # a gap is over before the barrier is: something else must wait for that
                self._items[player].append((lead, 0, 0, barrier, 0))
                self.counts[player] += 1
                barrier = NONE
        if self.history is not None:
            self.history.append((player, fields))
        self._items[player].append((fields, gap, idle, barrier, after))
        self.counts[player] += 1

    def add_all(self, player: str, items: Sequence[Fields], after: int = 0) -> None:
        """Items of ``player`` behind one another, the first of them ``after`` a condition."""
        if not items:
            return
        self.add(player, items[0], after=after)
        self._items[player] += [(fields, 0, 0, NONE, 0) for fields in items[1:]]
        self.counts[player] += len(items) - 1
        if self.history is not None:
            self.history += [(player, fields) for fields in items[1:]]

    def widen(self, player: str, last: int, gap: int) -> Self:
        """Give the first of the ``last`` items of ``player`` a gap of at least ``gap``."""
        rows = self._items[player]
        fields, own, *conditions = rows[-last]
        rows[-last] = (fields, max(own, gap), *conditions)
        return self

    def pause(self, cycles: int) -> Self:
        """Every player, whatever it does, spends so many cycles in this phase.

        The bench asks each player for as many items as can fill a number of cycles: one with few
        items would have to be far ahead of the others. As any item, this one must not be done
        before its phase: barriers count all items.
        """
        for player in self.counts:
            lead = self.leads.get(player.rpartition(".")[2])
            if lead:
                self.add(player, lead, cycles)
        return self

    # -- configuration

    def config(self, banks: int, index: int, value: int, gap: int = 0, after: int = 0) -> Self:
        """Write a configuration word in ``banks`` (multi-hot)."""
        self.add("cfg", (banks, index, 0, (value, 0, 0, 0)), gap, after)
        self._note(banks, index, value)
        return self

    def config4(
        self, banks: int, index: int, values: tuple[int, ...], gap: int = 0, after: int = 0
    ) -> Self:
        """Write the four words around ``index`` at once."""
        self.add("cfg", (banks, index, 1, values), gap, after)
        self._note(banks, index & ~3, *values)
        return self

    def flop(self, bank: int, index: int, values: tuple[int, ...], wide: int = 0) -> Self:
        """REG2FLOP writes word ``index`` of ``bank``, or with ``wide`` the four around it."""
        self.add("flop", (bank, index, wide, values))
        self._note(1 << bank, index & ~3 if wide else index, *values[: 4 if wide else 1])
        return self

    def _note(self, banks: int, index: int, *values: int) -> None:
        """``values`` from ``index`` on; four are all global or none of them is."""
        for bank, known in enumerate(self._config):
            if banks >> bank & 1 or index >= CFG_GLOBAL_BASE:
                for k, value in enumerate(values, index):
                    known[k] = value

    def words(self, bank: int, new: Mapping[int, int], wide: bool = True, flops: int = 0) -> Self:
        """Write those words of ``bank`` that differ; ``wide``: four at a time if it saves some.

        ``flops``: which of these (``ALL_ROWS``) REG2FLOP writes.
        """
        known = self._config[bank]
        other = new.items() - known.items()
        todo = sorted(index for index, value in other if value or index in known)
        fours = Counter(index >> 2 for index in todo)
        for index in todo:
            if known.get(index, 0) == new[index]:
                continue
            values, whole = (new[index], 0, 0, 0), wide and fours[index >> 2] > 1
            if whole:
                four = range(index & ~3, (index & ~3) + 4)
                values = tuple(new.get(k, known.get(k, 0)) for k in four)
            is_flop = CFG_THCON_BASE <= index < CFG_GLOBAL_BASE
            if is_flop and flops >> (index - CFG_THCON_BASE >> 2) & 1:
                self.flop(bank, index, values, int(whole))
            elif whole:
                self.config4(1 << bank, index, values)
            else:
                self.config(1 << bank, index, new[index])
        return self

    def store(self, thread: int, index: int, value: int) -> Self:
        """A core stores to ThreadConfig of ``thread``."""
        self.add("store", (thread, index, value))
        return self

    def overruled(self, thread: int, index: int, value: int, stored: int) -> Self:
        """A SETC16 of ``value`` and, in its cycle, a core's store of ``stored`` to the same word.

        Each waits until all that the other's player has been given before is done, and for nothing
        else: a store that began a scene might be given a gap (:meth:`widen`), so none does.
        """
        if "store" in self._fresh:
            self.add("store", self.leads["store"])
        player = f"t{thread}.setc16"
        setc16, store = self.done(player), self.done("store")
        self.add("store", (thread, index, stored), after=setc16)
        self.add(player, (index, value), after=store)
        return self

    # -- items

    def take(self) -> dict[str, Items]:
        """The items since the last call, by player; players without any are left out."""
        made = {name: self._made(name, rows) for name, rows in self._items.items() if rows}
        for rows in self._items.values():
            rows.clear()
        return made

    def _made(self, player: str, rows: list[Row]) -> Items:
        fields, gaps, idle, barriers, and_after = zip(*rows, strict=True)
        counts = [barrier.count for barrier in barriers]
        return self.make(
            player,
            fields,
            gaps=gaps,
            idle=[own | barrier.idle for own, barrier in zip(idle, barriers, strict=True)],
            after=np.where(np.array(counts) > 0, self.holding.after_all(counts), 0),
            and_after=and_after,
        )


class Feed:
    """Endless stimulus from one stream of scenes that all players share.

    ``scene`` appends a scene to the script; it is called as often as the players want items.
    """

    batch: Final = 24

    def __init__(self, script: PhaseScript, scene: Callable[[Any], None]) -> None:
        self._script = script
        self._scene = scene
        self._waiting: dict[str, list[Items]] = {name: [] for name in script.counts}

    def _more(self) -> None:
        for _ in range(self.batch):
            self._scene(self._script)
        for name, made in self._script.take().items():
            self._waiting[name].append(made)

    def player(self, name: str) -> Iterator[Items]:
        """The items of a player."""
        while True:
            while not self._waiting[name]:
                self._more()
            yield self._waiting[name].pop(0)

    def stimulus(self) -> dict[str, Iterable[Items]]:
        """All item players."""
        return {name: self.player(name) for name in self._script.counts}


Levels = Mapping[str, Callable[[Context], Iterable[Items]]]
"""Players that cannot wait, and what they play."""

_Script = TypeVar("_Script", bound=PhaseScript)


def script_test(
    make: Callable[[str], _Script],
    name: str,
    summary: str,
    build: Callable[[_Script, Context], None],
    floor: Mapping[str, int],
    levels: Levels | None = None,
    **others: Any,
) -> TestSpec:
    """A finite test of what ``build`` puts into a script, beside ``levels``.

    ``make``: makes the script for a profile; ``others``: further fields of the test.
    """

    def stimulus(ctx: Context) -> Stimulus:
        script = make(ctx.profile)
        build(script, ctx)
        players: dict[str, Iterable[Items]] = {n: [made] for n, made in script.take().items()}
        return players | {player: source(ctx) for player, source in (levels or {}).items()}

    return TestSpec(name, summary, stimulus=stimulus, floor=floor, **{"kind": "directed"} | others)
