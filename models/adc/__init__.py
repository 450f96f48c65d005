# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``adc``: the address counters of unpackers and packers.

What a command does, without time (decisions A1 to A8, A11, A12, A15, A16, C14, P18):

- ``untimed_state``: the counters, and where the fields of the commands are;
- ``untimed_commands``: what each command does to the counters, and its faults;
- ``untimed``: ``AddressCounters``, the counters as ``Machine`` uses them.

When it happens, cycle by cycle (A13; docs/adc.md, sections 2 to 4):

- ``timing_state``: commands as they come in, records as they go out, and what lies between;
- ``timing_cycles``: the commands of each cycle in their order, conflicts, records of changes;
- ``account``: what the model can tell of them beside its records, row by row;
- ``timing``: ``AdcModel``, the function from input streams to output streams.

A9, A10, A14 and A17, how unpackers use the counters, are in ``models.unpack``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tilepath.models.adc.untimed import AddressCounters
from tilepath.models.adc.untimed_state import OPCODES
from tilepath.models.lazy_names import later

if TYPE_CHECKING:
    from tilepath.models.adc.timing import AdcModel
else:
    __getattr__ = later(__name__, AdcModel="timing")

LOOPS: Final = "whole rows"  # how its parts are compiled: engine/compiled/jit_parts.py
__all__ = ["OPCODES", "AdcModel", "AddressCounters"]
