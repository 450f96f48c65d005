// SPDX-License-Identifier: Apache-2.0
//
// The next rows of an instruction, up to the first at whose end the datum pointer wraps: as many as
// a beat can touch, at least (docs/unpack.md sections 4, 5.2 and 5.3).
//
// A pointer counts as signed, so that one below 0 is beyond the limit, as it is modulo 2^32, and
// one that comes up to 0 is not. Latency: combinational. Handshake and reset: none.
`default_nettype none

module unpack_fetch_rows
  import unpack_fetch_pkg::*;
(
  input  wire rows_t       rows_i,
  input  wire logic [33:0] base_i,    // begin of the rows before, quarters of a byte
  input  wire logic [19:0] step_i,    // to these
  input  wire logic [16:0] back_i,    // the wrap between: lines
  input  wire logic [4:0]  nibble_i,  // compressed: of the first datum
  output wire logic [33:0] begin_o,   // of these rows
  output wire chunk_t      chunk_o
);

  // Sums of more than two numbers are kept as two until the last adder: {carries, bits}.
  function automatic logic [69:0] add3(input logic [34:0] a, input logic [34:0] b,
                                       input logic [34:0] c);
    add3 = {(a & b | c & (a ^ b)) << 1, a ^ b ^ c};
  endfunction

  // a - 1 - b - c
  function automatic logic [34:0] below(input logic [34:0] a, input logic [34:0] b,
                                        input logic [34:0] c);
    /* verilator lint_off UNUSEDSIGNAL */
    logic [69:0] less;
    /* verilator lint_on UNUSEDSIGNAL */
    less = add3(a, ~b, ~c);
    below = less[34:0] + {less[69:36], 1'b1};
  endfunction

  // Whether b + c is below 0 or beyond the limit.
  function automatic logic outside(input logic [34:0] limit_one, input logic [34:0] b,
                                   input logic [34:0] c);
    /* verilator lint_off UNUSEDSIGNAL */
    logic [34:0] sum, rest;
    /* verilator lint_on UNUSEDSIGNAL */
    sum = b + c;
    rest = below(limit_one, b, c);
    outside = sum[34] || rest[34];
  endfunction

  wire logic [34:0] limit_one = {12'd0, rows_i.limit, 6'd1};  // and 1
  wire logic [34:0] less_back = ~{12'd0, back_i, 6'd0};  // less 1
  /* verilator lint_off UNUSEDSIGNAL */
  wire logic [69:0] start = add3({base_i[33], base_i}, {15'd0, step_i}, less_back);
  wire logic [34:0] start_one = {start[69:36], 1'b1};    // its carries, and that 1
  wire logic [34:0] start_sum = start[34:0] + start_one;
  /* verilator lint_on UNUSEDSIGNAL */

  // ---- straight: how often a row goes into what is left up to the limit
  wire logic [34:0] room = below(limit_one, start[34:0], start_one);
  wire logic far = room[33:13] != 21'd0;                // more than 8 of the widest rows
  wire logic [12:0] rows = room[12:0] >> rows_i.row_log;
  wire logic [69:0] second = add3(start[34:0], start_one, {25'd0, rows_i.row});
  /* verilator lint_off UNUSEDSIGNAL */
  wire logic [34:0] second_sum = second[34:0] + second[69:35];
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic many = far || rows[12:3] != 10'd0;
  wire logic beyond = room[34] || second_sum[34];
  wire logic straight_wraps = beyond || !many;
  wire logic [3:0] straight_count = beyond ? 4'd1 : many ? 4'd8 : {1'b0, rows[2:0]} + 4'd1;

  // ---- one row after the other: a stride apart, or with nibbles between them
  wire logic aligned = nibble_i == 5'd0;
  wire logic [19:0] stride = {2'd0, rows_i.stride, 6'd0};
  wire logic wide = rows_i.wide_rows;
  wire logic [19:0] row = {10'd0, rows_i.row};
  // Nibbles are behind each 32 datums. Those at the end of a row come after its wrap.
  wire logic [1:0] groups0 = {1'b0, wide ? !aligned : nibble_i > 5'd16};
  wire logic [1:0] groups1 = {1'b0, wide} + {1'b0, !aligned};
  wire logic [19:0] row0 = row + {12'd0, groups0, 6'd0};
  wire logic [19:0] row1 = (row << 1) + {12'd0, groups1, 6'd0};
  wire logic [19:0] on0 = row + {13'd0, wide || nibble_i[4], 6'd0};
  wire logic [19:0] on1 = (row << 1) + {12'd0, wide, !wide, 6'd0};
  wire logic [19:0] to0 = rows_i.compressed ? row0 : stride;
  wire logic [19:0] to1 = rows_i.compressed ? row1 : stride << 1;
  // the pointer at the end of each row
  wire logic [34:0] bits = start[34:0];
  wire logic [69:0] end0 = add3(bits, start_one, {15'd0, to0});
  wire logic [69:0] end1 = add3(bits, start_one, {15'd0, to1});
  wire logic [69:0] end2 = add3(end1[34:0], end1[69:35], {15'd0, stride});
  wire logic [69:0] end3 = add3(bits, start_one, {13'd0, stride, 2'd0});
  wire logic [3:0] wraps;

  assign wraps[0] = outside(limit_one, end0[34:0], end0[69:35]);
  assign wraps[1] = outside(limit_one, end1[34:0], end1[69:35]);
  assign wraps[2] = outside(limit_one, end2[34:0], end2[69:35]);
  assign wraps[3] = outside(limit_one, end3[34:0], end3[69:35]);

  // ---- the chunk
  wire logic straight = !rows_i.tilize && !rows_i.compressed;
  wire logic one = wraps[0];
  wire logic two = !wraps[0] && (wraps[1] || rows_i.compressed);
  wire logic more = !wraps[0] && !wraps[1] && !rows_i.compressed;
  wire logic three = more && wraps[2];
  wire logic four = more && !wraps[2];
  wire logic [3:0] count = straight ? straight_count : {1'b0, four, two || three, one || three};
  wire logic last_wraps = straight ? straight_wraps
                                   : one || two && wraps[1] || three || four && wraps[3];
  wire logic [19:0] step = {20{one}} & (rows_i.compressed ? on0 : stride)
                           | {20{two}} & (rows_i.compressed ? on1 : stride << 1)
                           | {20{three}} & (stride + (stride << 1)) | {20{four}} & stride << 2;

  assign begin_o = start_sum[33:0];
  assign chunk_o.datums = rows_i.wide_rows ? {count, 5'd0} : {1'b0, count, 4'd0};
  assign chunk_o.wraps = last_wraps;
  assign chunk_o.step = straight ? {16'd0, straight_count} << rows_i.row_log : step;
  assign chunk_o.nibble = nibble_i + (rows_i.wide_rows ? 5'd0 : {count[0], 4'd0});

endmodule

`default_nettype wire
