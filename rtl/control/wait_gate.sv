// SPDX-License-Identifier: Apache-2.0
//
// Wait gate of one thread: decides whether the offered word issues, and keeps the wait latch.
//
// Latency: combinational from the offered word to request_o, and from grant_i to ready_o.
// Handshake: a word that is offered stays until ready_o. request_o asks for the word's resource in
// cycles in which only that can hold it and the resource is available; grant_i says that it won.
// The latch set by a wait that issues in c holds words from c+1 on; it is evaluated in each cycle
// in which it is valid, and is gone in the cycle after the one in which its condition is met.
// Reset: no latch. Decisions C8-C13, C17, C19-C21, C26, C27; docs/control.md section 3.
`default_nettype none

module wait_gate
  import tilepath_isa_pkg::*;
  import control_pkg::*;
  import control_fault_pkg::*;
#(
  parameter int StaleGpr = 0  // 1: fault of a WRCFG right behind the scalar word that writes its GPR
) (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  // issue port
  input wire logic         valid_i,
  input wire logic [31:0]  word_i,
  output wire logic        ready_o,
  output wire logic [FaultWidth-1:0] fault_o,
  // arbitration
  input wire logic         inside_i,     // of a scalar instruction, or of an address phase
  input wire logic [15:0]  available_i,  // by resource; bit ResNone means nothing
  output wire logic [15:0] request_o,    // one-hot, by resource
  input wire logic         grant_i,
  // what issues here without arbitration
  output wire logic        adc_o,
  output wire logic        setc16_o,
  output wire logic        release_o,
  output wire logic [1:0]  mutex_o,
  input wire logic [3:0]   owned_i,      // mutexes that the thread holds
  // what waits wait for
  input wire logic [12:0]  busy_i,
  input wire semaphores_t  semaphores_i,
  input wire logic [7:0]   zero_i,       // semaphores that are 0, or 15, in the next cycle
  input wire logic [7:0]   full_i,
  input wire wait_fields_t wait_i,
  output wire logic [5:0]  stream_o,
  input wire logic [19:0]  phase_i,      // of stream_o
  input wire logic [16:0]  msgs_i,
  output wire latch_t      latch_o,
  output wire logic [19:0] latch_target_o
);

  // ---- faults that other words decide
  // a SEMPOST or SEMGET changes nothing, of one semaphore at least (C26)
  wire logic [7:0] selected = word_i[SEMINIT_SEM_MASK_MSB:SEMINIT_SEM_MASK_LSB];
  wire logic loses = (word_i[31:24] == OP_SEMPOST && (selected & full_i) != '0)
                  || (word_i[31:24] == OP_SEMGET && (selected & zero_i) != '0);

  // the GPR that the word before writes, if that is a scalar one (C27)
  logic result_valid_q;
  logic [5:0] result_q;
  wire logic [5:0] gpr = word_i[WRCFG_GPR_MSB:WRCFG_GPR_LSB];
  wire logic [5:0] set_gpr = word_i[SETDMAREG_HALF_REG_MSB:SETDMAREG_HALF_REG_LSB+1];
  wire logic adds = word_i[31:24] == OP_ADDDMAREG || word_i[31:24] == OP_MULDMAREG;
  wire logic sets = word_i[31:24] == OP_SETDMAREG && !word_i[SETDMAREG_MODE_LSB];
  wire logic stale = word_i[31:24] == OP_WRCFG && result_valid_q && gpr[5:2] == result_q[5:2]
                  && (word_i[WRCFG_IS128_LSB] || gpr[1:0] == result_q[1:0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      result_valid_q <= 1'b0;
      result_q <= '0;
    end else if (ready_o) begin
      result_valid_q <= StaleGpr != 0 && (adds || sets);
      result_q <= adds ? word_i[ADDDMAREG_RESULT_MSB:ADDDMAREG_RESULT_LSB] : set_gpr;
    end
  end

  // ---- the offered word
  decoded_t word;
  wire logic held, wants;

  assign word = decode(word_i);
  assign fault_o = !ready_o ? '0
                 : word.release_mutex && !owned_i[word.mutex] ? FaultWidth'(1) << FaultMutexOwner
                 : word.faults | FaultWidth'(loses) << FaultSemLost
                               | FaultWidth'(stale) << FaultStaleGpr;

  // ---- the latch
  logic valid_q, first_q;  // first: the first cycle in which it is valid
  latch_kind_e kind_q;
  logic [8:0] block_q;
  logic [12:0] what_q;
  logic [19:0] target_q;  // in the first cycle only its low 10 bits
  wire logic [9:0] target_hi = what_q[0] ? {3'd0, wait_i.msgs_hi} : wait_i.phase_hi;

  wire logic [23:0] streams = wait_i.streams;

  assign stream_o = streams[6*what_q[2:1]+:6];
  assign latch_o = {valid_q, kind_q, block_q, what_q};
  assign latch_target_o = first_q && kind_q == Stream ? {target_hi, target_q[9:0]} : target_q;

  // ---- issue
  assign held = valid_q && (word.is_wait || (word.is_nop && &block_q)
                            || (word.classes & block_q) != '0);
  assign wants = valid_i && !word.illegal && !inside_i && !held;
  // a bank of SrcA, SrcB that the word waits for is the Unpackers' (M8)
  wire logic bank_missing
    = (word.src_waits & {busy_i[STALL_COND_SRCB_MATH_BANK], busy_i[STALL_COND_SRCA_MATH_BANK]}) != '0;
  assign request_o
    = wants && word.resource != ResNone && available_i[word.resource] && !bank_missing
      ? 16'd1 << word.resource : 16'd0;
  assign ready_o = grant_i || (wants && word.resource == ResNone) || (valid_i && word.illegal);
  // no grant is waited for, and TDMA is the one class: as ready_o, but much earlier
  assign adc_o = valid_i && word.adc && !inside_i && !(valid_q && block_q[CLS_TDMA]);
  assign setc16_o = ready_o && word.setc16;
  assign release_o = ready_o && word.release_mutex && owned_i[word.mutex];
  assign mutex_o = word.mutex;

  // SEMWAIT: any chosen semaphore is 0, or at its maximum (C20).
  function automatic logic sem_holds(input semaphores_t semaphores, input logic [7:0] mask,
                                     input logic [1:0] cond);
    logic [31:0] value, max;

    value = semaphores.value;
    max = semaphores.max;
    sem_holds = 1'b0;
    for (int i = 0; i < 8; i++) begin
      if (mask[i] && ((cond[SEM_COND_ZERO] && value[4*i+:4] == 4'd0)
                      || (cond[SEM_COND_MAX] && value[4*i+:4] >= max[4*i+:4])))
        sem_holds = 1'b1;
    end
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      first_q <= 1'b0;
      kind_q <= None;
      block_q <= '0;
      what_q <= '0;
      target_q <= '0;
    end else if (valid_q) begin
      first_q <= 1'b0;
      target_q <= latch_target_o;
      if (!(kind_q == Stall ? (what_q & busy_i) != '0
            : kind_q == Sem ? sem_holds(semaphores_i, what_q[7:0], what_q[9:8])
                            : (what_q[0] ? {3'd0, msgs_i} : phase_i) < latch_target_o)) begin
        valid_q <= 1'b0;
        kind_q <= None;
        block_q <= '0;
        what_q <= '0;
        target_q <= '0;
      end
    end else if (ready_o && word.is_wait) begin
      valid_q <= 1'b1;
      first_q <= 1'b1;
      block_q <= word_i[STALLWAIT_BLOCK_MSB:STALLWAIT_BLOCK_LSB] == 9'd0
                 ? 9'(STALL_DEFAULT_BLOCK) : word_i[STALLWAIT_BLOCK_MSB:STALLWAIT_BLOCK_LSB];
      case (word_i[31:24])
        OP_STALLWAIT: begin
          kind_q <= Stall;
          what_q <= word_i[STALLWAIT_COND_MSB:STALLWAIT_COND_LSB] == 13'd0
                    ? 13'(STALL_DEFAULT_COND) : word_i[STALLWAIT_COND_MSB:STALLWAIT_COND_LSB];
        end
        OP_SEMWAIT: begin
          kind_q <= Sem;
          what_q <= {3'd0, word_i[SEMWAIT_COND_MSB:SEMWAIT_COND_LSB],
                     word_i[SEMWAIT_SEM_MASK_MSB:SEMWAIT_SEM_MASK_LSB]};
        end
        default: begin
          kind_q <= Stream;
          what_q <= {10'd0, word_i[STREAMWAIT_STREAM_SEL_MSB:STREAMWAIT_STREAM_SEL_LSB],
                     word_i[STREAMWAIT_COND_IDX_LSB]};
          target_q <= {10'd0, word_i[STREAMWAIT_TARGET_LO_MSB:STREAMWAIT_TARGET_LO_LSB]};
        end
      endcase
    end
  end

`ifndef SYNTHESIS
  logic waited_q;
  logic [31:0] word_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waited_q <= 1'b0;
    else waited_q <= valid_i && !ready_o;
  end

  // nested, since Icarus evaluates both sides of an && and reading a net costs it most
  always @(posedge clk_i) begin
    if (waited_q) begin
      if (!(valid_i && word_i == word_q)) $fatal(1, "wait_gate: the word %h was withdrawn", word_q);
    end
    if (ready_o) begin
      if (!valid_i) $fatal(1, "wait_gate: a word is taken that is not offered");
      if (grant_i && request_o == '0) $fatal(1, "wait_gate: a grant that was not asked for");
      if (word.is_wait && valid_q) $fatal(1, "wait_gate: a wait replaces a live latch");
    end else if (valid_i) begin
      word_q <= word_i;
      if (adc_o) $fatal(1, "wait_gate: address counters get a word that is not taken");
    end
  end
`endif

endmodule

`default_nettype wire
