// SPDX-License-Identifier: Apache-2.0
//
// The queue of each unpacker: two instructions, worked out when they are sampled (section 5 and 7
// of docs/unpack.md) with one arithmetic for both.
//
// Latency: an UNPACR is written in its sampling cycle (sample_i) and is in the queue in the cycle
// after push_i; a NOP in the cycle after it is sampled. Handshake: the head is up with valid_o and
// stays until load_i; there is always room for what is written. Reset: empty. faults_o are those of
// the head, in every cycle.
`default_nettype none

module unp_queues
  import tilepath_isa_pkg::*;
  import unpack_pkg::*;
  import unpack_plan_pkg::*;
  import unpack_fault_pkg::*;
  import unpack_unpacr_nop_pkg::*;
  import adc_pkg::channel_t;
#(
  parameter int NopEnc            = 0,
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int RowW              = 32,
  parameter int UpsampleZeros     = 32'h7310
) (
  input  wire logic                         clk_i,
  input  wire logic                         rst_ni,
  // a Regular UNPACR
  input  wire logic                         sample_i,
  input  wire logic                         push_i,
  input  wire logic                         unpacker_i,
  input  wire logic [1:0]                   thread_i,
  input  wire logic [14:0]                  word_i,
  input  wire logic                         high_context_i,  // 2 or above
  input  wire logic [1:0]                   adc_i,  // WhichADC
  input  wire logic [5:0]                   row_i,
  input  wire logic                         ovrd_i,
  input  wire logic [ConfigWidth-1:0]       config_i,
  input  wire logic [60:0]                  live_i [18],
  // NOPs
  input  wire logic                         nop_i [2],
  input  wire logic [1:0]                   nop_thread_i [2],
  input  wire logic [22:0]                  nop_word_i [2],
  input  wire logic [5:0]                   nop_stream_i [2],
  input  wire logic [18:0]                  nop_value_i [2],
  output wire logic                         nop_flip_o [2],  // hands the bank over
  input  wire logic                         bank_i [2],  // src_bank
  // heads
  output wire logic [1:0]                   count_o [2],
  output wire logic                         valid_o [2],
  output wire logic [PlanWidth-1:0]         plan_o [2],
  output wire logic [1:0]                   thread_o [2],
  output wire logic [FaultWidth-1:0]        faults_o [2],
  input  wire logic                         load_i [2],
  output wire logic [2:0]                   busy_o [2]  // threads of the queue's instructions
);

  // entries, the head first: faults and plan of each
  logic [PlannedWidth-1:0] head_q[2];
  logic [PlannedWidth-1:0] next_q[2];
  logic [1:0] count_q[2];

  function automatic logic [$bits(nop_t)-1:0] decode(input logic [22:0] word, input logic unpacker);
    if (NopEnc != 0) decode = decode_bh(word);
    else decode = decode_wh(word, unpacker, ZerosrcNeginfSrcb != 0);
  endfunction

  wire logic push [2];

  for (genvar u = 0; u < 2; u++) begin : gen_unpacker
    assign push[u] = nop_i[u] || (push_i && unpacker_i == 1'(u));
    assign nop_flip_o[u] = nop_i[u]
      && (NopEnc != 0 ? hands_over_bh(nop_word_i[u][8:6], nop_word_i[u][1:0])
                       : hands_over_wh(nop_word_i[u][2:0]));
    assign count_o[u] = count_q[u];
    assign valid_o[u] = count_q[u] != 2'd0;
    assign plan_o[u] = head_q[u][PlanWidth-1:0];
    assign faults_o[u] = head_q[u][PlannedWidth-1:PlanWidth];
    assign thread_o[u] = head_q[u][PlanThread-:2];
    assign busy_o[u] = (count_q[u] != 2'd0 ? 3'd1 << thread_o[u] : 3'd0)
                       | (count_q[u][1] ? 3'd1 << next_q[u][PlanThread-:2] : 3'd0);
  end

  // an UNPACR with the counters that it reads; the address unit has checked that WhichADC is no 3
  function automatic logic [PlannedWidth-1:0] unpacr_entry(
      input logic [60:0] xy0, input logic [60:0] x1, input logic [60:0] zw0,
      input logic [60:0] yzw1);
    sampled_t s;
    channel_t c;

    s = '0;
    s.unpacker = unpacker_i;
    s.thread = thread_i;
    s.word = word_i;
    s.high_context = high_context_i;
    s.bank = bank_i[unpacker_i];
    s.src_row = row_i;
    s.ovrd = ovrd_i;
    c = xy0;
    s.x0 = c.x[17:0];
    s.y0 = c.y[12:0];
    c = x1;
    s.x1 = c.x[17:0];
    c = zw0;
    s.z0 = c.z[7:0];
    s.w0 = c.w[7:0];
    c = yzw1;
    s.y1 = c.y[12:0];
    s.z1 = c.z[12:0];
    s.w1 = c.w[12:0];
    s.cfg = config_i;
    unpacr_entry = plan_of(s, RowW == 32, 16'(UpsampleZeros));
  endfunction

  function automatic logic [PlannedWidth-1:0] nop_entry(
      input logic unpacker, input logic [22:0] word, input logic [1:0] thread, input logic bank,
      input logic [5:0] stream, input logic [18:0] given);
    planned_t e;

    e = '0;
    {e.faults[FaultNeginfSrcb], e.faults[FaultNopForeign], e.faults[FaultNopReserved], e.plan}
      = nop_plan(decode(word, unpacker), word[22:16], word[14:3], thread, bank, stream, given);
    nop_entry = e;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int u = 0; u < 2; u++) begin
        head_q[u] <= '0;
        next_q[u] <= '0;
        count_q[u] <= '0;
      end
    end else begin : update
      logic [PlannedWidth-1:0] entry;
      logic [4:0] xy, zw;

      for (int u = 0; u < 2; u++) begin
        if (load_i[u]) head_q[u] <= next_q[u];
        count_q[u] <= count_q[u] + {1'b0, push[u]} - {1'b0, load_i[u]};
        if (nop_i[u]) begin
          entry = nop_entry(1'(u), nop_word_i[u], nop_thread_i[u], bank_i[u], nop_stream_i[u],
                            nop_value_i[u]);
          if (count_q[u] == {1'b0, load_i[u]}) head_q[u] <= entry;
          else next_q[u] <= entry;
        end
      end
      if (sample_i) begin
        // channel 0 of the counters that X and Y, and Z and W come from: element 6 * set + 2 * u
        xy = 5'd6 * {3'd0, adc_i} + {3'd0, unpacker_i, 1'b0};
        zw = 5'd6 * {3'd0, thread_i} + {3'd0, unpacker_i, 1'b0};
        entry = unpacr_entry(live_i[xy], live_i[xy+5'd1], live_i[zw], live_i[zw+5'd1]);
        if (count_q[unpacker_i] == {1'b0, load_i[unpacker_i]}) head_q[unpacker_i] <= entry;
        else next_q[unpacker_i] <= entry;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    for (int u = 0; u < 2; u++) begin
      if (count_q[u] > 2'd2) $fatal(1, "unp_queues: queue %0d has %0d entries", u, count_q[u]);
      if (push[u] && count_q[u] - {1'b0, load_i[u]} == 2'd2)
        $fatal(1, "unp_queues: queue %0d has no room", u);
      if (load_i[u] && count_q[u] == 2'd0) $fatal(1, "unp_queues: queue %0d is empty", u);
      if (nop_i[u] && sample_i && unpacker_i == 1'(u))
        $fatal(1, "unp_queues: two instructions at once for queue %0d", u);
    end
    if (sample_i && adc_i == 2'd3) $fatal(1, "unp_queues: there is no set 3 of counters");
  end
`endif

endmodule

`default_nettype wire
