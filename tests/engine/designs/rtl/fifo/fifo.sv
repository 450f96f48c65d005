// SPDX-License-Identifier: Apache-2.0
//
// A FIFO of four words. Latency: 1 cycle. Handshake: valid and ready on both sides. Reset: empty.
`timescale 1ns / 1ps
`default_nettype none

module fifo (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        push_valid_i,
  input wire logic [15:0] push_word_i,
  output logic            push_ready_o,
  output logic            pop_valid_o,
  output logic [15:0]     pop_word_o,
  input wire logic        pop_ready_i,
  output logic [2:0]      level_o
);

  logic [15:0] words_q [4];
  logic [1:0]  first_q, behind;
  logic [2:0]  level_q;
  logic        push, pop;

  assign push_ready_o = level_q != 3'd4;
  assign pop_valid_o  = level_q != 3'd0;
  assign pop_word_o   = words_q[first_q];
  assign level_o      = level_q;
  assign behind       = first_q + level_q[1:0];
  assign push         = push_valid_i && push_ready_o;
  assign pop          = pop_valid_o && pop_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= '0;
      level_q <= '0;
    end else begin
      if (pop) first_q <= first_q + 2'd1;
      level_q <= level_q + 3'(push) - 3'(pop);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) words_q[behind] <= push_word_i;
  end

endmodule

`default_nettype wire
