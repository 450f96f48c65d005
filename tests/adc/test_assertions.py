# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the address counters' HDL fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path

from tilepath.tests.assertion_cases import run_alone
from tilepath.tests.planted import assertions, broken


def test_all_assertions_are_known() -> None:
    assert assertions("rtl/adc", "tb/adc") == {"adc_group.sv": 1}


def test_a_width_that_cannot_be(tmp_path: Path) -> None:
    """A command has 13 bits for a Z or W; the assertion fires before the first cycle."""
    wider = ("adc.sv", ".ZwW(ZwW)", ".ZwW(ZwW + 6)")
    result = run_alone("adc", "vectors", [wider], tmp_path)
    broken(result, "adc_group: ZwW = 14 is not")
    assert result.cycles == 0
