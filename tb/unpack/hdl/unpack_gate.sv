// SPDX-License-Identifier: Apache-2.0
//
// Stands for the wait gates: words of three threads go to the unpacker that they are for (opcode 42
// or 43, bit 23) when it is ready, the threads in turn, all other words to the address counters.
// Nothing goes while a thread is held. Combinational: done_o in the cycle in which a word goes.
`timescale 1ns / 1ps
`default_nettype none

module unpack_gate (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        valid_i [3],
  input  wire logic [31:0] word_i [3],
  output wire logic        done_o [3],
  input  wire logic [1:0]  ready_i,
  input  wire logic [2:0]  hold_i,
  output wire logic        issue_valid_o [2],
  output wire logic [1:0]  issue_thread_o [2],
  output wire logic [31:0] issue_word_o [2],
  output wire logic        counter_valid_o [3],
  output wire logic [31:0] counter_word_o [3]
);

  wire logic go [3], unit [3];
  wire logic [2:0] granted [2];

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    assign go[t] = valid_i[t] && !hold_i[t];
    assign unit[t] = word_i[t][31:24] == 8'h42 || word_i[t][31:24] == 8'h43;
    assign counter_valid_o[t] = go[t] && !unit[t];
    assign counter_word_o[t] = word_i[t];
    assign done_o[t] = counter_valid_o[t] || granted[0][t] || granted[1][t];
  end

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    wire logic [2:0] wants = {go[2] && unit[2] && word_i[2][23] == 1'(u),
                              go[1] && unit[1] && word_i[1][23] == 1'(u),
                              go[0] && unit[0] && word_i[0][23] == 1'(u)};
    wire logic [2:0] grant;

    tp_turns u_turns (
      .clk_i, .rst_ni, .wants_i(wants), .ready_i(ready_i[u]), .grant_o(grant),
      .valid_o(issue_valid_o[u]), .thread_o(issue_thread_o[u])
    );
    assign granted[u] = grant;
    assign issue_word_o[u] = grant[2] ? word_i[2] : grant[1] ? word_i[1] : word_i[0];
  end

endmodule

`default_nettype wire
