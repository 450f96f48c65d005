// SPDX-License-Identifier: Apache-2.0
//
// Which valid bits of Dst a ZEROACC changes: of a row, of 16 rows from a multiple of 16 on, of a half,
// of all. A row that is meant has place and low four bits in the two sets that are put out: with the
// row map (P52) the rows of a block are all combinations of two to four places and four to 16 low
// bits, as each bit of a storage row comes from one bit of the row, or, within a block, from two.
//
// Latency: combinational. Handshake: none. Reset: none.
`default_nettype none

module dst_zero
  import dst_pkg::*;
(
  input  wire logic [1:0]          mode_i,    // 0: a row, 1: 16 rows, 2: half row[9], 3: all
  input  wire logic [9:0]          row_i,
  input  wire logic                wide_i,
  input  wire logic                remap_i,
  input  wire logic                swizzle_i,
  output wire logic [BankRows-1:0] places_o,
  output wire logic [15:0]         lows_o
);

  // Bits of a storage row that differ between the rows of a block
  function automatic logic [9:0] varied(input logic [5:0] block, input logic wide,
                                        input logic remap, input logic swizzle);
    logic [9:0] first;

    first = storage_of({block, 4'd0}, wide, remap, swizzle);
    varied = 10'd0;
    for (int i = 0; i < 4; i++)
      varied = varied | (first ^ storage_of({block, 4'(1 << i)}, wide, remap, swizzle));
  endfunction

  wire logic [9:0] storage = storage_of(row_i, wide_i, remap_i, swizzle_i);
  wire logic [9:0] any = mode_i == 2'd0 ? 10'd0 : varied(row_i[9:4], wide_i, remap_i, swizzle_i);
  wire logic whole = mode_i[1];

  for (genvar p = 0; p < BankRows; p++) begin : gen_place
    assign places_o[p] = whole ? mode_i[0] || row_i[9] == 1'(p / (BankRows / 2))
                               : ((6'(p) ^ storage[9:4]) & ~any[9:4]) == 6'd0;
  end
  for (genvar l = 0; l < 16; l++) begin : gen_low
    assign lows_o[l] = whole || ((4'(l) ^ storage[3:0]) & ~any[3:0]) == 4'd0;
  end

endmodule

`default_nettype wire
