// SPDX-License-Identifier: Apache-2.0
//
// The recorders of the front end's streams; docs/frontend.md section 3. Offers are first cycles.
`timescale 1ns / 1ps
`default_nettype none

module frontend_recorders (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [31:0] cycle_i,
  input wire logic        flush_i,
  input wire logic        sfpu_cc_i,
  input wire logic        push_offer_i [3],
  input wire logic [31:0] push_word_i [3],
  input wire logic        push_accept_i [3],
  input wire logic        cfg_valid_i [3],
  input wire logic [3:0]  cfg_index_i [3],
  input wire logic [31:0] cfg_data_i [3],
  input wire logic        sync_offer_i [3],
  input wire logic        sync_ack_i [3],
  input wire logic        brisc_offer_i [3],
  input wire logic [31:0] brisc_word_i [3],
  input wire logic        brisc_accept_i [3],
  input wire logic        issue_valid_i [3],
  input wire logic [31:0] issue_word_i [3],
  input wire logic        issue_illegal_i [3],
  input wire logic        issue_ready_i [3],
  input wire logic [24:0] qstatus_i [3],
  input wire logic        fault_illegal_i [3],
  input wire logic        fault_mopcfg_race_i [3],
  input wire logic        fault_collision_i [3],
  input wire logic        sticky_mopcfg_race_i [3],
  input wire logic        sticky_collision_i [3],
  input wire logic        ingest_i [3],
  input wire logic [31:0] ingest_word_i [3],
  input wire logic        mq_i [3],
  input wire logic [31:0] mq_word_i [3],
  input wire logic        rq_i [3],
  input wire logic [31:0] rq_word_i [3],
  input wire logic [1:0]  mop_state_i [3],
  input wire logic [1:0]  replay_state_i [3]
);

  frontend_rec_sfpu_cc u_rec_sfpu_cc (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .busy_i(sfpu_cc_i)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    // ---- recorders, inputs
    frontend_rec_push #(.Index(t)) u_rec_push (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(push_offer_i[t]), .word_i(push_word_i[t])
    );
    frontend_rec_mopcfg #(.Index(t)) u_rec_mopcfg (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(cfg_valid_i[t]), .index_i(cfg_index_i[t]), .data_i(cfg_data_i[t])
    );
    frontend_rec_sync #(.Index(t)) u_rec_sync (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(sync_offer_i[t])
    );
    frontend_rec_brisc #(.Index(t)) u_rec_brisc (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(brisc_offer_i[t]), .word_i(brisc_word_i[t])
    );
    frontend_rec_ready #(.Index(t)) u_rec_ready (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .ready_i(issue_ready_i[t])
    );

    // ---- recorders, outputs
    frontend_rec_accept #(.Index(t)) u_rec_accept (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(push_accept_i[t])
    );
    frontend_rec_brisc_accept #(.Index(t)) u_rec_brisc_accept (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(brisc_accept_i[t])
    );
    frontend_rec_sync_ack #(.Index(t)) u_rec_sync_ack (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(sync_ack_i[t])
    );
    frontend_rec_ingest #(.Index(t)) u_rec_ingest (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(ingest_i[t]), .word_i(ingest_word_i[t])
    );
    frontend_rec_mq #(.Index(t)) u_rec_mq (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(mq_i[t]), .word_i(mq_word_i[t])
    );
    frontend_rec_rq #(.Index(t)) u_rec_rq (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(rq_i[t]), .word_i(rq_word_i[t])
    );
    frontend_rec_issue #(.Index(t)) u_rec_issue (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(issue_illegal_i[t] || (issue_valid_i[t] && issue_ready_i[t])),
      .word_i(issue_word_i[t]), .illegal_i(issue_illegal_i[t] && !issue_valid_i[t])  // retired, and not offered as well
    );
    frontend_rec_fault #(.Index(t)) u_rec_fault (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(fault_illegal_i[t] || fault_mopcfg_race_i[t] || fault_collision_i[t]),
      .illegal_i(fault_illegal_i[t]), .mopcfg_race_i(fault_mopcfg_race_i[t]),
      .collision_i(fault_collision_i[t])
    );
    frontend_rec_status #(.Index(t)) u_rec_status (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .mop_state_i(mop_state_i[t]), .replay_state_i(replay_state_i[t])
    );
    frontend_rec_sticky #(.Index(t)) u_rec_sticky (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .mopcfg_race_i(sticky_mopcfg_race_i[t]), .collision_i(sticky_collision_i[t])
    );
    frontend_rec_qstatus #(.Index(t)) u_rec_qstatus (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(qstatus_i[t])
    );
  end

endmodule

`default_nettype wire
