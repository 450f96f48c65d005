# SPDX-License-Identifier: Apache-2.0
"""Sequences as UVM has them, for the players of any block; docs/write-a-sequence.md has examples.

    class Words(Sequence):
        async def body(self):
            while True:
                item = FRONTEND.core()
                await self.start_item(item)
                item.randomize(push=1, mopcfg=0, sync=0, gap=range(4))
                await self.finish_item(item)

    TESTS = as_tests(Words, on="t0.core", endless=True, seeds=3)

They are pyuvm's, and run ahead of the simulation: ``finish_item`` returns when the item is given,
not when it is played. What shall come after something that is played says so: ``await
self.done(player)``, ``await self.idle(unit)``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Coroutine, Generator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from pyuvm import uvm_sequence, uvm_sequencer

from tilepath.engine.description.player import Items
from tilepath.engine.description.registry import load_block
from tilepath.engine.description.stimulus import Context, Stimulus, TestSpec
from tilepath.engine.errors import there_are
from tilepath.engine.stimulus.branch import Branch, Feed
from tilepath.engine.stimulus.form import Row
from tilepath.engine.stimulus.item import Item, items
from tilepath.engine.stimulus.scene import Scene, pause, running
from tilepath.engine.stimulus.tables import Tables

__all__ = ["Item", "Sequence", "as_tests", "items"]

_NO_RESPONSE: Final = "get_response: items are played later, and nothing answers a sequence"


class _Sequencer(uvm_sequencer):
    """A sequencer without a driver: it is no component, and stands in no hierarchy."""

    def __init__(self, name: str) -> None:
        self._name = name

    def get_full_name(self) -> str:
        """The player's name."""
        return self._name

    async def get_response(self, txn_id: Any = None) -> None:
        """There is none: ``RuntimeError``."""
        del txn_id
        raise RuntimeError(_NO_RESPONSE)


class PlayerSequencer(_Sequencer):
    """Gathers the items of one player."""

    def __init__(self, feed: Feed) -> None:
        super().__init__(feed.name)
        self.feed = feed
        self._started: set[int] = set()

    async def start_item(self, item: Any) -> None:
        """Take the item's turn at once, because sequences take turns themselves."""
        self._started.add(id(item))

    async def finish_item(self, item: Any) -> None:
        """Take the item as it is now, or any object by the names of the fields."""
        if id(item) not in self._started:
            raise RuntimeError("finish_item of an item that was not started")
        self._started.discard(id(item))
        if running().give(self.feed, self._row(item)):
            await pause()

    async def put(self, array: Items) -> None:
        """Take an array of items."""
        if running().give_array(self.feed, array):
            await pause()

    def _row(self, item: Any) -> Row:
        if not isinstance(item, Item):
            item = self._by_names(item)
        name, player = item.instance or item.form.player.name, item.form.player
        if player is not self.feed.form.player or item.instance not in ("", self.feed.name):
            raise ValueError(f"an item of {name} for {self.feed.name}")
        return type(item)._values(item)

    def _by_names(self, given: Any) -> Item:
        """An item of an object of whatever library: its public numbers are fields."""
        public = {n: getattr(given, n) for n in getattr(given, "__dict__", {}) if n[0] != "_"}
        values = {n: _plain(v) for n, v in public.items() if hasattr(v, "__int__") or _many(v)}
        if not values:
            raise ValueError(f"{given!r} has no field of {self.feed.name}")
        item: Item = getattr(items(running().context.block), self.feed.form.player.name)(**values)
        return item


