// SPDX-License-Identifier: Apache-2.0
//
// Joins the flag pipe with its memories, players and recorders; tb/flag_pipe/streams.py describes
// players, flag_pipe_harness.taps what is recorded. A command is recorded in the first cycle in which
// it is offered. Strobes have no line here: they are at the ports that have their names.
`timescale 1ns / 1ps
`default_nettype none

module flag_pipe_harness;
  import flag_pipe_pkg::*;
  import tp_profile_pkg::*;

  localparam int Data = 8 * BeatBytes;

  logic clk, rst_n, flush;
  // what Python touches: engine/simulation/block_end.py
  logic ctl_block  /*verilator public_flat_rd*/;
  logic [31:0] ctl_cycle  /*verilator public_flat_rd*/;

  // ---- commands
  wire logic cmd_valid [3], cmd_ready [3], offered [3], accept [3], look_valid [3];
  wire command_t cmd [3];
  wire logic [15:0] fill_beats [3], look_beats [3];
  wire logic [31:0] tile_addr [3], stamp [3], look_addr [3], look_sum [3], look_mix [3];
  wire logic [4:0] busy;
  wire logic [27:0] count [6];

`include "flag_pipe_harness_players.svh"

  // ---- memories: L1, UB0, UB1, global
  wire logic rd_valid [4], rd_ready [4], rd_rvalid [4], wr_valid [4], wr_ready [4];
  wire logic [31:0] rd_addr [4], wr_addr [4];
  wire logic [Data-1:0] rd_rdata [4], wr_data [4];
  wire logic ub_rd_valid [2], ub_rd_ready [2], ub_rd_rvalid [2], ub_wr_valid [2], ub_wr_ready [2];
  wire logic [31:0] ub_rd_addr [2], ub_wr_addr [2];
  wire logic [Data-1:0] ub_rd_rdata [2], ub_wr_data [2];
  wire logic [63:0] sum [4];

  // ---- what is observed
  wire logic [2:0] state [3];
  wire logic [15:0] flying;
  wire logic [3:0] set_set, sticky [2], risen [2];
  wire logic [1:0] cfg_mismatch, clr_busy;

  tp_control u_control (
    .clk_o(clk), .rst_no(rst_n), .cycle_o(ctl_cycle), .flush_o(flush), .block_o(ctl_block)
  );

  flag_pipe #(
    .Nflags(Nflags), .FlagLat(FlagLat), .BeatBytes(BeatBytes), .HoldMax(HoldMax)
  ) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .platform_i(1'(Platform)),
    .cmd_valid_i(cmd_valid), .cmd_ready_o(cmd_ready), .cmd_i(cmd),
    .rsp_valid_o(), .rsp_o(),  // what is empty here is read by name, where it is recorded
    .l1_rd_valid_o(rd_valid[0]), .l1_rd_ready_i(rd_ready[0]), .l1_rd_addr_o(rd_addr[0]),
    .l1_rd_rvalid_i(rd_rvalid[0]), .l1_rd_rdata_i(rd_rdata[0]),
    .ub_rd_valid_o(ub_rd_valid), .ub_rd_ready_i(ub_rd_ready), .ub_rd_addr_o(ub_rd_addr),
    .ub_rd_rvalid_i(ub_rd_rvalid), .ub_rd_rdata_i(ub_rd_rdata),
    .gm_rd_valid_o(rd_valid[3]), .gm_rd_ready_i(rd_ready[3]), .gm_rd_core_o(),
    .gm_rd_addr_o(rd_addr[3]), .gm_rd_rvalid_i(rd_rvalid[3]), .gm_rd_rdata_i(rd_rdata[3]),
    .l1_wr_valid_o(wr_valid[0]), .l1_wr_ready_i(wr_ready[0]), .l1_wr_core_o(),
    .l1_wr_addr_o(wr_addr[0]), .l1_wr_data_o(wr_data[0]),
    .ub_wr_valid_o(ub_wr_valid), .ub_wr_ready_i(ub_wr_ready), .ub_wr_addr_o(ub_wr_addr),
    .ub_wr_data_o(ub_wr_data),
    .gm_wr_valid_o(wr_valid[3]), .gm_wr_ready_i(wr_ready[3]), .gm_wr_core_o(),
    .gm_wr_addr_o(wr_addr[3]), .gm_wr_data_o(wr_data[3]),
    .clr_i(clr_valid_i ? clr_pairs_i : 2'd0), .*,
    .set_set_o(set_set), .cfg_mismatch_o(cfg_mismatch), .clr_busy_o(clr_busy),
    .deadlock_o()
  );

  for (genvar p = 0; p < 2; p++) begin : gen_ub
    assign rd_valid[1+p] = ub_rd_valid[p];
    assign rd_addr[1+p] = ub_rd_addr[p];
    assign ub_rd_ready[p] = rd_ready[1+p];
    assign ub_rd_rvalid[p] = rd_rvalid[1+p];
    assign ub_rd_rdata[p] = rd_rdata[1+p];
    assign wr_valid[1+p] = ub_wr_valid[p];
    assign wr_addr[1+p] = ub_wr_addr[p];
    assign wr_data[1+p] = ub_wr_data[p];
    assign ub_wr_ready[p] = wr_ready[1+p];
  end

  flag_pipe_memories #(.BeatBytes(BeatBytes)) u_memories (
    .clk_i(clk), .rst_ni(rst_n), .cycle_i(ctl_cycle), .flush_i(flush),
    .rd_valid_i(rd_valid), .rd_ready_o(rd_ready), .rd_addr_i(rd_addr), .rd_rvalid_o(rd_rvalid),
    .rd_rdata_o(rd_rdata), .wr_valid_i(wr_valid), .wr_ready_o(wr_ready), .wr_addr_i(wr_addr),
    .wr_data_i(wr_data), .accept_i(accept), .fill_addr_i(tile_addr),
    .fill_beats_i(fill_beats), .stamp_i(stamp), .look_addr_i(look_addr),
    .look_beats_i(look_beats), .look_sum_o(look_sum), .look_mix_o(look_mix), .sum_o(sum)
  );

  // ---- players
  for (genvar n = 0; n < 3; n++) begin : gen_core
    wire logic [2:0] op;
    wire logic name;
    wire logic [1:0] pipe, period, split;
    wire logic [4:0] row;
    wire logic [7:0] dir_mask;
    wire logic [31:0] size, gm, c2v, v2c, tile;
    logic begun_q;  // offered in the cycle before, and not accepted

    flag_pipe_play_cmd #(.Index(n)) u_play_cmd (
      .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .done_i(accept[n]), .valid_o(cmd_valid[n]),
      .busy_i(busy), .count_i(count), .op_o(op), .peer_o(name), .pipe_o(pipe), .dir_mask_o(dir_mask), .period_o(period), .split_o(split), .row_o(row),
      .slot_size_o(size), .gm_base_o(gm), .c2v_buf_o(c2v), .v2c_buf_o(v2c), .tile_addr_o(tile),
      .fill_beats_o(fill_beats[n]), .stamp_o(stamp[n]), .look_addr_o(look_addr[n]),
      .look_beats_o(look_beats[n])
    );
    assign cmd[n] = {op, name, pipe, dir_mask, period, split, row, size, gm, c2v, v2c, tile};
    assign tile_addr[n] = tile;
    assign accept[n] = cmd_valid[n] && cmd_ready[n];
    assign look_valid[n] = accept[n] && look_beats[n] != 16'd0;
    assign busy[n] = state[n] != Idle;

    always @(posedge clk or negedge rst_n) begin
      if (!rst_n) begun_q <= 1'b0;
      else begun_q <= cmd_valid[n] && !cmd_ready[n];
    end
    assign offered[n] = cmd_valid[n] && !begun_q;
    assign state[n] = u_dut.gen_core[n].u_core.state_q;
  end

  assign busy[4:3] = {(flying & 16'hCCCC) != '0, (flying & 16'h3333) != '0};

  tp_counts #(.Sources(4)) u_counts (
    .clk_i(clk), .rst_ni(rst_n), .done_i({clr_valid_i, accept[2], accept[1], accept[0]}),
    .count_o(count)
  );

  for (genvar e = 0; e < 16; e++) begin : gen_flying
    assign flying[e] = u_dut.gen_bank[e].u_bank.flying_o;
  end

  // ---- faults of a pair: what was not set in the cycle before
  for (genvar p = 0; p < 2; p++) begin : gen_pair
    logic [3:0] before_q;

    assign sticky[p] = {clr_busy[p], cfg_mismatch[p], set_set[2*p+:2]};
    assign risen[p] = sticky[p] & ~before_q;
    always @(posedge clk or negedge rst_n) begin
      if (!rst_n) before_q <= '0;
      else before_q <= sticky[p];
    end
  end

`include "flag_pipe_harness_taps.svh"

endmodule

`default_nettype wire
