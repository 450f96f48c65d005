// SPDX-License-Identifier: Apache-2.0
//
// Joins the address counters, their players and recorders. tb/adc/streams.py describes the players,
// whose nets are those of the ports (engine/description/hdl.py), adc_harness.taps what is recorded.
// No command is ever refused, so every item is done in the cycle in which it is presented, and
// recorded as it is.
`timescale 1ns / 1ps
`default_nettype none

module adc_harness;
  import tp_profile_pkg::*;

  logic clk, rst_n, flush;
  // what Python touches: engine/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

`include "adc_harness_players.svh"

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  adc #(.ZwW(ZwW)) u_dut (
    .*, .clk_i(clk), .rst_ni(rst_n),
    // read by name, where it is recorded
    .live_o(), .cr_o(), .fault_illegal_o(), .fault_x_override_o(), .fault_empty_o(),
    .fault_unpack_thread_o(), .fault_flop_thread_o(), .fault_flop_select_o(), .conflict_o()
  );

`include "adc_harness_taps.svh"

endmodule

`default_nettype wire
