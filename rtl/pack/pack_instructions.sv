// SPDX-License-Identifier: Apache-2.0
//
// The instruction queue of a packer, behind the instruction that makes its steps.
//
// Latency: what comes in is at the head at once if there is nothing before it. Handshake: the head
// goes with take_i; there is always room, the count of instructions under way sees to that. Reset:
// empty.
`default_nettype none

module pack_instructions
  import pack_pkg::*;
  import pack_plan_pkg::*;
(
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire instruction_t instruction_i,
  output wire logic         valid_o,
  output wire instruction_t head_o,
  input  wire logic         take_i
);

  localparam int Depth = UnderWay - 1;  // one more makes its steps

  wire logic [$bits(instruction_t)-1:0] oldest;
  logic [3:0] read_q, write_q, count_q;

  function automatic logic [3:0] after(input logic [3:0] place);
    after = place == 4'(Depth - 1) ? 4'd0 : place + 4'd1;
  endfunction

  wire logic empty = count_q == 4'd0;
  wire logic enters = valid_i && !(empty && take_i);
  wire logic leaves = take_i && !empty;

  assign valid_o = valid_i || !empty;
  assign head_o = empty ? instruction_i : oldest;

  wire logic [3:0] next_read = leaves ? after(read_q) : read_q;

  memory_queue #(.Width($bits(instruction_t)), .Depth(Depth)) u_queue (
    .clk_i, .write_valid_i(enters), .write_address_i(write_q), .write_data_i(instruction_i),
    .read_valid_i(1'b1), .read_address_i(next_read), .read_data_o(oldest)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= '0;
      write_q <= '0;
      count_q <= '0;
    end else begin
      if (enters) write_q <= after(write_q);
      read_q <= next_read;
      count_q <= count_q + {3'd0, enters} - {3'd0, leaves};
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (enters && count_q == 4'(Depth)) $fatal(1, "pack_instructions: no room");
    if (take_i && !valid_o) $fatal(1, "pack_instructions: taken from an empty queue");
  end
`endif

endmodule

`default_nettype wire
