# SPDX-License-Identifier: Apache-2.0
"""What the columns of a table are drawn from.

    kind=choice(("plain", "packed", "tilize"), weights={"plain": 4, "packed": 2, "tilize": 1})
    begin=uniform(0, 4095)
    span=mix({0.6: choice((0, 1, 2, 4, 8, 16, 40)), 0.4: uniform(0, 64)})
    limit=column(lambda begin, span: begin + span)

Wherever a number stands (a bound, a share, a mean, all weights together), a function may stand: its
parameters are the names of columns that are drawn before, it gets their arrays, a row each, and
returns one. A parameter with a default is no column. Where a distribution is wanted, a number
stands for always this value, and a function for :func:`column`. ``shape``: of so many entries a
row, each drawn for itself.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.errors import few, there_are
from tilepath.engine.stimulus.tables.errors import TableError, share_text
from tilepath.engine.stimulus.tables.quick import Picked, Quick, places

Values: TypeAlias = NDArray[Any]
Columns: TypeAlias = Mapping[str, Values]
Shape: TypeAlias = int | tuple[int, ...]
Weights: TypeAlias = Mapping[Any, float]
Keep: TypeAlias = Callable[[Values], Values]

MOST_LISTED: Final = 1 << 20
"""Values of a distribution of so many can be listed, and conditioned on whatever is asked."""


class Function:
    """A function of columns, or a number."""

    def __init__(self, given: Any, needs: tuple[str, ...] | None = None) -> None:
        self.given = given
        taken = inspect.signature(given).parameters.values() if callable(given) else ()
        named = tuple(one.name for one in taken if one.default is one.empty)
        self.needs = named if needs is None else needs

    def __call__(self, columns: Columns) -> Any:
        """The number, or what the function makes of ``columns``."""
        if not callable(self.given):
            return self.given
        return np.asarray(self.given(*[columns[name] for name in self.needs]))

    def __str__(self) -> str:
        return f"by {', '.join(self.needs)}" if callable(self.given) else str(self.given)


class Distribution:
    """What a column is drawn from."""

    needs: tuple[str, ...] = ()
    """Columns that it depends on."""
    entries: tuple[int, ...] = ()
    """Of a row, each drawn for itself."""
    names: Mapping[str, Any] = {}
    """Names of values."""
    listed: tuple[Values, Values] | None = None
    """Values of one entry and their shares, if it depends on nothing and they are not too many."""
    legal = True
    """Whether it makes no faults."""

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """``count`` values of one entry; ``columns``: what is drawn already, as many rows of it."""
        raise NotImplementedError

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """``count`` rows."""
        if not self.entries:
            return self.one(rng, columns, count)
        each = math.prod(self.entries)
        if self.needs:
            columns = Picked(columns, np.arange(count * each) // each)
        values = self.one(rng, columns, count * each)
        return values.reshape(count, *self.entries, *values.shape[1:])

    def bound(self, columns: Mapping[str, Distribution]) -> Distribution:
        """Return it bound, now that names of values of other columns are known."""
        del columns
        return self

    def limited(self, keep: Keep) -> Distribution | None:
        """Conditioned on ``keep``; ``None`` where that takes a constraint."""
        if self.listed is None:
            return None
        values, shares = self.listed
        kept = keep(values) & (shares > 0)
        if not kept.any():
            raise TableError("it has no such value")
        return self.kept(values[kept], shares[kept])

    def kept(self, values: Values, shares: Values) -> Distribution:
        """Return the distribution with these values only."""
        return _Choice(values, shares, self.names, self.entries)

    def knob(self, value: Any) -> Distribution:
        """Return it with ``value`` for weights, share, range or mean, or :class:`TableError`."""
        raise TableError(f"{value!r}: there is nothing to set, it is {self}")

    def __str__(self) -> str:
        times = f" ({'×'.join(map(str, self.entries))} of them)" if self.entries else ""
        return self.text() + times

    def text(self) -> str:
        """Say in words what it is, without the number of entries."""
        raise NotImplementedError


class _Choice(Distribution):
    """One of ``values``, by weight; ``legal_names``: those that make no faults."""

    def __init__(
        self,
        values: Values,
        weights: Any,
        names: Mapping[str, Any],
        entries: tuple[int, ...] = (),
        legal_names: Sequence[str] | None = None,
    ) -> None:
        self.values, self.names, self.entries = values, names, entries
        self._legal_names = legal_names
        self._weights = Function(weights)
        self.needs = self._weights.needs
        self._codes = values.ndim == 1 and np.array_equal(values, np.arange(len(values)))
        if not callable(weights):
            if not ((weights >= 0).all() and 0 < weights.sum() < np.inf):
                raise TableError("weights must be positive in sum, none below 0")
            self.listed = values, weights / weights.sum()
            self._sums = np.cumsum(weights) / weights.sum()
            self._even = bool((weights == weights[0]).all())
            if legal_names is not None:
                self.legal = not weights[
                    ~np.isin(values, [names[one] for one in legal_names])
                ].any()

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        if self.listed is None:
            weights = np.broadcast_to(self._weights(columns), (count, len(self.values)))
            sums = np.cumsum(weights, 1)
            if not ((weights >= 0).all() and (sums[:, -1] > 0).all()):
                raise TableError("weights of a row must be positive in sum, none below 0")
            place = (rng.random((count, 1)) * sums[:, -1:] >= sums).sum(1)
        elif self._even:
            place = rng.integers(0, len(self.values), count)
        else:
            place = places(self._sums, rng.random(count))
        found: Values = place if self._codes else self.values[place]
        return found

    def knob(self, value: Any) -> Distribution:
        given: Weights = value if isinstance(value, Mapping) else {value: 1}
        weights = _weights(given, [_name_of(one, self.names) for one in self.values])
        return _Choice(self.values, weights, self.names, self.entries, self._legal_names)

    def text(self) -> str:
        texts = [_name_of(value, self.names) for value in self.values]
        if self.listed is None:
            return f"one of {few(texts)}, weights {self._weights}"
        if self._even:
            return f"one of {few(texts)}" if len(texts) > 1 else f"always {texts[0]}"
        shares = zip(texts, self.listed[1], strict=True)
        return few([f"{text} {share_text(share)}" for text, share in shares if share])


def _name_of(value: Any, names: Mapping[str, Any]) -> str:
    """A value in words."""
    plain = np.ndim(value) == 0
    for name, other in names.items():
        if value == other if plain else np.array_equal(value, other):
            return name
    return "/".join(map(str, value.tolist())) if np.ndim(value) else str(value)


def _weights(given: Weights, known: Sequence[str]) -> NDArray[np.float64]:
    """The weight of each of the options ``known``; 0 for what ``given`` leaves out."""
    found = np.zeros(len(known))
    for key, weight in given.items():
        name = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
        if name not in known:
            raise TableError(f"it has no {name!r}; {there_are(known, name)}")
        if not (isinstance(weight, int | float) and 0 <= weight < np.inf):
            raise TableError(f"weight {weight!r} of {name} is no number from 0 on")
        found[known.index(name)] = weight
    if not found.any():
        raise TableError("all weights are 0")
    return found


def choice(
    options: Sequence[Any] | Mapping[str, Any] | type[IntEnum],
    weights: Weights | Sequence[float] | Callable[..., Any] | None = None,
    *,
    shape: Shape = (),
    legal: Sequence[str] | None = None,
) -> Distribution:
    """One of ``options``, evenly or by weight.

    Options are names, which are drawn as their positions; numbers; tuples of as many numbers each,
    which make a column of so many entries; names with their values (a mapping, an ``IntEnum``).
    What stands there twice counts twice. ``weights``: by name or value, 0 for what is left out; a
    sequence, in order; or a function that returns an array of one more axis. ``legal``: with a
    weight for another name, faults can happen.
    """
    named: Mapping[str, Any] = {}
    if isinstance(options, Mapping):
        named = options
    elif isinstance(options, type):
        named = {one.name.lower(): int(one) for one in options}
    elif all(isinstance(one, str) for one in options):
        named = {name: position for position, name in enumerate(options)}
    given = np.asarray(list(named.values()) if named else list(options))
    if given.dtype.kind not in "iub" or given.ndim > 2:
        raise TableError("a choice of neither names nor numbers")
    values = given.astype(np.int64)
    found: Any = weights
    if not callable(weights):
        values, place = np.unique(values, axis=0, return_inverse=True)
        if isinstance(weights, Mapping):
            found = _weights(weights, [_name_of(one, named) for one in values])
        else:
            counts = np.ones(len(given)) if weights is None else np.asarray(weights, float)
            if counts.shape != (len(given),):
                raise TableError(f"{counts.size} weights for {len(given)} options")
            found = np.bincount(place.reshape(-1), counts, len(values))
    return _Choice(values, found, named, entries_of(shape), legal)


def entries_of(given: Shape) -> tuple[int, ...]:
    """A shape as a tuple."""
    return (given,) if isinstance(given, int) else given


class _Uniform(Distribution):
    """It draws from ``low`` to ``high``; ``within``: what may be asked for from outside."""

    def __init__(
        self, low: Any, high: Any, entries: tuple[int, ...], within: tuple[int, int] | None
    ) -> None:
        self._ends, self.entries, self._within = (Function(low), Function(high)), entries, within
        self.needs = self._ends[0].needs + self._ends[1].needs
        if callable(low) or callable(high):
            return
        if low > high:
            raise TableError(f"there is no number from {low} to {high}")
        if high - low < MOST_LISTED:
            values = np.arange(low, high + 1)
            self.listed = values, np.broadcast_to(1 / len(values), len(values))

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        low, high = self._ends[0](columns), self._ends[1](columns)
        if not self.needs and low == high:
            return np.full(count, low)
        if self.needs and not np.all(low <= high):
            raise TableError("there is no number between the bounds of a row")
        return rng.integers(low, high, count, endpoint=True)

    def kept(self, values: Values, shares: Values) -> Distribution:
        if values[-1] - values[0] >= len(values):
            return super().kept(values, shares)
        return _Uniform(int(values[0]), int(values[-1]), self.entries, self._within)

    def knob(self, value: Any) -> Distribution:
        ends = (value[0], value[-1]) if isinstance(value, range | tuple) and value else (value,) * 2
        if not all(isinstance(end, int) for end in ends):
            raise TableError(f"{value!r} is no number or range")
        least, most = self._within or (1, 0)
        if not least <= ends[0] <= ends[1] <= most:
            raise TableError(f"{_range(*ends)} is not within {_range(least, most)}")
        return _Uniform(*ends, self.entries, self._within)

    def text(self) -> str:
        return _range(*(end if end.needs else end.given for end in self._ends))


def _range(low: Any, high: Any) -> str:
    return f"{low}" if low == high else f"{low} … {high}"


def uniform(
    low: Any, high: Any = None, *, shape: Shape = (), within: range | int | None = None
) -> Distribution:
    """A whole number from ``low`` to ``high``, both included; without ``high`` always ``low``.

    ``within``: the range that may be asked for from outside, or the width of a field in bits; by
    default what stands here.
    """
    last = low if high is None else high
    limits = None if callable(low) or callable(last) else (low, last)
    if within is not None:
        limits = (0, (1 << within) - 1) if isinstance(within, int) else (within[0], within[-1])
    return _Uniform(low, last, entries_of(shape), limits)


class _Chance(Distribution):
    def __init__(self, share: Any, entries: tuple[int, ...], faulty: bool) -> None:
        self._share, self.entries, self._faulty = Function(share), entries, faulty
        self.needs = self._share.needs
        if not callable(share):
            if not (isinstance(share, int | float) and 0 <= share <= 1):
                raise TableError(f"{share!r} is not a share between 0 and 1")
            self.listed = np.array([False, True]), np.array([1 - share, share])
        self.legal = not (faulty and (callable(share) or share > 0))

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        share = self._share(columns)
        if isinstance(rng, Quick) and not self.needs and share in (0, 1):
            return np.full(count, bool(share))
        drawn: Values = rng.random(count) < share
        return drawn

    def kept(self, values: Values, shares: Values) -> Distribution:
        return self.knob(float(shares[values].sum() / shares.sum()))

    def knob(self, value: Any) -> Distribution:
        return _Chance(value, self.entries, self._faulty)

    def text(self) -> str:
        return f"yes {share_text(self.listed[1][1]) if self.listed else self._share}"


def chance(share: Any, *, shape: Shape = (), faulty: bool = False) -> Distribution:
    """True in ``share`` of all rows; ``faulty``: faults can happen where it is above 0."""
    return _Chance(share, entries_of(shape), faulty)


class _Pauses(Distribution):
    def __init__(self, mean: Any, most: int) -> None:
        self._mean, self._most = Function(mean), most
        self.needs = self._mean.needs
        if not callable(mean) and not (isinstance(mean, int | float) and 0 <= mean <= most):
            raise TableError(f"{mean!r} is not a mean from 0 to {most}")

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        drawn: Values = rng.geometric(1 / (self._mean(columns) + 1), count) - 1
        return np.minimum(drawn, self._most)

    def knob(self, value: Any) -> Distribution:
        return _Pauses(value, self._most)

    def text(self) -> str:
        return f"pauses, mean {self._mean}"


def pauses(mean: Any, *, most: int = 0xFFFF) -> Distribution:
    """0, 1, 2, …, each less often than the one before by the same factor, with this mean.

    What is above ``most`` becomes ``most``.
    """
    return _Pauses(mean, most)


class _Computed(Distribution):
    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = Function(function)
        self.needs = self._function.needs

    def one(self, _rng: np.random.Generator, columns: Columns, count: int) -> Values:
        found: Values = self._function(columns)
        if found.ndim == 0:
            return np.full(count, found)
        if len(found) != count:
            raise TableError(f"{len(found)} values for {count} rows")
        return found

    def text(self) -> str:
        return f"from {', '.join(self.needs)}"


def column(function: Callable[..., Any]) -> Distribution:
    """What ``function`` makes of the columns that its parameters name."""
    return _Computed(function)


def part(given: Any) -> Distribution:
    """A distribution, a number for always this one, or a function for :func:`column`."""
    if isinstance(given, Distribution):
        return given
    if callable(given):
        return column(given)
    if isinstance(given, bool):
        return chance(float(given))
    if isinstance(given, int | np.integer):
        return uniform(int(given))
    raise TableError(f"{given!r} is neither a distribution nor a number or a function")
