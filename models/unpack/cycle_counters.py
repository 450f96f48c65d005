# SPDX-License-Identifier: Apache-2.0
"""What the address counters beside the unpackers show: ``models.adc`` with their commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from tilepath.isa.boundary.adc import BOUNDARY as ADC
from tilepath.isa.boundary.unpack import BOUNDARY, THREADS
from tilepath.models.adc.beside import Beside
from tilepath.models.inputs import checked_rows
from tilepath.models.records import Records

_WIDTHS: Final = {"word": 32}
_UNPACK: Final = ADC.table["unpack"].dtype


class Counters:
    """The counters with the unpackers' commands."""

    def __init__(self, profile: str) -> None:
        """After reset."""
        self.beside = Beside(profile, BOUNDARY, "unpack", "unpacker")

    def check(self, inputs: Mapping[str, Records], start: int, until: int) -> None:
        """``ValueError`` for words that ``step`` would not take."""
        for thread in range(THREADS):
            name = f"t{thread}.counter"
            if name in inputs:
                checked_rows(name, inputs[name], _WIDTHS, start, until)

    def step(
        self, commands: Records, inputs: Mapping[str, Records], until: int
    ) -> dict[str, Records]:
        """Output streams of the counters; ``commands``: ``cycle_records.COMMAND``."""
        unpack = np.zeros(commands.shape[0], _UNPACK)
        for field in _UNPACK.names or ():
            unpack[field] = commands[field]
        return self.beside.advance(unpack, commands["origin"], inputs, until)[0]
