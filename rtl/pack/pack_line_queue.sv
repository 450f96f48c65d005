// SPDX-License-Identifier: Apache-2.0
//
// The line queues of a packer: the data lines of a pop as one entry, exponent and row start index
// lines in order in the other one, of two banks, as both can come at once.
//
// Latency: what comes in c is up from c+1 on. Handshake: a head stays until its take; there is
// room for all lines in flight. Reset: empty.
`default_nettype none

module pack_line_queue
  import pack_back_pkg::*;
#(
  parameter int Width = 128  // of the data lines
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             data_valid_i,
  input  wire span_t            span_i,
  input  wire logic [Width-1:0] data_i,
  input  wire logic             exponent_valid_i,
  input  wire side_t            exponent_i,
  input  wire logic             rsi_valid_i,
  input  wire side_t            rsi_i,
  output wire logic             data_valid_o,
  output wire span_t            span_o,
  output wire logic [Width-1:0] data_o,
  input  wire logic             take_data_i,
  output wire logic             side_valid_o,
  output wire side_t            side_o,
  input  wire logic             take_side_i
);

  localparam int PointerWidth = $clog2(QueueDepth);

  // ---- data
  logic [PointerWidth-1:0] head_q, tail_q;

  wire logic [PointerWidth-1:0] next_head = head_q + PointerWidth'(take_data_i);

  memory_queue #(.Width(SpanWidth), .Depth(QueueDepth)) u_spans (
    .clk_i, .write_valid_i(data_valid_i), .write_address_i(tail_q), .write_data_i(span_i),
    .read_valid_i(1'b1), .read_address_i(next_head), .read_data_o(span_o)
  );
  memory_queue #(.Width(Width), .Depth(QueueDepth)) u_data (
    .clk_i, .write_valid_i(data_valid_i), .write_address_i(tail_q), .write_data_i(data_i),
    .read_valid_i(1'b1), .read_address_i(next_head), .read_data_o(data_o)
  );

  assign data_valid_o = head_q != tail_q;

  // ---- exponents before a row start index of the same cycle; a pointer's lowest bit is the bank
  logic [PointerWidth-1:0] side_head_q, side_tail_q;
  wire logic [PointerWidth-2:0] side_place = side_tail_q[PointerWidth-1:1];
  wire logic [PointerWidth-2:0] side_next = side_place + {2'd0, side_tail_q[0]};
  wire logic [PointerWidth-1:0] next_side_head = side_head_q + PointerWidth'(take_side_i);
  wire side_t first, second;
  wire logic both = exponent_valid_i && rsi_valid_i;
  wire logic [SideWidth-1:0] side [2];

  assign first = exponent_valid_i ? exponent_i : rsi_i;
  assign second = rsi_i;

  for (genvar n = 0; n < 2; n++) begin : gen_bank
    wire logic mine = side_tail_q[0] == 1'(n);
    memory_queue #(.Width(SideWidth), .Depth(QueueDepth / 2)) u_side (
      .clk_i,
      .write_valid_i(mine ? exponent_valid_i || rsi_valid_i : both),
      .write_address_i(mine ? side_place : side_next),
      .write_data_i(mine ? first : second),
      .read_valid_i(1'b1), .read_address_i(next_side_head[PointerWidth-1:1]),
      .read_data_o(side[n])
    );
  end

  assign side_valid_o = side_head_q != side_tail_q;
  assign side_o = side_head_q[0] ? side[1] : side[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      side_head_q <= '0;
      side_tail_q <= '0;
    end else begin
      head_q <= next_head;
      if (data_valid_i) tail_q <= tail_q + 1'b1;
      side_head_q <= next_side_head;
      side_tail_q <= side_tail_q + {3'd0, exponent_valid_i} + {3'd0, rsi_valid_i};
    end
  end

`ifndef SYNTHESIS
  wire logic [PointerWidth-1:0] after = tail_q + 1'b1;
  wire logic [PointerWidth-1:0] held = side_tail_q - side_head_q;

  always @(posedge clk_i) begin
    if (data_valid_i && after == head_q)
      $fatal(1, "pack_line_queue: no room for data lines");
    if ((exponent_valid_i || rsi_valid_i) && held >= 4'd14)
      $fatal(1, "pack_line_queue: no room for a side line");
    if (take_data_i && !data_valid_o) $fatal(1, "pack_line_queue: no data to take");
    if (take_side_i && !side_valid_o) $fatal(1, "pack_line_queue: no side line to take");
  end
`endif

endmodule

`default_nettype wire
