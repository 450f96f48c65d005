// SPDX-License-Identifier: Apache-2.0
//
// A step of an expanding instruction: which item each of up to 32 slots has (docs/unpack.md
// sections 4 and 5.3). A datum is an item, and so is each of the zeros that its nibble says; an
// item that is emitted takes 1 + zeros slots, one that is dropped takes one.
//
// Latency: combinational. Handshake: none; all outputs are 0 without valid_i.
`default_nettype none

module unp_expand
  import unpack_step_pkg::*;
(
  input  wire logic         valid_i,
  input  wire logic [7:0]   count_i,       // datums of the beat
  input  wire logic         runs_i,        // nibbles count
  input  wire logic [127:0] nibbles_i,     // the delta line
  input  wire logic [4:0]   nibble_i,      // of the beat's first datum
  input  wire logic [3:0]   zeros_i,
  input  wire logic         interleave_i,
  input  wire logic         bounded_i,
  // where the beat is: datum, item of that datum, slot of that item; items to drop, to emit
  input  wire logic [7:0]   datum_i,
  input  wire logic [3:0]   item_i,
  input  wire logic [3:0]   slot_i,
  input  wire logic [17:0]  drop_i,
  input  wire logic [18:0]  items_i,
  // the slots of this step
  output wire logic [5:0]   slots_o,
  output wire logic [5:0]   dropped_o,     // so many, at the front
  output wire logic [31:0]  written_o,     // not dropped nor left out by interleave
  output wire logic [31:0]  value_o,       // has a datum's value, else 0
  output wire logic [4:0]   skipped_o,     // lane (datum, from datum_i on) of the first value
  output wire logic [31:0]  own_o,         // lanes whose own slot is in this step
  output wire logic         ends_o,        // the beat
  output wire logic         finished_o,    // the bounded output
  // where it is then
  output wire logic [7:0]   datum_o,
  output wire logic [3:0]   item_o,
  output wire logic [3:0]   slot_o,
  output wire logic [17:0]  drop_o,
  output wire logic [18:0]  items_o
);

  typedef struct packed {
    logic [5:0]   slots;
    logic [5:0]   dropped;
    logic [31:0]  written;
    logic [31:0]  value;
    logic [4:0]   skipped;
    logic [31:0]  own;
    logic         ends;
    logic         finished;
    logic [7:0]   datum;
    logic [3:0]   item;
    logic [3:0]   slot;
    logic [17:0]  drop;
    logic [18:0]  items;
  } step_t;

  function automatic step_t expanded(
      input logic valid, input logic [7:0] count, input logic runs, input logic [127:0] nibbles,
      input logic [4:0] nibble, input logic [3:0] zeros, input logic interleave,
      input logic bounded, input logic [7:0] datum, input logic [3:0] item,
      input logic [3:0] slot, input logic [17:0] drop, input logic [18:0] items);
    logic [3:0] run, at_item, at_slot;
    logic [127:0] runs_left;
    logic [5:0] slots, dropped, begun, done, emitted;  // of this step
    logic [5:0] to_drop, to_emit, datums_left;  // more than there are slots: 63
    logic [4:0] skipped;
    logic [31:0] own, written, value;
    logic item_ends, ends, finished;

    expanded = '0;
    if (valid) begin
      at_item = item;
      at_slot = slot;
      runs_left = runs ? nibbles >> {5'(nibble + datum[4:0]), 2'd0} : '0;
      slots = '0;
      begun = '0;  // datums whose own slot is in this step
      done = '0;  // datums
      emitted = '0;  // items
      to_drop = drop > 18'd62 ? 6'd63 : drop[5:0];
      to_emit = !bounded || items > 19'd62 ? 6'd63 : items[5:0];
      datums_left = count - datum > 8'd62 ? 6'd63 : 6'(count - datum);
      skipped = '0;
      written = '0;
      value = '0;
      ends = 1'b0;
      finished = 1'b0;
      /* verilator unroll_disable */
      for (int k = 0; k < LaneCount; k++) begin
        if (!ends) begin
          run = runs_left[3:0];
          slots = 6'(k) + 6'd1;
          if (at_item == 4'd0 && at_slot == 4'd0) begun = begun + 6'd1;
          item_ends = 1'b1;
          if (6'(k) >= to_drop) begin
            if (at_slot == 4'd0) begin
              written[k] = 1'b1;
              if (at_item == 4'd0 && value == '0) skipped = done[4:0];
              value[k] = at_item == 4'd0;
            end else begin
              written[k] = !interleave;
            end
            item_ends = at_slot == zeros;
            at_slot = item_ends ? 4'd0 : at_slot + 4'd1;
            if (item_ends) begin
              emitted = emitted + 6'd1;
              if (emitted == to_emit) begin
                finished = 1'b1;
                ends = 1'b1;
              end
            end
          end
          if (item_ends) begin
            if (at_item == run) begin
              at_item = 4'd0;
              runs_left = runs_left >> 4;
              done = done + 6'd1;
              if (done == datums_left) ends = 1'b1;
            end else begin
              at_item = at_item + 4'd1;
            end
          end
        end
      end
      // the first datum's own slot may have been in a step before
      own = ~(32'hffff_ffff << begun);
      if (item != 4'd0 || slot != 4'd0) own = own << 1;
      dropped = slots < to_drop ? slots : to_drop;
      expanded = {slots, dropped, written, value, skipped, own, ends, finished,
                  datum + {2'd0, done}, at_item, at_slot, drop - {12'd0, dropped},
                  items - {13'd0, emitted}};
    end
  endfunction

  wire step_t step = expanded(valid_i, count_i, runs_i, nibbles_i, nibble_i, zeros_i, interleave_i,
                              bounded_i, datum_i, item_i, slot_i, drop_i, items_i);

  assign slots_o = step.slots;
  assign dropped_o = step.dropped;
  assign written_o = step.written;
  assign value_o = step.value;
  assign skipped_o = step.skipped;
  assign own_o = step.own;
  assign ends_o = step.ends;
  assign finished_o = step.finished;
  assign datum_o = step.datum;
  assign item_o = step.item;
  assign slot_o = step.slot;
  assign drop_o = step.drop;
  assign items_o = step.items;

endmodule

`default_nettype wire
