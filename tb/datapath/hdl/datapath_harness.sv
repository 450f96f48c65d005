// SPDX-License-Identifier: Apache-2.0
//
// The joined design's bench with clock, reset and recorders: each block's own recorder modules, at
// the block's own ports inside of the design. Nothing of it asks for a port of the RTL.
`timescale 1ns / 1ps
`default_nettype none

module datapath_harness;
  import tilepath_isa_pkg::*;
  import unit_port_pkg::*;
  import standin_counters_pkg::rwc_t;
  import unpack_pkg::fault_t;
  import unpack_write_pkg::obs_write_t;
  import unpack_write_pkg::obs_clear_t;
  import tp_state_pkg::*;

  logic clk, rst_n, flush;
  // what Python touches: tb/kernel/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  datapath_bench u_bench (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush)
  );

  // ---- cores and L1
  datapath_rec_l1_write u_rec_l1_write (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .valid_i(u_bench.l1_valid), .line_i(u_bench.l1_line), .data_i(u_bench.l1_data)
  );
  datapath_l1_recorders u_l1_recorders (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .write_valid_i(u_bench.u_l1.write_valid_i), .write_line_i(u_bench.u_l1.write_line_i),
    .write_data_i(u_bench.u_l1.write_data_i), .request_i(u_bench.u_l1.request_i),
    .read_valid_i(u_bench.u_l1.read_valid_i), .read_line_i(u_bench.u_l1.read_line_i),
    .read_count_i(u_bench.u_l1.read_count_i),
    .unpack_answer_i(u_bench.u_dut.u_unpackers.l1_answer_i),
    .answer_valid_i(u_bench.u_dut.u_pack.answer_valid_i),
    .answer_data_i(u_bench.u_dut.u_pack.answer_data_i)
  );
  datapath_rec_l1_latency u_rec_l1_latency (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush), .cycles_i(u_bench.latency)
  );
  datapath_rec_raised u_rec_raised (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush), .valid_i(u_bench.fault)
  );
  // records of it are the model's alone: where a block got something else than was given
  datapath_rec_connection u_rec_connection (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush), .valid_i(1'b0),
    .where_i(8'd0), .got_i(32'd0), .want_i(32'd0)
  );

  // ---- first cycles of what stays until it is accepted
  wire logic push_offer [3], push_accept [3], sync_offer [3];
  logic risc_held_q, sem_held_q;
  wire logic risc_offer = u_bench.u_dut.u_control.risc_valid_i && !risc_held_q;
  wire logic sem_offer = u_bench.u_dut.u_control.risc_sem_valid_i && !sem_held_q;
  wire logic [5:0] unit_ready = {u_bench.u_dut.u_control.unit_ready_i[5], u_bench.u_dut.u_control.unit_ready_i[4],
                                 u_bench.u_dut.u_control.unit_ready_i[3], u_bench.u_dut.u_control.unit_ready_i[2],
                                 u_bench.u_dut.u_control.unit_ready_i[1], u_bench.u_dut.u_control.unit_ready_i[0]};

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      risc_held_q <= 1'b0; sem_held_q <= 1'b0;
    end else begin
      risc_held_q <= u_bench.u_dut.u_control.risc_valid_i && !u_bench.u_dut.u_control.risc_done_o;
      sem_held_q <= u_bench.u_dut.u_control.risc_sem_valid_i && !u_bench.u_dut.u_control.risc_sem_done_o;
    end
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    logic push_held_q, sync_held_q;

    assign push_offer[t] = u_bench.u_dut.u_frontend.push_valid_i[t] && !push_held_q;
    assign push_accept[t] = u_bench.u_dut.u_frontend.push_valid_i[t] && u_bench.u_dut.u_frontend.push_ready_o[t];
    assign sync_offer[t] = u_bench.u_dut.u_frontend.sync_req_i[t] && !sync_held_q;
    always @(posedge clk or negedge rst_n) begin
      if (!rst_n) begin
        push_held_q <= 1'b0; sync_held_q <= 1'b0;
      end else begin
        push_held_q <= u_bench.u_dut.u_frontend.push_valid_i[t] && !u_bench.u_dut.u_frontend.push_ready_o[t];
        sync_held_q <= u_bench.u_dut.u_frontend.sync_req_i[t] && !u_bench.u_dut.u_frontend.sync_ack_o[t];
      end
    end

    datapath_rec_item #(.Index(t)) u_rec_item (
      .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
      .valid_i(u_bench.item_first[t]), .op_i(u_bench.op[t]), .index_i(u_bench.index[t]),
      .value_i(u_bench.value[t])
    );
    datapath_rec_item_done #(.Index(t)) u_rec_item_done (
      .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
      .valid_i(u_bench.item_done[t])
    );
  end

  // ---- inside of the unpackers; commands of the Matrix Unit
  wire matrix_command_t matrix; assign matrix = u_bench.u_dut.u_src.matrix_i;
  wire logic matrix_valid = {matrix.read, matrix.give_back, matrix.clear, matrix.zero} != '0;
  wire logic [9:0] pack_row [4];  // 0 of packers that do not read, whose rows may be X
  for (genvar p = 0; p < 4; p++) begin : gen_row
    assign pack_row[p] = u_bench.u_math.pack_read_i[p] ? u_bench.u_math.pack_row_i[p] : 10'd0;
  end

  wire logic [2:0] unit_fault = {u_bench.u_dut.u_src.stale_read_o, u_bench.u_dut.u_unpackers.unsigned_fault_o};
  wire logic [44:0] pointers [2];
  wire logic write_valid [2];
  wire obs_write_t write [2];
  wire obs_clear_t clear [2];
  wire fault_t unpack_fault [2];

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    assign unpack_fault[u] = u_bench.u_dut.u_unpackers.fault_o[u];
    assign write_valid[u] = u_bench.u_dut.u_unpackers.gen_unpacker[u].u_write.obs_write_valid;
    assign write[u] = u_bench.u_dut.u_unpackers.gen_unpacker[u].u_write.obs_write;
    assign clear[u] = {u_bench.u_dut.u_src.gen_src[u].u_src.clear_q, u_bench.u_dut.u_src.gen_src[u].u_src.clear_value_q};
    assign pointers[u] = {
      u_bench.u_dut.u_unpackers.gen_unpacker[u].u_fetch.acc_o,
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[2],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[1],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[0],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[2],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[1],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[0],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_bank_q
    };
  end

  // ---- the blocks' recorders
  frontend_recorders u_frontend (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .sfpu_cc_i(1'b0), .push_offer_i(push_offer),
    .push_word_i(u_bench.u_dut.u_frontend.push_word_i), .push_accept_i(push_accept),
    .cfg_valid_i(u_bench.u_dut.u_frontend.cfg_valid_i),
    .cfg_index_i(u_bench.u_dut.u_frontend.cfg_index_i),
    .cfg_data_i(u_bench.u_dut.u_frontend.cfg_data_i), .sync_offer_i(sync_offer),
    .sync_ack_i(u_bench.u_dut.u_frontend.sync_ack_o),
    .brisc_offer_i(u_bench.u_dut.u_frontend.brisc_valid_i),
    .brisc_word_i(u_bench.u_dut.u_frontend.brisc_word_i),
    .brisc_accept_i(u_bench.u_dut.u_frontend.brisc_valid_i),
    .issue_valid_i(u_bench.u_dut.u_frontend.issue_valid_o),
    .issue_word_i(u_bench.u_dut.u_frontend.issue_word_o),
    .issue_illegal_i(u_bench.u_dut.u_frontend.issue_illegal_o),
    .issue_ready_i(u_bench.u_dut.u_frontend.issue_ready_i),
    .qstatus_i(u_bench.u_dut.u_frontend.qstatus_o),
    .fault_illegal_i(u_bench.u_dut.u_frontend.fault_illegal_o),
    .fault_mopcfg_race_i(u_bench.u_dut.u_frontend.fault_mopcfg_race_o),
    .fault_collision_i(u_bench.u_dut.u_frontend.fault_collision_o),
    .sticky_mopcfg_race_i(u_bench.u_dut.u_frontend.sticky_mopcfg_race_o),
    .sticky_collision_i(u_bench.u_dut.u_frontend.sticky_collision_o),
    .ingest_i(u_bench.u_dut.u_frontend.obs_ingest_o),
    .ingest_word_i(u_bench.u_dut.u_frontend.obs_ingest_word_o),
    .mq_i(u_bench.u_dut.u_frontend.obs_mq_o), .mq_word_i(u_bench.u_dut.u_frontend.obs_mq_word_o),
    .rq_i(u_bench.u_dut.u_frontend.obs_rq_o), .rq_word_i(u_bench.u_dut.u_frontend.obs_rq_word_o),
    .mop_state_i(u_bench.u_dut.u_frontend.obs_mop_state_o),
    .replay_state_i(u_bench.u_dut.u_frontend.obs_replay_state_o)
  );
  control_recorders u_control_recorders (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .unit_ready_i(unit_ready), .busy_i(u_bench.u_dut.u_control.busy_i),
    .hold_i(u_bench.u_dut.u_control.hold_i),
    .stream_busy_i(u_bench.stream_busy), .stream_write_i(u_bench.stream_write),
    .written_stream_i(u_bench.written[15:10]), .written_register_i(u_bench.written[9:0]),
    .written_data_i(u_bench.risc_value),
    .risc_offer_i(risc_offer), .risc_write_i(u_bench.u_dut.u_control.risc_write_i),
    .risc_address_i(u_bench.u_dut.u_control.risc_address_i),
    .risc_data_i(u_bench.u_dut.u_control.risc_data_i),
    .risc_done_i(u_bench.u_dut.u_control.risc_done_o),
    .risc_read_i(u_bench.u_dut.u_control.risc_data_o), .sem_offer_i(sem_offer),
    .sem_write_i(u_bench.u_dut.u_control.risc_sem_write_i),
    .sem_index_i(u_bench.u_dut.u_control.risc_sem_index_i),
    .sem_get_i(u_bench.u_dut.u_control.risc_sem_get_i),
    .sem_done_i(u_bench.u_dut.u_control.risc_sem_done_o),
    .sem_read_i(u_bench.u_dut.u_control.risc_sem_data_o),
    .issue_valid_i(u_bench.u_dut.u_control.issue_valid_i),
    .issue_word_i(u_bench.u_dut.u_control.issue_word_i),
    .issue_ready_i(u_bench.u_dut.u_control.issue_ready_o),
    .unit_valid_i(u_bench.u_dut.u_control.unit_valid_o),
    .unit_thread_i(u_bench.u_dut.u_control.unit_thread_o),
    .unit_word_i(u_bench.u_dut.u_control.unit_word_o),
    .adc_valid_i(u_bench.u_dut.u_control.adc_valid_o),
    .flop_adc_i(u_bench.u_dut.u_control.flop_adc_valid_o),
    .flop_adc_thread_i(u_bench.u_dut.u_control.flop_adc_thread_o),
    .flop_adc_select_i(u_bench.u_dut.u_control.flop_adc_select_o),
    .flop_adc_channel_i(u_bench.u_dut.u_control.flop_adc_channel_o),
    .flop_adc_counter_i(u_bench.u_dut.u_control.flop_adc_counter_o),
    .flop_adc_checkpoint_i(u_bench.u_dut.u_control.flop_adc_checkpoint_o),
    .flop_adc_value_i(u_bench.u_dut.u_control.flop_adc_value_o),
    .fault_i(u_bench.u_dut.u_control.fault_o),
    .risc_oob_i(u_bench.u_dut.u_control.risc_fault_cfg_oob_o),
    .risc_state_reset_i(u_bench.u_dut.u_control.risc_fault_state_reset_o),
    .risc_sem_lost_i(u_bench.u_dut.u_control.risc_sem_lost_o),
    .sticky_oob_i(u_bench.u_dut.u_control.sticky_cfg_oob_o),
    .latch_valid_i(u_bench.u_dut.u_control.obs_latch_valid_o),
    .latch_kind_i(u_bench.u_dut.u_control.obs_latch_kind_o),
    .latch_block_i(u_bench.u_dut.u_control.obs_latch_block_o),
    .latch_what_i(u_bench.u_dut.u_control.obs_latch_what_o),
    .latch_target_i(u_bench.u_dut.u_control.obs_latch_target_o),
    .setc16_i(u_bench.u_dut.u_control.obs_setc16_o),
    .setc16_index_i(u_bench.u_dut.u_control.obs_setc16_index_o),
    .setc16_data_i(u_bench.u_dut.u_control.obs_setc16_data_o),
    .rdcfg_i(u_bench.u_dut.u_control.obs_rdcfg_o),
    .rdcfg_thread_i(u_bench.u_dut.u_control.obs_rdcfg_thread_o),
    .rdcfg_gpr_i(u_bench.u_dut.u_control.obs_rdcfg_gpr_o),
    .rdcfg_data_i(u_bench.u_dut.u_control.obs_rdcfg_data_o),
    .gpr_halves_i(u_bench.u_dut.u_control.obs_gpr_halves_o),
    .gpr_i(u_bench.u_dut.u_control.obs_gpr_o),
    .gpr_data_i(u_bench.u_dut.u_control.obs_gpr_data_o),
    .write_i(u_bench.u_dut.u_control.obs_write_o),
    .write_source_i(u_bench.u_dut.u_control.obs_write_source_o),
    .write_banks_i(u_bench.u_dut.u_control.obs_write_banks_o),
    .write_index_i(u_bench.u_dut.u_control.obs_write_index_o),
    .write_quad_i(u_bench.u_dut.u_control.obs_write_quad_o),
    .write_data_i(u_bench.u_dut.u_control.obs_write_data_o),
    .flop_i(u_bench.u_dut.u_control.obs_flop_o),
    .flop_bank_i(u_bench.u_dut.u_control.obs_flop_bank_o),
    .flop_index_i(u_bench.u_dut.u_control.obs_flop_index_o),
    .flop_quad_i(u_bench.u_dut.u_control.obs_flop_quad_o),
    .flop_data_i(u_bench.u_dut.u_control.obs_flop_data_o),
    .thread_write_i(u_bench.u_dut.u_control.obs_thread_write_o),
    .thread_write_thread_i(u_bench.u_dut.u_control.obs_thread_write_thread_o),
    .thread_write_index_i(u_bench.u_dut.u_control.obs_thread_write_index_o),
    .sem_value_i(u_bench.u_dut.u_control.obs_sem_value_o),
    .sem_max_i(u_bench.u_dut.u_control.obs_sem_max_o),
    .mutexes_i(u_bench.u_dut.u_control.obs_mutexes_o),
    .config_pipe_i(u_bench.u_dut.u_control.obs_config_pipe_o),
    .scalar_busy_i(u_bench.u_dut.u_control.obs_scalar_busy_o),
    .scalar_thread_i(u_bench.u_dut.u_control.obs_scalar_thread_o)
  );
  adc_recorders u_adc (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .issue_valid_i(u_bench.u_dut.u_adc.issue_valid_i),
    .issue_word_i(u_bench.u_dut.u_adc.issue_word_i),
    .unpack_valid_i(u_bench.u_dut.u_adc.unpack_valid_i),
    .unpack_unpacker_i(u_bench.u_dut.u_adc.unpack_unpacker_i),
    .unpack_thread_i(u_bench.u_dut.u_adc.unpack_thread_i),
    .unpack_adc_i(u_bench.u_dut.u_adc.unpack_adc_i),
    .unpack_y0_i(u_bench.u_dut.u_adc.unpack_y0_i), .unpack_z0_i(u_bench.u_dut.u_adc.unpack_z0_i),
    .unpack_y1_i(u_bench.u_dut.u_adc.unpack_y1_i), .unpack_z1_i(u_bench.u_dut.u_adc.unpack_z1_i),
    .pack_valid_i(u_bench.u_dut.u_adc.pack_valid_i),
    .pack_sets_i(u_bench.u_dut.u_adc.pack_sets_i),
    .pack_addr_mod_i(u_bench.u_dut.u_adc.pack_addr_mod_i),
    .flop_valid_i(u_bench.u_dut.u_adc.flop_valid_i),
    .flop_thread_i(u_bench.u_dut.u_adc.flop_thread_i),
    .flop_select_i(u_bench.u_dut.u_adc.flop_select_i),
    .flop_channel_i(u_bench.u_dut.u_adc.flop_channel_i),
    .flop_counter_i(u_bench.u_dut.u_adc.flop_counter_i),
    .flop_checkpoint_i(u_bench.u_dut.u_adc.flop_checkpoint_i),
    .flop_value_i(u_bench.u_dut.u_adc.flop_value_i), .live_i(u_bench.u_dut.u_adc.live_o),
    .cr_i(u_bench.u_dut.u_adc.cr_o), .fault_illegal_i(u_bench.u_dut.u_adc.fault_illegal_o),
    .fault_x_override_i(u_bench.u_dut.u_adc.fault_x_override_o),
    .fault_empty_i(u_bench.u_dut.u_adc.fault_empty_o),
    .fault_unpack_thread_i(u_bench.u_dut.u_adc.fault_unpack_thread_o),
    .fault_flop_thread_i(u_bench.u_dut.u_adc.fault_flop_thread_o),
    .fault_flop_select_i(u_bench.u_dut.u_adc.fault_flop_select_o),
    .conflict_i(u_bench.u_dut.u_adc.conflict_o)
  );
  unpack_port_recorders u_unpack (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .cfg_i(u_bench.u_dut.u_unpackers.cfg_i), .flop_i(u_bench.u_dut.u_unpackers.flop_i),
    .setc16_i(u_bench.u_dut.u_unpackers.setc16_i), .store_i(u_bench.u_dut.u_unpackers.store_i),
    .matrix_valid_i(matrix_valid), .matrix_i(matrix),
    .matrix_write_i(u_bench.u_dut.u_src.write_row_i),
    .matrix_banks_i(u_bench.u_dut.u_unpackers.matrix_banks_i),
    .answer_i(u_bench.u_dut.matrix_answer_o), .base0_i(u_bench.setreg_base[0]),
    .base1_i(u_bench.setreg_base[1]),
    .ready_i(u_bench.u_dut.u_unpackers.ready_o), .hold_i(u_bench.u_dut.u_unpackers.hold_o),
    .owner_i(u_bench.u_dut.u_src.owner_o), .busy_i(u_bench.u_dut.u_unpackers.busy_o),
    .unit_fault_i(unit_fault), .pause_i(u_bench.u_dut.u_dst.pause_o),
    .stale_i(u_bench.u_dut.u_src.stale_o), .implied_i(u_bench.u_dut.u_src.implied_o),
    .issue_valid_i(u_bench.u_dut.u_unpackers.issue_valid_i),
    .issue_thread_i(u_bench.u_dut.u_unpackers.issue_thread_i),
    .issue_word_i(u_bench.u_dut.u_unpackers.issue_word_i), .pointers_i(pointers),
    .l1_i(u_bench.u_dut.u_unpackers.l1_o), .write_valid_i(write_valid), .write_i(write),
    .clear_i(clear), .overlay_i(u_bench.u_dut.u_unpackers.overlay_o),
    .setreg_i(u_bench.u_dut.u_unpackers.setreg_o), .fault_i(unpack_fault),
    .read_fault_i(u_bench.u_dut.u_unpackers.read_fault_o),
    .write_fault_i(u_bench.u_dut.u_unpackers.write_fault_o)
  );
  standin_recorders_in u_standin_in (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .issue_valid_i(u_bench.u_math.issue_valid_i), .issue_thread_i(u_bench.u_math.issue_thread_i),
    .issue_word_i(u_bench.u_math.issue_word_i), .cfg_i(u_bench.u_math.cfg_i),
    .setc16_i(u_bench.u_math.setc16_i), .store_i(u_bench.u_math.store_i),
    .owner_i(u_bench.u_math.owner_i),
    .implied_i(u_bench.u_math.implied_i), .stale_i(u_bench.u_math.stale_i),
    .unpack_bank_i(u_bench.u_math.unpack_bank_i), .pause_i(u_bench.u_math.pause_i),
    .unpack_zero_valid_i(u_bench.u_math.unpack_zero_i != 2'd0),
    .unpack_zero_i(u_bench.u_math.unpack_zero_i),
    .pack_read_valid_i(u_bench.u_math.pack_read_i != 4'd0),
    .pack_read_i(u_bench.u_math.pack_read_i), .pack_wide_i(u_bench.u_math.pack_wide_i),
    .pack_row_i(pack_row), .read_i(matrix.read),
    .answer_i(u_bench.u_math.answer_i)
  );
  standin_recorders u_standin_out (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .ready_i(u_bench.u_math.ready_o), .busy_i(u_bench.u_math.busy_o),
    .matrix_valid_i(u_bench.u_math.matrix_valid_o), .matrix_i(u_bench.u_math.matrix_o),
    .write_i(u_bench.u_math.write_o), .matrix_bank_i(u_bench.u_math.matrix_bank_o),
    .hist_clear_i(u_bench.u_math.hist_clear_o), .rwc_i(u_bench.u_math.rwc_o),
    .fault_thread_i(u_bench.u_math.fault_thread_o), .fault_word_i(u_bench.u_math.fault_word_o),
    .fault_i(u_bench.u_math.fault_o)
  );
  pack_recorders_in u_pack_in (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .cfg_i(u_bench.u_dut.u_pack.cfg_i), .flop_i(u_bench.u_dut.u_pack.flop_i),
    .setc16_i(u_bench.u_dut.u_pack.setc16_i), .store_i(u_bench.u_dut.u_pack.store_i),
    .issue_valid_i(u_bench.u_dut.u_pack.issue_valid_i),
    .issue_thread_i(u_bench.u_dut.u_pack.issue_thread_i),
    .issue_word_i(u_bench.u_dut.u_pack.issue_word_i), .offset_i(u_bench.u_dut.u_pack.offset_i),
    .hist_i(u_bench.u_dut.u_pack.hist_i), .setreg_base_i(u_bench.u_dut.u_pack.setreg_base_i),
    .l1_ready_i(u_bench.u_dut.u_pack.l1_ready_i)
  );
  pack_recorders_out u_pack_out (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .ready_i(u_bench.u_dut.u_pack.ready_o), .busy_i(u_bench.u_dut.u_pack.busy_o),
    .row_grant_i(u_bench.u_dut.u_pack.dst_grant_i), .row_row_i(u_bench.u_dut.u_pack.dst_row_o),
    .row_wide_i(u_bench.u_dut.u_pack.dst_wide_o),
    .write_i(u_bench.u_dut.u_pack.write_o), .read_i(u_bench.u_dut.u_pack.read_o),
    .setreg_i(u_bench.u_dut.u_pack.setreg_o), .hist_i(u_bench.u_dut.u_pack.hist_o),
    .fault_i(u_bench.u_dut.u_pack.fault_o), .run_fault_i(u_bench.u_dut.u_pack.run_fault_o),
    .unit_fault_i(u_bench.u_dut.u_pack.unit_fault_o)
  );

`ifndef TP_NO_RECORD
  // ---- architectural state; where the RTL notes what was written, anything else is 0
  for (genvar t = 0; t < 3; t++) begin : gen_state
    always @(posedge flush) begin : state
      integer fd, other_fd;
      fd = tp_state_open(t, "mop_cfg");
      for (int i = 0; i < 9; i++)
        tp_state_put(fd, u_bench.u_dut.u_frontend.gen_thread[t].u_thread.u_mop.cfg_q[i]);
      $fclose(fd);
      fd = tp_state_open(t, "mask_hi");
      tp_state_put(fd, 32'(u_bench.u_dut.u_frontend.gen_thread[t].u_thread.u_mop.mask_hi_q));
      $fclose(fd);
      fd = tp_state_open(t, "replay_buffer");
      for (int i = 0; i < 32; i++)
        tp_state_put(fd, u_bench.u_dut.u_frontend.gen_thread[t].u_thread.u_replay.buffer_q[i]);
      $fclose(fd);
      fd = tp_state_open(t, "thread_config");
      for (int i = 0; i < THD_WORDS; i++)
        tp_state_put(fd, u_bench.u_dut.u_control.gen_thread[t].u_thread_config.written_q[i]
                         ? 32'(u_bench.u_dut.u_control.gen_thread[t].u_thread_config.store_q[i]) : 32'd0);
      $fclose(fd);
      fd = tp_state_open(t, "live");
      other_fd = tp_state_open(t, "checkpoint");
      for (int i = 6 * t; i < 6 * t + 6; i++) begin
        tp_state_put(fd, 32'(u_bench.u_dut.live[i][17:0]));
        tp_state_put(fd, 32'(u_bench.u_dut.live[i][31:19]));
        tp_state_put(fd, 32'(u_bench.u_dut.live[i][45:33]));
        tp_state_put(fd, 32'(u_bench.u_dut.live[i][59:47]));
        tp_state_put(other_fd, 32'(u_bench.u_dut.unused_cr[i][17:0]));
        tp_state_put(other_fd, 32'(u_bench.u_dut.unused_cr[i][31:19]));
        tp_state_put(other_fd, 32'(u_bench.u_dut.unused_cr[i][45:33]));
        tp_state_put(other_fd, 32'(u_bench.u_dut.unused_cr[i][59:47]));
      end
      $fclose(fd); $fclose(other_fd);
    end
  end

  always @(posedge flush) begin : state
    integer fd;
    fd = tp_state_open(-1, "config");
    for (int bank = 0; bank < 2; bank++) begin
      for (int i = 0; i < CFG_WORDS; i++) begin : word
        int place;
        place = bank != 0 || i >= CFG_GLOBAL_BASE ? i + CFG_GLOBAL_BASE : i;
        tp_state_put(fd, u_bench.u_dut.u_control.u_store.written_q[place]
                         ? u_bench.u_dut.u_control.u_store.store_q[place] : 32'd0);
      end
    end
    $fclose(fd);
    fd = tp_state_open(-1, "gpr");
    for (int i = 0; i < 192; i++)
      tp_state_put(fd, {u_bench.u_dut.u_control.u_gprs.high_q[i] ? u_bench.u_dut.u_control.u_gprs.store_q[i][31:16] : 16'd0,
                        u_bench.u_dut.u_control.u_gprs.low_q[i] ? u_bench.u_dut.u_control.u_gprs.store_q[i][15:0] : 16'd0});
    $fclose(fd);
    fd = tp_state_open(-1, "semaphores");
    for (int i = 0; i < 8; i++) begin
      tp_state_put(fd, 32'(u_bench.u_dut.u_control.obs_sem_value_o[4*i+:4]));
      tp_state_put(fd, 32'(u_bench.u_dut.u_control.obs_sem_max_o[4*i+:4]));
    end
    $fclose(fd);
    fd = tp_state_open(-1, "mutexes");  // the thread that holds it, or -1
    for (int i = 0; i < 4; i++)
      tp_state_put(fd, u_bench.u_dut.u_control.obs_mutexes_o[3*i] ? 32'(u_bench.u_dut.u_control.obs_mutexes_o[3*i+1+:2])
                                                      : 32'hFFFF_FFFF);
    $fclose(fd);
    fd = tp_state_open(-1, "src_owner");
    for (int b = 0; b < 4; b++) tp_state_put(fd, 32'(u_bench.u_dut.owner_o[b])); $fclose(fd);
    fd = tp_state_open(-1, "src_bank");
    for (int u = 0; u < 2; u++) tp_state_put(fd, 32'(u_bench.u_dut.src_bank[u])); $fclose(fd);
    fd = tp_state_open(-1, "matrix_bank");
    for (int f = 0; f < 2; f++) tp_state_put(fd, 32'(u_bench.matrix_bank[f])); $fclose(fd);
    fd = tp_state_open(-1, "l1_sum");
    for (int i = 0; i < 1536; i++) tp_state_put(fd, u_bench.u_l1.sum_q[i]); $fclose(fd);
  end

  always @(posedge flush) begin : rows
    integer fd; rwc_t own;
    fd = tp_state_open(-1, "rwc");
    for (int t = 0; t < 3; t++) begin
      own = u_bench.rwc[t];
      tp_state_put(fd, 32'(own.a)); tp_state_put(fd, 32'(own.a_cr));
      tp_state_put(fd, 32'(own.b)); tp_state_put(fd, 32'(own.b_cr));
      tp_state_put(fd, 32'(own.d)); tp_state_put(fd, 32'(own.d_cr));
      tp_state_put(fd, 32'(own.phase)); tp_state_put(fd, 32'(own.bias));
    end
    $fclose(fd);
  end
`endif

endmodule

`default_nettype wire
