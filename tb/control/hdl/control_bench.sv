// SPDX-License-Identifier: Apache-2.0
//
// The control block with its recorders, with the players of all its ports but the issue ports, which
// lead out, with stubs of the six units and a memory of stream registers. tb/control/streams.py
// describes players and streams; the modules control_rec_* and control_play_* are made from that
// description. count_o and sem_value_o are what control_hold needs.
`timescale 1ns / 1ps
`default_nettype none

module control_bench
  import tilepath_isa_pkg::*;
  import control_fault_pkg::*;
  import tp_state_pkg::*;
  import tp_profile_pkg::*;
(
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:0] cycle_i,
  input  wire logic        flush_i,
  input  wire logic        issue_valid_i [3],
  input  wire logic [31:0] issue_word_i [3],
  output wire logic        issue_ready_o [3],
  output wire logic [15:0] count_o [6],
  output wire logic [31:0] sem_value_o
);

  wire logic adc_valid [3];
  wire logic unit_ready [6], unit_valid [6], unit_entry [6];
  wire logic [2:0] unit_busy [6], hold;
  wire logic [1:0] unit_thread [6], entry_thread [6];
  wire logic [31:0] unit_word [6];
  wire logic [8:0] entry_index [6];
  wire logic [12:0] busy [3];
  wire logic stream_busy;
  wire logic risc_valid, risc_offer, risc_done, sem_valid, sem_offer, sem_done;
  wire logic [31:0] risc_read;
  wire logic [3:0] sem_read;
  wire logic [5:0] wait_stream [3], stream;
  wire logic [9:0] stream_register;
  wire logic [19:0] wait_phase [3];
  wire logic [16:0] wait_msgs [3];
  wire logic [1:0] view_thread [3];
  wire logic [8:0] view_index [3];
  wire logic [31:0] view_data [3];
  wire logic [FaultWidth-1:0] fault [3];
  wire logic risc_oob, risc_state_reset, risc_sem_lost, sticky_oob;
  wire logic flop_adc, flop_adc_channel, flop_adc_checkpoint;
  wire logic [1:0] flop_adc_thread, flop_adc_select, flop_adc_counter;
  wire logic [17:0] flop_adc_value;
  wire logic latch_valid [3], setc16 [3];
  wire logic [1:0] latch_kind [3];
  wire logic [8:0] latch_block [3];
  wire logic [12:0] latch_what [3];
  wire logic [19:0] latch_target [3];
  wire logic [7:0] setc16_index [3];
  wire logic [15:0] setc16_data [3];
  wire logic rdcfg, write, write_quad, flop, flop_bank, flop_quad, thread_write, scalar_busy;
  wire logic [1:0] rdcfg_thread, gpr_halves, write_source, write_banks, thread_write_thread;
  wire logic [1:0] scalar_thread;
  wire logic [5:0] rdcfg_gpr, gpr;
  wire logic [31:0] rdcfg_data, gpr_data, sem_max;
  wire logic [7:0] write_index, flop_index;
  wire logic [127:0] write_data, flop_data;
  wire logic [6:0] thread_write_index, config_pipe;
  wire logic [11:0] mutexes;

  control #(.StaleGpr(StaleGpr)) u_dut (
    .clk_i, .rst_ni,
    .issue_valid_i(issue_valid_i), .issue_word_i(issue_word_i), .issue_ready_o(issue_ready_o),
    .unit_ready_i(unit_ready), .unit_valid_o(unit_valid), .unit_thread_o(unit_thread),
    .unit_word_o(unit_word),
    .adc_valid_o(adc_valid),
    .flop_adc_valid_o(flop_adc), .flop_adc_thread_o(flop_adc_thread),
    .flop_adc_select_o(flop_adc_select), .flop_adc_channel_o(flop_adc_channel),
    .flop_adc_counter_o(flop_adc_counter), .flop_adc_checkpoint_o(flop_adc_checkpoint),
    .flop_adc_value_o(flop_adc_value),
    .busy_i(busy), .hold_i(hold),
    .risc_valid_i(risc_valid), .risc_write_i(risc_write), .risc_address_i(risc_address),
    .risc_data_i(risc_data), .risc_done_o(risc_done), .risc_data_o(risc_read),
    .risc_sem_valid_i(sem_valid), .risc_sem_write_i(sem_write),
    .risc_sem_index_i(sem_index), .risc_sem_get_i(sem_get),
    .risc_sem_done_o(sem_done), .risc_sem_data_o(sem_read),
    .wait_stream_o(wait_stream), .wait_phase_i(wait_phase), .wait_msgs_i(wait_msgs),
    .stream_busy_i(stream_busy), .stream_o(stream), .stream_register_o(stream_register),
    .stream_data_i(stream_q[{stream, stream_register}]),
    .view_thread_i(view_thread), .view_index_i(view_index), .view_data_o(view_data),
    .fault_o(fault), .risc_fault_cfg_oob_o(risc_oob),
    .risc_fault_state_reset_o(risc_state_reset), .risc_sem_lost_o(risc_sem_lost),
    .sticky_cfg_oob_o(sticky_oob),
    .obs_latch_valid_o(latch_valid), .obs_latch_kind_o(latch_kind),
    .obs_latch_block_o(latch_block), .obs_latch_what_o(latch_what),
    .obs_latch_target_o(latch_target),
    .obs_setc16_o(setc16), .obs_setc16_index_o(setc16_index), .obs_setc16_data_o(setc16_data),
    .obs_rdcfg_o(rdcfg), .obs_rdcfg_thread_o(rdcfg_thread), .obs_rdcfg_gpr_o(rdcfg_gpr),
    .obs_rdcfg_data_o(rdcfg_data),
    .obs_gpr_halves_o(gpr_halves), .obs_gpr_o(gpr), .obs_gpr_data_o(gpr_data),
    .obs_write_o(write), .obs_write_source_o(write_source), .obs_write_banks_o(write_banks),
    .obs_write_index_o(write_index), .obs_write_quad_o(write_quad),
    .obs_write_data_o(write_data),
    .obs_flop_o(flop), .obs_flop_bank_o(flop_bank), .obs_flop_index_o(flop_index),
    .obs_flop_quad_o(flop_quad), .obs_flop_data_o(flop_data),
    .obs_thread_write_o(thread_write), .obs_thread_write_thread_o(thread_write_thread),
    .obs_thread_write_index_o(thread_write_index),
    .obs_sem_value_o(sem_value_o), .obs_sem_max_o(sem_max), .obs_mutexes_o(mutexes),
    .obs_config_pipe_o(config_pipe),
    .obs_scalar_busy_o(scalar_busy), .obs_scalar_thread_o(scalar_thread)
  );

  // ---- what an item can wait for: issued words of the threads, accesses done
  wire logic [5:0] happened = {sem_done, risc_done, issue_ready_o[2], issue_ready_o[1],
                               issue_ready_o[0], 1'b0};

  for (genvar i = 0; i < 6; i++) begin : gen_count
    logic [15:0] count_q;

    always @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else if (happened[i] && count_q != '1) count_q <= count_q + 16'd1;
    end
    assign count_o[i] = count_q;
  end

  // ---- the cores' ports
  wire logic risc_play, risc_write, sem_play, sem_write, sem_get;
  wire logic [9:0] risc_address;
  wire logic [31:0] risc_data;
  wire logic [2:0] sem_index;
  wire logic [15:0] risc_after_count, sem_after_count, stream_after_count;
  wire logic [2:0] risc_after_source, sem_after_source, stream_after_source;
  wire logic [2:0] risc_after_sem, sem_after_sem, stream_after_sem;
  wire logic [3:0] risc_after_limit, sem_after_limit, stream_after_limit;

  control_play_risc u_play_risc (
    .clk_i, .rst_ni, .flush_i, .done_i(risc_done), .valid_o(risc_play),
    .write_o(risc_write), .address_o(risc_address), .data_o(risc_data),
    .after_count_o(risc_after_count), .after_source_o(risc_after_source),
    .after_semaphore_o(risc_after_sem), .after_limit_o(risc_after_limit)
  );
  control_hold u_hold_risc (
    .clk_i, .rst_ni, .valid_i(risc_play), .source_i(risc_after_source),
    .after_i(risc_after_count), .semaphore_i(risc_after_sem), .limit_i(risc_after_limit),
    .done_i(risc_done), .count_i(count_o), .sem_value_i(sem_value_o),
    .offered_o(risc_valid), .first_o(risc_offer)
  );
  control_play_risc_sem u_play_risc_sem (
    .clk_i, .rst_ni, .flush_i, .done_i(sem_done), .valid_o(sem_play),
    .write_o(sem_write), .index_o(sem_index), .get_o(sem_get),
    .after_count_o(sem_after_count), .after_source_o(sem_after_source),
    .after_semaphore_o(sem_after_sem), .after_limit_o(sem_after_limit)
  );
  control_hold u_hold_risc_sem (
    .clk_i, .rst_ni, .valid_i(sem_play), .source_i(sem_after_source),
    .after_i(sem_after_count), .semaphore_i(sem_after_sem), .limit_i(sem_after_limit),
    .done_i(sem_done), .count_i(count_o), .sem_value_i(sem_value_o),
    .offered_o(sem_valid), .first_o(sem_offer)
  );

  // ---- stream registers, 1024 of each of 64 streams
  logic [31:0] stream_q [65536];
  wire logic stream_play, stream_write;
  wire logic [5:0] written_stream;
  wire logic [9:0] written_register;
  wire logic [31:0] written_data;

  initial for (int i = 0; i < 65536; i++) stream_q[i] = '0;

  control_play_stream u_play_stream (
    .clk_i, .rst_ni, .flush_i, .done_i(stream_write), .valid_o(stream_play),
    .stream_o(written_stream), .register_o(written_register), .data_o(written_data),
    .after_count_o(stream_after_count), .after_source_o(stream_after_source),
    .after_semaphore_o(stream_after_sem), .after_limit_o(stream_after_limit)
  );
  control_hold u_hold_stream (
    .clk_i, .rst_ni, .valid_i(stream_play), .source_i(stream_after_source),
    .after_i(stream_after_count), .semaphore_i(stream_after_sem), .limit_i(stream_after_limit),
    .done_i(1'b1), .count_i(count_o), .sem_value_i(sem_value_o),
    .offered_o(), .first_o(stream_write)
  );
  always @(posedge clk_i) begin
    if (rst_ni && stream_write) stream_q[{written_stream, written_register}] <= written_data;
  end

  for (genvar t = 0; t < 3; t++) begin : gen_stream
    assign wait_phase[t] = stream_q[{wait_stream[t], 10'd29}][19:0];
    assign wait_msgs[t] = stream_q[{wait_stream[t], 10'd259}][16:0];
  end

  // ---- units and conditions
  wire logic [12:0] forced [3];
  wire logic [5:0] stall;
  wire logic [4:0] work [6];

  control_play_conditions u_play_conditions (
    .clk_i, .rst_ni, .flush_i, .busy0_o(forced[0]), .busy1_o(forced[1]), .busy2_o(forced[2]),
    .hold_o(hold), .stream_busy_o(stream_busy), .stall_o(stall)
  );
  control_play_work u_play_work (
    .clk_i, .rst_ni, .flush_i, .unpack0_o(work[0]), .unpack1_o(work[1]), .pack_o(work[2]),
    .math_o(work[3]), .sfpu_o(work[4]), .xmov_o(work[5])
  );

  for (genvar u = 0; u < 6; u++) begin : gen_unit
    control_unit_stub u_stub (
      .clk_i, .rst_ni, .stall_i(stall[u]), .work_i(work[u]),
      .ready_o(unit_ready[u]), .busy_o(unit_busy[u]),
      .valid_i(unit_valid[u]), .thread_i(unit_thread[u]), .word_i(unit_word[u]),
      .entry_o(unit_entry[u]), .thread_o(entry_thread[u]), .index_o(entry_index[u])
    );
  end
  for (genvar v = 0; v < 3; v++) begin : gen_view
    assign view_thread[v] = entry_thread[v];
    assign view_index[v] = entry_index[v];
  end

  // SFPU 11, XMOV 9, MATH 4, PACK 3, UNPACK1 2, UNPACK0 1; bits 10 and 12 are the block's own
  for (genvar t = 0; t < 3; t++) begin : gen_busy
    wire logic [12:0] own = forced[t];
    wire logic [12:0] units = {1'b0, unit_busy[4][t], 1'b0, unit_busy[5][t], 4'd0, unit_busy[3][t],
                               unit_busy[2][t], unit_busy[1][t], unit_busy[0][t], 1'b0};

    assign busy[t] = (own | units) & 13'h0BFF;
  end

  // ---- recorders
  control_recorders u_recorders (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .unit_ready_i({unit_ready[5], unit_ready[4], unit_ready[3], unit_ready[2], unit_ready[1],
                   unit_ready[0]}),
    .busy_i(busy), .hold_i(hold), .stream_busy_i(stream_busy), .stream_write_i(stream_write),
    .written_stream_i(written_stream), .written_register_i(written_register),
    .written_data_i(written_data), .risc_offer_i(risc_offer), .risc_write_i(risc_write),
    .risc_address_i(risc_address), .risc_data_i(risc_data), .risc_done_i(risc_done),
    .risc_read_i(risc_read), .sem_offer_i(sem_offer), .sem_write_i(sem_write),
    .sem_index_i(sem_index), .sem_get_i(sem_get), .sem_done_i(sem_done), .sem_read_i(sem_read),
    .issue_valid_i(issue_valid_i), .issue_word_i(issue_word_i), .issue_ready_i(issue_ready_o),
    .unit_valid_i(unit_valid), .unit_thread_i(unit_thread), .unit_word_i(unit_word),
    .adc_valid_i(adc_valid), .flop_adc_i(flop_adc), .flop_adc_thread_i(flop_adc_thread),
    .flop_adc_select_i(flop_adc_select), .flop_adc_channel_i(flop_adc_channel),
    .flop_adc_counter_i(flop_adc_counter), .flop_adc_checkpoint_i(flop_adc_checkpoint),
    .flop_adc_value_i(flop_adc_value), .fault_i(fault), .risc_oob_i(risc_oob),
    .risc_state_reset_i(risc_state_reset), .risc_sem_lost_i(risc_sem_lost), .sticky_oob_i(sticky_oob), .latch_valid_i(latch_valid),
    .latch_kind_i(latch_kind), .latch_block_i(latch_block), .latch_what_i(latch_what),
    .latch_target_i(latch_target), .setc16_i(setc16), .setc16_index_i(setc16_index),
    .setc16_data_i(setc16_data), .rdcfg_i(rdcfg), .rdcfg_thread_i(rdcfg_thread),
    .rdcfg_gpr_i(rdcfg_gpr), .rdcfg_data_i(rdcfg_data), .gpr_halves_i(gpr_halves), .gpr_i(gpr),
    .gpr_data_i(gpr_data), .write_i(write), .write_source_i(write_source),
    .write_banks_i(write_banks), .write_index_i(write_index), .write_quad_i(write_quad),
    .write_data_i(write_data), .flop_i(flop), .flop_bank_i(flop_bank), .flop_index_i(flop_index),
    .flop_quad_i(flop_quad), .flop_data_i(flop_data), .thread_write_i(thread_write),
    .thread_write_thread_i(thread_write_thread), .thread_write_index_i(thread_write_index),
    .sem_value_i(sem_value_o), .sem_max_i(sem_max), .mutexes_i(mutexes),
    .config_pipe_i(config_pipe), .scalar_busy_i(scalar_busy), .scalar_thread_i(scalar_thread)
  );
  control_rec_view_unpack0 u_rec_view_unpack0 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_entry[0]), .thread_i(view_thread[0]), .index_i(view_index[0]),
    .data_i(view_data[0])
  );
  control_rec_view_unpack1 u_rec_view_unpack1 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_entry[1]), .thread_i(view_thread[1]), .index_i(view_index[1]),
    .data_i(view_data[1])
  );
  control_rec_view_pack u_rec_view_pack (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_entry[2]), .thread_i(view_thread[2]), .index_i(view_index[2]),
    .data_i(view_data[2])
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
`ifndef TP_NO_RECORD
    always @(posedge flush_i) begin : state
      integer fd;
      fd = tp_state_open(t, "thread_config");
      for (int i = 0; i < THD_WORDS; i++) begin
        tp_state_put(fd, u_dut.gen_thread[t].u_thread_config.written_q[i]
                         ? 32'(u_dut.gen_thread[t].u_thread_config.store_q[i]) : 32'd0);
      end
      $fclose(fd);
    end
`endif
  end

`ifndef TP_NO_RECORD
  // ---- architectural state; where the RTL notes what was written, anything else is 0
  always @(posedge flush_i) begin : state
    integer fd;
    fd = tp_state_open(-1, "config");
    for (int bank = 0; bank < 2; bank++) begin
      for (int i = 0; i < CFG_WORDS; i++) begin : word
        int place;
        place = bank != 0 || i >= CFG_GLOBAL_BASE ? i + CFG_GLOBAL_BASE : i;
        tp_state_put(fd, u_dut.u_store.written_q[place] ? u_dut.u_store.store_q[place] : 32'd0);
      end
    end
    $fclose(fd);
    fd = tp_state_open(-1, "gpr");
    for (int i = 0; i < 192; i++) begin
      tp_state_put(fd, {u_dut.u_gprs.high_q[i] ? u_dut.u_gprs.store_q[i][31:16] : 16'd0,
                        u_dut.u_gprs.low_q[i] ? u_dut.u_gprs.store_q[i][15:0] : 16'd0});
    end
    $fclose(fd);
    fd = tp_state_open(-1, "semaphores");
    for (int i = 0; i < 8; i++) begin
      tp_state_put(fd, 32'(sem_value_o[4*i+:4]));
      tp_state_put(fd, 32'(sem_max[4*i+:4]));
    end
    $fclose(fd);
    fd = tp_state_open(-1, "mutexes");  // the thread that holds it, or -1
    for (int i = 0; i < 4; i++)
      tp_state_put(fd, mutexes[3*i] ? 32'(mutexes[3*i+1+:2]) : 32'hFFFF_FFFF);
    $fclose(fd);
  end
`endif

endmodule

`default_nettype wire
