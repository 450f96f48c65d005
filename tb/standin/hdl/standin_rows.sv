// SPDX-License-Identifier: Apache-2.0
//
// The rows of an instruction of the math stand-in: keeps those of SrcA and SrcB that many rows of
// Dst need, and makes each row that is written.
//
// Latency: rows that were read in the cycle before are kept at the end of the cycle; what is written
// is out at once. Handshake: none. Reset: none, what is used was read before.
`timescale 1ns / 1ps
`default_nettype none

module standin_rows
  import tilepath_isa_pkg::*;
  import standin_pkg::*;
(
  input  wire logic               clk_i,
  input  wire logic [7:0]         opcode_i,
  input  wire mode_t              mode_i,
  input  wire logic               accumulate_i,
  input  wire logic               column0_i,    // of SrcB, in all columns
  input  wire logic               low_i,        // half of Dst
  input  wire logic               tf32_i,       // the format of what is moved
  // rows that were read in the cycle before, and where they are kept
  input  wire logic [SrcBits-1:0] a_i,
  input  wire logic [SrcBits-1:0] b_i,
  input  wire logic [DstBits-1:0] d_i,
  input  wire logic               row_valid_i,
  input  wire logic               keep_a_i,
  input  wire logic               keep_b_i,
  input  wire logic [3:0]         place_a_i,
  input  wire logic [3:0]         place_b_i,
  // the row that is written: its number in the block, and its columns, of 32 bits
  input  wire logic [3:0]         number_i,
  output wire logic [DstBits-1:0] data_o
);

  logic [16*SrcBits-1:0] a_q, b_q;

  always @(posedge clk_i) begin
    if (keep_a_i) a_q[SrcBits*place_a_i+:SrcBits] <= a_i;
    if (keep_b_i) b_q[SrcBits*place_b_i+:SrcBits] <= b_i;
  end

  // ---- a column of 16 rows of SrcA
  function automatic logic [SrcBits-1:0] column_of(input logic [16*SrcBits-1:0] rows,
                                                   input int c);
    for (int k = 0; k < 16; k++) column_of[DatumBits*k+:DatumBits] = rows[SrcBits*k+DatumBits*c+:DatumBits];
  endfunction

  // ---- rows
  function automatic logic [DstBits-1:0] products(input logic [16*SrcBits-1:0] rows,
                                                  input logic [SrcBits-1:0] b,
                                                  input logic [DstBits-1:0] d, input mode_t mode);
    logic [SrcBits-1:0] a;

    for (int c = 0; c < Columns; c++) begin
      a = column_of(rows, c);
      if (mode.integer_math) begin
        int total;
        total = 0;
        for (int k = 0; k < 16; k++) begin
          datum_t x, y;
          x = flushed(a[DatumBits*k+:DatumBits], 1'b0);
          y = flushed(b[DatumBits*k+:DatumBits], 1'b0);
          total = total + integer_product(x, y, mode);
        end
        products[32*c+:32] = added(d[32*c+:32], total);
      end else begin
        products[32*c+:32] = accumulated(
          d[32*c+:32],
          group(a[8*DatumBits-1:0], b[8*DatumBits-1:0], mode),
          group(a[16*DatumBits-1:8*DatumBits], b[16*DatumBits-1:8*DatumBits], mode), mode);
      end
    end
  endfunction

  function automatic logic [DstBits-1:0] elementwise(input logic [7:0] opcode,
                                                     input logic column0,
                                                     input logic [SrcBits-1:0] a,
                                                     input logic [SrcBits-1:0] b,
                                                     input logic [DstBits-1:0] d,
                                                     input mode_t mode);
    logic [31:0] old;
    datum_t x, y, raw;
    logic subtract;

    subtract = opcode == OP_ELWSUB;
    for (int c = 0; c < Columns; c++) begin
      old = d[32*c+:32];
      raw = column0 ? b[DatumBits-1:0] : b[DatumBits*c+:DatumBits];
      raw.s = raw.s ^ subtract;
      x = a[DatumBits*c+:DatumBits];
      y = raw;
      if (!mode.integer_math) begin  // of integers all bits count (M12)
        x = factor(x, mode.e5, mode.tf32_a);
        y = factor(y, mode.e5_b, mode.tf32_b);
      end
      x = flushed(x, 1'b0);
      if (opcode == OP_ELWMUL) begin
        if (mode.integer_math)
          elementwise[32*c+:32]
            = added(old, integer_product(x, flushed(y, mode.keep), mode));
        else
          elementwise[32*c+:32] = accumulated(
            old, single(x, y, y.e == 8'd0 && !mode.keep, mode), '0, mode);
      end else begin
        y = flushed(y, mode.keep);
        if (mode.integer_math)
          elementwise[32*c+:32] = added(old, (x.s ? -int'(x.m) : int'(x.m))
                                             + (y.s ? -int'(y.m) : int'(y.m)));
        else elementwise[32*c+:32] = accumulated(old, sum(x, y, mode), '0, mode);
      end
    end
  endfunction

  function automatic logic [DstBits-1:0] largest(input logic [16*SrcBits-1:0] rows,
                                                 input logic [DstBits-1:0] d, input mode_t mode);
    datum_t best;
    logic [SrcBits-1:0] a;
    logic [31:0] old;

    for (int c = 0; c < Columns; c++) begin
      a = column_of(rows, c);
      old = d[32*c+:32];
      best = mode.wide ? {old[31], old[30:24], old[15:13], old[23:16]}
                         : {old[15], old[14:8], 3'd0, old[7:0]};
      for (int k = 0; k < 16; k++)
        best = larger(best, flushed(factor(a[DatumBits*k+:DatumBits], 1'b0, mode.tf32_a), 1'b0));
      largest[32*c+:32] = mode.wide ? {to_dst(best, 1'b0), best.m[2:0], 13'd0}
                                      : {16'd0, to_dst(best, 1'b0)};
    end
  endfunction

  function automatic logic [DstBits-1:0] moved_to_dst(input logic [SrcBits-1:0] row,
                                                      input logic of_b, input logic column0,
                                                      input logic low, input logic tf32,
                                                      input logic [DstBits-1:0] d,
                                                      input mode_t mode);
    datum_t x;
    logic [15:0] h;

    for (int c = 0; c < Columns; c++) begin
      x = row[DatumBits*(of_b && column0 ? 0 : c)+:DatumBits];
      x = of_b ? moved_b(x, mode) : flushed(x, mode.keep);
      h = to_dst(x, mode.e5);
      if (tf32) moved_to_dst[32*c+:32] = {h, {x.m[2:0], 13'd0} | (low ? h : 16'd0)};
      else moved_to_dst[32*c+:32] = low ? {d[32*c+16+:16], h} : {16'd0, h};
    end
  endfunction

  function automatic logic [DstBits-1:0] moved_from_dst(input logic low, input logic tf32,
                                                        input logic [DstBits-1:0] d,
                                                        input mode_t mode);
    logic [31:0] v;

    for (int c = 0; c < Columns; c++) begin
      v = d[32*c+:32];
      if (mode.no_low && low) moved_from_dst[32*c+:32] = '0;
      else if (!mode.wide) moved_from_dst[32*c+:32] = 32'(from_dst(v[15:0], mode.e5));
      else if (tf32)
        moved_from_dst[32*c+:32] = low ? {19'd0, v[12:0]}
                                         : {13'd0, v[31:24], v[15:13], v[23:16]};
      else moved_from_dst[32*c+:32] = 32'(from_dst(low ? v[15:0] : v[31:16], mode.e5));
    end
  endfunction

  function automatic logic [DstBits-1:0] moved_to_a(input logic [SrcBits-1:0] row,
                                                    input mode_t mode);
    for (int c = 0; c < Columns; c++)
      moved_to_a[32*c+:32] = 32'(moved_b(row[DatumBits*c+:DatumBits], mode));
  endfunction

  // Column `number` of the rows kept; the last of them may have been read in the cycle before.
  function automatic logic [DstBits-1:0] transposed(input logic [16*SrcBits-1:0] rows,
                                                    input logic [SrcBits-1:0] newest,
                                                    input logic [3:0] number);
    logic [SrcBits-1:0] row;

    for (int c = 0; c < Columns; c++) begin
      row = c == 15 && number == 4'd0 ? newest : rows[SrcBits*c+:SrcBits];
      transposed[32*c+:32] = 32'(row[DatumBits*number+:DatumBits]);
    end
  endfunction

  // ---- the row
  wire logic [DstBits-1:0] old = row_valid_i ? d_i : '0;
  wire logic [DstBits-1:0] lowest = row_valid_i ? d_i : '1;  // of numbers
  wire logic [DstBits-1:0] kept = accumulate_i || opcode_i == OP_ELWMUL ? old : '0;  // M19
  logic [DstBits-1:0] data;

  assign data_o = data;
  always_comb begin
    case (opcode_i)
      OP_MVMUL, OP_GAPOOL: data = products(a_q, b_q[SrcBits*number_i+:SrcBits], old, mode_i);
      OP_GMPOOL: data = number_i == 4'd0 ? largest(a_q, lowest, mode_i) : '0;
      OP_MOVA2D: data = moved_to_dst(a_i, 1'b0, 1'b0, low_i, tf32_i, old, mode_i);
      OP_MOVB2D: data = moved_to_dst(b_i, 1'b1, column0_i, low_i, tf32_i, old, mode_i);
      OP_MOVD2A, OP_MOVD2B: data = moved_from_dst(low_i, tf32_i, old, mode_i);
      OP_MOVB2A: data = moved_to_a(b_i, mode_i);
      OP_TRNSPSRCB: data = transposed(b_q, b_i, number_i);
      default: data = elementwise(opcode_i, column0_i, a_i, b_i, kept, mode_i);
    endcase
  end

endmodule

`default_nettype wire
