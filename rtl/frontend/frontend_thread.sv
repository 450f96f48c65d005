// SPDX-License-Identifier: Apache-2.0
//
// Front end of one thread: FIFO → MOP expander → M → replay expander → R → issue port.
//
// Latency: a word pushed in cycle c is at the issue port in c+3 when nothing is in its way.
// Handshake: push, brisc and issue are valid/ready; an illegal word leaves without issue_ready_i;
// mop_sync is a request held until sync_ack_o, which is combinational.
// Reset: everything empty and 0. docs/frontend.md is the cycle contract.
`default_nettype none

module frontend_thread #(
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
  // issue port, towards the wait gate
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
  // bits 0 … 10 of qstatus, before its register
  output logic [10:0]     busy_o,
  // observation
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

  localparam logic [1:0] Exp = 2'd1, Play = 2'd1;

  logic [11:0] push_tag, mq_tag, fifo_any, m_any, m_tag;
  logic [9:0] rq_tag, r_any, r_tag;
  logic [31:0] fifo_word, expander_word, m_word;
  logic fifo_valid, fifo_pop, expander_valid, m_valid, m_pop, m_ready, r_ready, rec_exec, replay_valid;
  logic expanding, mop_queued;
  logic [8:0] classes;

  // ---- instruction FIFO
  fe_decode u_push_decode (.word_i(push_word_i), .tag_o(push_tag));

  fe_queue #(.Depth(FifoDepth), .TagWidth(12)) u_fifo (
    .clk_i, .rst_ni,
    .wvalid_i(push_valid_i), .wready_o(push_ready_o), .wdata_i(push_word_i), .wtag_i(push_tag),
    .rvalid_o(fifo_valid), .rready_i(fifo_pop), .rdata_o(fifo_word),
    .rtag_o(), .any_tag_o(fifo_any)
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
  assign mop_queued = fifo_any[11];
  assign sync_ack_o = sync_req_i && !mop_queued && !expanding;

  // ---- M; on a collision the BRISC word wins and the expander's word is lost (F18)
  assign brisc_ready_o = m_ready;
  assign obs_mq_o = m_ready && (brisc_valid_i || expander_valid);
  assign obs_mq_word_o = brisc_valid_i ? brisc_word_i : expander_word;

  fe_decode u_mq_decode (.word_i(obs_mq_word_o), .tag_o(mq_tag));

  fe_queue #(.Depth(MDepth), .TagWidth(12)) u_m (
    .clk_i, .rst_ni,
    .wvalid_i(obs_mq_o), .wready_o(m_ready), .wdata_i(obs_mq_word_o), .wtag_i(mq_tag),
    .rvalid_o(m_valid), .rready_i(m_pop), .rdata_o(m_word), .rtag_o(m_tag), .any_tag_o(m_any)
  );

  // ---- replay expander
  replay_expander #(.ReplayCount0(ReplayCount0), .TagWidth(10)) u_replay (
    .clk_i, .rst_ni,
    .word_valid_i(m_valid), .word_i(m_word), .word_tag_i(m_tag[9:0]), .pop_o(m_pop),
    .emit_valid_o(replay_valid), .emit_o(obs_rq_word_o), .emit_tag_o(rq_tag), .emit_ready_i(r_ready),
    .state_o(obs_replay_state_o), .rec_exec_o(rec_exec)
  );

  assign obs_rq_o = replay_valid && r_ready;

  // ---- R and the issue port; illegal words leave without a grant (F17)
  fe_queue #(.Depth(RDepth), .TagWidth(10)) u_r (
    .clk_i, .rst_ni,
    .wvalid_i(replay_valid), .wready_o(r_ready), .wdata_i(obs_rq_word_o), .wtag_i(rq_tag),
    .rvalid_o(issue_valid_o), .rready_i(issue_ready_i || issue_illegal_o),
    .rdata_o(issue_word_o), .rtag_o(r_tag), .any_tag_o(r_any)
  );
  assign issue_illegal_o = issue_valid_o && r_tag[9];

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
  assign classes = fifo_any[8:0] | m_any[8:0] | r_any[8:0];
  assign busy_o[0] = fifo_any[10] || m_any[10] || obs_replay_state_o == Play || rec_exec;
  assign busy_o[1] = mop_queued || expanding;
  assign busy_o[2] = classes[5];   // THCON
  assign busy_o[3] = classes[4];   // XMOV
  assign busy_o[4] = classes[3];   // UNPACK
  assign busy_o[5] = classes[2];   // PACK
  assign busy_o[6] = classes[7];   // CFG
  assign busy_o[7] = classes[1];   // SYNC
  assign busy_o[8] = classes[0];   // TDMA
  assign busy_o[9] = classes[8];   // SFPU
  assign busy_o[10] = classes[6];  // MATH

  assign obs_fifo_empty_o = !fifo_valid;
  assign obs_ingest_word_o = fifo_word;

endmodule

`default_nettype wire
