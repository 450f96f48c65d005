// SPDX-License-Identifier: Apache-2.0
//
// The unpackers with what stands beside them: address counters, SrcA and SrcB with their owners, and
// Dst. Nothing is worked out here.
//
// Latency: docs/unpack.md is the cycle contract. Handshake: a word issues to unpacker u only with
// ready_o[u], of a thread only without its hold_o; everything else is a pulse, a level, or is never
// refused. Reset: nothing under way, all state 0, Dst's rows valid.
`default_nettype none

module unpack_top
  import unit_port_pkg::*;
  import unpack_pkg::*;
  import dst_pkg::dst_write_t;
  import unpack_fault_pkg::*;
#(
  parameter int ZwW               = 8,        // profile zw_w
  parameter int NopEnc            = 0,        // nop_enc: 0 WH, 1 BH
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int UnpacrNopZeroClears = 0,
  parameter int BurstDefaultThrottle = 0,
  parameter int SrcaRowHigh       = 1,
  parameter int SpareUnpacr       = 1,
  parameter int RowW              = 32,       // row_w
  parameter int UpsampleZeros     = 32'h7310, // four bits a rate, rate 0 lowest
  parameter int Fp8E5m2Fill       = 1,
  parameter int DstRemap          = 0,
  parameter int L1Lines           = 93696     // l1_bytes / 16
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire config_write_t cfg_i,
  input  wire config_write_t flop_i,
  input  wire setc16_t       setc16_i [3],
  input  wire thread_store_t store_i,
  // instructions, one port an unpacker
  input  wire logic          issue_valid_i [2],
  input  wire logic [1:0]    issue_thread_i [2],
  input  wire logic [31:0]   issue_word_i [2],
  output wire logic [1:0]    ready_o,
  output wire logic [2:0]    hold_o,
  // words for the address counters, one port a thread
  input  wire logic          counter_valid_i [3],
  input  wire logic [31:0]   counter_word_i [3],
  // Matrix Unit
  input  wire matrix_command_t matrix_i,
  input  wire matrix_write_t   matrix_write_i,
  output wire matrix_answer_t  matrix_answer_o,
  input  wire logic [1:0]    matrix_banks_i,     // level: its SrcA, SrcB bank pointers
  output wire logic          pause_o,
  input  wire logic [19:0]   setreg_base0_i,
  input  wire logic [19:0]   setreg_base1_i,
  // of each unpacker: L1, events (section 7)
  output wire l1_request_t   l1_o [2],
  input  wire l1_answer_t    l1_answer_i [2],
  output wire overlay_t      overlay_o [2],
  output wire setreg_write_t setreg_o [2],
  // what waits look at
  output wire logic [3:0]    owner_o,            // {B1, B0, A1, A0}
  output wire logic [15:0]   implied_o,
  output wire logic [1:0]    stale_o,
  output wire logic [5:0]    busy_o,             // bit 2t + u
  // faults: docs/unpack.md section 8, first flag lowest
  output wire fault_t        fault_o [2],
  output wire logic [4:0]    read_fault_o [2],
  output wire logic [7:0]    write_fault_o [2],
  output wire logic [2:0]    unit_fault_o,
  output wire logic          counter_fault_illegal_o [3],
  output wire logic          counter_fault_x_override_o [3],
  output wire logic          counter_fault_empty_o [3],
  output wire logic [8:0]    counter_conflict_o
);

  // ---- address counters
  wire logic [60:0] live [18];  // as rtl/adc/adc.sv
  /* verilator lint_off UNUSEDSIGNAL */  // the bench looks at them
  wire logic [60:0] cr [18];
  wire logic [16:0] acc [2];
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic unpack_valid, unpack_unpacker;
  wire logic [1:0] unpack_thread, unpack_adc, unpack_y0, unpack_z0, unpack_y1, unpack_z1;
  wire logic [2:0] unused_adc_faults;

  adc #(.ZwW(ZwW)) u_adc (
    .clk_i, .rst_ni, .issue_valid_i(counter_valid_i), .issue_word_i(counter_word_i),
    .unpack_valid_i(unpack_valid), .unpack_unpacker_i(unpack_unpacker),
    .unpack_thread_i(unpack_thread), .unpack_adc_i(unpack_adc),
    .unpack_y0_i(unpack_y0), .unpack_z0_i(unpack_z0),
    .unpack_y1_i(unpack_y1), .unpack_z1_i(unpack_z1),
    .pack_valid_i(1'b0), .pack_sets_i(3'd0), .pack_addr_mod_i(16'd0),
    .flop_valid_i(1'b0), .flop_thread_i(2'd0), .flop_select_i(2'd0), .flop_channel_i(1'b0),
    .flop_counter_i(2'd0), .flop_checkpoint_i(1'b0), .flop_value_i(18'd0),
    .live_o(live), .cr_o(cr), .fault_illegal_o(counter_fault_illegal_o),
    .fault_x_override_o(counter_fault_x_override_o), .fault_empty_o(counter_fault_empty_o),
    .fault_unpack_thread_o(unused_adc_faults[0]), .fault_flop_thread_o(unused_adc_faults[1]),
    .fault_flop_select_o(unused_adc_faults[2]), .conflict_o(counter_conflict_o)
  );

  // ---- the unpackers
  wire logic [1:0] flip [2], theirs [2];
  wire logic [3:0] flip_format [2];
  wire logic src_write_valid [2], clear_valid [2], dst_write_valid;
  wire logic [1:0] unused_clears, unused_src_bank;  // for a Matrix Unit, and waits
  wire src_write_t src_write [2];
  wire src_clear_t clear [2];
  wire dst_write_t dst_write;

  unpackers #(
    .ZwW(ZwW), .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb),
    .UnpacrNopZeroClears(UnpacrNopZeroClears), .BurstDefaultThrottle(BurstDefaultThrottle),
    .SrcaRowHigh(SrcaRowHigh), .SpareUnpacr(SpareUnpacr), .RowW(RowW),
    .UpsampleZeros(UpsampleZeros), .Fp8E5m2Fill(Fp8E5m2Fill), .DstRemap(DstRemap),
    .L1Lines(L1Lines)
  ) u_unpackers (
    .clk_i, .rst_ni, .cfg_i, .flop_i, .setc16_i, .store_i, .issue_valid_i,
    .issue_thread_i, .issue_word_i, .ready_o,
    .hold_o, .live_i(live), .unpack_valid_o(unpack_valid), .unpack_unpacker_o(unpack_unpacker),
    .unpack_thread_o(unpack_thread), .unpack_adc_o(unpack_adc),
    .unpack_y0_o(unpack_y0), .unpack_z0_o(unpack_z0),
    .unpack_y1_o(unpack_y1), .unpack_z1_o(unpack_z1),
    .theirs_i(theirs), .matrix_banks_i, .matrix_zero_i(matrix_i.clear != 4'd0), .flip_o(flip),
    .flip_format_o(flip_format), .clears_o(unused_clears), .src_bank_o(unused_src_bank),
    .src_write_valid_o(src_write_valid), .src_write_o(src_write),
    .clear_valid_o(clear_valid), .clear_o(clear), .dst_write_valid_o(dst_write_valid),
    .dst_write_o(dst_write), .setreg_base0_i, .setreg_base1_i, .l1_o, .l1_answer_i, .overlay_o,
    .setreg_o, .acc_o(acc), .busy_o, .fault_o, .read_fault_o, .write_fault_o,
    .unsigned_fault_o(unit_fault_o[1:0])
  );

  // ---- SrcA, SrcB, Dst
  wire logic [303:0] a, b;
  wire logic [511:0] row;
  wire logic row_valid;
  wire logic lane_valid [4], unused_grant [4], unused_valid [4];
  wire logic [9:0] lane_row [4];
  wire logic unused_race;
  wire logic [dst_pkg::RowBits-1:0] unused_high [4], unused_low [4];

  assign matrix_answer_o = {a, b, row, row_valid};

  src_files u_src (
    .clk_i, .rst_ni, .write_valid_i(src_write_valid), .write_i(src_write),
    .clear_valid_i(clear_valid), .clear_i(clear), .flip_i(flip), .flip_format_i(flip_format),
    .dst_valid_i(dst_write_valid), .dst_bank_i(dst_write.bank), .theirs_o(theirs), .matrix_i,
    .write_row_i(matrix_write_i), .a_o(a), .b_o(b), .owner_o, .implied_o, .stale_o,
    .stale_read_o(unit_fault_o[UnitFaultStale])
  );

  for (genvar l = 0; l < 4; l++) begin : gen_lane  // no packers here
    assign lane_valid[l] = 1'b0;
    assign lane_row[l] = 10'd0;
  end

  dst_shared u_dst (
    .clk_i, .rst_ni, .block_valid_i(dst_write_valid), .block_i(dst_write), .matrix_i,
    .write_i(matrix_write_i), .row_o(row), .row_valid_o(row_valid), .pause_o,
    .read_valid_i(lane_valid), .read_row_i(lane_row), .read_wide_i(1'b0),
    .read_grant_o(unused_grant), .read_high_o(unused_high), .read_low_o(unused_low),
    .read_row_valid_o(unused_valid), .race_o(unused_race)
  );

endmodule

`default_nettype wire
