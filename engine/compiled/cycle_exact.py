# SPDX-License-Identifier: Apache-2.0
"""What the cycle-exact models of all blocks are: functions from input to output records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from tilepath.engine.compiled.records import Records

LAST_CYCLE: Final = 1 << 32  # cycles are 32 bits in records: the first that is none


class CycleExactModel:
    """A block as a function from input to output streams, in blocks of cycles.

    Attributes:
        inputs, outputs: full names of the streams, as ``"t0.issue"``.
        now: first cycle that has not been modelled yet.
    """

    inputs: ClassVar[tuple[str, ...]]
    outputs: ClassVar[tuple[str, ...]]
    now: int = 0

    def step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        """Model the cycles from ``now`` to ``until - 1``.

        Args:
            inputs: input stream name -> its records in those cycles, a structured array with
                ``cycle`` and the stream's fields, cycles increasing. A missing stream has none.
            until: cycle to stop before; at most 2**32.

        Returns:
            For every output stream a structured array: ``cycle`` and the fields (uint32, wide ones
            arrays of words), then ``origin`` (int64): what caused it, an ``isa.boundary.Origin``.
            The class says which record that is.

        Raises:
            ValueError: unknown stream, wrong fields, a value outside its width, records that are
                out of order or outside the cycles, ``until`` before ``now`` or beyond 2**32, and
                what the class names. The model is as before.

        How a run is cut into blocks makes no difference to the records.
        """
        if not self.now <= until <= LAST_CYCLE:
            raise ValueError(f"until {until}: want {self.now} to {LAST_CYCLE}")
        if unknown := set(inputs) - set(self.inputs):
            raise ValueError(f"no such input stream: {', '.join(sorted(unknown))}")
        return self._step(inputs, until)

    def _step(self, inputs: Mapping[str, Records], until: int) -> dict[str, Records]:
        raise NotImplementedError


def joined(parts: Sequence[Mapping[str, Records]]) -> dict[str, Records]:
    """Records of several passes, one at least, by name of the stream."""
    if len(parts) == 1:
        return dict(parts[0])
    return {name: concatenated([part[name] for part in parts]) for name in parts[0]}


def concatenated(parts: Sequence[Records]) -> Records:
    """One behind the other; raw, since field by field takes long."""
    dtype = parts[0].dtype
    raw = np.concatenate([part.view(f"V{dtype.itemsize}") for part in parts])
    records: Records = raw.view(dtype)
    return records
