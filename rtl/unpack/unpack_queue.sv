// SPDX-License-Identifier: Apache-2.0
//
// The queue of one unpacker: `Queued` instructions between sampling and load (section 3 of
// docs/unpack.md), an entry in two parts. The first comes when an instruction is sampled or in the
// cycle after it, and is registered before it is written; the second, which only an UNPACR has,
// comes from the last stage of the arithmetic.
//
// Latency: an instruction that is sampled in s (sampled_i) counts from s+1 on and is at the head,
// planned, from s + PLAN on at the earliest. Handshake: the head is up with valid_o and stays until
// load_i, which is up with valid_o only; room_o is off when nothing can be sampled in the next
// cycle. plan_o and flags_o are those of the head; without valid_o they mean nothing. Reset: empty.
`default_nettype none

module unpack_queue
  import unpack_pkg::*;
  import unpack_fault_pkg::*;
  import unpack_front_pkg::*;
(
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  // an instruction is sampled
  input  wire logic                  sampled_i,
  input  wire logic [1:0]            thread_i,
  // parts of entries, in order
  input  wire logic                  early_valid_i,
  input  wire early_t                early_i,
  input  wire logic                  late_valid_i,   // PLAN - 1 cycles after the sampling cycle
  input  wire late_t                 late_i,
  // head
  output wire logic                  valid_o,
  output wire plan_t                 plan_o,
  output wire logic [FaultWidth-1:0] flags_o,
  input  wire logic                  load_i,
  output wire logic                  room_o,
  output wire logic [2:0]            busy_o          // threads of the queue's instructions
);

  localparam int PointerWidth = $clog2(Queued);

  logic [PlanLatency-1:1] planning_q;     // bit k: sampled k cycles ago
  logic [PointerWidth-1:0] early_next_q;  // next entries to be written, first part,
  logic [PointerWidth:0] planned_q;       // ... second part or, of a NOP, planned
  logic [PointerWidth:0] head_q;
  logic [PointerWidth:0] count_q;
  logic [PointerWidth:0] thread_count_q[3];

  // ---- entries
  logic early_valid_q;
  early_t early_q, early;
  late_t late;
  wire logic [$bits(early_t)-1:0] early_bits;
  wire logic [$bits(late_t)-1:0] late_bits;
  wire logic [PointerWidth:0] next_head = head_q + (PointerWidth + 1)'(load_i);

  // What comes first is there some cycles before the instruction is planned, the rest only then.
  memory_bank #(.Width($bits(early_t)), .Depth(Queued), .Parts(1)) u_early (
    .clk_i, .write_valid_i(early_valid_q), .write_address_i(early_next_q), .write_mask_i(1'b1),
    .write_data_i(early_q),
    .read_valid_i(1'b1), .read_address_i(next_head[PointerWidth-1:0]), .read_data_o(early_bits)
  );

  memory_queue #(.Width($bits(late_t)), .Depth(Queued)) u_late (
    .clk_i, .write_valid_i(late_valid_i), .write_address_i(planned_q[PointerWidth-1:0]),
    .write_data_i(late_i),
    .read_valid_i(1'b1), .read_address_i(next_head[PointerWidth-1:0]), .read_data_o(late_bits)
  );

  assign early = early_bits;
  assign late = early.kind == KindRegular ? late_bits : '0;
  assign plan_o = plan_of(early, late);
  assign flags_o = flags_of(early.faults, late.faults);
  assign valid_o = head_q != planned_q;

  always_ff @(posedge clk_i) if (early_valid_i) early_q <= early_i;

  // ---- pointers and counts
  wire logic [PointerWidth:0] next_count
    = count_q + (PointerWidth + 1)'(sampled_i) - (PointerWidth + 1)'(load_i);

  assign room_o = count_q < (PointerWidth + 1)'(Queued - 1)
                  || (count_q == (PointerWidth + 1)'(Queued - 1) && !sampled_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      planning_q <= '0;
      early_valid_q <= 1'b0;
      early_next_q <= '0;
      planned_q <= '0;
      head_q <= '0;
      count_q <= '0;
    end else begin
      planning_q <= {planning_q[PlanLatency-2:1], sampled_i};
      early_valid_q <= early_valid_i;
      if (early_valid_q) early_next_q <= early_next_q + 1'b1;
      if (planning_q[PlanLatency-1]) planned_q <= planned_q + 1'b1;
      head_q <= next_head;
      if (sampled_i != load_i) count_q <= next_count;
    end
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire logic more = sampled_i && thread_i == 2'(t);
    wire logic less = load_i && early.whose.thread == 2'(t);

    assign busy_o[t] = thread_count_q[t] != '0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) thread_count_q[t] <= '0;
      else if (more && !less) thread_count_q[t] <= thread_count_q[t] + 1'b1;
      else if (less && !more) thread_count_q[t] <= thread_count_q[t] - 1'b1;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (count_q == (PointerWidth + 1)'(Queued) && sampled_i) $fatal(1, "unpack_queue: no room");
    if (load_i && !valid_o) $fatal(1, "unpack_queue: nothing to load");
    if (late_valid_i && !planning_q[PlanLatency-1])
      $fatal(1, "unpack_queue: a plan is ready at another time than its instruction");
  end
`endif

endmodule

`default_nettype wire
