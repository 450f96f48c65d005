// SPDX-License-Identifier: Apache-2.0
//
// Front end of one thread: FIFO -> MOP expander -> M -> replay expander -> R -> issue port.
//
// Latency: a word pushed in cycle c is at the issue port in c+3 when nothing is in its way.
// Handshake: push, brisc and issue are valid/ready. An illegal word is not offered at the issue
// port: issue_illegal_o pulses while issue_word_o shows it, and it is gone in the next cycle.
// mop_sync is a request held until sync_ack_o, which is combinational.
// Reset: everything empty and 0. docs/frontend.md is the cycle contract.
`default_nettype none

module frontend_thread
  import frontend_pkg::*;
#(
  parameter int FifoDepth    = 32,
  parameter int MDepth       = 8,
  parameter int RDepth       = 2,
  parameter int ReplayCount0 = 64,
  parameter int MopB2bFree   = 1
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  // words from the thread's core
  input wire logic        push_valid_i,
  input wire logic [31:0] push_word_i,
  output logic            push_ready_o,
  // MopCfg write port
  input wire logic        cfg_valid_i,
  input wire logic [3:0]  cfg_index_i,
  input wire logic [31:0] cfg_data_i,
  // mop_sync
  input wire logic        sync_req_i,
  output logic            sync_ack_o,
  // words from BRISC
  input wire logic        brisc_valid_i,
  input wire logic [31:0] brisc_word_i,
  output logic            brisc_ready_o,
  // issue port, towards the wait gate; illegal: the word is retired here, in this cycle
  output logic            issue_valid_o,
  output logic [31:0]     issue_word_o,
  output logic            issue_illegal_o,
  input wire logic        issue_ready_i,
  // faults, in the cycle of their cause; sticky from the next cycle on
  output logic            fault_illegal_o,
  output logic            fault_mopcfg_race_o,
  output logic            fault_collision_o,
  output logic            sticky_mopcfg_race_o,
  output logic            sticky_collision_o,
  // bits 0 ... 10 of qstatus, before its register
  output logic [10:0]     busy_o,
  // state and what happens inside, for monitors
  output logic            obs_fifo_empty_o,
  output logic            obs_ingest_o,
  output logic [31:0]     obs_ingest_word_o,
  output logic            obs_mq_o,
  output logic [31:0]     obs_mq_word_o,
  output logic            obs_rq_o,
  output logic [31:0]     obs_rq_word_o,
  output logic [1:0]      obs_mop_state_o,
  output logic [1:0]      obs_replay_state_o
);

  logic [3:0] r_kind, unused_fifo_kind, unused_m_kind;
  logic [KindCount-1:0] fifo_present, m_present, r_present, present;
  logic [31:0] fifo_word, expander_word, m_word;
  logic fifo_valid, fifo_pop, expander_valid, m_valid, m_pop, m_ready;
  logic replay_valid, rec_exec, r_valid, r_ready;
  logic expanding, mop_queued;

  // ---- instruction FIFO
  fe_queue #(.Depth(FifoDepth)) u_fifo (
    .clk_i, .rst_ni,
    .wvalid_i(push_valid_i), .wready_o(push_ready_o), .wdata_i(push_word_i),
    .rvalid_o(fifo_valid), .rready_i(fifo_pop), .rdata_o(fifo_word),
    .rkind_o(unused_fifo_kind), .present_o(fifo_present)
  );

  // ---- MOP expander
  mop_expander #(.MopB2bFree(MopB2bFree)) u_mop (
    .clk_i, .rst_ni,
    .cfg_valid_i, .cfg_index_i, .cfg_data_i,
    .word_valid_i(fifo_valid), .word_i(fifo_word), .pop_o(fifo_pop),
    .emit_valid_o(expander_valid), .emit_o(expander_word), .emit_ready_i(m_ready),
    .ingest_o(obs_ingest_o), .state_o(obs_mop_state_o)
  );

  assign expanding = obs_mop_state_o == Exp;
  assign mop_queued = fifo_present[KindMop];
  assign sync_ack_o = sync_req_i && !mop_queued && !expanding;

  // ---- M; on a collision the BRISC word wins and the expander's word is lost (F18)
  assign brisc_ready_o = m_ready;
  assign obs_mq_o = m_ready && (brisc_valid_i || expander_valid);
  assign obs_mq_word_o = brisc_valid_i ? brisc_word_i : expander_word;

  fe_queue #(.Depth(MDepth)) u_m (
    .clk_i, .rst_ni,
    .wvalid_i(obs_mq_o), .wready_o(m_ready), .wdata_i(obs_mq_word_o),
    .rvalid_o(m_valid), .rready_i(m_pop), .rdata_o(m_word),
    .rkind_o(unused_m_kind), .present_o(m_present)
  );

  // ---- replay expander
  replay_expander #(.ReplayCount0(ReplayCount0)) u_replay (
    .clk_i, .rst_ni,
    .word_valid_i(m_valid), .word_i(m_word), .pop_o(m_pop),
    .emit_valid_o(replay_valid), .emit_o(obs_rq_word_o), .emit_ready_i(r_ready),
    .state_o(obs_replay_state_o), .rec_exec_o(rec_exec)
  );

  assign obs_rq_o = replay_valid && r_ready;

  // ---- R and the issue port; illegal words leave without a grant (F17)
  fe_queue #(.Depth(RDepth)) u_r (
    .clk_i, .rst_ni,
    .wvalid_i(replay_valid), .wready_o(r_ready), .wdata_i(obs_rq_word_o),
    .rvalid_o(r_valid), .rready_i(issue_ready_i || issue_illegal_o),
    .rdata_o(issue_word_o), .rkind_o(r_kind), .present_o(r_present)
  );
  assign issue_illegal_o = r_valid && r_kind >= KindIllegal;
  assign issue_valid_o = r_valid && !issue_illegal_o;

  // ---- faults
  assign fault_illegal_o = issue_illegal_o;
  assign fault_mopcfg_race_o = cfg_valid_i && expanding;
  assign fault_collision_o = m_ready && brisc_valid_i && expander_valid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sticky_mopcfg_race_o <= 1'b0;
      sticky_collision_o <= 1'b0;
    end else begin
      if (fault_mopcfg_race_o) sticky_mopcfg_race_o <= 1'b1;
      if (fault_collision_o) sticky_collision_o <= 1'b1;
    end
  end

  // ---- status (F22)
  assign present = fifo_present | m_present | r_present;
  assign busy_o = {
    present[KindMath], present[KindSfpu],
    present[KindTdma] || present[KindThcon] || present[KindPack] || present[KindUnpack]
      || present[KindXmov],  // TDMA: any B0
    present[KindSync], present[KindCfg], present[KindPack], present[KindUnpack], present[KindXmov],
    present[KindThcon],
    mop_queued || expanding,
    fifo_present[KindReplay] || m_present[KindReplay] || obs_replay_state_o == Play || rec_exec
  };

  wire logic [3:0] unused_present = {present[KindReplay:KindIllegal], present[KindPlain]};

  assign obs_fifo_empty_o = !fifo_valid;
  assign obs_ingest_word_o = fifo_word;

endmodule

`default_nettype wire
