// SPDX-License-Identifier: Apache-2.0
//
// The recorders of cores, pairs and flags; docs/flag_pipe.md section 6. Those of the memories' ports
// are in flag_pipe_memories.
`timescale 1ns / 1ps
`default_nettype none

module flag_pipe_recorders
  import flag_pipe_pkg::*;
(
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [31:0] cycle_i,
  input wire logic        flush_i,
  input wire logic        rsp_valid_i [3],
  input wire response_t   rsp_i [3],
  input wire logic [2:0]  state_i [3],
  input wire logic        peer_i [3],
  input wire logic        look_valid_i [3],
  input wire logic [31:0] look_sum_i [3],
  input wire logic [31:0] look_mix_i [3],
  input wire logic        init_i [4],
  input wire logic [1:0]  mask_i [4],
  input wire logic [2:0]  push_tag_i [4],
  input wire logic [2:0]  pop_tag_i [4],
  input wire logic [2:0]  free_tag_i [4],
  input wire logic [3:0]  held_i [4],
  input wire logic [7:0]  flags_i [4],
  input wire logic [3:0]  flying_i,
  input wire logic [3:0]  set_set_i,
  input wire logic [1:0]  cfg_mismatch_i,
  input wire logic [1:0]  clr_busy_i,
  input wire logic [1:0]  deadlock_i
);

  for (genvar n = 0; n < 3; n++) begin : gen_core
    wire response_t rsp = rsp_i[n];
    wire logic [3:0] err = rsp.err;

    flag_pipe_rec_core #(.Index(n)) u_core (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .state_i(state_i[n]), .peer_i(peer_i[n])
    );
    flag_pipe_rec_rsp #(.Index(n)) u_rsp (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(rsp_valid_i[n]),
      .op_i(rsp.op), .err_i(rsp.err), .tag_i(rsp.tag), .addr_i(rsp.addr)
    );
    flag_pipe_rec_fault #(.Index(n)) u_fault (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(rsp_valid_i[n] && err != 4'd0),
      .not_init_i(err == 4'd1), .reinit_i(err == 4'd2), .bad_dirmask_i(err == 4'd3),
      .bad_slot_i(err == 4'd4), .bad_base_i(err == 4'd5), .dir_off_i(err == 4'd6),
      .hold_lim_i(err == 4'd7), .free_empty_i(err == 4'd8), .bad_tile_i(err == 4'd9),
      .bad_op_i(err == 4'd10)
    );
    flag_pipe_rec_look #(.Index(n)) u_look (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(look_valid_i[n]),
      .sum_i(look_sum_i[n]), .mix_i(look_mix_i[n])
    );
  end

  for (genvar e = 0; e < 4; e++) begin : gen_endpoint
    flag_pipe_rec_endpoint #(.Index(e)) u_endpoint (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .init_i(init_i[e]), .mask_i(mask_i[e]),
      .push_tag_i(push_tag_i[e]), .pop_tag_i(pop_tag_i[e]), .free_tag_i(free_tag_i[e]),
      .held_i(held_i[e])
    );
  end

  flag_pipe_rec_flags u_flags (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .cv0_i(flags_i[0]), .vc0_i(flags_i[1]),
    .cv1_i(flags_i[2]), .vc1_i(flags_i[3]), .flying_i
  );

  for (genvar p = 0; p < 2; p++) begin : gen_pair
    wire logic [3:0] sticky = {clr_busy_i[p], cfg_mismatch_i[p], set_set_i[2*p+:2]};
    logic [3:0] before_q;  // as in the cycle before
    wire logic [3:0] risen = sticky & ~before_q;

    always @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) before_q <= '0;
      else before_q <= sticky;
    end
    flag_pipe_rec_status #(.Index(p)) u_status (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .set_set_i(sticky[1:0]), .cfg_mismatch_i(sticky[2]),
      .clr_busy_i(sticky[3]), .deadlock_i(deadlock_i[p])
    );
    flag_pipe_rec_pair_fault #(.Index(p)) u_pair_fault (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(risen != 4'd0), .cv_set_set_i(risen[0]),
      .vc_set_set_i(risen[1]), .cfg_mismatch_i(risen[2]), .clr_busy_i(risen[3])
    );
  end

endmodule

`default_nettype wire
