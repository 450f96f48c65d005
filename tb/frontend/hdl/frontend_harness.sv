// SPDX-License-Identifier: Apache-2.0
//
// Joins the front end's bench, clock and reset, and players that take words from the issue ports.
`timescale 1ns / 1ps
`default_nettype none

module frontend_harness;

  logic clk, rst_n, flush;
  // what Python touches: engine/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  wire logic issue_valid [3], issue_ready [3];
  wire logic [31:0] issue_word [3];

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  frontend_bench u_bench (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .issue_valid_o(issue_valid), .issue_word_o(issue_word), .issue_ready_i(issue_ready)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_gate
    frontend_play_gate #(.Index(t)) u_play_gate (
      .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .ready_o(issue_ready[t])
    );
  end

endmodule

`default_nettype wire
