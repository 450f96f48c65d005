# SPDX-License-Identifier: Apache-2.0
"""A coverage plan: points and crosses as lines over the columns of an account.

An account is what a golden model leaves of what it did: a structured array for each kind of thing
that happened, a row each. A plan names bins over its columns once, and crosses them by name::

    WORD = CoveragePlan(
        "word",
        WORD_DTYPE,
        {
            "op": Bins("command", ("setadc", "setadcxy")),           # the number of the label
            "why": Bins({"target": "target == 0", "mask": "mask == 0"}),  # the first that holds
            "field": each(("first", "second")),                      # counted for both
            "value": Bins("operand[field]", tuple("01234567")),
        },
        (
            Point("fault.op_x_why", "A7", when="empty"),
            Point("instruction.op_x_field_x_value", "A5 A6"),
        ),
    )

A row counts in a point where its condition holds and each of its bins has a value: a row that is
in no bin counts nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from tilepath.engine.compiled.columns import column, leaves
from tilepath.engine.coverage.bins import Exclude, PointGroup
from tilepath.engine.coverage.expression import I64, Constant, Expression, Known, Names, Words

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Bins:
    """Bins over the rows of an account: an axis of points.

    ``where``: an expression whose value is the number of the label; or label → condition, and the
    first that holds is the bin; or nothing: the row counts once for each label, and other
    expressions have its number by the name of the bins.
    """

    where: str | Mapping[str, str] | None
    given: Labels = ()

    @property
    def labels(self) -> Labels:
        """Names of the bins."""
        return tuple(self.where) if isinstance(self.where, Mapping) else self.given

    def expression(self) -> str | None:
        """One expression for the number of the label; -1 is no bin."""
        if not isinstance(self.where, Mapping):
            return self.where
        chain = [f"{k} if {condition} else " for k, condition in enumerate(self.where.values())]
        return "".join(chain) + "-1"

    def told(self) -> str:
        """How a row's bin is found, for people."""
        if isinstance(self.where, Mapping):
            return "; ".join(f"{label}: {text}" for label, text in self.where.items())
        return "each" if self.where is None else self.where


def each(labels: Sequence[str]) -> Bins:
    """Bins of which each is counted."""
    return Bins(None, tuple(labels))


def yes(where: str) -> Bins:
    """Whether it is so."""
    return Bins(where, ("no", "yes"))


def numbers(count: int, prefix: str = "") -> Labels:
    """Labels: the numbers from 0 on, behind ``prefix``."""
    return tuple(f"{prefix}{n}" for n in range(count))


def among(value: str, *these: int | str, other: str = "") -> Bins:
    """A bin for each of these numbers, or ranges ``"2-7"`` of what is left; ``other``: the rest."""
    ends = {str(one): str(one).rpartition("-")[2] for one in these}
    found = {
        name: f"{value} == {end}" if name == end else f"{value} < {int(end) + 1}"
        for name, end in ends.items()
    }
    return Bins(found | ({other: "1"} if other else {}))


@dataclass(frozen=True)
class Point:
    """A point, or a cross of several bins.

    ``bins``: their names, between blanks; without, the name of the point tells them:
    ``order.first_x_second`` crosses ``first`` and ``second``. ``decisions``: what it is there for.
    ``times``: an expression for how often a row counts (of a row that stands for several cycles).
    ``exclude``: bins that do not count, with the reason.
    """

    name: str
    decisions: str
    bins: str = ""
    when: str = "1"
    exclude: tuple[Exclude, ...] = ()
    times: str = "1"

    @property
    def axes(self) -> Labels:
        """Names of the bins that it crosses."""
        return tuple(self.bins.split() or self.name.partition(".")[2].split("_x_"))


@dataclass(frozen=True)
class Kept:
    """A row from before: the last one for which ``where`` holds, of those alike in ``by``.

    ``by`` has values below ``most``. Before there is any, all columns are 0.
    """

    by: str = "0"
    most: int = 1
    where: str = "1"


