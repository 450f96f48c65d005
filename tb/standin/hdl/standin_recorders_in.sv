// SPDX-License-Identifier: Apache-2.0
//
// Recorders of what the math stand-in gets, but for rows that its own bench loads.
`timescale 1ns / 1ps
`default_nettype none

module standin_recorders_in
  import unit_port_pkg::*;
(
  input wire logic           clk_i,
  input wire logic           rst_ni,
  input wire logic [31:0]    cycle_i,
  input wire logic           flush_i,
  input wire logic           issue_valid_i,
  input wire logic [1:0]     issue_thread_i,
  input wire logic [31:0]    issue_word_i,
  input wire config_write_t  cfg_i,
  input wire setc16_t        setc16_i [3],
  input wire thread_store_t  store_i,
  input wire logic [3:0]     owner_i,
  input wire logic [15:0]    implied_i,
  input wire logic [1:0]     stale_i,
  input wire logic [1:0]     unpack_bank_i,
  input wire logic           pause_i,
  input wire logic           unpack_zero_valid_i,
  input wire logic [1:0]     unpack_zero_i,
  input wire logic           pack_read_valid_i,
  input wire logic [3:0]     pack_read_i,
  input wire logic           pack_wide_i,
  input wire logic [9:0]     pack_row_i [4],
  input wire logic [2:0]     read_i,
  input wire matrix_answer_t answer_i
);

  logic [2:0] answered_q;  // rows that were read in the cycle before

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answered_q <= '0;
    else answered_q <= read_i;
  end

  // ---- recorders, inputs
  standin_rec_issue u_rec_issue (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(issue_valid_i),
    .thread_i(issue_thread_i), .word_i(issue_word_i)
  );
  standin_rec_cfg u_rec_cfg (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(cfg_i.valid),
    .banks_i(cfg_i.banks), .index_i(cfg_i.index), .wide_i(cfg_i.wide), .data_i(cfg_i.data)
  );
  standin_rec_store u_rec_store (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(store_i.valid), .thread_i(store_i.thread),
    .index_i(store_i.index), .value_i(store_i.value)
  );
  standin_rec_owner u_rec_owner (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(owner_i)
  );
  standin_rec_implied u_rec_implied (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(implied_i)
  );
  standin_rec_stale u_rec_stale (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(stale_i)
  );
  standin_rec_unpack_bank u_rec_unpack_bank (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(unpack_bank_i)
  );
  standin_rec_pause u_rec_pause (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(pause_i)
  );
  standin_rec_unpack_zero u_rec_unpack_zero (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unpack_zero_valid_i), .files_i(unpack_zero_i)
  );
  standin_rec_pack_read u_rec_pack_read (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(pack_read_valid_i),
    .lanes_i(pack_read_i), .wide_i(pack_wide_i),
    .row_i({pack_row_i[3], pack_row_i[2], pack_row_i[1], pack_row_i[0]})
  );
  standin_rec_answer_a u_rec_answer_a (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(answered_q[0]),
    .data_i(answer_i.a)
  );
  standin_rec_answer_b u_rec_answer_b (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(answered_q[1]),
    .data_i(answer_i.b)
  );
  standin_rec_answer_d u_rec_answer_d (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(answered_q[2]),
    .data_i(answer_i.dst), .row_valid_i(answer_i.row_valid)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire setc16_t own = setc16_i[t];

    standin_rec_setc16 #(.Index(t)) u_rec_setc16 (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(own.valid), .index_i(own.index), .value_i(own.value)
    );
  end

endmodule

`default_nettype wire
