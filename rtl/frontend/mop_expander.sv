// SPDX-License-Identifier: Apache-2.0
//
// MOP expander of one thread: passes words on, swallows MOP_CFG, expands MOP.
//
// Latency: combinational from the head of the FIFO to emit_o; the first word of an expansion
// leaves in the cycle in which the MOP is popped. In the cycle after an expansion (TRANS) only a
// MOP is taken.
// Handshake: head_i shows the head, pop_o pops it. emit_o is taken in a cycle in which it is valid
// and emit_ready_i.
// Reset: IDLE, MaskHi and MopCfg 0. A MopCfg write is seen by a MOP popped in a later cycle.
// Decisions F1-F12; docs/frontend.md section 2.
`default_nettype none

module mop_expander
  import tilepath_isa_pkg::*;
  import frontend_pkg::*;
#(
  parameter int MopB2bFree = 1  // if 0, a MOP right behind a MOP pays the dead cycle too (F11)
) (
  input wire logic          clk_i,
  input wire logic          rst_ni,
  // MopCfg write port
  input wire mopcfg_write_t cfg_i,
  // head of the instruction FIFO
  input wire offer_t        head_i,
  output logic              pop_o,
  // to the M queue
  output offer_t            emit_o,
  input wire logic          emit_ready_i,
  // observation
  output logic              ingest_o,  // pops a MOP or MOP_CFG
  output mop_state_e        state_o
);

  mop_state_e state_q;
  logic [15:0] mask_hi_q;
  logic [31:0] cfg_q[9];
  logic [31:0] snap_q[9];  // MopCfg as it was when the MOP was popped (F7)
  expansion_t head, expansion, expansion_q;
  step_t first, step, step_q;
  logic [3:0] select;  // MopCfg index of the word to emit
  logic last_inner, last_pass;

  logic is_mop, is_mop_cfg, expanding, take, start, empty;
  logic has_start, has_end0, has_end1, alternate, bug, template1;
  logic [6:0] outer, inner;
  logic emit_valid;
  logic [31:0] emit_word;

  assign is_mop = head_i.valid && head_i.word[31:24] == OP_MOP;
  assign is_mop_cfg = head_i.valid && head_i.word[31:24] == OP_MOP_CFG;
  assign expanding = state_q == Exp;
  assign take = head_i.valid
             && (state_q == Idle || (state_q == Trans && is_mop && MopB2bFree != 0));

  // ---- what a MOP at the head would expand to
  assign template1 = head_i.word[MOP_TEMPLATE_LSB];
  assign outer = cfg_q[0][6:0];
  assign inner = cfg_q[1][6:0];
  assign has_start = cfg_q[2][31:24] != OP_NOP;
  assign has_end0 = cfg_q[3][31:24] != OP_NOP;
  assign has_end1 = cfg_q[4][31:24] != OP_NOP;
  assign alternate = cfg_q[6][31:24] != OP_NOP;
  assign bug = outer == 7'd1 && !has_start && inner == 7'd0 && has_end0;
  assign empty = template1 && (outer == 7'd0 || (!has_start && inner == 7'd0 && !has_end0));

  assign head.template1 = template1;
  assign head.passes = template1 ? (bug ? 8'd129 : {1'b0, outer})
                     : {1'b0, head_i.word[MOP_COUNT1_MSB:MOP_COUNT1_LSB]} + 8'd1;
  assign head.inner = alternate ? {inner, 1'b0} : {1'b0, inner};
  assign head.has_start = has_start;
  assign head.has_end0 = has_end0;
  assign head.has_end1 = has_end1;
  assign head.alternate = alternate;
  assign head.has_b = cfg_q[1][0];
  assign head.has_a123 = cfg_q[1][1];
  assign first.pos
    = first_pos(template1, has_start, inner != 7'd0, head_i.word[MOP_MASK_LO_LSB]);
  assign first.pass = 8'd0;
  assign first.inner = 8'd0;
  assign first.flip = 1'b0;
  assign first.mask = {mask_hi_q, head_i.word[MOP_MASK_LO_MSB:MOP_MASK_LO_LSB]};

  // ---- the step that is emitted now, and the MopCfg index of its word
  assign expansion = expanding ? expansion_q : head;
  assign step = expanding ? step_q : first;
  assign last_inner = step.inner + 8'd1 == expansion.inner;
  assign last_pass = step.pass + 8'd1 == expansion.passes;

  always_comb begin
    select = step.pos;
    if (expansion.template1 && step.pos == PosLoop) begin
      if (last_inner) select = last_pass ? PosLast0 : PosLast1;
      else if (step.flip) select = PosLoop1;
    end
  end

  // ---- this cycle
  assign start = take && is_mop && !empty && emit_ready_i;
  assign pop_o = take && (is_mop_cfg || (is_mop && empty) || emit_ready_i);
  assign ingest_o = pop_o && (is_mop || is_mop_cfg);
  assign emit_valid = expanding || (take && !is_mop_cfg && !(is_mop && empty));
  assign emit_word = expanding ? snap_q[select] : is_mop ? cfg_q[select] : head_i.word;
  assign emit_o = {emit_valid, emit_word};
  assign state_o = state_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      mask_hi_q <= '0;
      expansion_q <= '0;
      step_q <= '0;
      for (int i = 0; i < 9; i++) begin
        cfg_q[i] <= '0;
        snap_q[i] <= '0;
      end
    end else begin : active
      next_t next;

      if (start || (expanding && emit_ready_i)) begin
        next = next_step(expansion, step);
        state_q <= next.none ? Trans : Exp;
        step_q <= next.step;
        expansion_q <= expansion;
      end else if (take && is_mop && empty) begin
        state_q <= Trans;
      end else if (state_q == Trans) begin
        state_q <= Idle;
      end
      if (start) begin
        for (int i = 0; i < 9; i++) snap_q[i] <= cfg_q[i];
      end
      if (take && is_mop_cfg) mask_hi_q <= head_i.word[MOP_CFG_MASK_HI_MSB:MOP_CFG_MASK_HI_LSB];
      if (cfg_i.valid && cfg_i.index < 4'd9) cfg_q[cfg_i.index] <= cfg_i.data;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (expanding && (select < 4'd2 || select > 4'd8))
      $fatal(1, "mop_expander: step %0d selects no MopCfg word", select);
  end
`endif

endmodule

`default_nettype wire
