// SPDX-License-Identifier: Apache-2.0
//
// The front end with its recorders and with the players of all its ports but the issue ports, which
// lead out: to the gate players of frontend_harness, or to another block. tb/frontend/streams.py
// describes the players, of which the modules frontend_play_* are made, frontend_bench.taps what is
// recorded.
`timescale 1ns / 1ps
`default_nettype none

module frontend_bench
  import tp_profile_pkg::*;
(
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic [31:0] cycle_i,
  input  wire logic        flush_i,
  output wire logic        issue_valid_o [3],
  output wire logic [31:0] issue_word_o [3],
  input  wire logic        issue_ready_i [3]
);

  wire logic push_valid [3], push_ready [3], cfg_valid [3], sync_req [3], sync_ack [3];
  wire logic brisc_valid [3], brisc_ready [3];
  wire logic push_offer [3], push_accept [3], sync_offer [3], brisc_offer [3], brisc_accept [3];
  wire logic fifo_empty [3];
  wire logic [31:0] push_word [3], cfg_data [3], brisc_word [3];
  wire logic [3:0] cfg_index [3];
  wire logic [1:0] mop_state [3];
  wire logic sfpu_cc;

  frontend #(
    .FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth),
    .ReplayCount0(ReplayCount0), .MopB2bFree(MopB2bFree)
  ) u_dut (
    .clk_i, .rst_ni,
    .push_valid_i(push_valid), .push_word_i(push_word), .push_ready_o(push_ready),
    .cfg_valid_i(cfg_valid), .cfg_index_i(cfg_index), .cfg_data_i(cfg_data),
    .sync_req_i(sync_req), .sync_ack_o(sync_ack),
    .brisc_valid_i(brisc_valid), .brisc_word_i(brisc_word), .brisc_ready_o(brisc_ready),
    .issue_valid_o, .issue_word_o, .issue_ready_i, .sfpu_cc_i(sfpu_cc),
    .obs_fifo_empty_o(fifo_empty), .obs_mop_state_o(mop_state),
    // read by name, where it is recorded
    .issue_illegal_o(), .qstatus_o(), .fault_illegal_o(), .fault_mopcfg_race_o(),
    .fault_collision_o(), .sticky_mopcfg_race_o(), .sticky_collision_o(), .obs_ingest_o(),
    .obs_ingest_word_o(), .obs_mq_o(), .obs_mq_word_o(), .obs_rq_o(), .obs_rq_word_o(),
    .obs_replay_state_o()
  );

  frontend_play_sfpu_cc u_play_sfpu_cc (
    .clk_i, .rst_ni, .flush_i, .busy_o(sfpu_cc)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire logic core_valid, core_done, core_push, core_mopcfg, core_sync, core_background;
    wire logic brisc_play, brisc_safe, brisc_clear;
    logic brisc_pending_q;

    // ---- players
    frontend_play_core #(.Index(t)) u_play_core (
      .clk_i, .rst_ni, .flush_i, .done_i(core_done), .valid_o(core_valid),
      .push_o(core_push), .mopcfg_o(core_mopcfg), .sync_o(core_sync),
      .background_o(core_background), .index_o(cfg_index[t]), .word_o(push_word[t]),
      .data_o(cfg_data[t])
    );

    frontend_core u_core (
      .clk_i, .rst_ni,
      .valid_i(core_valid), .push_i(core_push), .mopcfg_i(core_mopcfg), .sync_i(core_sync),
      .background_i(core_background), .done_o(core_done),
      .push_valid_o(push_valid[t]), .push_offer_o(push_offer[t]), .push_ready_i(push_ready[t]),
      .cfg_valid_o(cfg_valid[t]),
      .sync_req_o(sync_req[t]), .sync_offer_o(sync_offer[t]), .sync_ack_i(sync_ack[t])
    );

    frontend_play_brisc #(.Index(t)) u_play_brisc (
      .clk_i, .rst_ni, .flush_i, .done_i(brisc_valid[t] && brisc_ready[t]),
      .valid_o(brisc_play), .safe_o(brisc_safe), .word_o(brisc_word[t])
    );
    // a safe item reaches the port only in a cycle in which nothing can collide (F18)
    assign brisc_clear = fifo_empty[t] && mop_state[t] == 2'd0 && brisc_ready[t];
    assign brisc_valid[t] = brisc_play && (brisc_clear || !brisc_safe);

    assign push_accept[t] = push_valid[t] && push_ready[t];
    assign brisc_accept[t] = brisc_valid[t] && brisc_ready[t];
    assign brisc_offer[t] = brisc_valid[t] && !brisc_pending_q;
    always @(posedge clk_i) brisc_pending_q <= rst_ni && brisc_valid[t] && !brisc_ready[t];
  end

`include "frontend_bench_taps.svh"

endmodule

`default_nettype wire
