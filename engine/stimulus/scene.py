# SPDX-License-Identifier: Apache-2.0
"""Runs sequences ahead of the simulation: what they give becomes arrays of items, player by player.

A sequence's coroutine goes on whenever a player wants items; nothing here waits for a simulator, so
a sequence can be run without one. Several of them take turns, an item each. What a sequence waits
for becomes conditions of the items that it gives next; they last for the *branch* that they stand
in, which is a sequence with all that it awaits, and for what branches off from there.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping
from dataclasses import replace
from types import coroutine
from typing import Any, Final

import numpy as np

from tilepath.engine.description.player import Items, Player, Waits
from tilepath.engine.description.stimulus import Context
from tilepath.engine.errors import there_are
from tilepath.engine.stimulus.branch import Branch, Condition, Feed
from tilepath.engine.stimulus.checks import check_items
from tilepath.engine.stimulus.form import Row

AHEAD: Final = 1 << 16
"""Items of others after which a player that gets none has come to its end."""
PATIENCE: Final = 5.0
"""Seconds of processor time that a sequence may take for an item, at least."""
_FIRST: Final = 1 << 10  # items made at once, so that what is wrong shows before anything is built
_CHUNK: Final = 64
_ENOUGH: Final = 1 << 12
_PAUSE: Final = object()


class NoItems(RuntimeError):
    """A body that goes round and gives no items."""


_running: list[Scene] = []


def running() -> Scene:
    """The scene whose sequence is running; ``RuntimeError`` where none is."""
    if not _running:
        raise RuntimeError("only a sequence that a test has started, or self.fork, can do this")
    return _running[-1]


def in_scene() -> bool:
    """Whether a sequence is running."""
    return bool(_running)


@coroutine
def pause() -> Generator[object, None, None]:
    """Let others go on."""
    yield _PAUSE


@contextlib.contextmanager
def _awaited() -> Iterator[None]:
    """Inside, a call without its ``await`` is an error, and no line on the screen."""
    with warnings.catch_warnings(record=True) as found:
        warnings.filterwarnings("always", "coroutine .* was never awaited")
        yield
    for one in found:
        text = str(one.message)
        if text.endswith("was never awaited"):
            raise ValueError(f"{one.filename}:{one.lineno}: {text}")
        warnings.showwarning(one.message, one.category, one.filename, one.lineno)


class Scene:
    """All sequences of a run. ``outside``: players that something else has items for."""

    def __init__(
        self, context: Context, players: Mapping[str, Player], outside: Mapping[str, object]
    ) -> None:
        self.context = context
        self.feeds = {n: Feed(n, player) for n, player in players.items() if n not in outside}
        self.waits: Waits | None = next((p.waits for p in players.values() if p.waits), None)
        self.total = 0
        self.left = 0
        self.sequencers: dict[str, Any] = {}
        self.drawn: OrderedDict[Any, Any] = OrderedDict()
        self._current: Branch | None = None
        self._outside = outside
        self._branches: list[Branch] = []
        self._streams: Counter[str] = Counter()
        self._seen = -1
        self._failure: Exception | None = None

    def __del__(self) -> None:
        self._close()

    def _close(self) -> None:
        for branch in self._branches:
            with contextlib.suppress(Exception):
                branch.run.close()

    @property
    def branch(self) -> Branch:
        """The one whose turn it is."""
        if self._current is None:
            raise RuntimeError("it is no sequence's turn")
        return self._current

    def rng(self, label: str) -> np.random.Generator:
        """A generator of its own for each call."""
        self._streams[label] += 1
        return self.context.rng(f"{label} {self._streams[label]}")

    def feed(self, name: str) -> Feed:
        """A player by its name; ``ValueError`` if there is none."""
        if name not in self.feeds:
            if name in self._outside:
                raise ValueError(f"the items of {name} come from elsewhere")
            raise ValueError(f"no player {name}; {there_are(self.feeds, name)}")
        return self.feeds[name]

    # -- branches

    def fork(self, run: Coroutine[Any, Any, None]) -> Branch:
        """Let ``run`` take turns from now on; it is held by what holds the present branch."""
        held = self._current.conditions if self._current else []
        branch = Branch(run, [replace(one, carried=dict(one.carried)) for one in held])
        self._branches.append(branch)
        return branch

    def begin(self, run: Coroutine[Any, Any, None]) -> None:
        """Run it and what it forks for the first items, so that what is wrong with them shows."""
        self.fork(run)
        with self._watched():
            while self.total < _FIRST and (able := self._able(None)):
                self._turn(able)

    def items(self, name: str) -> Iterator[Items]:
        """The items of a player, to the end of all that can have some for it."""
        feed = self.feeds[name]
        while True:
            with self._watched():
                self._fill(feed)
            if not feed.ready:
                feed.closed = True
                return
            yield feed.taken()

    def _fill(self, feed: Feed) -> None:
        began = self.total
        while feed.ready < _CHUNK and not (feed.ready and self.total > began + _ENOUGH):
            able = self._able(feed)
            if not able or (not feed.ready and self.total > feed.latest + AHEAD):
                break
            self._turn(able)

    def _able(self, feed: Feed | None) -> list[Branch]:
        found: dict[Branch, None] = {}
        self._branches = [branch for branch in self._branches if not branch.ended]
        for branch in self._branches:
            if feed is None or branch.home in (None, feed):
                found |= dict.fromkeys(branch.able())
        return list(found)

    def _turn(self, branches: list[Branch]) -> None:
        """An item of each, or more of one alone."""
        for branch in branches:
            self.left = 1 if len(branches) > 1 else _CHUNK
            self._current = branch
            try:
                self._resume(branch.run)
            except StopIteration:
                branch.ended = True
            finally:
                self._current = None

    @staticmethod
    def _resume(run: Coroutine[Any, Any, None]) -> None:
        wanted = run.send(None)
        if wanted is not _PAUSE:
            run.throw(
                TypeError(
                    f"a sequence runs ahead of the simulation and cannot wait for {wanted!r}: "
                    "self.done and self.idle are what its items can wait for, self.fork branches"
                )
            )

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Inside, sequences run, and one that gives no items for long ends with an error."""
        if self._failure is not None:
            raise self._failure

        def tick(*_: object) -> None:
            if self._seen == self.total:
                raise NoItems(f"no item in {PATIENCE:g} s: the body goes round without giving any")
            self._seen = self.total

        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGVTALRM, tick) if main else None
        self._seen = -1
        _running.append(self)
        try:
            if main:
                signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE, PATIENCE)
            with _awaited():
                yield
        except Exception as error:
            self._failure = error
            self._close()
            raise
        finally:
            _running.pop()
            if main:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                signal.signal(signal.SIGVTALRM, before)

    # -- items

    def give(self, feed: Feed, row: Row) -> bool:
        """Append an item; whether others are to go on now."""
        branch = self._accept(feed, 1)
        feed.rows.append(self._held(feed, row, branch) if branch.conditions else row)
        return self._count(feed, 1)

    def give_array(self, feed: Feed, items: Items) -> bool:
        """Append an array; the first of its items waits for what has to be waited for."""
        check_items(feed.form.player, items)
        branch = self._accept(feed, len(items))
        if branch.conditions and len(items):
            feed.rows.append(self._held(feed, feed.form.row(items[:1]), branch))
            feed.put(items[1:])
        else:
            feed.put(items)
        return self._count(feed, len(items))

    def _accept(self, feed: Feed, count: int) -> Branch:
        if feed.closed and count:
            raise ValueError(
                f"an item of {feed.name} comes after {AHEAD:,} of other players without any, "
                "when it had come to its end: give it one sooner"
            )
        return self.branch

    def _count(self, feed: Feed, count: int) -> bool:
        feed.ready += count
        feed.given += count
        self.total += count
        feed.latest = self.total
        self.left -= count
        return self.left <= 0

    # -- what they wait for

    def done(self, name: str, count: int | None) -> None:
        """What follows in the branch waits until ``count`` items of a player are done.

        Without a count: all that it has been given so far; without a name: of all players.
        """
        waits = self._waits()
        if not name:
            if not waits.everyone or any(n in waits.sources for n in self._outside):
                raise ValueError("it cannot be told here when all players are done: say which")
            count = sum(self.feeds[source].given for source in waits.sources)
        elif name not in waits.sources:
            raise ValueError(f"no item can wait for {name}; {there_are(waits.sources, name)}")
        elif count is None:
            if name not in self.feeds:
                raise ValueError(f"what sequences give does not tell how many of {name}: say it")
            count = self.feeds[name].given
        number = waits.sources[name] if name else waits.everyone
        value = int(waits.condition.value(source=number, count=count))
        if count:
            new = Condition(name or "all", count, value)
            self._add(new, lambda one: self._implied(one, name, count))

    def idle(self, *units: str) -> None:
        """What follows in the branch waits until ``units``, or all of them, are idle."""
        known = self._waits().units
        mask = 0
        for unit in units or known or ("any",):
            if unit not in known:
                raise ValueError(f"no item can wait for unit {unit}; {there_are(known, unit)}")
            mask |= known[unit]
        self._add(Condition(idle=mask), lambda one: one.idle and not one.idle & ~mask)

    def when(self, value: int) -> None:
        """What follows in the branch waits for a condition as items hold it."""
        source = f"source {self._waits().condition.split(value)['source']}"
        self._add(Condition(source, 0, value), lambda one: one.value == value)

    def _add(self, new: Condition, implies: Callable[[Condition], object]) -> None:
        held = [one for one in self.branch.conditions if not implies(one)]
        self.branch.conditions = [*held, new]

    def _waits(self) -> Waits:
        if self.waits is None:
            raise ValueError(f"items of {self.context.block} can wait for nothing but their gap")
        return self.waits

    def _implied(self, one: Condition, name: str, count: int) -> bool:
        """Whether it has come true when so many items of a player, or of all, are done."""
        if not name:
            own = self.feeds.get(one.source)
            return bool(one.carried) or (own is not None and 0 < one.count <= own.given)
        same = one.source == name and one.count <= count
        return same or one.carried.get(name, count) < count

    def _held(self, feed: Feed, row: Row, branch: Branch) -> Row:
        """``row`` with the conditions that no item of the player has waited for in this branch."""
        new = [one for one in branch.conditions if feed.name not in one.carried]
        if not new:
            return row
        waits, place = feed.form.player.waits, feed.form.place
        if waits is None:
            raise ValueError(f"items of {feed.name} cannot wait: give them first, or in a branch")
        values = list(row)
        wanted: dict[str, Condition] = {}
        for one in new:
            one.carried[feed.name] = feed.given
            if one.idle:
                values[place["idle"]] |= one.idle
            elif one.source not in wanted or wanted[one.source].count < one.count:
                wanted[one.source] = one
        free = [way for way in waits.ways if not values[place[way]]]
        if len(wanted) > len(free):
            raise ValueError(
                f"an item of {feed.name} has room for {len(waits.ways)} conditions, and these "
                f"would be {len(wanted) + len(waits.ways) - len(free)}: {', '.join(wanted)}"
            )
        for way, one in zip(free, wanted.values(), strict=False):
            values[place[way]] = one.value
        return tuple(values)
