// SPDX-License-Identifier: Apache-2.0
//
// The unpackers with all their pins led out field by field, and what is looked at inside.
`timescale 1ns / 1ps
`default_nettype none

module unpack_pins
  import tilepath_isa_pkg::CFG_GLOBAL_BASE;
  import tilepath_isa_pkg::CFG_THCON_BASE;
  import unit_port_pkg::*;
  import unpack_pkg::*;
  import unpack_write_pkg::*;
(
  input  wire logic           clk_i,
  input  wire logic           rst_ni,
  // of each unpacker: instructions, L1, steps and clears, events, faults
  input  wire logic           issue_valid_i [2],
  input  wire logic [1:0]     issue_thread_i [2],
  input  wire logic [31:0]    issue_word_i [2],
  output wire logic [44:0]    pointers_o [2],  // {acc, contexts, rows, bank}
  output wire logic           l1_valid_o [2],
  output wire logic [2:0]     l1_count_o [2],
  output wire logic [111:0]   l1_lines_o [2],
  output wire logic           l1_has_exponent_o [2],
  output wire logic [27:0]    l1_exponent_o [2],
  output wire logic           l1_has_delta_o [2],
  output wire logic [27:0]    l1_delta_o [2],
  output wire logic [1:0]     l1_rsi_count_o [2],
  output wire logic [55:0]    l1_rsi_o [2],
  input  wire logic           l1_answer_valid_i [2],
  input  wire logic [511:0]   l1_answer_lines_i [2],
  input  wire logic [127:0]   l1_answer_exponent_i [2],
  input  wire logic [127:0]   l1_answer_delta_i [2],
  input  wire logic [255:0]   l1_answer_rsi_i [2],
  output wire logic           write_valid_o [2],
  output wire logic           write_dst_o [2],
  output wire logic           write_wide_o [2],
  output wire logic           write_bank_o [2],
  output wire logic           write_transpose_o [2],
  output wire logic [13:0]    write_address_o [2],
  output wire logic [127:0]   write_mask_o [2],
  output wire logic [2431:0]  write_low_o [2],
  output wire logic [415:0]   write_high_o [2],
  output wire logic           clear_valid_o [2],
  output wire logic [1:0]     clear_banks_o [2],
  output wire logic [18:0]    clear_value_o [2],
  output wire logic           overlay_valid_o [2],
  output wire logic [5:0]     overlay_stream_o [2],
  output wire logic [10:0]    overlay_count_o [2],
  output wire logic           setreg_valid_o [2],
  output wire logic [31:0]    setreg_address_o [2],
  output wire logic [31:0]    setreg_data_o [2],
  output wire logic           fault_valid_o [2],
  output wire logic [1:0]     fault_thread_o [2],
  output wire logic [28:0]    fault_flags_o [2],
  output wire logic [4:0]     read_fault_o [2],
  output wire logic [7:0]     write_fault_o [2],
  // both unpackers
  output wire logic [1:0]     ready_o,
  output wire logic [2:0]     hold_o,
  output wire logic [3:0]     owner_o,
  output wire logic [5:0]     busy_o,
  output wire logic [2:0]     unit_fault_o,
  // the Matrix Unit
  input  wire logic           matrix_valid_i,
  input  wire logic [2:0]     matrix_read_i,
  input  wire logic [1:0]     matrix_banks_i,
  input  wire logic [5:0]     matrix_row_a_i,
  input  wire logic [5:0]     matrix_row_b_i,
  input  wire logic [9:0]     matrix_row_i,
  input  wire logic           matrix_wide_i,
  input  wire logic [1:0]     matrix_access_i,
  input  wire logic [1:0]     matrix_release_i,
  input  wire logic [3:0]     matrix_clear_i,
  input  wire logic           matrix_neg_inf_i,
  input  wire logic           matrix_zero_i,
  input  wire logic [1:0]     matrix_zero_mode_i,
  input  wire logic           matrix_undo_i,
  input  wire logic           matrix_write_valid_i,
  input  wire logic [1:0]     matrix_write_target_i,
  input  wire logic           matrix_write_bank_i,
  input  wire logic [9:0]     matrix_write_row_i,
  input  wire logic           matrix_write_wide_i,
  input  wire logic [1:0]     matrix_write_access_i,
  input  wire logic [511:0]   matrix_write_data_i,
  input  wire logic [1:0]     matrix_pointers_i,
  output wire logic           answer_a_valid_o,
  output wire logic [511:0]   answer_a_data_o,
  output wire logic           answer_b_valid_o,
  output wire logic [511:0]   answer_b_data_o,
  output wire logic           answer_d_valid_o,
  output wire logic [511:0]   answer_d_data_o,
  output wire logic           answer_d_row_valid_o,
  output wire logic           pause_o,
  output wire logic [1:0]     stale_o,
  output wire logic [15:0]    implied_o,
  // address counters
  output wire logic [60:0]    live_o [18],
  output wire logic [60:0]    cr_o [18],
  output wire logic [8:0]     counter_conflict_o,
  output wire logic           counter_fault_illegal_o [3],
  output wire logic           counter_fault_x_override_o [3],
  output wire logic           counter_fault_empty_o [3],
  input  wire logic           counter_valid_i [3],
  input  wire logic [31:0]    counter_word_i [3],
  // configuration
  input  wire logic           cfg_valid_i,
  input  wire logic [1:0]     cfg_banks_i,
  input  wire logic [7:0]     cfg_index_i,
  input  wire logic           cfg_wide_i,
  input  wire logic [127:0]   cfg_data_i,
  input  wire logic           flop_offered_i,
  input  wire logic           flop_bank_i,
  input  wire logic [7:0]     flop_index_i,
  input  wire logic           flop_wide_i,
  input  wire logic [127:0]   flop_data_i,
  output wire logic           flop_done_o,
  input  wire logic           store_valid_i,
  input  wire logic [1:0]     store_thread_i,
  input  wire logic [6:0]     store_index_i,
  input  wire logic [15:0]    store_value_i,
  input  wire logic           setc16_valid_i [3],
  input  wire logic [6:0]     setc16_index_i [3],
  input  wire logic [15:0]    setc16_value_i [3],
  input  wire logic [19:0]    setreg_base0_i,
  input  wire logic [19:0]    setreg_base1_i
);

  wire config_write_t cfg = {cfg_valid_i, cfg_banks_i, cfg_wide_i, cfg_index_i, cfg_data_i};
  // it waits for a write of cfg to words 64 to 179
  assign flop_done_o = flop_offered_i
    && !(cfg_valid_i && cfg_index_i >= 8'(CFG_THCON_BASE) && cfg_index_i < 8'(CFG_GLOBAL_BASE));
  wire config_write_t flop
    = {flop_done_o, flop_bank_i, !flop_bank_i, flop_wide_i, flop_index_i, flop_data_i};
  wire thread_store_t store = {store_valid_i, store_thread_i, store_index_i, store_value_i};
  wire setc16_t setc16 [3];
  wire matrix_command_t matrix = !matrix_valid_i ? '0
    : {matrix_read_i, matrix_banks_i, matrix_row_a_i, matrix_row_b_i, matrix_row_i, matrix_wide_i,
       matrix_access_i, matrix_release_i, matrix_clear_i, matrix_neg_inf_i, matrix_zero_i,
       matrix_zero_mode_i, matrix_undo_i};
  wire matrix_write_t matrix_write
    = {matrix_write_valid_i, matrix_write_target_i, matrix_write_bank_i, matrix_write_row_i,
       matrix_write_wide_i, matrix_write_access_i, matrix_write_data_i};
  wire matrix_answer_t answer;
  wire logic [303:0] answer_a = answer.a;
  wire logic [303:0] answer_b = answer.b;
  logic [2:0] answered_q;
  wire l1_request_t l1 [2];
  wire l1_answer_t l1_answer [2];
  wire overlay_t overlay [2];
  wire setreg_write_t setreg [2];
  wire fault_t fault [2];
  wire obs_clear_t clear [2];
  wire obs_write_t write [2];

  // where no slot is written, 0
  function automatic logic [127:0][18:0] low_slots(input logic [127:0] mask,
                                                   input logic [127:0][18:0] low);
    for (int s = 0; s < 128; s++) low_slots[s] = mask[s] ? low[s] : '0;
  endfunction

  function automatic logic [31:0][12:0] high_slots(input logic [31:0] mask,
                                                   input logic [31:0][12:0] high);
    for (int s = 0; s < 32; s++) high_slots[s] = mask[s] ? high[s] : '0;
  endfunction

  assign answer_a_valid_o = answered_q[0];
  assign answer_b_valid_o = answered_q[1];
  assign answer_d_valid_o = answered_q[2];
  for (genvar column = 0; column < 16; column++) begin : gen_column  // each in a word of its own
    assign answer_a_data_o[32*column +: 32] = {13'd0, answer_a[19*column +: 19]};
    assign answer_b_data_o[32*column +: 32] = {13'd0, answer_b[19*column +: 19]};
  end
  assign answer_d_data_o = answer.dst;
  assign answer_d_row_valid_o = answer.row_valid;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answered_q <= '0;
    else answered_q <= matrix.read;
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    assign setc16[t] = {setc16_valid_i[t], setc16_index_i[t], setc16_value_i[t]};
  end

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    wire l1_request_t wanted = l1[u];
    wire overlay_t cleared = overlay[u];
    wire setreg_write_t stored = setreg[u];
    wire fault_t faults = fault[u];
    wire obs_clear_t zeros = clear[u];
    wire obs_write_t step = write[u];

    assign l1_valid_o[u] = wanted.valid;
    assign l1_count_o[u] = wanted.count;
    assign l1_lines_o[u] = wanted.lines;
    assign l1_has_exponent_o[u] = wanted.has_exponent;
    assign l1_exponent_o[u] = wanted.exponent;
    assign l1_has_delta_o[u] = wanted.has_delta;
    assign l1_delta_o[u] = wanted.delta;
    assign l1_rsi_count_o[u] = wanted.rsi_count;
    assign l1_rsi_o[u] = wanted.rsi;
    assign l1_answer[u] = {l1_answer_valid_i[u], l1_answer_rsi_i[u], l1_answer_delta_i[u],
                           l1_answer_exponent_i[u], l1_answer_lines_i[u]};
    assign overlay_valid_o[u] = cleared.valid;
    assign overlay_stream_o[u] = cleared.stream;
    assign overlay_count_o[u] = cleared.count;
    assign setreg_valid_o[u] = stored.valid;
    assign setreg_address_o[u] = stored.address;
    assign setreg_data_o[u] = stored.data;
    assign fault_valid_o[u] = faults.valid;
    assign fault_thread_o[u] = faults.thread;
    assign fault_flags_o[u] = faults.flags;
    assign clear_valid_o[u] = zeros.banks != 2'd0;
    assign clear_banks_o[u] = zeros.banks;
    assign clear_value_o[u] = zeros.value;
    assign write_dst_o[u] = step.dst;
    assign write_wide_o[u] = step.wide;
    assign write_bank_o[u] = step.bank;
    assign write_transpose_o[u] = step.transpose;
    assign write_address_o[u] = step.address;
    assign write_mask_o[u] = step.mask;
    assign write_low_o[u] = low_slots(step.mask, step.low);
    assign write_high_o[u] = high_slots(step.mask[31:0], step.high);
  end

  unpack_units u_units (
    .clk_i, .rst_ni, .cfg_i(cfg), .flop_i(flop), .setc16_i(setc16), .store_i(store), .issue_valid_i,
    .issue_thread_i, .issue_word_i, .ready_o, .hold_o, .counter_valid_i,
    .counter_word_i, .matrix_i(matrix), .matrix_write_i(matrix_write),
    .matrix_answer_o(answer), .matrix_banks_i(matrix_pointers_i),
    .pause_o, .stale_o, .implied_o, .setreg_base0_i, .setreg_base1_i, .l1_o(l1),
    .l1_answer_i(l1_answer), .overlay_o(overlay), .setreg_o(setreg), .owner_o, .busy_o,
    .fault_o(fault), .read_fault_o, .write_fault_o, .unit_fault_o,
    .counter_illegal_o(counter_fault_illegal_o),
    .counter_x_override_o(counter_fault_x_override_o),
    .counter_empty_o(counter_fault_empty_o), .counter_conflict_o, .pointers_o,
    .clear_o(clear), .write_valid_o, .write_o(write), .live_o, .cr_o
  );

endmodule

`default_nettype wire
