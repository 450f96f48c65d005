// SPDX-License-Identifier: Apache-2.0
//
// The steps of a packer on their way to the gather, in order.
//
// Latency: a step that comes in r+1 is up with valid_o from r+12 on, when it is the first.
// Handshake: it stays until take_i; there is room for all rows in flight. Reset: empty.
`default_nettype none

module pack_step_queue
  import pack_pkg::*;
  import pack_back_pkg::*;
(
  input  wire logic  clk_i,
  input  wire logic  rst_ni,
  input  wire logic  step_valid_i,
  input  wire step_t step_i,
  output wire logic  valid_o,
  output wire step_t step_o,
  input  wire logic  take_i
);

  localparam int Stages = RowLatency - 2;  // from r+2 to r+11
  localparam int PointerWidth = $clog2(QueueDepth);

  logic [Stages-1:0] age_q;
  logic [PointerWidth-1:0] head_q, tail_q;
  logic [PointerWidth:0] ready_q;  // steps that can be taken

  wire logic [PointerWidth-1:0] next_head = head_q + PointerWidth'(take_i);

  memory_bank #(.Width($bits(step_t)), .Depth(QueueDepth), .Parts(1)) u_memory (
    .clk_i, .write_valid_i(step_valid_i), .write_address_i(tail_q), .write_mask_i(1'b1),
    .write_data_i(step_i),
    .read_valid_i(1'b1), .read_address_i(next_head), .read_data_o(step_o)
  );

  assign valid_o = ready_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      age_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      ready_q <= '0;
    end else begin
      age_q <= {age_q[Stages-2:0], step_valid_i};
      if (step_valid_i) tail_q <= tail_q + 1'b1;
      head_q <= next_head;
      if (age_q[Stages-1] != take_i) ready_q <= take_i ? ready_q - 1'b1 : ready_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  logic [PointerWidth:0] held_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= '0;
    else held_q <= held_q + {4'd0, step_valid_i} - {4'd0, take_i};
  end

  always @(posedge clk_i) begin
    if (take_i && ready_q == '0) $fatal(1, "pack_step_queue: there is no step to take");
    if (step_valid_i && held_q == 5'(RowsInFlight))
      $fatal(1, "pack_step_queue: no room for a step");
  end
`endif

endmodule

`default_nettype wire
