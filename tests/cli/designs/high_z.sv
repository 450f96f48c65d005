// SPDX-License-Identifier: Apache-2.0
// Numbers with a z, which the rules name, and patterns that they do not.

module high_z (
  input  logic [3:0] a_i,
  output logic [3:0] b_o, c_o, d_o, e_o, f_o,
  output logic       g_o, h_o, i_o
);
  assign b_o = 4'b1z0z;  // named
  assign c_o = a_i[0] ? 4'sh0 : 4'h Z;  // named
  assign d_o = 4'b1?0?;  // named
  assign e_o = 'z;  // named
  assign f_o = a_i[0] ? 4'b1x10 : '0;  // no 4'bz
  assign g_o = a_i inside {4'b1??0};
  assign h_o = a_i ==? 4'b1??0;
  always_comb begin
    casez (a_i)
      4'b1??0, 4'b0?01: i_o = 1'b1;
      default: i_o = 1'b0;
    endcase
  end
endmodule
