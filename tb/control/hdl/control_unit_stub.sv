// SPDX-License-Identifier: Apache-2.0
//
// Stands for a unit behind the wait gates. It is ready when it is idle and not stalled. A word that
// it takes in t keeps it busy in t+1 ... t+n, n = work_i in t. In t+1, the cycle in which a real unit
// would sample its configuration, entry_o shows the word's thread and low nine bits.
`timescale 1ns / 1ps
`default_nettype none

module control_unit_stub (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        stall_i,
  input wire logic [4:0]  work_i,
  output wire logic       ready_o,
  output wire logic [2:0] busy_o,  // of each thread
  input wire logic        valid_i,
  input wire logic [1:0]  thread_i,
  input wire logic [31:0] word_i,
  output logic            entry_o,
  output logic [1:0]      thread_o,
  output logic [8:0]      index_o
);

  logic [4:0] left_q;

  assign busy_o = left_q != 5'd0 ? 3'd1 << thread_o : 3'd0;
  assign ready_o = !stall_i && left_q == 5'd0;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      entry_o <= 1'b0;
      thread_o <= '0;
      index_o <= '0;
    end else begin
      if (entry_o) entry_o <= 1'b0;
      if (left_q != 5'd0) left_q <= left_q - 5'd1;
      if (valid_i) begin
        entry_o <= 1'b1;
        left_q <= work_i;
        thread_o <= thread_i;
        index_o <= word_i[8:0];
      end
    end
  end

endmodule

`default_nettype wire
