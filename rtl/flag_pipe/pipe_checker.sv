// SPDX-License-Identifier: Apache-2.0
//
// Invariants I1 to I7 of one pipe, a pair and a direction. In simulation only.
//
// Everything is as registered but `write_i`, `read_i`, SETs that arrive and flags that are consumed,
// which happen in this cycle. Bits of flags are flags; those of the pipe are the upper half where
// the ring is that of V2C in mask 3. docs/flag_pipe.md section 9.
`default_nettype none

`ifndef SYNTHESIS
module pipe_checker
  import flag_pipe_pkg::*;
#(
  parameter int Nflags = 8,
  parameter int BeatBytes = 32,
  parameter int HoldMax = 1,
  parameter bit V2c = 1'b0,
  parameter bit Second = 1'b0  // the pair
) (
  input wire logic              clk_i,
  input wire logic              rst_ni,
  input wire logic              platform_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input wire endpoint_t         producer_i,
  input wire endpoint_t         consumer_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // what the cores do for the pair: a TPUSH, a TPOP past WAIT; INIT that SETs from pre_index_i on
  input wire logic              writing_i,
  input wire logic              holding_i,
  input wire logic              pre_i,
  input wire logic [2:0]        pre_index_i,
  input wire logic              pushed_i,  // the ready flag is SET in this cycle
  // flags, and SETs on their way
  input wire logic [Nflags-1:0] ready_i,
  input wire logic [Nflags-1:0] ready_flying_i,
  input wire logic [Nflags-1:0] free_i,
  input wire logic [Nflags-1:0] free_flying_i,
  input wire logic [Nflags-1:0] ready_arrives_i,
  input wire logic [Nflags-1:0] ready_consumed_i,
  input wire logic [Nflags-1:0] free_arrives_i,
  input wire logic [Nflags-1:0] free_consumed_i,
  // the ring: writes of the producer, reads of the consumer
  input wire logic              write_i,
  input wire logic [31:0]       write_addr_i,
  input wire logic              read_i,
  input wire logic [31:0]       read_addr_i
);

  wire logic [1:0] mask = producer_i.init ? producer_i.mask : consumer_i.mask;
  wire logic agree = !(producer_i.init && consumer_i.init)
                     || (producer_i.mask == consumer_i.mask
                         && producer_i.period == consumer_i.period);
  wire logic live = mask[V2c] && agree;
  wire logic [3:0] slots = mask == 2'd3 ? 4'(Nflags / 2) : 4'(Nflags);
  wire logic [3:0] first = V2c && mask == 2'd3 ? 4'(Nflags / 2) : 4'd0;  // flag of tag 0
  wire logic [3:0] limit = 4'(HoldMax) < slots ? 4'(HoldMax) : slots;
  wire logic [Nflags-1:0] all = {Nflags{1'b1}} >> (4'(Nflags) - slots);  // a bit a slot
  wire logic [1:0] period = producer_i.init ? producer_i.period : consumer_i.period;
  wire logic [2:0] span = {period == 2'd3, period[1], period != 2'd0};

  // the slots of credits: those from the flag's own one on
  function automatic logic [Nflags-1:0] slots_of(input logic [Nflags-1:0] credits,
                                                 input logic [2:0] behind);
    for (int k = 0; k < Nflags; k++) slots_of[k] = credits[k & ~32'(behind)];
  endfunction

  // ---- tokens, by slots
  wire logic [Nflags-1:0] free = slots_of((free_i >> first) & all, span);
  wire logic [Nflags-1:0] free_flying = slots_of((free_flying_i >> first) & all, span);
  wire logic [Nflags-1:0] ready = (ready_i >> first) & all;
  wire logic [Nflags-1:0] ready_flying = (ready_flying_i >> first) & all;
  wire logic [Nflags-1:0] written = Nflags'(writing_i) << producer_i.push_tag;
  // slots of a credit that the producer has used in part; freed ones of which there is none yet
  wire logic [2:0] begun = producer_i.push_tag & span;
  wire logic [3:0] left = begun == 3'd0 && !writing_i ? 4'd0
                          : 4'(span) + 4'd1 - 4'(begun) - 4'(writing_i);
  wire logic [Nflags-1:0] granted = ~({Nflags{1'b1}} << left)
                                    << (4'(producer_i.push_tag) + 4'(writing_i));
  wire logic [Nflags-1:0] pending = ~({Nflags{1'b1}} << (consumer_i.free_tag & span))
                                    << (consumer_i.free_tag & ~span);
  wire logic [3:0] h = consumer_i.held + 4'(holding_i);
  wire logic [2*Nflags-1:0] window = ~({(2 * Nflags){1'b1}} << h) << consumer_i.free_tag;
  wire logic [Nflags-1:0] held = (window[Nflags-1:0] | Nflags'(window >> slots)) & all;
  wire logic [Nflags-1:0] not_signalled = !consumer_i.init ? all
                                          : pre_i ? (all << (4'(pre_index_i) - first)) & all : '0;
  wire logic [5:0] tokens = 6'($countones(free)) + 6'($countones(free_flying))
                            + 6'($countones(written)) + 6'($countones(ready))
                            + 6'($countones(ready_flying)) + 6'($countones(held))
                            + 6'($countones(not_signalled)) + 6'($countones(granted))
                            + 6'($countones(pending));
  wire logic [3:0] nr = 4'($countones(ready | ready_flying));

  // ---- addresses
  function automatic logic [32:0] slot_of(input logic [31:0] ring, input logic [2:0] tag,
                                          input logic [SlotBits-1:0] size);
    slot_of = 33'(ring) + 33'(tag) * 33'(size);
  endfunction

  function automatic logic [31:0] ring_of(input logic on_chip, input logic [1:0] directions,
                                          input logic [31:0] buffer, input logic [31:0] gm,
                                          input logic [SlotBits-1:0] size);
    ring_of = on_chip ? buffer
              : V2c && directions == 2'd3 ? gm + 32'(Nflags / 2) * 32'(size) : gm;
  endfunction

  wire logic [31:0] write_ring = ring_of(platform_i, producer_i.mask,
                                         V2c ? producer_i.v2c_buf : producer_i.c2v_buf,
                                         producer_i.gm_base, producer_i.slot_size);
  wire logic [31:0] read_ring = ring_of(1'b0, consumer_i.mask, '0, consumer_i.gm_base,
                                        consumer_i.slot_size);
  wire logic [32:0] write_slot = slot_of(write_ring, producer_i.push_tag, producer_i.slot_size);
  wire logic [32:0] read_slot = slot_of(read_ring, consumer_i.pop_tag, consumer_i.slot_size);

  // ---- halves: a vector has one of each slot, and on a5 its SRAM has nothing but that one
  function automatic logic own_half(input logic [32:0] offset, input logic [SlotBits-1:0] size,
                                    input logic [1:0] split, input logic [4:0] row);
    own_half = split == Whole
               || (split == LeftRight ? offset[6'(row)-6'd1] : offset >= 33'(size >> 1)) == Second;
  endfunction

  wire logic half = producer_i.split != Whole && (V2c || platform_i);
  wire logic [SlotBits-1:0] amount = producer_i.slot_size >> half;
  wire logic write_mine = !V2c || own_half(33'(write_addr_i) - write_slot, producer_i.slot_size,
                                           producer_i.split, producer_i.row);
  wire logic read_mine = V2c || own_half(33'(read_addr_i) - read_slot, consumer_i.slot_size,
                                         consumer_i.split, consumer_i.row);

  logic [SlotBits-1:0] written_q;  // bytes of the slot

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) written_q <= '0;
    else if (!writing_i) written_q <= '0;
    else if (write_i) written_q <= written_q + SlotBits'(BeatBytes);
  end

  always @(posedge clk_i) begin
    if (live) begin
      // before I1, which such a SET breaks as well
      if (((free_arrives_i & free_i & ~free_consumed_i)
           | (ready_arrives_i & ready_i & ~ready_consumed_i)) != '0)
        $fatal(1, "I2: a SET arrives at a flag that is set");
      if (((free_consumed_i & ~free_i) | (ready_consumed_i & ~ready_i)) != '0)
        $fatal(1, "I2: a flag is consumed that is clear");
      if ((free | free_flying | written | ready | ready_flying | held | not_signalled | granted
           | pending) != all || tokens != 6'(slots))
        $fatal(1,
               "I1: free %b %b, written %b, ready %b %b, held %b, not signalled %b, credits %b %b",
               free, free_flying, written, ready, ready_flying, held, not_signalled, granted,
               pending);
      if (4'(consumer_i.pop_tag) != ((4'(consumer_i.free_tag) + consumer_i.held) & (slots - 4'd1)))
        $fatal(1, "I3: pop_tag %0d, free_tag %0d, held %0d", consumer_i.pop_tag,
               consumer_i.free_tag, consumer_i.held);
      if (4'(producer_i.push_tag) != ((4'(consumer_i.free_tag) + h + nr) & (slots - 4'd1)))
        $fatal(1, "I3: push_tag %0d, free_tag %0d, %0d held, %0d ready", producer_i.push_tag,
               consumer_i.free_tag, h, nr);
      if (5'(h) + 5'(nr) + 5'(writing_i) > 5'(slots) || consumer_i.held > limit)
        $fatal(1, "I4: %0d held, %0d ready, %0d being written", h, nr, writing_i);
    end
    if (write_i && !(writing_i && 33'(write_addr_i) >= write_slot && write_mine
                     && 33'(write_addr_i) < write_slot + 33'(V2c ? producer_i.slot_size : amount)))
      $fatal(1, "I5: a write to %h, slot %0d is at %h", write_addr_i, producer_i.push_tag,
             write_slot);
    if (pushed_i && written_q != amount)
      $fatal(1, "I6: slot %0d is SET ready with %0d bytes of %0d", producer_i.push_tag, written_q,
             amount);
    if (read_i && !(holding_i && 33'(read_addr_i) >= read_slot && read_mine
                    && 33'(read_addr_i) < read_slot + 33'(consumer_i.slot_size)))
      $fatal(1, "I7: a read from %h, slot %0d is at %h", read_addr_i, consumer_i.pop_tag,
             read_slot);
  end

endmodule
`endif

`default_nettype wire
