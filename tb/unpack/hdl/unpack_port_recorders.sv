// SPDX-License-Identifier: Apache-2.0
//
// Recorders of all that both unpackers get and do, but for L1's and the counters' own streams;
// docs/unpack.md section 9.
`timescale 1ns / 1ps
`default_nettype none

module unpack_port_recorders
  import unit_port_pkg::*;
  import unpack_fault_pkg::*;
  import unpack_pkg::*;
  import unpack_write_pkg::*;
(
  input wire logic           clk_i,
  input wire logic           rst_ni,
  input wire logic [31:0]    cycle_i,
  input wire logic           flush_i,
  input wire config_write_t  cfg_i,
  input wire config_write_t  flop_i,
  input wire setc16_t        setc16_i [3],
  input wire thread_store_t  store_i,
  input wire logic           matrix_valid_i,
  input wire matrix_command_t matrix_i,
  input wire matrix_write_t  matrix_write_i,
  input wire logic [1:0]     matrix_banks_i,
  input wire matrix_answer_t answer_i,
  input wire logic [19:0]    base0_i,
  input wire logic [19:0]    base1_i,
  input wire logic [1:0]     ready_i,
  input wire logic [2:0]     hold_i,
  input wire logic [3:0]     owner_i,
  input wire logic [5:0]     busy_i,
  input wire logic [2:0]     unit_fault_i,
  input wire logic           pause_i,
  input wire logic [1:0]     stale_i,
  input wire logic [15:0]    implied_i,
  input wire logic           issue_valid_i [2],
  input wire logic [1:0]     issue_thread_i [2],
  input wire logic [31:0]    issue_word_i [2],
  input wire logic [44:0]    pointers_i [2],
  input wire l1_request_t    l1_i [2],
  input wire logic           write_valid_i [2],
  input wire obs_write_t     write_i [2],
  input wire obs_clear_t     clear_i [2],
  input wire overlay_t       overlay_i [2],
  input wire setreg_write_t  setreg_i [2],
  input wire fault_t         fault_i [2],
  input wire logic [4:0]     read_fault_i [2],
  input wire logic [7:0]     write_fault_i [2]
);

  logic [2:0] answered_q;  // rows that were read in the cycle before

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) answered_q <= '0;
    else answered_q <= matrix_i.read;
  end

  // ---- recorders, inputs
  unpack_rec_cfg u_rec_cfg (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(cfg_i.valid), .banks_i(cfg_i.banks), .index_i(cfg_i.index), .wide_i(cfg_i.wide),
    .data_i(cfg_i.data)
  );
  unpack_rec_flop u_rec_flop (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(flop_i.valid), .bank_i(flop_i.banks[1]),
    .index_i(flop_i.index), .wide_i(flop_i.wide), .data_i(flop_i.data)
  );
  unpack_rec_store u_rec_store (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(store_i.valid), .thread_i(store_i.thread),
    .index_i(store_i.index), .value_i(store_i.value)
  );
  unpack_rec_matrix u_rec_matrix (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(matrix_valid_i), .read_i(matrix_i.read), .banks_i(matrix_i.banks),
    .row_a_i(matrix_i.row_a), .row_b_i(matrix_i.row_b), .row_i(matrix_i.row),
    .wide_i(matrix_i.wide), .access_i(matrix_i.access), .release_i(matrix_i.give_back),
    .clear_i(matrix_i.clear), .neg_inf_i(matrix_i.neg_inf),
    .zero_i(matrix_i.zero), .zero_mode_i(matrix_i.zero_mode), .undo_i(matrix_i.undo)
  );
  unpack_rec_matrix_write u_rec_matrix_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(matrix_write_i.valid), .target_i(matrix_write_i.target), .bank_i(matrix_write_i.bank),
    .row_i(matrix_write_i.row), .wide_i(matrix_write_i.wide), .access_i(matrix_write_i.access),
    .data_i(matrix_write_i.data)
  );
  unpack_rec_matrix_bank u_rec_matrix_bank (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(matrix_banks_i)
  );
  unpack_rec_setreg_base u_rec_setreg_base (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .base0_i(base0_i), .base1_i(base1_i)
  );

  // ---- recorders, outputs
  unpack_rec_ready u_rec_ready (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(ready_i)
  );
  unpack_rec_hold u_rec_hold (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(hold_i)
  );
  unpack_rec_owner u_rec_owner (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(owner_i)
  );
  unpack_rec_busy u_rec_busy (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(busy_i)
  );
  unpack_rec_unit_fault u_rec_unit_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(unit_fault_i != 3'd0), .unsigned0_i(unit_fault_i[UnitFaultUnsigned0]),
    .unsigned1_i(unit_fault_i[UnitFaultUnsigned1]), .stale_i(unit_fault_i[UnitFaultStale])
  );
  unpack_rec_pause u_rec_pause (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(pause_i)
  );
  unpack_rec_stale u_rec_stale (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(stale_i)
  );
  unpack_rec_implied u_rec_implied (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .value_i(implied_i)
  );
  unpack_rec_answer_a u_rec_answer_a (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(answered_q[0]), .data_i(answer_i.a)
  );
  unpack_rec_answer_b u_rec_answer_b (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(answered_q[1]), .data_i(answer_i.b)
  );
  unpack_rec_answer_d u_rec_answer_d (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(answered_q[2]), .data_i(answer_i.dst), .row_valid_i(answer_i.row_valid)
  );

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    unpack_recorders #(.Index(u)) u_recorders (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .issue_i(issue_valid_i[u]), .issue_thread_i(issue_thread_i[u]),
      .issue_word_i(issue_word_i[u]), .pointers_i(pointers_i[u]),
      .l1_i(l1_i[u]), .write_valid_i(write_valid_i[u]), .write_i(write_i[u]), .clear_i(clear_i[u]),
      .overlay_i(overlay_i[u]), .setreg_i(setreg_i[u]), .fault_i(fault_i[u]),
      .read_fault_i(read_fault_i[u]), .write_fault_i(write_fault_i[u])
    );
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire setc16_t own = setc16_i[t];

    unpack_rec_setc16 #(.Index(t)) u_rec_setc16 (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(own.valid), .index_i(own.index), .value_i(own.value)
    );
  end

endmodule

`default_nettype wire
