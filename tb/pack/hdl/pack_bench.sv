// SPDX-License-Identifier: Apache-2.0
//
// The packers with Dst, the address counters and L1 beside them, with their recorders, and with the
// players of all their ports but those at which words issue, which lead out. tb/pack/streams.py
// describes players and streams; modules pack_rec_* and pack_play_* are made from that description.
// busy_o and count_o are what players need whose items wait.
`timescale 1ns / 1ps
`default_nettype none

module pack_bench
  import tp_state_pkg::*;
#(
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
  output wire logic [27:0] count_o [14]
);

  // ---- inputs
  wire logic cfg_valid, cfg_wide;
  wire logic [1:0] cfg_banks;
  wire logic [7:0] cfg_index;
  wire logic [127:0] cfg_data;
  wire logic setc16_valid [3];
  wire logic [6:0] setc16_index [3];
  wire logic [15:0] setc16_value [3];
  wire logic dst_offered, dst_ready, zero_valid, zero_all, zero_half;
  wire logic dst_valid = dst_offered && dst_ready;  // the run's last rows are written
  wire logic [9:0] dst_row;
  wire logic [3:0] dst_count;
  wire logic [143:0] dst_mask;
  wire logic [2303:0] dst_data;
  wire logic l1_valid;
  wire logic [16:0] l1_line;
  wire logic [511:0] l1_data;
  wire logic hist_valid, hist_op;
  wire logic [3:0] hist_mode;
  wire logic [1:0] hist_packer;
  wire logic offset_valid;
  wire logic [3:0] offset_packers;
  wire logic [15:0] offset_value;
  wire logic [23:0] base;
  wire logic [35:0] scaler;
  wire logic [4:0] latency;
  wire logic [3:0] l1_ready;

  // ---- between the modules
  wire logic [60:0] live [18], cr [18], packer_live [6];
  wire logic adc_valid;
  wire logic [2:0] adc_sets;
  wire logic [15:0] adc_addr_mod;
  wire logic row_valid [4], row_grant [4], row_row_valid [4];
  wire logic wide, row_wide [4];
  wire logic [9:0] row_row [4];
  wire logic [255:0] row_high [4], row_low [4];
  wire logic [15:0] bank_valid, bank_earlier;  // writes of Dst's banks
  wire logic [5:0] bank_place [16], bank_earlier_place;
  wire logic [15:0] bank_mask [16];
  wire logic [255:0] bank_data [16];
  wire logic write_valid [8];
  wire logic [16:0] write_line [8];
  wire logic [1:0] write_kind [8];
  wire logic [127:0] write_data [8];
  wire logic read_valid [5], answer_valid [5];  // of four packers, and the source
  wire logic [16:0] read_line [5];
  wire logic [3:0] read_count [5];
  wire logic [1023:0] answer_data [5];
  wire logic packer_read_valid [4], packer_answer_valid [4];
  wire logic [16:0] packer_read_line [4];
  wire logic [3:0] packer_read_count [4];
  wire logic [1023:0] packer_answer_data [4];

  // ---- outputs
  wire logic hist_data_valid, setreg_valid, fault_valid;
  wire logic [127:0] hist_data;
  wire logic [31:0] setreg_address, setreg_data;
  wire logic [1:0] fault_thread;
  wire logic [30:0] fault_flags;
  wire logic [4:0] run_fault [4];
  wire logic [2:0] unit_fault;
  wire logic counter_illegal [3], counter_x_override [3], counter_empty [3];
  wire logic [8:0] conflict;
  wire logic [63:0] l1_sum;

  pack #(
    .Packers(Packers), .Mask0(Mask0), .MaxDatums(MaxDatums), .BhFields(BhFields),
    .Relative(Relative), .YzwShr4(YzwShr4), .CompressOvrd(CompressOvrd), .TpgByIntf(TpgByIntf),
    .R10Fp16(R10Fp16), .E4m3(E4m3), .ReluMaxCmp19(ReluMaxCmp19), .Fp16AccQuirk(Fp16AccQuirk),
    .SetregEnc(SetregEnc), .SetregSlots(SetregSlots), .DstRemap(DstRemap), .L1Lines(L1Lines)
  ) u_dut (
    .clk_i, .rst_ni,
    .cfg_valid_i(cfg_valid), .cfg_banks_i(cfg_banks), .cfg_index_i(cfg_index),
    .cfg_wide_i(cfg_wide), .cfg_data_i(cfg_data),
    .setc16_valid_i(setc16_valid), .setc16_index_i(setc16_index), .setc16_value_i(setc16_value),
    .issue_valid_i, .issue_thread_i, .issue_word_i, .ready_o,
    .live_i(packer_live), .adc_valid_o(adc_valid), .adc_sets_o(adc_sets),
    .adc_addr_mod_o(adc_addr_mod),
    .offset_valid_i(offset_valid), .offset_packers_i(offset_packers),
    .offset_value_i(offset_value),
    .hist_valid_i(hist_valid), .hist_op_i(hist_op), .hist_mode_i(hist_mode),
    .hist_packer_i(hist_packer), .hist_valid_o(hist_data_valid), .hist_data_o(hist_data),
    .setreg_base_i(base), .setreg_scaler_i(scaler),
    .dst_valid_o(row_valid), .dst_row_o(row_row), .dst_wide_o(wide),
    .dst_grant_i(row_grant), .dst_high_i(row_high), .dst_low_i(row_low),
    .dst_row_valid_i(row_row_valid), .dst_changed_i(dst_valid || zero_valid),
    .l1_ready_i(l1_ready),
    .write_valid_o(write_valid), .write_line_o(write_line), .write_kind_o(write_kind),
    .write_data_o(write_data),
    .read_valid_o(packer_read_valid), .read_line_o(packer_read_line),
    .read_count_o(packer_read_count),
    .answer_valid_i(packer_answer_valid), .answer_data_i(packer_answer_data),
    .source_valid_o(read_valid[4]), .source_line_o(read_line[4]),
    .source_answer_valid_i(answer_valid[4]), .source_answer_data_i(answer_data[4][127:0]),
    .setreg_valid_o(setreg_valid), .setreg_address_o(setreg_address),
    .setreg_data_o(setreg_data),
    .fault_valid_o(fault_valid), .fault_thread_o(fault_thread), .fault_flags_o(fault_flags),
    .run_fault_o(run_fault), .unit_fault_o(unit_fault), .busy_o
  );

  dst_spread #(.Run(9)) u_spread (
    .clk_i, .rst_ni, .valid_i(dst_offered), .row_i(dst_row), .count_i(dst_count),
    .mask_i(dst_mask), .data_i(dst_data), .ready_o(dst_ready),
    .write_valid_o(bank_valid), .write_place_o(bank_place), .earlier_o(bank_earlier),
    .earlier_place_o(bank_earlier_place), .write_mask_o(bank_mask), .write_data_o(bank_data)
  );

  dst #(.Reads(4)) u_dst (
    .clk_i, .rst_ni,
    .read_valid_i(row_valid), .read_row_i(row_row), .read_wide_i(row_wide),
    .read_grant_o(row_grant), .read_high_o(row_high), .read_low_o(row_low),
    .read_row_valid_o(row_row_valid),
    .write_valid_i(bank_valid), .write_row_valid_i(16'hFFFF), .write_place_i(bank_place),
    .write_mask_i(bank_mask), .write_data_i(bank_data), .earlier_i(bank_earlier),
    .earlier_place_i(bank_earlier_place),
    .zero_valid_i(zero_valid), .zero_all_i(zero_all), .zero_half_i(zero_half)
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
    .live_o(live), .cr_o(cr),
    .fault_illegal_o(counter_illegal), .fault_x_override_o(counter_x_override),
    .fault_empty_o(counter_empty), .fault_unpack_thread_o(), .fault_flop_thread_o(),
    .fault_flop_select_o(), .conflict_o(conflict)
  );

  pack_l1 #(.Lines(L1Lines)) u_l1 (
    .clk_i, .rst_ni, .cycle_i, .latency_i(latency),
    .test_valid_i(l1_valid), .test_line_i(l1_line), .test_data_i(l1_data),
    .write_valid_i(write_valid), .write_line_i(write_line), .write_data_i(write_data),
    .read_valid_i(read_valid), .read_line_i(read_line), .read_count_i(read_count),
    .answer_valid_o(answer_valid), .answer_data_o(answer_data), .sum_o(l1_sum)
  );

  assign read_count[4] = 4'd1;
  for (genvar p = 0; p < 4; p++) begin : gen_port
    assign row_wide[p] = wide;
    assign read_valid[p] = packer_read_valid[p];
    assign read_line[p] = packer_read_line[p];
    assign read_count[p] = packer_read_count[p];
    assign packer_answer_valid[p] = answer_valid[p];
    assign packer_answer_data[p] = answer_data[p];
  end
  for (genvar i = 0; i < 6; i++) begin : gen_live
    assign packer_live[i] = live[6*(i/2)+4+i%2];
  end

  // ---- what an item can wait for: how many items of each player were done
  wire logic [2:0] issued;
  wire logic [12:1] done = {offset_valid, hist_valid, l1_valid, zero_valid, dst_valid,
                            setc16_valid[2], setc16_valid[1], setc16_valid[0], cfg_valid, issued};

  for (genvar t = 0; t < 3; t++) begin : gen_issued
    assign issued[t] = counter_valid_i[t] || (issue_valid_i && issue_thread_i == 2'(t));
  end
  tp_counts #(.Sources(12)) u_counts (.clk_i, .rst_ni, .done_i(done), .count_o);

  // ---- players; all items but dst_write's are done as soon as they are offered
  pack_play_cfg u_play_cfg (
    .clk_i, .rst_ni, .flush_i, .done_i(cfg_valid), .valid_o(cfg_valid), .busy_i(busy_o),
    .count_i(count_o),
    .banks_o(cfg_banks), .index_o(cfg_index), .wide_o(cfg_wide), .data_o(cfg_data)
  );
  pack_play_dst_write u_play_dst_write (
    .clk_i, .rst_ni, .flush_i, .done_i(dst_valid), .valid_o(dst_offered), .busy_i(busy_o),
    .count_i(count_o),
    .row_o(dst_row), .count_o(dst_count), .mask_o(dst_mask), .data_o(dst_data)
  );
  pack_play_dst_zero u_play_dst_zero (
    .clk_i, .rst_ni, .flush_i, .done_i(zero_valid), .valid_o(zero_valid), .busy_i(busy_o),
    .count_i(count_o), .all_o(zero_all), .half_o(zero_half)
  );
  pack_play_l1_write u_play_l1_write (
    .clk_i, .rst_ni, .flush_i, .done_i(l1_valid), .valid_o(l1_valid), .busy_i(busy_o),
    .count_i(count_o), .line_o(l1_line), .data_o(l1_data)
  );
  pack_play_hist u_play_hist (
    .clk_i, .rst_ni, .flush_i, .done_i(hist_valid), .valid_o(hist_valid), .busy_i(busy_o),
    .count_i(count_o), .op_o(hist_op), .mode_o(hist_mode), .packer_o(hist_packer)
  );
  pack_play_offset u_play_offset (
    .clk_i, .rst_ni, .flush_i, .done_i(offset_valid), .valid_o(offset_valid), .busy_i(busy_o),
    .count_i(count_o), .packers_o(offset_packers), .value_o(offset_value)
  );
  pack_play_setreg_base u_play_setreg_base (
    .clk_i, .rst_ni, .flush_i, .base_o(base), .scaler0_o(scaler[8:0]),
    .scaler1_o(scaler[17:9]), .scaler2_o(scaler[26:18]), .scaler3_o(scaler[35:27])
  );
  pack_play_l1_latency u_play_l1_latency (.clk_i, .rst_ni, .flush_i, .latency_o(latency));
  pack_play_l1_ready u_play_l1_ready (.clk_i, .rst_ni, .flush_i, .value_o(l1_ready));

  for (genvar t = 0; t < 3; t++) begin : gen_play
    pack_play_setc16 #(.Index(t)) u_play_setc16 (
      .clk_i, .rst_ni, .flush_i, .done_i(setc16_valid[t]), .valid_o(setc16_valid[t]),
      .busy_i(busy_o), .count_i(count_o), .index_o(setc16_index[t]), .value_o(setc16_value[t])
    );
  end

  // ---- recorders
  pack_recorders_in u_recorders_in (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .issue_valid_i, .issue_thread_i, .issue_word_i, .counter_valid_i, .counter_word_i,
    .cfg_valid_i(cfg_valid), .cfg_banks_i(cfg_banks), .cfg_index_i(cfg_index),
    .cfg_wide_i(cfg_wide), .cfg_data_i(cfg_data),
    .setc16_valid_i(setc16_valid), .setc16_index_i(setc16_index), .setc16_value_i(setc16_value),
    .dst_valid_i(dst_valid), .dst_row_i(dst_row), .dst_count_i(dst_count), .dst_mask_i(dst_mask),
    .dst_data_i(dst_data), .zero_valid_i(zero_valid), .zero_all_i(zero_all),
    .zero_half_i(zero_half),
    .hist_valid_i(hist_valid), .hist_op_i(hist_op), .hist_mode_i(hist_mode),
    .hist_packer_i(hist_packer), .offset_valid_i(offset_valid),
    .offset_packers_i(offset_packers), .offset_value_i(offset_value),
    .base_i(base), .scaler_i(scaler), .l1_valid_i(l1_valid), .l1_line_i(l1_line),
    .l1_data_i(l1_data), .latency_i(latency), .l1_ready_i(l1_ready)
  );
  pack_recorders_out u_recorders_out (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .ready_i(ready_o), .busy_i(busy_o),
    .row_grant_i(row_grant), .row_row_i(row_row),
    .write_valid_i(write_valid), .write_line_i(write_line), .write_kind_i(write_kind),
    .write_data_i(write_data),
    .read_valid_i(read_valid), .read_line_i(read_line), .read_count_i(read_count),
    .setreg_valid_i(setreg_valid), .setreg_address_i(setreg_address),
    .setreg_data_i(setreg_data), .hist_valid_i(hist_data_valid), .hist_data_i(hist_data),
    .fault_valid_i(fault_valid), .fault_thread_i(fault_thread), .fault_flags_i(fault_flags),
    .run_fault_i(run_fault), .unit_fault_i(unit_fault), .live_i(live), .cr_i(cr),
    .counter_illegal_i(counter_illegal), .counter_x_override_i(counter_x_override),
    .counter_empty_i(counter_empty), .conflict_i(conflict)
  );

