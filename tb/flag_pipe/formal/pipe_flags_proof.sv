// SPDX-License-Identifier: Apache-2.0
//
// Proof of the flags of a pipe, the first of a pair: I1 to I4 of docs/flag_pipe.md, and where the pair
// may stand still. The whole of flag_pipe is in it. Free are the commands of all three cores, of the
// other pipes too, but that both sides of the pipe are initialised with the same direction mask, and
// with a credit for each slot; clear; the platform, which is constant; and whatever the memories do,
// so that a transfer takes any time. Inputs of flag_pipe that are not named here are free as well.
`default_nettype none

module pipe_flags_proof
  import flag_pipe_pkg::*;
#(
  parameter int Nflags  = 8,
  parameter int FlagLat = 2,  // at least 2
  parameter int HoldMax = 1,
  parameter int Pair    = 0,
  parameter bit Others  = 1'b1  // commands of other pipes are free, too; else there are none
) (
  input wire logic         clk_i,
  input wire logic [2:0]   cmd_valid_i,
  input wire command_t     cmd0_i,
  input wire command_t     cmd1_i,
  input wire command_t     cmd2_i,
  input wire logic [3:0]   rd_ready_i,   // l1, ub0, ub1, gm
  input wire logic [3:0]   rd_rvalid_i,
  input wire logic [3:0]   wr_ready_i,
  input wire logic [1:0]   clr_i,
  input wire logic [1:0]   mask_i        // of the pair, from the next clear on
);

  localparam int BeatBytes = 32;
  localparam int Data = 8 * BeatBytes;
  typedef logic [4:0] number_t;

  logic started = 1'b0;  // 0 in the first step: the reset
  logic platform;
  logic [1:0] mask;      // with which both sides are initialised
  logic [1:0] deadlock;
  logic cmd_valid [3];
  command_t cmd [3];
  logic ub_rd_ready [2], ub_rd_rvalid [2], ub_wr_ready [2];
  logic [Data-1:0] ub_data [2];

  assign cmd_valid[0] = cmd_valid_i[0];
  assign cmd_valid[1] = cmd_valid_i[1];
  assign cmd_valid[2] = cmd_valid_i[2];
  assign cmd[0] = cmd0_i;
  assign cmd[1] = cmd1_i;
  assign cmd[2] = cmd2_i;
  assign ub_rd_ready[0] = rd_ready_i[1];
  assign ub_rd_ready[1] = rd_ready_i[2];
  assign ub_rd_rvalid[0] = rd_rvalid_i[1];
  assign ub_rd_rvalid[1] = rd_rvalid_i[2];
  assign ub_wr_ready[0] = wr_ready_i[1];
  assign ub_wr_ready[1] = wr_ready_i[2];
  assign ub_data[0] = '0;
  assign ub_data[1] = '0;

  flag_pipe #(
    .Nflags(Nflags), .FlagLat(FlagLat), .BeatBytes(BeatBytes), .HoldMax(HoldMax)
  ) u_dut (
    .clk_i, .rst_ni(started), .platform_i(platform),
    .cmd_valid_i(cmd_valid), .cmd_ready_o(), .cmd_i(cmd), .rsp_valid_o(), .rsp_o(),
    .l1_rd_valid_o(), .l1_rd_ready_i(rd_ready_i[0]), .l1_rd_addr_o(),
    .l1_rd_rvalid_i(rd_rvalid_i[0]), .l1_rd_rdata_i('0),
    .ub_rd_valid_o(), .ub_rd_ready_i(ub_rd_ready), .ub_rd_addr_o(),
    .ub_rd_rvalid_i(ub_rd_rvalid), .ub_rd_rdata_i(ub_data),
    .gm_rd_valid_o(), .gm_rd_ready_i(rd_ready_i[3]), .gm_rd_core_o(), .gm_rd_addr_o(),
    .gm_rd_rvalid_i(rd_rvalid_i[3]), .gm_rd_rdata_i('0),
    .l1_wr_valid_o(), .l1_wr_ready_i(wr_ready_i[0]), .l1_wr_core_o(), .l1_wr_addr_o(),
    .l1_wr_data_o(),
    .ub_wr_valid_o(), .ub_wr_ready_i(ub_wr_ready), .ub_wr_addr_o(), .ub_wr_data_o(),
    .gm_wr_valid_o(), .gm_wr_ready_i(wr_ready_i[3]), .gm_wr_core_o(), .gm_wr_addr_o(),
    .gm_wr_data_o(),
    .clr_i, .set_set_o(), .cfg_mismatch_o(), .clr_busy_o(), .deadlock_o(deadlock)
  );

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    platform <= platform;
    if (!started || u_dut.clear[Pair]) mask <= mask_i;
  end

  // ---- what the assumption speaks of
  function automatic logic agrees(input command_t offered, input logic [1:0] wanted);
    agrees = offered.op != Init || offered.dir_mask == 8'd0 || offered.dir_mask > 8'd3
             || (offered.dir_mask[1:0] == wanted && offered.period == 2'd0);
  endfunction

  logic agreed;
  assign agreed = (!cmd_valid[0] || cmd[0].pipe != 2'd0
                   || ((cmd[0].op != Init || cmd[0].split == Whole)
                       && (cmd[0].peer != 1'(Pair) || agrees(cmd[0], mask))))
                  && (!cmd_valid[1+Pair] || cmd[1+Pair].pipe != 2'd0
                      || agrees(cmd[1+Pair], mask));

  // ---- the pair: side 0 is AIC, side 1 the vector
  logic [1:0][2:0] state, op, index, last, push_tag, pop_tag, free_tag;
  logic [1:0][3:0] held;
  logic [1:0] here, fine, inits, same_mask;  // at work for this pipe; without an error
  logic [1:0] credit, single;  // of the command at work
  endpoint_t [1:0] side;

  assign state = {u_dut.gen_core[1+Pair].u_core.state_q, u_dut.gen_core[0].u_core.state_q};
  assign op = {u_dut.gen_core[1+Pair].u_core.op_q, u_dut.gen_core[0].u_core.op_q};
  assign index = {3'(u_dut.gen_core[1+Pair].u_core.index_q), 3'(u_dut.gen_core[0].u_core.index_q)};
  assign last = {3'(u_dut.gen_core[1+Pair].u_core.last_q), 3'(u_dut.gen_core[0].u_core.last_q)};
  assign here = {state[1] != Idle && u_dut.gen_core[1+Pair].u_core.pipe_q == 2'd0,
                 state[0] != Idle && u_dut.gen_core[0].u_core.pipe_q == 2'd0
                 && u_dut.gen_core[0].u_core.peer_q == 1'(Pair)};
  assign fine = {u_dut.gen_core[1+Pair].u_core.err_q == Ok, u_dut.gen_core[0].u_core.err_q == Ok};
  assign credit = {u_dut.gen_core[1+Pair].u_core.free_q, u_dut.gen_core[0].u_core.free_q};
  assign single = {u_dut.gen_core[1+Pair].u_core.span_q == '0,
                   u_dut.gen_core[0].u_core.span_q == '0};
  assign side = {u_dut.endpoint[2+Pair], u_dut.endpoint[Pair]};
  for (genvar c = 0; c < 2; c++) begin : gen_side
    assign push_tag[c] = side[c].push_tag;
    assign pop_tag[c] = side[c].pop_tag;
    assign free_tag[c] = side[c].free_tag;
    assign held[c] = side[c].held;
    assign inits[c] = side[c].init;
    assign same_mask[c] = side[c].mask == mask && side[c].period == 2'd0;
  end

  // banks: 0 is set by AIC, 1 by the vector; the flags in them, and SETs on their way
  logic [1:0][Nflags-1:0] flags, arriving, twice;
  assign flags = {u_dut.flags[2*Pair+1], u_dut.flags[2*Pair]};

  for (genvar b = 0; b < 2; b++) begin : gen_flying
    always_comb begin
      arriving[b] = '0;
      twice[b] = '0;
      for (int s = 0; s < FlagLat - 1; s++) begin
        if (u_dut.gen_bank[2*Pair+b].u_bank.gen_way.valid_q[s]) begin
          twice[b] = twice[b] | (arriving[b]
            & (Nflags'(1) << u_dut.gen_bank[2*Pair+b].u_bank.gen_way.index_q[s]));
          arriving[b] = arriving[b]
            | (Nflags'(1) << u_dut.gen_bank[2*Pair+b].u_bank.gen_way.index_q[s]);
        end
      end
    end
  end

  // ---- slots
  logic both;
  number_t slots, limit;
  logic [2:0] wrap;  // of a tag
  assign both = mask == 2'd3;
  assign slots = both ? number_t'(Nflags / 2) : number_t'(Nflags);
  assign wrap = 3'(slots - 1'b1);
  assign limit = slots < number_t'(HoldMax) ? slots : number_t'(HoldMax);

  // ---- a direction: 0 C2V, which AIC produces and the vector consumes, 1 V2C the other way round
  for (genvar d = 0; d < 2; d++) begin : gen_direction
    localparam int P = d, C = 1 - d;  // the sides; the bank of the ready flags is P, of the free C
    logic active, pushing, writing, popping, freeing, signalling, bad_tokens, bad_window;
    logic [2:0] base;  // flag of tag 0
    number_t h, nr;    // slots that the consumer has; those that are ready, or will be by a SET
    logic [2:0] first_ready, next_push;

    assign active = mask[d];
    assign base = both && d == 1 ? 3'(Nflags / 2) : 3'd0;
    assign pushing = here[P] && fine[P] && op[P] == Tpush;
    assign writing = pushing && state[P] != Wait;
    assign popping = here[C] && fine[C] && op[C] == Tpop;
    assign freeing = here[C] && fine[C] && op[C] == Tfree;
    assign signalling = here[C] && state[C] == Pre;
    assign h = number_t'(held[C]) + number_t'(popping && state[C] != Wait);
    assign first_ready = 3'(number_t'(free_tag[C]) + h) & wrap;
    assign next_push = 3'(number_t'(first_ready) + nr) & wrap;

    always_comb begin
      nr = '0;
      for (int k = 0; k < Nflags; k++)
        if (number_t'(k) >= number_t'(base) && number_t'(k) < number_t'(base) + slots)
          nr = nr + number_t'(flags[P][k]) + number_t'(arriving[P][k]);
    end

    // each slot's tokens, and whether it is held, ready and being written where it must be
    always_comb begin
      bad_tokens = 1'b0;
      bad_window = 1'b0;
      for (int k = 0; k < Nflags; k++) begin : slot
        logic ready, free, written, has, to_do;
        logic [2:0] flag;
        number_t way;  // slots from the first held one
        flag = 3'(k) + base;
        way = number_t'((3'(k) - free_tag[C]) & wrap);
        ready = flags[P][flag[$clog2(Nflags)-1:0]] || arriving[P][flag[$clog2(Nflags)-1:0]];
        free = flags[C][flag[$clog2(Nflags)-1:0]] || arriving[C][flag[$clog2(Nflags)-1:0]];
        written = writing && index[P] == flag;
        has = way < h;
        to_do = !inits[C] || (signalling && flag >= index[C]);
        if (number_t'(k) < slots) begin
          if (3'(ready) + 3'(free) + 3'(written) + 3'(has) + 3'(to_do) != 3'd1) bad_tokens = 1'b1;
          if (ready != (way >= h && way < h + nr)) bad_window = 1'b1;
          if (written != (writing && way == h + nr)) bad_window = 1'b1;
        end
      end
    end

    always_comb begin
      if (started && active) begin
        // I1: each slot has exactly one token
        one_token: assert (!bad_tokens);
        // I3: pop_tag is free_tag + held, and push_tag free_tag + h + nr, modulo the slots
        tags: assert (pop_tag[C] == (3'(number_t'(free_tag[C]) + number_t'(held[C])) & wrap)
                      && push_tag[P] == next_push);
        // I4: no more slots are held, ready and being written than there are
        capacity: assert (h + nr + number_t'(writing) <= slots);
        // I4: the consumer holds no more slots than the limit
        hold: assert (h <= limit && number_t'(held[C]) <= limit);
        // (invariant) held, ready and written slots follow each other from free_tag on
        window: assert (!bad_window);
        // (invariant) a credit is of one slot
      one_slot: assert ((!pushing || credit[P]) && (!freeing || credit[C])
                        && (!signalling || single[C]));
      // (invariant) a TPUSH at work has the flag of push_tag
        push_index: assert (!pushing || index[P] == base + push_tag[P]);
        // (invariant) a TPOP at work has the flag of pop_tag, and may hold one slot more
        pop_index: assert (!popping || (index[C] == base + pop_tag[C]
                                        && number_t'(held[C]) < limit));
        // (invariant) a TFREE at work has the flag of free_tag, and a slot to free
        free_index: assert (!freeing || (index[C] == base + free_tag[C] && held[C] != 4'd0));
        // (invariant) an INIT that SETs flags has those of the ring that its core consumes
        init_index: assert (!signalling || (inits[C] && index[C] >= base && index[C] <= last[C]
                                            && number_t'(last[C]) == number_t'(base) + slots - 1'b1));
        // (invariant) a ring is fresh until its producer is initialised
        fresh: assert (inits[P] || (h == '0 && nr == '0 && !writing && free_tag[C] == '0));
      end
      if (started && !active) begin
        // (invariant) nobody is at work for a direction that is off
        off: assert (!pushing && !popping && !freeing && !signalling);
      end
      // all slots are full, one of them held
      full: cover (started && active && h == number_t'(1) && nr == slots - 1'b1 && !both);
      // a TPUSH waits because all slots are full
      push_waits: cover (started && active && pushing && state[P] == Wait && h + nr == slots
                         && !both);
    end
  end

  endpoint_t [1:0] cube;  // AIC's, of both pairs
  assign cube = {u_dut.endpoint[1], u_dut.endpoint[0]};

  logic [1:0] sound;  // of each side's core and endpoint
  always_comb begin
    for (int c = 0; c < 2; c++) begin
      sound[c] = inits[c] ? same_mask[c]
                 : push_tag[c] == '0 && pop_tag[c] == '0 && free_tag[c] == '0 && held[c] == '0;
      if (push_tag[c] > wrap || pop_tag[c] > wrap || free_tag[c] > wrap) sound[c] = 1'b0;
      if (state[c] > Done) sound[c] = 1'b0;
      if (here[c]) begin
        if (fine[c] && (!inits[c] || op[c] > Tfree)) sound[c] = 1'b0;
        if (state[c] != Done && !fine[c]) sound[c] = 1'b0;
        if (state[c] == Pre && op[c] != Init) sound[c] = 1'b0;
        if ((state[c] == Wait || state[c] == Xfer) && op[c] != Tpush && op[c] != Tpop)
          sound[c] = 1'b0;
      end
    end
  end

  always_comb begin
    if (started) begin
      // both sides of the pipe are initialised with the same direction mask, a credit for each slot,
      // and no halves
      same: assume (agreed);
      // all commands are of the first pipe
      alone: assume (Others || {cmd[0].pipe, cmd[1].pipe, cmd[2].pipe} == '0);

      // I2: no SET arrives at a set flag, nor two at the same
      no_set_set: assert (u_dut.set_set[2*Pair+:2] == 2'b00 && twice[0] == '0 && twice[1] == '0
                          && (arriving[0] & flags[0]) == '0 && (arriving[1] & flags[1]) == '0);
      // I2: no clear flag is consumed
      no_clear_consumed: assert (
        (!u_dut.gen_bank[2*Pair].u_bank.consume_i
         || flags[0][u_dut.gen_bank[2*Pair].u_bank.consume_index_i])
        && (!u_dut.gen_bank[2*Pair+1].u_bank.consume_i
            || flags[1][u_dut.gen_bank[2*Pair+1].u_bank.consume_index_i]));
      // I9: a pipe of one direction is never stuck; one of two only if both push, or both pop
      stuck: assert (!deadlock[Pair] || here != 2'b11 || (both && op[0] == op[1]));
      // (invariant) a mask of the three legal ones
      legal: assert (mask != 2'd0);
      // (invariant) no command of the pipe is for both pairs
      whole: assert (cube[0].split == Whole && cube[1].split == Whole
                     && !(u_dut.gen_core[0].u_core.both_q && state[0] != Idle
                          && u_dut.gen_core[0].u_core.pipe_q == 2'd0));
      // (invariant) cores and endpoints of the pair are as their commands leave them
      cores: assert (sound == 2'b11);
    end
    // the mask is a legal one
    legal_mask: assume (mask_i != 2'd0);
    // both sides push and are stuck
    both_stuck: cover (started && deadlock[Pair] && here == 2'b11 && op[0] == Tpush);
  end

endmodule

`default_nettype wire
