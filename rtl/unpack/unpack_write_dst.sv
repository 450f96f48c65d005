// SPDX-License-Identifier: Apache-2.0
//
// A part of a step to Dst: rows go to their places in an aligned block of eight.
//
// Latency: combinational, in w + 5. Handshake: none; nothing is worked out without valid_i.
// Reset: none.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module unpack_write_dst
  import unpack_pkg::*;
  import dst_pkg::dst_write_t;
  import unpack_write_pkg::*;
(
  input  wire logic       valid_i,
  input  wire logic       upper_i,   // the part is in the upper one of two blocks
  input  wire lanes_t     lanes_i,
  input  wire logic [DstRows*Columns-1:0] mask_i,
  input  wire logic [DstRows*Columns-1:0][SrcBits-1:0] low_i,
  input  wire logic [WindowPositions-1:0][HighBits-1:0] high_i,
  output wire dst_write_t dst_write_o
);

  // Row 0 to place `first`, the others behind it, modulo 8.
  function automatic logic [2047:0] turned(input logic [2047:0] rows, input logic [2:0] first);
    logic [2047:0] x;

    x = rows;
    if (first[0]) x = {x[1791:0], x[2047:1792]};
    if (first[1]) x = {x[1535:0], x[2047:1536]};
    if (first[2]) x = {x[1023:0], x[2047:1024]};
    turned = x;
  endfunction

  function automatic logic [127:0] mask_turned(input logic [127:0] rows, input logic [2:0] first);
    logic [127:0] x;

    x = rows;
    if (first[0]) x = {x[111:0], x[127:112]};
    if (first[1]) x = {x[95:0], x[127:96]};
    if (first[2]) x = {x[63:0], x[127:64]};
    mask_turned = x;
  endfunction

  function automatic logic [2047:0] values_of(
      input logic [DstRows*Columns-1:0][SrcBits-1:0] low);
    values_of = '0;
    for (int p = 0; p < DstRows * Columns; p++) values_of[16*p+:16] = 16'(low[p]);
  endfunction

  function automatic logic [2047:0] uppers_of(
      input logic [WindowPositions-1:0][SrcBits-1:0] low,
      input logic [WindowPositions-1:0][HighBits-1:0] high);
    uppers_of = '0;
    for (int p = 0; p < WindowPositions; p++)
      uppers_of[16*p+:16] = {high[p], 3'(low[p] >> 16)};
  endfunction

  wire logic [9:0] row = lanes_i.address[13:4];
  wire logic halves = lanes_i.swizzle && lanes_i.how.wide;
  wire logic next_block = upper_i && (!halves || row[2]);
  wire logic [6:0] block = row[9:3] + {6'd0, next_block};

  // ---- the rows in their places
  function automatic logic [2047:0] kept(input logic valid, input logic [2047:0] rows);
    kept = valid ? rows : '0;
  endfunction

  wire logic wide = lanes_i.how.wide;
  wire logic [2047:0] values = kept(valid_i, turned(values_of(low_i), row[2:0]));
  wire logic [2047:0] uppers = kept(
    valid_i && wide, turned(uppers_of(low_i[WindowPositions-1:0], high_i), row[2:0]));

  assign dst_write_o.bank = valid_i && lanes_i.bank;
  assign dst_write_o.wide = valid_i && wide;
  assign dst_write_o.remap = valid_i && lanes_i.remap;
  assign dst_write_o.swizzle = valid_i && lanes_i.swizzle;
  assign dst_write_o.block = !valid_i ? '0 : lanes_i.ovrd ? {6'd0, block[0]} : block;
  assign dst_write_o.mask = valid_i ? mask_turned({48'd0, mask_i}, row[2:0]) : '0;
  assign dst_write_o.high = wide ? uppers : values;
  assign dst_write_o.low = wide ? values : '0;

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
