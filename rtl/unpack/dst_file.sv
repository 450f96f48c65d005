// SPDX-License-Identifier: Apache-2.0
//
// Dst: 1024 rows of 16 columns of 16 bits, a valid bit a row. A row of a 32-bit Dst is two of
// them: its high halves, and 8 rows on its low halves (U36).
//
// What is written in t is read from t+1 on. Reads: the row is out in the cycle after the request.
// Slot k of a step has address write_address_i + k (16 * row + column), modulo 16384, or 256 with
// write_ovrd_i. Reset: 0; the rows themselves stay, a bit a row says that it was written since.
`default_nettype none

module dst_file
  import unpack_step_pkg::*;
(
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic                 write_valid_i,
  input  wire logic                 write_wide_i,
  input  wire logic                 write_ovrd_i,
  input  wire logic [13:0]          write_address_i,
  input  wire logic [SlotCount-1:0] write_mask_i,
  input  wire logic [StepWidth-1:0] write_data_i,  // 0 where the mask is
  input  wire logic [415:0]         write_high_i,  // bits 31:19 of the first 32 slots
  input  wire logic                 read_valid_i,
  input  wire logic [9:0]           read_row_i,
  output wire logic [255:0]         read_data_o,   // column 0 lowest
  output wire logic                 read_row_valid_o
);

  localparam int RowWidth = 16 * 16;
  localparam int RowCount = SlotCount / 16 + 1;  // rows that a step can touch
  localparam int SpanWidth = RowCount * RowWidth;
  localparam int SpanMask = RowCount * 16;

  logic [RowWidth-1:0] rows_q [1024];
  logic [1023:0] written_q, valid_q;
  logic [RowWidth-1:0] read_q;
  logic read_row_valid_q;

  // The step as whole rows, from that of its first slot on: {mask, high halves, low halves}.
  function automatic logic [SpanMask+2*SpanWidth-1:0] span(
      input logic valid, input logic wide, input logic [3:0] column,
      input logic [SlotCount-1:0] mask, input logic [StepWidth-1:0] data,
      input logic [415:0] high);
    logic [SpanWidth-1:0] low_half, high_half;

    span = '0;
    if (valid) begin
      low_half = '0;
      high_half = '0;
      /* verilator unroll_disable */
      for (int k = 0; k < SlotCount; k++) low_half[16*k+:16] = data[SlotWidth*k+:16];
      if (wide) begin
        /* verilator unroll_disable */
        for (int k = 0; k < LaneCount; k++)
          high_half[16*k+:16] = {high[13*k+:13], data[SlotWidth*k+16+:3]};
      end
      span = {{16'd0, mask} << column, high_half << {column, 4'd0}, low_half << {column, 4'd0}};
    end
  endfunction

  function automatic logic [RowWidth-1:0] bits(input logic [15:0] columns);
    logic [RowWidth-1:0] r;

    for (int c = 0; c < 16; c++) r[16*c+:16] = {16{columns[c]}};
    bits = r;
  endfunction

  // Where row j of the step is: the row of a 16-bit Dst, the high halves of a 32-bit one.
  function automatic logic [9:0] place(input logic [9:0] first, input logic [9:0] j,
                                       input logic wide, input logic ovrd);
    place = first + j;
    if (ovrd) place = {6'd0, place[3:0]};
    if (wide) place = {place[8:3], 4'd0} | {place[9], 6'd0, place[2:0]};
  endfunction

  wire logic [SpanMask+2*SpanWidth-1:0] spread = span(
    write_valid_i, write_wide_i, write_address_i[3:0], write_mask_i, write_data_i, write_high_i);
  wire logic [SpanMask-1:0] span_mask = spread[2*SpanWidth+:SpanMask];
  wire logic [SpanWidth-1:0] span_high = spread[SpanWidth+:SpanWidth];
  wire logic [SpanWidth-1:0] span_low = spread[SpanWidth-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    logic [9:0] row;

    if (!rst_ni) begin
      written_q <= '0;
      valid_q <= '0;
    end else if (write_valid_i) begin
      /* verilator unroll_disable */
      for (int j = 0; j < RowCount; j++) begin
        if (span_mask[16*j+:16] != 16'd0) begin
          row = place(write_address_i[13:4], 10'(j), write_wide_i, write_ovrd_i);
          valid_q[row] <= 1'b1;
          written_q[row] <= 1'b1;
          if (write_wide_i) written_q[row | 10'd8] <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    logic [9:0] row, low_row;
    logic [RowWidth-1:0] keep;

    if (write_valid_i) begin
      /* verilator unroll_disable */
      for (int j = 0; j < RowCount; j++) begin
        if (span_mask[16*j+:16] != 16'd0) begin
          row = place(write_address_i[13:4], 10'(j), write_wide_i, write_ovrd_i);
          low_row = write_wide_i ? row | 10'd8 : row;
          keep = ~bits(span_mask[16*j+:16]);
          rows_q[low_row] <= (written_q[low_row] ? rows_q[low_row] & keep : '0)
                             | span_low[RowWidth*j+:RowWidth];
          if (write_wide_i)
            rows_q[row] <= (written_q[row] ? rows_q[row] & keep : '0)
                           | span_high[RowWidth*j+:RowWidth];
        end
      end
    end
    if (read_valid_i) begin
      read_q <= written_q[read_row_i] ? rows_q[read_row_i] : '0;
      read_row_valid_q <= valid_q[read_row_i];
    end
  end

  assign read_data_o = read_q;
  assign read_row_valid_o = read_row_valid_q;

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (write_valid_i) begin
      if (write_mask_i == '0) $fatal(1, "dst_file: a step that writes nothing");
      if (write_ovrd_i && write_address_i[13:8] != 6'd0) $fatal(1, "dst_file: no address of 256");
    end
  end
`endif

endmodule

`default_nettype wire
