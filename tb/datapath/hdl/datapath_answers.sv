// SPDX-License-Identifier: Apache-2.0
//
// Answers of a port of L1, in the order of the requests: what is given in cycle c comes out in cycle
// max(c + latency_i, answer before + 1); latency 0 stands for 1.
`timescale 1ns / 1ps
`default_nettype none

module datapath_answers #(
  parameter int Width = 128
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic [31:0]      cycle_i,
  input  wire logic [4:0]       latency_i,
  input  wire logic             valid_i,
  input  wire logic [Width-1:0] data_i,
  output wire logic             valid_o,
  output wire logic [Width-1:0] data_o
);

  localparam int Depth = 32;  // more than can be outstanding: one a cycle of the latency

  logic [Width-1:0] data_q [Depth];
  logic [31:0] due_q [Depth];
  logic [4:0] head, tail, fill;
  logic [31:0] due, last;
  logic valid_q;
  logic [Width-1:0] answer_q;

  assign valid_o = valid_q;
  assign data_o = answer_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head = '0;
      fill = '0;
      last = '0;
      valid_q <= 1'b0;
      answer_q <= '0;
    end else begin
      if (valid_q) valid_q <= 1'b0;
      if (valid_i) begin
        due = cycle_i + (latency_i == 5'd0 ? 32'd1 : 32'(latency_i));
        if (due <= last) due = last + 32'd1;
        last = due;
        tail = head + fill;
        data_q[tail] = data_i;
        due_q[tail] = due;
        fill = fill + 5'd1;
      end
      if (fill != 5'd0 && due_q[head] == cycle_i + 32'd1) begin
        valid_q <= 1'b1;
        answer_q <= data_q[head];
        head = head + 5'd1;
        fill = fill - 5'd1;
      end
    end
  end

endmodule

`default_nettype wire
