// SPDX-License-Identifier: Apache-2.0
//
// The joined design's bench with clock, reset and recorders: those of each block, at the block's own
// ports inside of the design (datapath_harness.taps). Nothing of it asks for a port of the RTL.
`timescale 1ns / 1ps
`default_nettype none

module datapath_harness;
  import tilepath_isa_pkg::*;
  import unit_port_pkg::*;
  import standin_counters_pkg::rwc_t;
  import unpack_pkg::l1_request_t;
  import unpack_pkg::overlay_t;
  import pack_pkg::histogram_command_t;
  import pack_pkg::histogram_data_t;
  import pack_pkg::l1_read_t;
  import pack_pkg::l1_write_t;
  import pack_pkg::offset_write_t;
  import pack_pkg::setreg_base_t;
  import unpack_write_pkg::obs_write_t;
  import unpack_write_pkg::obs_clear_t;

  logic clk, rst_n, flush;
  // what Python touches: engine/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  datapath_bench u_bench (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush)
  );

  // ---- answers of L1: the sum over words x of word x (2 x + 1)
  function automatic logic [31:0] weighted(input logic [1024:0] answer);  // valid, lines
    weighted = '0;
    if (answer[1024])
      for (int i = 0; i < 32; i++) weighted = weighted + answer[32*i+:32] * 32'(2 * i + 1);
  endfunction

  // ---- first cycles of what stays until it is accepted
  wire logic push_offer [3], push_accept [3], sync_offer [3], issue_offer [3];
  logic risc_held_q, sem_held_q;
  wire logic risc_offer = u_bench.u_dut.u_control.risc_valid_i && !risc_held_q;
  wire logic sem_offer = u_bench.u_dut.u_control.risc_sem_valid_i && !sem_held_q;

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      risc_held_q <= 1'b0; sem_held_q <= 1'b0;
    end else begin
      risc_held_q <= u_bench.u_dut.u_control.risc_valid_i && !u_bench.u_dut.u_control.risc_done_o;
      sem_held_q <= u_bench.u_dut.u_control.risc_sem_valid_i && !u_bench.u_dut.u_control.risc_sem_done_o;
    end
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    logic push_held_q, sync_held_q, issue_held_q;

    assign push_offer[t] = u_bench.u_dut.u_frontend.push_valid_i[t] && !push_held_q;
    assign push_accept[t] = u_bench.u_dut.u_frontend.push_valid_i[t] && u_bench.u_dut.u_frontend.push_ready_o[t];
    assign issue_offer[t] = u_bench.u_dut.u_control.issue_valid_i[t] && !issue_held_q;
    assign sync_offer[t] = u_bench.u_dut.u_frontend.sync_req_i[t] && !sync_held_q;
    always @(posedge clk or negedge rst_n) begin
      if (!rst_n) begin
        push_held_q <= 1'b0; sync_held_q <= 1'b0; issue_held_q <= 1'b0;
      end else begin
        push_held_q <= u_bench.u_dut.u_frontend.push_valid_i[t] && !u_bench.u_dut.u_frontend.push_ready_o[t];
        sync_held_q <= u_bench.u_dut.u_frontend.sync_req_i[t] && !u_bench.u_dut.u_frontend.sync_ack_o[t];
        issue_held_q <= u_bench.u_dut.u_control.issue_valid_i[t]
          && !u_bench.u_dut.u_control.issue_ready_o[t];
      end
    end
  end

  // ---- inside of the unpackers; commands of the Matrix Unit
  wire matrix_command_t matrix; assign matrix = u_bench.u_dut.u_src.matrix_i;
  wire logic matrix_valid = {matrix.read, matrix.give_back, matrix.clear, matrix.zero} != '0;
  wire logic [9:0] pack_row [4];  // 0 of packers that do not read, whose rows may be X
  for (genvar p = 0; p < 4; p++) begin : gen_row
    assign pack_row[p] = u_bench.u_math.pack_read_i[p] ? u_bench.u_math.pack_row_i[p] : 10'd0;
  end

  wire logic [2:0] unit_fault = {u_bench.u_dut.u_src.stale_read_o, u_bench.u_dut.u_unpackers.unsigned_fault_o};
  wire logic [44:0] pointers [2];
  wire logic write_valid [2];
  wire obs_write_t write [2];
  wire obs_clear_t clear [2];

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    assign write_valid[u] = u_bench.u_dut.u_unpackers.gen_unpacker[u].u_write.obs_write_valid;
    assign write[u] = u_bench.u_dut.u_unpackers.gen_unpacker[u].u_write.obs_write;
    assign clear[u] = {u_bench.u_dut.u_src.gen_src[u].u_src.clear_q, u_bench.u_dut.u_src.gen_src[u].u_src.clear_value_q};
    assign pointers[u] = {
      u_bench.u_dut.u_unpackers.gen_unpacker[u].u_fetch.acc_o,
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[2],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[1],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.context_q[0],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[2],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[1],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_row_q[0],
      u_bench.u_dut.u_unpackers.u_front.gen_unpacker[u].u_pointers.src_bank_q
    };
  end

  logic [2:0] answered_q;  // rows that were read in the cycle before

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) answered_q <= '0;
    else answered_q <= matrix.read;
  end
  for (genvar u = 0; u < 2; u++) begin : gen_slots
    unpack_slots u_slots (.valid_i(write_valid[u]), .write_i(write[u]));
  end

`include "datapath_harness_taps.svh"

endmodule

`default_nettype wire
