// SPDX-License-Identifier: Apache-2.0
//
// L1, UB0, UB1 and global memory (numbers 0 to 3), with the players of ready_i and latency_i of each
// port. look_* and fill_* belong to the cores' own SRAMs. Global memory is the first 4,194,304 and
// the last 524,288 bytes of 2^32.
`timescale 1ns / 1ps
`default_nettype none

module flag_pipe_memories #(
  parameter int BeatBytes = 32
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  input  wire logic [31:0]            cycle_i,
  input  wire logic                   flush_i,
  input  wire logic                   rd_valid_i [4],
  output wire logic                   rd_ready_o [4],
  input  wire logic [31:0]            rd_addr_i [4],
  output wire logic                   rd_rvalid_o [4],
  output wire logic [BeatBytes*8-1:0] rd_rdata_o [4],
  input  wire logic                   wr_valid_i [4],
  output wire logic                   wr_ready_o [4],
  input  wire logic [31:0]            wr_addr_i [4],
  input  wire logic [BeatBytes*8-1:0] wr_data_i [4],
  input  wire logic                   accept_i [3],  // of a command
  input  wire logic [31:0]            fill_addr_i [3],
  input  wire logic [15:0]            fill_beats_i [3],
  input  wire logic [31:0]            stamp_i [3],
  input  wire logic [31:0]            look_addr_i [3],
  input  wire logic [15:0]            look_beats_i [3],
  output wire logic [31:0]            look_sum_o [3],
  output wire logic [31:0]            look_mix_o [3],
  output wire logic [63:0]            sum_o [4]
);

  wire logic [4:0] latency [4];
  wire logic rd_accept [4], wr_accept [4];

  for (genvar m = 0; m < 4; m++) begin : gen_memory
    localparam int Words = m == 0 ? 131072 : m == 3 ? 1179648 : 65536;

    assign rd_accept[m] = rd_valid_i[m] && rd_ready_o[m];
    assign wr_accept[m] = wr_valid_i[m] && wr_ready_o[m];

    if (m == 3) begin : gen_global
      wire logic [31:0] sum, mix;

      flag_pipe_memory #(.Words(Words), .BeatBytes(BeatBytes), .TopWords(131072)) u_memory (
        .clk_i, .rst_ni, .cycle_i, .flush_i,
        .rd_accept_i(rd_accept[m]), .rd_addr_i(rd_addr_i[m]), .latency_i(latency[m]),
        .rd_valid_o(rd_rvalid_o[m]), .rd_data_o(rd_rdata_o[m]),
        .wr_accept_i(wr_accept[m]), .wr_addr_i(wr_addr_i[m]), .wr_data_i(wr_data_i[m]),
        .fill_i(1'b0), .fill_addr_i(32'd0), .fill_beats_i(16'd0), .stamp_i(32'd0),
        .look_i(1'b0), .look_addr_i(32'd0), .look_beats_i(16'd0),
        .look_sum_o(sum), .look_mix_o(mix), .sum_o(sum_o[m])
      );
    end else begin : gen_own
      flag_pipe_memory #(.Words(Words), .BeatBytes(BeatBytes)) u_memory (
        .clk_i, .rst_ni, .cycle_i, .flush_i,
        .rd_accept_i(rd_accept[m]), .rd_addr_i(rd_addr_i[m]), .latency_i(latency[m]),
        .rd_valid_o(rd_rvalid_o[m]), .rd_data_o(rd_rdata_o[m]),
        .wr_accept_i(wr_accept[m]), .wr_addr_i(wr_addr_i[m]), .wr_data_i(wr_data_i[m]),
        .fill_i(accept_i[m]), .fill_addr_i(fill_addr_i[m]), .fill_beats_i(fill_beats_i[m]),
        .stamp_i(stamp_i[m]), .look_i(accept_i[m]), .look_addr_i(look_addr_i[m]),
        .look_beats_i(look_beats_i[m]), .look_sum_o(look_sum_o[m]), .look_mix_o(look_mix_o[m]),
        .sum_o(sum_o[m])
      );
    end
  end

  // ---- levels: l1, ub0, ub1, gm
  flag_pipe_play_l1_rd_mem u_play_l1_rd (
    .clk_i, .rst_ni, .flush_i, .ready_o(rd_ready_o[0]), .latency_o(latency[0])
  );
  flag_pipe_play_l1_wr_mem u_play_l1_wr (
    .clk_i, .rst_ni, .flush_i, .ready_o(wr_ready_o[0])
  );
  flag_pipe_play_ub0_rd_mem u_play_ub0_rd (
    .clk_i, .rst_ni, .flush_i, .ready_o(rd_ready_o[1]), .latency_o(latency[1])
  );
  flag_pipe_play_ub0_wr_mem u_play_ub0_wr (
    .clk_i, .rst_ni, .flush_i, .ready_o(wr_ready_o[1])
  );
  flag_pipe_play_ub1_rd_mem u_play_ub1_rd (
    .clk_i, .rst_ni, .flush_i, .ready_o(rd_ready_o[2]), .latency_o(latency[2])
  );
  flag_pipe_play_ub1_wr_mem u_play_ub1_wr (
    .clk_i, .rst_ni, .flush_i, .ready_o(wr_ready_o[2])
  );
  flag_pipe_play_gm_rd_mem u_play_gm_rd (
    .clk_i, .rst_ni, .flush_i, .ready_o(rd_ready_o[3]), .latency_o(latency[3])
  );
  flag_pipe_play_gm_wr_mem u_play_gm_wr (
    .clk_i, .rst_ni, .flush_i, .ready_o(wr_ready_o[3])
  );

endmodule

`default_nettype wire
