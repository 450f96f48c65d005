// SPDX-License-Identifier: Apache-2.0
//
// An aligned block of eight rows of Dst, of 16 or 32 bits, spread over the banks; rows with an
// empty mask are not written. With 32 bits and swizzle all that are written are in one half of the
// block: the other one is in the same banks (P52).
//
// Row p of the block is in bank p ^ x, where x depends on the block only, and the low halves of 32
// bits in bank p ^ x ^ 8. So what moves rows to banks is an exchange of neighbours, of pairs, of
// fours, and of the two groups of eight banks; and all banks have the same place.
//
// Latency: the block is registered at the end of its cycle t; the banks' writes are up in t+1, and
// Dst changes at the end of it. Handshake: none, a block a cycle. Reset: none under way.
`default_nettype none

module dst_block
  import dst_pkg::*;
(
  input  wire logic                    clk_i,
  input  wire logic                    rst_ni,
  input  wire logic                    valid_i,
  input  wire logic                    wide_i,       // rows of 32 bits
  input  wire logic                    remap_i,
  input  wire logic                    swizzle_i,
  input  wire logic [6:0]              block_i,      // bits 9:3 of its rows
  input  wire logic [7:0][Columns-1:0] mask_i,
  input  wire logic [7:0][RowBits-1:0] high_i,       // of 32 bits; or all
  input  wire logic [7:0][RowBits-1:0] low_i,        // of 32 bits
  output wire logic [Banks-1:0]        write_valid_o,
  output wire logic [Banks-1:0]        write_row_valid_o,  // not of low halves (U36)
  output wire logic [5:0]              write_place_o [Banks],
  output wire logic [Columns-1:0]      write_mask_o [Banks],
  output wire logic [RowBits-1:0]      write_data_o [Banks]
);

  // ---- the place of the block, by the first row of it, or of the half that is written
  wire logic halves = wide_i && swizzle_i;
  wire logic upper = halves && mask_i[7:4] != '0;
  wire logic [9:0] first
    = storage_of({block_i, upper, 2'd0}, wide_i, remap_i, swizzle_i);
  wire logic [3:0] first_bank = bank_of(first[7:0]);
  wire logic [3:0] exchange = first_bank ^ {1'b0, upper, 2'd0};

  // Row n of the result is row n ^ by.
  function automatic logic [7:0][Columns-1:0] masks_of(input logic [7:0][Columns-1:0] masks,
                                                       input logic [2:0] by);
    logic [7:0][Columns-1:0] m;

    m = masks;
    if (by[0]) m = {m[6], m[7], m[4], m[5], m[2], m[3], m[0], m[1]};
    if (by[1]) m = {m[5:4], m[7:6], m[1:0], m[3:2]};
    if (by[2]) m = {m[3:0], m[7:4]};
    masks_of = m;
  endfunction

  function automatic logic [7:0][RowBits-1:0] rows_of(input logic [7:0][RowBits-1:0] rows,
                                                      input logic [2:0] by);
    logic [7:0][RowBits-1:0] r;

    r = rows;
    if (by[0]) r = {r[6], r[7], r[4], r[5], r[2], r[3], r[0], r[1]};
    if (by[1]) r = {r[5:4], r[7:6], r[1:0], r[3:2]};
    if (by[2]) r = {r[3:0], r[7:4]};
    rows_of = r;
  endfunction

  // ---- banks 0 to 7 and 8 to 15
  wire logic [7:0][Columns-1:0] masks = masks_of(mask_i, exchange[2:0]);
  wire logic [7:0][Columns-1:0] upper_masks = wide_i || exchange[3] ? masks : '0;
  wire logic [7:0][Columns-1:0] lower_masks = wide_i || !exchange[3] ? masks : '0;

  logic valid_q;
  logic wide_q;
  logic high_q;  // high halves, or all, are in banks 8 to 15
  logic [5:0] place_q;
  logic [1:0][7:0][Columns-1:0] mask_q;
  logic [1:0][7:0][RowBits-1:0] data_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      wide_q <= wide_i;
      high_q <= exchange[3];
      place_q <= first[9:4];
      mask_q <= {upper_masks, lower_masks};
      data_q[0] <= rows_of(exchange[3] ? low_i : high_i, exchange[2:0]);
      data_q[1] <= rows_of(exchange[3] ? high_i : low_i, exchange[2:0]);
    end
  end

  for (genvar k = 0; k < Banks; k++) begin : gen_bank
    assign write_valid_o[k] = valid_q && write_mask_o[k] != '0;
    assign write_row_valid_o[k] = !wide_q || high_q == 1'(k / 8);
    assign write_place_o[k] = place_q;
    assign write_mask_o[k] = mask_q[k/8][k%8];
    assign write_data_o[k] = data_q[k/8][k%8];
  end

`ifndef SYNTHESIS
  // Every row comes to its bank, and so no two to one.
  always @(posedge clk_i) begin
    if (valid_i) begin
      if (mask_i == '0) $fatal(1, "dst_block: nothing is written");
      for (int p = 0; p < 8; p++) begin
        if (mask_i[p] != '0 && storage_of({block_i, 3'(p)}, wide_i, remap_i, swizzle_i)
            != {first[9:4], 4'(p) ^ exchange ^ first[7:4]})
          $fatal(1, "dst_block: row %0d is not in bank %0d", {block_i, 3'(p)}, 4'(p) ^ exchange);
      end
    end
  end
`endif

endmodule

`default_nettype wire
