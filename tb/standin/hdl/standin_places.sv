// SPDX-License-Identifier: Apache-2.0
//
// Which rows of SrcA, SrcB and Dst an instruction means, as sampled (M4, M27 of
// docs/decisions/standin.md).
//
// Latency: none. Handshake: none. Reset: none.
`timescale 1ns / 1ps
`default_nettype none

module standin_places
  import tilepath_isa_pkg::*;
  import standin_counters_pkg::*;
#(
  parameter int MathEnc            = 1,
  parameter int ZeroaccHalfRows    = 0,
  parameter int MoveUnalignedWrite = 0,
  parameter int ZeroaccStorageRows = 0,
  parameter int Mova2dRowBlock     = 0
) (
  input  wire logic [7:0]  opcode_i,
  input  wire logic [23:0] word_i,
  input  wire logic [2:0]  b_mode_i,      // of MOVB2D
  input  wire logic        odd_i,         // number of the address modifier
  input  wire rwc_t        rwc_i,
  input  wire logic [9:0]  offset_i,      // of Dst
  input  wire logic        wide_i,        // Dst has 32 bits
  input  wire logic        absolute_i,    // zeroacc_absolute_tile_mode
  output wire logic [3:0]  rows_o,        // that a move writes, or ZEROACC clears one by one
  output wire logic [5:0]  row_a_o,       // the first of each file
  output wire logic [5:0]  row_b_o,
  output wire logic [9:0]  row_o,
  output wire logic        zero_wide_o,   // ZEROACC
  output wire logic        out_of_range_o
);

  localparam logic Wh = MathEnc == MATH_ENC_WH;

  wire logic [7:0] op = opcode_i;
  wire logic [23:0] w = word_i;
  wire logic is_elw = op == OP_ELWMUL || op == OP_ELWADD || op == OP_ELWSUB;
  wire logic is_pool = op == OP_GMPOOL || op == OP_GAPOOL;
  wire logic of_dst_row = op == OP_MOVD2A || op == OP_MOVD2B;
  wire logic is_move = op == OP_MOVA2D || op == OP_MOVB2D || of_dst_row || op == OP_MOVB2A;

  wire logic is_zeroacc = op == OP_ZEROACC;

  // ---- SrcA, SrcB, Dst
  wire logic eight = op == OP_MOVB2D ? b_mode_i[1] : op == OP_MOVA2D && w[13];
  wire logic block = Mova2dRowBlock != 0 && op == OP_MOVA2D && odd_i && !w[13];
  wire logic four = op == OP_MOVB2D ? b_mode_i[2] && !b_mode_i[1]
                  : op == OP_MOVA2D ? block : w[13];
  // four rows of Src are written where the sum says
  wire logic anywhere_a = MoveUnalignedWrite != 0 && (op == OP_MOVD2A || op == OP_MOVB2A);
  wire logic anywhere_b = MoveUnalignedWrite != 0 && op == OP_MOVD2B;
  wire logic [5:0] a_sum = (op == OP_MOVA2D || of_dst_row || op == OP_MOVB2A ? w[22:17] : 6'd0)
                           + rwc_i.a;
  wire logic [5:0] b_sum = (op == OP_MOVB2D || of_dst_row ? w[22:17]
                            : op == OP_MOVB2A ? w[5:0] : 6'd0) + rwc_i.b;
  wire logic [9:0] sum = w[9:0] + offset_i + rwc_i.d;

  assign rows_o = is_zeroacc ? (clears_eight ? 4'd8 : 4'd1) : eight ? 4'd8 : four ? 4'd4 : 4'd1;
  assign row_a_o = a_sum & (!is_move ? (op == OP_GMPOOL ? 6'h30 : 6'h38)
                            : op == OP_MOVA2D && eight ? 6'h38 : four && !anywhere_a ? 6'h3C : 6'h3F);
  assign row_b_o = op == OP_TRNSPSRCB ? 6'd16
                 : b_sum & (is_elw && w[ELWADD_BH_BCAST_ROW_LSB] ? 6'h3F
                            : is_move ? (four && !anywhere_b ? 6'h3C : 6'h3F) : 6'h38);

  // ---- ZEROACC
  wire logic [1:0] mode = w[20:19];
  wire logic clears_eight = ZeroaccStorageRows != 0 && mode == 2'd0 && odd_i;
  wire logic zero_wide = mode == 2'd0 ? ZeroaccStorageRows == 0 && wide_i
                       : mode == 2'd1 && (Wh ? w[21] : w[18]);
  wire logic [9:0] half_sum = offset_i + rwc_i.d
                              + (ZeroaccHalfRows != 0 ? {2'd0, w[7:0]} : 10'd0);
  wire logic relative = !Wh && !absolute_i;
  wire logic [8:0] where = {1'b0, w[7:0]}
    + (!relative ? 9'd0 : zero_wide ? (half_sum[9:8] != 2'd0 ? 9'd16 : 9'd0)
                                    : half_sum[9] ? 9'd32 : 9'd0);
  wire logic [9:0] zero_row = mode == 2'd0 ? sum : mode == 2'd1 ? {where[5:0], 4'd0}
                            : mode == 2'd2 ? {w[0], 9'd0} : 10'd0;

  assign zero_wide_o = zero_wide;
  assign out_of_range_o = mode == 2'd1 && where >= (zero_wide ? 9'd32 : 9'd64);
  assign row_o = is_zeroacc ? zero_row
               : sum & (is_pool || is_move && four ? 10'h3FC
                        : is_move && !eight ? 10'h3FF : 10'h3F8);

endmodule

`default_nettype wire
