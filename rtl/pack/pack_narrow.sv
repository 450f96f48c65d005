// SPDX-License-Identifier: Apache-2.0
//
// TF32 values to FP16 with Round_10b_mant (P22 a, P56, P57): behind ReLU, before the histogram and
// the threshold (P60).
//
// Latency: one cycle. Handshake: none, rigid; the values stay without valid_i. Reset: none.
`default_nettype none

module pack_narrow
  import pack_lane_pkg::*;
(
  input wire logic    clk_i,
  input wire logic    valid_i,
  input wire logic    narrow_i,
  input wire values_t values_i,
  output values_t     values_o
);

  function automatic logic [31:0] converted(input logic [31:0] value, input logic narrow);
    converted = narrow ? {narrowed(value[31:13]), 16'd0} : value;
  endfunction

  always_ff @(posedge clk_i)
    if (valid_i) for (int c = 0; c < Columns; c++) values_o[c] <= converted(values_i[c], narrow_i);

endmodule

`default_nettype wire
