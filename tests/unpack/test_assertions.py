# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the unpackers' HDL, SrcA's and SrcB's fires when what it watches is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tilepath.tests.assertion_cases import Broken, fires, ids, results_of, run_alone
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.planted import Edit, assertions, broken

COUNTS: Final = {
    "src.sv": 1,
    "src_spread.sv": 1,
    "unpack_fetch.sv": 5,
    "unpack_fetch_beat.sv": 2,
    "unpack_fetch_place.sv": 1,
    "unpack_front.sv": 1,
    "unpack_issue.sv": 5,
    "unpack_queue.sv": 3,
    "unpack_write_buffer.sv": 4,
    "unpack_write_go.sv": 1,
    "unpack_write_rows.sv": 1,
}
OF_DST: Final = {"dst.sv": 1, "dst_block.sv": 2, "dst_shared.sv": 1, "dst_spread.sv": 1}
"""Those of ``dst_block`` and ``dst_shared`` are ours; the others fire in ``tests/pack``."""


def _case(says: str, test: str, name: str, old: str, new: str) -> Broken:
    file = f"{name}.sv" if "/" in name else f"unpack/unpack_{name}.sv"
    return Broken(says, test, ((file, old, new),))


CASES: Final = (
    _case("unpack_queue: no room", "bank_stalls", "queue",
          "count_q < (PointerWidth + 1)'(Queued - 1)\n"
          "                  || (count_q == (PointerWidth + 1)'(Queued - 1) && !sampled_i)",
          "1'b1"),
    _case("unpack_queue: nothing to load", "layout", "fetch",
          "load = plan_valid_i && (!active_q", "load = (!active_q"),
    _case("unpack_queue: a plan is ready at another time than its instruction", "layout", "front",
          ".late_valid_i(stage_q[7] &&", ".late_valid_i(stage_q[6] &&"),
    _case("unpack_front: two UNPACRs are sampled without a cycle between them", "packed", "issue",
          "if (longer) phase_q <= PhaseMiddle", "if (longer) phase_q <= PhaseSample"),
    _case("unpack_fetch: the end of a bounded output that is not here", "layout", "write_go",
          "bounded_done_o = goes && step.finishes", "bounded_done_o = goes"),
    _case("unpack_fetch: the end of an entry that is not here", "layout", "write_go",
          "done_o = goes && step.ends", "done_o = 1'b1"),
    _case("unpack_fetch: an answer to nothing", "packed", "fetch",
          "put_flight = fetching || rsi_valid_i", "put_flight = fetching"),
    _case("unpack_fetch: no such kind", "nops", "nop",
          "early_of.kind = kind_of(form)", "early_of.kind = kind_e'(3'd7)"),
    _case("unpack_fetch: thread 3", "layout", "modes",
          "early_of.whose.thread = sampled.thread", "early_of.whose.thread = 2'd3"),
    _case("unpack_fetch_beat: more than 128 datums", "layout", "fetch_beat",
          "fit_wide = {lines, ~place_q} >> shift", "fit_wide = '1"),
    _case("unpack_fetch_beat: more lines than granted", "rates", "fetch_beat",
          "decision_o.behind = behind[9:1]", "decision_o.behind = 9'd257"),
    _case("unpack_fetch_place: nothing to take", "layout", "fetch",
          ".take_i(load && plan_i.source.compressed)", ".take_i(load)"),
    _case("unpack_write_buffer: no room", "bank_stalls", "fetch",
          "room = in_use_q < UseWidth'(Beats)", "room = 1'b1"),
    _case("unpack_write_buffer: an answer without a beat", "packed", "fetch",
          "answer_beat_o = answer_valid_i && flight_q[0]", "answer_beat_o = answer_valid_i"),
    _case("unpack_write_buffer: an entry of thread 3", "layout", "fetch_request",
          "beat_o.whose = port2_q.whose", "beat_o.whose = '1"),
    _case("unpack_write_buffer: a beat without datums", "layout", "fetch_request",
          "beat_o.count = decision2_q.count", "beat_o.count = '0"),
    _case("unpack_write_go: a second part of a step that has none", "layout", "write_go",
          "second_q <= steps && place_i.two", "second_q <= steps"),
    _case("unpack_write_rows: SrcB's unpacker and Dst", "packed", "modes",
          "convert_of.to_dst = c.to_dst", "convert_of.to_dst = 1'b1"),
    _case("src: a write and a clear in one cycle", "layout", "write_go",
          "clear_valid_o = clear_valid_q[4]", "clear_valid_o = 1'b1"),
    _case("src_spread: rows of two blocks from row * on", "unpack_a_transpose", "src/src_spread",
          "wrapped[k] = 5'(k) < {1'b0, low}", "wrapped[k] = k == 0"),
    _case("dst_block: nothing is written", "dst_rows", "write",
          ".mask_i(mask[DstRows*Columns-1:0])", ".mask_i('0)"),
    _case("dst_block: row * is not in bank *", "dst_rows", "dst/dst_block",
          "exchange = first_bank ^ {1'b0, upper, 2'd0}", "exchange = first_bank ^ 4'd1"),
    _case("dst_shared: the Matrix Unit writes in a cycle of unpacker 0", "dst_rows",
          "dst/dst_shared", "write_i.valid && write_i.target == 2'd2", "block_valid != '0"),
)  # fmt: skip

