// SPDX-License-Identifier: Apache-2.0
//
// The packers with Dst, the address counters and L1 beside them, with their recorders, and with the
// players of all their ports but those at which words issue, which lead out. tb/pack/streams.py
// describes the players, of which modules pack_play_* are made, pack_bench.taps what is recorded.
// busy_o and count_o are what players need whose items wait.
`timescale 1ns / 1ps
`default_nettype none

module pack_bench
  import tilepath_isa_pkg::CFG_GLOBAL_BASE;
  import tilepath_isa_pkg::CFG_THCON_BASE;
  import unit_port_pkg::*;
  import dst_pkg::*;
  import pack_pkg::*;
  import tp_profile_pkg::*;
(
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:0] cycle_i,
  input  wire logic        flush_i,
  input  wire logic        issue_valid_i,
  input  wire logic [1:0]  issue_thread_i,
  input  wire logic [31:0] issue_word_i,
  output wire logic        ready_o,
  input  wire logic        counter_valid_i [3],
  input  wire logic [31:0] counter_word_i [3],
  output wire logic [11:0] busy_o,
  output wire logic [27:0] count_o [16]
);

  // ---- inputs
  wire logic cfg_valid, cfg_wide;
  wire logic [1:0] cfg_banks;
  wire logic [7:0] cfg_index;
  wire logic [127:0] cfg_data;
  wire setc16_t setc16 [3];
  wire logic setc16_valid [3];
  wire offset_write_t offset;
  wire histogram_command_t hist;
  wire setreg_base_t base;
  wire logic dst_offered, dst_ready, dst_written;
  wire logic [9:0] dst_row;
  wire logic [3:0] dst_count;
  wire logic [143:0] dst_mask;
  wire logic [2303:0] dst_data;
  wire zero_t dst_zero;
  wire logic dst_read, dst_read_wide;
  wire logic [9:0] dst_read_row;
  wire logic l1_valid;
  wire logic [16:0] l1_line;
  wire logic [511:0] l1_data;
  wire logic [4:0] latency;
  wire logic [3:0] l1_ready;

  // wide ones are driven whole: Icarus resolves a net with several drivers bit by bit
  wire config_write_t cfg = {cfg_valid, cfg_banks, cfg_wide, cfg_index, cfg_data};
  wire logic flop_offered, flop_bank, flop_wide;
  wire logic [7:0] flop_index;
  wire logic [127:0] flop_data;
  // REG2FLOP waits for a write of the config unit to words 64 to 179 (docs/control.md section 6)
  wire logic flop_done = flop_offered
    && !(cfg_valid && cfg_index >= 8'(CFG_THCON_BASE) && cfg_index < 8'(CFG_GLOBAL_BASE));
  wire config_write_t flop = {flop_done, flop_bank, !flop_bank, flop_wide, flop_index, flop_data};
  wire thread_store_t store;
  wire run_t dst_run = {dst_offered, dst_row, dst_count, dst_mask, dst_data};

  // ---- outputs
  wire l1_write_t write [8];
  wire l1_read_t read [5];
  wire logic answer_valid [5];
  wire logic [1023:0] answer_data [5];
  wire logic [63:0] l1_sum;

  pack_units u_units (
    .clk_i, .rst_ni, .cfg_i(cfg), .flop_i(flop), .setc16_i(setc16), .store_i(store),
    .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .counter_valid_i, .counter_word_i,
    .offset_i(offset), .hist_i(hist), .setreg_base_i(base), .dst_run_i(dst_run),
    .dst_ready_o(dst_ready), .dst_written_o(dst_written), .dst_zero_i(dst_zero),
    .dst_read_i(dst_read), .dst_read_row_i(dst_read_row), .dst_read_wide_i(dst_read_wide),
    .l1_ready_i(l1_ready), .write_o(write), .read_o(read), .answer_valid_i(answer_valid),
    .answer_data_i(answer_data), .busy_o,
    // read by name, where it is recorded
    .hist_o(), .row_grant_o(), .row_row_o(), .row_wide_o(), .setreg_o(), .fault_o(),
    .run_fault_o(), .unit_fault_o(), .live_o(), .cr_o(), .counter_illegal_o(),
    .counter_x_override_o(), .counter_empty_o(), .counter_conflict_o()
  );

  pack_l1 #(.Lines(L1Lines)) u_l1 (
    .clk_i, .rst_ni, .cycle_i, .latency_i(latency),
    .test_valid_i(l1_valid), .test_line_i(l1_line), .test_data_i(l1_data),
    .write_i(write), .read_i(read), .answer_valid_o(answer_valid),
    .answer_data_o(answer_data), .sum_o(l1_sum)
  );

  // ---- what an item can wait for: how many items of each player were done
  wire logic [2:0] issued;
  wire logic [14:1] done = {store.valid, flop_done, offset.valid, hist.valid, l1_valid,
                            dst_zero.valid, dst_written, setc16_valid[2], setc16_valid[1],
                            setc16_valid[0], cfg.valid, issued};

  for (genvar t = 0; t < 3; t++) begin : gen_issued
    assign issued[t] = counter_valid_i[t] || (issue_valid_i && issue_thread_i == 2'(t));
  end
  tp_counts #(.Sources(14)) u_counts (.clk_i, .rst_ni, .done_i(done), .count_o);

  // ---- players; all items but flop's and dst_write's are done as soon as they are offered
  pack_play_cfg u_play_cfg (
    .clk_i, .rst_ni, .flush_i, .done_i(cfg_valid), .valid_o(cfg_valid), .busy_i(busy_o),
    .count_i(count_o),
    .banks_o(cfg_banks), .index_o(cfg_index), .wide_o(cfg_wide), .data_o(cfg_data)
  );
  pack_play_flop u_play_flop (
    .clk_i, .rst_ni, .flush_i, .done_i(flop_done), .valid_o(flop_offered),
    .busy_i(busy_o), .count_i(count_o), .bank_o(flop_bank),
    .index_o(flop_index), .wide_o(flop_wide), .data_o(flop_data)
  );
  pack_play_store u_play_store (
    .clk_i, .rst_ni, .flush_i, .done_i(store.valid), .valid_o(store.valid),
    .busy_i(busy_o), .count_i(count_o),
    .thread_o(store.thread), .index_o(store.index), .value_o(store.value)
  );
  pack_play_dst_write u_play_dst_write (
    .clk_i, .rst_ni, .flush_i, .done_i(dst_written), .valid_o(dst_offered), .busy_i(busy_o),
    .count_i(count_o),
    .row_o(dst_row), .count_o(dst_count), .mask_o(dst_mask), .data_o(dst_data)
  );
  pack_play_dst_zero u_play_dst_zero (
    .clk_i, .rst_ni, .flush_i, .done_i(dst_zero.valid), .valid_o(dst_zero.valid),
    .busy_i(busy_o), .count_i(count_o), .all_o(dst_zero.all), .half_o(dst_zero.half)
  );
  pack_play_dst_read u_play_dst_read (
    .clk_i, .rst_ni, .flush_i, .done_i(dst_read), .valid_o(dst_read), .row_o(dst_read_row),
    .wide_o(dst_read_wide)
  );
  pack_play_l1_write u_play_l1_write (
    .clk_i, .rst_ni, .flush_i, .done_i(l1_valid), .valid_o(l1_valid), .busy_i(busy_o),
    .count_i(count_o), .line_o(l1_line), .data_o(l1_data)
  );
  pack_play_hist u_play_hist (
    .clk_i, .rst_ni, .flush_i, .done_i(hist.valid), .valid_o(hist.valid), .busy_i(busy_o),
    .count_i(count_o), .op_o(hist.op), .mode_o(hist.mode), .packer_o(hist.packer)
  );
  pack_play_offset u_play_offset (
    .clk_i, .rst_ni, .flush_i, .done_i(offset.valid), .valid_o(offset.valid), .busy_i(busy_o),
    .count_i(count_o), .packers_o(offset.packers), .value_o(offset.value)
  );
  pack_play_setreg_base u_play_setreg_base (
    .clk_i, .rst_ni, .flush_i, .base_o(base.base), .scaler0_o(base.scaler[8:0]),
    .scaler1_o(base.scaler[17:9]), .scaler2_o(base.scaler[26:18]), .scaler3_o(base.scaler[35:27])
  );
  pack_play_l1_latency u_play_l1_latency (.clk_i, .rst_ni, .flush_i, .latency_o(latency));
  pack_play_l1_ready u_play_l1_ready (.clk_i, .rst_ni, .flush_i, .value_o(l1_ready));

  for (genvar t = 0; t < 3; t++) begin : gen_play
    wire setc16_t own;

    assign setc16[t] = own;
    assign setc16_valid[t] = own.valid;
    pack_play_setc16 #(.Index(t)) u_play_setc16 (
      .clk_i, .rst_ni, .flush_i, .done_i(own.valid), .valid_o(own.valid), .busy_i(busy_o),
      .count_i(count_o), .index_o(own.index), .value_o(own.value)
    );
  end

