# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the control block's HDL fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.assertion_cases import Broken, ids, run_alone, stored_cases
from tilepath.tests.cosim_runs import FAST, needs_icarus
from tilepath.tests.planted import assertions, broken

COUNTS: Final = {
    "config_store.sv": 3,
    "config_unit.sv": 6,
    "control.sv": 3,
    "gpr_file.sv": 2,
    "rr_arbiter.sv": 1,
    "scalar_unit.sv": 2,
    "sync_unit.sv": 4,
    "thread_config.sv": 2,
    "wait_gate.sv": 5,
}


CASES: Final = stored_cases(Path(__file__).with_name("assertions.toml"))

# An access is held by the bench, which nothing in the DUT changes: the port is pulled down here.
WITHDRAWN: Final = Broken(
    "control: an access of the cores was withdrawn",
    "risc",
    (
        (
            "control.sv",
            "  logic risc_waits_q;\n",
            "  logic risc_waits_q;\n\n"
            "  assign (supply0, strong1) risc_valid_i = obs_config_pipe_o[3] ? 1'b0 : 1'bz;\n",
        ),
    ),
)


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and the table has to grow."""
    assert assertions("rtl/control", "tb/control", "tb/frontend_control") == COUNTS
    assert len({(case.says, case.edits[0][0]) for case in (*CASES, WITHDRAWN)}) == sum(
        COUNTS.values()
    )


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_assertion_fires(case: Broken, tmp_path: Path) -> None:
    broken(run_alone("control", case.test, case.edits, tmp_path), case.says, ".sv:")


@needs_icarus
def test_an_access_that_is_withdrawn(tmp_path: Path) -> None:
    case = WITHDRAWN
    result = run_alone("control", case.test, case.edits, tmp_path, sim="icarus")
    broken(result, case.says, ".sv:")


def test_assertions_fire_on_verilator(tmp_path: Path) -> None:
    """One of them: the others are written alike, and compiling takes most of a minute."""
    case = next(case for case in CASES if case.says.startswith("wait_gate: a wait"))
    broken(run_alone("control", case.test, case.edits, tmp_path, sim=FAST), case.says, ".sv:")
