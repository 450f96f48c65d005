// SPDX-License-Identifier: Apache-2.0
//
// Recorders of what the math stand-in puts out.
`timescale 1ns / 1ps
`default_nettype none

module standin_recorders
  import unit_port_pkg::*;
  import standin_counters_pkg::*;
  import standin_fault_pkg::*;
(
  input wire logic            clk_i,
  input wire logic            rst_ni,
  input wire logic [31:0]     cycle_i,
  input wire logic            flush_i,
  input wire logic            ready_i,
  input wire logic [2:0]      busy_i,
  input wire logic            matrix_valid_i,
  input wire matrix_command_t matrix_i,
  input wire matrix_write_t   write_i,
  input wire logic [1:0]      matrix_bank_i,
  input wire logic            hist_clear_i,
  input wire rwc_t            rwc_i [3],
  input wire logic [1:0]      fault_thread_i,
  input wire logic [31:0]     fault_word_i,
  input wire logic [FaultWidth-1:0] fault_i
);

  standin_rec_ready u_rec_ready (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(ready_i)
  );
  standin_rec_busy u_rec_busy (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(busy_i)
  );
  standin_rec_matrix u_rec_matrix (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(matrix_valid_i),
    .read_i(matrix_i.read), .banks_i(matrix_i.banks), .row_a_i(matrix_i.row_a),
    .row_b_i(matrix_i.row_b), .row_i(matrix_i.row), .wide_i(matrix_i.wide),
    .access_i(matrix_i.access), .release_i(matrix_i.give_back), .clear_i(matrix_i.clear),
    .neg_inf_i(matrix_i.neg_inf), .zero_i(matrix_i.zero), .zero_mode_i(matrix_i.zero_mode),
    .undo_i(matrix_i.undo)
  );
  standin_rec_matrix_write u_rec_matrix_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(write_i.valid),
    .target_i(write_i.target), .bank_i(write_i.bank), .row_i(write_i.row),
    .wide_i(write_i.wide), .access_i(write_i.access), .data_i(write_i.data)
  );
  standin_rec_matrix_bank u_rec_matrix_bank (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .value_i(matrix_bank_i)
  );
  standin_rec_hist_clear u_rec_hist_clear (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(hist_clear_i)
  );
  standin_rec_fault u_rec_fault (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(fault_i != '0),
    .thread_i(fault_thread_i), .word_i(fault_word_i), .flags_i(fault_i)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire rwc_t own = rwc_i[t];

    standin_rec_rwc #(.Index(t)) u_rec_rwc (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .a_i(own.a), .a_cr_i(own.a_cr), .b_i(own.b), .b_cr_i(own.b_cr), .d_i(own.d),
      .d_cr_i(own.d_cr), .phase_i(own.phase), .bias_i(own.bias)
    );
  end

endmodule

`default_nettype wire
