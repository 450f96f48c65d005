// SPDX-License-Identifier: Apache-2.0
//
// The control block with its recorders, with the players of all its ports but the issue ports, which
// lead out, with stubs of the six units and a memory of stream registers. tb/control/streams.py
// describes the players, of which the modules control_play_* are made, control_bench.taps what is
// recorded. count_o and sem_value_o are what control_hold needs.
`timescale 1ns / 1ps
`default_nettype none

module control_bench
  import tilepath_isa_pkg::*;
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

  wire logic unit_ready [6], unit_valid [6], unit_entry [6], issue_offer [3];
  wire logic [2:0] unit_busy [6], hold;
  wire logic [1:0] unit_thread [6], entry_thread [6];
  wire logic [31:0] unit_word [6];
  wire logic [8:0] entry_index [6];
  wire logic [12:0] busy [3];
  wire logic stream_busy;
  wire logic risc_valid, risc_offer, risc_done, sem_valid, sem_offer, sem_done;
  wire logic [5:0] wait_stream [3], stream;
  wire logic [9:0] stream_register;
  wire logic [19:0] wait_phase [3];
  wire logic [16:0] wait_msgs [3];
  wire logic [1:0] view_thread [3];
  wire logic [8:0] view_index [3];

  control #(.StaleGpr(StaleGpr)) u_dut (
    .clk_i, .rst_ni, .issue_valid_i(issue_valid_i), .issue_word_i(issue_word_i),
    .issue_ready_o(issue_ready_o), .unit_ready_i(unit_ready), .unit_valid_o(unit_valid),
    .unit_thread_o(unit_thread), .unit_word_o(unit_word), .busy_i(busy), .hold_i(hold),
    .risc_valid_i(risc_valid), .risc_write_i(risc_write), .risc_address_i(risc_address),
    .risc_data_i(risc_data), .risc_done_o(risc_done), .risc_sem_valid_i(sem_valid),
    .risc_sem_write_i(sem_write), .risc_sem_index_i(sem_index), .risc_sem_get_i(sem_get),
    .risc_sem_done_o(sem_done), .wait_stream_o(wait_stream), .wait_phase_i(wait_phase),
    .wait_msgs_i(wait_msgs), .stream_busy_i(stream_busy), .stream_o(stream),
    .stream_register_o(stream_register), .stream_data_i(stream_q[{stream, stream_register}]),
    .view_thread_i(view_thread), .view_index_i(view_index), .obs_sem_value_o(sem_value_o),
    // read by name, where it is recorded
    .adc_valid_o(), .flop_adc_valid_o(), .flop_adc_thread_o(), .flop_adc_select_o(),
    .flop_adc_channel_o(), .flop_adc_counter_o(), .flop_adc_checkpoint_o(), .flop_adc_value_o(),
    .risc_data_o(), .risc_sem_data_o(), .view_data_o(), .fault_o(), .risc_fault_cfg_oob_o(),
    .risc_fault_state_reset_o(), .risc_sem_lost_o(), .sticky_cfg_oob_o(), .obs_latch_valid_o(),
    .obs_latch_kind_o(), .obs_latch_block_o(), .obs_latch_what_o(), .obs_latch_target_o(),
    .obs_setc16_o(), .obs_setc16_index_o(), .obs_setc16_data_o(), .obs_rdcfg_o(),
    .obs_rdcfg_thread_o(), .obs_rdcfg_gpr_o(), .obs_rdcfg_data_o(), .obs_gpr_halves_o(),
    .obs_gpr_o(), .obs_gpr_data_o(), .obs_write_o(), .obs_write_source_o(), .obs_write_banks_o(),
    .obs_write_index_o(), .obs_write_quad_o(), .obs_write_data_o(), .obs_flop_o(),
    .obs_flop_bank_o(), .obs_flop_index_o(), .obs_flop_quad_o(), .obs_flop_data_o(),
    .obs_thread_write_o(), .obs_thread_write_thread_o(), .obs_thread_write_index_o(),
    .obs_sem_max_o(), .obs_mutexes_o(), .obs_config_pipe_o(), .obs_scalar_busy_o(),
    .obs_scalar_thread_o()
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

  // ---- first cycles of what is offered at the issue ports
  for (genvar t = 0; t < 3; t++) begin : gen_offer
    logic held_q;

    always @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) held_q <= 1'b0;
      else held_q <= issue_valid_i[t] && !issue_ready_o[t];
    end
    assign issue_offer[t] = issue_valid_i[t] && !held_q;
  end

`include "control_bench_taps.svh"

endmodule

`default_nettype wire
