// SPDX-License-Identifier: Apache-2.0
//
// Joins the packers' bench, clock and reset, and players that issue words through a gate.
`timescale 1ns / 1ps
`default_nettype none

module pack_harness;

  logic clk, rst_n, flush;
  // what Python touches: engine/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  wire logic item_valid [3], issue_done [3], counter_valid [3];
  wire logic [31:0] item_word [3], counter_word [3];
  wire logic issue_valid, ready;
  wire logic [1:0] issue_thread;
  wire logic [31:0] issue_word;
  wire logic [11:0] busy;
  wire logic [27:0] count [16];

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  pack_bench u_bench (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .issue_valid_i(issue_valid), .issue_thread_i(issue_thread), .issue_word_i(issue_word),
    .ready_o(ready), .counter_valid_i(counter_valid), .counter_word_i(counter_word),
    .busy_o(busy), .count_o(count)
  );

  pack_gate u_gate (
    .clk_i(clk), .rst_ni(rst_n), .valid_i(item_valid), .word_i(item_word), .done_o(issue_done),
    .ready_i(ready),
    .issue_valid_o(issue_valid), .issue_thread_o(issue_thread), .issue_word_o(issue_word),
    .counter_valid_o(counter_valid), .counter_word_o(counter_word)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    pack_play_issue #(.Index(t)) u_play_issue (
      .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(issue_done[t]),
      .valid_o(item_valid[t]), .busy_i(busy), .count_i(count), .word_o(item_word[t])
    );
  end

endmodule

`default_nettype wire
