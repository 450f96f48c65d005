// SPDX-License-Identifier: Apache-2.0
//
// Front end: three independent threads and the queue status that they see of each other.
//
// Ports are those of frontend_thread, one element a thread. Latency, handshake and reset as there;
// qstatus_o is a register: it tells the state one cycle ago (F22).
`default_nettype none

module frontend #(
  parameter int FifoDepth    = 32,
  parameter int MDepth       = 8,
  parameter int RDepth       = 2,
  parameter int ReplayCount0 = 64,
  parameter int MopB2bFree   = 1
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  // words from the threads' cores
  input  wire logic        push_valid_i [3],
  input  wire logic [31:0] push_word_i [3],
  output wire logic        push_ready_o [3],
  // MopCfg write ports
  input  wire logic        cfg_valid_i [3],
  input  wire logic [3:0]  cfg_index_i [3],
  input  wire logic [31:0] cfg_data_i [3],
  // mop_sync
  input  wire logic        sync_req_i [3],
  output wire logic        sync_ack_o [3],
  // words from BRISC
  input  wire logic        brisc_valid_i [3],
  input  wire logic [31:0] brisc_word_i [3],
  output wire logic        brisc_ready_o [3],
  // issue ports, towards the wait gates; illegal: the word is retired here, in this cycle
  output wire logic        issue_valid_o [3],
  output wire logic [31:0] issue_word_o [3],
  output wire logic        issue_illegal_o [3],
  input  wire logic        issue_ready_i [3],
  // status
  input  wire logic        sfpu_cc_i,
  output wire logic [24:0] qstatus_o [3],
  output wire logic        fault_illegal_o [3],
  output wire logic        fault_mopcfg_race_o [3],
  output wire logic        fault_collision_o [3],
  output wire logic        sticky_mopcfg_race_o [3],
  output wire logic        sticky_collision_o [3],
  // state and what happens inside, for monitors
  output wire logic        obs_fifo_empty_o [3],
  output wire logic        obs_ingest_o [3],
  output wire logic [31:0] obs_ingest_word_o [3],
  output wire logic        obs_mq_o [3],
  output wire logic [31:0] obs_mq_word_o [3],
  output wire logic        obs_rq_o [3],
  output wire logic [31:0] obs_rq_word_o [3],
  output wire logic [1:0]  obs_mop_state_o [3],
  output wire logic [1:0]  obs_replay_state_o [3]
);

  wire logic [10:0] busy [3];
  logic [10:0] busy_any;

  assign busy_any = busy[0] | busy[1] | busy[2];

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    logic [24:0] qstatus_q;

    frontend_thread #(
      .FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth),
      .ReplayCount0(ReplayCount0), .MopB2bFree(MopB2bFree)
    ) u_thread (
      .clk_i, .rst_ni,
      .push_valid_i        (push_valid_i[t]),
      .push_word_i         (push_word_i[t]),
      .push_ready_o        (push_ready_o[t]),
      .cfg_valid_i         (cfg_valid_i[t]),
      .cfg_index_i         (cfg_index_i[t]),
      .cfg_data_i          (cfg_data_i[t]),
      .sync_req_i          (sync_req_i[t]),
      .sync_ack_o          (sync_ack_o[t]),
      .brisc_valid_i       (brisc_valid_i[t]),
      .brisc_word_i        (brisc_word_i[t]),
      .brisc_ready_o       (brisc_ready_o[t]),
      .issue_valid_o       (issue_valid_o[t]),
      .issue_word_o        (issue_word_o[t]),
      .issue_illegal_o     (issue_illegal_o[t]),
      .issue_ready_i       (issue_ready_i[t]),
      .fault_illegal_o     (fault_illegal_o[t]),
      .fault_mopcfg_race_o (fault_mopcfg_race_o[t]),
      .fault_collision_o   (fault_collision_o[t]),
      .sticky_mopcfg_race_o(sticky_mopcfg_race_o[t]),
      .sticky_collision_o  (sticky_collision_o[t]),
      .busy_o              (busy[t]),
      .obs_fifo_empty_o    (obs_fifo_empty_o[t]),
      .obs_ingest_o        (obs_ingest_o[t]),
      .obs_ingest_word_o   (obs_ingest_word_o[t]),
      .obs_mq_o            (obs_mq_o[t]),
      .obs_mq_word_o       (obs_mq_word_o[t]),
      .obs_rq_o            (obs_rq_o[t]),
      .obs_rq_word_o       (obs_rq_word_o[t]),
      .obs_mop_state_o     (obs_mop_state_o[t]),
      .obs_replay_state_o  (obs_replay_state_o[t])
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) qstatus_q <= '0;
      else qstatus_q <= {sfpu_cc_i, busy_any, 1'b0, sfpu_cc_i, busy[t]};
    end
    assign qstatus_o[t] = qstatus_q;
  end

endmodule

`default_nettype wire
