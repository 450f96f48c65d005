// SPDX-License-Identifier: Apache-2.0
//
// Compression (section 8): the micro-operations of the step at the head of the packer's queue, at
// most one a cycle.
//
// Latency: what is made is in op_o in its cycle; OpNone where it has to wait, or there is nothing.
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
  output wire op_e          op_o,
  output wire logic [15:0]  start_o,         // with OpStart: the entry
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
  wire op_e next = more ? (elided ? OpKeep : !tile_q ? OpStart : full ? OpCounters : OpElement)
                 : row_end ? OpStart : !open ? OpNone : full ? OpCounters : OpZero;

  function automatic logic possible(input op_e op, input logic element, input logic line,
                                    input logic less);
    case (op)
      OpElement, OpZero: possible = element;
      OpCounters:        possible = less && line;
      OpStart:           possible = line;
      default:           possible = 1'b1;
    endcase
  endfunction

  wire logic go = active_i && possible(next, room_element_i, room_line_i, less_i);

  // ---- whether the step is through with it
  wire logic element_last = final_element && !(last_i && (ends_row_i || close_i));
  wire logic through = next == OpNone
                       || (more && (next == OpKeep || next == OpElement) && element_last)
                       || (!more && next == OpStart && !close_i)
                       || (!more && next == OpCounters);

  assign cursor_o = cursor_q;
  assign op_o = go ? next : OpNone;
  assign start_o = augmented_q;
  assign done_o = go && through;
  assign counters_o = counters_q;

  // ---- the counters of the block
  wire logic emit = go && (next == OpElement || next == OpZero);
  wire logic keep = go && next == OpKeep;
  wire logic [4:0] place = keep ? block_q[4:0] - 5'd1 : block_q[4:0];

  function automatic logic [127:0] placed(input logic [127:0] counters, input logic [4:0] at,
                                          input logic [3:0] value);
    for (int n = 0; n < 32; n++) placed[4*n+:4] = 5'(n) == at ? value : counters[4*n+:4];
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
      if (go) begin
        case (next)
          OpElement: begin
            augmented_q <= augmented_q + 16'd1;
            block_q <= block_q + 6'd1;
            row_q <= 1'b1;
          end
          OpZero:     block_q <= block_q + 6'd1;
          OpCounters: block_q <= '0;
          OpStart: begin
            tile_q <= 1'b1;
            if (!more) row_q <= 1'b0;
          end
          default:    ;
        endcase
        if (more && (next == OpKeep || next == OpElement)) cursor_q <= cursor_q + 7'd1;
      end
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
