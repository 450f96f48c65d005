# SPDX-License-Identifier: Apache-2.0
"""What the address counters beside the unpackers show: ``models.adc`` with their commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from tilepath.isa.boundary.adc import BOUNDARY as ADC
from tilepath.isa.boundary.description import ORIGIN_STREAMS
from tilepath.isa.boundary.unpack import BOUNDARY, THREADS
from tilepath.models.adc import AdcModel
from tilepath.models.inputs import checked_rows
from tilepath.models.records import Records

_OURS: Final = {  # output of the unpackers -> of the counters
    **{name: name for name in BOUNDARY.outputs if "unpacker" in name},
    **{f"t{n}.counter_fault": f"t{n}.fault" for n in range(THREADS)},
    "counter_conflict": "conflict",
}
_COUNTER: Final = BOUNDARY.number("t0.counter")
_ADC_UNPACK: Final = ADC.number("unpack")
_ADC_ISSUE: Final = ADC.number("t0.issue")
_WIDTHS: Final = {"word": 32}
_UNPACK: Final = ADC.table["unpack"].dtype
_FIELDS: Final = _UNPACK.names or ()
_EXPECTED: Final = {name: BOUNDARY.stream(name).expected_dtype for name in _OURS}


class Counters:
    """The counters' own cycle-exact model; theirs are the records, ours the names and origins."""

    def __init__(self, profile: str) -> None:
        """After reset."""
        self._adc = AdcModel(profile)
        self._origins: npt.NDArray[np.int64] = np.zeros(0, np.int64)  # of the last commands
        self._commands = 0  # that the counters have had

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
        for field in _FIELDS:
            unpack[field] = commands[field]
        given: dict[str, Records] = {"unpack": unpack}
        for thread in range(THREADS):
            if f"t{thread}.counter" in inputs:
                given[f"t{thread}.issue"] = inputs[f"t{thread}.counter"]
        found = self._adc.step(given, until)
        self._commands += commands.shape[0]
        self._origins = np.concatenate((self._origins, commands["origin"]))
        out = {}
        for ours, theirs in _OURS.items():
            records = np.empty(found[theirs].shape[0], _EXPECTED[ours])
            if records.shape[0]:
                for field in records.dtype.names or ():
                    records[field] = found[theirs][field]
                records["origin"] = self._translated(found[theirs]["origin"])
            out[ours] = records
        self._origins = self._origins[-2:].copy()  # a level shows in the cycle after its command
        return out

    def _translated(self, origins: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Origins of the counters' model as the unpackers'."""
        index, number = np.divmod(origins, ORIGIN_STREAMS)
        out = index * ORIGIN_STREAMS + (_COUNTER - _ADC_ISSUE) + number
        ours = number == _ADC_UNPACK
        out[ours] = self._origins[index[ours] - (self._commands - self._origins.shape[0])]
        return out
