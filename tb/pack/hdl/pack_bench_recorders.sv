// SPDX-License-Identifier: Apache-2.0
//
// The recorders of what Dst, L1 and the address counters get in the packers' own bench.
`timescale 1ns / 1ps
`default_nettype none

module pack_bench_recorders
  import dst_pkg::*;
(
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [31:0]  cycle_i,
  input wire logic         flush_i,
  input wire logic         counter_valid_i [3],
  input wire logic [31:0]  counter_word_i [3],
  input wire logic         dst_written_i,
  input wire run_t         dst_run_i,
  input wire zero_t        dst_zero_i,
  input wire logic         dst_read_i,
  input wire logic [9:0]   dst_read_row_i,
  input wire logic         dst_read_wide_i,
  input wire logic         l1_valid_i,
  input wire logic [16:0]  l1_line_i,
  input wire logic [511:0] l1_data_i,
  input wire logic [4:0]   latency_i
);

  pack_rec_dst_write u_dst_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(dst_written_i), .row_i(dst_run_i.row), .count_i(dst_run_i.count),
    .mask_i(dst_run_i.mask), .data_i(dst_run_i.data)
  );
  pack_rec_dst_zero u_dst_zero (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(dst_zero_i.valid), .all_i(dst_zero_i.all), .half_i(dst_zero_i.half)
  );
  pack_rec_dst_read u_dst_read (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(dst_read_i), .row_i(dst_read_row_i), .wide_i(dst_read_wide_i)
  );
  pack_rec_l1_write u_l1_write (
    .clk_i, .rst_ni, .cycle_i, .flush_i,
    .valid_i(l1_valid_i), .line_i(l1_line_i), .data_i(l1_data_i)
  );
  pack_rec_l1_latency u_l1_latency (
    .clk_i, .rst_ni, .cycle_i, .flush_i, .cycles_i(latency_i)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    pack_rec_counter #(.Index(t)) u_counter (
      .clk_i, .rst_ni, .cycle_i, .flush_i,
      .valid_i(counter_valid_i[t]), .word_i(counter_word_i[t])
    );
  end

endmodule

`default_nettype wire
