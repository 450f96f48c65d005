// SPDX-License-Identifier: Apache-2.0
//
// Players joined to recorders, with nothing between: what is played must be found in the traces.
// tests/engine/test_hdl.py describes the streams and players.
`timescale 1ns / 1ps
`default_nettype none

module loopback;

  logic clk, rst_n, flush, blk;
  logic [31:0] cycle, blocks, last_block;
  wire logic wide_valid, w1, level_y;
  wire logic [30:0] w31;
  wire logic [31:0] w32;
  wire logic [32:0] w33, level_x;
  wire logic [63:0] w64;
  wire logic [255:0] w256;
  wire logic held_valid [2];
  wire logic [31:0] held [2];
  logic poison;

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(cycle), .flush_o(flush), .block_o(blk)
  );

  initial begin
    blocks = '0;
    if (!$value$plusargs("blocks=%d", last_block)) last_block = 1;
    poison = 1'b0;
    if ($test$plusargs("poison")) poison = 1'bx;
  end

  always @(blk) begin
    // the first change is that from X
    if (cycle != 0) begin
      blocks = blocks + 1;
      if (blocks == last_block) $finish;
    end
  end

  loopback_play_wide u_wide (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(1'b1), .valid_o(wide_valid),
    .w1_o(w1), .w31_o(w31), .w32_o(w32), .w33_o(w33), .w64_o(w64), .w256_o(w256)
  );
  loopback_play_level u_level (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .x_o(level_x), .y_o(level_y)
  );

  loopback_rec_all u_all (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush), .valid_i(wide_valid ^ poison),
    .w1_i(w1), .w31_i(w31), .w32_i(w32), .w33_i(w33), .w64_i(w64), .w256_i(w256)
  );
  loopback_rec_w1 u_w1 (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush), .valid_i(wide_valid),
    .x_i(w1)
  );
  loopback_rec_w31 u_w31 (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush), .valid_i(wide_valid),
    .x_i(w31)
  );
  loopback_rec_w32 u_w32 (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush), .valid_i(wide_valid),
    .x_i(w32)
  );
  loopback_rec_w33 u_w33 (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush), .valid_i(wide_valid),
    .x_i(w33)
  );
  loopback_rec_w64 u_w64 (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush), .valid_i(wide_valid),
    .x_i(w64)
  );
  loopback_rec_w256 u_w256 (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush), .valid_i(wide_valid),
    .x_i(w256)
  );
  loopback_rec_bare u_bare (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush), .valid_i(wide_valid)
  );
  loopback_rec_level u_rec_level (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush),
    .x_i(level_x), .y_i(level_y)
  );

  for (genvar i = 0; i < 2; i++) begin : gen_held
    loopback_play_held #(.Index(i)) u_held (
      .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .go_i(cycle % 5 == 32'(i)),
      .done_i(cycle % 3 == 32'(i)), .valid_o(held_valid[i]), .word_o(held[i])
    );
    loopback_rec_held #(.Index(i)) u_rec_held (
      .clk_i(clk), .rst_ni(rst_n), .cycle_i(cycle), .flush_i(flush),
      .valid_i(held_valid[i]), .word_i(held[i])
    );
  end

endmodule

`default_nettype wire
