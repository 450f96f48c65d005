// SPDX-License-Identifier: Apache-2.0
//
// First half of early conversion (P20, P21): rounding to the intermediate format, half away from
// zero; integers are shifted, rounded and saturated. One rounder serves all formats: half of the
// last place that stays is added, what is below goes.
//
// Latency: one cycle. Handshake: none, rigid; the values stay without valid_i. Reset: none.
`default_nettype none

module pack_early_round
  import pack_lane_pkg::*;
(
  input wire logic   clk_i,
  input wire logic   valid_i,
  input wire round_t control_i,
  input wire int8_t  int8_i,
  input wire values_t values_i,
  output values_t    values_o
);

  function automatic logic [7:0] int8_of(input logic [31:0] value, input int8_t control);
    int8_t how;
    logic [23:0] by16;
    logic [15:0] by8;
    logic [11:0] by4;
    logic [9:0] by2;
    logic [8:0] left;    // what is left of the magnitude, and the bit behind it
    logic full;
    logic [7:0] carry;

    how = control;
    by16 = how.shift[4] ? {8'd0, value[30:15]} : {value[22:0], 1'b0};
    by8 = how.shift[3] ? by16[23:8] : by16[15:0];
    by4 = how.shift[2] ? by8[15:4] : by8[11:0];
    by2 = how.shift[1] ? by4[11:2] : by4[9:0];
    left = how.shift[0] ? by2[9:1] : by2[8:0];
    full = left[7:1] == 7'h7f && (left[8] || !how.uns);  // no carry beyond it
    carry[0] = left[0] && !full;
    for (int i = 1; i < 8; i++) carry[i] = carry[i-1] && left[i];
    int8_of = left[8:1] ^ carry | {8{(value[30:7] & how.over) != '0}};
    if (!how.uns) int8_of[7] = value[31];
    else if (value[31] && !how.raw) int8_of = 8'd0;
  endfunction

  function automatic logic [31:0] rounded(input logic [31:0] value, input logic [7:0] int8,
                                          input round_t control);
    round_t how;
    logic [31:0] x;
    logic top;           // exponent field all ones
    logic [17:0] run;

    how = control;
    x = value;
    top = value[30:23] == 8'hff;
    if (how.e8 && top || how.flush && value[30:23] == '0) x[22:0] = '0;
    if (how.e5 && top && value[22:19] == 4'hf) x[19] = 1'b0;
    run = ones_up_to({x[29:19], x[18:13] | how.below[18:13], (x[12] || how.below[12]) && how.on});
    rounded = {x[31], x[30:13] ^ run, x[12:0]} & {8'hff, ~how.drop};
    if (how.int8) rounded[31:24] = int8;
  endfunction

  always_ff @(posedge clk_i)
    if (valid_i)
      for (int c = 0; c < Columns; c++)
        values_o[c] <= rounded(values_i[c], int8_of(values_i[c], int8_i), control_i);

endmodule

`default_nettype wire
