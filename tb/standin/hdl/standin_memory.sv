// SPDX-License-Identifier: Apache-2.0
//
// SrcA, SrcB and Dst of the math stand-in's own bench: plain memories behind the Matrix Unit's port,
// which `load` writes from outside.
//
// Latency: as docs/standin.md section 2 has it. Handshake: none. Reset: rows 0, those of Dst valid.
`timescale 1ns / 1ps
`default_nettype none

module standin_memory
  import unit_port_pkg::*;
(
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  input  wire logic            flush_i,
  input  wire matrix_command_t matrix_i,
  input  wire matrix_write_t   write_i,
  output wire matrix_answer_t  answer_o,
  input  wire logic            load_valid_i,
  input  wire logic [1:0]      load_target_i,
  input  wire logic            load_bank_i,
  input  wire logic [9:0]      load_row_i,
  input  wire logic            load_row_valid_i,
  input  wire logic [511:0]    load_data_i
);

  logic [303:0] src_q [256];  // file, bank, row
  logic [255:0] dst_q [1024];
  logic valid_q [1024];
  matrix_answer_t answer_q;
  logic [9:0] s;
  logic [511:0] row;
  matrix_command_t m;
  logic [3:0] cleared;
  matrix_write_t w;

  assign answer_o = answer_q;

  function automatic logic [303:0] narrow(input logic [511:0] data);
    for (int c = 0; c < 16; c++) narrow[19*c+:19] = data[32*c+:19];
  endfunction

  function automatic logic [255:0] half(input logic [511:0] data, input logic upper);
    for (int c = 0; c < 16; c++) half[16*c+:16] = upper ? data[32*c+16+:16] : data[32*c+:16];
  endfunction

  function automatic logic [511:0] joined(input logic [255:0] upper, input logic [255:0] lower);
    for (int c = 0; c < 16; c++) joined[32*c+:32] = {upper[16*c+:16], lower[16*c+:16]};
  endfunction

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < 256; i++) src_q[i] = '0;
      for (int i = 0; i < 1024; i++) begin
        dst_q[i] = '0;
        valid_q[i] = 1'b1;
      end
    end else begin
      m = matrix_i;
      w = write_i;
      cleared = m.clear;
      if (m.read[0]) answer_q.a <= src_q[{1'b0, m.banks[0], m.row_a}];
      if (m.read[1]) answer_q.b <= src_q[{1'b1, m.banks[1], m.row_b}];
      if (m.read[2]) begin
        s = dst_pkg::storage_of(m.row, m.wide, m.access[1], m.access[0]);
        answer_q.dst <= m.wide ? joined(dst_q[s], dst_q[s+10'd8]) : joined('0, dst_q[s]);
        answer_q.row_valid <= valid_q[s];
      end
      if (w.valid && w.target != 2'd2)
        src_q[{w.target[0], w.bank, w.row[5:0]}] = narrow(w.data);
      if (w.valid && w.target == 2'd2) begin
        s = dst_pkg::storage_of(w.row, w.wide, w.access[1], w.access[0]);
        dst_q[s] = half(w.data, w.wide);
        if (w.wide) dst_q[s+10'd8] = half(w.data, 1'b0);
        valid_q[s] = 1'b1;
      end
      for (int b = 0; b < 4; b++)
        if (cleared[b])
          for (int r = 0; r < 64; r++) src_q[64*b+r] = {16{m.neg_inf && b < 2 ? 19'h7FFFF : 19'd0}};
      if (m.zero) begin
        for (int i = 0; i < 1024; i++)
          if (m.zero_mode == 2'd3 || m.zero_mode == 2'd2 && 1'(i / 512) == m.row[9])
            valid_q[i] = m.undo;
        for (int i = 0; i < 16; i++)
          if (m.zero_mode == 2'd1 || m.zero_mode == 2'd0 && i == 0) begin
            s = dst_pkg::storage_of(m.row + 10'(i), m.wide, m.access[1], m.access[0]);
            valid_q[s] = m.undo;
          end
      end
      if (load_valid_i && load_target_i == 2'd2) begin
        dst_q[load_row_i] = half(load_data_i, 1'b0);
        valid_q[load_row_i] = load_row_valid_i;
      end
      if (load_valid_i && load_target_i != 2'd2)
        src_q[{load_target_i[0], load_bank_i, load_row_i[5:0]}] = narrow(load_data_i);
    end
  end

`include "standin_memory_taps.svh"

endmodule

`default_nettype wire
