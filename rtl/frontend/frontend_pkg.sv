// SPDX-License-Identifier: Apache-2.0
//
// What the modules of the front end share: what their ports carry, kinds of words, and the steps of
// a MOP expansion.
`default_nettype none

package frontend_pkg;
  import tilepath_isa_pkg::*;

  // ---- kinds of words
  // A word's kind is all that qstatus and the issue port need to know of it. Kinds up to 9 are
  // legal at the issue port and differ in their units; kinds from KindIllegal on are not (F17).
  typedef enum logic [3:0] {
    KindPlain = 4'd0,    // waits for no unit: NOP
    KindTdma = 4'd1,     // B0 alone; kinds 3 to 6 are B0 with another class
    KindSync = 4'd2,     // B1, and the wait instructions
    KindThcon = 4'd3,    // B0 and B5
    KindPack = 4'd4,     // B0 and B2
    KindUnpack = 4'd5,   // B0 and B3
    KindXmov = 4'd6,     // B0 and B4
    KindMath = 4'd7,     // B6
    KindCfg = 4'd8,      // B7
    KindSfpu = 4'd9,     // B8
    KindIllegal = 4'd10,
    KindMop = 4'd11,
    KindReplay = 4'd12   // counts for qstatus: Exec or not Load (F22)
  } word_kind_e;
  localparam int KindCount = 13;

  function automatic word_kind_e word_kind(input logic [31:0] word);
    case (op_queue_class(word[31:24]))
      9'h001: word_kind = KindTdma;
      9'h002: word_kind = KindSync;
      9'h021: word_kind = KindThcon;
      9'h005: word_kind = KindPack;
      9'h009: word_kind = KindUnpack;
      9'h011: word_kind = KindXmov;
      9'h040: word_kind = KindMath;
      9'h080: word_kind = KindCfg;
      9'h100: word_kind = KindSfpu;
      default: begin
        if (!op_must_not_issue(word[31:24])) word_kind = KindPlain;
        else if (word[31:24] == OP_MOP) word_kind = KindMop;
        else if (word[31:24] == OP_REPLAY && (word[REPLAY_EXEC_LSB] || !word[REPLAY_LOAD_LSB]))
          word_kind = KindReplay;
        else word_kind = KindIllegal;
      end
    endcase
  endfunction

  // ---- states of the expanders
  typedef enum logic [1:0] {Idle = 2'd0, Exp = 2'd1, Trans = 2'd2} mop_state_e;
  typedef enum logic [1:0] {Pass = 2'd0, Play = 2'd1, Rec = 2'd2} replay_state_e;

  // ---- what ports carry
  // Their drivers assign them whole, which Icarus does faster than field by field.
  // A word on its way; the ready that takes it goes the other way, beside it.
  typedef struct packed {
    logic        valid;
    logic [31:0] word;
  } offer_t;

  // A core's write to MopCfg; without `valid` the rest means nothing.
  typedef struct packed {
    logic        valid;
    logic [3:0]  index;
    logic [31:0] data;
  } mopcfg_write_t;

  // Faults of a thread, in the cycle of their cause.
  typedef struct packed {
    logic illegal;      // an illegal word is retired
    logic mopcfg_race;  // MopCfg is written during an expansion
    logic collision;    // a word from BRISC meets one of the expander
  } faults_t;

  // Bits 0 to 10 of qstatus: where words of each unit are (F22).
  typedef struct packed {
    logic math;
    logic sfpu;
    logic tdma;
    logic sync;
    logic cfg;
    logic pack;
    logic unpack;
    logic xmov;
    logic thcon;
    logic mop;
    logic replay;
  } busy_t;

  // What happens inside a thread, for monitors.
  typedef struct packed {
    logic   fifo_empty;
    offer_t ingest;  // a MOP or MOP_CFG that the expander takes
    offer_t mq;      // a word that enters M
    offer_t rq;      // a word that enters R
  } obs_t;

  // ---- steps of a MOP expansion
  // What is expanded: the counts and flags that a MOP has when it is popped. The OuterCount += 128
  // defect of the silicon (F3) is in passes, the doubling for alternation (F4) in inner.
  typedef struct packed {
    logic       template1;
    logic [7:0] passes;     // template 1: outer count; template 0: iterations
    logic [7:0] inner;      // template 1: inner count
    logic       has_start;  // template 1: StartOp, EndOp0, EndOp1 are not NOP; LoopOp1 is not NOP
    logic       has_end0;
    logic       has_end1;
    logic       alternate;
    logic       has_b;      // template 0: flags
    logic       has_a123;
  } expansion_t;

  // Where the expansion is. pos is the MopCfg index of the word to emit, but in the loop body of
  // template 1 always PosLoop; mask is what is left of the zero mask, this iteration in bit 0.
  typedef struct packed {
    logic [3:0]  pos;
    logic [7:0]  pass;
    logic [7:0]  inner;
    logic        flip;
    logic [31:0] mask;
  } step_t;

  localparam logic [3:0] PosStart = 4'd2, PosEnd0 = 4'd3, PosEnd1 = 4'd4, PosLoop = 4'd5;
  localparam logic [3:0] PosLoop1 = 4'd6, PosLast0 = 4'd7, PosLast1 = 4'd8;
  localparam logic [3:0] PosB = 4'd2, PosA0 = 4'd3, PosA3 = 4'd6, PosSkipA = 4'd7, PosSkipB = 4'd8;

  // Where a pass of the outer loop, or an iteration of template 0, begins.
  function automatic logic [3:0] first_pos(input logic template1, input logic has_start,
                                           input logic has_inner, input logic skip);
    if (!template1) first_pos = skip ? PosSkipA : PosA0;
    else if (has_start) first_pos = PosStart;
    else first_pos = has_inner ? PosLoop : PosEnd0;
  endfunction

  // What follows `pos` within a pass of template 1; 0 when the pass ends there.
  function automatic logic [3:0] pos_after1(input logic [3:0] pos, input logic has_inner,
                                            input logic last_inner, input logic has_end0,
                                            input logic has_end1);
    pos_after1 = 4'd0;
    case (pos)
      PosStart: begin
        if (has_inner) pos_after1 = PosLoop;
        else if (has_end0) pos_after1 = PosEnd0;
      end
      PosLoop: begin
        if (!last_inner) pos_after1 = PosLoop;
        else if (has_end0) pos_after1 = PosEnd0;
      end
      PosEnd0: if (has_end1) pos_after1 = PosEnd1;
      default: pos_after1 = 4'd0;
    endcase
  endfunction

  // The same for an iteration of template 0.
  function automatic logic [3:0] pos_after0(input logic [3:0] pos, input logic has_b,
                                            input logic has_a123);
    pos_after0 = 4'd0;
    case (pos)
      PosB, PosSkipB: pos_after0 = 4'd0;
      PosSkipA: if (has_b) pos_after0 = PosSkipB;
      PosA0: begin
        if (has_a123) pos_after0 = pos + 4'd1;
        else if (has_b) pos_after0 = PosB;
      end
      PosA3: if (has_b) pos_after0 = PosB;
      default: pos_after0 = pos + 4'd1;
    endcase
  endfunction

  // What follows a step: another one, or none after the last.
  typedef struct packed {
    logic  none;
    step_t step;
  } next_t;

  function automatic next_t next_step(input expansion_t e, input step_t s);
    logic last_inner;
    logic [3:0] after;
    step_t n;
    n = s;
    last_inner = s.inner + 8'd1 == e.inner;
    if (e.template1) after = pos_after1(s.pos, e.inner != 8'd0, last_inner, e.has_end0, e.has_end1);
    else after = pos_after0(s.pos, e.has_b, e.has_a123);
    if (e.template1 && s.pos == PosLoop) begin
      // the phase flips with every inner iteration, an overridden one too (F5)
      n.flip = s.flip ^ e.alternate;
      n.inner = last_inner ? 8'd0 : s.inner + 8'd1;
    end
    n.pos = after;
    if (after == 4'd0) begin
      n.pass = s.pass + 8'd1;
      n.mask = {1'b0, s.mask[31:1]};
      n.pos = first_pos(e.template1, e.has_start, e.inner != 8'd0, s.mask[1]);
    end
    next_step.none = after == 4'd0 && s.pass + 8'd1 == e.passes;
    next_step.step = n;
  endfunction

endpackage

`default_nettype wire
