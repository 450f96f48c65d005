# SPDX-License-Identifier: Apache-2.0
"""What a test is: a name, and for each player a stream of arrays of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol, Self, runtime_checkable

import numpy as np

from tilepath.engine.description.block import Untimed
from tilepath.engine.description.given import checked
from tilepath.engine.description.player import Items
from tilepath.engine.description.seeds import derive

Stimulus = Mapping[str, Iterable[Items]]

ANY: Final = ("*",)
"""``TestSpec.faults`` of a test that may raise every fault."""

FLOOR_CYCLES: Final = 10_000
FLOOR_PART: Final = 8
_START: Final = 1_000
_STANDS: Final = r"item \d+ stands for \d+ cycles"


@runtime_checkable
class TestTables(Protocol):
    """The tables that a test draws from, by name (``engine/stimulus/tables``)."""

    def get(self, name: str, /) -> Any:
        """One of them, or ``None``."""

    def adjusted(self, knobs: Sequence[str], where: str = "") -> Self:
        """Return tables with knobs (``column=value``) and a condition, or ``ValueError``."""


@dataclass(frozen=True)
class Context:
    """What a test's stimulus may depend on. ``cycles`` is the length of an endless test.

    ``knobs``, ``where``: what is asked of the test's tables, ``tables``, which have it already.
    """

    block: str
    test: str
    seed: int
    profile: str
    cycles: int
    knobs: tuple[str, ...] = ()
    where: str = ""
    tables: TestTables | None = None

    def table(self, name: str) -> Any:
        """A table of the test, with what was asked of it; ``None`` if it has none of the name."""
        return self.tables.get(name) if self.tables is not None else None

    def with_tables(self, tables: TestTables) -> Context:
        """Return it with ``tables``, adjusted as asked, unless it has some."""
        if self.tables is not None:
            return self
        asked = self.knobs or self.where
        return replace(self, tables=tables.adjusted(self.knobs, self.where) if asked else tables)

    def rng(self, stream: str) -> np.random.Generator:
        """A generator of its own for each named stream of draws."""
        return derive(self.seed, self.block, self.test, stream)


@checked(lambda: {"seeds": 100_000})
@dataclass(frozen=True)
class TestSpec:
    """One test of a block.

    ``stimulus`` maps player instances to iterables of item arrays (n × words, uint32); a player
    left out is exhausted from the start. With ``endless`` the iterables never stop and the run
    lasts ``Context.cycles``; otherwise it lasts until every essential player is exhausted and
    nothing happens any more, or, if ``cut``, for ``Context.cycles`` at most: then it is not over.

    ``floor``: stream → fewest events that must be seen of all its instances together, of which
    each must have at least a ``FLOOR_PART``-th of its share; or one instance (``t0.issue``) →
    fewest of that one. In an endless test: in ``FLOOR_CYCLES`` cycles (see :func:`scaled_floor`).
    ``faults``: names of the faults that the
    test may raise, or patterns of them (``*``: anything); any other fault fails it. ``leaves``:
    regular expressions of what may be left waiting at the end, searched in the lines in which the
    check tells it; anything else fails the test. ``untimed``: whether the model without time, which
    executes each word to its end before the next, must come to the same state; not where the test
    is about words that overtake each other. Or what makes that model for this test, of a profile.

    ``stands``: of a finite test that is to stand still for ever, because what it waits for does
    not come: regular expressions that a prediction, made without the DUT, gives for what is left
    then. Each line of it must be found by one of them, and each of them must find one. Nothing by
    default: the test must finish.

    ``tried``: its stimulus is made once before anything is built, so that what is wrong at its
    beginning is told at once.

    ``known``: seeds that come before all others, because of what they reach; ``cycles``: how long
    an endless test lasts where nobody says.

    ``labels``: words by which the test can be chosen on the command line, beside its own ``tags``.
    ``tables``: what its stimulus is drawn from, ``Context.table``, as this test draws it. ``slow``:
    what to say of a run that stands still, see ``drawn_as``.
    """

    __test__ = False  # not a pytest class

    name: str
    summary: str
    kind: Literal["random", "directed", "program"]
    stimulus: Callable[[Context], Stimulus]
    endless: bool = False
    cut: bool = False
    seeds: int = 1
    floor: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    untimed: bool | Callable[[str], Untimed] = True
    stands: Callable[[Context], tuple[str, ...]] = lambda _context: ()
    labels: tuple[str, ...] = ()
    tried: bool = False
    tables: TestTables | None = None
    slow: str = ""
    known: tuple[int, ...] = ()
    cycles: int | None = None

    def __post_init__(self) -> None:
        if (tables := self.tables) is not None:
            made = self.stimulus

            def drawn(ctx: Context) -> Stimulus:
                return made(ctx.with_tables(tables))

            object.__setattr__(self, "stimulus", drawn)

    def drawn_as(self, context: Context) -> TestSpec:
        """The test of a run of which something else is asked than this test says.

        No floor holds then, and an item may stand for long, as behind an L1 that is made slow. That
        nothing at all is compared, or that nothing at all goes on, fails every run.
        """
        if not (context.knobs or context.where):
            return self
        asked = [f"--knob {knob}" for knob in context.knobs]
        asked += [f"--where {context.where!r}"] if context.where else []
        slow = f"its tables were asked for {' '.join(asked)}: what is only slow by that looks like "
        slow += "a hang, which is a limit of this check (docs/red-runs.md)"
        return replace(self, floor={}, leaves=(*self.leaves, _STANDS), slow=slow)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its kind, ``endless`` or ``finite``, ``faults`` if it may raise any, and its labels."""
        length = "endless" if self.endless else "finite"
        raises = ("faults",) if self.faults else ()
        return (self.kind, length, *raises, *self.labels)


def scaled_floor(spec: TestSpec, cycles: int) -> dict[str, int]:
    """The floor of a run of ``cycles`` cycles; an endless test's grows with its length."""
    if not spec.endless:
        return dict(spec.floor)
    return {
        name: least.asked(cycles)
        if isinstance(least, Floor)
        else max(1, int(_grown(least, cycles)))
        for name, least in spec.floor.items()
    }


class Floor(int):
    """What a run of ``FLOOR_CYCLES`` cycles of an endless test must have, as it was measured.

    ``most``: the floor if chance left it all. ``root``: mean of the roots of the counts; ``away``:
    how far below it chance may bring one. That is as far in a shorter run, and little more in a
    longer one.
    """

    most: int
    root: float
    away: float

    def __new__(cls, most: int, root: float, away: float) -> Self:
        """Make a floor of what a run of ``FLOOR_CYCLES`` cycles must have."""
        chance = max(0.0, root - away) ** 2
        self = super().__new__(cls, min(_grown(most, FLOOR_CYCLES), chance))
        self.most, self.root, self.away = most, root, away
        return self

    def asked(self, cycles: int) -> int:
        """What a run of ``cycles`` cycles must have: in a short one chance weighs more."""
        times = cycles / FLOOR_CYCLES
        root = self.root * times**0.5 - self.away * max(1.0, times) ** 0.25
        return int(min(_grown(self.most, cycles), max(0.0, root) ** 2))


def _grown(least: int, cycles: int) -> float:
    """Return ``least`` in proportion to the cycles behind the first ``_START``, which set up."""
    return least * max(0, cycles - _START) / FLOOR_CYCLES
