// SPDX-License-Identifier: Apache-2.0
//
// The tile data path: front end, control, address counters, both unpackers, SrcA and SrcB, Dst, and
// the packers, each once. Outside are the three cores, L1, stream registers, and a Matrix Unit.
//
// Latency and handshakes: those of the blocks, whose contracts are in docs. Nothing is worked out
// here but whose turn a wait is (conditions of STALLWAIT, C17). Words for the vector unit and for XMOV
// go to nobody. Reset: everything empty and 0.
`default_nettype none

module datapath
  import unit_port_pkg::*;
  import unpack_pkg::l1_request_t;
  import unpack_pkg::l1_answer_t;
  import unpack_pkg::overlay_t;
  import unpack_pkg::src_write_t;
  import unpack_pkg::src_clear_t;
  import dst_pkg::dst_write_t;
  import pack_pkg::l1_write_t;
  import pack_pkg::l1_read_t;
  import pack_pkg::offset_write_t;
  import pack_pkg::setreg_base_t;
  import pack_pkg::histogram_data_t;
  import pack_pkg::histogram_command_t;
#(
  // front end
  parameter int FifoDepth         = 32,
  parameter int MDepth            = 8,
  parameter int RDepth            = 2,
  parameter int ReplayCount0      = 64,
  parameter int MopB2bFree        = 1,
  parameter int StaleGpr          = 0,
  // address counters, unpackers
  parameter int ZwW               = 8,
  parameter int NopEnc            = 0,
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int UnpacrNopZeroClears = 0,
  parameter int BurstDefaultThrottle = 0,
  parameter int SrcaRowHigh       = 1,
  parameter int SpareUnpacr       = 1,
  parameter int RowW              = 32,
  parameter int UpsampleZeros     = 32'h7310,
  parameter int Fp8E5m2Fill       = 1,
  // memories
  parameter int DstRemap          = 0,
  parameter int L1Lines           = 93696,
  // packers
  parameter int Packers           = 4,
  parameter int Mask0             = 1,
  parameter int MaxDatums         = 256,
  parameter int BhFields          = 0,
  parameter int Relative          = 1,
  parameter int YzwShr4           = 0,
  parameter int Ch1Offset18       = 0,
  parameter int CompressOvrd      = 1,
  parameter int TpgByIntf         = 0,
  parameter int TilePositionKept  = 0,
  parameter int R10Fp16           = 1,
  parameter int E4m3              = 1,
  parameter int ReluMaxCmp19      = 0,
  parameter int Fp16AccQuirk      = 1,
  parameter int SetregEnc         = 0,
  parameter int SetregSlots       = 2
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  // cores: instructions, MopCfg, mop_sync, one port a thread
  input  wire logic             push_valid_i [3],
  input  wire logic [31:0]      push_word_i [3],
  output wire logic             push_ready_o [3],
  input  wire logic             mopcfg_valid_i [3],
  input  wire logic [3:0]       mopcfg_index_i [3],
  input  wire logic [31:0]      mopcfg_data_i [3],
  input  wire logic             sync_req_i [3],
  output wire logic             sync_ack_o [3],
  output wire logic [24:0]      qstatus_o [3],
  // ... configuration and semaphores
  input  wire logic             risc_valid_i,
  input  wire logic             risc_write_i,
  input  wire logic [9:0]       risc_address_i,
  input  wire logic [31:0]      risc_data_i,
  output wire logic             risc_done_o,
  output wire logic [31:0]      risc_data_o,
  input  wire logic             risc_sem_valid_i,
  input  wire logic             risc_sem_write_i,
  input  wire logic [2:0]       risc_sem_index_i,
  input  wire logic             risc_sem_get_i,
  output wire logic             risc_sem_done_o,
  output wire logic [3:0]       risc_sem_data_o,
  // stream registers
  output wire logic [5:0]       wait_stream_o [3],
  input  wire logic [19:0]      wait_phase_i [3],
  input  wire logic [16:0]      wait_msgs_i [3],
  input  wire logic             stream_busy_i,
  output wire logic [5:0]       stream_o,
  output wire logic [9:0]       stream_register_o,
  input  wire logic [31:0]      stream_data_i,
  // the Matrix Unit: instructions, its port to SrcA, SrcB and Dst, what it looks at
  input  wire logic             math_ready_i,
  output wire logic             math_valid_o,
  output wire logic [1:0]       math_thread_o,
  output wire logic [31:0]      math_word_o,
  input  wire logic [2:0]       math_busy_i,
  output wire config_write_t    cfg_o,
  output wire setc16_t          setc16_o [3],
  output wire thread_store_t    store_o,
  input  wire matrix_command_t  matrix_i,
  input  wire matrix_write_t    matrix_write_i,
  output wire matrix_answer_t   matrix_answer_o,
  input  wire logic [1:0]       matrix_bank_i,
  output wire logic [3:0]       owner_o,
  output wire logic [15:0]      implied_o,
  output wire logic [1:0]       stale_o,
  output wire logic [1:0]       unpack_bank_o,
  output wire logic             pause_o,
  output wire logic [1:0]       unpack_zero_o,
  output wire logic [3:0]       pack_read_o,
  output wire logic             pack_wide_o,
  output wire logic [9:0]       pack_row_o [4],
  input  wire logic             hist_clear_i,
  // L1: the unpackers; the packers' lines, and the source of packer 0
  output wire l1_request_t      unpack_l1_o [2],
  input  wire l1_answer_t       unpack_answer_i [2],
  input  wire logic [3:0]       l1_ready_i,
  output wire l1_write_t        l1_write_o [8],
  output wire l1_read_t         l1_read_o [5],
  input  wire logic             l1_answer_valid_i [5],
  input  wire logic [1023:0]    l1_answer_data_i [5],
  // registers and streams that instructions write
  input  wire logic [19:0]      unpack_setreg_base_i [2],
  input  wire setreg_base_t     pack_setreg_base_i,
  input  wire offset_write_t    offset_i,
  output wire overlay_t         overlay_o [2],
  output wire setreg_write_t    unpack_setreg_o [2],
  output wire setreg_write_t    pack_setreg_o,
  // thread t waits for nothing here: no instruction of it is in a unit
  output wire logic [2:0]       idle_o,
  // a fault of any block
  output wire logic             fault_o
);

  // ---- what is for monitors
  wire logic unused_brisc_ready [3], unused_issue_illegal [3], unused_fault_mopcfg_race [3],
                 unused_fault_collision [3], unused_sticky_mopcfg_race [3],
                 unused_sticky_collision [3], unused_obs_fifo_empty [3], unused_obs_ingest [3],
                 unused_obs_mq [3], unused_obs_rq [3], unused_sticky_cfg_oob, unused_obs_rdcfg;
  wire logic [1:0] unused_obs_mop_state [3], unused_obs_replay_state [3],
                 unused_obs_latch_kind [3], unused_obs_rdcfg_thread, unused_obs_gpr_halves,
                 unused_obs_write_source;
  wire logic [5:0] unused_obs_rdcfg_gpr, unused_obs_gpr;
  wire logic [8:0] unused_obs_latch_block [3];
  wire logic [11:0] unused_obs_mutexes;
  wire logic [12:0] unused_obs_latch_what [3];
  wire logic [16:0] unused_acc [2];
  wire logic [19:0] unused_obs_latch_target [3];
  wire logic [31:0] unused_obs_ingest_word [3], unused_obs_mq_word [3], unused_obs_rq_word [3],
                 unused_view_data [3], unused_obs_rdcfg_data, unused_obs_gpr_data,
                 unused_obs_sem_value, unused_obs_sem_max;
  wire logic [60:0] unused_cr [18];

  // ---- front end and control
  wire logic issue_valid [3], issue_ready [3], illegal [3], adc_valid [3];
  wire logic [31:0] issue_word [3];
  wire logic unit_ready [6], unit_valid [6];
  wire logic [1:0] unit_thread [6];
  wire logic [31:0] unit_word [6];
  wire logic [12:0] conditions [3];
  wire logic [2:0] hold;
  wire logic flop_valid, flop_channel, flop_checkpoint;
  wire logic [1:0] flop_thread, flop_select, flop_counter;
  wire logic [17:0] flop_value;
  wire logic [10:0] control_fault [3];
  wire logic write, write_quad, flop, flop_bank, flop_quad, scalar_busy;
  wire logic [1:0] write_banks, scalar_thread;
  wire logic [7:0] write_index, flop_index;
  wire logic [127:0] write_data, flop_data;
  wire logic setc16_valid [3];
  wire logic [7:0] setc16_index [3];
  wire logic [15:0] setc16_data [3];
  wire logic thread_write;
  wire logic [1:0] stored_thread;
  wire logic [6:0] stored_index;
  wire logic [6:0] config_pipe;
  wire logic latched [3];
  wire logic brisc_valid [3];
  wire logic [31:0] brisc_word [3];
  wire logic [1:0] view_thread [3];
  wire logic [8:0] view_index [3];
  wire logic [2:0] cores_fault;

  for (genvar t = 0; t < 3; t++) begin : gen_unused
    assign brisc_valid[t] = 1'b0;
    assign brisc_word[t] = 32'd0;
    assign view_thread[t] = 2'd0;
    assign view_index[t] = 9'd0;
  end

  frontend #(
    .FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth), .ReplayCount0(ReplayCount0),
    .MopB2bFree(MopB2bFree)
  ) u_frontend (
    .clk_i, .rst_ni, .push_valid_i, .push_word_i, .push_ready_o, .cfg_valid_i(mopcfg_valid_i),
    .cfg_index_i(mopcfg_index_i), .cfg_data_i(mopcfg_data_i), .sync_req_i, .sync_ack_o,
    .brisc_valid_i(brisc_valid), .brisc_word_i(brisc_word), .brisc_ready_o(unused_brisc_ready),
    .issue_valid_o(issue_valid), .issue_word_o(issue_word), .issue_illegal_o(unused_issue_illegal),
    .issue_ready_i(issue_ready), .sfpu_cc_i(1'b0), .qstatus_o, .fault_illegal_o(illegal),
    .fault_mopcfg_race_o(unused_fault_mopcfg_race), .fault_collision_o(unused_fault_collision), .sticky_mopcfg_race_o(unused_sticky_mopcfg_race), .sticky_collision_o(unused_sticky_collision),
    .obs_fifo_empty_o(unused_obs_fifo_empty), .obs_ingest_o(unused_obs_ingest), .obs_ingest_word_o(unused_obs_ingest_word), .obs_mq_o(unused_obs_mq), .obs_mq_word_o(unused_obs_mq_word),
    .obs_rq_o(unused_obs_rq), .obs_rq_word_o(unused_obs_rq_word), .obs_mop_state_o(unused_obs_mop_state), .obs_replay_state_o(unused_obs_replay_state)
  );

  control #(.StaleGpr(StaleGpr)) u_control (
    .clk_i, .rst_ni, .issue_valid_i(issue_valid), .issue_word_i(issue_word),
    .issue_ready_o(issue_ready), .unit_ready_i(unit_ready), .unit_valid_o(unit_valid),
    .unit_thread_o(unit_thread), .unit_word_o(unit_word), .adc_valid_o(adc_valid),
    .flop_adc_valid_o(flop_valid), .flop_adc_thread_o(flop_thread),
    .flop_adc_select_o(flop_select), .flop_adc_channel_o(flop_channel),
    .flop_adc_counter_o(flop_counter), .flop_adc_checkpoint_o(flop_checkpoint),
    .flop_adc_value_o(flop_value), .busy_i(conditions), .hold_i(hold),
    .risc_valid_i, .risc_write_i, .risc_address_i, .risc_data_i, .risc_done_o, .risc_data_o,
    .risc_sem_valid_i, .risc_sem_write_i, .risc_sem_index_i, .risc_sem_get_i, .risc_sem_done_o,
    .risc_sem_data_o, .wait_stream_o, .wait_phase_i, .wait_msgs_i, .stream_busy_i, .stream_o,
    .stream_register_o, .stream_data_i, .view_thread_i(view_thread), .view_index_i(view_index),
    .view_data_o(unused_view_data), .fault_o(control_fault), .risc_fault_cfg_oob_o(cores_fault[0]),
    .risc_fault_state_reset_o(cores_fault[1]), .risc_sem_lost_o(cores_fault[2]), .sticky_cfg_oob_o(unused_sticky_cfg_oob),
    .obs_latch_valid_o(latched), .obs_latch_kind_o(unused_obs_latch_kind), .obs_latch_block_o(unused_obs_latch_block), .obs_latch_what_o(unused_obs_latch_what),
    .obs_latch_target_o(unused_obs_latch_target), .obs_setc16_o(setc16_valid), .obs_setc16_index_o(setc16_index),
    .obs_setc16_data_o(setc16_data), .obs_rdcfg_o(unused_obs_rdcfg), .obs_rdcfg_thread_o(unused_obs_rdcfg_thread), .obs_rdcfg_gpr_o(unused_obs_rdcfg_gpr),
    .obs_rdcfg_data_o(unused_obs_rdcfg_data), .obs_gpr_halves_o(unused_obs_gpr_halves), .obs_gpr_o(unused_obs_gpr), .obs_gpr_data_o(unused_obs_gpr_data),
    .obs_write_o(write), .obs_write_source_o(unused_obs_write_source), .obs_write_banks_o(write_banks),
    .obs_write_index_o(write_index), .obs_write_quad_o(write_quad), .obs_write_data_o(write_data),
    .obs_flop_o(flop), .obs_flop_bank_o(flop_bank), .obs_flop_index_o(flop_index),
    .obs_flop_quad_o(flop_quad), .obs_flop_data_o(flop_data), .obs_thread_write_o(thread_write),
    .obs_thread_write_thread_o(stored_thread), .obs_thread_write_index_o(stored_index), .obs_sem_value_o(unused_obs_sem_value),
    .obs_sem_max_o(unused_obs_sem_max), .obs_mutexes_o(unused_obs_mutexes), .obs_config_pipe_o(config_pipe),
    .obs_scalar_busy_o(scalar_busy), .obs_scalar_thread_o(scalar_thread)
  );

  // ---- writes of the configuration, which the units follow
  wire config_write_t cfg = {write, write_banks, write_quad, write_index, write_data};
  wire config_write_t flopped = {flop, flop_bank, !flop_bank, flop_quad, flop_index, flop_data};

  assign cfg_o = cfg;  // REG2FLOP writes no word of the Matrix Unit's
  assign store_o = {thread_write, stored_thread, stored_index, risc_data_i[15:0]};
  for (genvar t = 0; t < 3; t++) begin : gen_setc16
    /* verilator lint_off UNUSEDSIGNAL */  // a write has an index below 68
    wire logic [7:0] index = setc16_index[t];
    /* verilator lint_on UNUSEDSIGNAL */

    assign setc16_o[t] = {setc16_valid[t], index[6:0], setc16_data[t]};
  end

  // ---- address counters
  wire logic [60:0] live [18], pack_live [6];
  wire logic unpack_valid, unpack_unpacker, pack_valid;
  wire logic [1:0] unpack_thread, unpack_adc, unpack_y0, unpack_z0, unpack_y1, unpack_z1;
  wire logic [2:0] pack_sets;
  wire logic [15:0] pack_addr_mod;
  wire logic adc_illegal [3], x_override [3], empty [3];
  wire logic [2:0] adc_fault;
  wire logic [8:0] conflict;

  for (genvar i = 0; i < 6; i++) begin : gen_live
    assign pack_live[i] = live[6*(i/2)+4+i%2];
  end

  adc #(.ZwW(ZwW)) u_adc (
    .clk_i, .rst_ni, .issue_valid_i(adc_valid), .issue_word_i(issue_word),
    .unpack_valid_i(unpack_valid), .unpack_unpacker_i(unpack_unpacker),
    .unpack_thread_i(unpack_thread), .unpack_adc_i(unpack_adc), .unpack_y0_i(unpack_y0),
    .unpack_z0_i(unpack_z0), .unpack_y1_i(unpack_y1), .unpack_z1_i(unpack_z1),
    .pack_valid_i(pack_valid), .pack_sets_i(pack_sets), .pack_addr_mod_i(pack_addr_mod),
    .flop_valid_i(flop_valid), .flop_thread_i(flop_thread), .flop_select_i(flop_select),
    .flop_channel_i(flop_channel), .flop_counter_i(flop_counter),
    .flop_checkpoint_i(flop_checkpoint), .flop_value_i(flop_value), .live_o(live), .cr_o(unused_cr),
    .fault_illegal_o(adc_illegal), .fault_x_override_o(x_override), .fault_empty_o(empty),
    .fault_unpack_thread_o(adc_fault[0]), .fault_flop_thread_o(adc_fault[1]),
    .fault_flop_select_o(adc_fault[2]), .conflict_o(conflict)
  );

  // ---- unpackers
  wire logic unpack_issue [2];
  wire logic [1:0] issue_thread [2];
  wire logic [31:0] unpack_word [2];
  wire logic [1:0] unpack_ready, src_bank, flip [2], theirs [2], unsigned_fault;
  wire logic [3:0] flip_format [2];
  wire logic src_valid [2], clear_valid [2], dst_valid;
  wire src_write_t src_write [2];
  wire src_clear_t clear [2];
  wire dst_write_t dst_write;
  wire logic [5:0] unpack_busy;
  wire logic [31:0] unpack_fault [2];  // valid highest
  wire logic [4:0] read_fault [2];
  wire logic [7:0] write_fault [2];

  for (genvar u = 0; u < 2; u++) begin : gen_issue
    assign unpack_issue[u] = unit_valid[u];
    assign issue_thread[u] = unit_thread[u];
    assign unpack_word[u] = unit_word[u];
    assign unit_ready[u] = unpack_ready[u];
  end

  unpackers #(
    .ZwW(ZwW), .NopEnc(NopEnc), .ZerosrcNeginfSrcb(ZerosrcNeginfSrcb),
    .UnpacrNopZeroClears(UnpacrNopZeroClears), .BurstDefaultThrottle(BurstDefaultThrottle),
    .SrcaRowHigh(SrcaRowHigh), .SpareUnpacr(SpareUnpacr), .RowW(RowW),
    .UpsampleZeros(UpsampleZeros), .Fp8E5m2Fill(Fp8E5m2Fill), .DstRemap(DstRemap),
    .L1Lines(L1Lines)
  ) u_unpackers (
    .clk_i, .rst_ni, .cfg_i(cfg), .flop_i(flopped), .setc16_i(setc16_o), .store_i(store_o),
    .issue_valid_i(unpack_issue),
    .issue_thread_i(issue_thread), .issue_word_i(unpack_word), .ready_o(unpack_ready),
    .hold_o(hold), .live_i(live), .unpack_valid_o(unpack_valid),
    .unpack_unpacker_o(unpack_unpacker), .unpack_thread_o(unpack_thread),
    .unpack_adc_o(unpack_adc), .unpack_y0_o(unpack_y0), .unpack_z0_o(unpack_z0),
    .unpack_y1_o(unpack_y1), .unpack_z1_o(unpack_z1), .theirs_i(theirs),
    .matrix_banks_i(matrix_bank_i), .matrix_zero_i(matrix_i.clear != 4'd0), .flip_o(flip),
    .flip_format_o(flip_format), .clears_o(unpack_zero_o), .src_bank_o(src_bank),
    .src_write_valid_o(src_valid), .src_write_o(src_write), .clear_valid_o(clear_valid),
    .clear_o(clear), .dst_write_valid_o(dst_valid), .dst_write_o(dst_write),
    .setreg_base0_i(unpack_setreg_base_i[0]), .setreg_base1_i(unpack_setreg_base_i[1]),
    .l1_o(unpack_l1_o), .l1_answer_i(unpack_answer_i), .overlay_o, .setreg_o(unpack_setreg_o),
    .acc_o(unused_acc), .busy_o(unpack_busy), .fault_o(unpack_fault), .read_fault_o(read_fault),
    .write_fault_o(write_fault), .unsigned_fault_o(unsigned_fault)
  );

  // ---- SrcA, SrcB, Dst
  wire logic [303:0] a, b;
  wire logic [511:0] row;
  wire logic row_valid, stale_read, race;
  wire logic lane_valid [4], lane_grant [4], lane_row_valid [4];
  wire logic [9:0] lane_row [4];
  wire logic lane_wide;
  wire logic [255:0] lane_high [4], lane_low [4];

  assign matrix_answer_o = {a, b, row, row_valid};
  assign unpack_bank_o = src_bank;

  src_files u_src (
    .clk_i, .rst_ni, .write_valid_i(src_valid), .write_i(src_write), .clear_valid_i(clear_valid),
    .clear_i(clear), .flip_i(flip), .flip_format_i(flip_format), .dst_valid_i(dst_valid),
    .dst_bank_i(dst_write.bank), .theirs_o(theirs), .matrix_i, .write_row_i(matrix_write_i),
    .a_o(a), .b_o(b), .owner_o, .implied_o, .stale_o, .stale_read_o(stale_read)
  );

  dst_shared u_dst (
    .clk_i, .rst_ni, .block_valid_i(dst_valid), .block_i(dst_write), .matrix_i,
    .write_i(matrix_write_i), .row_o(row), .row_valid_o(row_valid), .pause_o,
    .read_valid_i(lane_valid), .read_row_i(lane_row), .read_wide_i(lane_wide),
    .read_grant_o(lane_grant), .read_high_o(lane_high), .read_low_o(lane_low),
    .read_row_valid_o(lane_row_valid), .race_o(race)
  );

  // ---- packers
  wire logic [11:0] pack_busy;
  /* verilator lint_off UNUSEDSIGNAL */  // but valid, the highest bit
  wire logic [34:0] pack_fault;
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic [6:0] run_fault [4];
  wire logic [2:0] pack_unit_fault;
  /* verilator lint_off UNUSEDSIGNAL */  // no core reads histograms here
  wire histogram_data_t histogram;
  /* verilator lint_on UNUSEDSIGNAL */
  wire histogram_command_t hist = {hist_clear_i, 1'b1, 6'd0};

  assign pack_wide_o = lane_wide;
  assign pack_row_o = lane_row;
  for (genvar l = 0; l < 4; l++) begin : gen_lane
    assign pack_read_o[l] = lane_grant[l];
  end

  pack #(
    .Packers(Packers), .Mask0(Mask0), .MaxDatums(MaxDatums), .BhFields(BhFields),
    .Relative(Relative), .YzwShr4(YzwShr4), .Ch1Offset18(Ch1Offset18),
    .CompressOvrd(CompressOvrd), .TpgByIntf(TpgByIntf), .TilePositionKept(TilePositionKept),
    .R10Fp16(R10Fp16), .E4m3(E4m3), .ReluMaxCmp19(ReluMaxCmp19), .Fp16AccQuirk(Fp16AccQuirk),
    .SetregEnc(SetregEnc), .SetregSlots(SetregSlots), .DstRemap(DstRemap), .L1Lines(L1Lines)
  ) u_pack (
    .clk_i, .rst_ni, .cfg_i(cfg), .flop_i(flopped), .setc16_i(setc16_o), .store_i(store_o),
    .issue_valid_i(unit_valid[2]),
    .issue_thread_i(unit_thread[2]), .issue_word_i(unit_word[2]), .ready_o(unit_ready[2]),
    .live_i(pack_live), .adc_valid_o(pack_valid), .adc_sets_o(pack_sets),
    .adc_addr_mod_o(pack_addr_mod), .offset_i, .hist_i(hist), .hist_o(histogram),
    .setreg_base_i(pack_setreg_base_i), .dst_valid_o(lane_valid), .dst_row_o(lane_row),
    .dst_wide_o(lane_wide), .dst_grant_i(lane_grant), .dst_high_i(lane_high),
    .dst_low_i(lane_low), .dst_row_valid_i(lane_row_valid), .dst_race_i(race), .l1_ready_i,
    .write_o(l1_write_o), .read_o(l1_read_o), .answer_valid_i(l1_answer_valid_i),
    .answer_data_i(l1_answer_data_i), .setreg_o(pack_setreg_o), .fault_o(pack_fault),
    .run_fault_o(run_fault), .unit_fault_o(pack_unit_fault), .busy_o(pack_busy)
  );

  // ---- the Matrix Unit; the vector unit and XMOV, which are not there
  assign unit_ready[3] = math_ready_i;
  assign unit_ready[4] = 1'b1;
  assign unit_ready[5] = 1'b1;
  assign math_valid_o = unit_valid[3];
  assign math_thread_o = unit_thread[3];
  assign math_word_o = unit_word[3];

  // ---- what STALLWAIT and the gates look at, by thread (C17); bits 10 and 12 are control's own
  wire logic [1:0] filled = {owner_o[{1'b1, src_bank[1]}], owner_o[{1'b0, src_bank[0]}]};
  wire logic [1:0] missing = {!owner_o[{1'b1, matrix_bank_i[1]}], !owner_o[{1'b0, matrix_bank_i[0]}]};

  for (genvar t = 0; t < 3; t++) begin : gen_conditions
    wire logic scalar = scalar_busy && scalar_thread == 2'(t);
    wire logic packing = pack_busy[4*t+:4] != 4'd0;

    assign conditions[t] = {4'd0, missing, filled, math_busy_i[t], packing, unpack_busy[2*t+1],
                            unpack_busy[2*t], scalar};
    assign idle_o[t] = !(issue_valid[t] || latched[t] || config_pipe != 7'd0 || math_busy_i[t]
                         || packing || unpack_busy[2*t+:2] != 2'd0 || scalar);
  end

  // ---- faults
  wire logic [2:0] thread_fault;
  wire logic [1:0] unpacker_fault;
  wire logic [3:0] packer_fault;

  for (genvar t = 0; t < 3; t++) begin : gen_fault
    assign thread_fault[t]
      = |{illegal[t], control_fault[t], adc_illegal[t], x_override[t], empty[t]};
  end
  for (genvar u = 0; u < 2; u++) begin : gen_unpack_fault
    /* verilator lint_off UNUSEDSIGNAL */  // but valid, the highest bit
    wire logic [31:0] loaded = unpack_fault[u];
    /* verilator lint_on UNUSEDSIGNAL */

    assign unpacker_fault[u] = |{loaded[31], read_fault[u], write_fault[u]};
  end
  for (genvar p = 0; p < 4; p++) begin : gen_pack_fault
    assign packer_fault[p] = |run_fault[p];
  end
  // reductions, since these become trees; a chain of || makes this the design's longest path
  assign fault_o = |{thread_fault, cores_fault, adc_fault, conflict, unpacker_fault,
                     unsigned_fault, stale_read, pack_fault[34], packer_fault, pack_unit_fault,
                     unit_valid[4], unit_valid[5]};

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (write && flop && write_index >= 8'd64 && write_index < 8'd180)
      $fatal(1, "datapath: REG2FLOP and the config unit write words 64 to 179 in one cycle");
  end
`endif

endmodule

`default_nettype wire
