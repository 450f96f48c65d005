// SPDX-License-Identifier: Apache-2.0
//
// The next beat of an instruction: which datums lie in the next lines, and where the pointers are
// behind them (docs/unpack.md sections 4 and 5.2).
//
// Latency: combinational. Handshake: none; all outputs are 0 without valid_i. Pointers are in
// quarters of a byte (datums) and sixteenths (exponents). The delta pointer is the fetch stage's.
`default_nettype none

module unp_beat
  import unpack_pkg::*, unpack_step_pkg::*;
(
  input  wire logic         valid_i,
  input  wire logic [2:0]   grant_i,         // lines
  // of the instruction
  input  wire logic         compressed_i,
  input  wire logic         tilize_i,
  input  wire logic         wide_rows_i,
  input  wire logic [2:0]   size_i,          // log2 of the bits of a datum
  input  wire logic         read_exponent_i,
  input  wire logic [16:0]  limit_i,
  input  wire logic [16:0]  fifo_i,
  input  wire logic [15:0]  row_stride_i,
  // where it is
  input  wire logic [33:0]  datum_i,
  input  wire logic [35:0]  exponent_i,
  input  wire logic [4:0]   row_i,           // datums of this row that are done
  input  wire logic [33:0]  begin_i,         // tilize: of this row
  input  wire logic [7:0]   left_i,          // datums that may come, at most 128
  // the beat
  output wire logic [7:0]   count_o,
  output wire logic [2:0]   lines_o,
  output wire logic [111:0] line_o,          // {line3, line2, line1, line0}
  output wire logic [17:0]  chunks_o,        // tilize: line of each chunk
  output wire logic         merged_o,        // tilize: chunk k is not line k
  // where it is then
  output wire logic [33:0]  datum_o,
  output wire logic [35:0]  exponent_o,
  output wire logic [4:0]   row_o,
  output wire logic [33:0]  begin_o
);

  typedef struct packed {
    logic [7:0]   count;
    logic [2:0]   lines;
    logic [111:0] line;
    logic [17:0]  chunks;
    logic         merged;
    logic [33:0]  datum;
    logic [4:0]   row;
    logic [33:0]  start;
  } found_t;

  function automatic logic wraps(input logic [33:0] pointer, input logic [16:0] limit,
                                 input logic [16:0] fifo);
    wraps = fifo != 17'd0 && pointer > {11'd0, limit, 6'd0};
  endfunction

  // Datums up to the end of a line, from a place in it; to the end of the next `lines` of them.
  function automatic logic [8:0] to_end(input logic [5:0] place, input logic [2:0] lines,
                                        input logic [2:0] size);
    to_end = ({lines, 6'd0} - {3'd0, place}) >> (size - 3'd1);
  endfunction

  // Rows that follow one another: only a wrap breaks the beat.
  function automatic found_t straight(
      input logic [2:0] grant, input logic compressed, input logic wide_rows,
      input logic [2:0] size, input logic [16:0] limit, input logic [16:0] fifo,
      input logic [33:0] datum, input logic [4:0] row, input logic [7:0] most);
    logic [8:0] fit;
    logic [7:0] count, row_end;
    logic [4:0] next_row;
    logic [33:0] pointer;
    logic [9:0] last;  // place of the last quarter of a byte
    logic [2:0] lines;
    logic [111:0] line;
    logic done;

    fit = to_end(datum[5:0], compressed ? 3'd1 : grant, size);
    count = fit < {1'b0, most} ? fit[7:0] : most;
    row_end = (wide_rows ? 8'd32 : 8'd16) - {3'd0, row};
    done = fifo == 17'd0;
    /* verilator unroll_disable */
    for (int k = 0; k < 8; k++) begin
      if (!done && row_end <= count) begin
        pointer = datum + ({26'd0, row_end} << (size - 3'd1));
        if (wraps(pointer, limit, fifo)) begin
          done = 1'b1;
          count = row_end;
        end
        row_end = row_end + (wide_rows ? 8'd32 : 8'd16);
      end
    end
    last = {4'd0, datum[5:0]} + ({2'd0, count} << (size - 3'd1)) - 10'd1;
    lines = 3'(last >> 6) + 3'd1;
    line = {lines > 3'd3 ? datum[33:6] + 28'd3 : 28'd0, lines > 3'd2 ? datum[33:6] + 28'd2 : 28'd0,
            lines > 3'd1 ? datum[33:6] + 28'd1 : 28'd0, datum[33:6]};
    pointer = datum + ({26'd0, count} << (size - 3'd1));
    next_row = row + count[4:0];
    if (!wide_rows) next_row[4] = 1'b0;
    if (next_row == 5'd0 && wraps(pointer, limit, fifo)) pointer = pointer - {11'd0, fifo, 6'd0};
    straight = {count, lines, line, 18'd0, 1'b0, pointer, next_row, 34'd0};
  endfunction

  // Rows that begin row_stride behind one another: line by line. A row begins with a line, which
  // may be the one that the row before ended in.
  function automatic found_t strided(
      input logic [2:0] grant, input logic wide_rows, input logic [2:0] size,
      input logic [16:0] limit, input logic [16:0] fifo, input logic [15:0] stride,
      input logic [33:0] datum, input logic [33:0] start, input logic [4:0] row,
      input logic [7:0] most);
    logic [27:0] line_before;
    logic [111:0] line;
    logic [17:0] chunks;
    logic [7:0] count;
    logic [2:0] lines;
    logic merged;
    logic [33:0] pointer, first;
    logic [7:0] here;
    logic [5:0] place;
    logic done;

    line = '0;
    chunks = '0;
    count = '0;
    lines = '0;
    merged = 1'b0;
    pointer = datum;
    first = start;
    place = {1'b0, row};
    line_before = '0;
    done = 1'b0;
    /* verilator unroll_disable */
    for (int k = 0; k < ChunkCount; k++) begin
      if (!done) begin
        if (k == 0 || pointer[33:6] != line_before) begin
          if (lines == grant) begin
            done = 1'b1;
          end else begin
            case (lines)
              3'd0: line[27:0] = pointer[33:6];
              3'd1: line[55:28] = pointer[33:6];
              3'd2: line[83:56] = pointer[33:6];
              default: line[111:84] = pointer[33:6];
            endcase
            lines = lines + 3'd1;
          end
        end else begin
          merged = 1'b1;
        end
      end
      if (!done) begin
        line_before = pointer[33:6];
        chunks[2*k+:2] = lines[1:0] - 2'd1;
        here = 8'(to_end(pointer[5:0], 3'd1, size));
        if (here >= most - count) begin
          here = most - count;
          done = 1'b1;
        end
        count = count + here;
        pointer = pointer + ({26'd0, here} << (size - 3'd1));
        place = place + here[5:0];
        if (place == (wide_rows ? 6'd32 : 6'd16)) begin
          place = 6'd0;
          first = first + {16'd0, stride, 2'd0};
          if (wraps(first, limit, fifo)) begin
            first = first - {11'd0, fifo, 6'd0};
            done = 1'b1;
          end
          pointer = first;
        end
      end
    end
    strided = {count, lines, line, chunks, merged, pointer, place[4:0], first};
  endfunction

  // Exponents: {next line, datums whose exponent is in the line of the first one's, if the next
  // one is another}.
  function automatic logic [36:0] exponents(input logic [35:0] pointer, input logic [16:0] limit,
                                            input logic [16:0] fifo);
    logic [27:0] next;

    next = pointer[35:8] + 28'd1;
    if (next > {11'd0, limit}) next = next - {11'd0, fifo};
    exponents = {next, next == pointer[35:8] ? 9'd256 : 9'd256 - {1'b0, pointer[7:0]}};
  endfunction

  function automatic found_t found(
      input logic valid, input logic [2:0] grant, input logic compressed, input logic tilize,
      input logic wide_rows, input logic [2:0] size, input logic [16:0] limit,
      input logic [16:0] fifo, input logic [15:0] stride, input logic [33:0] datum,
      input logic [33:0] start, input logic [4:0] row, input logic [7:0] left,
      input logic [8:0] in_line);
    logic [7:0] most;

    found = '0;
    if (valid) begin
      most = in_line < {1'b0, left} ? in_line[7:0] : left;
      if (tilize)
        found = strided(grant, wide_rows, size, limit, fifo, stride, datum, start, row, most);
      else found = straight(grant, compressed, wide_rows, size, limit, fifo, datum, row, most);
    end
  endfunction

  wire logic [36:0] next_line = valid_i && read_exponent_i
                                ? exponents(exponent_i, limit_i, fifo_i) : {28'd0, 9'd256};
  wire found_t beat = found(valid_i, grant_i, compressed_i, tilize_i, wide_rows_i, size_i, limit_i,
                            fifo_i, row_stride_i, datum_i, begin_i, row_i, left_i, next_line[8:0]);
  // what goes beyond the exponents' line goes on in the next one
  wire logic [8:0] behind = {1'b0, exponent_i[7:0]} + {1'b0, beat.count};

  assign count_o = beat.count;
  assign lines_o = beat.lines;
  assign line_o = beat.line;
  assign chunks_o = beat.chunks;
  assign merged_o = beat.merged;
  assign datum_o = beat.datum;
  assign row_o = beat.row;
  assign begin_o = beat.start;
  assign exponent_o = behind[8] ? {next_line[36:9], behind[7:0]}
                                : {exponent_i[35:8], behind[7:0]};

endmodule

`default_nettype wire
