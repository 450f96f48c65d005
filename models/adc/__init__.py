# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``adc``: the address counters of unpackers and packers."""

from __future__ import annotations

from models.adc.counters import AddressCounters
from models.adc.cycle import AdcModel
from models.adc.layout import OPCODES

__all__ = ["OPCODES", "AdcModel", "AddressCounters"]
