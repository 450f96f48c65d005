// SPDX-License-Identifier: Apache-2.0
//
// Where a row of Dst is: its storage row, which of the 16 banks that is in, and which row of it.
// Rows that are read or written together are 16 adjacent ones, or four that are 16 apart, or of 32
// bits, which take s and s + 8: all are in different banks, before and after the row map of the
// newer chip (P52).
`default_nettype none

package dst_pkg;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */

  localparam int Banks = 16;
  localparam int BankRows = 64;
  localparam int RowBits = 256;
  localparam int Columns = 16;
  localparam int RunRows = 9;

  // A run of rows from the outside, which is held until its last row is written.
  typedef struct packed {
    logic                       valid;
    logic [9:0]                 row;    // of storage, the first
    logic [3:0]                 count;
    logic [RunRows*Columns-1:0] mask;   // of the first row lowest, as in data
    logic [RunRows*RowBits-1:0] data;
  } run_t;

  // A part of a step of unpacker 0, in cycle w + WRITE - 1 of docs/unpack.md: logical rows 8 * block +
  // p, p = 0 ... 7, all in one block of the contract (8 rows, or 4 with swizzle and wide)
  typedef struct packed {
    logic                           bank;   // SrcA's, which gets stale
    logic                           wide;   // 32-bit rows
    logic                           remap;
    logic                           swizzle;
    logic [6:0]                     block;  // logical row, bits 9:3
    logic [7:0][Columns-1:0]        mask;
    logic [7:0][Columns-1:0][15:0]  high;   // of 32 bits; else the value
    logic [7:0][Columns-1:0][15:0]  low;    // of 32 bits; else 0
  } dst_write_t;

  // ZEROACC
  typedef struct packed {
    logic                       valid;
    logic                       all;
    logic                       half;
  } zero_t;

  // A row's bank; its place there is s[9:4]. With bit 3 of s 0, s + 8 has the bank with bit 3
  // inverted, at the same place.
  function automatic logic [3:0] bank_of(input logic [7:0] s);
    bank_of = s[3:0] ^ s[7:4];
  endfunction

  // Storage row of a row of Dst (U36, P12, P52); of 32 bits: of its upper half.
  function automatic logic [9:0] storage_of(input logic [9:0] row, input logic wide,
                                            input logic remap, input logic swizzle);
    logic [9:0] r;

    r = row;
    if (remap) r = (row & 10'h3C7) ^ {5'd0, row[5:4], 3'd0} ^ {4'd0, row[3], 5'd0};
    if (wide) begin
      if (swizzle) r = (r & 10'h3F3) ^ {6'd0, r[4:3], 2'd0} ^ {6'd0, r[2], 3'd0};
      r = {r[8:3], 4'd0} | {r[9], 6'd0, r[2:0]};
    end
    storage_of = r;
  endfunction

  // Lanes that want rows of banks a and b of places a_place and b_place, and cannot both have them.
  function automatic logic collide(input logic [3:0] a, input logic [5:0] a_place,
                                   input logic [3:0] b, input logic [5:0] b_place,
                                   input logic wide);
    collide = a[2:0] == b[2:0] && (wide || a[3] == b[3]) && a_place != b_place;
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage

`default_nettype wire
