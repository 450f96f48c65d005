// SPDX-License-Identifier: Apache-2.0
//
// A write to SrcA or SrcB in the order of the cells: up to nine adjacent rows are rotated to the
// cells of their low bits. With transpose row and column change places within a block of 16 rows:
// all that is written goes to one word of every cell, the block's, a column from each row.
//
// Latency: the write is registered at the end of its cycle t; the cells' writes are up in t+1.
// Handshake: none, a write a cycle; with transpose all written rows are of one block, that of the
// first row or the next. Reset: none under way.
`default_nettype none

module src_spread
  import src_pkg::*;
  import unpack_pkg::src_write_t;
(
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                valid_i,
  input  wire src_write_t          write_i,
  output wire logic                bank_o,
  output wire logic [Cells-1:0]    write_valid_o,
  output wire logic [WordBits-1:0] write_word_o [Cells],
  output wire logic [Columns-1:0]  write_mask_o [Cells],
  output wire logic [RowBits-1:0]  write_data_o [Cells]
);

  localparam int RowMasks = Cells * Columns;
  localparam int RowsBits = Cells * RowBits;

  // Row r of the result is row r - by, modulo 16.
  function automatic logic [Cells-1:0][Columns-1:0] masks_of(
      input logic [WrittenRows-1:0][Columns-1:0] masks, input logic [3:0] by);
    logic [Cells-1:0][Columns-1:0] m;

    m = RowMasks'(masks);
    if (by[0]) m = {m[14:0], m[15]};
    if (by[1]) m = {m[13:0], m[15:14]};
    if (by[2]) m = {m[11:0], m[15:12]};
    if (by[3]) m = {m[7:0], m[15:8]};
    masks_of = m;
  endfunction

  function automatic logic [Cells-1:0][RowBits-1:0] rows_of(
      input logic [WrittenRows-1:0][RowBits-1:0] rows, input logic [3:0] by);
    logic [Cells-1:0][RowBits-1:0] r;

    r = RowsBits'(rows);
    if (by[0]) r = {r[14:0], r[15]};
    if (by[1]) r = {r[13:0], r[15:14]};
    if (by[2]) r = {r[11:0], r[15:12]};
    if (by[3]) r = {r[7:0], r[15:8]};
    rows_of = r;
  endfunction

  // Rows and columns exchanged
  function automatic logic [RowMasks-1:0] masks_across(input logic [RowMasks-1:0] masks);
    for (int r = 0; r < Cells; r++)
      for (int c = 0; c < Columns; c++) masks_across[Columns*c+r] = masks[Columns*r+c];
  endfunction

  function automatic logic [RowsBits-1:0] rows_across(input logic [RowsBits-1:0] rows);
    for (int r = 0; r < Cells; r++)
      for (int c = 0; c < Columns; c++)
        rows_across[RowBits*c+DatumBits*r+:DatumBits] = rows[RowBits*r+DatumBits*c+:DatumBits];
  endfunction

  // ---- where the rows are
  wire logic [3:0] low = write_i.row[3:0];
  wire logic [1:0] block = write_i.row[5:4];
  wire logic [1:0] next_block = block + 2'd1;
  wire logic [Cells-1:0][Columns-1:0] masks = masks_of(write_i.mask, low);
  wire logic [Cells-1:0] written;      // rows with a mask
  wire logic [Cells-1:0] wrapped;      // rows that are in the next block
  wire logic all_wrapped = write_i.transpose && (written & wrapped) != '0;
  wire logic [Cells-1:0] in_next = write_i.transpose ? {Cells{all_wrapped}} : wrapped;
  wire logic [RowMasks-1:0] cell_masks = write_i.transpose ? masks_across(masks) : masks;

  logic bank_q;
  logic [RowMasks-1:0] mask_q;
  logic [RowsBits-1:0] data_q;

  assign bank_o = bank_q;
  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      bank_q <= write_i.bank;
      mask_q <= cell_masks;
      if (write_i.transpose) data_q <= rows_across(rows_of(write_i.data, low));
      else data_q <= rows_of(write_i.data, low);
    end
  end

  for (genvar k = 0; k < Cells; k++) begin : gen_cell
    logic valid_q;
    logic [WordBits-1:0] word_q;

    assign written[k] = masks[k] != '0;
    assign wrapped[k] = 5'(k) < {1'b0, low};
    assign write_valid_o[k] = valid_q;
    assign write_word_o[k] = word_q;
    assign write_mask_o[k] = mask_q[Columns*k+:Columns];
    assign write_data_o[k] = data_q[RowBits*k+:RowBits];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_q <= 1'b0;
      else valid_q <= valid_i && cell_masks[Columns*k+:Columns] != '0;
    end

    always_ff @(posedge clk_i) begin
      if (valid_i) word_q <= in_next[k] ? next_block : block;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (valid_i && all_wrapped && (written & ~wrapped) != '0)
      $fatal(1, "src_spread: rows of two blocks from row %0d on", write_i.row);
  end
`endif

endmodule

`default_nettype wire
