// SPDX-License-Identifier: Apache-2.0
//
// The unpackers with what is looked at inside led out, as tb/unpack/hdl/unpack_bench.sv does it.
`timescale 1ns / 1ps
`default_nettype none

module unpack_pins #(
  parameter int ZwW               = 8,
  parameter int NopEnc            = 0,
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int RowW              = 32,
  parameter int UpsampleZeros     = 32'h7310,
  parameter int Fp8E5m2Fill       = 1,
  parameter int DstRemap          = 0,
  parameter int L1Lines           = 93696
) (
  input  wire logic           clk_i,
  input  wire logic           rst_ni,
  input  wire logic           cfg_valid_i,
  input  wire logic [1:0]     cfg_banks_i,
  input  wire logic [7:0]     cfg_index_i,
  input  wire logic           cfg_wide_i,
  input  wire logic [127:0]   cfg_data_i,
  input  wire logic           setc16_valid_i [3],
  input  wire logic [6:0]     setc16_index_i [3],
  input  wire logic [15:0]    setc16_value_i [3],
  input  wire logic           issue_valid_i [2],
  input  wire logic [1:0]     issue_thread_i [2],
  input  wire logic [31:0]    issue_word_i [2],
  output wire logic [1:0]     ready_o,
  output wire logic [2:0]     hold_o,
  input  wire logic           counter_valid_i [3],
  input  wire logic [31:0]    counter_word_i [3],
  input  wire logic           matrix_valid_i,
  input  wire logic [1:0]     matrix_op_i,
  input  wire logic [1:0]     matrix_file_i,
  input  wire logic           matrix_bank_i,
  input  wire logic [9:0]     matrix_row_i,
  input  wire logic [1:0]     matrix_banks_i,
  output wire logic           matrix_read_valid_o,
  output wire logic [511:0]   matrix_read_data_o,
  output wire logic           matrix_read_row_valid_o,
  input  wire logic [19:0]    setreg_base0_i,
  input  wire logic [19:0]    setreg_base1_i,
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
  output wire logic           overlay_valid_o [2],
  output wire logic [5:0]     overlay_stream_o [2],
  output wire logic [10:0]    overlay_count_o [2],
  output wire logic           setreg_valid_o [2],
  output wire logic [31:0]    setreg_address_o [2],
  output wire logic [31:0]    setreg_data_o [2],
  output wire logic [3:0]     owner_o,
  output wire logic [5:0]     busy_o,
  output wire logic           fault_valid_o [2],
  output wire logic [1:0]     fault_thread_o [2],
  output wire logic [27:0]    fault_flags_o [2],
  output wire logic [4:0]     read_fault_o [2],
  output wire logic [6:0]     write_fault_o [2],
  output wire logic [2:0]     unit_fault_o,
  output wire logic           counter_fault_illegal_o [3],
  output wire logic           counter_fault_x_override_o [3],
  output wire logic           counter_fault_empty_o [3],
  output wire logic [8:0]     counter_conflict_o,
  // what is looked at inside
  output wire logic [44:0]    pointers_o [2],      // {acc, contexts, rows, bank}
  output wire logic           clear_valid_o [2],
  output wire logic [1:0]     clear_banks_o [2],
  output wire logic [18:0]    clear_value_o [2],
  output wire logic           write_valid_o [2],
  output wire logic           write_dst_o [2],
  output wire logic           write_wide_o [2],
  output wire logic           write_bank_o [2],
  output wire logic           write_transpose_o [2],
  output wire logic [13:0]    write_address_o [2],
  output wire logic [127:0]   write_mask_o [2],
  output wire logic [2431:0]  write_low_o [2],
  output wire logic [415:0]   write_high_o [2],
  output wire logic [60:0]    live_o [18],
  output wire logic [60:0]    cr_o [18]
);

  unpack_top #(
    .ZwW(ZwW), .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb), .RowW(RowW),
    .UpsampleZeros(UpsampleZeros), .Fp8E5m2Fill(Fp8E5m2Fill), .DstRemap(DstRemap),
    .L1Lines(L1Lines)
  ) u_dut (
    .clk_i, .rst_ni, .cfg_valid_i, .cfg_banks_i, .cfg_index_i, .cfg_wide_i, .cfg_data_i,
    .setc16_valid_i, .setc16_index_i, .setc16_value_i, .issue_valid_i, .issue_thread_i,
    .issue_word_i, .ready_o, .hold_o, .counter_valid_i, .counter_word_i, .matrix_valid_i,
    .matrix_op_i, .matrix_file_i, .matrix_bank_i, .matrix_row_i, .matrix_banks_i,
    .matrix_read_valid_o, .matrix_read_data_o, .matrix_read_row_valid_o, .setreg_base0_i,
    .setreg_base1_i, .l1_valid_o, .l1_count_o, .l1_lines_o, .l1_has_exponent_o, .l1_exponent_o,
    .l1_has_delta_o, .l1_delta_o, .l1_rsi_count_o, .l1_rsi_o, .l1_answer_valid_i,
    .l1_answer_lines_i, .l1_answer_exponent_i, .l1_answer_delta_i, .l1_answer_rsi_i,
    .overlay_valid_o, .overlay_stream_o, .overlay_count_o, .setreg_valid_o, .setreg_address_o,
    .setreg_data_o, .owner_o, .busy_o, .fault_valid_o, .fault_thread_o, .fault_flags_o,
    .read_fault_o, .write_fault_o, .unit_fault_o, .counter_fault_illegal_o,
    .counter_fault_x_override_o, .counter_fault_empty_o, .counter_conflict_o
  );

  // where no slot is written, 0
  function automatic logic [127:0][18:0] low_slots(input logic [127:0] mask,
                                                   input logic [127:0][18:0] low);
    for (int s = 0; s < 128; s++) low_slots[s] = mask[s] ? low[s] : '0;
  endfunction

  function automatic logic [31:0][12:0] high_slots(input logic [31:0] mask,
                                                   input logic [31:0][12:0] high);
    for (int s = 0; s < 32; s++) high_slots[s] = mask[s] ? high[s] : '0;
  endfunction

  for (genvar u = 0; u < 2; u++) begin : gen_inside
    assign pointers_o[u] = {
      u_dut.gen_unpacker[u].u_fetch.acc_o,
      u_dut.u_front.gen_unpacker[u].u_pointers.context_q[2],
      u_dut.u_front.gen_unpacker[u].u_pointers.context_q[1],
      u_dut.u_front.gen_unpacker[u].u_pointers.context_q[0],
      u_dut.u_front.gen_unpacker[u].u_pointers.src_row_q[2],
      u_dut.u_front.gen_unpacker[u].u_pointers.src_row_q[1],
      u_dut.u_front.gen_unpacker[u].u_pointers.src_row_q[0],
      u_dut.u_front.gen_unpacker[u].u_pointers.src_bank_q
    };
    assign clear_valid_o[u] = u_dut.gen_src[u].u_src.clear_q != 2'd0;
    assign clear_banks_o[u] = u_dut.gen_src[u].u_src.clear_q;
    assign clear_value_o[u] = u_dut.gen_src[u].u_src.clear_value_q;
    assign write_valid_o[u] = u_dut.gen_unpacker[u].u_write.obs_write_valid;
    assign write_dst_o[u] = u_dut.gen_unpacker[u].u_write.obs_write.dst;
    assign write_wide_o[u] = u_dut.gen_unpacker[u].u_write.obs_write.wide;
    assign write_bank_o[u] = u_dut.gen_unpacker[u].u_write.obs_write.bank;
    assign write_transpose_o[u] = u_dut.gen_unpacker[u].u_write.obs_write.transpose;
    assign write_address_o[u] = u_dut.gen_unpacker[u].u_write.obs_write.address;
    assign write_mask_o[u] = u_dut.gen_unpacker[u].u_write.obs_write.mask;
    assign write_low_o[u] = low_slots(write_mask_o[u], u_dut.gen_unpacker[u].u_write.obs_write.low);
    assign write_high_o[u] = high_slots(
      write_mask_o[u][31:0], u_dut.gen_unpacker[u].u_write.obs_write.high
    );
  end
  for (genvar n = 0; n < 18; n++) begin : gen_counters
    assign live_o[n] = u_dut.live[n];
    assign cr_o[n] = u_dut.cr[n];
  end

endmodule

`default_nettype wire
