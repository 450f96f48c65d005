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

  localparam int Tests = 4;

  // Sums of more than two numbers are kept as two until the last adder: {carries, bits}.
  function automatic logic [69:0] add3(input logic [34:0] a, input logic [34:0] b,
                                       input logic [34:0] c);
    add3 = {(a & b | c & (a ^ b)) << 1, a ^ b ^ c};
  endfunction

  // a - 1 - b - c
  function automatic logic [34:0] below(input logic [34:0] a, input logic [34:0] b,
                                        input logic [34:0] c);
    logic [69:0] less;
    less = add3(a, ~b, ~c);
    below = less[34:0] + {less[69:36], 1'b1};
  endfunction

  wire logic [34:0] limit_one = {12'd0, rows_i.limit, 6'd1};  // and 1
  wire logic [34:0] less_back = ~{12'd0, back_i, 6'd0};  // less 1
  wire logic [69:0] start = add3({base_i[33], base_i}, {15'd0, step_i}, less_back);
  wire logic [34:0] start_one = {start[69:36], 1'b1};    // its carries, and that 1
  wire logic [34:0] start_sum = start[34:0] + start_one;
  wire logic [3:0] row_log = {1'b0, rows_i.size} + (rows_i.wide_rows ? 4'd4 : 4'd3);
  wire logic [9:0] row = 10'd1 << row_log;               // quarters of a byte

  // ---- straight: how often a row goes into what is left up to the limit
  wire logic [34:0] room = below(limit_one, start[34:0], start_one);
  wire logic [34:0] rows = room >> row_log;
  wire logic [69:0] second = add3(start[34:0], start_one, {25'd0, row});
  wire logic [34:0] second_sum = second[34:0] + second[69:35];
  wire logic beyond = room[34] || second_sum[34];
  wire logic straight_wraps = beyond || rows[34:3] == 32'd0;
  wire logic [3:0] straight_count = beyond ? 4'd1 : rows[34:3] != 32'd0 ? 4'd8
                                                                        : {1'b0, rows[2:0]} + 4'd1;

  // ---- one row after the other: a stride apart, or with nibbles between them
  wire logic aligned = nibble_i == 5'd0;
  wire logic [13:0] stride = {2'd0, rows_i.stride};
  logic [19:0] to [Tests];    // the end of row k: quarters of a byte
  logic [19:0] past [Tests];  // the begin of row k + 1
  logic [Tests-1:0] wraps;
  logic [69:0] place [Tests];
  logic [Tests-1:0][34:0] end_of_row, to_limit;

  always_comb begin
    for (int k = 0; k < Tests; k++) begin
      to[k] = {14'(stride * 14'(k + 1)), 6'd0};
      past[k] = to[k];
    end
    if (rows_i.compressed) begin
      // Nibbles are behind each 32 datums. Those at the end of a row come after its wrap.
      to[0] = {10'd0, row} + {13'd0, rows_i.wide_rows ? !aligned : nibble_i > 5'd16, 6'd0};
      past[0] = {10'd0, row} + {13'd0, rows_i.wide_rows || nibble_i[4], 6'd0};
      to[1] = {9'd0, row, 1'b0} + {12'd0, {1'b0, rows_i.wide_rows} + {1'b0, !aligned}, 6'd0};
      past[1] = {9'd0, row, 1'b0} + {12'd0, rows_i.wide_rows ? 2'd2 : 2'd1, 6'd0};
    end
    place[0] = add3(start[34:0], start_one, {15'd0, to[0]});
    place[1] = add3(start[34:0], start_one, {15'd0, to[1]});
    place[2] = add3(place[1][34:0], place[1][69:35], {15'd0, to[0]});
    place[3] = add3(start[34:0], start_one, {15'd0, to[3]});
    for (int k = 0; k < Tests; k++) begin
      end_of_row[k] = place[k][34:0] + place[k][69:35];
      to_limit[k] = below(limit_one, place[k][34:0], place[k][69:35]);
      wraps[k] = end_of_row[k][34] || to_limit[k][34];
    end
  end
  // ---- the chunk
  logic [3:0] count;
  logic last_wraps;

  always_comb begin
    if (!rows_i.tilize && !rows_i.compressed) begin
      count = straight_count;
      last_wraps = straight_wraps;
    end else if (wraps[0]) begin
      count = 4'd1;
      last_wraps = 1'b1;
    end else if (wraps[1] || rows_i.compressed) begin
      count = 4'd2;
      last_wraps = wraps[1];
    end else begin
      count = wraps[2] ? 4'd3 : 4'd4;
      last_wraps = wraps[2] || wraps[3];
    end
  end

  assign begin_o = start_sum[33:0];
  assign chunk_o.datums = rows_i.wide_rows ? {count, 5'd0} : {1'b0, count, 4'd0};
  assign chunk_o.wraps = last_wraps;
  assign chunk_o.step = !rows_i.tilize && !rows_i.compressed ? {16'd0, count} << row_log
                                                             : past[2'(count - 4'd1)];
  assign chunk_o.nibble = nibble_i + (rows_i.wide_rows ? 5'd0 : {count[0], 4'd0});

endmodule

`default_nettype wire
