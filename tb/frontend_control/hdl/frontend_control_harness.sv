// SPDX-License-Identifier: Apache-2.0
//
// The front end's bench and control's, joined at the issue ports, with clock and reset.
`timescale 1ns / 1ps
`default_nettype none

module frontend_control_harness;

  logic clk, rst_n, flush;
  // what Python touches: engine/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  wire logic issue_valid [3], issue_ready [3];
  wire logic [31:0] issue_word [3];
  wire logic [15:0] count [6];
  wire logic [31:0] sem_value;

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  frontend_bench u_frontend (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .issue_valid_o(issue_valid), .issue_word_o(issue_word), .issue_ready_i(issue_ready)
  );

  control_bench u_control_bench (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .issue_valid_i(issue_valid), .issue_word_i(issue_word), .issue_ready_o(issue_ready),
    .count_o(count), .sem_value_o(sem_value)
  );

endmodule

`default_nettype wire
