# SPDX-License-Identifier: Apache-2.0
"""The unpackers' faults, each in the order of its bits; docs/unpack.md section 8 says when."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.engine.description.boundary import faults
from tilepath.isa.boundary import adc

# From ``transpose_srcb`` on they are warnings.
FAULTS: Final = faults("unpack", "fault")
READ_FAULTS: Final = faults("unpack", "read_fault")
WRITE_FAULTS: Final = faults("unpack", "write_fault")
UNIT_FAULTS: Final = faults("unpack", "unit_fault")
COUNTER_FAULTS: Final = tuple(replace(fault, stream="counter_fault") for fault in adc.FAULTS)
