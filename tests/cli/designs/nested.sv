// SPDX-License-Identifier: Apache-2.0
module chain #(parameter int Width = 4, parameter int Step = 1) (
  input  wire logic             clk_i,
  input  wire logic [Width-1:0] a_i,
  output logic      [Width-1:0] q_o
);
  always_ff @(posedge clk_i) q_o <= a_i + q_o * Width'(Step);
endmodule

module dut #(parameter int Width = 4) (
  input  wire logic        clk_i,
  input  wire logic [11:0] a_i [3],
  output logic      [11:0] q_o [3]
);
  for (genvar i = 0; i < 2; i++) begin : gen_chain
    chain #(.Width(12)) u_chain (.clk_i, .a_i(a_i[i]), .q_o(q_o[i]));
  end
  chain #(.Width(4)) u_short (.clk_i, .a_i(a_i[2][3:0]), .q_o(q_o[2][3:0]));
  assign q_o[2][11:4] = '0;
endmodule
