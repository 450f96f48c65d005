# SPDX-License-Identifier: Apache-2.0
"""Tables: what random stimulus is drawn from, a row each time.

    SETUP = Table(
        "setup",
        kind=choice(KINDS, weights={"plain": 4, "tilize": 1}),
        pair=choice(FORMAT_PAIRS),
        fits=require(lambda kind, pair: ~((kind == TILIZE) & (BITS[pair] < 8))),
        wrap=chance(0.35),
    )
    rows = SETUP.rows(rng, 1024)      # a structured array: rows["kind"]
    stream = SETUP.drawn(rng)         # rows one by one: next(stream).kind

**Meaning**: each column is drawn from what stands there, in their order; rows that break a
constraint are drawn again whole. So a table is the product of its columns, conditioned on its
constraints, and nothing else. Columns are whole numbers, yes or no, or what a function makes.
"""

from __future__ import annotations

import contextlib
from collections import namedtuple
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.records import record
from tilepath.engine.description.seeds import derive
from tilepath.engine.errors import there_are
from tilepath.engine.stimulus.tables.distributions import (
    Columns,
    Distribution,
    Function,
    Keep,
    Values,
    part,
)
from tilepath.engine.stimulus.tables.errors import TableError, share_text

BLOCK: Final = 1024
"""Rows that are drawn ahead at first."""
LONGEST_BLOCK: Final = 8192
"""Rows that are drawn ahead in a long run."""
SAMPLE: Final = 4096
"""Rows by which the shares are known that constraints refuse."""
_LONG_SAMPLE: Final = 100_000
_MOST_REFUSED: Final = 0.9
_FEWEST_KEPT: Final = 1e-3
_MOST_ROUNDS: Final = 20_000


def growing(length: int = BLOCK, longest: int = LONGEST_BLOCK) -> Iterator[int]:
    """Lengths of blocks: a short run draws little that it does not need, a long one is cheap."""
    longest = max(length, longest - longest % length)
    while True:
        yield length
        length = min(2 * length, longest)


@dataclass(frozen=True)
class Require:
    """A constraint. ``strict``: it may refuse no more than nine rows of ten."""

    function: Function
    strict: bool = True
    text: str = ""

    def holds(self, columns: Columns, count: int) -> Values:
        """Return which of ``count`` rows keep it."""
        return np.broadcast_to(self.function(columns), count).astype(bool)


def require(function: Callable[..., Any]) -> Require:
    """A constraint on the columns that the parameters name: true for the rows that it keeps."""
    return Require(Function(function))


