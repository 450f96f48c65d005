// SPDX-License-Identifier: Apache-2.0
//
// The unpackers with what is looked at inside led out: pointers, what each step writes, clears, and
// the address counters.
`timescale 1ns / 1ps
`default_nettype none

module unpack_units
  import unit_port_pkg::*;
  import unpack_pkg::*;
  import unpack_write_pkg::*;
  import tp_profile_pkg::*;
(
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire config_write_t cfg_i,
  input  wire config_write_t flop_i,
  input  wire setc16_t       setc16_i [3],
  input  wire thread_store_t store_i,
  input  wire logic [19:0]   setreg_base0_i,
  input  wire logic [19:0]   setreg_base1_i,
  // of each unpacker
  input  wire logic          issue_valid_i [2],
  input  wire logic [1:0]    issue_thread_i [2],
  input  wire logic [31:0]   issue_word_i [2],
  output wire l1_request_t   l1_o [2],
  input  wire l1_answer_t    l1_answer_i [2],
  output wire logic          write_valid_o [2],
  output wire obs_write_t    write_o [2],
  output wire obs_clear_t    clear_o [2],
  output wire overlay_t      overlay_o [2],
  output wire setreg_write_t setreg_o [2],
  output wire fault_t        fault_o [2],
  output wire logic [4:0]    read_fault_o [2],
  output wire logic [7:0]    write_fault_o [2],
  output wire logic [44:0]   pointers_o [2],  // {acc, contexts, rows, bank}
  // of both
  output wire logic [1:0]    ready_o,
  output wire logic [2:0]    hold_o,
  output wire logic [3:0]    owner_o,
  output wire logic [5:0]    busy_o,
  output wire logic [2:0]    unit_fault_o,
  // the Matrix Unit
  input  wire matrix_command_t matrix_i,
  input  wire matrix_write_t matrix_write_i,
  output wire matrix_answer_t matrix_answer_o,
  input  wire logic [1:0]    matrix_banks_i,
  output wire logic          pause_o,
  output wire logic [1:0]    stale_o,
  output wire logic [15:0]   implied_o,
  // the address counters
  input  wire logic          counter_valid_i [3],
  input  wire logic [31:0]   counter_word_i [3],
  output wire logic [60:0]   live_o [18],
  output wire logic [60:0]   cr_o [18],
  output wire logic          counter_illegal_o [3],
  output wire logic          counter_x_override_o [3],
  output wire logic          counter_empty_o [3],
  output wire logic [8:0]    counter_conflict_o
);

  unpack_top #(
    .ZwW(ZwW), .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb),
    .UnpacrNopZeroClears(UnpacrNopZeroClears), .BurstDefaultThrottle(BurstDefaultThrottle),
    .SrcaRowHigh(SrcaRowHigh), .SpareUnpacr(SpareUnpacr), .RowW(RowW),
    .UpsampleZeros(UpsampleZeros), .Fp8E5m2Fill(Fp8E5m2Fill), .DstRemap(DstRemap),
    .L1Lines(L1Lines)
  ) u_dut (
    .clk_i, .rst_ni, .cfg_i, .flop_i, .setc16_i, .store_i, .issue_valid_i,
    .issue_thread_i, .issue_word_i, .ready_o,
    .hold_o, .counter_valid_i, .counter_word_i, .matrix_i,
    .matrix_write_i, .matrix_answer_o, .matrix_banks_i, .pause_o, .stale_o, .implied_o,
    .setreg_base0_i, .setreg_base1_i, .l1_o, .l1_answer_i, .overlay_o, .setreg_o, .owner_o,
    .busy_o, .fault_o, .read_fault_o, .write_fault_o, .unit_fault_o,
    .counter_fault_illegal_o(counter_illegal_o),
    .counter_fault_x_override_o(counter_x_override_o),
    .counter_fault_empty_o(counter_empty_o), .counter_conflict_o
  );

  for (genvar u = 0; u < 2; u++) begin : gen_inside
    assign write_valid_o[u] = u_dut.u_unpackers.gen_unpacker[u].u_write.obs_write_valid;
    assign write_o[u] = u_dut.u_unpackers.gen_unpacker[u].u_write.obs_write;
    assign clear_o[u]
      = {u_dut.u_src.gen_src[u].u_src.clear_q, u_dut.u_src.gen_src[u].u_src.clear_value_q};
    assign pointers_o[u] = {
      u_dut.u_unpackers.gen_unpacker[u].u_fetch.acc_o,
      u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[2],
      u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[1],
      u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[0],
      u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[2],
      u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[1],
      u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[0],
      u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_bank_q
    };
  end
  for (genvar n = 0; n < 18; n++) begin : gen_counters
    assign live_o[n] = u_dut.live[n];
    assign cr_o[n] = u_dut.cr[n];
  end

endmodule

`default_nettype wire
