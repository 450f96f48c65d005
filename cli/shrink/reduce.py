# SPDX-License-Identifier: Apache-2.0
"""Takes away what a failure does not need: items by delta debugging, then fields of those left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

from tilepath.cli.shrink.items import One

Fails = Callable[[Sequence[One]], bool]
"""Whether these items fail in the same way."""


class Spent(Exception):
    """The budget is."""


class Reduction:
    """The least found so far, ``best``, which fails as all items do.

    ``fails`` is asked of fewer items, or of simpler ones, until ``seconds`` are over; ``tried``
    is how often. ``told`` is called for each that is better.
    """

    def __init__(
        self,
        items: Sequence[One],
        fails: Fails,
        simpler: Callable[[One], Iterable[One]],
        seconds: float,
        told: Callable[[Reduction], None],
    ) -> None:
        self.best = list(items)
        self.tried = 0
        self._fails, self._simpler, self._told = fails, simpler, told
        self._until = time.monotonic() + seconds

    def reduce(self) -> None:
        """Until nothing can be left out; :class:`Spent` if that takes too long."""
        for player in sorted({one.player for one in self.best}):
            self._better([one for one in self.best if one.player != player])
        while True:
            before = list(self.best)
            self._fewer()
            self._simplify()
            if len(self.best) == len(before) or len(self.best) < 2:
                return

    def _better(self, items: Sequence[One]) -> bool:
        if time.monotonic() > self._until:
            raise Spent
        self.tried += 1
        if not items or not self._fails(items):
            return False
        self.best = list(items)
        self._told(self)
        return True

    def _fewer(self) -> None:
        """Delta debugging over the items."""
        picire = _picire()
        items = list(self.best)

        def test(places: Sequence[int], _id: object) -> Any:
            fewer = [items[place] for place in places]
            fails = len(places) == len(items) or self._better(fewer)
            return picire.Outcome.FAIL if fails else picire.Outcome.PASS

        # what came last before a failure is likely to belong to it
        back = picire.config_iterators.backward
        split = picire.config_splitters.ZellerSplit(n=2)
        search = picire.DD(test, split=split, subset_iterator=back, complement_iterator=back)
        if len(items) > 1:
            search(list(range(len(items))))

    def _simplify(self) -> None:
        """Each field of each item towards 0, again until none changes."""
        changed = True
        while changed:
            changed = False
            for place in range(len(self.best)):
                for other in self._simpler(self.best[place]):
                    if self._better([*self.best[:place], other, *self.best[place + 1 :]]):
                        changed = True
                        break


def _picire() -> Any:
    """Picire, which asks for its version in a way that setuptools no longer has."""
    if "pkg_resources" not in sys.modules:
        stands_in = ModuleType("pkg_resources")
        version = SimpleNamespace(version="")
        stands_in.get_distribution = lambda _name: version  # type: ignore[attr-defined]
        sys.modules["pkg_resources"] = stands_in
        try:
            import picire
        finally:
            del sys.modules["pkg_resources"]
    import picire

    return picire
