# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the unpackers' HDL fires when what it watches is broken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tilepath.tb.kernel.host.run import RunRequest, run
from tilepath.tests.cosim_runs import FAST
from tilepath.tests.planted import SIM, Edit, assertions, broken, changed_rtl

COUNTS: Final = {
    "dst_file.sv": 2,
    "src_file.sv": 2,
    "unp_address.sv": 5,
    "unp_buffer.sv": 5,
    "unp_fetch.sv": 5,
    "unp_queues.sv": 5,
    "unp_write.sv": 5,
}

_ADDRESS: Final = (
    "  unp_address u_address (\n"
    "    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .hold_o,"
)
_ROOM: Final = ("unp_address.sv", "address_free ? room : 2'd0", "room")


def _address(before: str, old: str, new: str) -> Edit:
    """The address unit's ports: ``before`` the instance, and ``old`` → ``new`` in it."""
    assert _ADDRESS.count(old) == 1
    return "unpack.sv", _ADDRESS, before + _ADDRESS.replace(old, new)


def _threads(value: int) -> Edit:
    """All words come from one thread."""
    both = "".join(f"  assign one_thread[{u}] = 2'd{value};\n" for u in range(2))
    declared = f"  wire logic [1:0] one_thread [2];\n{both}"
    return _address(declared, ".issue_thread_i", ".issue_thread_i(one_thread)")


@dataclass(frozen=True)
class Broken:
    """What an assertion says; ``edits`` of the RTL make it, in ``test``."""

    says: str
    test: str
    edits: tuple[Edit, ...]


