// SPDX-License-Identifier: Apache-2.0
//
// The recorders of the counters that the packers read; docs/pack.md.
`timescale 1ns / 1ps
`default_nettype none

module pack_counter_recorders (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [31:0] cycle_i,
  input wire logic        flush_i,
  input wire logic [60:0] live_i [18],
  input wire logic [60:0] cr_i [18],
  input wire logic        counter_illegal_i [3],
  input wire logic        counter_x_override_i [3],
  input wire logic        counter_empty_i [3],
  input wire logic [8:0]  conflict_i
);

  pack_rec_counter_conflict u_conflict (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(conflict_i != 9'd0), .where_i(conflict_i)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    pack_rec_counter_fault #(.Index(t)) u_counter_fault (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(counter_illegal_i[t] || counter_x_override_i[t] || counter_empty_i[t]),
      .illegal_i(counter_illegal_i[t]), .x_override_i(counter_x_override_i[t]),
      .empty_i(counter_empty_i[t])
    );
    pack_rec_packers #(.Index(t)) u_packers (
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
