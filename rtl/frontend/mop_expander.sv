// SPDX-License-Identifier: Apache-2.0
//
// MOP expander of one thread: passes words on, swallows MOP_CFG, expands MOP.
//
// Latency: combinational from the head of the FIFO to emit_o; the first word of an expansion leaves
// in the cycle in which the MOP is popped. One cycle (TRANS) after an expansion only a MOP is taken.
// Handshake: word_valid_i/word_i show the head, pop_o pops it; emit_valid_o needs emit_ready_i.
// Reset: IDLE, MaskHi and MopCfg 0. A MopCfg write is seen by a MOP popped in the next cycle or later.
// Decisions F1-F11; docs/frontend.md section 2.
`default_nettype none

module mop_expander
  import tilepath_isa_pkg::*;
  import frontend_pkg::*;
#(
  parameter int MopB2bFree = 1  // if == 1, a MOP right behind a MOP pays no dead cycle (F11)
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  // MopCfg write port
  input wire logic        cfg_valid_i,
  input wire logic [3:0]  cfg_index_i,
  input wire logic [31:0] cfg_data_i,
  // head of the instruction FIFO
  input wire logic        word_valid_i,
  input wire logic [31:0] word_i,
  output logic            pop_o,
  // to the M queue
  output logic            emit_valid_o,
  output logic [31:0]     emit_o,
  input wire logic        emit_ready_i,
  // observation
  output logic            ingest_o,  // pops a MOP or MOP_CFG
  output logic [1:0]      state_o
);

  localparam logic [1:0] Idle = 2'd0, Exp = 2'd1, Trans = 2'd2;

  logic [1:0] state_q;
  logic [15:0] mask_hi_q;
  logic [31:0] cfg_q[9];
  logic [31:0] snap_q[9];  // MopCfg as it was when the MOP was popped (F7)
  expansion_t head, expansion_q;
  step_t first, step_q;
  logic [3:0] select_q, first_select;  // MopCfg index of the word to emit

  logic is_mop, is_mop_cfg, expanding, take, start, empty;
  logic [31:0] outer_word, inner_word, start_word, end0_word, end1_word, loop1_word;
  logic has_start, has_end0, has_end1, alternate, bug, template1;
  logic [6:0] outer, inner;

  assign is_mop = word_valid_i && word_i[31:24] == OP_MOP;
  assign is_mop_cfg = word_valid_i && word_i[31:24] == OP_MOP_CFG;
  assign expanding = state_q == Exp;
  assign take = word_valid_i
             && (state_q == Idle || (state_q == Trans && is_mop && MopB2bFree != 0));

  // ---- what a MOP at the head would expand to
  assign outer_word = cfg_q[0];
  assign inner_word = cfg_q[1];
  assign start_word = cfg_q[2];
  assign end0_word = cfg_q[3];
  assign end1_word = cfg_q[4];
  assign loop1_word = cfg_q[6];

  assign template1 = word_i[MOP_TEMPLATE_LSB];
  assign outer = outer_word[6:0];
  assign inner = inner_word[6:0];
  assign has_start = start_word[31:24] != OP_NOP;
  assign has_end0 = end0_word[31:24] != OP_NOP;
  assign has_end1 = end1_word[31:24] != OP_NOP;
  assign alternate = loop1_word[31:24] != OP_NOP;
  assign bug = outer == 7'd1 && !has_start && inner == 7'd0 && has_end0;
  assign empty = template1 && (outer == 7'd0 || (!has_start && inner == 7'd0 && !has_end0));

  assign head = {
    template1,
    template1 ? (bug ? 8'd129 : {1'b0, outer})
              : {1'b0, word_i[MOP_COUNT1_MSB:MOP_COUNT1_LSB]} + 8'd1,
    alternate ? {inner, 1'b0} : {1'b0, inner},
    has_start, has_end0, has_end1, alternate,
    inner_word[0], inner_word[1]
  };
  assign first = {
    first_pos(head, word_i[MOP_MASK_LO_LSB]), 8'd0, 8'd0, 1'b0,
    mask_hi_q, word_i[MOP_MASK_LO_MSB:MOP_MASK_LO_LSB]
  };
  assign first_select = step_select(head, first);

  // ---- this cycle
  assign start = take && is_mop && !empty && emit_ready_i;
  assign pop_o = take && (is_mop_cfg || (is_mop && empty) || emit_ready_i);
  assign ingest_o = pop_o && (is_mop || is_mop_cfg);
  assign emit_valid_o = expanding || (take && !is_mop_cfg && !(is_mop && empty));
  assign emit_o = expanding ? snap_q[select_q] : is_mop ? cfg_q[first_select] : word_i;
  assign state_o = state_q;

  // ---- the next step is worked out while the present one is emitted
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      mask_hi_q <= '0;
      expansion_q <= '0;
      step_q <= '0;
      select_q <= '0;
      for (int i = 0; i < 9; i++) begin
        cfg_q[i] <= '0;
        snap_q[i] <= '0;
      end
    end else begin : step
      logic [53:0] next;  // {the present step is the last, the step after it}

      if (start) begin
        next = next_step(head, first);
        state_q <= next[53] ? Trans : Exp;
        expansion_q <= head;
        step_q <= next[52:0];
        select_q <= step_select(head, next[52:0]);
        for (int i = 0; i < 9; i++) snap_q[i] <= cfg_q[i];
      end else if (expanding) begin
        if (emit_ready_i) begin
          next = next_step(expansion_q, step_q);
          if (next[53]) state_q <= Trans;
          step_q <= next[52:0];
          select_q <= step_select(expansion_q, next[52:0]);
        end
      end else if (take && is_mop && empty) begin
        state_q <= Trans;
      end else if (state_q != Idle) begin
        state_q <= Idle;
      end
      if (take && is_mop_cfg) mask_hi_q <= word_i[MOP_CFG_MASK_HI_MSB:MOP_CFG_MASK_HI_LSB];
      if (cfg_valid_i && cfg_index_i < 4'd9) cfg_q[cfg_index_i] <= cfg_data_i;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (expanding && (select_q < 4'd2 || select_q > 4'd8))
      $fatal(1, "mop_expander: step %0d selects no MopCfg word", select_q);
  end
`endif

endmodule

`default_nettype wire
