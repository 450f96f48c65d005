// SPDX-License-Identifier: Apache-2.0
//
// The rows of one lane on their way to the gather, in order.
//
// Latency: a row comes with row_done_i; row_valid_i of c, then or later, makes it the head from c+1
// on, when it is the first; its elements are out in the cycle after the one in which its count and
// its zeros are, also after take_i.
// Handshake: it stays until take_i; there is room for all rows in flight. Reset: empty.
`default_nettype none

module pack_row_queue
  import pack_pkg::*;
  import pack_back_pkg::*;
(
  input  wire logic                     clk_i,
  input  wire logic                     rst_ni,
  input  wire logic                     row_done_i,
  input  wire logic [$bits(row_t)-1:0]  row_i,
  input  wire logic                     row_valid_i,  // of the first not yet seen
  output wire logic                     valid_o,
  output wire logic [4:0]               count_o,
  output wire logic [15:0]              zero_o,
  output wire logic [511:0]             elements_o,  // of the head a cycle ago
  input  wire logic                     take_i
);

  localparam int PointerWidth = $clog2(QueueDepth);

  logic [PointerWidth-1:0] head_q, tail_q;
  logic [PointerWidth:0] held_q;
  row_t row;

  assign row = row_i;
  assign valid_o = held_q != '0;

  wire logic [PointerWidth-1:0] next_head = head_q + PointerWidth'(take_i);

  memory_queue #(.Width(21), .Depth(QueueDepth)) u_counts (
    .clk_i, .write_valid_i(row_done_i), .write_address_i(tail_q),
    .write_data_i({row.zero, row.count}),
    .read_valid_i(1'b1), .read_address_i(next_head), .read_data_o({zero_o, count_o})
  );
  memory_bank #(.Width(512), .Depth(QueueDepth), .Parts(1)) u_elements (
    .clk_i, .write_valid_i(row_done_i), .write_address_i(tail_q), .write_mask_i(1'b1),
    .write_data_i(row.element),
    .read_valid_i(1'b1), .read_address_i(head_q), .read_data_o(elements_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      held_q <= '0;
    end else begin
      if (row_done_i) tail_q <= tail_q + 1'b1;
      head_q <= next_head;
      if (row_valid_i != take_i) held_q <= take_i ? held_q - 1'b1 : held_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (take_i && held_q == '0) $fatal(1, "pack_row_queue: there is no row to take");
    if (row_valid_i && held_q == 5'(RowsInFlight))
      $fatal(1, "pack_row_queue: no room for a row");
    if (row_done_i && row.count > 5'd16)
      $fatal(1, "pack_row_queue: a row of %0d elements", row.count);
  end
`endif

endmodule

`default_nettype wire