_ISSUE: Final = (
    "  unpack_issue u_issue (\n"
    "    .clk_i, .rst_ni, .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .hold_o,"
)
_ROOM: Final = ("unpack_issue.sv", "ready_o = free ? room_i : 2'd0", "ready_o = room_i")


def _ports(before: str, old: str, new: str) -> Edit:
    """The ports of ``unpack_issue``: ``before`` the instance, and ``old`` → ``new`` in it."""
    assert _ISSUE.count(old) == 1
    return "unpack_front.sv", _ISSUE, before + _ISSUE.replace(old, new)


def _threads(value: int) -> Edit:
    """All words come from one thread."""
    both = "".join(f"  assign one_thread[{u}] = 2'd{value};\n" for u in range(2))
    declared = f"  wire logic [1:0] one_thread [2];\n{both}"
    return _ports(declared, ".issue_thread_i", ".issue_thread_i(one_thread)")


_SWAPPED: Final = (
    "  wire logic [31:0] swapped [2];\n"
    "  assign swapped[0] = issue_word_i[1];\n  assign swapped[1] = issue_word_i[0];\n"
)

ISSUE: Final = (
    Broken("is issued to without ready", "issue",
           (_ports("  assign ready_o = 2'd3;\n", ".ready_o", ".ready_o()"),)),
    Broken("is no word for unpacker", "issue",
           (_ports(_SWAPPED, ".issue_word_i", ".issue_word_i(swapped)"),)),
    Broken("there is no thread 3", "issue", (_threads(3),)),
    Broken("issues while it is held", "issue",
           (_ROOM, _ports("  assign hold_o = 3'd0;\n", ".hold_o", ".hold_o()"))),
    Broken("issues two words", "issue", (_threads(0),)),
)  # fmt: skip
"""What the unpackers ask of those that issue: these break connections, so each has a build."""


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and this file has to grow."""
    found = assertions("rtl/unpack", "rtl/src", "tb/unpack")
    assert found == COUNTS
    assert assertions("rtl/dst") == OF_DST
    cases = (*CASES, *ISSUE)
    wanted = sum(COUNTS.values()) + OF_DST["dst_block.sv"] + OF_DST["dst_shared.sv"]
    assert len({case.says for case in cases}) == len(cases) == wanted


results = results_of(ROWS["unpack"].bugs, CASES)
test_assertion_fires = fires(CASES)


@pytest.mark.parametrize("case", ISSUE, ids=ids(ISSUE))
def test_assertion_of_issue_fires(case: Broken, tmp_path: Path) -> None:
    broken(run_alone("unpack", case.test, case.edits, tmp_path), case.says, ".sv:")
