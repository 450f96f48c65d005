# SPDX-License-Identifier: Apache-2.0
"""Golden model of ``adc``: the address counters of unpackers and packers."""

from __future__ import annotations

from tilepath.models.adc.counters import AddressCounters
from tilepath.models.adc.cycle import AdcModel
from tilepath.models.adc.layout import OPCODES

__all__ = ["OPCODES", "AdcModel", "AddressCounters"]
