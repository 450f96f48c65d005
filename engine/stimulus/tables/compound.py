# SPDX-License-Identifier: Apache-2.0
"""Distributions made of others: one of several by weight, or by the value of another column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tilepath.engine.errors import there_are
from tilepath.engine.stimulus.tables.distributions import (
    Columns,
    Distribution,
    Keep,
    Shape,
    Values,
    choice,
    entries_of,
    part,
)
from tilepath.engine.stimulus.tables.errors import TableError, share_text
from tilepath.engine.stimulus.tables.quick import Picked


class _Parts(Distribution):
    """One of ``parts`` in each row."""

    def __init__(self, parts: Sequence[Distribution], needs: Sequence[str]) -> None:
        self.parts = parts
        self.needs = (*needs, *(name for one in parts for name in one.needs))
        self.legal = all(one.legal for one in parts)

    def joined(
        self, rows: Sequence[Values], rng: np.random.Generator, columns: Columns, count: int
    ) -> Values:
        """Values of all rows; ``rows``: of each part the positions."""
        drawn = [
            (own, one.draw(rng, Picked(columns, own), len(own)))
            for own, one in zip(rows, self.parts, strict=True)
            if len(own) or not count  # of no rows, each part says what kind they are
        ]
        kind = np.result_type(*[values.dtype for _, values in drawn])
        made = np.empty((count, *drawn[0][1].shape[1:]), kind)
        for own, values in drawn:
            made[own] = values
        return made


class _Mix(_Parts):
    """Parts by weight; ``chosen`` draws which."""

    def __init__(
        self, parts: Mapping[str, Distribution], chosen: Distribution, entries: tuple[int, ...]
    ) -> None:
        super().__init__(list(parts.values()), ())
        self._named, self._chosen, self.entries = parts, chosen, entries
        self.legal = self.legal and chosen.legal
        lists = [one.listed for one in self.parts if not one.entries]
        if chosen.listed and len(lists) == len(self.parts) and all(lists):
            weighed = zip(lists, chosen.listed[1], strict=True)
            shares = np.concatenate([some[1] * share for some, share in weighed if some])
            values = np.concatenate([some[0] for some in lists if some])
            values, place = np.unique(values, axis=0, return_inverse=True)
            self.listed = values, np.bincount(place.reshape(-1), shares, len(values))
            self._direct = self.kept(*self.listed)

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        if self.listed is not None:
            return self._direct.one(rng, columns, count)
        picked = self._chosen.draw(rng, columns, count)
        rows = [np.flatnonzero(picked == position) for position in range(len(self.parts))]
        return self.joined(rows, rng, columns, count)

    def bound(self, columns: Mapping[str, Distribution]) -> Distribution:
        parts = {name: one.bound(columns) for name, one in self._named.items()}
        same = all(one is self._named[name] for name, one in parts.items())
        return self if same else _Mix(parts, self._chosen, self.entries)

    def knob(self, value: Any) -> Distribution:
        return _Mix(self._named, self._chosen.knob(value), self.entries)

    def text(self) -> str:
        assert self._chosen.listed is not None
        weighed = zip(self._named.items(), self._chosen.listed[1], strict=True)
        texts = [f"{name} {share_text(share)} ({one})" for (name, one), share in weighed if share]
        return ", ".join(texts)


def mix(
    parts: Mapping[float, Any] | Mapping[str, tuple[float, Any]],
    *,
    shape: Shape = (),
    legal: Sequence[str] | None = None,
) -> Distribution:
    """One of several distributions in each row: weight → distribution, all of one shape.

    With names, ``{"edges": (0.6, choice(…)), "any": (0.4, uniform(0, 64))}``, weights can be set by
    them; without, by positions, from 1 on. ``legal``: with a weight for another, faults can happen.
    """
    weights: dict[str, Any] = {}
    found: dict[str, Distribution] = {}
    for position, (key, value) in enumerate(parts.items(), 1):
        name = key if isinstance(key, str) else str(position)
        weight, given = value if isinstance(key, str) else (key, value)
        weights[name], found[name] = weight, part(given)
    return _Mix(found, choice(tuple(found), weights, legal=legal), entries_of(shape))


class _By(_Parts):
    """The part of the value of column ``by``; ``keys``: of each part but the last, if ``other``."""

    def __init__(
        self,
        by: str,
        keys: Sequence[tuple[Any, ...]],
        parts: Sequence[Distribution],
        codes: Sequence[tuple[Any, ...]] = (),
    ) -> None:
        super().__init__(parts, (by,))
        self._by, self._keys, self._codes = by, keys, codes
        named = {name: value for one in parts for name, value in one.names.items()}
        if all(named[name] == value for one in parts for name, value in one.names.items()):
            self.names = named

    def bound(self, columns: Mapping[str, Distribution]) -> Distribution:
        names = columns[self._by].names
        for key in (key for keys in self._keys for key in keys):
            if isinstance(key, str) and key not in names:
                raise TableError(f"{self._by} has no {key!r}; {there_are(names, key)}")
        codes = [tuple(names.get(key, key) for key in keys) for keys in self._keys]
        every = {code for some in codes for code in some}
        left = [name for name, code in names.items() if code not in every]
        if left and len(codes) == len(self.parts):
            raise TableError(f"nothing for {self._by} {', '.join(left)}")
        return _By(self._by, self._keys, [one.bound(columns) for one in self.parts], codes)

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        source = columns[self._by]
        left = np.ones(count, bool)
        rows = []
        for codes in self._codes:
            own = np.isin(source, codes) if len(codes) > 1 else source == codes[0]
            left &= ~own
            rows.append(np.flatnonzero(own))
        if len(rows) < len(self.parts):
            rows.append(np.flatnonzero(left))
        elif left.any():
            raise TableError(f"nothing for {self._by} {source[left][0]}")
        return self.joined(rows, rng, columns, count)

    def text(self) -> str:
        keys = [*("/".join(map(str, some)) for some in self._keys), "else"]
        texts = [f"{key}: {one}" for key, one in zip(keys, self.parts, strict=False)]
        return "; ".join([f"by {self._by}", *texts])


def by(column: str, parts: Mapping[Any, Any], other: Any = None) -> Distribution:
    """Another distribution for each value of ``column``, drawn before; all of one shape.

    ``parts``: value, name, or tuple of some → distribution; ``other``: for what is not there.
    """
    keys = [key if isinstance(key, tuple) else (key,) for key in parts]
    last = () if other is None else (part(other),)
    return _By(column, keys, [*map(part, parts.values()), *last])


class _Around(Distribution):
    """Entries of ``each``, which has no shape of its own any more, as ``how`` says."""

    def __init__(self, each: Distribution, how: Any, needs: tuple[str, ...] = ()) -> None:
        self._each, self._how = each, how
        self.needs, self.names, self.legal = (*needs, *each.needs), each.names, each.legal

    def bound(self, columns: Mapping[str, Distribution]) -> Distribution:
        return type(self)(self._each.bound(columns), self._how)

    def knob(self, value: Any) -> Distribution:
        return type(self)(self._each.knob(value), self._how)


class _Phases(_Around):
    def __init__(self, each: Distribution, length: int) -> None:
        super().__init__(each, length)
        self.listed = each.listed

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        values = self._each.draw(rng, columns, -(-count // self._how))
        return np.repeat(values, self._how, axis=0)[:count]

    def kept(self, values: Values, shares: Values) -> Distribution:
        return _Phases(self._each.kept(values, shares), self._how)

    def text(self) -> str:
        return f"{self._each}; for {self._how} rows each"


def phases(each: Any, length: int) -> Distribution:
    """Give ``length`` rows after each other the same value; it depends on no column.

    Of a row alone the distribution is ``each``; rows that constraints refuse shorten phases.
    """
    found = part(each)
    if found.needs:
        raise TableError("phases of what depends on other columns")
    return _Phases(found, length)


class _Repeated(_Around):
    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        values = self._each.draw(rng, columns, count)
        same = rng.random(count) < self._how
        values[same] = values[same][:, :1]
        return values

    def text(self) -> str:
        return f"{self._each}; all the same {share_text(self._how)}"


def repeated(each: Distribution, share: float) -> Distribution:
    """``each``, which has a shape of one axis; in ``share`` of rows all entries are the first."""
    return _Repeated(each, share)


class _Only(_Around):
    def __init__(self, each: Distribution, where: str) -> None:
        super().__init__(each, where, (where,))

    def one(self, rng: np.random.Generator, columns: Columns, count: int) -> Values:
        own = np.flatnonzero(columns[self._how])
        values = self._each.draw(rng, Picked(columns, own), len(own))
        made = np.zeros((count, *values.shape[1:]), values.dtype)
        made[own] = values
        return made

    def limited(self, keep: Keep) -> Distribution | None:
        made = self._each.limited(keep)
        return made and _Only(made, self._how)

    def text(self) -> str:
        return f"{self._each}; 0 but where {self._how}"


def only(where: str, each: Any) -> Distribution:
    """``each`` where column ``where`` is true, 0 elsewhere, whatever is asked for."""
    return _Only(part(each), where)
