// SPDX-License-Identifier: Apache-2.0
//
// One side of a pipe: the configuration that INIT gave it, its tags, and the slots that it holds.
//
// Latency: what a strobe does in cycle t shows in t+1. Handshake: none; at most one strobe a cycle.
// Reset and clr_i: 0. Tags count modulo the slots of a ring (T23).
`default_nettype none

module pipe_endpoint
  import flag_pipe_pkg::*;
#(
  parameter int Nflags = 8
) (
  input  wire logic      clk_i,
  input  wire logic      rst_ni,
  input  wire logic      clr_i,
  input  wire logic      init_i,
  input  wire command_t  cmd_i,  // with init_i
  input  wire logic      push_i,
  input  wire logic      pop_i,
  input  wire logic      free_i,
  output wire endpoint_t endpoint_o,
  output wire logic      init_o
);

  localparam logic [2:0] LastOfAll = 3'(Nflags - 1);

  logic init_q;
  logic [1:0] mask_q, period_q, split_q;
  logic [4:0] row_q;
  logic [SlotBits-1:0] slot_size_q;
  logic [31:0] gm_base_q, c2v_buf_q, v2c_buf_q;
  logic [2:0] push_tag_q, pop_tag_q, free_tag_q;
  logic [3:0] held_q;

  // bits of a tag; a ring of half the flags has one less
  wire logic [2:0] tag_mask = mask_q == 2'd3 ? LastOfAll >> 1 : LastOfAll;

  wire logic unused_cmd = ^{cmd_i.op, cmd_i.peer, cmd_i.pipe, cmd_i.dir_mask[7:2],
                            cmd_i.slot_size[31:SlotBits], cmd_i.tile_addr};

  assign init_o = init_q;
  assign endpoint_o = {init_q, mask_q, period_q, split_q, row_q, slot_size_q, gm_base_q, c2v_buf_q,
                       v2c_buf_q, push_tag_q, pop_tag_q, free_tag_q, held_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      init_q <= 1'b0;
      mask_q <= '0;
      period_q <= '0;
      split_q <= '0;
      row_q <= '0;
      slot_size_q <= '0;
      gm_base_q <= '0;
      c2v_buf_q <= '0;
      v2c_buf_q <= '0;
    end else if (clr_i) begin
      init_q <= 1'b0;
      mask_q <= '0;
      period_q <= '0;
      split_q <= '0;
      row_q <= '0;
      slot_size_q <= '0;
      gm_base_q <= '0;
      c2v_buf_q <= '0;
      v2c_buf_q <= '0;
    end else if (init_i) begin
      init_q <= 1'b1;
      mask_q <= cmd_i.dir_mask[1:0];
      period_q <= cmd_i.period;
      split_q <= cmd_i.split;
      row_q <= cmd_i.row;
      slot_size_q <= cmd_i.slot_size[SlotBits-1:0];
      gm_base_q <= cmd_i.gm_base;
      c2v_buf_q <= cmd_i.c2v_buf;
      v2c_buf_q <= cmd_i.v2c_buf;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      push_tag_q <= '0;
      pop_tag_q <= '0;
      free_tag_q <= '0;
      held_q <= '0;
    end else if (clr_i || init_i) begin
      push_tag_q <= '0;
      pop_tag_q <= '0;
      free_tag_q <= '0;
      held_q <= '0;
    end else begin
      if (push_i) push_tag_q <= (push_tag_q + 3'd1) & tag_mask;
      if (pop_i) begin
        pop_tag_q <= (pop_tag_q + 3'd1) & tag_mask;
        held_q <= held_q + 4'd1;
      end
      if (free_i) begin
        free_tag_q <= (free_tag_q + 3'd1) & tag_mask;
        held_q <= held_q - 4'd1;
      end
    end
  end

endmodule

`default_nettype wire
