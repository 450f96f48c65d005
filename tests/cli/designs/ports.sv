// SPDX-License-Identifier: Apache-2.0
module bank (
  input  wire logic        clk_i,
  input  wire logic [1:0]  mask_i,
  input  wire logic [2:0]  first_i,
  input  wire logic [2:0]  second_i,
  input  wire logic [15:0] data_i,
  output logic      [15:0] one_o, two_o
);
  logic [15:0] word_q [8];
  always_ff @(posedge clk_i) begin
    for (int p = 0; p < 2; p++) if (mask_i[p]) word_q[first_i][8*p+:8] <= data_i[8*p+:8];
    word_q[second_i] <= ~data_i;
    one_o <= word_q[first_i];
    two_o <= word_q[second_i];
  end
endmodule

module dut (
  input  wire logic        clk_i,
  input  wire logic [1:0]  mask_i,
  input  wire logic [2:0]  first_i,
  input  wire logic [2:0]  second_i,
  input  wire logic [15:0] data_i,
  output logic      [15:0] one_o [3], two_o [3]
);
  for (genvar n = 0; n < 3; n++) begin : gen_bank
    bank u_bank (.clk_i, .mask_i, .first_i, .second_i, .data_i, .one_o(one_o[n]), .two_o(two_o[n]));
  end
endmodule
