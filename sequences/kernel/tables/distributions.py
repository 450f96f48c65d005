# SPDX-License-Identifier: Apache-2.0
"""What the columns of a table are drawn from.

    kind=choice(("plain", "packed", "tilize"), weights={"plain": 4, "packed": 2, "tilize": 1})
    wrap=chance(0.35)
    begin=uniform(0, 4095)
    span=mix({0.6: choice((0, 1, 2, 4, 8, 16, 40)), 0.4: uniform(0, 64)})
    limit=column(lambda wrap, begin, span: np.where(wrap, begin + span, NO_LIMIT))

Wherever a number stands here (a bound, a share, a mean, all weights together) a function may stand,
whose parameters are the names of columns that are drawn before: it gets their arrays, a row each,
and returns one. A parameter with a default is no column. Where a distribution is wanted, a number
stands for always this value, and a function for :func:`column`.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilepath.sequences.kernel.tables.errors import TableError, share_text, there_are

Values: TypeAlias = NDArray[Any]
Columns: TypeAlias = Mapping[str, Values]
Shape: TypeAlias = int | tuple[int, ...]
Weights: TypeAlias = Mapping[Any, float]
Number: TypeAlias = float | Callable[..., Any]
Finite: TypeAlias = tuple[Values, NDArray[np.float64]]

MOST_VALUES: Final = 1 << 16
"""A distribution of so many values can be narrowed to any of them."""


class Function:
    """A function of columns: its parameters are their names."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call
        taken = inspect.signature(call).parameters.values()
        self.needs = tuple(one.name for one in taken if one.default is one.empty)

    def __call__(self, columns: Columns) -> Values:
        return np.asarray(self.call(*[columns[name] for name in self.needs]))


def _number(given: Number) -> float | Function:
    return Function(given) if callable(given) else given


def _spread(number: float | Function, columns: Columns, axes: int) -> Any:
    """The number, of each row where it is a function, ready for ``axes`` more axes."""
    if not isinstance(number, Function):
        return number
    found = number(columns)
    return found.reshape(found.shape + (1,) * axes) if found.ndim else found


def _shape(given: Shape) -> tuple[int, ...]:
    return (given,) if isinstance(given, int) else given


class Distribution(ABC):
    """What a column is drawn from."""

    names: Mapping[str, Any] = {}
    """Names of values, where they have names."""
    legal_names: tuple[str, ...] | None = None
    entry_shape: tuple[int, ...] = ()
    """Entries of a row that are drawn one by one."""

    @property
    @abstractmethod
    def needs(self) -> tuple[str, ...]:
        """The columns that it depends on."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """``count`` values; ``columns``: what is drawn already, as many rows of it."""

    @abstractmethod
    def __str__(self) -> str:
        """In words, for people."""

    def bound(self, columns: Mapping[str, Distribution]) -> Distribution:
        """The same where the names of values of other columns are known."""
        del columns
        return self

    def finite(self) -> Finite | None:
        """Values and their shares, if they can be listed: of one entry, where it has a shape."""
        return None

    def limited(self, keep: Callable[[Values], Values]) -> Distribution | None:
        """Conditioned on ``keep``; ``None`` where that takes a constraint."""
        found = self.finite()
        if found is None:
            return None
        values, shares = found
        kept = keep(values) & (shares > 0)
        if not kept.any():
            raise TableError("it has no such value")
        left = values[kept]
        return Choice(left, shares[kept], self.names, self.entry_shape, self.legal_names, left)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one row."""
        return self.entry_shape

    def knob(self, value: Any) -> Distribution:
        """With ``value`` for its weights, share, range or mean; :class:`TableError`."""
        raise TableError(f"it is {self}: there is nothing to set")

    @property
    def legal(self) -> bool:
        """Whether it makes no faults."""
        return True


