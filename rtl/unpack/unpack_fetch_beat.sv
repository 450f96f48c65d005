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

  localparam logic [7:0] Most = 8'd128;    // datums of a beat
  localparam logic [9:0] Ahead = 10'd256;  // rows are appended below this

  // ---- the instruction
  rows_t rows_q;
  logic [16:0] fifo_q;
  logic bounded_q, read_exponent_q;
  // ---- where it is
  logic first_q;
  logic [5:0] place_q;
  logic [7:0] exponent_q;
  logic [4:0] nibble_q;
  logic [18:0] left_q;
  logic [9:0] ahead_q;   // datums of the rows in sight
  logic wraps_q;         // behind these
  // ---- the rows that were appended last
  logic [33:0] base_q;
  logic [19:0] step_q;
  logic [4:0] row_nibble_q;

  // ---- datums of the beat
  wire logic [2:0] shift = rows_q.size - 3'd1;
  wire logic [8:0] fit = ({grant_i, 6'd0} - {3'd0, place_q}) >> shift;
  wire logic [7:0] left = bounded_q || left_q[18:7] != 12'd0 ? Most : left_q[7:0];
  wire logic [7:0] in_sight = ahead_q[9:7] != 3'd0 ? Most : ahead_q[7:0];
  wire logic [8:0] to_exponent = 9'd256 - {1'b0, exponent_q};
  wire logic [7:0] in_line = !read_exponent_q || to_exponent[8:7] != 2'd0 ? Most : to_exponent[7:0];
  wire logic [7:0] early = left < in_sight ? left : in_sight;
  wire logic [7:0] most = early < in_line ? early : in_line;
  wire logic [7:0] count = fit < {1'b0, most} ? fit[7:0] : most;
  wire logic [8:0] moved = {1'b0, count} << shift;
  wire logic [8:0] behind = {3'd0, place_q} + moved;
  wire logic wraps = wraps_q && ahead_q == {2'd0, count};
  wire logic [8:0] exponent = {1'b0, exponent_q} + {1'b0, count};
  wire logic [4:0] nibble = nibble_q + count[4:0];

  assign some_o = left_q != 19'd0;
  assign last_o = !bounded_q && left_q == {11'd0, count};
  assign decision_o.token = token_i;
  assign decision_o.first = first_q;
  assign decision_o.last = token_i || last_o;
  assign decision_o.wraps = wraps;
  assign decision_o.count = count;
  assign decision_o.behind = behind;
  assign decision_o.place = place_q;
  assign decision_o.exponent = exponent_q;
  assign decision_o.next_exponent = exponent[8];
  assign decision_o.nibble = nibble_q;
  assign decision_o.next_group = nibble == 5'd0;

  // ---- rows
  wire rows_t new_rows;
  wire chunk_t new_chunk, chunk;
  wire logic [33:0] chunk_begin;
  wire logic [33:0] new_begin;

  assign new_rows.compressed = begin_i.compressed;
  assign new_rows.tilize = begin_i.tilize;
  assign new_rows.wide_rows = begin_i.wide_rows;
  assign new_rows.size = begin_i.size;
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

  wire logic append = !wraps_q && ahead_q < Ahead;
  wire logic turn = decide_i && wraps;
  wire logic [9:0] ahead = ahead_q - (decide_i ? {2'd0, count} : 10'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rows_q <= '0;
      fifo_q <= '0;
      bounded_q <= 1'b0;
      read_exponent_q <= 1'b0;
      first_q <= 1'b0;
      place_q <= '0;
      exponent_q <= '0;
      nibble_q <= '0;
      left_q <= '0;
      ahead_q <= '1;
      wraps_q <= 1'b0;
      base_q <= '0;
      step_q <= '0;
      row_nibble_q <= '0;
    end else if (load_i) begin
      rows_q <= new_rows;
      fifo_q <= begin_i.fifo;
      bounded_q <= begin_i.bounded;
      read_exponent_q <= begin_i.read_exponent;
      first_q <= 1'b1;
      place_q <= begin_i.datum_pointer[5:0];
      exponent_q <= begin_i.exponent_pointer[7:0];
      nibble_q <= begin_i.delta_pointer[4:0];
      left_q <= begin_i.left;
      // Without a wrap, there is always enough in sight.
      ahead_q <= begin_i.fifo == 17'd0 ? '1 : {1'b0, new_chunk.datums};
      wraps_q <= begin_i.fifo != 17'd0 && new_chunk.wraps;
      base_q <= new_begin;
      step_q <= new_chunk.step;
      row_nibble_q <= new_chunk.nibble;
    end else begin
      if (decide_i) begin
        first_q <= 1'b0;
        place_q <= behind[5:0];
        exponent_q <= exponent[7:0];
        nibble_q <= nibble;
        if (!bounded_q) left_q <= left_q - {11'd0, count};
      end
      if (fifo_q != 17'd0) begin
        if (turn || append) begin
          ahead_q <= (turn ? 10'd0 : ahead) + {1'b0, chunk.datums};
          wraps_q <= chunk.wraps;
          base_q <= chunk_begin;
          step_q <= chunk.step;
          row_nibble_q <= chunk.nibble;
        end else begin
          ahead_q <= ahead;
        end
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (decide_i && (count == 8'd0 || count > Most))
      $fatal(1, "unpack_fetch_beat: a beat of %0d datums", count);
    if (decide_i && behind > {grant_i, 6'd0})
      $fatal(1, "unpack_fetch_beat: more lines than granted");
  end
`endif

endmodule

`default_nettype wire
