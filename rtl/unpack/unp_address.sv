// SPDX-License-Identifier: Apache-2.0
//
// The address unit: takes words from the issue ports, gives each UNPACR its address phase and tells
// when an instruction is sampled (section 3 of docs/unpack.md).
//
// Latency: a word that issues in t is sampled in t+1, in the order of the tie's turn if two UNPACRs
// issue at once. Handshake: a word for unpacker u issues only with ready_o[u]. Reset: nothing under
// way, turn 0. The UNPACR that has the phase is up from its sampling cycle to the last cycle of the
// phase: sample_o in the first, last_o in the last of them, compressed_i decides in the first
// how many.
`default_nettype none

module unp_address
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
  output wire logic        last_o,          // the last cycle of its phase
  output wire logic        unpacker_o,
  output wire logic [1:0]  thread_o,
  output wire logic [22:0] word_o,
  output wire logic        regular_o,
  input  wire logic        compressed_i,
  // UNPACR_NOPs in their sampling cycle
  output wire logic        nop_o [2],
  output wire logic [1:0]  nop_thread_o [2],
  output wire logic [22:0] nop_word_o [2],
  // instructions in a queue, as registered
  input  wire logic [1:0]  queued_i [2]
);

  typedef struct packed {
    logic        unpacker;
    logic [1:0]  thread;
    logic [22:0] word;
  } issued_t;

  localparam logic [1:0] LastOfCompressed = 2'd2;

  logic phase_valid_q, wait_valid_q, turn_q;
  logic [1:0] cycle_q;  // of the phase, 0 the sampling cycle
  issued_t phase_q, wait_q;
  logic [1:0] nop_valid_q;

  wire logic [1:0] unpacr = {issue_valid_i[1] && issue_word_i[1][31:24] == OP_UNPACR,
                             issue_valid_i[0] && issue_word_i[0][31:24] == OP_UNPACR};
  wire logic [1:0] nop = {issue_valid_i[1] && issue_word_i[1][31:24] != OP_UNPACR,
                          issue_valid_i[0] && issue_word_i[0][31:24] != OP_UNPACR};
  wire logic first = &unpacr ? turn_q : unpacr[1];
  wire logic [25:0] issued0 = {1'b0, issue_thread_i[0], issue_word_i[0][22:0]};
  wire logic [25:0] issued1 = {1'b1, issue_thread_i[1], issue_word_i[1][22:0]};

  assign unpacker_o = phase_q.unpacker;
  assign thread_o = phase_q.thread;
  assign word_o = phase_q.word;
  assign regular_o = !phase_q.word[UNPACR_FLUSH_CACHE_LSB] && !phase_q.word[UNPACR_INC_CTX_LSB];
  assign sample_o = phase_valid_q && cycle_q == 2'd0;
  assign last_o = phase_valid_q
    && (sample_o ? !(regular_o && compressed_i) : cycle_q == LastOfCompressed);

  for (genvar u = 0; u < 2; u++) begin : gen_nop
    logic [1:0] thread_q;
    logic [22:0] word_q;

    assign nop_o[u] = nop_valid_q[u];
    assign nop_thread_o[u] = thread_q;
    assign nop_word_o[u] = word_q;

    always_ff @(posedge clk_i) begin
      if (nop[u]) begin
        thread_q <= issue_thread_i[u];
        word_q <= issue_word_i[u][22:0];
      end
    end
  end

  // ---- room, and what is under way
  wire logic address_free = !phase_valid_q && !wait_valid_q;
  wire logic [1:0] room = {queued_i[1] + {1'b0, nop_valid_q[1]} < 2'd2,
                           queued_i[0] + {1'b0, nop_valid_q[0]} < 2'd2};

  assign ready_o = address_free ? room : 2'd0;
  assign hold_o = (phase_valid_q ? 3'd1 << phase_q.thread : 3'd0)
                  | (wait_valid_q ? 3'd1 << wait_q.thread : 3'd0);
  assign busy_o = (phase_valid_q ? 6'd1 << {phase_q.thread, phase_q.unpacker} : 6'd0)
                  | (wait_valid_q ? 6'd1 << {wait_q.thread, wait_q.unpacker} : 6'd0)
                  | (nop_valid_q[0] ? 6'd1 << {nop_thread_o[0], 1'b0} : 6'd0)
                  | (nop_valid_q[1] ? 6'd1 << {nop_thread_o[1], 1'b1} : 6'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_valid_q <= 1'b0;
      wait_valid_q <= 1'b0;
      turn_q <= 1'b0;
      cycle_q <= '0;
      phase_q <= '0;
      wait_q <= '0;
      nop_valid_q <= '0;
    end else begin
      if (phase_valid_q) begin
        phase_valid_q <= !last_o;
        cycle_q <= cycle_q + 2'd1;
      end else if (wait_valid_q || unpacr != 2'd0) begin
        // nothing issues while one waits: ready_o is 0
        phase_valid_q <= 1'b1;
        cycle_q <= '0;
        if (wait_valid_q) phase_q <= wait_q;
        else if (first) phase_q <= issued1;
        else phase_q <= issued0;
        wait_valid_q <= &unpacr;
        if (&unpacr) begin
          wait_q <= first ? issued0 : issued1;
          turn_q <= !turn_q;
        end
      end
      nop_valid_q <= nop;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    for (int u = 0; u < 2; u++) begin
      if (issue_valid_i[u]) begin
        if (!ready_o[u]) $fatal(1, "unp_address: unpacker %0d is issued to without ready", u);
        if (issue_word_i[u][31:25] != OP_UNPACR[7:1] || issue_word_i[u][23] != 1'(u))
          $fatal(1, "unp_address: %h is no word for unpacker %0d", issue_word_i[u], u);
        if (issue_thread_i[u] == 2'd3) $fatal(1, "unp_address: there is no thread 3");
        if (hold_o[issue_thread_i[u]])
          $fatal(1, "unp_address: thread %0d issues while it is held", issue_thread_i[u]);
      end
    end
    if (issue_valid_i[0] && issue_valid_i[1] && issue_thread_i[0] == issue_thread_i[1])
      $fatal(1, "unp_address: thread %0d issues two words", issue_thread_i[0]);
  end
`endif

endmodule

`default_nettype wire