@dataclass(frozen=True)
class Choice(Distribution):
    """One of ``values``, by weight; ``all_values``: what may have a weight."""

    values: Values
    weights: NDArray[np.float64] | Function
    names: Mapping[str, Any] = field(default_factory=dict)
    entry_shape: tuple[int, ...] = ()
    legal_names: tuple[str, ...] | None = None
    all_values: Values | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Function):
            if not (self.weights >= 0).all() or not 0 < self.weights.sum() < np.inf:
                raise TableError("weights must be positive in sum, none below 0")
            sums = np.cumsum(self.weights)
            object.__setattr__(self, "_sums", sums / sums[-1])
            even = len(set(self.weights.tolist())) == 1
            object.__setattr__(self, "_even", even)
        codes = self.values.ndim == 1 and np.array_equal(self.values, np.arange(len(self.values)))
        object.__setattr__(self, "_codes", codes)

    _sums: NDArray[np.float64] = field(init=False, repr=False)
    _even: bool = field(init=False, repr=False)
    _codes: bool = field(init=False, repr=False)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the weights depend on."""
        return self.weights.needs if isinstance(self.weights, Function) else ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one row: entries, then those of a value."""
        return self.entry_shape + self.values.shape[1:]

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """As :class:`Distribution`."""
        wanted = (count, *self.entry_shape)
        if isinstance(self.weights, Function):
            sums = np.cumsum(np.broadcast_to(self.weights(columns), (count, len(self.values))), 1)
            if not (sums[:, -1] > 0).all():
                raise TableError("the weights of a row are all 0")
            sums = sums.reshape(count, *(1,) * len(self.entry_shape), -1)
            place = ((rng.random(wanted)[..., None] * sums[..., -1:]) >= sums).sum(-1)
        elif self._even:
            place = rng.integers(0, len(self.values), wanted)
        else:
            place = self._sums.searchsorted(rng.random(wanted), "right")
        return place if self._codes else self.values[place]

    def finite(self) -> Finite | None:
        """As :class:`Distribution`."""
        if isinstance(self.weights, Function):
            return None
        return self.values, self.weights / self.weights.sum()

    def knob(self, value: Any) -> Distribution:
        """Other weights: by name, or by value; 0 for what is left out."""
        given: Weights = value if isinstance(value, Mapping) else {value: 1.0}
        options = self.values if self.all_values is None else self.all_values
        return replace(
            self, values=options, all_values=options,
            weights=_weights(given, options, self.names),
        )  # fmt: skip

    @property
    def legal(self) -> bool:
        """Whether no name but legal ones has a weight."""
        if self.legal_names is None or isinstance(self.weights, Function):
            return True
        fine = [self.names[name] for name in self.legal_names]
        return not self.weights[~np.isin(self.values, fine)].any()

    def __str__(self) -> str:
        texts = [_name_of(value, self.names) for value in self.values]
        if isinstance(self.weights, Function):
            return f"one of {_few(texts)}, weights by {', '.join(self.weights.needs)}"
        if self._even:
            return f"one of {_few(texts)}" if len(texts) > 1 else f"always {texts[0]}"
        parts = zip(texts, self.weights / self.weights.sum(), strict=True)
        return _few([f"{text} {share_text(share)}" for text, share in parts if share])


def _name_of(value: Any, names: Mapping[str, Any]) -> str:
    for name, other in names.items():
        if np.array_equal(value, other):
            return name
    return "/".join(map(str, value.tolist())) if np.ndim(value) else str(value)


def _few(texts: Sequence[str], most: int = 12) -> str:
    more = f" … ({len(texts)} in all)" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def _weights(given: Weights, values: Values, names: Mapping[str, Any]) -> NDArray[np.float64]:
    """The weight of each of ``values``."""
    known = [_name_of(value, names) for value in values]
    found = np.zeros(len(values))
    for key, weight in given.items():
        name = key if isinstance(key, str) else _name_of(np.asarray(key), names)
        if name not in known:
            raise TableError(f"it has no {name!r}; {there_are(known, name)}")
        if not (isinstance(weight, int | float) and 0 <= weight < np.inf):
            raise TableError(f"weight {weight} of {name} is no number from 0 on")
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
) -> Choice:
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
    given = list(named.values()) if named else list(options)
    if not given:
        raise TableError("a choice of nothing")
    values = np.asarray(given)
    if values.dtype.kind not in "iub" or values.ndim > 2:
        raise TableError("a choice of neither names nor numbers")
    values = values.astype(np.int64)
    if callable(weights):
        ordered: NDArray[np.float64] | Function = Function(weights)
    else:
        values, place = np.unique(values, axis=0, return_inverse=True)
        if isinstance(weights, Mapping):
            ordered = _weights(weights, values, named)
        else:
            one = np.ones(len(given)) if weights is None else np.asarray(weights, float)
            if one.shape != (len(given),):
                raise TableError(f"{one.size} weights for {len(given)} options")
            ordered = np.bincount(place.reshape(-1), one, len(values))
    return Choice(values, ordered, named, _shape(shape), tuple(legal) if legal else None, values)


