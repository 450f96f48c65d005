// SPDX-License-Identifier: Apache-2.0
//
// Three threads take turns: of those that want to go in a cycle with ready_i, the first one behind
// the thread that went last. Combinational; thread 0 is first after reset.
`timescale 1ns / 1ps
`default_nettype none

module tp_turns (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [2:0] wants_i,
  input  wire logic       ready_i,
  output wire logic [2:0] grant_o,
  output wire logic       valid_o,
  output wire logic [1:0] thread_o
);

  logic [1:0] last_q;  // thread that went last
  wire logic before0 = last_q == 2'd1 ? wants_i[2] : last_q == 2'd0 && wants_i[2:1] != 2'd0;
  wire logic before1 = last_q == 2'd2 ? wants_i[0]
                                      : last_q == 2'd1 && (wants_i[2] || wants_i[0]);
  wire logic before2 = last_q == 2'd0 ? wants_i[1] : last_q == 2'd2 && wants_i[1:0] != 2'd0;

  assign grant_o = ready_i ? wants_i & ~{before2, before1, before0} : 3'd0;
  assign valid_o = grant_o != 3'd0;
  assign thread_o = grant_o[2] ? 2'd2 : grant_o[1] ? 2'd1 : 2'd0;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= 2'd2;
    else if (valid_o) last_q <= thread_o;
  end

endmodule

`default_nettype wire
