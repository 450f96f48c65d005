// SPDX-License-Identifier: Apache-2.0
//
// L1 of the whole data path: Lines lines of 16 bytes, 0 in the beginning, behind a write port of four
// lines for the test and the ports of both unpackers and of the packers. What a request of cycle c
// reads is as registered in c. Lines that do not exist are read as 0 and not written. sum_o: of each
// 64 lines the sum of word x (2 x its number there + 1).
`timescale 1ns / 1ps
`default_nettype none

module datapath_l1
  import unpack_pkg::*;
#(
  parameter int Lines = 93696,
  parameter int Sums  = 1536
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic [31:0]      cycle_i,
  input  wire logic [4:0]       latency_i,
  input  wire logic             test_valid_i,
  input  wire logic [27:0]      test_line_i,
  input  wire logic [511:0]     test_data_i,
  input  wire l1_request_t      request_i [2],
  output wire l1_answer_t       answer_o [2],
  input  wire logic             write_valid_i [8],
  input  wire logic [16:0]      write_line_i [8],
  input  wire logic [127:0]     write_data_i [8],
  input  wire logic             read_valid_i [5],
  input  wire logic [16:0]      read_line_i [5],
  input  wire logic [3:0]       read_count_i [5],
  output wire logic             read_valid_o [5],
  output wire logic [1023:0]    read_data_o [5]
);

  logic [127:0] line_q [Lines];
  logic [31:0] sum_q [Sums];

  initial begin
    for (int i = 0; i < Lines; i++) line_q[i] = '0;
    for (int i = 0; i < Sums; i++) sum_q[i] = '0;
  end

  task automatic put_line(input logic [27:0] at, input logic [127:0] data);
    logic [127:0] old;
    begin
      if (at < 28'(Lines)) begin
        old = line_q[17'(at)];
        for (int i = 0; i < 4; i++)
          sum_q[11'(at/64)] = sum_q[11'(at/64)]
            + (data[32*i+:32] - old[32*i+:32]) * {23'd0, at[5:0], 2'(i), 1'b1};
        line_q[17'(at)] = data;
      end
    end
  endtask

  always @(posedge clk_i) begin
    if (rst_ni) begin
      for (int i = 0; i < 8; i++)
        if (write_valid_i[i]) put_line(28'(write_line_i[i]), write_data_i[i]);
      if (test_valid_i)
        for (int i = 0; i < 4; i++) put_line(test_line_i + 28'(i), test_data_i[128*i+:128]);
    end
  end

  function automatic logic [127:0] line(input logic wanted, input logic [27:0] number);
    line = wanted && number < 28'(Lines) ? line_q[17'(number)] : '0;
  endfunction

  // sampled in front of the edge at which lines change
  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    wire l1_request_t request = request_i[u];
    wire logic [111:0] lines = request.lines;
    wire logic [55:0] rsi = request.rsi;
    logic valid_q;
    logic [1023:0] found_q;

    always @(negedge clk_i) begin
      valid_q = request.valid && rst_ni;
      if (request.valid)
        found_q = {line(request.rsi_count > 2'd1, rsi[55:28]),
                   line(request.rsi_count > 2'd0, rsi[27:0]),
                   line(request.has_delta, request.delta),
                   line(request.has_exponent, request.exponent),
                   line(request.count > 3'd3, lines[111:84]),
                   line(request.count > 3'd2, lines[83:56]),
                   line(request.count > 3'd1, lines[55:28]),
                   line(request.count > 3'd0, lines[27:0])};
    end

    wire logic answer_valid;
    wire logic [1023:0] answer_data;

    assign answer_o[u] = {answer_valid, answer_data};
    datapath_answers #(.Width(1024)) u_answers (
      .clk_i, .rst_ni, .cycle_i, .latency_i, .valid_i(valid_q), .data_i(found_q),
      .valid_o(answer_valid), .data_o(answer_data)
    );
  end

  for (genvar p = 0; p < 5; p++) begin : gen_packer
    logic valid_q;
    logic [1023:0] found_q;

    always @(negedge clk_i) begin
      valid_q = read_valid_i[p] && rst_ni;
      if (read_valid_i[p])
        for (int i = 0; i < 8; i++)
          found_q[128*i+:128] = line(4'(i) < read_count_i[p], 28'(read_line_i[p] + 17'(i)));
    end

    datapath_answers #(.Width(1024)) u_answers (
      .clk_i, .rst_ni, .cycle_i, .latency_i, .valid_i(valid_q), .data_i(found_q),
      .valid_o(read_valid_o[p]), .data_o(read_data_o[p])
    );
  end

endmodule

`default_nettype wire
