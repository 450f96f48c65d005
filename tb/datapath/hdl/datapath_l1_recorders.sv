// SPDX-License-Identifier: Apache-2.0
//
// Recorders at the ports of L1: lines that the packers store and requests as they arrive there, and
// answers as the blocks get them, of each the sum over words x of word x (2 x + 1).
`timescale 1ns / 1ps
`default_nettype none

module datapath_l1_recorders
  import unpack_pkg::l1_request_t;
  import unpack_pkg::l1_answer_t;
(
  input wire logic          clk_i,
  input wire logic          rst_ni,
  input wire logic [31:0]   cycle_i,
  input wire logic          flush_i,
  input wire logic          write_valid_i [8],
  input wire logic [16:0]   write_line_i [8],
  input wire logic [127:0]  write_data_i [8],
  input wire l1_request_t   request_i [2],
  input wire logic          read_valid_i [5],
  input wire logic [16:0]   read_line_i [5],
  input wire logic [3:0]    read_count_i [5],
  input wire l1_answer_t    unpack_answer_i [2],
  input wire logic          answer_valid_i [5],
  input wire logic [1023:0] answer_data_i [5]
);

  function automatic logic [31:0] sum(input logic valid, input logic [1023:0] data);
    sum = '0;
    if (valid)
      for (int i = 0; i < 32; i++) sum = sum + data[32*i+:32] * 32'(2 * i + 1);
  endfunction

  for (genvar k = 0; k < 8; k++) begin : gen_slot
    datapath_rec_stored #(.Index(k)) u_stored (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(write_valid_i[k]),
      .line_i(write_line_i[k]), .data_i(write_data_i[k])
    );
  end

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    wire l1_request_t request = request_i[u];
    wire logic [1024:0] answer = unpack_answer_i[u];  // valid, lines: the first one lowest

    datapath_rec_requested #(.Index(u)) u_requested (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(request.valid), .count_i(request.count),
      .line0_i(request.lines[27:0]), .line1_i(request.lines[55:28]),
      .line2_i(request.lines[83:56]), .line3_i(request.lines[111:84]),
      .has_exponent_i(request.has_exponent), .exponent_i(request.exponent),
      .has_delta_i(request.has_delta), .delta_i(request.delta), .rsi_count_i(request.rsi_count),
      .rsi0_i(request.rsi[27:0]), .rsi1_i(request.rsi[55:28])
    );
    datapath_rec_unpack_answer #(.Index(u)) u_answer (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(answer[1024]),
      .sum_i(sum(answer[1024], answer[1023:0]))
    );
  end

  for (genvar p = 0; p < 5; p++) begin : gen_packer
    datapath_rec_fetched #(.Index(p)) u_fetched (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(read_valid_i[p]), .line_i(read_line_i[p]),
      .count_i(read_count_i[p])
    );
    datapath_rec_pack_answer #(.Index(p)) u_answer (
      .clk_i, .rst_ni, .cycle_i, .flush_i, .valid_i(answer_valid_i[p]),
      .sum_i(sum(answer_valid_i[p], answer_data_i[p]))
    );
  end

endmodule

`default_nettype wire
