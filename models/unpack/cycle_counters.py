# SPDX-License-Identifier: Apache-2.0
"""What the address counters beside the unpackers show: ``models.adc`` with their commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from tilepath.engine.compiled.records import Records
from tilepath.isa import profiles
from tilepath.isa.boundary.adc import BOUNDARY as ADC
from tilepath.isa.boundary.unpack import BOUNDARY, THREADS, UNPACKERS
from tilepath.models.adc.embedded import Beside
from tilepath.models.unpack.account import SHOWN

_COUNTERS: Final = ("x0", "y0", "z0", "w0", "x1", "y1", "z1", "w1")
_UNPACK: Final = ADC.table["unpack"].dtype


class Counters:
    """The counters with the unpackers' commands."""

    def __init__(self, profile: str) -> None:
        """Begin after reset."""
        self.beside = Beside(profile, BOUNDARY, "unpack", "unpacker")
        zw = (1 << profiles.get(profile).zw_w) - 1
        self._largest = ((1 << 18) - 1, (1 << 13) - 1, zw, zw) * 2

    def step(
        self, commands: Records, inputs: Mapping[str, Records], until: int
    ) -> dict[str, Records]:
        """Output streams of the counters; ``commands``: ``cycle_records.COMMAND``."""
        unpack = np.zeros(commands.shape[0], _UNPACK)
        for field in _UNPACK.names or ():
            unpack[field] = commands[field]
        return self.beside.advance(unpack, commands["origin"], inputs, until)[0]

    def account(self, shown: Mapping[str, Records]) -> Sequence[Mapping[str, Records]]:
        """Account for the last ``step``, which has returned ``shown``."""
        parts: list[Mapping[str, Records]] = []
        for part in self.beside.account:
            parts.append({f"counter_{kind}": rows for kind, rows in part.items()})
        for of_set in range(THREADS):
            for unpacker in range(UNPACKERS):
                levels = shown[f"t{of_set}.unpacker{unpacker}"]
                rows = np.zeros(len(levels), SHOWN)
                rows["cycle"], rows["unpacker"], rows["set"] = levels["cycle"], unpacker, of_set
                rows["largest"] = self._largest
                for number, name in enumerate(_COUNTERS):
                    rows["live"][:, number] = levels[name] & self._largest[number]
                parts.append({"shown": rows})
        return parts
