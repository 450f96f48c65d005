// SPDX-License-Identifier: Apache-2.0
//
// Joins the math stand-in, the memories of its own bench, players and recorders.
// tb/standin/streams.py describes the players, of which the modules standin_play_* are made, and
// standin_harness.taps what is recorded.
`timescale 1ns / 1ps
`default_nettype none

module standin_harness;
  import unit_port_pkg::*;
  import standin_counters_pkg::*;
  import tp_profile_pkg::*;

  logic clk, rst_n, flush;
  // what Python touches: engine/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  wire config_write_t cfg;
  wire setc16_t setc16 [3];
  wire thread_store_t store;
  wire logic setc16_valid [3];
  wire logic item_valid, issue_valid, ready, pause;
  wire logic load_valid, load_bank, load_row_valid, unpack_zero_valid, pack_read_valid, pack_wide;
  wire logic [1:0] issue_thread, load_target, stale, unpack_bank, unpack_zero;
  wire logic [31:0] issue_word;
  wire logic [2:0] busy;
  wire logic [3:0] owner, pack_lanes;
  wire logic [15:0] implied;
  wire logic [39:0] pack_rows;
  wire logic [9:0] pack_row [4], load_row;
  wire logic [511:0] load_data;
  wire matrix_command_t matrix;
  wire matrix_write_t write;
  wire matrix_answer_t answer;
  wire logic [27:0] count [8];

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  assign issue_valid = item_valid && ready;

  math_standin #(
    .MathEnc(MathEnc), .ImpliedFmt(ImpliedFmt), .MathMinus1(MathMinus1), .DstRemap(DstRemap),
    .ZeroaccHalfRows(ZeroaccHalfRows), .MoveFp32Rows(MoveFp32Rows), .SrcbCutInMove(SrcbCutInMove),
    .Movd2bLowZero(Movd2bLowZero), .MoveUnalignedWrite(MoveUnalignedWrite),
    .ZeroaccStorageRows(ZeroaccStorageRows), .Mova2dRowBlock(Mova2dRowBlock)
  ) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .cfg_i(cfg), .setc16_i(setc16), .store_i(store),
    .issue_valid_i(issue_valid), .issue_thread_i(issue_thread), .issue_word_i(issue_word),
    .ready_o(ready), .busy_o(busy), .matrix_valid_o(), .matrix_o(matrix),
    .write_o(write), .answer_i(answer), .matrix_bank_o(), .owner_i(owner),
    .implied_i(implied), .stale_i(stale), .unpack_bank_i(unpack_bank), .pause_i(pause),
    .unpack_zero_i(unpack_zero_valid ? unpack_zero : 2'd0),
    .pack_read_i(pack_read_valid ? pack_lanes : 4'd0), .pack_wide_i(pack_wide),
    .pack_row_i(pack_row), .hist_clear_o(), .rwc_o(),
    .fault_thread_o(), .fault_word_o(), .fault_o()
  );

  standin_memory u_memory (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .matrix_i(matrix), .write_i(write),
    .answer_o(answer), .load_valid_i(load_valid),
    .load_target_i(load_target), .load_bank_i(load_bank), .load_row_i(load_row),
    .load_row_valid_i(load_row_valid), .load_data_i(load_data)
  );

  // ---- players
  tp_counts #(.Sources(6)) u_counts (
    .clk_i(clk), .rst_ni(rst_n), .count_o(count),
    .done_i({load_valid, setc16_valid[2], setc16_valid[1], setc16_valid[0], cfg.valid, issue_valid})
  );
  standin_play_issue u_play_issue (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(issue_valid), .valid_o(item_valid),
    .busy_i(busy), .count_i(count), .thread_o(issue_thread), .word_o(issue_word)
  );
  standin_play_store u_play_store (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(store.valid), .valid_o(store.valid),
    .thread_o(store.thread), .index_o(store.index), .value_o(store.value)
  );
  standin_play_cfg u_play_cfg (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(cfg.valid), .valid_o(cfg.valid),
    .busy_i(busy), .count_i(count),
    .banks_o(cfg.banks), .index_o(cfg.index), .wide_o(cfg.wide), .data_o(cfg.data)
  );
  standin_play_load u_play_load (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(load_valid), .valid_o(load_valid),
    .busy_i(busy), .count_i(count), .target_o(load_target), .bank_o(load_bank),
    .row_o(load_row), .row_valid_o(load_row_valid), .data_o(load_data)
  );
  standin_play_unpack_zero u_play_unpack_zero (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(1'b1), .valid_o(unpack_zero_valid),
    .files_o(unpack_zero)
  );
  standin_play_pack_read u_play_pack_read (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(1'b1), .valid_o(pack_read_valid),
    .lanes_o(pack_lanes), .wide_o(pack_wide), .row_o(pack_rows)
  );
  standin_play_owner u_play_owner (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .value_o(owner)
  );
  standin_play_implied u_play_implied (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .value_o(implied)
  );
  standin_play_stale u_play_stale (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .value_o(stale)
  );
  standin_play_unpack_bank u_play_unpack_bank (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .value_o(unpack_bank)
  );
  standin_play_pause u_play_pause (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .value_o(pause)
  );

  // ---- what is recorded and nowhere else
  logic [2:0] answered_q;  // rows that were read in the cycle before

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) answered_q <= '0;
    else answered_q <= matrix.read;
  end

  for (genvar l = 0; l < 4; l++) begin : gen_lane
    assign pack_row[l] = pack_rows[10*l+:10];
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire setc16_t own;

    assign setc16[t] = own;
    assign setc16_valid[t] = own.valid;
    standin_play_setc16 #(.Index(t)) u_play_setc16 (
      .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(own.valid), .valid_o(own.valid),
      .busy_i(busy), .count_i(count), .index_o(own.index), .value_o(own.value)
    );
  end

`include "standin_harness_taps.svh"

endmodule

`default_nettype wire
