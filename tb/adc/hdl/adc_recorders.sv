// SPDX-License-Identifier: Apache-2.0
//
// The recorders of the address counters' streams; docs/adc.md section 4.
`timescale 1ns / 1ps
`default_nettype none

module adc_recorders (
  input wire logic           clk_i,
  input wire logic           rst_ni,
  input wire logic [31:0]    cycle_i,
  input wire logic           flush_i,
  input wire logic           issue_valid_i [3],
  input wire logic [31:0]    issue_word_i [3],
  input wire logic           unpack_valid_i,
  input wire logic           unpack_unpacker_i,
  input wire logic [1:0]     unpack_thread_i,
  input wire logic [1:0]     unpack_adc_i,
  input wire logic [1:0]     unpack_y0_i,
  input wire logic [1:0]     unpack_z0_i,
  input wire logic [1:0]     unpack_y1_i,
  input wire logic [1:0]     unpack_z1_i,
  input wire logic           pack_valid_i,
  input wire logic [2:0]     pack_sets_i,
  input wire logic [15:0]    pack_addr_mod_i,
  input wire logic           flop_valid_i,
  input wire logic [1:0]     flop_thread_i,
  input wire logic [1:0]     flop_select_i,
  input wire logic           flop_channel_i,
  input wire logic [1:0]     flop_counter_i,
  input wire logic           flop_checkpoint_i,
  input wire logic [17:0]    flop_value_i,
  input wire logic [60:0]    live_i [18],
  input wire logic [60:0]    cr_i [18],
  input wire logic           fault_illegal_i [3],
  input wire logic           fault_x_override_i [3],
  input wire logic           fault_empty_i [3],
  input wire logic           fault_unpack_thread_i,
  input wire logic           fault_flop_thread_i,
  input wire logic           fault_flop_select_i,
  input wire logic [8:0]     conflict_i
);

  adc_rec_unpack u_rec_unpack (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(unpack_valid_i),
    .unpacker_i(unpack_unpacker_i), .thread_i(unpack_thread_i), .adc_i(unpack_adc_i),
    .y0_i(unpack_y0_i), .z0_i(unpack_z0_i), .y1_i(unpack_y1_i), .z1_i(unpack_z1_i)
  );
  adc_rec_pack u_rec_pack (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(pack_valid_i),
    .sets_i(pack_sets_i), .addr_mod_i(pack_addr_mod_i)
  );
  adc_rec_flop u_rec_flop (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(flop_valid_i),
    .thread_i(flop_thread_i), .select_i(flop_select_i), .channel_i(flop_channel_i),
    .counter_i(flop_counter_i), .checkpoint_i(flop_checkpoint_i), .value_i(flop_value_i)
  );
  adc_rec_unit_fault u_rec_unit_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(fault_unpack_thread_i || fault_flop_thread_i || fault_flop_select_i),
    .unpack_thread_i(fault_unpack_thread_i), .flop_thread_i(fault_flop_thread_i),
    .flop_select_i(fault_flop_select_i)
  );
  adc_rec_conflict u_rec_conflict (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(|conflict_i), .where_i(conflict_i)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    adc_rec_issue #(.Index(t)) u_rec_issue (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(issue_valid_i[t]), .word_i(issue_word_i[t])
    );
    adc_rec_fault #(.Index(t)) u_rec_fault (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(fault_illegal_i[t] || fault_x_override_i[t] || fault_empty_i[t]),
      .illegal_i(fault_illegal_i[t]), .x_override_i(fault_x_override_i[t]), .empty_i(fault_empty_i[t])
    );
    adc_rec_unpacker0 #(.Index(t)) u_rec_unpacker0 (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .x0_i(live_i[6*t][17:0]), .x0_cr_i(cr_i[6*t][17:0]),
      .y0_i({16'(cr_i[6*t][31:19]), 16'(live_i[6*t][31:19])}),
      .z0_i({16'(cr_i[6*t][45:33]), 16'(live_i[6*t][45:33])}),
      .w0_i({16'(cr_i[6*t][59:47]), 16'(live_i[6*t][59:47])}),
      .x1_i(live_i[6*t+1][17:0]), .x1_cr_i(cr_i[6*t+1][17:0]),
      .y1_i({16'(cr_i[6*t+1][31:19]), 16'(live_i[6*t+1][31:19])}),
      .z1_i({16'(cr_i[6*t+1][45:33]), 16'(live_i[6*t+1][45:33])}),
      .w1_i({16'(cr_i[6*t+1][59:47]), 16'(live_i[6*t+1][59:47])})
    );
    adc_rec_unpacker1 #(.Index(t)) u_rec_unpacker1 (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .x0_i(live_i[6*t+2][17:0]), .x0_cr_i(cr_i[6*t+2][17:0]),
      .y0_i({16'(cr_i[6*t+2][31:19]), 16'(live_i[6*t+2][31:19])}),
      .z0_i({16'(cr_i[6*t+2][45:33]), 16'(live_i[6*t+2][45:33])}),
      .w0_i({16'(cr_i[6*t+2][59:47]), 16'(live_i[6*t+2][59:47])}),
      .x1_i(live_i[6*t+3][17:0]), .x1_cr_i(cr_i[6*t+3][17:0]),
      .y1_i({16'(cr_i[6*t+3][31:19]), 16'(live_i[6*t+3][31:19])}),
      .z1_i({16'(cr_i[6*t+3][45:33]), 16'(live_i[6*t+3][45:33])}),
      .w1_i({16'(cr_i[6*t+3][59:47]), 16'(live_i[6*t+3][59:47])})
    );
    adc_rec_packers #(.Index(t)) u_rec_packers (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .x0_i(live_i[6*t+4][17:0]), .x0_cr_i(cr_i[6*t+4][17:0]),
      .y0_i({16'(cr_i[6*t+4][31:19]), 16'(live_i[6*t+4][31:19])}),
      .z0_i({16'(cr_i[6*t+4][45:33]), 16'(live_i[6*t+4][45:33])}),
      .w0_i({16'(cr_i[6*t+4][59:47]), 16'(live_i[6*t+4][59:47])}),
      .x1_i(live_i[6*t+5][17:0]), .x1_cr_i(cr_i[6*t+5][17:0]),
      .y1_i({16'(cr_i[6*t+5][31:19]), 16'(live_i[6*t+5][31:19])}),
      .z1_i({16'(cr_i[6*t+5][45:33]), 16'(live_i[6*t+5][45:33])}),
      .w1_i({16'(cr_i[6*t+5][59:47]), 16'(live_i[6*t+5][59:47])})
    );
  end

endmodule

`default_nettype wire
