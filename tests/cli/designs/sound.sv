// SPDX-License-Identifier: Apache-2.0
module dut #(parameter int Width = 4) (
  input  wire logic             clk_i,
  input  wire logic             en_i,
  input  wire logic [Width-1:0] a_i,
  output logic      [Width-1:0] q_o
);
  always_ff @(posedge clk_i) if (en_i) q_o <= q_o + a_i;
endmodule
