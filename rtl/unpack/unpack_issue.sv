// SPDX-License-Identifier: Apache-2.0
//
// Takes words from the issue ports, gives each UNPACR its address phase and tells when an
// instruction is sampled (section 3 of docs/unpack.md).
//
// Latency: a word that issues in t is sampled in t+1; of two UNPACRs that issue at once, one waits
// for the other. Handshake: a word for unpacker u issues only with ready_o[u], of a thread only
// without its hold_o. Reset: nothing under way, turn 0. The UNPACR that has the phase is up from
// its sampling cycle to the last cycle of the phase: sample_o in the first, in which uncompressed_i
// decides how many there are. update_o is up in the last one, of a Regular UNPACR.
`default_nettype none

module unpack_issue
  import tilepath_isa_pkg::*;
(
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        issue_valid_i [2],
  input  wire logic [1:0]  issue_thread_i [2],
  input  wire logic [31:0] issue_word_i [2],
  output wire logic [1:0]  ready_o,
  output wire logic [2:0]  hold_o,
  output wire logic [5:0]  busy_o,          // bit 2t + u
  // the UNPACR that has the address phase
  output wire logic        sample_o,        // its sampling cycle
  output wire logic        update_o,        // its counters are incremented
  output wire logic        unpacker_o,
  output wire logic [1:0]  thread_o,
  output wire logic [22:0] word_o,
  output wire logic        regular_o,
  input  wire logic        uncompressed_i,
  // UNPACR_NOPs in their sampling cycle
  output wire logic [1:0]  nop_o,
  output wire logic [1:0]  nop_thread_o [2],
  output wire logic [22:0] nop_word_o [2],
  // the queue has room for an instruction that issues in this cycle
  input  wire logic [1:0]  room_i
);

  typedef struct packed {
    logic        unpacker;
    logic [1:0]  thread;
    logic [22:0] word;
  } issued_t;

  // The sampling cycle, of a compressed tile two more; then the phase is over.
  typedef enum logic [1:0] { PhaseNone, PhaseSample, PhaseMiddle, PhaseLast } phase_e;

  phase_e phase_q;
  logic wait_valid_q, turn_q;
  issued_t phase_word_q, wait_word_q;
  logic [1:0] nop_valid_q;

  function automatic issued_t issued_of(input logic unpacker, input logic [1:0] thread,
                                        input logic [22:0] word);
    issued_of.unpacker = unpacker;
    issued_of.thread = thread;
    issued_of.word = word;
  endfunction

  wire logic [1:0] unpacr = {issue_valid_i[1] && issue_word_i[1][31:24] == OP_UNPACR,
                             issue_valid_i[0] && issue_word_i[0][31:24] == OP_UNPACR};
  wire logic [1:0] nop = {issue_valid_i[1] && issue_word_i[1][31:24] != OP_UNPACR,
                          issue_valid_i[0] && issue_word_i[0][31:24] != OP_UNPACR};
  wire logic both = &unpacr;
  wire logic first = both ? turn_q : unpacr[1];
  wire issued_t issued0, issued1;

  assign issued0 = issued_of(1'b0, issue_thread_i[0], issue_word_i[0][22:0]);
  assign issued1 = issued_of(1'b1, issue_thread_i[1], issue_word_i[1][22:0]);

  // ---- the address phase
  wire logic free = phase_q == PhaseNone && !wait_valid_q;
  wire logic longer = regular_o && !uncompressed_i;

  assign unpacker_o = phase_word_q.unpacker;
  assign thread_o = phase_word_q.thread;
  assign word_o = phase_word_q.word;
  assign regular_o = !word_o[UNPACR_FLUSH_CACHE_LSB] && !word_o[UNPACR_INC_CTX_LSB];
  assign sample_o = phase_q == PhaseSample;
  assign update_o = (sample_o && regular_o && uncompressed_i) || phase_q == PhaseLast;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= PhaseNone;
      wait_valid_q <= 1'b0;
      turn_q <= 1'b0;
      phase_word_q <= '0;
      wait_word_q <= '0;
    end else begin
      case (phase_q)
        PhaseNone: begin
          // nothing issues while one waits: ready_o is 0
          if (wait_valid_q || unpacr != 2'd0) phase_q <= PhaseSample;
          if (wait_valid_q) phase_word_q <= wait_word_q;
          else if (unpacr != 2'd0) phase_word_q <= first ? issued1 : issued0;
          wait_valid_q <= both;
          if (both) begin
            wait_word_q <= first ? issued0 : issued1;
            turn_q <= !turn_q;
          end
        end
        PhaseSample: begin
          if (longer) phase_q <= PhaseMiddle;
          else phase_q <= PhaseNone;
        end
        PhaseMiddle: phase_q <= PhaseLast;
        default: phase_q <= PhaseNone;
      endcase
    end
  end

  // ---- NOPs
  assign nop_o = nop_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) nop_valid_q <= '0;
    else nop_valid_q <= nop;
  end

  for (genvar u = 0; u < 2; u++) begin : gen_nop
    logic [1:0] thread_q;
    logic [22:0] word_q;

    assign nop_thread_o[u] = thread_q;
    assign nop_word_o[u] = word_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        thread_q <= '0;
        word_q <= '0;
      end else if (nop[u]) begin
        thread_q <= issue_thread_i[u];
        word_q <= issue_word_i[u][22:0];
      end
    end
  end

  // ---- what is under way
  wire logic phase_valid = phase_q != PhaseNone;

  assign ready_o = free ? room_i : 2'd0;
  assign hold_o = (phase_valid ? 3'd1 << phase_word_q.thread : 3'd0)
                  | (wait_valid_q ? 3'd1 << wait_word_q.thread : 3'd0);
  assign busy_o = (phase_valid ? 6'd1 << {phase_word_q.thread, phase_word_q.unpacker} : 6'd0)
                  | (wait_valid_q ? 6'd1 << {wait_word_q.thread, wait_word_q.unpacker} : 6'd0)
                  | (nop_valid_q[0] ? 6'd1 << {nop_thread_o[0], 1'b0} : 6'd0)
                  | (nop_valid_q[1] ? 6'd1 << {nop_thread_o[1], 1'b1} : 6'd0);

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    for (int u = 0; u < 2; u++) begin
      if (issue_valid_i[u]) begin
        if (!ready_o[u]) $fatal(1, "unpack_issue: unpacker %0d is issued to without ready", u);
        if (issue_word_i[u][31:25] != OP_UNPACR[7:1] || issue_word_i[u][23] != 1'(u))
          $fatal(1, "unpack_issue: %h is no word for unpacker %0d", issue_word_i[u], u);
        if (issue_thread_i[u] == 2'd3) $fatal(1, "unpack_issue: there is no thread 3");
        if (hold_o[issue_thread_i[u]])
          $fatal(1, "unpack_issue: thread %0d issues while it is held", issue_thread_i[u]);
      end
    end
    if (issue_valid_i[0] && issue_valid_i[1] && issue_thread_i[0] == issue_thread_i[1])
      $fatal(1, "unpack_issue: thread %0d issues two words", issue_thread_i[0]);
  end
`endif

endmodule

`default_nettype wire
