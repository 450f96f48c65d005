// SPDX-License-Identifier: Apache-2.0
//
// Dst between those who write it, unpacker 0 and the Matrix Unit, and those who read it, the Matrix
// Unit and the packers.
//
// Latency: what unpacker 0 writes in t is in Dst at the end of t+1, with pause_o in t+1; what the
// Matrix Unit writes in t, at the end of t. A row that it reads in t is out in t+1. Lanes of the
// packers as in dst, behind the Matrix Unit. Handshake: the Matrix Unit neither writes nor changes
// valid bits in a cycle with pause_o (M32). Reset: rows 0, all valid.
`default_nettype none

module dst_shared
  import dst_pkg::*;
  import unit_port_pkg::*;
(
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  // unpacker 0
  input  wire logic               block_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // what is SrcA's
  input  wire dst_write_t         block_i,
  // the Matrix Unit
  input  wire matrix_command_t    matrix_i,
  input  wire matrix_write_t      write_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output wire logic [511:0]       row_o,         // 32 bits a column
  output wire logic               row_valid_o,
  output wire logic               pause_o,
  // the packers
  input  wire logic               read_valid_i [4],
  input  wire logic [9:0]         read_row_i [4],
  input  wire logic               read_wide_i,
  output wire logic               read_grant_o [4],
  output wire logic [RowBits-1:0] read_high_o [4],
  output wire logic [RowBits-1:0] read_low_o [4],
  output wire logic               read_row_valid_o [4],
  output wire logic               race_o         // a row that a packer gets is written in this cycle
);

  // ---- what unpacker 0 writes
  wire logic [Banks-1:0] block_valid, block_row_valid;
  wire logic [5:0] block_place [Banks];
  wire logic [Columns-1:0] block_mask [Banks];
  wire logic [RowBits-1:0] block_data [Banks];

  dst_block u_block (
    .clk_i, .rst_ni, .valid_i(block_valid_i), .wide_i(block_i.wide), .remap_i(block_i.remap),
    .swizzle_i(block_i.swizzle), .block_i(block_i.block), .mask_i(block_i.mask),
    .high_i(block_i.high), .low_i(block_i.low), .write_valid_o(block_valid),
    .write_row_valid_o(block_row_valid), .write_place_o(block_place),
    .write_mask_o(block_mask), .write_data_o(block_data)
  );
  assign pause_o = block_valid != '0;

  // ---- what the Matrix Unit writes: a row, or its halves
  wire logic [511:0] data = write_i.data;
  wire logic [1:0] access = write_i.access;
  wire logic [9:0] storage = storage_of(write_i.row, write_i.wide, access[1], access[0]);
  wire logic [3:0] bank = bank_of(storage[7:0]);
  wire logic written = write_i.valid && write_i.target == 2'd2;
  wire logic [RowBits-1:0] high, low;

  for (genvar c = 0; c < Columns; c++) begin : gen_column
    assign low[16*c+:16] = data[32*c+:16];
    assign high[16*c+:16] = write_i.wide ? data[32*c+16+:16] : data[32*c+:16];
  end

  // ---- both
  wire logic [Banks-1:0] write_valid, write_row_valid;
  wire logic [5:0] write_place [Banks];
  wire logic [Columns-1:0] write_mask [Banks];
  wire logic [RowBits-1:0] write_data [Banks];

  for (genvar k = 0; k < Banks; k++) begin : gen_bank
    wire logic of_high = written && bank == 4'(k);
    wire logic of_low = written && write_i.wide && bank == (4'(k) ^ 4'd8);

    assign write_valid[k] = block_valid[k] || of_high || of_low;
    assign write_row_valid[k] = pause_o ? block_row_valid[k] : of_high;
    assign write_place[k] = pause_o ? block_place[k] : storage[9:4];
    assign write_mask[k] = pause_o ? block_mask[k] : '1;
    assign write_data[k] = pause_o ? block_data[k] : of_low ? low : high;
  end

  // ---- valid bits
  wire logic [1:0] zero_access = matrix_i.access;
  wire logic [BankRows-1:0] places;
  wire logic [15:0] lows;

  dst_zero u_zero (
    .mode_i(matrix_i.zero_mode), .row_i(matrix_i.row), .wide_i(matrix_i.wide),
    .remap_i(zero_access[1]), .swizzle_i(zero_access[0]), .places_o(places), .lows_o(lows)
  );

  // ---- lanes: the Matrix Unit, the packers
  /* verilator lint_off UNUSEDSIGNAL */  // what is SrcA's and SrcB's
  wire logic [2:0] read = matrix_i.read;
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic lane_valid [5], lane_wide [5], grant [5], race [5], row_valid [5];
  wire logic [9:0] lane_row [5];
  wire logic [RowBits-1:0] row_high [5], row_low [5];
  wire logic unused_own = grant[0] ^ race[0];
  logic wide_q;

  assign lane_valid[0] = read[2];
  assign lane_row[0] = storage_of(matrix_i.row, matrix_i.wide, zero_access[1], zero_access[0]);
  assign lane_wide[0] = matrix_i.wide;
  assign row_valid_o = row_valid[0];
  always_ff @(posedge clk_i) begin
    if (read[2]) wide_q <= matrix_i.wide;
  end
  for (genvar c = 0; c < Columns; c++) begin : gen_out
    assign row_o[32*c+:32] = wide_q ? {row_high[0][16*c+:16], row_low[0][16*c+:16]}
                                    : {16'd0, row_high[0][16*c+:16]};
  end
  for (genvar l = 0; l < 4; l++) begin : gen_lane
    assign lane_valid[l+1] = read_valid_i[l];
    assign lane_row[l+1] = read_row_i[l];
    assign lane_wide[l+1] = read_wide_i;
    assign read_grant_o[l] = grant[l+1];
    assign read_high_o[l] = row_high[l+1];
    assign read_low_o[l] = row_low[l+1];
    assign read_row_valid_o[l] = row_valid[l+1];
  end

  assign race_o = race[1] || race[2] || race[3] || race[4];

  dst #(.Reads(5)) u_dst (
    .clk_i, .rst_ni,
    .read_valid_i(lane_valid), .read_row_i(lane_row), .read_wide_i(lane_wide),
    .read_grant_o(grant), .read_race_o(race), .read_high_o(row_high), .read_low_o(row_low),
    .read_row_valid_o(row_valid),
    .write_valid_i(write_valid), .write_row_valid_i(write_row_valid), .write_place_i(write_place),
    .write_mask_i(write_mask), .write_data_i(write_data), .earlier_i(16'd0),
    .earlier_place_i(6'd0), .zero_valid_i(matrix_i.zero), .zero_value_i(matrix_i.undo),
    .zero_places_i(places), .zero_lows_i(lows)
  );

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (pause_o && (written || matrix_i.zero))
      $fatal(1, "dst_shared: the Matrix Unit writes in a cycle of unpacker 0");
  end
`endif

endmodule

`default_nettype wire