@dataclass(frozen=True, eq=False)
class CoveragePlan:
    """Points over the account ``account``, whose rows have the fields of ``described``.

    ``constants``: names that expressions may use for numbers, or tuples of them; ``words``,
    ``derived``: columns that have fields, and further columns, as ``Known``. ``kept``: rows from
    before, by their names: ``cycle - fetched.cycle`` is how long that is ago. ``where``: what holds
    for rows that count at all. ``ValueError``, which names the point, for bins and columns that
    there are not, an exclusion without a reason or of nothing, and points without bins or declared
    twice.
    """

    account: str
    described: np.dtype[Any]
    bins: Mapping[str, Bins]
    points: tuple[Point, ...]
    constants: Names = field(default_factory=dict)
    words: Words = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, Kept] = field(default_factory=dict)
    where: str = "1"
    _made: dict[str, Expression] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Everything is looked at once."""
        if twice := set(self._counted) & set(self.columns):
            raise ValueError(f"account {self.account} has a column {', '.join(twice)} itself")
        assert self.group.size >= 0
        assert self.rows and all(map(self.keeps, self.kept))
        for point in self.points:
            try:
                self.condition(point)
                self.times(point)
                for name in point.axes:
                    self.index(name)
            except ValueError as error:
                raise ValueError(f"coverpoint {point.name}: {error}") from None

    @cached_property
    def columns(self) -> dict[str, int]:
        """Path of each column → number of elements; 0: it is a single value."""
        return {path: (*kind.shape, 0)[0] for path, (kind, _) in leaves(self.described).items()}

    @cached_property
    def group(self) -> PointGroup:
        """The points as counts."""
        group = PointGroup()
        for point in self.points:
            if unknown := [name for name in point.axes if name not in self.bins]:
                raise ValueError(f"coverpoint {point.name}: no bins {', '.join(unknown)}")
            if any(not rule.reason.strip() for rule in point.exclude):
                raise ValueError(f"coverpoint {point.name}: an exclusion without a reason")
            axes = [self.bins[name].labels for name in point.axes]
            group.add(point.name, *axes, exclude=point.exclude)
        return group

    def places(self, point: Point) -> dict[str, int]:
        """Bins of which each is counted, crossed or only asked for → how many there are."""
        texts = (
            point.when,
            point.times,
            *(self.bins[name].expression() or name for name in point.axes),
        )
        asked = {name for text in texts for name in self._expression(text).names}
        return {name: most for name, most in self._counted.items() if name in asked}

    def condition(self, point: Point, text: str = "") -> Expression:
        """Return where the point counts; ``text`` is a part of it."""
        return self._expression(text or point.when)

    def times(self, point: Point) -> Expression:
        """How often a row counts."""
        return self._expression(point.times)

    def index(self, name: str) -> Expression:
        """The number of the label of these bins."""
        return self._expression(self.bins[name].expression() or name)

    def _expression(self, text: str) -> Expression:
        if text not in self._made:
            known = Known(
                self.columns, self.constants, self._counted, self.words, self.derived, self.kept
            )
            self._made[text] = Expression(text, known)
        return self._made[text]

    @property
    def tables(self) -> set[str]:
        """Constants that expressions look up in."""
        return {name for one in self._made.values() for name in one.tables}

    @cached_property
    def _counted(self) -> dict[str, int]:
        return {name: len(one.labels) for name, one in self.bins.items() if one.where is None}

    def memory(self) -> Any:
        """The rows that are kept before there is any: of each of ``kept`` as many as it says."""
        return np.zeros(sum(one.most for one in self.kept.values()), self.described)

    @property
    def rows(self) -> Expression:
        """Which rows count at all."""
        return self._expression(self.where)

    def keeps(self, name: str) -> tuple[Expression, Expression]:
        """Which of the rows ``name`` a row may become, and whether it does."""
        one = self.kept[name]
        return self._expression(one.by), self._expression(one.where)

    def values(self, rows: Any, memory: Any = None) -> dict[str, I64]:
        """All columns of ``rows``, and of the rows kept; ``memory``: those, which it brings up."""
        memory = self.memory() if memory is None else memory
        found = _columns(rows, self.columns)
        own, first = dict(found), 0
        for name, one in self.kept.items():
            key, holds = (np.broadcast_to(of.values(own), len(rows)) for of in self.keeps(name))
            mine = memory[first : first + one.most]
            places = np.empty(len(rows), np.int64)
            whole = np.concatenate((mine, rows))
            for number in range(one.most):
                becomes = np.where((key % one.most == number) & (holds != 0), one.most, -len(rows))
                last = np.maximum.accumulate([number, *(becomes + np.arange(len(rows)))])
                places = np.where(key % one.most == number, last[:-1], places)
                mine[number] = whole[last[-1]]
            before = _columns(whole[places], self.columns)
            found |= {f"{name}.{path}": values for path, values in before.items()}
            first += one.most
        return found

    def plain(self, rows: Any, memory: Any = None) -> I64:
        """What the plan means: counts of ``rows``, in the order of ``group``."""
        columns = self.values(rows, memory)
        counts_at_all = self.rows.values(columns) != 0
        counts = np.zeros(self.group.size, np.int64)
        for point in self.points:
            declared = self.group.named[point.name]
            shape = tuple(map(len, declared.axes))
            for place in self._every_place(point):
                row = columns | place
                found = [counts_at_all, self.condition(point).values(row) != 0]
                numbers = [self.index(name).values(row) for name in point.axes]
                found += [(n >= 0) & (n < most) for n, most in zip(numbers, shape, strict=True)]
                times = self.times(point).values(row)
                whole = [np.broadcast_to(one, len(rows)) for one in (*found, times, *numbers)]
                counted = np.all(whole[: len(found)], axis=0)
                often, *chosen = (one[counted] for one in whole[len(found) :])
                np.add.at(counts, declared.base + np.ravel_multi_index(chosen, shape), often)
        return counts

    def _every_place(self, point: Point) -> Iterator[dict[str, int]]:
        places = self.places(point)
        for numbers in product(*map(range, places.values())):
            yield dict(zip(places, numbers, strict=True))


def _columns(rows: Any, paths: Iterable[str]) -> dict[str, I64]:
    return {path: np.asarray(column(rows, path)).astype(np.int64) for path in paths}


@dataclass(frozen=True)
class Planner:
    """Makes the plans of a block: rows of ``kinds``; what all may use, as :class:`CoveragePlan`.

    ``derived``: account → its further columns; ``kept``: account → its rows from before.

    Of ``bins`` a plan has those that its points name; its own come before them.
    """

    kinds: Mapping[str, np.dtype[Any]]
    constants: Names = field(default_factory=dict)
    bins: Mapping[str, Bins] = field(default_factory=dict)
    words: Words = field(default_factory=dict)
    derived: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    kept: Mapping[str, Mapping[str, Kept]] = field(default_factory=dict)
    rows: str = "1"

    def where(self, rows: str) -> Planner:
        """A planner of plans in which only the rows count for which this holds."""
        return replace(self, rows=rows)

    def __call__(
        self, account: str, bins: Mapping[str, Bins], *points: Point, **constants: Constant
    ) -> CoveragePlan:
        """A plan over rows of this kind; ``ValueError`` as :class:`CoveragePlan`."""
        named = {name for point in points for name in point.axes}
        shared = {name: one for name, one in self.bins.items() if name in named}
        numbers = {**self.constants, **constants}
        rows = self.kinds[account]
        every = {**shared, **bins}
        derived = self.derived.get(account, {})
        kept = self.kept.get(account, {})
        return CoveragePlan(
            account, rows, every, points, numbers, self.words, derived, kept, self.rows
        )
