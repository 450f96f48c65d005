// SPDX-License-Identifier: Apache-2.0
//
// The recorders of one thread's counter commands and of its unpackers' counters; docs/unpack.md
// section 9. Channels: two of unpacker 0, two of unpacker 1.
`timescale 1ns / 1ps
`default_nettype none

module unpack_counter_recorders #(
  parameter int Index = 0
) (
  input wire logic             clk_i,
  input wire logic             rst_ni,
  input wire logic [31:0]      cycle_i,
  input wire logic             flush_i,
  input wire logic             command_i,
  input wire logic [31:0]      word_i,
  input wire logic             illegal_i,
  input wire logic             x_override_i,
  input wire logic             empty_i,
  input wire logic [3:0][60:0] live_i,
  input wire logic [3:0][60:0] checkpoint_i
);

  unpack_rec_counter #(.Index(Index)) u_counter (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(command_i), .word_i
  );
  unpack_rec_counter_fault #(.Index(Index)) u_counter_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(illegal_i || x_override_i || empty_i), .illegal_i, .x_override_i, .empty_i
  );
  unpack_rec_unpacker0 #(.Index(Index)) u_unpacker0 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .x0_i(live_i[0][17:0]), .x0_cr_i(checkpoint_i[0][17:0]),
    .y0_i({16'(checkpoint_i[0][31:19]), 16'(live_i[0][31:19])}),
    .z0_i({16'(checkpoint_i[0][45:33]), 16'(live_i[0][45:33])}),
    .w0_i({16'(checkpoint_i[0][59:47]), 16'(live_i[0][59:47])}),
    .x1_i(live_i[1][17:0]), .x1_cr_i(checkpoint_i[1][17:0]),
    .y1_i({16'(checkpoint_i[1][31:19]), 16'(live_i[1][31:19])}),
    .z1_i({16'(checkpoint_i[1][45:33]), 16'(live_i[1][45:33])}),
    .w1_i({16'(checkpoint_i[1][59:47]), 16'(live_i[1][59:47])})
  );
  unpack_rec_unpacker1 #(.Index(Index)) u_unpacker1 (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .x0_i(live_i[2][17:0]), .x0_cr_i(checkpoint_i[2][17:0]),
    .y0_i({16'(checkpoint_i[2][31:19]), 16'(live_i[2][31:19])}),
    .z0_i({16'(checkpoint_i[2][45:33]), 16'(live_i[2][45:33])}),
    .w0_i({16'(checkpoint_i[2][59:47]), 16'(live_i[2][59:47])}),
    .x1_i(live_i[3][17:0]), .x1_cr_i(checkpoint_i[3][17:0]),
    .y1_i({16'(checkpoint_i[3][31:19]), 16'(live_i[3][31:19])}),
    .z1_i({16'(checkpoint_i[3][45:33]), 16'(live_i[3][45:33])}),
    .w1_i({16'(checkpoint_i[3][59:47]), 16'(live_i[3][59:47])})
  );

endmodule

`default_nettype wire
