# SPDX-License-Identifier: Apache-2.0
"""Every assertion of the packers' HDL and Dst's fires when what it watches is broken."""

from __future__ import annotations

from typing import Final

from tilepath.tests.assertion_cases import Broken, fires, results_of
from tilepath.tests.blocks.test_bugs_in_batches import ROWS
from tilepath.tests.planted import Edit, assertions

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

_NONE_DUE: Final = ("pack/pack.sv", ".answers_due_i(answers_due)", ".answers_due_i(1'b0)")
_SIDE_STAYS: Final = (
    "pack/pack_port.sv",
    "side = l1_ready_i && !sum_valid_i && side_valid_i",
    "side = 1'b0",
)
_NEVER_READY: Final = ("pack/pack.sv", ".l1_ready_i(l1_ready_i[p])", ".l1_ready_i(1'b0)")


def _case(says: str, test: str, name: str, old: str, new: str, *more: Edit) -> Broken:
    file = f"{name}.sv" if "/" in name else f"pack/{name}.sv"
    return Broken(says, test, ((file, old, new), *more))


CASES: Final = (
    _case("pack_sample: * is no word for the packers", "addresses", "pack_sample",
          "issue_word_i[31:24] == OP_PACR_SETREG", "1'b0"),
    _case("pack_sample: there is no thread 3", "pack_tile", "pack_sample",
          "thread_q <= issue_thread_i", "thread_q <= 2'd3"),
    _case("pack_plan_queue: a fourth instruction", "scenes_edge", "pack_plan_queue",
          "count_q + {1'b0, valid_i} < 2'(PlanDepth)", "count_q < 2'(PlanDepth)"),
    _case("pack_plan_queue: none is there to depart", "pack_tile", "pack_depart",
          "valid_i && (plan.load", "(plan.load"),
    _case("pack_depart: packer 0 is through with an instruction that it has not", "pack_tile",
          "pack_depart", "departs_o && plan.mask[p]", "1'b0"),
    _case("pack_instructions: no room", "faults", "pack_depart",
          "under_way_q == 4'(UnderWay)", "1'b0"),
    _case("pack_instructions: taken from an empty queue", "pack_tile", "pack_steps",
          "loads = valid_i && (!valid_q", "loads = (!valid_q"),
    _case("pack_source: an answer that is not due", "scenes_default", "pack",
          ".valid_i(source_valid)", ".valid_i(1'b0)"),
    _case("pack_source: no room for a request", "addresses", "pack_source",
          "due_q + {4'd0, valid_i} - {4'd0, answer_valid_i}", "due_q + {4'd0, valid_i}", _NONE_DUE),
    _case("pack_steps: a step is taken that is not there", "pack_tile", "pack_steps",
          "in_flight_q + {4'd0, makes} - {4'd0, taken_i}", "in_flight_q - {4'd0, taken_i}"),
    _case("pack_steps: a row that no one asked for", "pack_tile", "dst/dst",
          "read_valid_i[j] && against == '0", "against == '0"),
    _case("dst: lane * reads two rows from * on", "pack_tile", "pack",
          "dst_wide_o = mode.read_32b", "dst_wide_o = 1'b1"),
    _case("dst_spread: * rows of a run of *", "pack_tile", "dst/dst_spread",
          "number1 < {1'b0, run_i.count}", "number1 + 5'd1 < {1'b0, run_i.count}"),
    _case("pack_lane: no such source", "pack_tile", "pack_steps",
          "lane_of.source = source", "lane_of.source = 2'd3"),
    _case("pack_lane: 17 datums from column 0", "pack_tile", "pack_steps",
          "lane_of.count = count", "lane_of.count = count + 5'd1"),
    _case("pack_step_queue: there is no step to take", "pack_tile", "pack_back",
          ".step_o(step), .take_i(take)", ".step_o(step), .take_i(1'b1)"),
    _case("pack_step_queue: no room for a step", "scenes_pressure", "pack_steps",
          "valid_q && (started_q || !in_flight_q[4])", "valid_q"),
    _case("pack_row_queue: there is no row to take", "elements", "pack_gather",
          "take_rows_o = take ? want : '0", "take_rows_o = take ? '1 : '0"),
    _case("pack_row_queue: no room for a row", "pack_tile", "pack_gather",
          "take_rows_o = take ? want : '0", "take_rows_o = '0"),
    _case("pack_row_queue: a row of 17 elements", "pack_tile", "pack_lane",
          ".count_i(count)", ".count_i(5'd17)"),
    _case("pack_gather: holds * elements", "scenes_pressure", "pack_gather",
          "excess[8] || pop_rest || excess[7:0] <= popped", "1'b1"),
    _case("pack_gather: a line too many accepted", "pack_tile", "pack_gather",
          "{data_valid, exponent_valid, rsi_valid}", "{1'b0, exponent_valid, rsi_valid}"),
    _case("pack_gather: the mode changes with lines in flight", "random_pressure", "pack_gather",
          "whole == '0 && lines_q == '0 && pipeline_q == '0", "whole == '0"),
    _case("pack_gather: a new address for an open line", "values_formats", "pack_order",
          "!setreg && needs.data", "!setreg"),
    _case("pack_compress: element * of *", "pack_compressed", "pack_compress",
          "more = cursor_q != total_i", "more = 1'b1"),
    _case("pack_compress: the mode changes within a step", "pack_compressed", "pack_gather",
          ".discard_i(discard)", ".discard_i(discard || whole != '0)"),
    _case("pack_line_queue: no room for data lines", "pack_tile", "pack_gather",
          "lines_q < 4'(LinesInFlight)", "1'b1", _NEVER_READY),
    _case("pack_line_queue: no room for a side line", "pack_tile", "pack_back",
          ".rsi_valid_i(rsi_in)", ".rsi_valid_i(1'b1)", _SIDE_STAYS),
    _case("pack_line_queue: no data to take", "pack_tile", "pack_back",
          ".take_data_i(take_data)", ".take_data_i(1'b1)"),
    _case("pack_line_queue: no side line to take", "pack_tile", "pack_back",
          ".take_side_i(take_side)", ".take_side_i(1'b1)"),
    _case("pack_accumulate: 17 in flight", "scenes_accumulate", "pack_accumulate",
          "flying_q != 5'(SumsInFlight)", "1'b1"),
    _case("pack_accumulate: there is no sum", "pack_tile", "pack_port",
          "sum = l1_ready_i && sum_valid_i", "sum = l1_ready_i"),
    _case("pack_accumulate: nothing was read for this answer", "pack_tile", "pack_back",
          "read_o = {read,", "read_o = {take_data,"),
)  # fmt: skip


def test_all_assertions_are_known() -> None:
    """A ``$fatal`` more, and this file has to grow."""
    found = assertions("rtl/pack", "rtl/dst", "tb/pack")
    assert (found.pop("dst_block.sv"), found.pop("dst_shared.sv")) == (2, 1)  # the unpackers'
    assert found == COUNTS
    assert len({case.says for case in CASES}) == len(CASES) == sum(COUNTS.values())


results = results_of(ROWS["pack"].bugs, CASES)
test_assertion_fires = fires(CASES)
