# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the packers' HDL and Dst's fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilepath.tests.assertion_cases import fires, results_of, stored_cases
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.planted import assertions

COUNTS: Final = {
    "dst.sv": 1,
    "dst_spread.sv": 1,
    "pack_accumulate.sv": 3,
    "pack_compress.sv": 2,
    "pack_depart.sv": 1,
    "pack_gather.sv": 4,
    "pack_instructions.sv": 2,
    "pack_lane.sv": 2,
    "pack_line_queue.sv": 4,
    "pack_plan_queue.sv": 2,
    "pack_row_queue.sv": 3,
    "pack_sample.sv": 2,
    "pack_source.sv": 2,
    "pack_step_queue.sv": 2,
    "pack_steps.sv": 2,
}

CASES: Final = stored_cases(Path(__file__).with_name("assertions.toml"))


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and this file has to grow."""
    found = assertions("rtl/pack", "rtl/dst", "tb/pack")
    assert (found.pop("dst_block.sv"), found.pop("dst_shared.sv")) == (2, 1)  # the unpackers'
    assert found == COUNTS
    assert len({case.says for case in CASES}) == len(CASES) == sum(COUNTS.values())


results = results_of(ROWS["pack"].bugs, CASES)
test_assertion_fires = fires(CASES)
