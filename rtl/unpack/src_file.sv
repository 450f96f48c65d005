// SPDX-License-Identifier: Apache-2.0
//
// SrcA or SrcB: two banks of 64 rows of 16 columns of 19 bits, written step by step.
//
// What is written or cleared in t is read from t+1 on. Reads: the row is out in the cycle after the
// request. Slot k of a step has address write_address_i + k (16 * row + column, modulo 1024);
// write_transpose_i exchanges column and low row bits. A clear and a write of the same bank never
// come together. Reset: 0. Clear and reset leave the rows as they are: each has a bit that says
// that it was written since, and each bank the value of those that were not.
`default_nettype none

module src_file
  import unpack_step_pkg::*;
(
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic                 write_valid_i,
  input  wire logic                 write_bank_i,
  input  wire logic                 write_transpose_i,
  input  wire logic [9:0]           write_address_i,
  input  wire logic [SlotCount-1:0] write_mask_i,
  input  wire logic [StepWidth-1:0] write_data_i,  // 0 where the mask is
  input  wire logic [1:0]           clear_banks_i,
  input  wire logic [18:0]          clear_value_i,
  input  wire logic                 read_valid_i,
  input  wire logic                 read_bank_i,
  input  wire logic [5:0]           read_row_i,
  output wire logic [303:0]         read_data_o    // column 0 lowest
);

  localparam int RowWidth = 16 * SlotWidth;
  localparam int RowCount = SlotCount / 16 + 1;  // rows that a step can touch

  logic [RowWidth-1:0] rows_q [128];  // {bank, row}
  logic [127:0] written_q;
  logic [18:0] value0_q, value1_q;
  logic [RowWidth-1:0] read_q;

  // The step as whole rows, from that of its first slot on: {mask, data}.
  localparam int SpanWidth = RowCount * RowWidth;
  localparam int SpanMask = RowCount * 16;

  function automatic logic [SpanMask+SpanWidth-1:0] span(
      input logic valid, input logic [3:0] column, input logic [SlotCount-1:0] mask,
      input logic [StepWidth-1:0] data);
    span = '0;
    if (valid) begin
      span = {{16'd0, mask} << column,
              {{RowWidth{1'b0}}, data} << (9'(SlotWidth) * {5'd0, column})};
    end
  endfunction

  function automatic logic [RowWidth-1:0] bits(input logic [15:0] columns);
    logic [RowWidth-1:0] r;

    for (int c = 0; c < 16; c++) r[SlotWidth*c+:SlotWidth] = {SlotWidth{columns[c]}};
    bits = r;
  endfunction

  wire logic [SpanMask+SpanWidth-1:0] spread = span(write_valid_i, write_address_i[3:0],
                                                    write_mask_i, write_data_i);
  wire logic [SpanMask-1:0] span_mask = spread[SpanWidth+:SpanMask];
  wire logic [SpanWidth-1:0] span_data = spread[SpanWidth-1:0];

  // A row as it is, or would be if it had been cleared when its bank was.
  function automatic logic [RowWidth-1:0] filled(input logic written,
                                                 input logic [RowWidth-1:0] row,
                                                 input logic [18:0] value);
    filled = written ? row : {16{value}};
  endfunction

  always_ff @(posedge clk_i) begin
    logic [6:0] row;
    logic [3:0] column;

    if (write_valid_i && !write_transpose_i) begin
      /* verilator unroll_disable */
      for (int j = 0; j < RowCount; j++) begin
        if (span_mask[16*j+:16] != 16'd0) begin
          row = {write_bank_i, write_address_i[9:4] + 6'(j)};
          rows_q[row] <= filled(written_q[row], rows_q[row], write_bank_i ? value1_q : value0_q)
                         & ~bits(span_mask[16*j+:16]) | span_data[RowWidth*j+:RowWidth];
        end
      end
    end
    if (write_valid_i && write_transpose_i) begin
      /* verilator unroll_disable */
      for (int j = 0; j < RowCount; j++) begin
        if (span_mask[16*j+:16] != 16'd0) begin
          /* verilator unroll_disable */
          for (int c = 0; c < 16; c++) begin
            row = {write_bank_i, write_address_i[9:4] + 6'(j)};
            row[3:0] = 4'(c);
            if (span_mask[16*j+c] && !written_q[row])
              rows_q[row] <= {16{write_bank_i ? value1_q : value0_q}};
          end
        end
      end
      /* verilator unroll_disable */
      for (int j = 0; j < RowCount; j++) begin
        if (span_mask[16*j+:16] != 16'd0) begin
          /* verilator unroll_disable */
          for (int c = 0; c < 16; c++) begin
            row = {write_bank_i, write_address_i[9:4] + 6'(j)};
            column = row[3:0];
            row[3:0] = 4'(c);
            if (span_mask[16*j+c])
              rows_q[row][SlotWidth*column+:SlotWidth] <=
                span_data[RowWidth*j+SlotWidth*c+:SlotWidth];
          end
        end
      end
    end
    if (read_valid_i) begin
      row = {read_bank_i, read_row_i};
      read_q <= filled(written_q[row], rows_q[row], read_bank_i ? value1_q : value0_q);
    end
  end

  // Rows written by this step, in the order of rows_q.
  function automatic logic [127:0] touched(input logic valid, input logic bank,
                                           input logic transpose, input logic [5:0] first,
                                           input logic [SpanMask-1:0] mask);
    logic [5:0] row;
    logic [127:0] rows;

    rows = '0;
    if (valid) begin
      /* verilator unroll_disable */
      for (int j = 0; j < RowCount; j++) begin
        row = first + 6'(j);
        if (transpose) rows = rows | {112'd0, mask[16*j+:16]} << {bank, row[5:4], 4'd0};
        else if (mask[16*j+:16] != 16'd0) rows[{bank, row}] = 1'b1;
      end
    end
    touched = rows;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= '0;
      value0_q <= '0;
      value1_q <= '0;
    end else begin
      if (write_valid_i)
        written_q <= written_q | touched(write_valid_i, write_bank_i, write_transpose_i,
                                         write_address_i[9:4], span_mask);
      if (clear_banks_i[0]) begin
        written_q[63:0] <= '0;
        value0_q <= clear_value_i;
      end
      if (clear_banks_i[1]) begin
        written_q[127:64] <= '0;
        value1_q <= clear_value_i;
      end
    end
  end

  assign read_data_o = read_q;

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (write_valid_i) begin
      if (clear_banks_i != 2'd0) $fatal(1, "src_file: a step and a clear in one cycle");
      if (write_mask_i == '0) $fatal(1, "src_file: a step that writes nothing");
    end
  end
`endif

endmodule

`default_nettype wire
