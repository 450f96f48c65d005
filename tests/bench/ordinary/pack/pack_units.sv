// SPDX-License-Identifier: Apache-2.0
//
// The packers, Dst and the address counters, joined, with all their other pins led out. What can be
// up for several ports at once is a vector, so that a monitor looks at one signal.
`timescale 1ns / 1ps
`default_nettype none

module pack_units #(
  parameter int Packers      = 4,
  parameter int Mask0        = 1,
  parameter int MaxDatums    = 256,
  parameter int BhFields     = 0,
  parameter int Relative     = 1,
  parameter int YzwShr4      = 0,
  parameter int CompressOvrd = 1,
  parameter int TpgByIntf    = 0,
  parameter int R10Fp16      = 1,
  parameter int E4m3         = 1,
  parameter int ReluMaxCmp19 = 0,
  parameter int Fp16AccQuirk = 1,
  parameter int SetregEnc    = 0,
  parameter int SetregSlots  = 2,
  parameter int DstRemap     = 0,
  parameter int L1Lines      = 93696,
  parameter int ZwW          = 8
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire logic          cfg_valid_i,
  input  wire logic [1:0]    cfg_banks_i,
  input  wire logic [7:0]    cfg_index_i,
  input  wire logic          cfg_wide_i,
  input  wire logic [127:0]  cfg_data_i,
  input  wire logic          setc16_valid_i [3],
  input  wire logic [6:0]    setc16_index_i [3],
  input  wire logic [15:0]   setc16_value_i [3],
  input  wire logic          issue_valid_i,
  input  wire logic [1:0]    issue_thread_i,
  input  wire logic [31:0]   issue_word_i,
  output wire logic          ready_o,
  input  wire logic          counter_valid_i [3],
  input  wire logic [31:0]   counter_word_i [3],
  input  wire logic          dst_offered_i,
  input  wire logic [9:0]    dst_row_i,
  input  wire logic [3:0]    dst_count_i,
  input  wire logic [143:0]  dst_mask_i,
  input  wire logic [2303:0] dst_data_i,
  output wire logic          dst_ready_o,
  output wire logic          dst_written_o,
  input  wire logic          zero_valid_i,
  input  wire logic          zero_all_i,
  input  wire logic          zero_half_i,
  input  wire logic          hist_valid_i,
  input  wire logic          hist_op_i,
  input  wire logic [3:0]    hist_mode_i,
  input  wire logic [1:0]    hist_packer_i,
  input  wire logic          offset_valid_i,
  input  wire logic [3:0]    offset_packers_i,
  input  wire logic [15:0]   offset_value_i,
  input  wire logic [23:0]   setreg_base_i,
  input  wire logic [35:0]   setreg_scaler_i,
  input  wire logic [3:0]    l1_ready_i,
  output wire logic [3:0]    row_granted_o,
  output wire logic [9:0]    row_row_o [4],
  output wire logic [7:0]    write_valid_o,
  output wire logic [16:0]   write_line_o [8],
  output wire logic [1:0]    write_kind_o [8],
  output wire logic [127:0]  write_data_o [8],
  // of four packers, and of the source
  output wire logic [4:0]    read_valid_o,
  output wire logic [16:0]   read_line_o [5],
  output wire logic [3:0]    read_count_o [5],
  input  wire logic          answer_valid_i [5],
  input  wire logic [1023:0] answer_data_i [5],
  output wire logic          setreg_valid_o,
  output wire logic [31:0]   setreg_address_o,
  output wire logic [31:0]   setreg_data_o,
  output wire logic          hist_valid_o,
  output wire logic [127:0]  hist_data_o,
  output wire logic          fault_valid_o,
  output wire logic [1:0]    fault_thread_o,
  output wire logic [30:0]   fault_flags_o,
  output wire logic [3:0]    run_fault_valid_o,
  output wire logic [4:0]    run_fault_o [4],
  output wire logic [2:0]    unit_fault_o,
  output wire logic [11:0]   busy_o,
  output wire logic [60:0]   live_o [18],
  output wire logic [60:0]   cr_o [18],
  output wire logic          counter_fault_illegal_o [3],
  output wire logic          counter_fault_x_override_o [3],
  output wire logic          counter_fault_empty_o [3],
  output wire logic [8:0]    counter_conflict_o
);

  wire logic row_valid [4], row_grant [4], row_row_valid [4], row_wide [4];
  wire logic wide;
  wire logic [255:0] row_high [4], row_low [4];
  wire logic [15:0] bank_valid, bank_earlier;  // writes of Dst's banks
  wire logic [5:0] bank_place [16], bank_earlier_place;
  wire logic [15:0] bank_mask [16];
  wire logic [255:0] bank_data [16];
  wire logic [60:0] packer_live [6];
  wire logic adc_valid;
  wire logic [2:0] adc_sets;
  wire logic [15:0] adc_addr_mod;
  wire logic write_valid [8];
  wire logic packer_read_valid [4], packer_answer_valid [4];
  wire logic [16:0] packer_read_line [4];
  wire logic [3:0] packer_read_count [4];
  wire logic [1023:0] packer_answer_data [4];

  assign dst_written_o = dst_offered_i && dst_ready_o;

  pack #(
    .Packers(Packers), .Mask0(Mask0), .MaxDatums(MaxDatums), .BhFields(BhFields),
    .Relative(Relative), .YzwShr4(YzwShr4), .CompressOvrd(CompressOvrd), .TpgByIntf(TpgByIntf),
    .R10Fp16(R10Fp16), .E4m3(E4m3), .ReluMaxCmp19(ReluMaxCmp19), .Fp16AccQuirk(Fp16AccQuirk),
    .SetregEnc(SetregEnc), .SetregSlots(SetregSlots), .DstRemap(DstRemap), .L1Lines(L1Lines)
  ) u_pack (
    .clk_i, .rst_ni,
    .cfg_valid_i, .cfg_banks_i, .cfg_index_i, .cfg_wide_i, .cfg_data_i,
    .setc16_valid_i, .setc16_index_i, .setc16_value_i,
    .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o,
    .live_i(packer_live), .adc_valid_o(adc_valid), .adc_sets_o(adc_sets),
    .adc_addr_mod_o(adc_addr_mod),
    .offset_valid_i, .offset_packers_i, .offset_value_i,
    .hist_valid_i, .hist_op_i, .hist_mode_i, .hist_packer_i, .hist_valid_o, .hist_data_o,
    .setreg_base_i, .setreg_scaler_i,
    .dst_valid_o(row_valid), .dst_row_o(row_row_o), .dst_wide_o(wide), .dst_grant_i(row_grant),
    .dst_high_i(row_high), .dst_low_i(row_low), .dst_row_valid_i(row_row_valid),
    .dst_changed_i(dst_written_o || zero_valid_i),
    .l1_ready_i, .write_valid_o(write_valid), .write_line_o, .write_kind_o, .write_data_o,
    .read_valid_o(packer_read_valid), .read_line_o(packer_read_line),
    .read_count_o(packer_read_count), .answer_valid_i(packer_answer_valid),
    .answer_data_i(packer_answer_data),
    .source_valid_o(read_valid_o[4]), .source_line_o(read_line_o[4]),
    .source_answer_valid_i(answer_valid_i[4]), .source_answer_data_i(answer_data_i[4][127:0]),
    .setreg_valid_o, .setreg_address_o, .setreg_data_o,
    .fault_valid_o, .fault_thread_o, .fault_flags_o, .run_fault_o, .unit_fault_o, .busy_o
  );

  dst_spread #(.Run(9)) u_spread (
    .clk_i, .rst_ni, .valid_i(dst_offered_i), .row_i(dst_row_i), .count_i(dst_count_i),
    .mask_i(dst_mask_i), .data_i(dst_data_i), .ready_o(dst_ready_o),
    .write_valid_o(bank_valid), .write_place_o(bank_place), .earlier_o(bank_earlier),
    .earlier_place_o(bank_earlier_place), .write_mask_o(bank_mask), .write_data_o(bank_data)
  );

  dst #(.Reads(4)) u_dst (
    .clk_i, .rst_ni,
    .read_valid_i(row_valid), .read_row_i(row_row_o), .read_wide_i(row_wide),
    .read_grant_o(row_grant), .read_high_o(row_high), .read_low_o(row_low),
    .read_row_valid_o(row_row_valid),
    .write_valid_i(bank_valid), .write_row_valid_i(16'hFFFF), .write_place_i(bank_place),
    .write_mask_i(bank_mask), .write_data_i(bank_data), .earlier_i(bank_earlier),
    .earlier_place_i(bank_earlier_place),
    .zero_valid_i, .zero_all_i, .zero_half_i
  );

  adc #(.ZwW(ZwW)) u_adc (
    .clk_i, .rst_ni,
    .issue_valid_i(counter_valid_i), .issue_word_i(counter_word_i),
    .unpack_valid_i(1'b0), .unpack_unpacker_i(1'b0), .unpack_thread_i(2'd0),
    .unpack_adc_i(2'd0), .unpack_y0_i(2'd0), .unpack_z0_i(2'd0), .unpack_y1_i(2'd0),
    .unpack_z1_i(2'd0),
    .pack_valid_i(adc_valid), .pack_sets_i(adc_sets), .pack_addr_mod_i(adc_addr_mod),
    .flop_valid_i(1'b0), .flop_thread_i(2'd0), .flop_select_i(2'd0), .flop_channel_i(1'b0),
    .flop_counter_i(2'd0), .flop_checkpoint_i(1'b0), .flop_value_i(18'd0),
    .live_o, .cr_o,
    .fault_illegal_o(counter_fault_illegal_o), .fault_x_override_o(counter_fault_x_override_o),
    .fault_empty_o(counter_fault_empty_o), .fault_unpack_thread_o(), .fault_flop_thread_o(),
    .fault_flop_select_o(), .conflict_o(counter_conflict_o)
  );

  assign read_count_o[4] = 4'd1;
  for (genvar p = 0; p < 4; p++) begin : gen_packer
    assign row_wide[p] = wide;
    assign row_granted_o[p] = row_grant[p];
    assign read_valid_o[p] = packer_read_valid[p];
    assign read_line_o[p] = packer_read_line[p];
    assign read_count_o[p] = packer_read_count[p];
    assign packer_answer_valid[p] = answer_valid_i[p];
    assign packer_answer_data[p] = answer_data_i[p];
    assign run_fault_valid_o[p] = run_fault_o[p] != 5'd0;
  end
  for (genvar k = 0; k < 8; k++) begin : gen_slot
    assign write_valid_o[k] = write_valid[k];
  end
  for (genvar i = 0; i < 6; i++) begin : gen_live
    assign packer_live[i] = live_o[6*(i/2)+4+i%2];
  end

endmodule

`default_nettype wire
