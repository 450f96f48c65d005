// SPDX-License-Identifier: Apache-2.0
//
// The unpackers with their recorders, with L1, and with the players of all their ports but those at
// which words issue, which lead out. tb/unpack/streams.py describes the players, of which
// modules unpack_play_* are made, unpack_bench.taps what is recorded. busy_o and count_o are what
// players need whose items wait.
`timescale 1ns / 1ps
`default_nettype none

module unpack_bench
  import tilepath_isa_pkg::CFG_GLOBAL_BASE;
  import tilepath_isa_pkg::CFG_THCON_BASE;
  import unit_port_pkg::*;
  import unpack_pkg::*;
  import unpack_write_pkg::*;
  import tp_profile_pkg::*;
(
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:0] cycle_i,
  input  wire logic        flush_i,
  input  wire logic        issue_valid_i [2],
  input  wire logic [1:0]  issue_thread_i [2],
  input  wire logic [31:0] issue_word_i [2],
  output wire logic [1:0]  ready_o,
  output wire logic [2:0]  hold_o,
  input  wire logic        counter_valid_i [3],
  input  wire logic [31:0] counter_word_i [3],
  output wire logic [5:0]  busy_o,
  output wire logic [27:0] count_o [14]
);

  wire config_write_t cfg;
  wire logic flop_offered, flop_bank, flop_wide;
  wire logic [7:0] flop_index;
  wire logic [127:0] flop_data;
  // REG2FLOP waits for a write of the config unit to words 64 to 179 (docs/control.md section 6)
  wire logic flop_done = flop_offered
    && !(cfg.valid && cfg.index >= 8'(CFG_THCON_BASE) && cfg.index < 8'(CFG_GLOBAL_BASE));
  wire config_write_t flop = {flop_done, flop_bank, !flop_bank, flop_wide, flop_index, flop_data};
  wire thread_store_t store;
  wire setc16_t setc16 [3];
  wire matrix_command_t matrix;
  wire matrix_write_t matrix_write;
  wire logic pause;
  wire logic l1_write, setc16_valid [3];
  wire logic [27:0] l1_line;
  wire logic [511:0] l1_data;
  logic [1:0] matrix_banks_q;
  wire logic [19:0] base0, base1;
  wire logic [4:0] latency;

  wire l1_request_t l1 [2];
  wire l1_answer_t answer [2];
  wire logic write_valid [2];
  wire obs_write_t write [2];
  wire obs_clear_t clear [2];
  wire logic [3:0] owner;
  wire logic [44:0] pointers [2];

  unpack_units u_units (
    .clk_i, .rst_ni, .cfg_i(cfg), .flop_i(flop), .setc16_i(setc16), .store_i(store),
    .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o, .hold_o, .counter_valid_i,
    .counter_word_i, .matrix_i(matrix), .matrix_write_i(matrix_write),
    .matrix_banks_i(matrix_banks_q), .pause_o(pause), .setreg_base0_i(base0),
    .setreg_base1_i(base1), .l1_o(l1), .l1_answer_i(answer), .owner_o(owner), .busy_o,
    .pointers_o(pointers), .clear_o(clear), .write_valid_o(write_valid), .write_o(write),
    // read by name, where it is recorded
    .matrix_answer_o(), .stale_o(), .implied_o(), .overlay_o(), .setreg_o(), .fault_o(),
    .read_fault_o(), .write_fault_o(), .unit_fault_o(), .counter_illegal_o(),
    .counter_x_override_o(), .counter_empty_o(), .counter_conflict_o(), .live_o(), .cr_o()
  );

  l1_memory #(.Lines(L1Lines)) u_l1 (
    .clk_i, .rst_ni, .cycle_i, .latency_i(latency),
    .write_valid_i(l1_write), .write_line_i(l1_line), .write_data_i(l1_data),
    .request_i(l1), .answer_o(answer)
  );

  // ---- what an item can wait for: how many items of each player were done
  wire logic issued [3];
  wire logic [12:1] happened
    = {store.valid, flop_done, l1_write, write_done, matrix_done, setc16_valid[2],
       setc16_valid[1], setc16_valid[0], cfg.valid, issued[2], issued[1], issued[0]};

  for (genvar t = 0; t < 3; t++) begin : gen_issued
    assign issued[t] = counter_valid_i[t] || (issue_valid_i[0] && issue_thread_i[0] == 2'(t))
                       || (issue_valid_i[1] && issue_thread_i[1] == 2'(t));
  end
  tp_counts #(.Sources(12)) u_counts (.clk_i, .rst_ni, .done_i(happened), .count_o);

  // ---- players; an item but flop's is done as soon as it is offered
  unpack_play_cfg u_play_cfg (
    .clk_i, .rst_ni, .flush_i, .done_i(cfg.valid), .valid_o(cfg.valid),
    .busy_i(busy_o), .count_i(count_o),
    .banks_o(cfg.banks), .index_o(cfg.index), .wide_o(cfg.wide), .data_o(cfg.data)
  );
  unpack_play_flop u_play_flop (
    .clk_i, .rst_ni, .flush_i, .done_i(flop_done), .valid_o(flop_offered),
    .busy_i(busy_o), .count_i(count_o), .bank_o(flop_bank),
    .index_o(flop_index), .wide_o(flop_wide), .data_o(flop_data)
  );
  unpack_play_store u_play_store (
    .clk_i, .rst_ni, .flush_i, .done_i(store.valid), .valid_o(store.valid),
    .busy_i(busy_o), .count_i(count_o),
    .thread_o(store.thread), .index_o(store.index), .value_o(store.value)
  );
  unpack_play_l1_write u_play_l1_write (
    .clk_i, .rst_ni, .flush_i, .done_i(l1_write), .valid_o(l1_write),
    .busy_i(busy_o), .count_i(count_o),
    .line_o(l1_line), .data_o(l1_data)
  );
  unpack_play_setreg_base u_play_setreg_base (
    .clk_i, .rst_ni, .flush_i, .base0_o(base0), .base1_o(base1)
  );
  unpack_play_l1_latency u_play_l1_latency (.clk_i, .rst_ni, .flush_i, .latency_o(latency));

  // ---- the Matrix Unit and its bank pointers
  wire matrix_command_t item;
  wire matrix_write_t written;
  wire logic [1:0] banks, wait_owner, toggle;
  wire logic matrix_offered, follow, write_offered, write_waits;
  wire logic matrix_done = matrix_offered && (!wait_owner[0] || owner[{1'b0, banks[0]}])
    && (!wait_owner[1] || owner[{1'b1, banks[1]}]) && !(item.zero && pause);
  wire logic write_done = write_offered && (written.target == 2'd2 ? !pause
    : !write_waits || owner[{written.target[0], written.bank}]);

  unpack_play_matrix u_play_matrix (
    .clk_i, .rst_ni, .flush_i, .done_i(matrix_done), .valid_o(matrix_offered),
    .busy_i(busy_o), .count_i(count_o),
    .read_o(item.read), .banks_o(item.banks), .row_a_o(item.row_a), .row_b_o(item.row_b),
    .row_o(item.row), .wide_o(item.wide), .access_o(item.access), .release_o(item.give_back),
    .clear_o(item.clear), .neg_inf_o(item.neg_inf), .zero_o(item.zero),
    .zero_mode_o(item.zero_mode), .undo_o(item.undo),
    .wait_o(wait_owner), .toggle_o(toggle), .follow_o(follow)
  );
  unpack_play_matrix_write u_play_matrix_write (
    .clk_i, .rst_ni, .flush_i, .done_i(write_done), .valid_o(write_offered),
    .busy_i(busy_o), .count_i(count_o),
    .target_o(written.target), .bank_o(written.bank), .row_o(written.row), .wide_o(written.wide),
    .access_o(written.access), .data_o(written.data), .wait_o(write_waits)
  );
  assign written.valid = write_done;
  assign banks = follow ? matrix_banks_q : item.banks;
  assign matrix = !matrix_done ? '0
    : {item.read, banks, item.row_a, item.row_b, item.row, item.wide, item.access, item.give_back,
       item.clear, item.neg_inf, item.zero, item.zero_mode, item.undo};
  assign matrix_write = write_done ? written : '0;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      matrix_banks_q <= '0;
    end else begin
      if (matrix_done) matrix_banks_q <= matrix_banks_q ^ toggle;
    end
  end

  // ---- what is recorded and nowhere else
  logic [2:0] answered_q;  // rows that were read in the cycle before

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answered_q <= '0;
    else answered_q <= matrix.read;
  end
  for (genvar u = 0; u < 2; u++) begin : gen_slots
    unpack_slots u_slots (.valid_i(write_valid[u]), .write_i(write[u]));
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire setc16_t own;

    assign setc16[t] = own;
    assign setc16_valid[t] = own.valid;
    unpack_play_setc16 #(.Index(t)) u_play_setc16 (
      .clk_i, .rst_ni, .flush_i, .done_i(own.valid), .valid_o(own.valid),
      .busy_i(busy_o), .count_i(count_o), .index_o(own.index), .value_o(own.value)
    );
  end

`ifndef TP_NO_RECORD
  // ---- architectural state
  `define SRC_CELL(U, N) 6'd``N + 6'd32 * 6'd``U: \
    src_row = u_units.u_dut.u_src.gen_src[U].u_src.gen_cell[N].u_flags.cleared_q[word] \
      ? {16{N > 15 ? u_units.u_dut.u_src.gen_src[U].u_src.value1_q \
                   : u_units.u_dut.u_src.gen_src[U].u_src.value0_q}} \
      : u_units.u_dut.u_src.gen_src[U].u_src.gen_cell[N].u_cells.words_q[word];
  `define DST_BANK(K) 4'd``K: \
    dst_row = {u_units.u_dut.u_dst.u_dst.gen_bank[K].u_flags.valid_q[place], \
               u_units.u_dut.u_dst.u_dst.gen_bank[K].u_flags.written_q[place] \
                 ? u_units.u_dut.u_dst.u_dst.gen_bank[K].u_bank.words_q[place] : 256'd0};

  // A row of SrcA or SrcB, by its bank and cell, and the word there.
  function automatic logic [303:0] src_row(input logic file, input logic [4:0] cell_number,
                                           input logic [1:0] word);
    src_row = '0;
    case ({file, cell_number})
      `SRC_CELL(0, 0) `SRC_CELL(0, 1) `SRC_CELL(0, 2) `SRC_CELL(0, 3)
      `SRC_CELL(0, 4) `SRC_CELL(0, 5) `SRC_CELL(0, 6) `SRC_CELL(0, 7)
      `SRC_CELL(0, 8) `SRC_CELL(0, 9) `SRC_CELL(0, 10) `SRC_CELL(0, 11)
      `SRC_CELL(0, 12) `SRC_CELL(0, 13) `SRC_CELL(0, 14) `SRC_CELL(0, 15)
      `SRC_CELL(0, 16) `SRC_CELL(0, 17) `SRC_CELL(0, 18) `SRC_CELL(0, 19)
      `SRC_CELL(0, 20) `SRC_CELL(0, 21) `SRC_CELL(0, 22) `SRC_CELL(0, 23)
      `SRC_CELL(0, 24) `SRC_CELL(0, 25) `SRC_CELL(0, 26) `SRC_CELL(0, 27)
      `SRC_CELL(0, 28) `SRC_CELL(0, 29) `SRC_CELL(0, 30) `SRC_CELL(0, 31)
      `SRC_CELL(1, 0) `SRC_CELL(1, 1) `SRC_CELL(1, 2) `SRC_CELL(1, 3)
      `SRC_CELL(1, 4) `SRC_CELL(1, 5) `SRC_CELL(1, 6) `SRC_CELL(1, 7)
      `SRC_CELL(1, 8) `SRC_CELL(1, 9) `SRC_CELL(1, 10) `SRC_CELL(1, 11)
      `SRC_CELL(1, 12) `SRC_CELL(1, 13) `SRC_CELL(1, 14) `SRC_CELL(1, 15)
      `SRC_CELL(1, 16) `SRC_CELL(1, 17) `SRC_CELL(1, 18) `SRC_CELL(1, 19)
      `SRC_CELL(1, 20) `SRC_CELL(1, 21) `SRC_CELL(1, 22) `SRC_CELL(1, 23)
      `SRC_CELL(1, 24) `SRC_CELL(1, 25) `SRC_CELL(1, 26) `SRC_CELL(1, 27)
      `SRC_CELL(1, 28) `SRC_CELL(1, 29) `SRC_CELL(1, 30) `SRC_CELL(1, 31)
    endcase
  endfunction

  // Whether a storage row of Dst is valid, and what it holds.
  function automatic logic [256:0] dst_row(input logic [3:0] bank, input logic [5:0] place);
    dst_row = '0;
    case (bank)
      `DST_BANK(0) `DST_BANK(1) `DST_BANK(2) `DST_BANK(3)
      `DST_BANK(4) `DST_BANK(5) `DST_BANK(6) `DST_BANK(7)
      `DST_BANK(8) `DST_BANK(9) `DST_BANK(10) `DST_BANK(11)
      `DST_BANK(12) `DST_BANK(13) `DST_BANK(14) `DST_BANK(15)
    endcase
  endfunction
`endif

`include "unpack_bench_taps.svh"

endmodule

`default_nettype wire
