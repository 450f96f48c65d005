// SPDX-License-Identifier: Apache-2.0
//
// Where compressed instructions begin, by their RSI entries (docs/unpack.md section 5.3): a rigid
// pipeline from the answer with the entries to a queue of what the fetch stage loads.
//
// Latency: `PLACE`: the answer in r, placed_o up from r + 7 on. Handshake: take_i removes the head;
// there is room for all instructions of the queue. Reset: nothing under way.
`default_nettype none

module unpack_fetch_place
  import unpack_pkg::*, unpack_fetch_pkg::*;
(
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              rsi_valid_i,
  input  wire rsi_t              rsi_i,
  input  wire logic              request_i,    // the oldest without one is requested
  input  wire logic [1:0]        in_l1_i,      // ... its lines are in L1
  input  wire logic              answer_i,     // the oldest's entries are there
  input  wire logic [1:0][127:0] lines_i,
  output wire logic              placed_valid_o,
  output wire placed_t           placed_o,
  input  wire logic              take_i
);

  localparam int PointerWidth = $clog2(Queued);

  // What of the request is needed with the answer.
  typedef struct packed {
    logic        bounded;
    logic        some;
    logic [2:0]  first;            // entry in its line
    logic [2:0]  last;
    logic [2:0]  size;
    logic [33:0] datum_pointer;
    logic [35:0] exponent_pointer;
    logic [16:0] limit;
    logic [16:0] fifo;
  } waiting_t;

  // ---- instructions whose entries are under way
  logic [PointerWidth-1:0] tail_q, requested_q, head_q;
  wire waiting_t put;
  wire logic [$bits(waiting_t)-1:0] at1_bits;
  waiting_t at1;
  logic [1:0] in_l1s_q[Queued];

  assign put.bounded = rsi_i.bounded;
  assign put.some = rsi_i.some;
  assign put.first = rsi_i.first[3:1];
  assign put.last = rsi_i.last[3:1];
  assign put.size = rsi_i.size;
  assign put.datum_pointer = rsi_i.datum_pointer;
  assign put.exponent_pointer = rsi_i.exponent_pointer;
  assign put.limit = rsi_i.limit;
  assign put.fifo = rsi_i.fifo;

  memory_bank #(.Width($bits(waiting_t)), .Depth(Queued), .Parts(1)) u_waiting (
    .clk_i, .write_valid_i(rsi_valid_i), .write_address_i(tail_q), .write_mask_i(1'b1),
    .write_data_i(put),
    .read_valid_i(answer_i), .read_address_i(head_q), .read_data_o(at1_bits)
  );

  assign at1 = at1_bits;

  always_ff @(posedge clk_i) if (request_i) in_l1s_q[requested_q] <= in_l1_i;

  // ---- the pipeline: a step of the sum in each stage
  logic [6:1] valid_q;
  waiting_t at2_q, at3_q, at4_q;
  /* verilator lint_off UNUSEDSIGNAL */
  waiting_t at5_q;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0] in_l1_q;
  logic [1:0][127:0] lines_q;                     // r + 1
  logic [15:0] first2_q, last2_q;                 // r + 2: the entries
  logic [15:0] first3_q, count3_q;                // r + 3: datums
  logic [20:0] groups3_q;                         // ... quarters of a byte before the group
  logic [15:0] count4_q, count5_q, count6_q;
  logic [4:0] in_group4_q;
  logic [33:0] group4_q;                          // r + 4: begin of the group, quarters
  logic [35:0] exponent4_q, exponent5_q, exponent6_q;
  logic [33:0] datum5_q, datum6_q;                // r + 5
  logic [32:0] delta5_q, delta6_q;
  logic [16:0] less6_q;                           // r + 6: the fifo
  logic datum_wraps6_q, delta_wraps6_q, exponent_wraps6_q;

  function automatic logic [15:0] entry(input logic valid, input logic [127:0] line,
                                        input logic [2:0] index);
    entry = valid ? line[{index, 4'd0}+:16] : 16'd0;
  endfunction

  wire logic [20:0] groups = {10'd0, first2_q[15:5]};
  wire logic [33:0] limit5 = {11'd0, at5_q.limit, 6'd0};
  wire logic [33:0] fifo6 = {11'd0, less6_q, 6'd0};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      tail_q <= '0;
      requested_q <= '0;
      head_q <= '0;
      at2_q <= '0;
      at3_q <= '0;
      at4_q <= '0;
      at5_q <= '0;
      less6_q <= '0;
      in_l1_q <= '0;
      lines_q <= '0;
      first2_q <= '0;
      last2_q <= '0;
      first3_q <= '0;
      count3_q <= '0;
      groups3_q <= '0;
      count4_q <= '0;
      count5_q <= '0;
      count6_q <= '0;
      in_group4_q <= '0;
      group4_q <= '0;
      exponent4_q <= '0;
      exponent5_q <= '0;
      exponent6_q <= '0;
      datum5_q <= '0;
      datum6_q <= '0;
      delta5_q <= '0;
      delta6_q <= '0;
      datum_wraps6_q <= 1'b0;
      delta_wraps6_q <= 1'b0;
      exponent_wraps6_q <= 1'b0;
    end else begin
      if (rsi_valid_i) tail_q <= tail_q + 1'b1;
      if (request_i) requested_q <= requested_q + 1'b1;
      if (answer_i) head_q <= head_q + 1'b1;
      valid_q <= {valid_q[5:1], answer_i};
      if (answer_i) begin
        in_l1_q <= in_l1s_q[head_q];
        lines_q <= lines_i;
      end
      if (valid_q[1]) begin
        at2_q <= at1;
        first2_q <= entry(in_l1_q[0], lines_q[0], at1.first);
        last2_q <= entry(in_l1_q[1], lines_q[1], at1.last);
      end
      if (valid_q[2]) begin
        at3_q <= at2_q;
        first3_q <= first2_q;
        count3_q <= at2_q.bounded ? {15'd0, at2_q.some}
                    : last2_q > first2_q ? last2_q - first2_q : 16'd0;
        // A group is 32 datums and 16 bytes.
        groups3_q <= (groups << ({2'd0, at2_q.size} + 5'd4)) + (groups << 6);
      end
      if (valid_q[3]) begin
        at4_q <= at3_q;
        count4_q <= count3_q;
        in_group4_q <= first3_q[4:0];
        group4_q <= at3_q.datum_pointer + {13'd0, groups3_q};
        exponent4_q <= at3_q.exponent_pointer + {20'd0, first3_q};
      end
      if (valid_q[4]) begin
        at5_q <= at4_q;
        count5_q <= count4_q;
        exponent5_q <= exponent4_q;
        datum5_q <= group4_q + ({29'd0, in_group4_q} << (at4_q.size - 3'd1));
        // The nibbles are behind the group's datums, which begin and end with a line.
        delta5_q <= {group4_q[33:6] + {24'd0, 4'd1 << (at4_q.size - 3'd2)}, in_group4_q};
      end
      if (valid_q[5]) begin
        less6_q <= at5_q.fifo;
        count6_q <= count5_q;
        datum6_q <= datum5_q;
        delta6_q <= delta5_q;
        exponent6_q <= exponent5_q;
        datum_wraps6_q <= datum5_q > limit5;
        delta_wraps6_q <= delta5_q > limit5[33:1];
        exponent_wraps6_q <= exponent5_q > {limit5, 2'd0};
      end
    end
  end

  wire placed_t placed;
  assign placed.datum_pointer = datum6_q - (datum_wraps6_q ? fifo6 : 34'd0);
  assign placed.delta_pointer = delta6_q - (delta_wraps6_q ? fifo6[33:1] : 33'd0);
  assign placed.exponent_pointer = exponent6_q - (exponent_wraps6_q ? {fifo6, 2'd0} : 36'd0);
  assign placed.count = count6_q;

  // ---- placed instructions
  logic [PointerWidth:0] put_q, take_q;

  wire logic [PointerWidth:0] next_take = take_q + (PointerWidth + 1)'(take_i);

  memory_queue #(.Width($bits(placed_t)), .Depth(Queued)) u_placed (
    .clk_i, .write_valid_i(valid_q[6]), .write_address_i(put_q[PointerWidth-1:0]),
    .write_data_i(placed),
    .read_valid_i(1'b1), .read_address_i(next_take[PointerWidth-1:0]), .read_data_o(placed_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      put_q <= '0;
      take_q <= '0;
    end else begin
      if (valid_q[6]) put_q <= put_q + 1'b1;
      take_q <= next_take;
    end
  end

  assign placed_valid_o = put_q != take_q;

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (take_i && !placed_valid_o) $fatal(1, "unpack_fetch_place: nothing to take");
  end
`endif

endmodule

`default_nettype wire
