// SPDX-License-Identifier: Apache-2.0
//
// Exponent threshold (P27): a datum whose exponent is below it becomes +0. Beside it the exponents
// of the same values for the histogram.
//
// Latency: one cycle; exponent_o combinational. Handshake: none, rigid; the values stay without
// valid_i. Reset: none.
`default_nettype none

module pack_threshold
  import pack_lane_pkg::*;
(
  input wire logic         clk_i,
  input wire logic         valid_i,
  input wire threshold_t   control_i,
  input wire exponent_t    exponent_i,
  input wire values_t      values_i,
  output wire logic [127:0] exponent_o,  // 8 bits a column
  output values_t          values_o
);

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [7:0] exponent_of(input logic [31:16] value, input exponent_t control);
    exponent_t how;

    how = control;
    if (how.e5) exponent_of = {3'd0, value[30:26]};
    else if (how.int16) exponent_of = value[23:16];
    else if (how.int8) exponent_of = value[31:24];
    else exponent_of = value[30:23];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // a < b, as a tree
  function automatic logic less(input logic [7:0] a, input logic [7:0] b);
    logic [7:0] fewer, same;

    fewer = ~a & b;
    same = ~(a ^ b);
    for (int level = 0; level < 3; level++)
      for (int i = 0; i < (4 >> level); i++) begin
        fewer[i] = fewer[2*i+1] | same[2*i+1] & fewer[2*i];
        same[i] = same[2*i+1] & same[2*i];
      end
    less = fewer[0];
  endfunction

  function automatic logic [31:0] thresholded(input logic [31:0] value, input threshold_t control);
    threshold_t how;
    logic zero;

    how = control;
    zero = (how.on8 || how.on5)
           && less(how.on5 ? {3'd0, value[30:26]} : value[30:23], how.threshold);
    thresholded = value & {32{!zero}};
  endfunction

  always_ff @(posedge clk_i)
    if (valid_i)
      for (int c = 0; c < Columns; c++) values_o[c] <= thresholded(values_i[c], control_i);

  for (genvar c = 0; c < Columns; c++) begin : gen_exponent
    assign exponent_o[8*c+:8] = exponent_of(values_i[c][31:16], exponent_i);
  end

endmodule

`default_nettype wire
