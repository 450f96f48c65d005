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

from collections import namedtuple
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final

import numpy as np

from tilepath.models.records import record
from tilepath.sequences.kernel.tables.distributions import (
    Columns,
    Distribution,
    Function,
    Part,
    Uniform,
    Values,
    part,
)
from tilepath.sequences.kernel.tables.errors import TableError, share_text, there_are

BLOCK: Final = 1024
"""Rows that are drawn ahead."""
SAMPLE: Final = 4096
"""Rows by which the shares are known that constraints refuse."""
_LONG_SAMPLE: Final = 100_000
_MOST_REFUSED: Final = 0.9
_FEWEST_KEPT: Final = 1e-3


@dataclass(frozen=True)
class Require:
    """A constraint. ``strict``: it may refuse no more than nine rows of ten."""

    function: Function
    strict: bool = True
    text: str = ""

    def __str__(self) -> str:
        return self.text or f"of {', '.join(self.function.needs)}"


def require(function: Callable[..., Any]) -> Require:
    """A constraint on the columns that the parameters name: true for the rows that it keeps."""
    return Require(Function(function))


Line = Part | Require


@dataclass(frozen=True)
class Refused:
    """Of a sample without constraints: the share that each refuses, and the share that is kept."""

    shares: Mapping[str, float]
    kept: float


