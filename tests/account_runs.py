# SPDX-License-Identifier: Apache-2.0
"""Runs of the models of all blocks with their account, which must change nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tilepath.engine.compiled.columns import column
from tilepath.engine.compiled.cycle_exact import concatenated
from tilepath.tests.model_runs import Records, cut

Ints = np.ndarray[Any, np.dtype[np.int64]]
Account = dict[str, Records]
Views = Mapping[str, tuple[Any, Any]]
"""What an account says, and what recorded streams show of the same."""
Rows = list[tuple[int, ...]]


def rows_of(records: Records, *fields: str, when: str = "cycle", late: int = 0) -> Rows:
    """Cycle ``when``, and fields of each record: all elements of those that have several."""
    columns = [column(records, name).astype(np.int64) for name in (when, *fields)]
    whole = np.column_stack(columns)
    whole[:, 0] += late
    return list(map(tuple, whole.tolist()))


def flags(records: Records, names: Iterable[str]) -> Rows:
    """Cycle of each record, and a bit for each of these fields."""
    return [
        (cycle, sum(bit << k for k, bit in enumerate(bits)))
        for cycle, *bits in rows_of(records, *names)
    ]


def at(level: Records, field: str, cycles: Any) -> Ints:
    """A level's values in some cycles."""
    values = np.append(0, level[field].astype(np.int64))
    found: Ints = values[np.searchsorted(level["cycle"], cycles, side="right")]
    return found


def accounted(
    model: Any, streams: Mapping[str, Records], cuts: Sequence[int]
) -> tuple[Account, Account]:
    """Account and output streams of a run of ``model`` cut at ``cuts``; the last is its end.

    ``streams``: the inputs, and whatever else was recorded.
    """
    model.keep_account()
    inputs = {name: streams[name] for name in model.inputs if name in streams}
    outputs, parts = [], []
    for first, last in pairwise((0, *cuts)):
        outputs.append(model.step(cut(inputs, first, last), last))
        parts += [{kind: rows.copy() for kind, rows in one.items()} for one in model.account]
    kinds = dict.fromkeys(kind for part in parts for kind in part)
    return (
        {kind: concatenated([part[kind] for part in parts if kind in part]) for kind in kinds},
        {name: np.concatenate([part[name] for part in outputs]) for name in outputs[0]},
    )


def both_ways(
    make: Callable[[], Any],
    streams: Mapping[str, Records],
    cuts: Sequence[int],
    shorten: Callable[[], None] = lambda: None,
) -> tuple[Account, Account]:
    """The account of a run whole, and cut at ``cuts``; it must change no record.

    ``shorten``: lets the model have less room than before at once, for the run with cuts.
    """
    plain = make()
    end = cuts[-1]
    inputs = {name: streams[name] for name in plain.inputs if name in streams}
    expected = plain.step(inputs, end)
    account, outputs = accounted(make(), streams, [end])
    shorten()
    again, others = accounted(make(), streams, cuts)
    for name, records in expected.items():
        assert np.array_equal(records, outputs[name]) and np.array_equal(records, others[name])
    assert not plain.account
    return account, again
