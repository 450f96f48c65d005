// SPDX-License-Identifier: Apache-2.0
//
// L1: Lines lines of 16 bytes, 0 in the beginning. Ports: one write of four lines for the test;
// eight write slots; reads of up to eight lines, one port a packer and a fifth for `source`. What
// a read of cycle c answers is as registered in c, in cycle max(c + latency_i, answer before + 1),
// port by port; latency 0 stands for 1. Line numbers are modulo 2^17; lines that do not exist are
// read as 0 and not written. sum_o is the sum over all 32-bit words of word x (2 x its number + 1).
`timescale 1ns / 1ps
`default_nettype none

module pack_l1
  import pack_pkg::*;
#(
  parameter int Lines = 93696
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire logic [31:0]   cycle_i,
  input  wire logic [4:0]    latency_i,
  input  wire logic          test_valid_i,
  input  wire logic [16:0]   test_line_i,
  input  wire logic [511:0]  test_data_i,
  input  wire l1_write_t     write_i [8],
  input  wire l1_read_t      read_i [5],
  output wire logic          answer_valid_o [5],
  output wire logic [1023:0] answer_data_o [5],
  output      logic [63:0]   sum_o
);

  localparam int Depth = 32;  // more answers than can be outstanding: one a cycle of the latency

  logic [127:0] line_q [Lines];
  logic [1023:0] answer_q [5*Depth];
  logic [31:0] due_q [5*Depth];
  logic [4:0] head [5], fill [5], tail;  // of the answers that are outstanding
  logic [31:0] last [5], due;            // cycle of the last answer, and of the one that is added
  logic [1023:0] found;
  logic [16:0] number;
  // packed: of an array that is 0 from the first on, Icarus leaves continuous assignments at X
  logic [4:0] valid_q;
  logic [5*1024-1:0] data_q;

  // what always blocks look at by a number
  wire logic write_valid [8], read_valid [5];
  wire logic [16:0] write_line [8], read_line [5];
  wire logic [127:0] write_data [8];
  wire logic [3:0] read_count [5];

  for (genvar i = 0; i < 8; i++) begin : gen_slot
    wire l1_write_t write = write_i[i];

    assign write_valid[i] = write.valid;
    assign write_line[i] = write.line;
    assign write_data[i] = write.data;
  end
  for (genvar k = 0; k < 5; k++) begin : gen_port
    wire l1_read_t read = read_i[k];

    assign read_valid[k] = read.valid;
    assign read_line[k] = read.line;
    assign read_count[k] = read.count;
    assign answer_valid_o[k] = valid_q[k];
    assign answer_data_o[k] = data_q[1024*k+:1024];
  end

  initial begin
    for (int i = 0; i < Lines; i++) line_q[i] = '0;
    sum_o = '0;
    valid_q = '0;
    data_q = '0;
    for (int k = 0; k < 5; k++) begin
      head[k] = '0;
      fill[k] = '0;
      last[k] = '0;
    end
  end

  task automatic put_line(input logic [16:0] at, input logic [127:0] data);
    logic [127:0] old;
    begin
      if (at < 17'(Lines)) begin
        old = line_q[at];
        for (int i = 0; i < 4; i++) begin
          sum_o = sum_o + (64'(data[32*i+:32]) - 64'(old[32*i+:32]))
                           * {44'd0, at, 2'(i), 1'b1};
        end
        line_q[at] = data;
      end
    end
  endtask

  always @(posedge clk_i) begin
    for (int k = 0; k < 5; k++) begin
      if (valid_q[k]) valid_q[k] <= 1'b0;
      if (rst_ni && (read_valid[k] || fill[k] != 5'd0)) begin
        if (read_valid[k]) begin
          found = '0;
          for (int i = 0; i < 8; i++) begin
            number = read_line[k] + 17'(i);
            if (4'(i) < read_count[k] && number < 17'(Lines)) begin
              found[128*i+:128] = line_q[number];
            end
          end
          due = cycle_i + (latency_i == 5'd0 ? 32'd1 : 32'(latency_i));
          if (due <= last[k]) due = last[k] + 32'd1;
          last[k] = due;
          tail = head[k] + fill[k];
          answer_q[Depth*k+32'(tail)] = found;
          due_q[Depth*k+32'(tail)] = due;
          fill[k] = fill[k] + 5'd1;
        end
        if (due_q[Depth*k+32'(head[k])] == cycle_i + 32'd1) begin
          valid_q[k] <= 1'b1;
          data_q[1024*k+:1024] <= answer_q[Depth*k+32'(head[k])];
          head[k] = head[k] + 5'd1;
          fill[k] = fill[k] - 5'd1;
        end
      end
    end
    if (rst_ni) begin
      for (int i = 0; i < 8; i++) begin
        if (write_valid[i]) put_line(write_line[i], write_data[i]);
      end
      if (test_valid_i) begin
        for (int i = 0; i < 4; i++) put_line(test_line_i + 17'(i), test_data_i[128*i+:128]);
      end
    end
  end

endmodule

`default_nettype wire
