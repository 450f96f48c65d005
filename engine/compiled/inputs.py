# SPDX-License-Identifier: Apache-2.0
"""What every cycle-exact model does with its input records before it believes them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tilepath.engine.compiled.records import Records
from tilepath.isa.boundary.control import THREADS

Rows = npt.NDArray[np.int64]


def checked_rows(
    name: str, given: Records, widths: Mapping[str, int], start: int, until: int
) -> Rows:
    """Records of stream ``name`` as int64 rows: cycle, then the fields in the order of ``widths``.

    Args:
        name: of the stream, for messages.
        given: structured array with ``cycle`` and the fields.
        widths: field → bits.
        start: first cycle that a record may have.
        until: first cycle that none may have any more.

    Raises:
        ValueError: no such fields, a cycle outside ``start`` ≤ c < ``until``, cycles that do not
            increase, a value that does not fit its field.
    """
    fields = ("cycle", *widths)
    if given.dtype.names is None or not set(fields) <= set(given.dtype.names):
        raise ValueError(f"{name}: want a structured array with the fields {', '.join(fields)}")
    rows = np.empty((given.shape[0], len(fields)), dtype=np.int64)
    for place, field in enumerate(fields):
        rows[:, place] = given[field]
    if rows.shape[0]:
        cycles = rows[:, 0]
        if cycles[0] < start or cycles[-1] >= until:
            raise ValueError(f"{name}: has events outside cycles {start} to {until - 1}")
        if rows.shape[0] > 1 and (cycles[1:] <= cycles[:-1]).any():
            raise ValueError(f"{name}: cycles do not increase")
        for place, (field, width) in enumerate(widths.items(), 1):
            if (rows[:, place] >> width).any():
                raise ValueError(f"{name}: a {field} does not fit in {width} bits")
    return rows


def read_only(records: Records) -> Records:
    """Return arrays as kernels take them: all alike, or each way is compiled once more."""
    view = records.view()
    view.flags.writeable = False
    return view


def check_words(name: str, issues: Records, ours: npt.NDArray[np.bool_], what: str) -> None:
    """``ValueError`` for a word of no thread, and for one that is not ``ours`` but no ``what``."""
    if (issues["thread"] >= THREADS).any():
        raise ValueError(f"{name}: there is no thread {THREADS}")
    if not ours.all():
        raise ValueError(f"{name}: {int(issues['word'][~ours][0]):08X} is no {what}")
