// SPDX-License-Identifier: Apache-2.0
//
// MOP expander of one thread: passes words on, swallows MOP_CFG, expands MOP.
//
// Latency: combinational from the head of the FIFO to emit_o; the first word of an expansion leaves
// in the cycle in which the MOP is popped. One cycle (TRANS) after an expansion only a MOP is taken.
// Handshake: word_valid_i/word_i show the head, pop_o pops it; emit_valid_o needs emit_ready_i.
// Reset: IDLE, MaskHi and MopCfg 0. A MopCfg write is seen by a MOP popped in the next cycle or later.
// Decisions F1-F11 and F21; docs/frontend.md section 2.
`default_nettype none

module mop_expander
  import tilepath_isa_pkg::*;
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
  output logic            ingest_o,         // pops a MOP or MOP_CFG
  output logic [1:0]      state_o
);

  localparam logic [1:0] Idle = 2'd0, Exp = 2'd1, Trans = 2'd2;

  logic [1:0] state_q, state_d;
  logic [15:0] mask_hi_q;
  logic [31:0] cfg_q[9];
  logic [31:0] snap_q[9];
  logic [31:0] mop_q;
  logic [3:0] pos_q, pos_d, selected;
  logic [7:0] outer_q, outer_d, inner_q, inner_d;
  logic [31:0] mask_q, mask_d;
  logic flip_q, flip_d;

  logic is_mop, is_mop_cfg, expanding, take, start, step, empty, last;
  logic [31:0] mop, word0, word1, word2, word3, word4, word6;

  assign is_mop = word_valid_i && word_i[31:24] == OP_MOP;
  assign is_mop_cfg = word_valid_i && word_i[31:24] == OP_MOP_CFG;
  assign expanding = state_q == Exp;
  assign take = word_valid_i
             && (state_q == Idle || (state_q == Trans && is_mop && MopB2bFree != 0));

  // the first word comes from the registers themselves, the others from their snapshot (F7)
  assign mop = expanding ? mop_q : word_i;
  assign word0 = expanding ? snap_q[0] : cfg_q[0];
  assign word1 = expanding ? snap_q[1] : cfg_q[1];
  assign word2 = expanding ? snap_q[2] : cfg_q[2];
  assign word3 = expanding ? snap_q[3] : cfg_q[3];
  assign word4 = expanding ? snap_q[4] : cfg_q[4];
  assign word6 = expanding ? snap_q[6] : cfg_q[6];

  mop_sequencer u_sequencer (
    .first_i     (!expanding),
    .template_i  (mop[MOP_TEMPLATE_LSB]),
    .count1_i    (mop[MOP_COUNT1_MSB:MOP_COUNT1_LSB]),
    .mask_i      ({mask_hi_q, mop[MOP_MASK_LO_MSB:MOP_MASK_LO_LSB]}),
    .outer_i     (word0[6:0]),
    .inner_i     (word1[6:0]),
    .has_b_i     (word1[0]),
    .has_a123_i  (word1[1]),
    .nop_start_i (word2[31:24] == OP_NOP),
    .nop_end0_i  (word3[31:24] == OP_NOP),
    .nop_end1_i  (word4[31:24] == OP_NOP),
    .nop_loop1_i (word6[31:24] == OP_NOP),
    .pos_i       (pos_q),
    .outer_step_i(outer_q),
    .inner_step_i(inner_q),
    .flip_i      (flip_q),
    .mask_left_i (mask_q),
    .empty_o     (empty),
    .last_o      (last),
    .select_o    (selected),
    .pos_o       (pos_d),
    .outer_step_o(outer_d),
    .inner_step_o(inner_d),
    .flip_o      (flip_d),
    .mask_left_o (mask_d)
  );

  assign start = take && is_mop && !empty && emit_ready_i;
  assign step = expanding && emit_ready_i;
  assign pop_o = take && (is_mop_cfg || (is_mop && empty) || emit_ready_i);
  assign ingest_o = pop_o && (is_mop || is_mop_cfg);
  assign emit_valid_o = expanding || (take && !is_mop_cfg && !(is_mop && empty));
  assign emit_o = expanding ? snap_q[selected] : is_mop ? cfg_q[selected] : word_i;
  assign state_o = state_q;

  always_comb begin
    state_d = state_q;
    if (start) state_d = last ? Trans : Exp;
    else if (take && is_mop && empty) state_d = Trans;
    else if (step) state_d = last ? Trans : Exp;
    else if (state_q == Trans) state_d = Idle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      mask_hi_q <= '0;
      mop_q <= '0;
      pos_q <= '0;
      outer_q <= '0;
      inner_q <= '0;
      flip_q <= 1'b0;
      mask_q <= '0;
      for (int i = 0; i < 9; i++) begin
        cfg_q[i] <= '0;
        snap_q[i] <= '0;
      end
    end else begin
      state_q <= state_d;
      if (take && is_mop_cfg) mask_hi_q <= word_i[MOP_CFG_MASK_HI_MSB:MOP_CFG_MASK_HI_LSB];
      if (start) begin
        mop_q <= word_i;
        for (int i = 0; i < 9; i++) snap_q[i] <= cfg_q[i];
      end
      if (start || step) begin
        pos_q <= pos_d;
        outer_q <= outer_d;
        inner_q <= inner_d;
        flip_q <= flip_d;
        mask_q <= mask_d;
      end
      if (cfg_valid_i && cfg_index_i < 4'd9) cfg_q[cfg_index_i] <= cfg_data_i;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (state_q != 2'd3) else $fatal(1, "mop_expander: no such state");
      assert (!expanding || (selected >= 4'd2 && selected <= 4'd8))
      else $fatal(1, "mop_expander: no MopCfg word is selected");
    end
  end
`endif

endmodule

`default_nettype wire
