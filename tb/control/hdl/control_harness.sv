// SPDX-License-Identifier: Apache-2.0
//
// Joins the control block's bench, clock and reset, and players that offer words at the issue ports.
`timescale 1ns / 1ps
`default_nettype none

module control_harness;

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

  control_bench u_bench (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .issue_valid_i(issue_valid), .issue_word_i(issue_word), .issue_ready_o(issue_ready),
    .count_o(count), .sem_value_o(sem_value)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire logic play;
    wire logic [15:0] after_count;
    wire logic [2:0] after_source, after_semaphore;
    wire logic [3:0] after_limit;

    control_play_issue #(.Index(t)) u_play_issue (
      .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(issue_ready[t]), .valid_o(play),
      .word_o(issue_word[t]), .after_count_o(after_count), .after_source_o(after_source),
      .after_semaphore_o(after_semaphore), .after_limit_o(after_limit)
    );
    control_hold u_hold_issue (
      .clk_i(clk), .rst_ni(rst_n), .valid_i(play), .source_i(after_source),
      .after_i(after_count), .semaphore_i(after_semaphore), .limit_i(after_limit),
      .done_i(issue_ready[t]), .count_i(count), .sem_value_i(sem_value),
      .offered_o(issue_valid[t]), .first_o()
    );
  end

endmodule

`default_nettype wire
