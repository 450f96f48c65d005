// SPDX-License-Identifier: Apache-2.0
//
// SrcA and SrcB with the owners of their banks: between the unpackers and the Matrix Unit.
//
// Latency: as in src and src_owner. Handshake: none. Reset: rows 0, banks the Unpackers'.
`default_nettype none

module src_files
  import src_pkg::*;
  import unit_port_pkg::*;
  import unpack_pkg::src_write_t;
  import unpack_pkg::src_clear_t;
(
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  // the unpackers, in w + WRITE - 1; flips in w
  input  wire logic               write_valid_i [2],
  input  wire src_write_t         write_i [2],
  input  wire logic               clear_valid_i [2],
  input  wire src_clear_t         clear_i [2],
  input  wire logic [1:0]         flip_i [2],
  input  wire logic [3:0]         flip_format_i [2],
  input  wire logic               dst_valid_i,     // a write to Dst makes a bank of SrcA stale
  input  wire logic               dst_bank_i,
  output wire logic [1:0]         theirs_o [2],
  // the Matrix Unit
  /* verilator lint_off UNUSEDSIGNAL */  // what is Dst's
  input  wire matrix_command_t    matrix_i,
  input  wire matrix_write_t      write_row_i,
  output wire logic [RowBits-1:0] a_o,
  output wire logic [RowBits-1:0] b_o,
  // levels
  output wire logic [3:0]         owner_o,         // {B1, B0, A1, A0}
  output wire logic [15:0]        implied_o,
  output wire logic [1:0]         stale_o,
  output wire logic               stale_read_o
);

  wire src_clear_t clear_a = clear_i[0];
  wire logic [RowBits-1:0] row_data;
  wire logic [RowBits-1:0] data [2];
  wire logic [2:0] read = matrix_i.read;
  wire logic [1:0] banks = matrix_i.banks;
  wire logic [3:0] matrix_clear = matrix_i.clear;
  wire logic [511:0] written = write_row_i.data;
  wire logic [9:0] written_row = write_row_i.row;
  /* verilator lint_on UNUSEDSIGNAL */

  assign a_o = data[0];
  assign b_o = data[1];
  for (genvar c = 0; c < Columns; c++) begin : gen_column
    assign row_data[DatumBits*c+:DatumBits] = written[32*c+:DatumBits];
  end

  for (genvar f = 0; f < 2; f++) begin : gen_src
    src u_src (
      .clk_i, .rst_ni, .write_valid_i(write_valid_i[f]), .write_i(write_i[f]),
      .clear_valid_i(clear_valid_i[f]), .clear_i(clear_i[f]),
      .matrix_valid_i(write_row_i.valid && write_row_i.target == 2'(f)),
      .matrix_bank_i(write_row_i.bank), .matrix_row_i(written_row[5:0]), .matrix_data_i(row_data),
      .matrix_clear_i(matrix_clear[2*f+:2]),
      .matrix_value_i({19{f == 0 && matrix_i.neg_inf}}),
      .read_valid_i(read[f]), .read_bank_i(banks[f]),
      .read_row_i(f == 0 ? matrix_i.row_a : matrix_i.row_b), .read_data_o(data[f])
    );
  end

  src_owner u_owner (
    .clk_i, .rst_ni, .flip_i, .flip_format_i, .release_i(matrix_i.give_back), .read_i(read[0]),
    .banks_i(banks), .stale_read_o, .dst_valid_i, .dst_bank_i, .clear_valid_i(clear_valid_i[0]),
    .clear_banks_i(clear_a.banks), .matrix_clear_i(matrix_clear[1:0]), .owner_o, .theirs_o,
    .implied_o, .stale_o
  );

endmodule

`default_nettype wire
