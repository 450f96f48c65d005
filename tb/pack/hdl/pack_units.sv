// SPDX-License-Identifier: Apache-2.0
//
// The packers with what stands beside them: address counters, and Dst with what spreads runs of
// rows over its banks. Nothing is worked out here. Ports are those of the units; reads of L1 are of
// four packers, and of the source; of Dst, of the packers' lanes behind the Matrix Unit's.
`timescale 1ns / 1ps
`default_nettype none

module pack_units
  import unit_port_pkg::*;
  import dst_pkg::*;
  import pack_pkg::*;
  import tp_profile_pkg::*;
(
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire config_write_t      cfg_i,
  input  wire config_write_t      flop_i,
  input  wire setc16_t            setc16_i [3],
  input  wire thread_store_t      store_i,
  input  wire logic               issue_valid_i,
  input  wire logic [1:0]         issue_thread_i,
  input  wire logic [31:0]        issue_word_i,
  output wire logic               ready_o,
  input  wire logic               counter_valid_i [3],
  input  wire logic [31:0]        counter_word_i [3],
  input  wire offset_write_t      offset_i,
  input  wire histogram_command_t hist_i,
  output wire histogram_data_t    hist_o,
  input  wire setreg_base_t       setreg_base_i,
  // runs of rows into Dst; written: the last of a run
  input  wire run_t               dst_run_i,
  output wire logic               dst_ready_o,
  output wire logic               dst_written_o,
  input  wire zero_t              dst_zero_i,
  input  wire logic               dst_read_i,     // by the Matrix Unit
  input  wire logic [9:0]         dst_read_row_i,
  input  wire logic               dst_read_wide_i,
  // rows of Dst that the packers get
  output wire logic               row_grant_o [4],
  output wire logic [9:0]         row_row_o [4],
  output wire logic               row_wide_o,
  // L1
  input  wire logic [3:0]         l1_ready_i,
  output wire l1_write_t          write_o [8],
  output wire l1_read_t           read_o [5],
  input  wire logic               answer_valid_i [5],
  input  wire logic [1023:0]      answer_data_i [5],
  output wire setreg_write_t      setreg_o,
  output wire fault_t             fault_o,
  output wire logic [6:0]         run_fault_o [4],
  output wire logic [2:0]         unit_fault_o,
  output wire logic [11:0]        busy_o,
  // the address counters
  output wire logic [60:0]        live_o [18],
  output wire logic [60:0]        cr_o [18],
  output wire logic               counter_illegal_o [3],
  output wire logic               counter_x_override_o [3],
  output wire logic               counter_empty_o [3],
  output wire logic [8:0]         counter_conflict_o
);

  wire logic row_valid [4], row_row_valid [4];
  wire logic [255:0] row_high [4], row_low [4];
  wire logic lane_valid [5], lane_wide [5], lane_grant [5], race [5], lane_row_valid [5];
  wire logic [9:0] lane_row [5];
  wire logic [255:0] lane_high [5], lane_low [5];
  wire logic [15:0] bank_valid, bank_earlier;  // writes of Dst's banks
  wire logic [5:0] bank_place [16], bank_earlier_place;
  wire logic [15:0] bank_mask [16];
  wire logic [255:0] bank_data [16];
  wire logic [63:0] zero_places;
  wire logic [15:0] zero_lows;
  wire logic [60:0] packer_live [6];
  wire logic adc_valid;
  wire logic [2:0] adc_sets;
  wire logic [15:0] adc_addr_mod;

  assign dst_written_o = dst_run_i.valid && dst_ready_o;

  assign lane_valid[0] = dst_read_i;
  assign lane_row[0] = dst_read_row_i;
  assign lane_wide[0] = dst_read_wide_i;
  for (genvar l = 0; l < 4; l++) begin : gen_lane
    assign lane_valid[l+1] = row_valid[l];
    assign lane_row[l+1] = row_row_o[l];
    assign lane_wide[l+1] = row_wide_o;
    assign row_grant_o[l] = lane_grant[l+1];
    assign row_high[l] = lane_high[l+1];
    assign row_low[l] = lane_low[l+1];
    assign row_row_valid[l] = lane_row_valid[l+1];
  end
  for (genvar i = 0; i < 6; i++) begin : gen_live
    assign packer_live[i] = live_o[6*(i/2)+4+i%2];
  end

  pack #(
    .Packers(Packers), .Mask0(Mask0), .MaxDatums(MaxDatums), .BhFields(BhFields),
    .Relative(Relative), .YzwShr4(YzwShr4), .Ch1Offset18(Ch1Offset18),
    .CompressOvrd(CompressOvrd), .TpgByIntf(TpgByIntf), .TilePositionKept(TilePositionKept),
    .R10Fp16(R10Fp16), .E4m3(E4m3), .ReluMaxCmp19(ReluMaxCmp19), .Fp16AccQuirk(Fp16AccQuirk),
    .SetregEnc(SetregEnc), .SetregSlots(SetregSlots), .DstRemap(DstRemap), .L1Lines(L1Lines)
  ) u_dut (
    .clk_i, .rst_ni, .cfg_i, .flop_i, .setc16_i, .store_i, .issue_valid_i,
    .issue_thread_i, .issue_word_i, .ready_o,
    .live_i(packer_live), .adc_valid_o(adc_valid), .adc_sets_o(adc_sets),
    .adc_addr_mod_o(adc_addr_mod),
    .offset_i, .hist_i, .hist_o, .setreg_base_i,
    .dst_valid_o(row_valid), .dst_row_o(row_row_o), .dst_wide_o(row_wide_o),
    .dst_grant_i(row_grant_o), .dst_high_i(row_high), .dst_low_i(row_low),
    .dst_row_valid_i(row_row_valid), .dst_race_i(race[1] || race[2] || race[3] || race[4]),
    .l1_ready_i, .write_o, .read_o, .answer_valid_i, .answer_data_i,
    .setreg_o, .fault_o, .run_fault_o, .unit_fault_o, .busy_o
  );

  dst_spread u_spread (
    .clk_i, .rst_ni, .run_i(dst_run_i), .ready_o(dst_ready_o),
    .write_valid_o(bank_valid), .write_place_o(bank_place), .earlier_o(bank_earlier),
    .earlier_place_o(bank_earlier_place), .write_mask_o(bank_mask), .write_data_o(bank_data)
  );

  dst #(.Reads(5)) u_dst (
    .clk_i, .rst_ni,
    .read_valid_i(lane_valid), .read_row_i(lane_row), .read_wide_i(lane_wide),
    .read_grant_o(lane_grant), .read_race_o(race), .read_high_o(lane_high),
    .read_low_o(lane_low), .read_row_valid_o(lane_row_valid),
    .write_valid_i(bank_valid), .write_row_valid_i(16'hFFFF), .write_place_i(bank_place),
    .write_mask_i(bank_mask), .write_data_i(bank_data), .earlier_i(bank_earlier),
    .earlier_place_i(bank_earlier_place),
    .zero_valid_i(dst_zero_i.valid), .zero_value_i(1'b0), .zero_places_i(zero_places),
    .zero_lows_i(zero_lows)
  );

  dst_zero u_zero (
    .mode_i({1'b1, dst_zero_i.all}), .row_i({dst_zero_i.half, 9'd0}), .wide_i(1'b0),
    .remap_i(1'b0), .swizzle_i(1'b0), .places_o(zero_places), .lows_o(zero_lows)
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
    .fault_illegal_o(counter_illegal_o), .fault_x_override_o(counter_x_override_o),
    .fault_empty_o(counter_empty_o), .fault_unpack_thread_o(), .fault_flop_thread_o(),
    .fault_flop_select_o(), .conflict_o(counter_conflict_o)
  );

endmodule

`default_nettype wire
