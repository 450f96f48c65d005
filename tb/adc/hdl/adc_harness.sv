// SPDX-License-Identifier: Apache-2.0
//
// Joins the address counters, their players and recorders. tb/adc/streams.py describes both; the
// modules adc_rec_* and adc_play_* are made from that description. No command is ever refused, so
// every item is done in the cycle in which it is presented, and recorded as it is presented.
`timescale 1ns / 1ps
`default_nettype none

module adc_harness #(
  parameter int ZwW = 8
);

  logic clk, rst_n, flush;
  // what Python touches: tb/kernel/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  wire logic issue_valid [3];
  wire logic [31:0] issue_word [3];
  wire logic fault_illegal [3], fault_x_override [3], fault_empty [3];
  wire logic fault_unpack_thread, fault_flop_thread, fault_flop_select;
  wire logic [8:0] conflict;
  wire logic [60:0] live [18], cr [18];
  logic unpack_valid, pack_valid, flop_valid, unpack_play, pack_play, flop_play;
  logic [63:0] unpack_item, pack_item, flop_item;

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  adc #(.ZwW(ZwW)) u_dut (
    .clk_i(clk), .rst_ni(rst_n),
    .issue_valid_i(issue_valid), .issue_word_i(issue_word),
    .unpack_valid_i(unpack_valid), .unpack_unpacker_i(unpack_item[32]),
    .unpack_thread_i(unpack_item[34:33]), .unpack_adc_i(unpack_item[36:35]),
    .unpack_y0_i(unpack_item[38:37]), .unpack_z0_i(unpack_item[40:39]),
    .unpack_y1_i(unpack_item[42:41]), .unpack_z1_i(unpack_item[44:43]),
    .pack_valid_i(pack_valid), .pack_sets_i(pack_item[50:48]), .pack_addr_mod_i(pack_item[47:32]),
    .flop_valid_i(flop_valid), .flop_thread_i(flop_item[57:56]), .flop_select_i(flop_item[55:54]),
    .flop_channel_i(flop_item[53]), .flop_counter_i(flop_item[52:51]),
    .flop_checkpoint_i(flop_item[50]), .flop_value_i(flop_item[49:32]),
    .live_o(live), .cr_o(cr),
    .fault_illegal_o(fault_illegal), .fault_x_override_o(fault_x_override),
    .fault_empty_o(fault_empty), .fault_unpack_thread_o(fault_unpack_thread),
    .fault_flop_thread_o(fault_flop_thread), .fault_flop_select_o(fault_flop_select),
    .conflict_o(conflict)
  );

  // ---- players and recorders of the units
  adc_play_unpack u_play_unpack (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .go_i(1'b1), .done_i(1'b1),
    .valid_o(unpack_play), .item_o(unpack_item)
  );
  adc_play_pack u_play_pack (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .go_i(1'b1), .done_i(1'b1),
    .valid_o(pack_play), .item_o(pack_item)
  );
  adc_play_flop u_play_flop (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .go_i(1'b1), .done_i(1'b1),
    .valid_o(flop_play), .item_o(flop_item)
  );
  // a player clears valid and sets it again at once; behind a gate, Icarus does not see that
  assign unpack_valid = unpack_play && rst_n;
  assign pack_valid = pack_play && rst_n;
  assign flop_valid = flop_play && rst_n;

  adc_rec_unpack u_rec_unpack (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush), .valid_i(unpack_valid),
    .unpacker_i(unpack_item[32]), .thread_i(unpack_item[34:33]), .adc_i(unpack_item[36:35]),
    .y0_i(unpack_item[38:37]), .z0_i(unpack_item[40:39]),
    .y1_i(unpack_item[42:41]), .z1_i(unpack_item[44:43])
  );
  adc_rec_pack u_rec_pack (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush), .valid_i(pack_valid),
    .sets_i(pack_item[50:48]), .addr_mod_i(pack_item[47:32])
  );
  adc_rec_flop u_rec_flop (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush), .valid_i(flop_valid),
    .thread_i(flop_item[57:56]), .select_i(flop_item[55:54]), .channel_i(flop_item[53]),
    .counter_i(flop_item[52:51]), .checkpoint_i(flop_item[50]), .value_i(flop_item[49:32])
  );
  adc_rec_unit_fault u_rec_unit_fault (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .valid_i(fault_unpack_thread || fault_flop_thread || fault_flop_select),
    .unpack_thread_i(fault_unpack_thread), .flop_thread_i(fault_flop_thread),
    .flop_select_i(fault_flop_select)
  );
  adc_rec_conflict u_rec_conflict (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .valid_i(|conflict), .where_i(conflict)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    logic [63:0] item;
    logic play;

    adc_play_issue #(.Index(t)) u_play_issue (
      .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .go_i(1'b1), .done_i(1'b1),
      .valid_o(play), .item_o(item)
    );
    assign issue_valid[t] = play && rst_n;
    assign issue_word[t] = item[63:32];

    adc_rec_issue #(.Index(t)) u_rec_issue (
      .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
      .valid_i(issue_valid[t]), .word_i(item[63:32])
    );
    adc_rec_fault #(.Index(t)) u_rec_fault (
      .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
      .valid_i(fault_illegal[t] || fault_x_override[t] || fault_empty[t]),
      .illegal_i(fault_illegal[t]), .x_override_i(fault_x_override[t]), .empty_i(fault_empty[t])
    );
    adc_rec_unpacker0 #(.Index(t)) u_rec_unpacker0 (
      .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
      .x0_i(live[6*t][17:0]), .x0_cr_i(cr[6*t][17:0]),
      .y0_i({16'(cr[6*t][31:19]), 16'(live[6*t][31:19])}),
      .z0_i({16'(cr[6*t][45:33]), 16'(live[6*t][45:33])}),
      .w0_i({16'(cr[6*t][59:47]), 16'(live[6*t][59:47])}),
      .x1_i(live[6*t+1][17:0]), .x1_cr_i(cr[6*t+1][17:0]),
      .y1_i({16'(cr[6*t+1][31:19]), 16'(live[6*t+1][31:19])}),
      .z1_i({16'(cr[6*t+1][45:33]), 16'(live[6*t+1][45:33])}),
      .w1_i({16'(cr[6*t+1][59:47]), 16'(live[6*t+1][59:47])})
    );
    adc_rec_unpacker1 #(.Index(t)) u_rec_unpacker1 (
      .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
      .x0_i(live[6*t+2][17:0]), .x0_cr_i(cr[6*t+2][17:0]),
      .y0_i({16'(cr[6*t+2][31:19]), 16'(live[6*t+2][31:19])}),
      .z0_i({16'(cr[6*t+2][45:33]), 16'(live[6*t+2][45:33])}),
      .w0_i({16'(cr[6*t+2][59:47]), 16'(live[6*t+2][59:47])}),
      .x1_i(live[6*t+3][17:0]), .x1_cr_i(cr[6*t+3][17:0]),
      .y1_i({16'(cr[6*t+3][31:19]), 16'(live[6*t+3][31:19])}),
      .z1_i({16'(cr[6*t+3][45:33]), 16'(live[6*t+3][45:33])}),
      .w1_i({16'(cr[6*t+3][59:47]), 16'(live[6*t+3][59:47])})
    );
    adc_rec_packers #(.Index(t)) u_rec_packers (
      .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
      .x0_i(live[6*t+4][17:0]), .x0_cr_i(cr[6*t+4][17:0]),
      .y0_i({16'(cr[6*t+4][31:19]), 16'(live[6*t+4][31:19])}),
      .z0_i({16'(cr[6*t+4][45:33]), 16'(live[6*t+4][45:33])}),
      .w0_i({16'(cr[6*t+4][59:47]), 16'(live[6*t+4][59:47])}),
      .x1_i(live[6*t+5][17:0]), .x1_cr_i(cr[6*t+5][17:0]),
      .y1_i({16'(cr[6*t+5][31:19]), 16'(live[6*t+5][31:19])}),
      .z1_i({16'(cr[6*t+5][45:33]), 16'(live[6*t+5][45:33])}),
      .w1_i({16'(cr[6*t+5][59:47]), 16'(live[6*t+5][59:47])})
    );
  end

endmodule

`default_nettype wire
