// SPDX-License-Identifier: Apache-2.0
//
// L1 as source of packer 0 (P16): what a line that is requested is for, until it is answered.
//
// Latency: an answer in a is in lane_o and data_o in a+1. Handshake: one request and one answer a
// cycle, answers in order. Reset: nothing due.
`default_nettype none

module pack_source
  import pack_pkg::*;
#(
  parameter int L1Lines = 93696
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire logic [16:0]  line_i,
  input  wire lane_t        lane_i,
  output wire logic         due_o,        // a line is not answered, as registered
  output wire logic         range_fault_o,
  input  wire logic         answer_valid_i,
  input  wire logic [127:0] answer_data_i,
  output wire logic         lane_valid_o,
  output wire lane_t        lane_o,
  output wire logic [127:0] data_o
);

  logic [3:0] read_q, write_q;
  logic [4:0] due_q;
  logic lane_valid_q;
  logic [127:0] data_q;

  assign due_o = due_q != 5'd0;
  assign range_fault_o = valid_i && line_i >= 17'(L1Lines);
  assign lane_valid_o = lane_valid_q;
  assign data_o = data_q;

  memory_bank #(.Width($bits(lane_t)), .Depth(RowsInFlight), .Parts(1)) u_queue (
    .clk_i, .write_valid_i(valid_i), .write_address_i(write_q), .write_mask_i(1'b1),
    .write_data_i(lane_i),
    .read_valid_i(answer_valid_i), .read_address_i(read_q), .read_data_o(lane_o)
  );

  always_ff @(posedge clk_i) if (answer_valid_i) data_q <= answer_data_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= '0;
      write_q <= '0;
      due_q <= '0;
      lane_valid_q <= 1'b0;
    end else begin
      if (valid_i) write_q <= write_q + 4'd1;
      if (answer_valid_i) read_q <= read_q + 4'd1;
      due_q <= due_q + {4'd0, valid_i} - {4'd0, answer_valid_i};
      lane_valid_q <= answer_valid_i;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (answer_valid_i && due_q == 5'd0) $fatal(1, "pack_source: an answer that is not due");
    if (valid_i && due_q == 5'(RowsInFlight)) $fatal(1, "pack_source: no room for a request");
  end
`endif

endmodule

`default_nettype wire
