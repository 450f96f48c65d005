# SPDX-License-Identifier: Apache-2.0
"""Takes away what a failure does not need: items by delta debugging, then fields of those left."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, Final

from tilepath.engine.commands.shrink.items import One

Fails = Callable[[Sequence[One]], bool]
"""Whether these items fail in the same way; called from several threads at once."""

_STEP: Final = 4  # the last items are tried by so many, then by so many times more


class Spent(Exception):
    """The budget is."""


class Reduction:
    """The least found so far, ``best``, which fails as all items do.

    ``fails`` is asked of fewer items, or of simpler ones, until ``seconds`` are over, ``jobs`` at
    once; ``tried`` is how often it has answered. What is found does not depend on ``jobs``.
    ``kind``: items of one kind are likely to be needed together, or not at all. ``bits``: what an
    item can lose, each as its field and more; ``of_bits``: the item with only some of them.
    ``told`` is called for each that is better. What ``asked`` holds may still go on behind an end.
    """

    def __init__(
        self,
        items: Sequence[One],
        fails: Fails,
        kind: Callable[[One], Any],
        bits: Callable[[One], Iterable[tuple[Any, ...]]],
        of_bits: Callable[[One, Iterable[tuple[Any, ...]]], One],
        seconds: float,
        told: Callable[[Reduction], None],
        jobs: int = 1,
    ) -> None:
        self.best = list(items)
        self.tried = 0
        self.asked: list[Future[bool]] = []
        self._fails, self._told, self._jobs = fails, told, jobs
        self._kind, self._bits, self._of_bits = kind, bits, of_bits
        self._until = time.monotonic() + seconds
        self._pool = ThreadPoolExecutor(jobs)

    def reduce(self) -> None:
        """Until nothing can be left out; :class:`Spent` if that takes too long."""
        try:
            self._first(self._ends())
            self._fewer(lambda one, _: one.player)
            self._fewer(lambda one, _: self._kind(one))
            self._fewer(lambda one, place: -one.behind or place)
            left = 0
            while True:
                self._fewer(lambda _, place: place)
                if len(self.best) == left:  # simpler items need as many
                    return
                left = len(self.best)
                self._simplify()
        finally:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _ends(self) -> Iterator[list[One]]:
        """The last items, as the very last may be to blame; as many of the first ones with them."""
        size = _STEP
        while 2 * size < len(self.best):
            yield self.best[-size:]
            yield [*self.best[:size], *self.best[-size:]]
            size *= _STEP

    def _first(self, some: Iterable[Sequence[One]]) -> int | None:
        """The number of the first of these that fails, which is the best then."""
        left = enumerate(some)
        asked: deque[tuple[int, Sequence[One], Future[bool]]] = deque()
        while True:
            if time.monotonic() > self._until:
                raise Spent
            while len(asked) < self._jobs and (following := next(left, None)):
                future = self._pool.submit(self._fails, following[1])
                asked.append((*following, future))
                self.asked = [*(one for one in self.asked if not one.done()), future]
            if not asked:
                return None
            number, items, future = asked.popleft()
            try:
                fails = future.result(max(0.0, self._until - time.monotonic()))
            except TimeoutError:
                raise Spent from None
            self.tried += 1
            if fails:
                for *_, other in asked:
                    other.cancel()
                self.best = list(items)
                self._told(self)
                return number

    def _fewer(self, key: Callable[[One, int], Any]) -> None:
        """Leave items out; those with the same ``key`` stay or go together."""
        keys = [key(one, place) for place, one in enumerate(self.best)]
        self._search(list(self.best), keys, list)

    def _simplify(self) -> None:
        """Clear fields of items, then bits of those that are left."""
        for field_only in (True, False):
            items = list(self.best)
            bits = [(place, bit) for place, one in enumerate(items) for bit in self._bits(one)]

            def made(some: Iterable[tuple[int, Any]], items: list[One] = items) -> list[One]:
                left: list[list[Any]] = [[] for _ in items]
                for place, bit in some:
                    left[place].append(bit)
                return list(map(self._of_bits, items, left))

            if self._first([made([])]) is not None:  # which delta debugging never tries
                return
            self._search(bits, [(p, bit[0] if field_only else bit) for p, bit in bits], made)

    def _search(
        self, some: Sequence[Any], keys: Sequence[Any], made: Callable[[list[Any]], list[One]]
    ) -> None:
        """Delta debugging over ``some``, of which items are ``made``; what has one key is one."""
        picire, first = _picire(), self._first
        groups: dict[Any, list[int]] = {}
        for place, key in enumerate(keys):
            groups.setdefault(key, []).append(place)

        def left(parts: Sequence[Sequence[Any]]) -> list[One]:
            places = sorted(place for part in parts for group in part for place in groups[group])
            return made([some[place] for place in places])

        class Search(picire.AbstractDD):  # type: ignore[misc,name-defined]
            """Asks what fails without one part, several at once.

            The last part goes first: what came last before a failure is likely to belong to it.
            """

            def _reduce_config(self, _run: int, parts: list[list[Any]], offset: float) -> Any:
                order = [int(offset - 1 - n) % len(parts) for n in range(len(parts))]
                others = ([*parts[:n], *parts[n + 1 :]] for n in order)
                found = first(map(left, others))
                if found is None:
                    return None, offset
                return [*parts[: order[found]], *parts[order[found] + 1 :]], order[found]

        Search(lambda *_: picire.Outcome.FAIL)(list(groups))


def _picire() -> Any:
    """Picire, which asks for its version in a way that setuptools no longer has."""
    stands_in: Any = SimpleNamespace(get_distribution=lambda _name: SimpleNamespace(version=""))
    ours = sys.modules.setdefault("pkg_resources", stands_in) is stands_in
    try:
        import picire
    finally:
        if ours:
            del sys.modules["pkg_resources"]
    return picire
