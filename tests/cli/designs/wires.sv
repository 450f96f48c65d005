// SPDX-License-Identifier: Apache-2.0
module part (
  input wire logic clk_i, a_i, b_i, input wire logic [3:0] c_i [2], output logic e_o, d_o
);
  assign {d_o, e_o} = {a_i && c_i[0][0], b_i};
endmodule
module dut (
  input wire logic clk_i, go_i, b_i, input wire logic [1:0] w_i, input wire logic [3:0] x_i [2],
  input wire logic [3:0] y_i [2], output wire logic d_o, e_o, output wire logic [1:0] q_o
);
  wire logic stop = w_i[0], unused = go_i;
  part u_part (.clk_i, .a_i(go_i && stop), .b_i, .c_i(x_i), .d_o, .e_o(e_o));
  for (genvar i = 0; i < 2; i++) begin : gen_bit
    assign q_o[i] = w_i[i];
  end
endmodule