def _many(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _plain(value: Any) -> Any:
    """The number, or the numbers, that libraries have wrapped."""
    if _many(value):
        return [_plain(one) for one in value]
    return int(value) if int(value) == value else value


class Players(_Sequencer):
    """The virtual sequencer: the sequencers of all players, ``t0.core`` as ``t0_core``."""

    def __init__(self, sequencers: Mapping[str, PlayerSequencer]) -> None:
        super().__init__("players")
        self._sequencers = {name.replace(".", "_"): one for name, one in sequencers.items()}

    def __getattr__(self, name: str) -> PlayerSequencer:
        if name.startswith("_") or name not in self._sequencers:
            raise AttributeError(f"no player {name}; {there_are(self._sequencers, name)}")
        return self._sequencers[name]


class Branches:
    """What :meth:`Sequence.fork` has started; to await it is to join."""

    def __init__(self, branches: tuple[Branch, ...]) -> None:
        self._branches = branches

    def __await__(self) -> Generator[Any, None, None]:
        return self._joined().__await__()

    async def _joined(self) -> None:
        branch = running().branch
        branch.joins = self._branches
        while not all(one.ended for one in self._branches):
            await pause()
        branch.joins = ()


class Sequence(uvm_sequence):
    """A sequence of one player, or of several: a virtual one."""

    def __init__(self, name: str = "") -> None:
        super().__init__(name or type(self).__name__)
        self._rng: np.random.Generator | None = None

    @property
    def rng(self) -> np.random.Generator:
        """A generator of this sequence's own, from the run's seed."""
        if self._rng is None:
            self._rng = running().rng(type(self).__qualname__)
        return self._rng

    @property
    def context(self) -> Context:
        """Block, test, seed, profile, and the length of an endless test."""
        return running().context

    def player(self, name: str) -> PlayerSequencer:
        """The sequencer of a player; ``ValueError`` if there is none."""
        found: PlayerSequencer = running().sequencers[running().feed(name).name]
        return found

    def get_full_name(self) -> str:
        """Its sequencer's name and its own: ``t0.core.MyWords``, or ``players.…`` if virtual."""
        own = self.get_name()
        return f"{self.sequencer.get_full_name()}.{own}" if self.sequencer else own

    async def body(self) -> None:
        """Do nothing: it is to be overridden."""

    async def start(
        self, seqr: uvm_sequencer | str | None = None, call_pre_post: bool = True
    ) -> None:
        """Run it on the sequencer of a player, or, if it is a virtual one, on that of all."""
        sequencer = self.player(seqr) if isinstance(seqr, str) else seqr
        if sequencer is None:
            sequencer = running().sequencers[""]
        if not inspect.iscoroutinefunction(self.body):
            code = type(self).body.__code__
            place = f"{code.co_filename}:{code.co_firstlineno}"
            raise ValueError(f"{place}: body of {type(self).__name__} is not an async def")
        running().branch.settle(sequencer.feed if isinstance(sequencer, PlayerSequencer) else None)
        await super().start(sequencer, call_pre_post)

    async def get_response(self, transaction_id: Any = None) -> None:
        """There is none: ``RuntimeError``."""
        del transaction_id
        raise RuntimeError(_NO_RESPONSE)

    def _for(self, item: Any, on: uvm_sequencer | str | None) -> Any:
        if on is None and isinstance(self.sequencer, PlayerSequencer):
            return self.sequencer
        if on is None:
            on = getattr(item, "instance", "")
            if not on:
                kind = item.form.player if isinstance(item, Item) else None
                known = kind.instances if kind else running().feeds
                raise ValueError(f"say on which player: on={' or '.join(map(repr, known))}")
        return self.player(on) if isinstance(on, str) else on

    async def start_item(self, item: Any, on: uvm_sequencer | str | None = None) -> None:
        """Begin an item: of the sequence's player, or in a virtual one of the item's own or ``on``.

        An object of another library is an item by the names of its fields.
        """
        await self._for(item, on).start_item(item)

    async def finish_item(self, item: Any, on: uvm_sequencer | str | None = None) -> None:
        """Give the item as it is now."""
        await self._for(item, on).finish_item(item)

    async def send(self, *some: Any, on: uvm_sequencer | str | None = None) -> None:
        """Start and finish each; or give an array of items, which the player's ``pack`` made."""
        for item in some:
            sequencer = self._for(item, on)
            if isinstance(item, np.ndarray):
                await sequencer.put(item)
            else:
                await sequencer.start_item(item)
                await sequencer.finish_item(item)

    def fork(self, *runs: Coroutine[Any, Any, None]) -> Branches:
        """Start what goes on beside this, ``self.fork(one.start(sequencer), …)``.

        ``await`` what comes back to go on only when all of them have ended.
        """
        for run in runs:
            if not inspect.iscoroutine(run):
                raise TypeError(f"fork takes what start(…) returns, not {run!r}")
        return Branches(tuple(running().fork(run) for run in runs))

    async def done(self, *players: str | int) -> None:
        """What follows is played after items of ``players`` are done.

        So many as the number says that stands behind a name, else all that the player has been
        given so far. Without any name: all that all of them have been given.
        """
        for place, name in enumerate(players or ("",)):
            if isinstance(name, str):
                behind = players[place + 1 : place + 2]
                running().done(name, behind[0] if behind and isinstance(behind[0], int) else None)

    async def idle(self, *units: str) -> None:
        """What follows is played when these units, or all of them, are idle."""
        running().idle(*units)

    async def when(self, condition: Any) -> None:
        """What follows is played when a condition as arrays of items have it is true."""
        running().when(int(condition))


def as_tests(
    top: Callable[[], uvm_sequence],
    *,
    on: str | tuple[str, ...] = "",
    name: str = "",
    beside: TestSpec | Callable[[Context], Stimulus] | None = None,
    **spec: Any,
) -> dict[str, TestSpec]:
    """A test that runs a sequence: ``top`` on player ``on``, or, if it is a virtual one, on all.

    ``beside``: arrays of items for other players, or a test of the block's that has them; ``on``
    are then the players that the sequence takes from it. ``spec``: as of ``TestSpec``; else the
    name and what it does are those of the class, and the rest is as in the test ``beside``. Its
    ``tables`` come to those of ``beside``, or in the place of those that are called like them.

    Raises:
        ValueError: an argument that does not fit, a table without columns of the one it replaces.
    """
    own = getattr(top, "__name__", "sequence")
    name = name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", own).lower()
    doc = (getattr(top, "__doc__", None) or name).strip().splitlines()[0].rstrip(".")
    caller = sys._getframe(1)
    place = f"{caller.f_code.co_filename}:{caller.f_lineno}"
    taken = (on,) if isinstance(on, str) else on
    alone = on if isinstance(on, str) else ""

    def stimulus(context: Context) -> Stimulus:
        others = _others(beside, context, taken)
        scene = Scene(context, load_block(context.block).player_table, others)
        each = {name: PlayerSequencer(feed) for name, feed in scene.feeds.items()}
        scene.sequencers = {**each, "": Players(each)}
        try:
            homes = {name: scene.feed(name) for name in taken if name}
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None

        async def run() -> None:
            running().branch.settle(homes.get(alone))
            await top().start(running().sequencers[alone])

        scene.begin(run())
        if not scene.total:
            raise ValueError(f"{place}: {own} gives no items")
        return {**others, **{name: scene.items(name) for name in scene.feeds}}

    given = {"name": name, "summary": doc, "kind": "random", **spec}
    given |= {"stimulus": stimulus, "tried": True}
    if not isinstance(beside, TestSpec):
        return {name: TestSpec(**given)}
    made = replace(beside, **given)
    if isinstance(beside.tables, Tables) and made.tables:
        made = replace(beside, **given | {"tables": beside.tables.joined(made.tables)})
    return {name: made}


def _others(
    beside: TestSpec | Callable[[Context], Stimulus] | None,
    context: Context,
    taken: tuple[str, ...],
) -> Stimulus:
    """What others than sequences have for players."""
    if beside is None:
        return {}
    if not isinstance(beside, TestSpec):
        return beside(context)
    found = beside.stimulus(replace(context, test=beside.name))
    return {name: items for name, items in found.items() if name not in taken}