class Table:
    """Columns and constraints by name, in their order; see the module."""

    def __init__(self, name: str, /, **lines: Line) -> None:
        """:class:`TableError` for a line that names no column before it."""
        self.name = name
        self.columns: dict[str, Distribution] = {}
        self.constraints: dict[str, Require] = {}
        self.aims: Mapping[str, tuple[str, ...]] = {}
        for line, given in lines.items():
            if isinstance(given, Require):
                self.constraints[line] = given
                continue
            try:
                made = part(given)
                self._known(made.needs, lines)
                self.columns[line] = made.bound(self.columns)
            except TableError as error:
                raise self._error(line, error) from None
        for line, constraint in self.constraints.items():
            try:
                self._known(constraint.function.needs, lines)
            except TableError as error:
                raise self._error(line, error) from None

    def _known(self, needs: Collection[str], lines: Mapping[str, Line]) -> None:
        for need in needs:
            if need in self.columns:
                continue
            if need in lines and not isinstance(lines[need], Require):
                raise TableError(f"{need} is drawn after it")
            raise TableError(f"no column {need!r}; {there_are(self.columns, need)}")

    def _error(self, line: str, error: Exception) -> TableError:
        return TableError(f"table {self.name}, {line}: {error}")

    # -- rows

    def rows(self, rng: np.random.Generator, count: int, **given: Any) -> Values:
        """``count`` rows, a structured array.

        ``given``: arrays of ``count`` values, for columns that depend on no others; the rows are
        drawn for these. :class:`TableError` for constraints that keep next to nothing.
        """
        made = np.zeros(count, self.dtype)
        if given:
            self._rows_for(rng, made, given)
            return made
        kept = self.refused.kept if self.constraints else 1.0
        done = 0
        while done < count:
            wanted = count - done
            columns = self._draw(rng, wanted if kept == 1 else int(wanted / kept * 1.05) + 8, {})
            rows: Any = slice(None)
            if self.constraints:
                rows = np.flatnonzero(self._holds(columns))[:wanted]
                wanted = len(rows)
            for name, values in columns.items():
                made[name][done : done + wanted] = values[rows]
            done += wanted
        return made

    def _rows_for(self, rng: np.random.Generator, made: Values, given: Mapping[str, Any]) -> None:
        columns = {name: np.broadcast_to(values, len(made)) for name, values in given.items()}
        for name in columns:
            if self._column(name).needs:
                raise TableError(f"table {self.name}: {name} depends on others and cannot be given")
        left = np.arange(len(made))
        for _ in range(int(20 / _FEWEST_KEPT)):
            some = self._draw(rng, len(left), {name: all_[left] for name, all_ in columns.items()})
            holds = self._holds(some) if self.constraints else np.ones(len(left), bool)
            for name, values in some.items():
                made[name][left[holds]] = values[holds]
            left = left[~holds]
            if not len(left):
                return
        row = {name: values[left[0]] for name, values in columns.items()}
        raise TableError(f"table {self.name}: no row found for {row}")

    def _draw(self, rng: np.random.Generator, count: int, given: Columns) -> dict[str, Values]:
        columns: dict[str, Values] = {}
        for name, drawn_from in self.columns.items():
            if name in given:
                columns[name] = given[name]
                continue
            try:
                columns[name] = drawn_from.draw(rng, columns, count)
            except TableError as error:
                raise self._error(name, error) from None
        return columns

    def _holds(self, columns: Columns) -> Values:
        """Which rows keep all constraints."""
        constraints = iter(self.constraints.values())
        found = next(constraints).function(columns)
        for constraint in constraints:
            found = found & constraint.function(columns)
        return np.broadcast_to(found, len(next(iter(columns.values())))).astype(bool)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Of the rows: numbers are ``int64``, yes or no is ``bool``; as compiled code likes it."""
        sample = self._draw(np.random.default_rng(0), 64, {})
        kinds = {"b": np.bool_, "f": np.float64}
        return record(
            **{
                name: (kinds.get(values.dtype.kind, np.int64), values.shape[1:])
                for name, values in sample.items()
            }
        )

    @cached_property
    def row_type(self) -> Callable[[Any], Any]:
        """Makes a named tuple of a row."""
        return namedtuple(self.name, list(self.columns))._make  # type: ignore[misc]  # noqa: PYI024

    def blocks(self, rng: np.random.Generator, count: int = BLOCK) -> Iterator[Values]:
        """Arrays of ``count`` rows without end."""
        while True:
            yield self.rows(rng, count)

    def drawn(self, rng: np.random.Generator, count: int = BLOCK) -> Iterator[Any]:
        """Rows one by one without end, as named tuples; drawn ahead, ``count`` at a time."""
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
    def refused(self) -> Refused:
        """What constraints refuse of a sample, always the same.

        :class:`TableError` for one that refuses more than nine rows of ten; for all together, if
        they keep less than one of a thousand.
        """
        rng = np.random.default_rng(0)
        refused = dict.fromkeys(self.constraints, 0)
        kept = drawn = 0
        while drawn < SAMPLE or (not kept and drawn < _LONG_SAMPLE):
            columns = self._draw(rng, SAMPLE, {})
            for name, constraint in self.constraints.items():
                refused[name] += SAMPLE - np.count_nonzero(
                    np.broadcast_to(constraint.function(columns), SAMPLE)
                )
            kept += np.count_nonzero(self._holds(columns)) if self.constraints else SAMPLE
            drawn += SAMPLE
        shares = {name: count / drawn for name, count in refused.items()}
        all_refused = [name for name, share in shares.items() if share == 1]
        if not kept:
            blamed = all_refused or [name for name, share in shares.items() if share]
            raise TableError(
                f"table {self.name}: no row of {drawn:,} keeps {self._told(blamed)}"
            )
        for name, share in shares.items():
            if share > _MOST_REFUSED and self.constraints[name].strict:
                raise TableError(
                    f"table {self.name}: {self._told([name])} refuses {share_text(share)} of rows; "
                    "draw the columns so that it refuses nine of ten at most"
                )
        if kept / drawn < _FEWEST_KEPT:
            raise TableError(
                f"table {self.name}: {self._told(list(shares))} keeps {kept} rows of {drawn:,}: "
                "too few"
            )
        return Refused(shares, kept / drawn)

    def _told(self, names: Collection[str]) -> str:
        texts = [self.constraints[name].text or name for name in names]
        return ("constraint " if len(texts) == 1 else "constraints ") + ", ".join(texts)

    # -- other tables made of this one

    def _with(self, lines: Mapping[str, Line]) -> Table:
        ordered: dict[str, Line] = {**self.columns, **self.constraints}
        made = Table(self.name, **{**ordered, **lines})
        made.aims = self.aims
        return made

    def _column(self, name: str) -> Distribution:
        if name not in self.columns:
            raise TableError(f"table {self.name} has no column {name!r}; {there_are(self.columns, name)}")
        return self.columns[name]

    def replaced(self, **lines: Line) -> Table:
        """With other lines in place of those of the same names, and more behind them."""
        return self._with(lines)

    def weighted(self, **knobs: Any) -> Table:
        """With other weights, shares, ranges, means: each column is a knob of its name.

        A mapping of weights by name or value (0 for what is left out), a share, a ``range`` or a
        pair of bounds, a mean; as the column is. :class:`TableError` for what it does not take.
        """
        lines: dict[str, Line] = {}
        for name, value in knobs.items():
            try:
                lines[name] = self._column(name).knob(value)
            except TableError as error:
                raise TableError(f"knob {name}: {error}") from None
        return self._with(lines)

    def narrowed(self, **limits: Any) -> Table:
        """Conditioned on more: a column has this value, one of these, or one in a ``range``.

        A value is a number or a name. With :func:`require` for value, it is one more constraint.
        """
        table = self
        for name, wanted in limits.items():
            if isinstance(wanted, Require):
                if name in table.columns or name in table.constraints:
                    raise TableError(f"table {self.name} has a line {name} already")
                table = table._with({name: wanted})
                continue
            one = table._column(name)
            if isinstance(one, Uniform) and isinstance(wanted, range) and wanted.step == 1:
                try:
                    made = one.between(wanted.start, wanted.stop - 1)
                except TableError as error:
                    raise self._error(name, error) from None
                if made is not None:
                    table = table._with({name: made})
                    continue
            table = table.limited(name, table._test(name, wanted), f"{name} in {wanted!r}")
        return table

    def _test(self, name: str, wanted: Any) -> Callable[[Values], Values]:
        names = self.columns[name].names

        def value(one: Any) -> Any:
            if isinstance(one, str) and one not in names:
                raise TableError(f"column {name} has no {one!r}; {there_are(names, one)}")
            return names[one] if isinstance(one, str) else one

        single = isinstance(wanted, str | int | np.integer)
        pair = isinstance(wanted, tuple) and bool(self.columns[name].shape)
        options = np.asarray([value(one) for one in ([wanted] if single or pair else wanted)])

        def keep(values: Values) -> Values:
            if options.ndim == 1:
                return np.isin(values, options)
            found: Values = (values[..., None, :] == options).all(-1).any(-1)
            return found

        return keep

    def limited(
        self, name: str, keep: Callable[[Values], Values], text: str, strict: bool = True
    ) -> Table:
        """Conditioned on ``keep`` of the values of a column, in words ``text``."""
        one = self._column(name)
        try:
            made = None if one.needs else one.limited(keep)
        except TableError as error:
            raise TableError(f"table {self.name}, {text}: {error}") from None
        if made is not None:
            return self._with({name: made})

        def whole(values: Values) -> Values:
            found = keep(values)
            return found.reshape(len(found), -1).all(1)

        function = Function(whole)
        function.needs = (name,)
        return self.constrained(Require(function, strict, text))

    def constrained(self, constraint: Require) -> Table:
        """With one more constraint, which has no name."""
        return self._with({f"limit_{len(self.constraints)}": constraint})

    def aimed(self, **points: str | tuple[str, ...]) -> Table:
        """The same, with the names of the coverage points that a column is there for."""
        for name in points:
            self._column(name)
        made = self._with({})
        made.aims = {**self.aims, **{n: (p,) if isinstance(p, str) else p for n, p in points.items()}}
        return made

    @property
    def legal(self) -> bool:
        """Whether no column makes faults."""
        return all(one.legal for one in self.columns.values())

    def texts(self, name: str) -> dict[Any, str]:
        """Value → name, of a column whose values have names."""
        return {
            tuple(value) if isinstance(value, tuple) else int(value): text
            for text, value in self._column(name).names.items()
        }

    def __str__(self) -> str:
        head = f"table {self.name}: {len(self.columns)} columns"
        if self.constraints:
            found = self.refused
            head += f", {len(self.constraints)} constraints keep {share_text(found.kept)} of rows"
        wide = max(map(len, [*self.columns, *self.constraints]))
        lines = [f"  {name:{wide}}  {one}" for name, one in self.columns.items()]
        for name, constraint in self.constraints.items():
            share = share_text(self.refused.shares[name])
            lines.append(f"  {name:{wide}}  constraint {constraint}, refuses {share}")
        return "\n".join([head, *lines])
