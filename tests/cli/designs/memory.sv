// SPDX-License-Identifier: Apache-2.0
module store #(parameter int Rows = 4) (
  input  wire logic       clk_i,
  input  wire logic       we_i,
  input  wire logic [5:0] row_i [2],
  input  wire logic [7:0] data_i,
  output logic      [7:0] data_o
);
  logic [7:0] row_q [Rows];
  always_ff @(posedge clk_i) if (we_i) row_q[row_i[0]] <= data_i;
  assign data_o = row_q[row_i[1]];
endmodule

module dut #(parameter int Width = 4) (
  input  wire logic       clk_i,
  input  wire logic       we_i,
  input  wire logic [5:0] row_i [2],
  input  wire logic [7:0] data_i,
  output logic      [7:0] sum_o
);
  wire logic [7:0] data [2];
  store #(.Rows(64)) u_one (.clk_i, .we_i, .row_i, .data_i, .data_o(data[0]));
  store #(.Rows(32)) u_two (.clk_i, .we_i, .row_i, .data_i, .data_o(data[1]));
  always_ff @(posedge clk_i) sum_o <= data[0] + data[1];
endmodule