CASES: Final = (
    Broken(
        "is issued to without ready",
        "issue",
        (_address("  assign ready_o = 2'd3;\n", ".ready_o", ".ready_o()"),),
    ),
    Broken(
        "is no word for unpacker",
        "issue",
        (
            _address(
                "  wire logic [31:0] swapped [2];\n"
                "  assign swapped[0] = issue_word_i[1];\n  assign swapped[1] = issue_word_i[0];\n",
                ".issue_word_i",
                ".issue_word_i(swapped)",
            ),
        ),
    ),
    Broken("unp_address: there is no thread 3", "issue", (_threads(3),)),
    Broken(
        "issues while it is held",
        "issue",
        (_ROOM, _address("  assign hold_o = 3'd0;\n", ".hold_o", ".hold_o()")),
    ),
    Broken("issues two words", "issue", (_threads(0),)),
    Broken(
        "unp_buffer: push to a full buffer",
        "bank_stalls",
        (("unp_fetch.sv", "room = used_i != 4'd8", "room = 1'b1"),),
    ),
    Broken(
        "unp_buffer: pop of what is not ready",
        "nops",
        (("unp_write.sv", "pop_o = token_goes ||", "pop_o = token_goes || !ready_i ||"),),
    ),
    Broken(
        "unp_buffer: an answer without a request",
        "layout",
        (("unp_buffer.sv", "open_q + 4'd1 : open_q", "open_q : open_q"),),
    ),
    Broken(
        "unp_buffer: more answers than entries",
        "layout",
        (("unp_buffer.sv", "answer_out = pop_i && !head.token", "answer_out = 1'b0"),),
    ),
    Broken(
        "unp_buffer: an entry of thread 3",
        "layout",
        (("unp_engine.sv", ".thread_i(thread)", ".thread_i(2'd3)"),),
    ),
    Broken(
        "unp_fetch: the end of a bounded output",
        "layout",
        (("unp_write.sv", "all_emitted_o = step_goes && finished", "all_emitted_o = step_goes"),),
    ),
    Broken(
        "unp_fetch: a beat of",
        "layout",
        (("unp_beat.sv", "count_o = beat.count", "count_o = beat.count + 8'd1"),),
    ),
    Broken(
        "unp_fetch: more lines than granted",
        "rates",
        (("unp_fetch.sv", ".valid_i(fetching), .grant_i,", ".valid_i(fetching), .grant_i(3'd4),"),),
    ),
    Broken(
        "unp_fetch: no such kind",
        "nops",
        (("unpack_unpacr_nop_pkg.sv", "default: p.kind = KindNop", "default: p.kind = 3'd7"),),
    ),
    Broken(
        "unp_fetch: thread 3",
        "layout",
        (("unpack_plan_pkg.sv", "p.thread = s.thread", "p.thread = 2'd3"),),
    ),
    Broken("entries", "nops", (("unp_queues.sv", "count_q[u] <= '0", "count_q[u] <= 2'd3"),)),
    Broken(
        "has no room",
        "bank_stalls",
        (("unp_address.sv", "{1'b0, nop_valid_q[0]} < 2'd2", "{1'b0, nop_valid_q[0]} < 2'd3"),),
    ),
    Broken("is empty", "nops", (("unp_fetch.sv", "load_o = plan_valid_i && (", "load_o = ("),)),
    Broken(
        "two instructions at once",
        "layout",
        (
            (
                "unp_address.sv",
                "issue_valid_i[0] && issue_word_i[0][31:24] != OP_UNPACR",
                "issue_valid_i[0]",
            ),
        ),
    ),
    Broken(
        "there is no set 3 of counters",
        "faults",
        (("unpack.sv", "number_adc == 2'd3 ? 2'd0 : number_adc", "number_adc"),),
    ),
    Broken(
        "unp_write: a beat without datums",
        "layout",
        (("unp_fetch.sv", "plan.bounded, count, plan.size", "plan.bounded, 8'd0, plan.size"),),
    ),
    Broken(
        "unp_write: a beat that clears",
        "layout",
        (("unp_fetch.sv", "plan.clear, plan.clear_both", "1'b1, plan.clear_both"),),
    ),
    Broken(
        "unp_write: no bounded output",
        "packed_parts",
        (
            ("unp_fetch.sv", "compressed, plan.bounded, count", "compressed, 1'b0, count"),
            ("unp_write.sv", ".bounded_i(beat.bounded)", ".bounded_i(beat.compressed)"),
            ("unp_write.sv", "beat.bounded ? beat.drop", "beat.compressed ? beat.drop"),
        ),
    ),
    Broken(
        "unp_write: no owner",
        "bank_stalls",
        (("unp_write.sv", "is_beat && !(writes && owner_i[beat.bank])", "is_beat"),),
    ),
    Broken(
        "unp_write: SrcB's unpacker and Dst",
        "layout",
        (("unp_fetch.sv", "plan.int8_unsigned, plan.to_dst,", "plan.int8_unsigned, 1'b1,"),),
    ),
    Broken(
        "src_file: a step and a clear in one cycle",
        "layout",
        (("unp_write.sv", "clear_banks_o = clears ?", "clear_banks_o = 1'b1 ?"),),
    ),
    Broken(
        "src_file: a step that writes nothing",
        "layout",
        (
            (
                "unp_back.sv",
                ".write_mask_i(write_mask_o[u]), .write_data_i",
                ".write_mask_i(128'd0), .write_data_i",
            ),
        ),
    ),
    Broken(
        "dst_file: a step that writes nothing",
        "dst_rows",
        (
            (
                "unp_back.sv",
                ".write_mask_i(write_mask_o[0]), .write_data_i",
                ".write_mask_i(128'd0), .write_data_i",
            ),
        ),
    ),
    Broken(
        "dst_file: no address of 256",
        "dst_rows",
        (("unp_mask.sv", "else if (set_ovrd) address = {6'd0, address[7:0]};", ""),),
    ),
)


def request(folder: Path, root: Path, test: str, sim: str) -> RunRequest:
    return RunRequest(
        block="unpack",
        test=test,
        seed=1,
        sim=sim,
        coverage=False,
        source_root=root,
        build_root=folder / "build",
        out_dir=folder / "runs",
        rerun_for_waves=False,
    )


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and this file has to grow."""
    assert assertions("rtl/unpack", "tb/unpack") == COUNTS
    assert len({case.says for case in CASES}) == len(CASES) == sum(COUNTS.values())


@pytest.mark.parametrize("case", CASES, ids=[case.says.replace(" ", "_") for case in CASES])
def test_assertion_fires(case: Broken, tmp_path: Path) -> None:
    root = changed_rtl(tmp_path, "unpack", case.edits)
    broken(run(request(tmp_path, root, case.test, SIM)), case.says, ".sv:")


def test_assertions_fire_on_verilator(tmp_path: Path) -> None:
    """One of them: the others are written alike, and compiling takes minutes."""
    case = next(case for case in CASES if case.says == "unp_write: no owner")
    root = changed_rtl(tmp_path, "unpack", case.edits)
    broken(run(request(tmp_path, root, case.test, FAST)), case.says, ".sv:")