@dataclass(frozen=True)
class Uniform(Distribution):
    """A whole number from ``low`` to ``high``, both included."""

    low: float | Function
    high: float | Function
    entry_shape: tuple[int, ...] = ()
    within: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if not self.needs and self.low > self.high:  # type: ignore[operator]
            raise TableError(f"there is no number from {self.low} to {self.high}")

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the bounds depend on."""
        ends = (self.low, self.high)
        return tuple(name for end in ends if isinstance(end, Function) for name in end.needs)

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """As :class:`Distribution`."""
        axes = len(self.entry_shape)
        low, high = _spread(self.low, columns, axes), _spread(self.high, columns, axes)
        if self.needs and not np.all(low <= high):
            raise TableError("there is no number between the bounds of a row")
        return rng.integers(low, high, (count, *self.entry_shape), endpoint=True)

    def finite(self) -> Finite | None:
        """As :class:`Distribution`."""
        if self.needs or self.high - self.low >= MOST_VALUES:  # type: ignore[operator]
            return None
        values = np.arange(int(self.low), int(self.high) + 1)  # type: ignore[arg-type]
        return values, np.full(len(values), 1 / len(values))

    def limited(self, keep: Callable[[Values], Values]) -> Distribution | None:
        """As :class:`Distribution`: again a range, if there are no gaps."""
        made = super().limited(keep)
        if not isinstance(made, Choice) or np.ptp(made.values) >= len(made.values):
            return made
        return replace(self, low=int(made.values[0]), high=int(made.values[-1]))

    def between(self, least: int, most: int) -> Distribution | None:
        """Conditioned on a range, however large it is."""
        if self.needs:
            return None
        low, high = max(int(self.low), least), min(int(self.high), most)  # type: ignore[arg-type]
        if low > high:
            raise TableError("it has no such value")
        return replace(self, low=low, high=high)

    def knob(self, value: Any) -> Distribution:
        """Another range: a ``range``, a pair of bounds, or one number."""
        if isinstance(value, range) and value.step == 1 and value:
            value = (value[0], value[-1])
        ends = value if isinstance(value, tuple) else (value, value)
        if len(ends) != 2 or not all(isinstance(end, int | np.integer) for end in ends):
            raise TableError(f"{value!r} is no number or range")
        if self.within is None:
            raise TableError(f"it is {self}: its bounds are not to be set")
        least, most = self.within
        if not least <= ends[0] <= ends[1] <= most:
            raise TableError(f"{_range(*ends)} is not within {_range(least, most)}")
        return replace(self, low=int(ends[0]), high=int(ends[1]))

    def __str__(self) -> str:
        times = f", {_times(self.entry_shape)}" if self.entry_shape else ""
        if self.needs:
            return f"a number between bounds by {', '.join(dict.fromkeys(self.needs))}{times}"
        return f"{_range(self.low, self.high)}{times}"


def _times(shape: tuple[int, ...]) -> str:
    return f"{'×'.join(map(str, shape))} of them"


def _range(low: Any, high: Any) -> str:
    return f"{low}" if low == high else f"{low} … {high}"


def uniform(
    low: Number, high: Number | None = None, *, shape: Shape = (), within: Any = None
) -> Uniform:
    """A whole number from ``low`` to ``high``, both included; without ``high`` always ``low``.

    ``within``: the range that may be asked for from outside, a ``range`` or a pair, or the width of
    a field in bits; by default what stands here.
    """
    first = _number(low)
    last = first if high is None else _number(high)
    limits: tuple[int, int] | None = None
    if isinstance(within, int):
        limits = (0, (1 << within) - 1)
    elif within is not None:
        limits = (within[0], within[-1])
    elif not isinstance(first, Function) and not isinstance(last, Function):
        limits = (int(first), int(last))
    return Uniform(first, last, _shape(shape), limits)


@dataclass(frozen=True)
class Chance(Distribution):
    """True in ``share`` of all rows."""

    share: float | Function
    entry_shape: tuple[int, ...] = ()
    faulty: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.share, Function) and not 0 <= self.share <= 1:
            raise TableError(f"{self.share} is not a share between 0 and 1")

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the share depends on."""
        return self.share.needs if isinstance(self.share, Function) else ()

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """As :class:`Distribution`."""
        drawn: Values = rng.random((count, *self.entry_shape))
        return drawn < _spread(self.share, columns, len(self.entry_shape))

    def finite(self) -> Finite | None:
        """As :class:`Distribution`."""
        if isinstance(self.share, Function):
            return None
        return np.array([False, True]), np.array([1 - self.share, self.share])

    def limited(self, keep: Callable[[Values], Values]) -> Distribution | None:
        """As :class:`Distribution`: a chance of 0 or 1, or the same."""
        made = super().limited(keep)
        if made is None:
            return None
        left = made.finite()
        assert left is not None
        return replace(self, share=float(left[1][left[0] == 1].sum()))

    def knob(self, value: Any) -> Distribution:
        """Another share."""
        if not isinstance(value, int | float) or not 0 <= value <= 1:
            raise TableError(f"{value!r} is not a share between 0 and 1")
        return replace(self, share=float(value))

    @property
    def legal(self) -> bool:
        """Whether it never happens, or does not matter."""
        return not (self.faulty and self.share != 0)

    def __str__(self) -> str:
        if isinstance(self.share, Function):
            return f"yes or no, share by {', '.join(self.share.needs)}"
        return f"yes {share_text(self.share)}"


