// SPDX-License-Identifier: Apache-2.0
//
// The beat loop: how many datums the next beat has (docs/unpack.md section 4, Beat). It keeps
// distances, not addresses: where in its line the next datum is, how many datums there are to the
// end of the exponents' line, to the next wrap, and to the end. The rows up to the next wrap are
// generated ahead, and appended while no wrap is in sight.
//
// Latency: begin_i with load_i in q is worked on from q+1 on; decision_o is of this cycle.
// Handshake: decide_i takes a beat, grant_i is up with it. Reset: nothing is left.
`default_nettype none

module unpack_fetch_beat
  import unpack_fetch_pkg::*;
(
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic       load_i,
  input  wire begin_t     begin_i,
  input  wire logic       decide_i,
  input  wire logic       token_i,     // puts a token
  input  wire logic [2:0] grant_i,     // lines
  output wire logic       some_o,      // there is a datum
  output wire logic       last_o,      // the beat of this cycle has the last one
  output wire decision_t  decision_o
);

  // ---- the instruction
  rows_t rows_q;
  logic [16:0] fifo_q;
  logic limited_q;        // it can wrap
  logic [2:0] size_q;     // log2 of the bits of a datum
  logic bounded_q, read_exponent_q;
  // ---- where it is. What limits a beat is kept less 1.
  logic some_q, first_q;
  logic [5:0] place_q;
  logic [7:0] exponent_q;
  logic [4:0] nibble_q;
  logic [18:0] left_q;    // datums, less 1
  logic [9:0] ahead_q;    // datums of the rows in sight, less 1
  logic wraps_q;          // behind these
  // ---- the rows that were appended last
  logic [33:0] base_q;
  logic [19:0] step_q;
  logic [4:0] row_nibble_q;

  // ---- datums of the beat, less 1: the smallest of what fits into the lines, is left, is in
  // sight, and has its exponents in the line. Of those that are too far no comparison is needed.
  wire logic [2:0] shift = size_q - 3'd1;
  wire logic [1:0] lines = grant_i[2] ? 2'd3 : {1'b0, grant_i[1]};  // less 1
  wire logic [7:0] fit_wide = {lines, ~place_q} >> shift;
  wire logic [6:0] fit = fit_wide[6:0];
  wire logic [6:0] left = left_q[6:0];
  wire logic [6:0] ahead = ahead_q[6:0];
  wire logic [6:0] in_line = ~exponent_q[6:0];
  wire logic left_far = bounded_q || left_q[18:7] != 12'd0;
  wire logic ahead_far = !limited_q || ahead_q[9:7] != 3'd0;
  wire logic in_line_far = !read_exponent_q || !exponent_q[7];

  wire logic take_left = !left_far && (ahead_far || left <= ahead)
                         && (in_line_far || left <= in_line) && left <= fit;
  wire logic take_ahead = !ahead_far && (left_far || ahead <= left)
                          && (in_line_far || ahead <= in_line) && ahead <= fit;
  wire logic take_in_line = !in_line_far && (left_far || in_line <= left)
                            && (ahead_far || in_line <= ahead) && in_line <= fit;
  wire logic take_fit = (left_far || fit <= left) && (ahead_far || fit <= ahead)
                        && (in_line_far || fit <= in_line);
  // More than one of them is taken if they are the same.
  wire logic [6:0] count = {7{take_left}} & left | {7{take_ahead}} & ahead
                           | {7{take_in_line}} & in_line | {7{take_fit}} & fit;

  // ---- behind the beat; the lowest bit is a carry
  wire logic [5:0] unit = 6'((7'd1 << shift) - 7'd1);
  wire logic [8:0] span = {2'd0, count} << shift;  // quarters of a byte
  /* verilator lint_off UNUSEDSIGNAL */
  wire logic [9:0] behind = {3'd0, place_q | unit, 1'b1} + {span, 1'b1};
  wire logic [9:0] exponent = {1'b0, exponent_q, 1'b1} + {2'd0, count, 1'b1};
  wire logic [5:0] nibble = {nibble_q, 1'b1} + {count[4:0], 1'b1};
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic [18:0] left_behind = left_q + {12'hfff, ~count};
  wire logic turn = decide_i && wraps_q && take_ahead;

  assign some_o = some_q;
  assign last_o = take_left;
  assign decision_o.token = token_i;
  assign decision_o.first = first_q;
  assign decision_o.last = token_i || take_left;
  assign decision_o.wraps = turn;
  assign decision_o.count = {1'b0, count} + 8'd1;
  assign decision_o.behind = behind[9:1];
  assign decision_o.place = place_q;
  assign decision_o.exponent = exponent_q;
  assign decision_o.next_exponent = exponent[9];
  assign decision_o.nibble = nibble_q;
  assign decision_o.next_group = nibble[5:1] == 5'd0;

  // ---- rows
  wire rows_t new_rows;
  wire chunk_t new_chunk, chunk;
  wire logic [33:0] chunk_begin;
  wire logic [33:0] new_begin;

  assign new_rows.compressed = begin_i.compressed;
  assign new_rows.tilize = begin_i.tilize;
  assign new_rows.wide_rows = begin_i.wide_rows;
  assign new_rows.row_log = {1'b0, begin_i.size} + (begin_i.wide_rows ? 4'd4 : 4'd3);
  assign new_rows.row = 10'd1 << new_rows.row_log;
  assign new_rows.limit = begin_i.limit;
  assign new_rows.stride = begin_i.row_stride[15:4];

  unpack_fetch_rows u_first (
    .rows_i(new_rows), .base_i(begin_i.datum_pointer), .step_i(20'd0), .back_i(17'd0),
    .nibble_i(begin_i.delta_pointer[4:0]), .begin_o(new_begin), .chunk_o(new_chunk)
  );
  unpack_fetch_rows u_next (
    .rows_i(rows_q), .base_i(base_q), .step_i(step_q), .back_i(wraps_q ? fifo_q : 17'd0),
    .nibble_i(row_nibble_q), .begin_o(chunk_begin), .chunk_o(chunk)
  );

  // Rows are appended while no wrap and no 256 datums are in sight, and behind a wrap.
  wire logic append = limited_q && (turn || !wraps_q && ahead_q[9:8] == 2'd0);
  wire logic [9:0] ahead_behind = ahead_q + (decide_i ? {3'd7, ~count} : 10'd0)
                                  + (append ? {1'b0, chunk.datums} : 10'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rows_q <= '0;
      fifo_q <= '0;
      limited_q <= 1'b0;
      size_q <= '0;
      bounded_q <= 1'b0;
      read_exponent_q <= 1'b0;
      some_q <= 1'b0;
      first_q <= 1'b0;
      place_q <= '0;
      exponent_q <= '0;
      nibble_q <= '0;
      left_q <= '0;
      ahead_q <= '0;
      wraps_q <= 1'b0;
      base_q <= '0;
      step_q <= '0;
      row_nibble_q <= '0;
    end else if (load_i) begin
      rows_q <= new_rows;
      fifo_q <= begin_i.fifo;
      limited_q <= begin_i.fifo != 17'd0;
      size_q <= begin_i.size;
      bounded_q <= begin_i.bounded;
      read_exponent_q <= begin_i.read_exponent;
      first_q <= 1'b1;
      place_q <= begin_i.datum_pointer[5:0];
      exponent_q <= begin_i.exponent_pointer[7:0];
      nibble_q <= begin_i.delta_pointer[4:0];
      some_q <= begin_i.left != 19'd0;
      left_q <= begin_i.left - 19'd1;
      ahead_q <= {1'b0, new_chunk.datums} - 10'd1;
      wraps_q <= new_chunk.wraps;
      base_q <= new_begin;
      step_q <= new_chunk.step;
      row_nibble_q <= new_chunk.nibble;
    end else begin
      if (decide_i) begin
        first_q <= 1'b0;
        place_q <= behind[6:1];
        exponent_q <= exponent[8:1];
        nibble_q <= nibble[5:1];
        if (!bounded_q) left_q <= left_behind;
      end
      if (limited_q) ahead_q <= ahead_behind;
      if (append) begin
        wraps_q <= chunk.wraps;
        base_q <= chunk_begin;
        step_q <= chunk.step;
        row_nibble_q <= chunk.nibble;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (decide_i && fit_wide[7]) $fatal(1, "unpack_fetch_beat: more than 128 datums");
    if (decide_i && decision_o.behind > {grant_i, 6'd0})
      $fatal(1, "unpack_fetch_beat: more lines than granted");
  end
`endif

endmodule

`default_nettype wire
