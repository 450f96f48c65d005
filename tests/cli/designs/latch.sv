// SPDX-License-Identifier: Apache-2.0
module dut (input wire logic en_i, input wire logic a_i, output logic q_o);
  always_comb if (en_i) q_o = a_i;
endmodule
