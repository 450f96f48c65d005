// SPDX-License-Identifier: Apache-2.0
//
// Proof, up to a bound, that MOPs, recordings and playbacks on the way lose, duplicate and reorder
// no other words: two words that the solver picks, first and second, are pushed once each, in this
// order, anything else before, between and behind them. MopCfg is written at will, but not with the
// two, and neither is recorded: then an expansion could rightly bring it a second time. BRISC is
// quiet.
`default_nettype none

module fe_expand_proof
  import tilepath_isa_pkg::*;
  import frontend_pkg::*;
#(
  parameter int FifoDepth = 4,
  parameter int MDepth    = 2,
  parameter int RDepth    = 2
) (
  input wire logic          clk_i,
  input wire offer_t        push_i,
  input wire mopcfg_write_t cfg_i,
  input wire logic          issue_ready_i
);

  logic started = 1'b0;  // 0 in the first step: the reset
  logic push_ready, push, leave, illegal, drained;
  logic unused_ack, unused_brisc, unused_race, unused_collision;
  offer_t issue;
  faults_t unused_faults;
  busy_t unused_busy;
  obs_t unused_obs;
  mop_state_e mop_state;
  replay_state_e replay_state;
  logic [31:0] words[2];         // the two
  logic [1:0] pushed, left, is_pushed, is_left;  // bit k: word k

  frontend_thread #(.FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth)) u_dut (
    .clk_i, .rst_ni(started),
    .push_i, .push_ready_o(push_ready),
    .cfg_i, .sync_req_i(1'b0), .sync_ack_o(unused_ack),
    .brisc_i(33'd0), .brisc_ready_o(unused_brisc),
    .issue_o(issue), .issue_illegal_o(illegal), .issue_ready_i,
    .faults_o(unused_faults), .sticky_mopcfg_race_o(unused_race),
    .sticky_collision_o(unused_collision), .busy_o(unused_busy), .obs_o(unused_obs),
    .mop_state_o(mop_state), .replay_state_o(replay_state)
  );

  assign push = started && push_i.valid && push_ready;
  assign leave = started && (illegal || (issue.valid && issue_ready_i));
  assign drained = u_dut.u_fifo.count_q == '0 && u_dut.u_m.count_q == '0
                && u_dut.u_r.count_q == '0 && mop_state != Exp && replay_state == Pass;

  always_comb begin
    for (int k = 0; k < 2; k++) begin
      words[k] = {OP_NOP, 24'(k + 1)};
      is_pushed[k] = push_i.valid && push_i.word == words[k];
      is_left[k] = leave && issue.word == words[k];
    end
  end

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    if (!started) begin
      pushed <= 2'b00;
      left <= 2'b00;
    end else begin
      pushed <= pushed | (is_pushed & {2{push}});
      left <= left | is_left;
    end
  end

  // ---- for the cover points: what has happened
  logic mop_between, play_between, recorded;
  always_ff @(posedge clk_i) begin
    if (!started) begin
      mop_between <= 1'b0;
      play_between <= 1'b0;
      recorded <= 1'b0;
    end else begin
      if (mop_state == Exp && pushed[0] && left != 2'b11) mop_between <= 1'b1;
      if (replay_state == Play && left == 2'b01) play_between <= 1'b1;
      if (replay_state == Rec && left == 2'b00) recorded <= 1'b1;
    end
  end

  function automatic logic special(input logic [31:0] word);
    special = word[31:24] == OP_MOP || word[31:24] == OP_MOP_CFG || word[31:24] == OP_REPLAY;
  endfunction

  always_comb begin
    if (started) begin
      // each is pushed once, the second after the first
      once: assume ((is_pushed & pushed) == 2'b00 && !(is_pushed[1] && !pushed[0]));
      // anything else that is pushed is a MOP, MOP_CFG or REPLAY
      others: assume (!push_i.valid || is_pushed != 2'b00 || special(push_i.word));
      // MopCfg is not written with either
      not_in_mop: assume (cfg_i.data != words[0] && cfg_i.data != words[1]);
      // neither is recorded
      not_recorded: assume (!(replay_state == Rec && u_dut.m_head.valid
        && (u_dut.m_head.word == words[0] || u_dut.m_head.word == words[1])));

      // nothing leaves that is not inside: neither word leaves before it is pushed, or twice
      single: assert ((is_left & (~pushed | left)) == 2'b00);
      // the second does not leave before the first
      order: assert (!(is_left[1] && !left[0]));
      // when nothing is inside, every word that was pushed has left
      all_left: assert (!drained || left == pushed);
    end
    // both have left, with a MOP of two words or more between them
    over_mop: cover (started && drained && left == 2'b11 && mop_between);
    // both have left, with a playback between them
    over_play: cover (started && drained && left == 2'b11 && play_between);
    // the first has left after a recording
    over_record: cover (started && left[0] && recorded);
  end

endmodule

`default_nettype wire
