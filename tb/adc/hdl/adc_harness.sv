// SPDX-License-Identifier: Apache-2.0
//
// Joins the address counters, their players and recorders. tb/adc/streams.py describes the players,
// of which the modules adc_play_* are made, adc_harness.taps what is recorded. No command is ever
// refused, so every item is done in the cycle in which it is presented, and recorded as it is.
`timescale 1ns / 1ps
`default_nettype none

module adc_harness;
  import tp_profile_pkg::*;

  logic clk, rst_n, flush;
  // what Python touches: engine/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  wire logic issue_valid [3];
  wire logic [31:0] issue_word [3];
  wire logic unpack_valid, unpack_unpacker, pack_valid, flop_valid, flop_channel, flop_checkpoint;
  wire logic [1:0] unpack_thread, unpack_adc, unpack_y0, unpack_z0, unpack_y1, unpack_z1;
  wire logic [2:0] pack_sets;
  wire logic [15:0] pack_addr_mod;
  wire logic [1:0] flop_thread, flop_select, flop_counter;
  wire logic [17:0] flop_value;

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  adc #(.ZwW(ZwW)) u_dut (
    .clk_i(clk), .rst_ni(rst_n),
    .issue_valid_i(issue_valid), .issue_word_i(issue_word),
    .unpack_valid_i(unpack_valid), .unpack_unpacker_i(unpack_unpacker),
    .unpack_thread_i(unpack_thread), .unpack_adc_i(unpack_adc),
    .unpack_y0_i(unpack_y0), .unpack_z0_i(unpack_z0),
    .unpack_y1_i(unpack_y1), .unpack_z1_i(unpack_z1),
    .pack_valid_i(pack_valid), .pack_sets_i(pack_sets), .pack_addr_mod_i(pack_addr_mod),
    .flop_valid_i(flop_valid), .flop_thread_i(flop_thread), .flop_select_i(flop_select),
    .flop_channel_i(flop_channel), .flop_counter_i(flop_counter),
    .flop_checkpoint_i(flop_checkpoint), .flop_value_i(flop_value),
    // read by name, where it is recorded
    .live_o(), .cr_o(), .fault_illegal_o(), .fault_x_override_o(), .fault_empty_o(),
    .fault_unpack_thread_o(), .fault_flop_thread_o(), .fault_flop_select_o(), .conflict_o()
  );

  // ---- players
  adc_play_unpack u_play_unpack (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(1'b1), .valid_o(unpack_valid),
    .unpacker_o(unpack_unpacker), .thread_o(unpack_thread), .adc_o(unpack_adc),
    .y0_o(unpack_y0), .z0_o(unpack_z0), .y1_o(unpack_y1), .z1_o(unpack_z1)
  );
  adc_play_pack u_play_pack (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(1'b1), .valid_o(pack_valid),
    .sets_o(pack_sets), .addr_mod_o(pack_addr_mod)
  );
  adc_play_flop u_play_flop (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(1'b1), .valid_o(flop_valid),
    .thread_o(flop_thread), .select_o(flop_select), .channel_o(flop_channel),
    .counter_o(flop_counter), .checkpoint_o(flop_checkpoint), .value_o(flop_value)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    adc_play_issue #(.Index(t)) u_play_issue (
      .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(1'b1),
      .valid_o(issue_valid[t]), .word_o(issue_word[t])
    );
  end

`include "adc_harness_taps.svh"

endmodule

`default_nettype wire
