// SPDX-License-Identifier: Apache-2.0
//
// Proof that a thread of the front end is one queue for words that no expander takes for itself: a
// word that the solver picks among those pushed (mark_i) leaves it unchanged, at the issue port or
// as an illegal one, after exactly the words that were before it. Free: pushes of any other word
// than MOP, MOP_CFG and REPLAY, writes of MopCfg, mop_sync, the issue port's ready. BRISC is quiet:
// its words go in between.
`default_nettype none

module fe_pass_proof
  import tilepath_isa_pkg::*;
  import frontend_pkg::*;
#(
  parameter int FifoDepth = 32,
  parameter int MDepth    = 8,
  parameter int RDepth    = 2
) (
  input wire logic          clk_i,
  input wire offer_t        push_i,
  input wire mopcfg_write_t cfg_i,
  input wire logic          sync_req_i,
  input wire logic          issue_ready_i,
  input wire logic          mark_i   // track the word that is pushed now
);

  typedef logic [7:0] number_t;

  logic started = 1'b0;  // 0 in the first step: the reset
  logic push_ready, push, leave, illegal, ordinary;
  logic unused_ack, unused_brisc, unused_race, unused_collision;
  offer_t issue;
  faults_t unused_faults;
  busy_t unused_busy;
  obs_t unused_obs;
  mop_state_e mop_state;
  replay_state_e replay_state;

  frontend_thread #(.FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth)) u_dut (
    .clk_i, .rst_ni(started),
    .push_i, .push_ready_o(push_ready),
    .cfg_i, .sync_req_i, .sync_ack_o(unused_ack),
    .brisc_i(33'd0), .brisc_ready_o(unused_brisc),
    .issue_o(issue), .issue_illegal_o(illegal), .issue_ready_i,
    .faults_o(unused_faults), .sticky_mopcfg_race_o(unused_race),
    .sticky_collision_o(unused_collision), .busy_o(unused_busy), .obs_o(unused_obs),
    .mop_state_o(mop_state), .replay_state_o(replay_state)
  );

  function automatic logic special(input logic [31:0] word);
    special = word[31:24] == OP_MOP || word[31:24] == OP_MOP_CFG || word[31:24] == OP_REPLAY;
  endfunction

  // ---- what is observed at the ports
  number_t count, ahead;  // words in the thread; of these in front of the tracked one
  logic tracked;
  logic [31:0] word;

  assign push = started && push_i.valid && push_ready;
  assign leave = started && (illegal || (issue.valid && issue_ready_i));

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    count <= count + number_t'(push) - number_t'(leave);
    if (!started) begin
      count <= '0;
      tracked <= 1'b0;
    end else if (push && mark_i && !tracked) begin
      tracked <= 1'b1;
      word <= push_i.word;
      ahead <= count - number_t'(leave);
    end else if (tracked && leave) begin
      tracked <= ahead != '0;
      ahead <= ahead - 8'd1;
    end
  end

  // ---- where the tracked word must be inside
  number_t in_fifo, in_m, in_r, place;
  offer_t found;  // what is there

  assign in_fifo = number_t'(u_dut.u_fifo.count_q);
  assign in_m = number_t'(u_dut.u_m.count_q);
  assign in_r = number_t'(u_dut.u_r.count_q);

  always_comb begin
    found.valid = 1'b1;
    if (ahead < in_r) begin
      place = number_t'(u_dut.u_r.rptr_q) + ahead;
      found.word = u_dut.u_r.data_q[place[$clog2(RDepth)-1:0]];
    end else if (ahead < in_r + in_m) begin
      place = number_t'(u_dut.u_m.rptr_q) + ahead - in_r;
      found.word = u_dut.u_m.data_q[place[$clog2(MDepth)-1:0]];
    end else begin
      place = number_t'(u_dut.u_fifo.rptr_q) + ahead - in_r - in_m;
      found.word = u_dut.u_fifo.data_q[place[$clog2(FifoDepth)-1:0]];
    end
  end

  logic kinds_fit, all_ordinary;
  always_comb begin
    all_ordinary = 1'b1;
    for (int i = 0; i < FifoDepth; i++) if (special(u_dut.u_fifo.data_q[i])) all_ordinary = 1'b0;
    for (int i = 0; i < MDepth; i++) if (special(u_dut.u_m.data_q[i])) all_ordinary = 1'b0;
    kinds_fit = 1'b1;
    for (int i = 0; i < RDepth; i++)
      if (number_t'(RDepth) == in_r || number_t'(i) == number_t'(u_dut.u_r.rptr_q))
        if (in_r != 8'd0 && u_dut.u_r.kind_q[i] != word_kind(u_dut.u_r.data_q[i]))
          kinds_fit = 1'b0;
  end

  assign ordinary = !special(push_i.word);

  always_comb begin
    if (started) begin
      // no MOP, MOP_CFG or REPLAY is pushed
      no_special: assume (!push_i.valid || ordinary);

      // the word that leaves as the n-th is the one that was pushed as the n-th
      order: assert (!(tracked && ahead == 8'd0 && leave) || issue.word == word);
      // nothing leaves without having been pushed
      enough: assert (!leave || count != 8'd0);
      // a word is retired as illegal if, and only if, its kind is illegal at the issue port
      retired: assert (!leave || illegal == (word_kind(issue.word) >= KindIllegal));

      // (invariant) the three queues together have as many words as were pushed and have not left
      counts: assert (count == in_fifo + in_m + in_r && in_fifo <= number_t'(FifoDepth)
                      && in_m <= number_t'(MDepth) && in_r <= number_t'(RDepth));
      // (invariant) the pointers of each queue are as far from each other as it has words
      pointers: assert (
        u_dut.u_fifo.wptr_q == ($clog2(FifoDepth))'(number_t'(u_dut.u_fifo.rptr_q) + in_fifo)
        && u_dut.u_m.wptr_q == ($clog2(MDepth))'(number_t'(u_dut.u_m.rptr_q) + in_m)
        && u_dut.u_r.wptr_q == ($clog2(RDepth))'(number_t'(u_dut.u_r.rptr_q) + in_r));
      // (invariant) the expanders only pass words on
      passing: assert (mop_state == Idle && replay_state == Pass && all_ordinary);
      // (invariant) the tracked word is among the words inside, where it must be
      stored: assert (!tracked || (ahead < count && found.word == word));
      // (invariant) the kinds in R are those of its words
      kinds: assert (kinds_fit);
    end
    // R and M are full, so that nothing moves, and the tracked word is the last in M
    stalled: cover (started && tracked && in_r == number_t'(RDepth)
                    && in_m == number_t'(MDepth) && ahead == in_r + in_m - 8'd1);
    // the tracked word is retired as an illegal one
    illegal_tracked: cover (started && tracked && ahead == 8'd0 && illegal);
    // the tracked word is issued when others have left before it
    issued: cover (started && tracked && ahead == 8'd0 && leave && !illegal && word != 32'd0);
  end

endmodule

`default_nettype wire