class Table:
    """Columns and constraints by name, in their order; see the module."""

    def __init__(self, name: str, /, **lines: Any) -> None:
        """Each line a distribution, what stands for one (:func:`part`), or a constraint.

        :class:`TableError` for one that names no column, or one that is drawn behind it.
        """
        self.name = name
        self.columns: dict[str, Distribution] = {}
        self.constraints = {line: one for line, one in lines.items() if isinstance(one, Require)}
        self.aims: Mapping[str, tuple[str, ...]] = {}
        self._needed: dict[tuple[str, ...], tuple[str, ...]] = {}
        later = lines.keys() - self.constraints.keys()
        for line, given in lines.items():
            if line not in self.constraints:
                with self._told_of(line):
                    made = part(given)
                    self._check_needs(made.needs, later)
                    self.columns[line] = made.bound(self.columns)
        for line, constraint in self.constraints.items():
            with self._told_of(line):
                self._check_needs(constraint.function.needs, set())

    def _check_needs(self, needs: Collection[str], later: Collection[str]) -> None:
        for need in needs:
            if need not in self.columns:
                why = "it is drawn behind this" if need in later else there_are(self.columns, need)
                raise TableError(f"no column {need!r}: {why}")

    @contextlib.contextmanager
    def _told_of(self, line: str) -> Iterator[None]:
        try:
            yield
        except TableError as error:
            raise TableError(f"table {self.name}, {line}: {error}") from None

    # -- rows

    def rows(self, rng: np.random.Generator, count: int, **given: Any) -> Values:
        """``count`` rows, a structured array.

        ``given``: arrays of ``count`` values, for columns that depend on no others; the rows are
        drawn for these. :class:`TableError` for constraints that keep next to nothing.
        """
        made = np.zeros(count, self.dtype)
        kept = 1.0 if given or not self.constraints else self.refused[1]
        for name in given:
            if self._column(name).needs:
                raise TableError(f"table {self.name}: {name} depends on others, it is not given")
        fixed = {name: np.broadcast_to(values, count) for name, values in given.items()}
        left = np.arange(count)
        for _ in range(_MOST_ROUNDS):
            if not len(left):
                return made
            wanted = len(left) if kept == 1 else int(len(left) / kept * 1.05) + 8
            columns = self._draw(rng, wanted, {name: all_[left] for name, all_ in fixed.items()})
            if not self.constraints:
                for name, values in columns.items():
                    made[name] = values
                return made
            holds = np.flatnonzero(self._holds(columns, wanted))[: len(left)]
            # given rows keep their places; else any row is as good as another
            places = left[holds] if given else left[: len(holds)]
            for name, values in columns.items():
                made[name][places] = values[holds]
            left = np.delete(left, holds if given else slice(len(holds)))
        raise TableError(f"table {self.name}: no row for {dict(given)} keeps its constraints")

    def _draw(
        self, rng: np.random.Generator, count: int, given: Columns, names: Collection[str] = ()
    ) -> dict[str, Values]:
        """All columns, or those of ``names``."""
        columns: dict[str, Values] = dict(given)
        for name in names or self.columns:
            if name not in columns:
                try:
                    columns[name] = self.columns[name].draw(rng, columns, count)
                except TableError as error:
                    raise TableError(f"table {self.name}, {name}: {error}") from None
        return columns

    def some(
        self, rng: np.random.Generator, count: int, names: tuple[str, ...], **given: Any
    ) -> Any:
        """Columns ``names`` of :meth:`rows`, by name; others are drawn if something needs them."""
        if self.constraints:
            return self.rows(rng, count, **given)
        if names not in self._needed:
            needed = set(names)
            for name in reversed(self.columns):
                needed.update(self.columns[name].needs if name in needed else ())
            self._needed[names] = tuple(name for name in self.columns if name in needed)
        return self._draw(rng, count, given, self._needed[names])

    def _holds(self, columns: Columns, count: int) -> Values:
        """Return which rows keep all constraints."""
        each = [one.holds(columns, count) for one in self.constraints.values()]
        return np.logical_and.reduce(each) if each else np.ones(count, bool)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Return the rows' dtype: ``int64``, for yes or no ``bool``, as compiled code likes it."""
        kinds = {"b": np.bool_, "f": np.float64}
        sample = self._draw(derive(0, "sample"), 64, {}).items()
        return record(
            **{name: (kinds.get(one.dtype.kind, np.int64), one.shape[1:]) for name, one in sample}
        )

    @cached_property
    def row_type(self) -> Any:
        """Makes a named tuple of a row."""
        made: Any = namedtuple(self.name, list(self.columns))  # type: ignore[misc]  # not a literal
        return made._make

    def blocks(self, rng: np.random.Generator, count: int | None = None) -> Iterator[Values]:
        """Arrays of ``count`` rows without end; by default of more and more, as it is cheaper."""
        lengths = growing() if count is None else repeat(count)
        return (self.rows(rng, length) for length in lengths)

    def by_column(self, rng: np.random.Generator, first: int = BLOCK) -> Iterator[Any]:
        """The rows of :meth:`blocks`, to be asked for columns only: an array each, if it can be.

        ``first``: rows at first; later blocks are multiples of it.
        """
        return (self.some(rng, length, tuple(self.columns)) for length in growing(first))

    def drawn(self, rng: np.random.Generator, count: int | None = None) -> Iterator[Any]:
        """Rows one by one without end, as named tuples; drawn ahead, as :meth:`blocks` are."""
        return chain.from_iterable(self.tuples(rows) for rows in self.blocks(rng, count))

    def row(self, rng: np.random.Generator) -> Any:
        """One row, as a named tuple; many are cheaper from :meth:`drawn`."""
        return next(self.tuples(self.rows(rng, 1)))

    def tuples(self, rows: Values) -> Iterator[Any]:
        """Named tuples of rows of this table."""
        columns = [rows[name].tolist() for name in self.columns]
        return map(self.row_type, zip(*columns, strict=True))

    # -- constraints

    @cached_property
    def refused(self) -> tuple[dict[str, float], float]:
        """Return, of one fixed sample, the share each constraint refuses, and what all keep.

        :class:`TableError` for one that refuses more than nine rows of ten, for a contradiction,
        and for all together, if they keep less than one of a thousand.
        """
        rng = derive(0, "sample")
        counts = dict.fromkeys(self.constraints, 0)
        kept = drawn = 0
        while drawn < SAMPLE or (not kept and drawn < _LONG_SAMPLE):
            columns = self._draw(rng, SAMPLE, {})
            for name, one in self.constraints.items():
                counts[name] += SAMPLE - int(one.holds(columns, SAMPLE).sum())
            kept += int(self._holds(columns, SAMPLE).sum())
            drawn += SAMPLE
        shares = {name: count / drawn for name, count in counts.items()}
        if kept < _FEWEST_KEPT * drawn:
            blamed = [name for name, share in shares.items() if share == 1]
            blamed = blamed or [name for name, share in shares.items() if share]
            found = f"{kept} rows of {drawn:,} keep" if kept else f"no row of {drawn:,} keeps"
            raise TableError(f"table {self.name}: {found} {self._told(blamed)}")
        for name, share in shares.items():
            if share > _MOST_REFUSED and self.constraints[name].strict:
                raise TableError(
                    f"table {self.name}: {self._told([name])} refuses {share_text(share)} of rows: "
                    "let the columns be drawn so that it refuses nine of ten at most"
                )
        return shares, kept / drawn

    def _told(self, names: Collection[str]) -> str:
        texts = [self.constraints[name].text or name for name in names]
        return ("constraint " if len(texts) == 1 else "constraints ") + ", ".join(texts)

    # -- other tables made of this one

    def replaced(self, **lines: Any) -> Table:
        """Return it with other lines in place of those of the same names, and more behind them."""
        made = Table(self.name, **{**self.columns, **self.constraints, **lines})
        made.aims = self.aims
        return made

    def _column(self, name: str) -> Distribution:
        if name not in self.columns:
            raise TableError(
                f"table {self.name} has no column {name!r}; {there_are(self.columns, name)}"
            )
        return self.columns[name]

    def weighted(self, **knobs: Any) -> Table:
        """Return it with other weights, shares, ranges, means: each column is a knob of its name.

        A mapping of weights by name or value (0 for what is left out), a share, a ``range`` or a
        pair of bounds, a mean; as the column is. :class:`TableError` for what it does not take.
        """
        lines = {}
        for name, value in knobs.items():
            one = self._column(name)
            try:
                lines[name] = one.knob(value)
            except TableError as error:
                raise TableError(f"knob {name}: {error}") from None
        return self.replaced(**lines)

    def tilted(
        self, column: str, factors: tuple[float, ...], shift: int, but: Collection[str] = ()
    ) -> Table:
        """Return it with a column's weights times ``factors``, in turn from ``factors[shift]`` on.

        No name comes or goes, and what is in ``but`` keeps its weight.
        """
        one = self._column(column)
        assert one.listed is not None
        names = {value: name for name, value in one.names.items()}
        weights = {names[value]: share for value, share in zip(*one.listed, strict=True)}
        turns = (factors[(place + shift) % len(factors)] for place in range(len(weights)))
        tilted = zip(weights.items(), turns, strict=True)
        knob = {name: share * (1 if name in but else turn) for (name, share), turn in tilted}
        return self.weighted(**{column: knob})

    def narrowed(self, **limits: Any) -> Table:
        """Conditioned on more: a column has this value, one of these, or one in a ``range``.

        A value is a number, a name, a tuple. With a constraint for value: on that, too.
        """
        table = self
        for name, wanted in limits.items():
            if isinstance(wanted, Require):
                if name in table.columns or name in table.constraints:
                    raise TableError(f"table {self.name} has a line {name} already")
                table = table.replaced(**{name: wanted})
            else:
                table = table.limited(name, table._one_of(name, wanted), f"{name} in {wanted!r}")
        return table

    def _one_of(self, name: str, wanted: Any) -> Keep:
        names = self._column(name).names
        single = isinstance(wanted, str | int | np.integer)
        options = []
        for one in [wanted] if single else wanted:
            if isinstance(one, str) and one not in names:
                raise TableError(f"column {name} has no {one!r}; {there_are(names, one)}")
            options.append(names[one] if isinstance(one, str) else one)
        tuples = bool(options) and np.ndim(options[0]) > 0

        def keep(values: Values) -> Values:
            if tuples:
                values = (values[..., None, :] == np.asarray(options)).all(-1)
            return np.asarray(values.any(-1) if tuples else np.isin(values, options))

        return keep

    def limited(self, name: str, keep: Keep, text: str, strict: bool = True) -> Table:
        """Conditioned on ``keep`` of each entry of a column, in words ``text``."""
        one = self._column(name)
        with self._told_of(text):
            made = one.limited(keep)
        if made is not None:
            return self.replaced(**{name: made})

        def holds(values: Values) -> Values:
            found = keep(values)
            return np.asarray(found.reshape(len(found), -1).all(1))

        return self.constrained(Require(Function(holds, (name,)), strict, text))

    def constrained(self, constraint: Require) -> Table:
        """Return it with one more constraint."""
        return self.replaced(**{f"limit_{len(self.constraints)}": constraint})

    def aimed(self, **points: str | tuple[str, ...]) -> Table:
        """Return it with the names of the points of coverage that columns are there for."""
        given = {name: (one,) if isinstance(one, str) else one for name, one in points.items()}
        for name in given:
            self._column(name)
        made = self.replaced()
        made.aims = {**self.aims, **given}
        return made

    @property
    def legal(self) -> bool:
        """Whether no column makes faults."""
        return all(one.legal for one in self.columns.values())

    def __str__(self) -> str:
        shares, kept = self.refused
        lines = [f"table {self.name}, {len(self.columns)} columns"]
        if shares:
            lines[0] += f"; {len(shares)} constraints keep {share_text(kept)} of rows"
        wide = max(map(len, [*self.columns, *shares]))
        lines += [f"  {name:{wide}}  {one}" for name, one in self.columns.items()]
        for name, share in shares.items():
            one = self.constraints[name]
            told = one.text or f"of {', '.join(one.function.needs)}"
            lines.append(f"  {name:{wide}}  constraint {told}; refuses {share_text(share)}")
        return "\n".join(lines)