def chance(share: Number, *, shape: Shape = (), faulty: bool = False) -> Chance:
    """True in ``share`` of all rows; ``faulty``: faults can happen where it is above 0."""
    return Chance(_number(share), _shape(shape), faulty)


@dataclass(frozen=True)
class Pauses(Distribution):
    """0, 1, 2, … with the mean ``mean``, each less often by the same factor; ``most`` at most."""

    mean: float | Function
    most: int = 0xFFFF

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the mean depends on."""
        return self.mean.needs if isinstance(self.mean, Function) else ()

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """As :class:`Distribution`."""
        mean = _spread(self.mean, columns, 0)
        return np.minimum(rng.geometric(1 / (mean + 1), count) - 1, self.most)

    def knob(self, value: Any) -> Distribution:
        """Another mean."""
        if not isinstance(value, int | float) or not 0 <= value <= self.most:
            raise TableError(f"{value!r} is not a mean from 0 to {self.most}")
        return replace(self, mean=float(value))

    def __str__(self) -> str:
        mean = f"by {', '.join(self.needs)}" if self.needs else f"{self.mean:g}"
        return f"pauses, mean {mean}"


def pauses(mean: Number, *, most: int = 0xFFFF) -> Pauses:
    """0, 1, 2, …, each less often than the one before by the same factor, with this mean.

    What is above ``most`` becomes ``most``.
    """
    return Pauses(_number(mean), most)


@dataclass(frozen=True)
class Computed(Distribution):
    """What a function makes of other columns."""

    function: Function

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that it is made of."""
        return self.function.needs

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """As :class:`Distribution`; nothing is drawn."""
        found = self.function(columns)
        if found.ndim == 0:
            found = np.full(count, found)
        if len(found) != count:
            raise TableError(f"{len(found)} values for {count} rows")
        return found

    def __str__(self) -> str:
        return f"from {', '.join(self.needs)}" if self.needs else f"always {self.function({})}"


def column(function: Callable[..., Any]) -> Computed:
    """What ``function`` makes of the columns that its parameters name."""
    return Computed(Function(function))


Part: TypeAlias = Distribution | float | Callable[..., Any]


def part(given: Part) -> Distribution:
    """A distribution, a number for always this one, or a function for :func:`column`."""
    if isinstance(given, Distribution):
        return given
    if callable(given):
        return column(given)
    if isinstance(given, bool | np.bool_):
        return Chance(float(given))
    if isinstance(given, int | np.integer):
        return uniform(int(given))
    raise TableError(f"{given!r} is neither a distribution nor a number or a function")


class _Picked(dict[str, Values]):
    """Some rows of columns, of each column when it is asked for."""

    def __init__(self, columns: Columns, rows: Values) -> None:
        super().__init__()
        self._columns, self._rows = columns, rows

    def __missing__(self, name: str) -> Values:
        found = self[name] = self._columns[name][self._rows]
        return found


