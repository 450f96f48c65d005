// SPDX-License-Identifier: Apache-2.0
//
// A row of Dst as the packer's intermediate format (P17, P19), or the datums of a line of L1 (P16),
// or zeros of /dev/null.
//
// Latency: one cycle. Handshake: none, rigid; the values stay without valid_i. Reset: none.
`default_nettype none

module pack_fetch
  import pack_pkg::*, pack_lane_pkg::*;
(
  input wire logic         clk_i,
  input wire logic         valid_i,
  input wire fetch_t       control_i,
  input wire line_t        line_i,
  input wire logic [1:0]   source_i,
  input wire logic [255:0] high_i,        // of Dst
  input wire logic [255:0] low_i,
  input wire logic         row_valid_i,
  input wire logic [127:0] data_i,        // of L1
  output values_t          values_o
);

  wire logic from_dst = source_i == SourceDst && (row_valid_i || control_i.ignore_valid);
  wire logic from_line = source_i == SourceL1;
  wire logic [255:0] high = high_i & {256{from_dst}};
  wire logic [255:0] low = low_i & {256{from_dst && control_i.low}};
  wire logic [127:0] line = data_i & {128{from_line}};

  function automatic logic [31:0] stored(input logic [15:0] upper, input logic [15:0] lower,
                                         input logic e5, input logic raw);
    logic [14:0] magnitude;

    if (raw) magnitude = upper[14:0];
    else if (e5) magnitude = {upper[4:0], upper[14:5]};
    else magnitude = {upper[7:0], upper[14:8]};
    stored = {upper[15], magnitude, lower};
  endfunction

  // datum `column` of the line; the line has that many of the smallest only
  function automatic logic [31:0] fetched(input logic [127:0] datums, input int column,
                                          input line_t control);
    logic [7:0] octet;
    line_t how;

    how = control;
    octet = datums[8*column+:8];
    if (how.bits32) fetched = column < 4 ? datums[32*(column%4)+:32] : 32'd0;
    else if (how.bits16) fetched = column < 8 ? {datums[16*(column%8)+:16], 16'd0} : 32'd0;
    else if (how.bfp_b) fetched = {octet[7], 8'd0, octet[6:0], 16'd0};
    else if (how.bfp_a) fetched = {octet[7], 5'd0, octet[6:0], 19'd0};
    else fetched = {octet, 24'd0};
  endfunction

  always_ff @(posedge clk_i)
    if (valid_i)
      for (int c = 0; c < Columns; c++)
        values_o[c] <= stored(high[16*c+:16], low[16*c+:16], control_i.e5, control_i.raw)
                       | fetched(line, c, line_i);

endmodule

`default_nettype wire
