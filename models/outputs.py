# SPDX-License-Identifier: Apache-2.0
"""Room that a kernel writes its output records to, and what it has written there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tilepath.isa.boundary import Boundary
from tilepath.models.jit import part
from tilepath.models.records import Records, named, record


class Room:
    """Room for the records of a pass.

    Attributes:
        records: stream name → records, named; first index: the copy. The system provides what is
            written to.
        written: one record: of each stream, the numbers of records of its copies; then ``more``.
    """

    def __init__(
        self, boundary: Boundary, copies: Mapping[str, int], size: int, **more: npt.DTypeLike
    ) -> None:
        """``copies`` of each stream, 0 where it is one; ``size`` records each."""
        numbers = {name: max(count, 1) for name, count in copies.items()}
        dtypes = {name: boundary.stream(name).expected_dtype for name in copies}
        self.records = {
            name: np.empty((number, size), named(dtypes[name])) for name, number in numbers.items()
        }
        counts = {name: (np.int64, number) for name, number in numbers.items()}
        self.written: Records = np.zeros(1, record(**counts, **more))
        self._numbers: npt.NDArray[np.int64] = self.written.view(np.int64)
        self._parts = [
            (instance, array.view(dtypes[name]), np.zeros(0, dtypes[name]))
            for name in copies
            for instance, array in zip(
                boundary.stream(name).instances, self.records[name], strict=True
            )
        ]

    def taken(self) -> dict[str, Records]:
        """Copies of what is written, by name of the stream; all of it is forgotten."""
        numbers = self._numbers.tolist()
        self._numbers[:] = 0
        return {
            name: array[:number].copy() if number else nothing
            for (name, array, nothing), number in zip(self._parts, numbers, strict=False)
        }


@part
def put_level(rows: Records, written: Records, cycle: int, value: int, by: int) -> None:
    """A level has changed; ``written``: the numbers of records of its stream."""
    row = rows[0, written[0]]
    written[0] += 1
    row.cycle, row.value, row.origin = cycle, value, by
