// SPDX-License-Identifier: Apache-2.0
// a product: ·
module dut #(parameter int N = 3) (
  input wire logic clk_i, rst_ni, go_i, input wire logic [7:0] a_i, output logic [7:0] q_o
);
  localparam int Twice = 2 * N;
  wire logic unused = a_i[5];
  wire logic [3:0] low = a_i[4:1] & {2{go_i, !go_i}};
  for (genvar g = 0; g < N + 1; g++) begin : gen_one
    wire logic bit_of = a_i[g];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) q_o <= '0;
    else if (go_i) begin
      for (int i = 0; i < 4; i++) q_o[i] <= low[i];
    end
    case (a_i[1:0])
      2'd1: q_o[7:4] <= low + 4'(Twice);
      default: ;
    endcase
  end
`ifndef SYNTHESIS
  initial if (N != 3) $fatal(1, "no");
  always_ff @(posedge clk_i) assert (a_i != 8'd9);
`endif
endmodule
