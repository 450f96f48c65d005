// SPDX-License-Identifier: Apache-2.0
//
// Which columns of a row have a datum, and which of these downsampling keeps (P27): the mask
// begins with bit `phase` at the first datum. /dev/null has its datums from column 0 on.
//
// Latency: one cycle. Handshake: none, rigid; the columns stay without valid_i. Reset: none.
`default_nettype none

module pack_columns
  import pack_pkg::*, pack_lane_pkg::*;
(
  input wire logic        clk_i,
  input wire logic        valid_i,
  input wire lane_t       lane_i,
  input wire logic [15:0] downsample_i,
  output wire columns_t   columns_o
);

  function automatic logic [15:0] rotated(input logic [15:0] mask, input logic [3:0] right);
    logic [15:0] by8, by4, by2;

    by8 = right[3] ? {mask[7:0], mask[15:8]} : mask;
    by4 = right[2] ? {by8[3:0], by8[15:4]} : by8;
    by2 = right[1] ? {by4[1:0], by4[15:2]} : by4;
    rotated = right[0] ? {by2[0], by2[15:1]} : by2;
  endfunction

  wire logic [3:0] first = lane_i.source == SourceNull ? 4'd0 : lane_i.column;
  wire logic [4:0] behind = {1'b0, first} + lane_i.count;
  wire logic [15:0] present = (16'hffff << first) & ~(16'hffff << behind);
  logic [15:0] present_q, kept_q;

  assign columns_o.present = present_q;
  assign columns_o.kept = kept_q;

  always_ff @(posedge clk_i)
    if (valid_i) begin
      present_q <= present;
      kept_q <= present & rotated(downsample_i, lane_i.phase - first);
    end

endmodule

`default_nettype wire
