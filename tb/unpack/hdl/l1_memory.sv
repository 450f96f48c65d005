// SPDX-License-Identifier: Apache-2.0
//
// L1: Lines lines of 16 bytes, 0 in the beginning; a write port for four lines, and a read port for
// each unpacker. What a request of cycle c reads is as registered in c; its answer comes in cycle
// max(c + latency_i, answer before + 1), in order; latency 0 stands for 1. Lines that do not exist,
// and what was not requested, are answered with all ones; writes of lines that do not exist are
// dropped.
`timescale 1ns / 1ps
`default_nettype none

module l1_memory
  import unpack_pkg::*;
#(
  parameter int Lines = 93696
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic [31:0]  cycle_i,
  input  wire logic [4:0]   latency_i,
  input  wire logic         write_valid_i,
  input  wire logic [27:0]  write_line_i,  // a multiple of 4
  input  wire logic [511:0] write_data_i,
  input  wire l1_request_t  request_i [2],
  output wire l1_answer_t   answer_o [2]
);

  localparam int Depth = 32;  // more than can be outstanding: one a cycle of the latency

  logic [127:0] line_q [Lines];

  initial for (int i = 0; i < Lines; i++) line_q[i] = '0;

  always @(posedge clk_i) begin
    if (rst_ni && write_valid_i && write_line_i < 28'(Lines)) begin
      for (int i = 0; i < 4; i++) begin
        line_q[17'(write_line_i) + 17'(i)] <= write_data_i[128*i+:128];
      end
    end
  end

  for (genvar u = 0; u < 2; u++) begin : gen_port
    logic [1023:0] answer_q [Depth];  // {rsi1, rsi0, delta, exponent, line3, line2, line1, line0}
    logic [31:0] due_q [Depth];
    logic [4:0] head, fill, tail;    // of the answers that are outstanding
    logic [31:0] last, due;          // cycle of the last answer, and of the one that is added
    logic [1023:0] found, data_q;
    logic valid_q;
    wire l1_request_t request = request_i[u];

    function automatic logic [127:0] line(input logic requested, input logic [27:0] number);
      return requested && number < 28'(Lines) ? line_q[17'(number)] : '1;
    endfunction

    assign answer_o[u] = {valid_q, data_q};

    initial begin
      valid_q = 1'b0;
      data_q = '0;
      head = '0;
      fill = '0;
      last = '0;
    end

    always @(posedge clk_i) begin
      if (valid_q) valid_q <= 1'b0;
      if (rst_ni && (request.valid || fill != 5'd0)) begin
        if (request.valid) begin
          found[127:0] = line(request.count > 3'd0, request.lines[27:0]);
          found[255:128] = line(request.count > 3'd1, request.lines[55:28]);
          found[383:256] = line(request.count > 3'd2, request.lines[83:56]);
          found[511:384] = line(request.count > 3'd3, request.lines[111:84]);
          found[639:512] = line(request.has_exponent, request.exponent);
          found[767:640] = line(request.has_delta, request.delta);
          found[895:768] = line(request.rsi_count > 2'd0, request.rsi[27:0]);
          found[1023:896] = line(request.rsi_count > 2'd1, request.rsi[55:28]);
          due = cycle_i + (latency_i == 5'd0 ? 32'd1 : 32'(latency_i));
          if (due <= last) due = last + 32'd1;
          last = due;
          tail = head + fill;
          answer_q[tail] = found;
          due_q[tail] = due;
          fill = fill + 5'd1;
        end
        if (due_q[head] == cycle_i + 32'd1) begin
          valid_q <= 1'b1;
          data_q <= answer_q[head];
          head = head + 5'd1;
          fill = fill - 5'd1;
        end
      end
    end
  end

endmodule

`default_nettype wire
