# SPDX-License-Identifier: Apache-2.0
"""The assertion of the joined design fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path

from tilepath.tests.assertion_cases import run_alone
from tilepath.tests.planted import assertions, broken


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and this file has to grow."""
    assert assertions("rtl/datapath", "tb/datapath") == {"datapath.sv": 1}


def test_two_writes_of_words_that_take_one(tmp_path: Path) -> None:
    """REG2FLOP does not wait for the config unit."""
    edits = [("control.sv", ".stall_i(flop_stall)", ".stall_i(1'b0)")]
    result = run_alone("datapath", "writes", edits, tmp_path, below="control")
    broken(result, "datapath: REG2FLOP and the config unit write words 64 to 179 in one cycle")
