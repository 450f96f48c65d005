// SPDX-License-Identifier: Apache-2.0
//
// Second half of early conversion: a zero exponent becomes +0 (P21); BF16 becomes FP16 with
// Round_10b_mant (P22 b, P54).
//
// Latency: one cycle. Handshake: none, rigid; the values stay without valid_i. Reset: none.
`default_nettype none

module pack_early_flush
  import pack_lane_pkg::*;
(
  input wire logic   clk_i,
  input wire logic   valid_i,
  input wire flush_t control_i,
  input wire values_t values_i,
  output values_t    values_o
);

  function automatic logic [31:0] flushed(input logic [31:0] value, input flush_t control);
    flush_t how;
    logic zero;

    how = control;
    zero = value[30:26] == '0 && (how.flush5 || how.flush8 && value[25:23] == '0);
    flushed = value & {32{!zero}};
    if (how.narrow) flushed[31:16] = narrowed(value[31:13]);
  endfunction

  always_ff @(posedge clk_i)
    if (valid_i) for (int c = 0; c < Columns; c++) values_o[c] <= flushed(values_i[c], control_i);

endmodule

`default_nettype wire
