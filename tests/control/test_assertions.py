# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the control block's HDL fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.assertion_cases import Broken, ids, run_alone
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


def _case(says: str, file: str, old: str, new: str, test: str) -> Broken:
    return Broken(says, test, ((file, old, new),))


CASES: Final = (
    _case(
        "config_store: write of word",
        "config_unit.sv",
        "p0_ok_q <= m1_index_q < CFG_WORDS && ",
        "p0_ok_q <= ",
        "faults",
    ),
    _case(
        "config_store: REG2FLOP writes word",
        "control_pkg.sv",
        "flop_oob = flop >= ",
        "flop_oob = flop > ",
        "faults",
    ),
    _case(
        "config_store: two writes to the group",
        "scalar_unit.sv",
        "(cycle_q == 3'd2 && !(to_config && stall_i))",
        "cycle_q == 3'd2",
        "scalar",
    ),
    _case(
        "config_unit: two issue at once",
        "control.sv",
        ".risc_grant_i(config_grant[3])",
        ".risc_grant_i(risc_valid_i && !risc_done_o && config_room[2])",
        "risc",
    ),
    _case(
        "config_unit: collision in stage -4",
        "config_unit.sv",
        "room_o[0] = !m4_valid_q || !stream_busy_i;",
        "room_o[0] = 1'b1;",
        "config_prepare",
    ),
    _case(
        "config_unit: collision in stage -1",
        "config_unit.sv",
        "room_o[1] = !m3_valid_q && !m2_valid_q;",
        "room_o[1] = !m3_valid_q;",
        "config_prepare",
    ),
    _case(
        "config_unit: collision in stage 0",
        "config_unit.sv",
        "room_o[2] = !m3_valid_q && !m2_valid_q && !m1_valid_q;",
        "room_o[2] = !m3_valid_q && !m2_valid_q;",
        "config_distances",
    ),
    _case(
        "config_unit: an access and an instruction in stage 0",
        "config_unit.sv",
        "p0_valid_q <= m1_valid_q || ",
        "p0_valid_q <= m1_valid_q || risc_grant_i || ",
        "risc",
    ),
    _case(
        "config_unit: collision in stage 0",
        "control.sv",
        "risc_valid_i && !risc_done_o && config_room[2])",
        "risc_valid_i && !risc_done_o && config_room[1])",
        "config_triples",
    ),
    _case(
        "control: an access is done that is not there",
        "control.sv",
        ".risc_config_i(risc_valid_i && !risc_done_o && config_room[2])",
        ".risc_config_i(risc_valid_i && config_room[2])",
        "risc",
    ),
    _case(
        "control: words for units 000001, of which 111110 are ready",
        "control.sv",
        ".available_i({unit_ready, mutex_free",
        ".available_i({6'b111111, mutex_free",
        "levels_units",
    ),
    _case(
        "gpr_file: RDCFG of thread 3",
        "config_unit.sv",
        "{2{p1_valid_q}}, p1_thread_q,",
        "{2{p1_valid_q}}, 2'd3,",
        "config_distances",
    ),
    _case(
        "gpr_file: a scalar write of thread 3",
        "scalar_unit.sv",
        "{halves, thread_q,",
        "{halves, 2'd3,",
        "scalar",
    ),
    _case(
        "rr_arbiter: grant",
        "rr_arbiter.sv",
        "grant_o = pool & -pool;",
        "grant_o = pool;",
        "arbitration",
    ),
    _case(
        "scalar_unit: an instruction issues while one is here",
        "scalar_unit.sv",
        "available_o = !busy_q || last;",
        "available_o = 1'b1;",
        "scalar",
    ),
    _case(
        "in cycle 0",
        "scalar_unit.sv",
        "      cycle_q <= 3'd1;\n",
        "      cycle_q <= 3'd0;\n",
        "scalar",
    ),
    _case(
        "sync_unit: two issue at once",
        "control.sv",
        ".risc_grant_i(sync_grant[3])",
        ".risc_grant_i(risc_sync_request)",
        "semaphores",
    ),
    _case(
        "sync_unit: a write was withdrawn",
        "control.sv",
        ".risc_valid_i(risc_sem_valid_i)",
        ".risc_valid_i(risc_sem_valid_i && !u_sync.risc_q)",
        "semaphores",
    ),
    _case(
        "releases a mutex that it does not hold",
        "wait_gate.sv",
        "word.release_mutex && owned_i[word.mutex];",
        "word.release_mutex;",
        "mutexes",
    ),
    _case(
        "sync_unit: a mutex is taken that another thread holds",
        "control.sv",
        "mutex_free | owned[t]",
        "4'b1111",
        "mutexes",
    ),
    _case(
        "thread_config: SETC16 writes word",
        "thread_config.sv",
        "valid_q <= word_i[SETC16_CFG_INDEX_MSB:SETC16_CFG_INDEX_LSB] < THD_WORDS;",
        "valid_q <= 1'b1;",
        "faults",
    ),
    _case(
        "thread_config: a core writes word",
        "config_unit.sv",
        "risc_address_i >= 3 * CFG_WORDS + 3 * THD_WORDS;",
        "risc_address_i > 3 * CFG_WORDS + 3 * THD_WORDS;",
        "risc",
    ),
    _case(
        "was withdrawn",
        "control.sv",
        ".valid_i(issue_valid_i[t])",
        ".valid_i(issue_valid_i[t] && !obs_config_pipe_o[4])",
        "config_distances",
    ),
    _case(
        "wait_gate: a word is taken that is not offered",
        "wait_gate.sv",
        "wants = valid_i && !word.illegal",
        "wants = !word.illegal",
        "gate_classes",
    ),
    _case(
        "wait_gate: a grant that was not asked for",
        "control.sv",
        ".grant_i(grant[t])",
        ".grant_i(grant[t] || (issue_valid_i[t] && request[t] == '0))",
        "gate_classes",
    ),
    _case(
        "wait_gate: address counters get a word that is not taken",
        "wait_gate.sv",
        "!(valid_q && block_q[CLS_TDMA])",
        "!(valid_q && block_q[CLS_SYNC])",
        "gate_classes",
    ),
    _case(
        "wait_gate: a wait replaces a live latch",
        "wait_gate.sv",
        "held = valid_q && (word.is_wait || ",
        "held = valid_q && (",
        "gate_cycles",
    ),
)

# An access is held by the bench, which nothing in the DUT changes: the port is pulled down here.
WITHDRAWN: Final = _case(
    "control: an access of the cores was withdrawn",
    "control.sv",
    "  logic risc_waits_q;\n",
    "  logic risc_waits_q;\n\n"
    "  assign (supply0, strong1) risc_valid_i = obs_config_pipe_o[3] ? 1'b0 : 1'bz;\n",
    "risc",
)


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and this file has to grow."""
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
