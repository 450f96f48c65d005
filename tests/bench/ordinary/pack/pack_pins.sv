// SPDX-License-Identifier: Apache-2.0
//
// The packers, Dst and the address counters with all their pins led out, field by field. What can be
// up for several ports at once is a vector, so that a monitor looks at one signal.
`timescale 1ns / 1ps
`default_nettype none

module pack_pins
  import tilepath_isa_pkg::CFG_GLOBAL_BASE;
  import tilepath_isa_pkg::CFG_THCON_BASE;
  import unit_port_pkg::*;
  import dst_pkg::*;
  import pack_pkg::*;
(
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  // instructions
  input  wire logic          issue_valid_i,
  input  wire logic [1:0]    issue_thread_i,
  input  wire logic [31:0]   issue_word_i,
  output wire logic          ready_o,
  output wire logic [11:0]   busy_o,
  // address counters
  input  wire logic          counter_valid_i [3],
  input  wire logic [31:0]   counter_word_i [3],
  output wire logic [60:0]   live_o [18],
  output wire logic [60:0]   cr_o [18],
  output wire logic          counter_fault_illegal_o [3],
  output wire logic          counter_fault_x_override_o [3],
  output wire logic          counter_fault_empty_o [3],
  output wire logic [8:0]    counter_conflict_o,
  // configuration
  input  wire logic          cfg_valid_i,
  input  wire logic [1:0]    cfg_banks_i,
  input  wire logic [7:0]    cfg_index_i,
  input  wire logic          cfg_wide_i,
  input  wire logic [127:0]  cfg_data_i,
  input  wire logic          flop_offered_i,
  input  wire logic          flop_bank_i,
  input  wire logic [7:0]    flop_index_i,
  input  wire logic          flop_wide_i,
  input  wire logic [127:0]  flop_data_i,
  output wire logic          flop_done_o,
  input  wire logic          store_valid_i,
  input  wire logic [1:0]    store_thread_i,
  input  wire logic [6:0]    store_index_i,
  input  wire logic [15:0]   store_value_i,
  input  wire logic          setc16_valid_i [3],
  input  wire logic [6:0]    setc16_index_i [3],
  input  wire logic [15:0]   setc16_value_i [3],
  // Dst
  input  wire logic          dst_offered_i,
  input  wire logic [9:0]    dst_row_i,
  input  wire logic [3:0]    dst_count_i,
  input  wire logic [143:0]  dst_mask_i,
  input  wire logic [2303:0] dst_data_i,
  output wire logic          dst_ready_o,
  output wire logic          dst_written_o,
  input  wire logic          dst_read_valid_i,
  input  wire logic [9:0]    dst_read_row_i,
  input  wire logic          dst_read_wide_i,
  input  wire logic          zero_valid_i,
  input  wire logic          zero_all_i,
  input  wire logic          zero_half_i,
  output wire logic [3:0]    row_granted_o,
  output wire logic [9:0]    row_row_o [4],
  // histograms
  input  wire logic          hist_valid_i,
  input  wire logic          hist_op_i,
  input  wire logic [3:0]    hist_mode_i,
  input  wire logic [1:0]    hist_packer_i,
  output wire logic          hist_valid_o,
  output wire logic [127:0]  hist_data_o,
  // l1_dest_addr_offset, SETREG
  input  wire logic          offset_valid_i,
  input  wire logic [3:0]    offset_packers_i,
  input  wire logic [15:0]   offset_value_i,
  input  wire logic [23:0]   setreg_base_i,
  input  wire logic [35:0]   setreg_scaler_i,
  output wire logic          setreg_valid_o,
  output wire logic [31:0]   setreg_address_o,
  output wire logic [31:0]   setreg_data_o,
  // L1; reads of four packers, and of the source
  input  wire logic [3:0]    l1_ready_i,
  output wire logic [7:0]    write_valid_o,
  output wire logic [16:0]   write_line_o [8],
  output wire logic [1:0]    write_kind_o [8],
  output wire logic [127:0]  write_data_o [8],
  output wire logic [4:0]    read_valid_o,
  output wire logic [16:0]   read_line_o [5],
  output wire logic [3:0]    read_count_o [5],
  input  wire logic          answer_valid_i [5],
  input  wire logic [1023:0] answer_data_i [5],
  // faults
  output wire logic          fault_valid_o,
  output wire logic [1:0]    fault_thread_o,
  output wire logic [30:0]   fault_flags_o,
  output wire logic [3:0]    run_fault_valid_o,
  output wire logic [4:0]    run_fault_o [4],
  output wire logic [2:0]    unit_fault_o
);

  wire config_write_t cfg = {cfg_valid_i, cfg_banks_i, cfg_wide_i, cfg_index_i, cfg_data_i};
  // it waits for a write of cfg to words 64 to 179
  assign flop_done_o = flop_offered_i
    && !(cfg_valid_i && cfg_index_i >= 8'(CFG_THCON_BASE) && cfg_index_i < 8'(CFG_GLOBAL_BASE));
  wire config_write_t flop
    = {flop_done_o, flop_bank_i, !flop_bank_i, flop_wide_i, flop_index_i, flop_data_i};
  wire thread_store_t store = {store_valid_i, store_thread_i, store_index_i, store_value_i};
  wire setc16_t setc16 [3];
  wire offset_write_t offset = {offset_valid_i, offset_packers_i, offset_value_i};
  wire histogram_command_t hist = {hist_valid_i, hist_op_i, hist_mode_i, hist_packer_i};
  wire setreg_base_t setreg_base = {setreg_scaler_i, setreg_base_i};
  wire run_t dst_run
    = {dst_offered_i, dst_row_i, dst_count_i, dst_mask_i, dst_data_i};
  wire zero_t dst_zero = {zero_valid_i, zero_all_i, zero_half_i};
  wire histogram_data_t hist_data;
  wire setreg_write_t setreg;
  wire fault_t fault;
  wire logic row_grant [4];
  wire l1_write_t write [8];
  wire l1_read_t read [5];

  assign hist_valid_o = hist_data.valid;
  assign hist_data_o = hist_data.data;
  assign setreg_valid_o = setreg.valid;
  assign setreg_address_o = setreg.address;
  assign setreg_data_o = setreg.data;
  assign fault_valid_o = fault.valid;
  assign fault_thread_o = fault.thread;
  assign fault_flags_o = fault.flags;

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    assign setc16[t] = {setc16_valid_i[t], setc16_index_i[t], setc16_value_i[t]};
  end
  for (genvar p = 0; p < 4; p++) begin : gen_packer
    assign row_granted_o[p] = row_grant[p];
    assign run_fault_valid_o[p] = run_fault_o[p] != 5'd0;
  end
  for (genvar k = 0; k < 8; k++) begin : gen_slot
    wire l1_write_t line = write[k];

    assign write_valid_o[k] = line.valid;
    assign write_line_o[k] = line.line;
    assign write_kind_o[k] = line.kind;
    assign write_data_o[k] = line.data;
  end
  for (genvar k = 0; k < 5; k++) begin : gen_port
    wire l1_read_t lines = read[k];

    assign read_valid_o[k] = lines.valid;
    assign read_line_o[k] = lines.line;
    assign read_count_o[k] = lines.count;
  end

  pack_units u_units (
    .clk_i, .rst_ni, .cfg_i(cfg), .flop_i(flop), .setc16_i(setc16), .store_i(store), .issue_valid_i,
    .issue_thread_i, .issue_word_i, .ready_o, .counter_valid_i, .counter_word_i,
    .offset_i(offset), .hist_i(hist), .hist_o(hist_data), .setreg_base_i(setreg_base),
    .dst_run_i(dst_run), .dst_ready_o, .dst_written_o, .dst_zero_i(dst_zero),
    .dst_read_i(dst_read_valid_i), .dst_read_row_i, .dst_read_wide_i,
    .row_grant_o(row_grant), .row_row_o,
    .l1_ready_i, .write_o(write), .read_o(read), .answer_valid_i, .answer_data_i, .setreg_o(setreg),
    .fault_o(fault), .run_fault_o, .unit_fault_o, .busy_o, .live_o, .cr_o,
    .counter_illegal_o(counter_fault_illegal_o),
    .counter_x_override_o(counter_fault_x_override_o),
    .counter_empty_o(counter_fault_empty_o), .counter_conflict_o
  );

endmodule

`default_nettype wire
