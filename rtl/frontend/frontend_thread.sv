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
  input wire logic          clk_i,
  input wire logic          rst_ni,
  // words from the thread's core
  input wire offer_t        push_i,
  output logic              push_ready_o,
  // MopCfg write port
  input wire mopcfg_write_t cfg_i,
  // mop_sync
  input wire logic          sync_req_i,
  output logic              sync_ack_o,
  // words from BRISC
  input wire offer_t        brisc_i,
  output logic              brisc_ready_o,
  // issue port, towards the wait gate; illegal: the word is retired here, in this cycle
  output offer_t            issue_o,
  output logic              issue_illegal_o,
  input wire logic          issue_ready_i,
  // faults, in the cycle of their cause; sticky from the next cycle on
  output faults_t           faults_o,
  output logic              sticky_mopcfg_race_o,
  output logic              sticky_collision_o,
  // part of qstatus, before its register
  output busy_t             busy_o,
  // for monitors
  output obs_t              obs_o,
  output mop_state_e        mop_state_o,
  output replay_state_e     replay_state_o
);

  logic [3:0] r_kind, unused_fifo_kind, unused_m_kind;
  logic [KindCount-1:0] fifo_present, m_present, r_present, present;
  // the words on their way; heads are what the queues offer
  offer_t fifo_head, expander, to_m, m_head, replay, r_head;
  logic fifo_pop, m_pop, m_ready, r_ready;
  mop_state_e mop_state;
  replay_state_e replay_state;
  logic ingest, rec_exec, expanding, mop_queued;
  logic m_valid, issue_valid, mopcfg_race, collision;
  logic [31:0] m_word;

  // ---- instruction FIFO
  fe_queue #(.Depth(FifoDepth)) u_fifo (
    .clk_i, .rst_ni,
    .write_i(push_i), .wready_o(push_ready_o),
    .read_o(fifo_head), .rready_i(fifo_pop),
    .rkind_o(unused_fifo_kind), .present_o(fifo_present)
  );

  // ---- MOP expander
  mop_expander #(.MopB2bFree(MopB2bFree)) u_mop (
    .clk_i, .rst_ni, .cfg_i,
    .head_i(fifo_head), .pop_o(fifo_pop),
    .emit_o(expander), .emit_ready_i(m_ready),
    .ingest_o(ingest), .state_o(mop_state)
  );

  assign expanding = mop_state == Exp;
  assign mop_queued = fifo_present[KindMop];
  assign sync_ack_o = sync_req_i && !mop_queued && !expanding;

  // ---- M; on a collision the BRISC word wins and the expander's word is lost (F18)
  assign brisc_ready_o = m_ready;
  assign m_valid = m_ready && (brisc_i.valid || expander.valid);
  assign m_word = brisc_i.valid ? brisc_i.word : expander.word;
  assign to_m = {m_valid, m_word};

  fe_queue #(.Depth(MDepth)) u_m (
    .clk_i, .rst_ni,
    .write_i(to_m), .wready_o(m_ready),
    .read_o(m_head), .rready_i(m_pop),
    .rkind_o(unused_m_kind), .present_o(m_present)
  );

  // ---- replay expander
  replay_expander #(.ReplayCount0(ReplayCount0)) u_replay (
    .clk_i, .rst_ni,
    .head_i(m_head), .pop_o(m_pop),
    .emit_o(replay), .emit_ready_i(r_ready),
    .state_o(replay_state), .rec_exec_o(rec_exec)
  );

  // ---- R and the issue port; illegal words leave without a grant (F17)
  fe_queue #(.Depth(RDepth)) u_r (
    .clk_i, .rst_ni,
    .write_i(replay), .wready_o(r_ready),
    .read_o(r_head), .rready_i(issue_ready_i || issue_illegal_o),
    .rkind_o(r_kind), .present_o(r_present)
  );
  assign issue_illegal_o = r_head.valid && r_kind >= KindIllegal;
  assign issue_valid = r_head.valid && !issue_illegal_o;
  assign issue_o = {issue_valid, r_head.word};

  // ---- faults
  assign mopcfg_race = cfg_i.valid && expanding;
  assign collision = m_ready && brisc_i.valid && expander.valid;
  assign faults_o = {issue_illegal_o, mopcfg_race, collision};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sticky_mopcfg_race_o <= 1'b0;
      sticky_collision_o <= 1'b0;
    end else begin
      if (mopcfg_race) sticky_mopcfg_race_o <= 1'b1;
      if (collision) sticky_collision_o <= 1'b1;
    end
  end

  // ---- status (F22)
  assign present = fifo_present | m_present | r_present;
  assign busy_o.math = present[KindMath];
  assign busy_o.sfpu = present[KindSfpu];
  assign busy_o.tdma = present[KindTdma] || present[KindThcon] || present[KindPack]
                    || present[KindUnpack] || present[KindXmov];  // any B0
  assign busy_o.sync = present[KindSync];
  assign busy_o.cfg = present[KindCfg];
  assign busy_o.pack = present[KindPack];
  assign busy_o.unpack = present[KindUnpack];
  assign busy_o.xmov = present[KindXmov];
  assign busy_o.thcon = present[KindThcon];
  assign busy_o.mop = mop_queued || expanding;
  assign busy_o.replay = fifo_present[KindReplay] || m_present[KindReplay] || replay_state == Play
                      || rec_exec;

  wire logic [3:0] unused_present = {present[KindReplay:KindIllegal], present[KindPlain]};

  // ---- for monitors
  wire offer_t to_expander = {ingest, fifo_head.word};
  wire offer_t to_r = {replay.valid && r_ready, replay.word};

  assign obs_o = {!fifo_head.valid, to_expander, to_m, to_r};
  assign mop_state_o = mop_state;
  assign replay_state_o = replay_state;

endmodule

`default_nettype wire
