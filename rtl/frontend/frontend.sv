// SPDX-License-Identifier: Apache-2.0
//
// Front end: three independent threads and the queue status that they see of each other.
//
// Ports are those of frontend_thread, field by field, one element a thread. Latency, handshake and
// reset as there; qstatus_o is a register: it tells the state one cycle ago (F22).
`default_nettype none

module frontend
  import frontend_pkg::*;
#(
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

  wire busy_t busy [3];
  busy_t busy_any;

  assign busy_any = busy[0] | busy[1] | busy[2];

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire offer_t push, brisc, issue;
    wire mopcfg_write_t cfg;
    wire faults_t faults;
    wire obs_t obs;
    logic [24:0] qstatus_q;

    assign push = {push_valid_i[t], push_word_i[t]};
    assign cfg = {cfg_valid_i[t], cfg_index_i[t], cfg_data_i[t]};
    assign brisc = {brisc_valid_i[t], brisc_word_i[t]};

    frontend_thread #(
      .FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth),
      .ReplayCount0(ReplayCount0), .MopB2bFree(MopB2bFree)
    ) u_thread (
      .clk_i, .rst_ni,
      .push_i              (push),
      .push_ready_o        (push_ready_o[t]),
      .cfg_i               (cfg),
      .sync_req_i          (sync_req_i[t]),
      .sync_ack_o          (sync_ack_o[t]),
      .brisc_i             (brisc),
      .brisc_ready_o       (brisc_ready_o[t]),
      .issue_o             (issue),
      .issue_illegal_o     (issue_illegal_o[t]),
      .issue_ready_i       (issue_ready_i[t]),
      .faults_o            (faults),
      .sticky_mopcfg_race_o(sticky_mopcfg_race_o[t]),
      .sticky_collision_o  (sticky_collision_o[t]),
      .busy_o              (busy[t]),
      .obs_o               (obs),
      .mop_state_o         (obs_mop_state_o[t]),
      .replay_state_o      (obs_replay_state_o[t])
    );

    assign issue_valid_o[t] = issue.valid;
    assign issue_word_o[t] = issue.word;
    assign fault_illegal_o[t] = faults.illegal;
    assign fault_mopcfg_race_o[t] = faults.mopcfg_race;
    assign fault_collision_o[t] = faults.collision;
    assign obs_fifo_empty_o[t] = obs.fifo_empty;
    assign obs_ingest_o[t] = obs.ingest.valid;
    assign obs_ingest_word_o[t] = obs.ingest.word;
    assign obs_mq_o[t] = obs.mq.valid;
    assign obs_mq_word_o[t] = obs.mq.word;
    assign obs_rq_o[t] = obs.rq.valid;
    assign obs_rq_word_o[t] = obs.rq.word;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) qstatus_q <= '0;
      else qstatus_q <= {sfpu_cc_i, busy_any, 1'b0, sfpu_cc_i, busy[t]};
    end
    assign qstatus_o[t] = qstatus_q;
  end

endmodule

`default_nettype wire
