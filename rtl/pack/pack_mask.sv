// SPDX-License-Identifier: Apache-2.0
//
// Edge mask (P25): a column that may not pass becomes 0 or minus infinity.
//
// Latency: one cycle. Handshake: none, rigid; the values stay without valid_i. Reset: none.
`default_nettype none

module pack_mask
  import pack_lane_pkg::*;
(
  input wire logic        clk_i,
  input wire logic        valid_i,
  input wire logic [31:0] masked_i,
  input wire logic [15:0] pass_i,
  input wire values_t     values_i,
  output values_t         values_o
);

  always_ff @(posedge clk_i)
    if (valid_i)
      for (int c = 0; c < Columns; c++) values_o[c] <= pass_i[c] ? values_i[c] : masked_i;

endmodule

`default_nettype wire
