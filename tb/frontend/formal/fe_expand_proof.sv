// SPDX-License-Identifier: Apache-2.0
//
// Proof that MOPs, recordings and playbacks on the way lose, duplicate and reorder no other words of
// a thread. Two words that the solver picks among those pushed (mark_i), neither MOP, MOP_CFG nor
// REPLAY, are followed from queue to queue; and whatever else enters a queue must come from an
// expansion, a playback or BRISC. Free: all pushed words, MopCfg, BRISC, the issue port's ready; but
// that BRISC does not collide with the MOP expander, whose word is lost then (F18).
`default_nettype none

module fe_expand_proof
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
  input wire offer_t        brisc_i,
  input wire logic          issue_ready_i,
  input wire logic          mark_i   // follow the word that is pushed now
);

  typedef logic [7:0] number_t;
  localparam logic [2:0] Outside = 3'd0, InFifo = 3'd1, InM = 3'd2, InR = 3'd3, Gone = 3'd4;

  logic started = 1'b0;  // 0 in the first step: the reset
  logic push_ready, push, leave, illegal;
  logic unused_ack, unused_brisc, unused_race, unused_collision;
  offer_t issue;
  faults_t faults;
  busy_t unused_busy;
  obs_t unused_obs;
  mop_state_e mop_state;
  replay_state_e replay_state;

  frontend_thread #(.FifoDepth(FifoDepth), .MDepth(MDepth), .RDepth(RDepth)) u_dut (
    .clk_i, .rst_ni(started),
    .push_i, .push_ready_o(push_ready),
    .cfg_i, .sync_req_i(1'b0), .sync_ack_o(unused_ack),
    .brisc_i, .brisc_ready_o(unused_brisc),
    .issue_o(issue), .issue_illegal_o(illegal), .issue_ready_i,
    .faults_o(faults), .sticky_mopcfg_race_o(unused_race),
    .sticky_collision_o(unused_collision), .busy_o(unused_busy), .obs_o(unused_obs),
    .mop_state_o(mop_state), .replay_state_o(replay_state)
  );

  function automatic logic ordinary(input logic [7:0] op);
    ordinary = op != OP_MOP && op != OP_MOP_CFG && op != OP_REPLAY;
  endfunction

  assign push = push_i.valid && push_ready;
  assign leave = illegal || (issue.valid && issue_ready_i);

  // ---- what moves between the queues in this cycle
  offer_t from_fifo, from_m, to_r;
  logic takes_fifo, takes_m;      // the word that leaves is for the expander itself
  logic swallowed;                // the word that leaves M is recorded and not executed
  number_t in_fifo, in_m, in_r;   // words in each queue

  assign from_fifo = {u_dut.fifo_pop && u_dut.fifo_head.valid, u_dut.fifo_head.word};
  assign from_m = {u_dut.m_pop && u_dut.m_head.valid, u_dut.m_head.word};
  assign to_r = {u_dut.replay.valid && u_dut.r_ready, u_dut.replay.word};
  assign takes_fifo = from_fifo.word[31:24] == OP_MOP || from_fifo.word[31:24] == OP_MOP_CFG;
  assign takes_m = replay_state == Pass && from_m.word[31:24] == OP_REPLAY;
  assign swallowed = replay_state == Rec && !u_dut.rec_exec;
  assign in_fifo = number_t'(u_dut.u_fifo.count_q);
  assign in_m = number_t'(u_dut.u_m.count_q);
  assign in_r = number_t'(u_dut.u_r.count_q);

  // ---- the two words: in which queue each must be, and how many are in front of it there
  logic [1:0][2:0] where;
  logic [1:0][7:0] opcode;  // all that is kept of a word here: the hops below are of whole words
  number_t [1:0] ahead;
  logic [1:0] head;     // it is the first of its queue
  logic [1:0] recorded; // it was recorded and not executed: that is its end

  assign head = {ahead[1] == 8'd0, ahead[0] == 8'd0};

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    for (int k = 0; k < 2; k++) begin
      if (!started) begin
        where[k] <= Outside;
        recorded[k] <= 1'b0;
      end else begin
        case (where[k])
          Outside: if (push && mark_i && ordinary(push_i.word[31:24])
                       && (k == 0 ? where[1] == Outside : where[0] != Outside)) begin
            where[k] <= InFifo;
            opcode[k] <= push_i.word[31:24];
            ahead[k] <= in_fifo - number_t'(from_fifo.valid);
          end
          InFifo: if (from_fifo.valid) begin
            ahead[k] <= head[k] ? in_m - number_t'(from_m.valid) : ahead[k] - 8'd1;
            if (head[k]) where[k] <= InM;
          end
          InM: if (from_m.valid) begin
            ahead[k] <= head[k] ? in_r - number_t'(leave) : ahead[k] - 8'd1;
            if (head[k]) where[k] <= swallowed ? Gone : InR;
            if (head[k]) recorded[k] <= swallowed;
          end
          InR: if (leave) begin
            ahead[k] <= ahead[k] - 8'd1;
            if (head[k]) where[k] <= Gone;
          end
          default: where[k] <= Gone;
        endcase
      end
    end
  end

  // ---- what is where each must be
  logic [1:0] there;
  for (genvar k = 0; k < 2; k++) begin : gen_word
    number_t fifo_place, m_place, r_place;
    assign fifo_place = number_t'(u_dut.u_fifo.rptr_q) + ahead[k];
    assign m_place = number_t'(u_dut.u_m.rptr_q) + ahead[k];
    assign r_place = number_t'(u_dut.u_r.rptr_q) + ahead[k];
    always_comb begin
      case (where[k])
        InFifo: there[k] = ahead[k] < in_fifo
                           && u_dut.u_fifo.data_q[fifo_place[$clog2(FifoDepth)-1:0]][31:24] == opcode[k];
        InM: there[k] = ahead[k] < in_m
                        && u_dut.u_m.data_q[m_place[$clog2(MDepth)-1:0]][31:24] == opcode[k];
        InR: there[k] = ahead[k] < in_r
                        && u_dut.u_r.data_q[r_place[$clog2(RDepth)-1:0]][31:24] == opcode[k];
        default: there[k] = where[k] == Outside || where[k] == Gone;
      endcase
    end
  end

  always_comb begin
    if (started) begin
      // no word of BRISC collides with one of the MOP expander
      no_collision: assume (!faults.collision);

      // each of the two words is where its way through the queues has brought it
      followed: assert (there == 2'b11);
      // the first of the two is in front of the second, and leaves before it, unless the second is
      // recorded and not executed
      order: assert (where[1] == Outside || recorded[1] || where[0] > where[1]
                     || (where[0] == where[1] && (where[0] == Gone || ahead[0] < ahead[1])));
      // every word that leaves the FIFO, but for MOP and MOP_CFG, enters M unchanged
      fifo_to_m: assert (!from_fifo.valid || takes_fifo
                         || (u_dut.to_m.valid && u_dut.to_m.word == from_fifo.word));
      // whatever else enters M comes from an expansion or from BRISC
      m_source: assert (!u_dut.to_m.valid || (from_fifo.valid && !takes_fifo) || brisc_i.valid
                        || mop_state == Exp
                        || (from_fifo.valid && from_fifo.word[31:24] == OP_MOP));
      // during an expansion nothing leaves the FIFO
      expanding: assert (mop_state != Exp || !from_fifo.valid);
      // every word that leaves M, but for a REPLAY that is obeyed, enters R unchanged, or is recorded
      // and not executed
      m_to_r: assert (!from_m.valid || takes_m || swallowed
                      || (to_r.valid && to_r.word == from_m.word));
      // whatever else enters R is played back
      r_source: assert (!to_r.valid || (from_m.valid && !takes_m && !swallowed)
                        || replay_state == Play || (from_m.valid && takes_m));
      // during a playback nothing leaves M
      playing: assert (replay_state != Play || !from_m.valid);

      // (invariant) the pointers of each queue are as far from each other as it has words
      pointers: assert (
        u_dut.u_fifo.wptr_q == ($clog2(FifoDepth))'(number_t'(u_dut.u_fifo.rptr_q) + in_fifo)
        && u_dut.u_m.wptr_q == ($clog2(MDepth))'(number_t'(u_dut.u_m.rptr_q) + in_m)
        && u_dut.u_r.wptr_q == ($clog2(RDepth))'(number_t'(u_dut.u_r.rptr_q) + in_r)
        && in_fifo <= number_t'(FifoDepth) && in_m <= number_t'(MDepth)
        && in_r <= number_t'(RDepth));
      // (invariant) the two are ordinary words, and what was recorded and not executed is gone
      both_ordinary: assert ((where[0] == Outside || ordinary(opcode[0]))
                             && (where[1] == Outside || ordinary(opcode[1]))
                             && (!recorded[0] || where[0] == Gone)
                             && (!recorded[1] || where[1] == Gone));
    end
    // an expansion is between the two
    over_mop: cover (started && where[0] == InM && where[1] == InFifo && mop_state == Exp);
    // a playback is between the two
    over_play: cover (started && where[0] == Gone && where[1] == InM && replay_state == Play
                      && recorded == 2'b00);
    // one is recorded, and the other is issued
    over_record: cover (started && where[0] == Gone && recorded == 2'b01 && where[1] == InR
                        && replay_state == Pass);
  end

endmodule

`default_nettype wire
