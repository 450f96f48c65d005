// SPDX-License-Identifier: Apache-2.0
//
// Compression (section 8): the micro-operations of the step at the head of the packer's queue, at
// most one a cycle.
//
// Latency: what is made is in op_o in its cycle; nothing where it has to wait, or there is none.
// Handshake: with done_o the step is through. Reset: no tile, an empty block.
`default_nettype none

module pack_compress
  import pack_back_pkg::*;
(
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         discard_i,       // TO or compress has changed
  input  wire logic         active_i,        // a step is there, and the packer does not close
  input  wire logic         last_i,          // of the step: as in step_t
  input  wire logic         close_i,
  input  wire logic         ends_row_i,
  input  wire logic [6:0]   total_i,         // elements of the step
  input  wire logic         zero_i,          // element cursor_o is 0
  input  wire logic         room_element_i,  // in the gather
  input  wire logic         less_i,          // the gather holds less than a unit
  input  wire logic         room_line_i,
  output wire logic [6:0]   cursor_o,        // element that is looked at
  output wire op_t          op_o,
  output wire logic [15:0]  start_o,         // with op_o.start: the entry
  output wire logic         done_o,
  output wire logic [127:0] counters_o       // of the block
);

  localparam logic [5:0] Block = 6'd32;
  localparam logic [3:0] CounterMax = 4'd15;

  logic [6:0] cursor_q;
  logic [15:0] augmented_q;  // datums of the tile
  logic [5:0] block_q;       // of them in the open block
  logic [3:0] counter_q;     // of the last one
  logic row_q;               // the row has elements
  logic tile_q;              // the tile has its entry 0
  logic [127:0] counters_q;

  // ---- what comes next, and whether it can be
  wire logic more = cursor_q != total_i;
  wire logic final_element = cursor_q + 7'd1 == total_i;
  wire logic elided = zero_i && row_q && counter_q != CounterMax
                      && !(final_element && last_i && ends_row_i);
  wire logic full = block_q == Block;
  wire logic row_end = last_i && ends_row_i && row_q;
  wire logic open = last_i && close_i && block_q != 6'd0;
  wire logic element = active_i && more && tile_q && !full && room_element_i;
  wire logic entry = active_i && more && !tile_q && room_line_i;
  wire logic counters = active_i && full && less_i && room_line_i;
  wire logic keep = active_i && more && elided;
  wire op_t op;

  assign op.element = element && !elided;
  assign op.zero = active_i && !more && !row_end && open && !full && room_element_i;
  assign op.counters = (counters && more && tile_q && !elided)
                       || (counters && !more && !row_end && open);
  assign op.start = (entry && !elided) || (active_i && !more && row_end && room_line_i);

  // ---- whether the step is through with it
  wire logic element_last = final_element && !(last_i && (ends_row_i || close_i));
  wire logic nothing = active_i && !more && !row_end && !open;

  assign cursor_o = cursor_q;
  assign op_o = op;
  assign start_o = augmented_q;
  assign done_o = ((keep || op.element) && element_last) || nothing
                  || (!more && ((op.start && !close_i) || op.counters));
  assign counters_o = counters_q;

  // ---- the counters of the block
  wire logic emit = op.element || op.zero;
  wire logic [4:0] place = keep ? block_q[4:0] - 5'd1 : block_q[4:0];

  function automatic logic [127:0] placed(input logic [127:0] block, input logic [4:0] at,
                                          input logic [3:0] value);
    for (int n = 0; n < 32; n++) placed[4*n+:4] = 5'(n) == at ? value : block[4*n+:4];
  endfunction

  always_ff @(posedge clk_i)
    if (emit || keep) counters_q <= placed(counters_q, place, keep ? counter_q + 4'd1 : 4'd0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cursor_q <= '0;
      augmented_q <= '0;
      block_q <= '0;
      counter_q <= '0;
      row_q <= 1'b0;
      tile_q <= 1'b0;
    end else begin
      if (emit || keep) counter_q <= keep ? counter_q + 4'd1 : 4'd0;
      if (op.element) begin
        augmented_q <= augmented_q + 16'd1;
        row_q <= 1'b1;
      end
      if (emit) block_q <= block_q + 6'd1;
      if (op.counters) block_q <= '0;
      if (op.start) begin
        tile_q <= 1'b1;
        if (!more) row_q <= 1'b0;
      end
      if (keep || op.element) cursor_q <= cursor_q + 7'd1;
      if (done_o) begin
        cursor_q <= '0;
        if (last_i && close_i) begin
          augmented_q <= '0;
          block_q <= '0;
          row_q <= 1'b0;
          tile_q <= 1'b0;
        end
      end
      if (discard_i) begin
        augmented_q <= '0;
        block_q <= '0;
        row_q <= 1'b0;
        tile_q <= 1'b0;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (active_i && cursor_q > total_i)
      $fatal(1, "pack_compress: element %0d of %0d", cursor_q, total_i);
    if (discard_i && cursor_q != '0)
      $fatal(1, "pack_compress: the mode changes within a step");
  end
`endif

endmodule

`default_nettype wire
