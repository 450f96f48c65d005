// SPDX-License-Identifier: Apache-2.0
module store #(parameter int Width = 4, parameter int Depth = 4) (
  input  wire logic                     clk_i,
  input  wire logic                     we_i,
  input  wire logic [$clog2(Depth)-1:0] row_i [2],
  input  wire logic [Width-1:0]         data_i,
  output logic      [Width-1:0]         data_o
);
  logic [Width-1:0] row_q [Depth];
  always_ff @(posedge clk_i) if (we_i) row_q[row_i[0]] <= data_i;
  assign data_o = row_q[row_i[1]];
endmodule

module inverted #(parameter int Width = 4, parameter int Depth = 4) (
  input  wire logic                     clk_i,
  input  wire logic                     we_i,
  input  wire logic [$clog2(Depth)-1:0] row_i [2],
  input  wire logic [Width-1:0]         data_i,
  output logic      [Width-1:0]         data_o
);
  wire logic [$clog2(Depth)-1:0] row [2];
  assign row[0] = ~row_i[0];
  assign row[1] = ~row_i[1];
  store #(.Width(Width), .Depth(Depth)) u_store (.clk_i, .we_i, .row_i(row), .data_i, .data_o);
endmodule

module dut (
  input  wire logic       clk_i,
  input  wire logic       we_i,
  input  wire logic [1:0] near_i [2],
  input  wire logic [5:0] far_i [2],
  input  wire logic [7:0] data_i,
  output logic      [7:0] one_o, two_o,
  output logic      [2:0] three_o
);
  inverted #(.Width(8), .Depth(64)) u_one (.clk_i, .we_i, .row_i(far_i), .data_i, .data_o(one_o));
  inverted #(.Width(8), .Depth(64)) u_two (
    .clk_i, .we_i, .row_i(far_i), .data_i(~data_i), .data_o(two_o)
  );
  inverted #(.Width(3), .Depth(4)) u_three (
    .clk_i, .we_i, .row_i(near_i), .data_i(data_i[2:0]), .data_o(three_o)
  );
endmodule