def _joined(
    parts: Sequence[tuple[Values, Distribution]],
    rng: np.random.Generator,
    columns: Columns,
    count: int,
) -> Values:
    """Values of all rows, of each part those at its positions."""
    drawn = [
        (rows, one.draw(rng, _Picked(columns, rows), len(rows))) for rows, one in parts if len(rows)
    ]
    kind = np.result_type(*[some.dtype for _, some in drawn])
    made = np.empty((count, *drawn[0][1].shape[1:]), kind)
    for rows, some in drawn:
        made[rows] = some
    return made


@dataclass(frozen=True)
class Mix(Distribution):
    """One of several distributions in each row, by weight."""

    parts: Mapping[str, Distribution]
    weights: Mapping[str, float]
    entry_shape: tuple[int, ...] = ()
    legal_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        picker = choice(tuple(self.parts), self.weights, legal=self.legal_names)
        object.__setattr__(self, "_picker", picker)
        object.__setattr__(self, "_finite", self._listed())

    _picker: Choice = field(init=False, repr=False)
    _finite: Finite | None = field(init=False, repr=False)

    @property
    def needs(self) -> tuple[str, ...]:
        """What any part depends on."""
        return tuple(name for one in self.parts.values() for name in one.needs)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one row."""
        return self.entry_shape or next(iter(self.parts.values())).shape

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """As :class:`Distribution`."""
        if self.entry_shape:
            each = math.prod(self.entry_shape)
            spread = _Picked(columns, np.arange(count * each) // each)
            return self._flat(rng, spread, count * each).reshape(count, *self.entry_shape)
        return self._flat(rng, columns, count)

    def _flat(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        picked = self._picker.draw(rng, columns, count)
        parts = enumerate(self.parts.values())
        return _joined([(np.flatnonzero(picked == k), one) for k, one in parts], rng, columns, count)

    def bound(self, columns: Mapping[str, Distribution]) -> Distribution:
        """As :class:`Distribution`."""
        return replace(self, parts={name: one.bound(columns) for name, one in self.parts.items()})

    def finite(self) -> Finite | None:
        """As :class:`Distribution`."""
        return self._finite

    @property
    def legal(self) -> bool:
        """Whether no part but legal ones has a weight, and all parts are legal."""
        return self._picker.legal and all(one.legal for one in self.parts.values())

    def _listed(self) -> Finite | None:
        if any(one.shape for one in self.parts.values()):
            return None
        found = [one.finite() for one in self.parts.values()]
        total = sum(self.weights.values())
        values, shares = [], []
        for name, one in zip(self.parts, found, strict=True):
            if one is None:
                return None
            values.append(one[0])
            shares.append(one[1] * self.weights.get(name, 0.0) / total)
        every, place = np.unique(np.concatenate(values), return_inverse=True)
        return every, np.bincount(place, np.concatenate(shares), len(every))

    def knob(self, value: Any) -> Distribution:
        """Other weights of the parts, by name."""
        if not isinstance(value, Mapping):
            raise TableError(f"{value!r} are no weights of {', '.join(self.parts)}")
        names = {name: position for position, name in enumerate(self.parts)}
        made = _weights(value, np.arange(len(names)), names)
        return replace(self, weights=dict(zip(names, made.tolist(), strict=True)))

    def __str__(self) -> str:
        total = sum(self.weights.values())
        parts = []
        for name, one in self.parts.items():
            own = "" if name.isdigit() else f"{name} "
            parts.append(f"{own}{share_text(self.weights.get(name, 0.0) / total)}: {one}")
        times = f"; {_times(self.entry_shape)}" if self.entry_shape else ""
        return "; ".join(parts) + times


def mix(
    parts: Mapping[float, Part] | Mapping[str, tuple[float, Part]],
    *,
    shape: Shape = (),
    legal: Sequence[str] | None = None,
) -> Mix:
    """One of several distributions in each row: weight → distribution, all of one shape.

    With names, ``{"edges": (0.6, choice(…)), "any": (0.4, uniform(0, 64))}``, weights can be set by
    them; without, by positions, from 1 on. ``shape``: so many entries, each of a part of its own.
    ``legal``: with a weight for another part, faults can happen.
    """
    made: dict[str, Distribution] = {}
    weights: dict[str, float] = {}
    for position, (key, value) in enumerate(parts.items(), 1):
        if isinstance(key, str):
            assert isinstance(value, tuple)
            weights[key], made[key] = value[0], part(value[1])
        else:
            weights[str(position)], made[str(position)] = key, part(value)  # type: ignore[arg-type]
    return Mix(made, weights, _shape(shape), tuple(legal) if legal else None)


@dataclass(frozen=True)
class By(Distribution):
    """Another distribution for each value of an earlier column."""

    by_column: str
    parts: tuple[tuple[tuple[Any, ...], Distribution], ...]
    other: Distribution | None
    codes: tuple[tuple[Any, ...], ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The column, and what any part depends on."""
        every = [one for _, one in self.parts] + ([self.other] if self.other else [])
        return (self.by_column, *(name for one in every for name in one.needs))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one row."""
        return self.parts[0][1].shape

    def bound(self, columns: Mapping[str, Distribution]) -> Distribution:
        """As :class:`Distribution`; :class:`TableError` for a value that no part is for."""
        source = columns[self.by_column]
        codes = []
        for keys, _ in self.parts:
            for key in keys:
                if isinstance(key, str) and key not in source.names:
                    raise TableError(
                        f"{self.by_column} has no {key!r}; {there_are(source.names, key)}"
                    )
            codes.append(tuple(source.names.get(key, key) for key in keys))
        covered = {code for some in codes for code in some}
        left = [name for name, code in source.names.items() if code not in covered]
        if left and self.other is None:
            raise TableError(f"nothing for {self.by_column} {', '.join(left)}")
        return replace(
            self,
            parts=tuple((keys, one.bound(columns)) for keys, one in self.parts),
            other=self.other.bound(columns) if self.other else None,
            codes=tuple(codes),
        )

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """As :class:`Distribution`."""
        source = columns[self.by_column]
        left = np.ones(count, bool)
        parts = []
        for codes, (_, one) in zip(self.codes, self.parts, strict=True):
            own = source == codes[0]
            for code in codes[1:]:
                own = own | (source == code)
            left &= ~own
            parts.append((np.flatnonzero(own), one))
        if self.other is not None:
            parts.append((np.flatnonzero(left), self.other))
        elif left.any():
            raise TableError(f"nothing for {self.by_column} {source[left][0]}")
        return _joined(parts, rng, columns, count)

    def __str__(self) -> str:
        texts = [f"{'/'.join(map(str, keys))}: {one}" for keys, one in self.parts]
        return "; ".join([f"by {self.by_column}", *texts, *([f"else: {self.other}"] * bool(self.other))])


def by(column: str, parts: Mapping[Any, Part], other: Part | None = None) -> By:
    """Another distribution for each value of ``column``, drawn before; all of one shape.

    ``parts``: value, name, or tuple of some → distribution; ``other``: for what is not there.
    """
    found = tuple(
        (key if isinstance(key, tuple) else (key,), part(one)) for key, one in parts.items()
    )
    return By(column, found, None if other is None else part(other))


@dataclass(frozen=True)
class Phases(Distribution):
    """The same value for ``length`` rows after each other."""

    each: Distribution
    length: int

    @property
    def names(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Names of values."""
        return self.each.names

    @property
    def needs(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one row."""
        return self.each.shape

    def draw(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        """As :class:`Distribution`."""
        values = self.each.draw(rng, columns, -(-count // self.length))
        return np.repeat(values, self.length, axis=0)[:count]

    def finite(self) -> Finite | None:
        """As :class:`Distribution`."""
        return self.each.finite()

    def limited(self, keep: Callable[[Values], Values]) -> Distribution | None:
        """As :class:`Distribution`."""
        made = self.each.limited(keep)
        return replace(self, each=made) if made else None

    def knob(self, value: Any) -> Distribution:
        """As of what is drawn."""
        return replace(self, each=self.each.knob(value))

    @property
    def legal(self) -> bool:
        """As of what is drawn."""
        return self.each.legal

    def __str__(self) -> str:
        return f"{self.each}; for {self.length} rows each"


def phases(each: Part, length: int) -> Phases:
    """The same value for ``length`` rows after each other; it depends on no column.

    Of a row alone the distribution is ``each``; rows that constraints refuse shorten phases.
    """
    found = part(each)
    if found.needs:
        raise TableError("phases of what depends on other columns")
    return Phases(found, length)
