# SPDX-License-Identifier: Apache-2.0
"""What every cycle-exact model does with its input records before it believes them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tilepath.isa.boundary import Boundary
from tilepath.models.records import Records, named

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


class KernelInputs:
    """The input records of a boundary as a kernel reaches their fields, by name."""

    def __init__(self, boundary: Boundary) -> None:
        self._streams = {name: boundary.stream(name) for name in boundary.inputs}
        self._recorded = {name: stream.dtype for name, stream in self._streams.items()}
        self._named = {name: named(described) for name, described in self._recorded.items()}
        self._nothing = {name: read_only(np.zeros(0, some)) for name, some in self._named.items()}

    def checked(self, given: Mapping[str, Records], start: int, until: int) -> dict[str, Records]:
        """All inputs; ``ValueError`` for what is wrong with them."""
        return {name: self._checked(name, given.get(name), start, until) for name in self._streams}

    def _checked(self, name: str, given: Records | None, start: int, until: int) -> Records:
        described, fields = self._recorded[name], self._streams[name].fields
        if given is None or (given.shape[0] == 0 and given.dtype == described):
            return self._nothing[name]
        narrow = {field.name: field.width for field in fields if field.words == 1}
        checked_rows(name, given, narrow, start, until)
        for field in fields:
            shape = (given.shape[0], field.words)
            if field.words > 1 and (
                field.name not in (given.dtype.names or ()) or given[field.name].shape != shape
            ):
                raise ValueError(f"{name}: want {field.name} as {field.words} words")
        if given.dtype != described:
            fitting = np.zeros(given.shape[0], described)
            for each in described.names or ():
                fitting[each] = given[each]
            given = fitting
        return read_only(np.ascontiguousarray(given).view(self._named[name]))
