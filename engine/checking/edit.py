# SPDX-License-Identifier: Apache-2.0
"""What is different about a stream from its first difference on, told as one edit of its events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilepath.engine.description.stream import Records

Values = NDArray[np.integer]
Kind = Literal["extra", "missing", "different", "late", "early"]

WINDOW: Final = 16
"""Events of each side, from the first difference on, that are laid beside one another."""

_OFTEN_EQUAL: Final = 63 / 64  # a field of an event, on both sides
_OFTEN_IN_TIME: Final = 1 / 2  # its cycle
_SKIPS: Final = 1.0  # bits that an event costs that is in no pair, before the last one
_FEW: Final = 1 / 2  # of the events of the shorter side: fewer pairs are chance


class Edit(NamedTuple):
    """How many ``events`` are extra or missing; 1 that is late, early or different."""

    kind: Kind
    events: int


def first_edit(expected: Records, actual: Records, fields: Sequence[str], held: Records) -> Edit:
    """How the two sides differ first; both begin with that, and ``fields`` of theirs count.

    Of a level ``held`` is the record before, and of each record what it changes counts; of events
    there is none. Events of one side are paired with events of the other, in their order, such that
    as much as possible agrees; few pairs are none. Which events come before the first pair tells
    how the first two differ, but where values say more than cycles: all are the same in this order,
    or the first two have changed places. ``docs/read-a-mismatch.md`` has the rules.
    """
    one, other = expected[:WINDOW], actual[:WINDOW]
    if not len(one) or not len(other):
        return Edit("extra" if len(other) else "missing", len(one) + len(other))
    cycles, others = one["cycle"].astype(np.int64), other["cycle"].astype(np.int64)
    ahead = cycles[0] - others[0]  # of the RTL
    in_time = _equal(cycles, others)
    bits, alike = _agreement(in_time, _OFTEN_IN_TIME), np.ones_like(in_time)
    for name in fields:
        model, rtl = one[name], other[name]
        if len(held):
            model, rtl = (v ^ np.concatenate([held[name], v[:-1]]) for v in (model, rtl))
        equal = _equal(model, rtl)
        bits += _agreement(equal, _OFTEN_EQUAL)
        alike &= equal
    pairs = _pairs(bits)
    if len(pairs) < _FEW * min(bits.shape):
        pairs = [(WINDOW, WINDOW)]
    first, second = pairs[0]
    free = alike[0, 0] and not in_time[0].any() and not in_time[:, 0].any()
    shifted = alike.diagonal(second - first).all()
    in_order, swapped = (a.diagonal().all() for a in (alike, np.fliplr(alike[:2, :2])))
    if ahead and ((in_order and not shifted) or (first == second and (first == 0 or free))):
        return Edit("early" if ahead > 0 else "late", 1)
    if not ahead and (len(held) or (first > 0) == (second > 0) or (swapped and not shifted)):
        return Edit("different", 1)
    if ahead < 0 or (ahead == 0 and first):
        return Edit("missing", max(1, int((cycles[:first] < others[0]).sum())))
    return Edit("extra", max(1, int((others[:second] < cycles[0]).sum())))


def _equal(one: Values, other: Values) -> NDArray[np.bool_]:
    """Whether each two values are equal, in all words."""
    words = np.equal(one[:, None], other[None]).reshape(len(one), len(other), -1)
    equal: NDArray[np.bool_] = np.logical_and.reduce(words, axis=2)
    return equal


def _agreement(equal: NDArray[np.bool_], often: float) -> NDArray[np.float64]:
    """What each two events have in common, as bits: of evidence that they are the same event.

    Of the same event this is equal as ``often``; of any two as often as it is here. So what is
    nearly always equal says little.
    """
    chance = (equal.sum() + 1) / (equal.size + 2)
    often = max(often, chance)
    for_it, against = np.log2(often / chance), np.log2((1 - often) / (1 - chance))
    bits: NDArray[np.float64] = np.where(equal, for_it, against)
    return bits


def _pairs(bits: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Places on both sides of the pairs, in order, that have most ``bits`` but for what they skip.

    ``best`` is that from a place of either side on; what is behind the last pair costs nothing.
    """
    best = np.zeros(np.add(bits.shape, 1))
    for one, other in reversed([*np.ndindex(*bits.shape)]):
        skipped = max(best[one + 1, other], best[one, other + 1]) - _SKIPS
        best[one, other] = max(best[one + 1, other + 1] + bits[one, other], skipped, 0)
    pairs: list[tuple[int, int]] = []
    one = other = 0
    while best[one, other] > 0:
        if best[one, other] == best[one + 1, other + 1] + bits[one, other]:
            pairs.append((one, other))
            one, other = one + 1, other + 1
        elif best[one, other] == best[one + 1, other] - _SKIPS:
            one += 1
        else:
            other += 1
    return pairs
