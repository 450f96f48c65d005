// SPDX-License-Identifier: Apache-2.0
//
// Stands for the wait gates: words of three threads go to the packers (opcode 41 or 4A) when they
// are ready, the threads in turn, all other words to the address counters. Combinational: done_o in
// the cycle in which a word goes.
`timescale 1ns / 1ps
`default_nettype none

module pack_gate (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        valid_i [3],
  input  wire logic [31:0] word_i [3],
  output wire logic        done_o [3],
  input  wire logic        ready_i,
  output wire logic        issue_valid_o,
  output wire logic [1:0]  issue_thread_o,
  output wire logic [31:0] issue_word_o,
  output wire logic        counter_valid_o [3],
  output wire logic [31:0] counter_word_o [3]
);

  wire logic [2:0] wants, grant;

  tp_turns u_turns (
    .clk_i, .rst_ni, .wants_i(wants), .ready_i, .grant_o(grant), .valid_o(issue_valid_o),
    .thread_o(issue_thread_o)
  );
  assign issue_word_o = word_i[issue_thread_o];

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire logic packer = word_i[t][31:24] == 8'h41 || word_i[t][31:24] == 8'h4A;

    assign wants[t] = valid_i[t] && packer;
    assign counter_valid_o[t] = valid_i[t] && !packer;
    assign counter_word_o[t] = word_i[t];
    assign done_o[t] = counter_valid_o[t] || grant[t];
  end

endmodule

`default_nettype wire