`ifndef TP_NO_RECORD
  // ---- architectural state
  localparam logic [63:0] SumFactor = 64'h9E37_79B9_7F4A_7C15;

  `define DST_BANK(K) 4'd``K: \
    storage_row = {u_units.u_dst.gen_bank[K].u_flags.valid_q[s[9:4]], \
                   u_units.u_dst.gen_bank[K].u_flags.written_q[s[9:4]] \
                     ? u_units.u_dst.gen_bank[K].u_bank.words_q[s[9:4]] : 256'd0};

  // Whether a storage row of Dst is valid, and what it holds
  function automatic logic [256:0] storage_row(input logic [9:0] s);
    storage_row = '0;
    case (s[3:0] ^ s[7:4])
      `DST_BANK(0) `DST_BANK(1) `DST_BANK(2) `DST_BANK(3)
      `DST_BANK(4) `DST_BANK(5) `DST_BANK(6) `DST_BANK(7)
      `DST_BANK(8) `DST_BANK(9) `DST_BANK(10) `DST_BANK(11)
      `DST_BANK(12) `DST_BANK(13) `DST_BANK(14) `DST_BANK(15)
    endcase
  endfunction

  // A run of rows that needs two cycles is recorded in the second one: where a block of cycles ends
  // between them, its rows are still what they were.
  logic [256:0] row_before [9];

  always @(posedge clk_i) begin
    if (dst_offered && !dst_ready) begin
      for (int k = 0; k < 9; k++) row_before[k] <= storage_row(dst_row + 10'(k));
    end
  end

  function automatic logic [256:0] row_at_end(input logic [9:0] s);
    row_at_end = storage_row(s);
    if (u_units.u_spread.second_q && s - dst_row < 10'(dst_count))
      row_at_end = row_before[4'(s - dst_row)];
  endfunction
`endif

`include "pack_bench_taps.svh"

endmodule

`default_nettype wire
