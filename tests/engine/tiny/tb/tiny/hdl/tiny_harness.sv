// SPDX-License-Identifier: Apache-2.0
//
// Joins the tiny block, its players and its recorders.
`timescale 1ns / 1ps
`default_nettype none

module tiny_harness;
  import tp_profile_pkg::*;

  logic clk, rst_n, flush;
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;
  logic put_valid, put_ready, got_valid, gate, pending_q;
  logic [31:0] put_word, got_word;
  logic [69:0] got_wide;
  logic [1:0] count;

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  tiny_play_source u_play_source (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(put_ready),
    .valid_o(put_valid), .word_o(put_word)
  );
  tiny_play_gate u_play_gate (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .open_o(gate)
  );

  tiny #(.Step(Step)) u_dut (
    .clk_i(clk), .rst_ni(rst_n),
    .put_valid_i(put_valid), .put_word_i(put_word), .gate_i(gate),
    .put_ready_o(put_ready), .got_valid_o(got_valid), .got_word_o(got_word),
    .got_wide_o(got_wide), .count_o(count)
  );

  always @(posedge clk) pending_q <= rst_n && put_valid && !put_ready;

`include "tiny_harness_taps.svh"

endmodule

`default_nettype wire
