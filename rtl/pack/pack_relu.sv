// SPDX-License-Identifier: Apache-2.0
//
// ReLU (P24): sign and magnitude are compared as integers, the threshold being aligned with the
// upper half of the datum. With ReluMaxCmp19 the maximum looks at bits 31:13 only.
//
// Latency: one cycle. Handshake: none, rigid; the values stay without valid_i. Reset: none.
`default_nettype none

module pack_relu
  import pack_lane_pkg::*;
#(
  parameter int ReluMaxCmp19 = 0
) (
  input wire logic   clk_i,
  input wire logic   valid_i,
  input wire relu_t  control_i,
  input wire values_t values_i,
  output values_t    values_o
);

  // a > b, as a tree: bit by bit, then of groups of twice as many
  function automatic logic greater(input logic [15:0] a, input logic [15:0] b);
    logic [15:0] more, same;

    more = a & ~b;
    same = ~(a ^ b);
    for (int level = 0; level < 4; level++)
      for (int i = 0; i < (8 >> level); i++) begin
        more[i] = more[2*i+1] | same[2*i+1] & more[2*i];
        same[i] = same[2*i+1] & same[2*i];
      end
    greater = more[0];
  endfunction

  function automatic logic [31:0] bounded(input logic [31:0] value, input relu_t control);
    relu_t how;
    logic low, above, negative, zero, limit;

    how = control;
    low = value[15:13] != '0 || value[12:0] != '0 && !(ReluMaxCmp19 != 0 && how.maximum);
    // a threshold below 0 is exceeded by all that is left, of -0 by what is not 0
    negative = how.threshold[15] && how.threshold[14:0] != '0;
    above = negative || greater({value[30:16], low}, {how.threshold[14:0], 1'b0});
    zero = how.sign && value[31] || how.minimum && !above;
    limit = how.maximum && above;
    bounded = zero ? 32'd0 : limit ? {how.threshold, 16'd0} : value;
  endfunction

  always_ff @(posedge clk_i)
    if (valid_i) for (int c = 0; c < Columns; c++) values_o[c] <= bounded(values_i[c], control_i);

endmodule

`default_nettype wire