`ifndef TP_NO_RECORD
  // ---- architectural state
  localparam logic [63:0] SumFactor = 64'h9E37_79B9_7F4A_7C15;

  // Whether a storage row of Dst is valid, and what it holds
  function automatic logic [256:0] storage_row(input logic [9:0] s);
    logic [5:0] place;
    begin
      place = s[9:4];
      case (s[3:0] ^ s[7:4])
        4'd0: storage_row = {u_dst.gen_bank[0].u_flags.valid_q[place],
                             u_dst.gen_bank[0].u_flags.written_q[place]
                               ? u_dst.gen_bank[0].u_bank.words_q[place] : 256'd0};
        4'd1: storage_row = {u_dst.gen_bank[1].u_flags.valid_q[place],
                             u_dst.gen_bank[1].u_flags.written_q[place]
                               ? u_dst.gen_bank[1].u_bank.words_q[place] : 256'd0};
        4'd2: storage_row = {u_dst.gen_bank[2].u_flags.valid_q[place],
                             u_dst.gen_bank[2].u_flags.written_q[place]
                               ? u_dst.gen_bank[2].u_bank.words_q[place] : 256'd0};
        4'd3: storage_row = {u_dst.gen_bank[3].u_flags.valid_q[place],
                             u_dst.gen_bank[3].u_flags.written_q[place]
                               ? u_dst.gen_bank[3].u_bank.words_q[place] : 256'd0};
        4'd4: storage_row = {u_dst.gen_bank[4].u_flags.valid_q[place],
                             u_dst.gen_bank[4].u_flags.written_q[place]
                               ? u_dst.gen_bank[4].u_bank.words_q[place] : 256'd0};
        4'd5: storage_row = {u_dst.gen_bank[5].u_flags.valid_q[place],
                             u_dst.gen_bank[5].u_flags.written_q[place]
                               ? u_dst.gen_bank[5].u_bank.words_q[place] : 256'd0};
        4'd6: storage_row = {u_dst.gen_bank[6].u_flags.valid_q[place],
                             u_dst.gen_bank[6].u_flags.written_q[place]
                               ? u_dst.gen_bank[6].u_bank.words_q[place] : 256'd0};
        4'd7: storage_row = {u_dst.gen_bank[7].u_flags.valid_q[place],
                             u_dst.gen_bank[7].u_flags.written_q[place]
                               ? u_dst.gen_bank[7].u_bank.words_q[place] : 256'd0};
        4'd8: storage_row = {u_dst.gen_bank[8].u_flags.valid_q[place],
                             u_dst.gen_bank[8].u_flags.written_q[place]
                               ? u_dst.gen_bank[8].u_bank.words_q[place] : 256'd0};
        4'd9: storage_row = {u_dst.gen_bank[9].u_flags.valid_q[place],
                             u_dst.gen_bank[9].u_flags.written_q[place]
                               ? u_dst.gen_bank[9].u_bank.words_q[place] : 256'd0};
        4'd10: storage_row = {u_dst.gen_bank[10].u_flags.valid_q[place],
                             u_dst.gen_bank[10].u_flags.written_q[place]
                               ? u_dst.gen_bank[10].u_bank.words_q[place] : 256'd0};
        4'd11: storage_row = {u_dst.gen_bank[11].u_flags.valid_q[place],
                             u_dst.gen_bank[11].u_flags.written_q[place]
                               ? u_dst.gen_bank[11].u_bank.words_q[place] : 256'd0};
        4'd12: storage_row = {u_dst.gen_bank[12].u_flags.valid_q[place],
                             u_dst.gen_bank[12].u_flags.written_q[place]
                               ? u_dst.gen_bank[12].u_bank.words_q[place] : 256'd0};
        4'd13: storage_row = {u_dst.gen_bank[13].u_flags.valid_q[place],
                             u_dst.gen_bank[13].u_flags.written_q[place]
                               ? u_dst.gen_bank[13].u_bank.words_q[place] : 256'd0};
        4'd14: storage_row = {u_dst.gen_bank[14].u_flags.valid_q[place],
                             u_dst.gen_bank[14].u_flags.written_q[place]
                               ? u_dst.gen_bank[14].u_bank.words_q[place] : 256'd0};
        default: storage_row = {u_dst.gen_bank[15].u_flags.valid_q[place],
                             u_dst.gen_bank[15].u_flags.written_q[place]
                               ? u_dst.gen_bank[15].u_bank.words_q[place] : 256'd0};
      endcase
    end
  endfunction

  logic [256:0] state_row;
  logic [63:0] state_sum;

  always @(posedge flush_i) begin : state
    integer fd, other_fd;
    fd = tp_state_open(-1, "dst");
    other_fd = tp_state_open(-1, "dst_valid");
    for (int s = 0; s < 1024; s++) begin
      state_row = storage_row(10'(s));
      for (int c = 0; c < 16; c++) tp_state_put(fd, 32'(state_row[16*c+:16]));
      tp_state_put(other_fd, 32'(state_row[256]));
    end
    $fclose(fd);
    $fclose(other_fd);
    fd = tp_state_open(-1, "bins");
    other_fd = tp_state_open(-1, "maximum");
    for (int p = 0; p < 4; p++) begin
      for (int bin = 0; bin < 32; bin++) begin
        tp_state_put(fd, p < Packers ? 32'(u_dut.counts[256*p+8*bin+:8]) : 32'd0);
      end
      tp_state_put(other_fd, p < Packers ? 32'(u_dut.maximum[p]) : 32'd0);
    end
    $fclose(fd);
    $fclose(other_fd);
    fd = tp_state_open(-1, "l1_sum");
    state_sum = SumFactor * l1_sum;
    tp_state_put(fd, state_sum[31:0]);
    tp_state_put(fd, state_sum[63:32]);
    $fclose(fd);
  end
`endif

endmodule

`default_nettype wire
