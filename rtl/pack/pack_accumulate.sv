// SPDX-License-Identifier: Apache-2.0
//
// L1 accumulation of a packer (section 9, P40): data entries on their way from being read to being
// written back, in order, up to 16.
//
// Latency: an entry is read in read_i's cycle; of its answer in a the adder takes it in
// s = max(a, s before + 1), or + 2 behind an entry of more than four lines of 32-bit datums; the
// sum is up with sum_valid_o from s+6 on, of such an entry from s+7 on. Handshake: sums stay until
// write_i; there is room for all that are in flight. Reset: none in flight.
`default_nettype none

module pack_accumulate
  import format_pkg::*;
  import pack_pkg::*;
  import pack_back_pkg::*;
  import pack_add_pkg::format_t;
#(
  parameter int Slots           = 1,
  parameter int Width           = 128,  // Slots lines
  parameter int Fp16AccQuirk    = 1
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic [3:0]       to_i,
  // the first data entry, whether it is read or not
  input  wire span_t            span_i,
  input  wire logic [Width-1:0] data_i,
  input  wire logic             read_i,
  output wire logic             room_o,     // fewer than 16 in flight
  output wire logic             overlap_o,  // one in flight has a line of span_i
  output wire logic             none_o,     // in flight
  // L1
  input  wire logic             answer_valid_i,
  input  wire logic [Width-1:0] answer_data_i,
  // write back
  output wire logic             sum_valid_o,
  output wire span_t            sum_span_o,
  output wire logic [Width-1:0] sum_o,
  input  wire logic             write_i
);

  localparam int PointerWidth = $clog2(QueueDepth);
  localparam int WideLanes = Slots == 1 ? 4 : 16;
  localparam int WideWidth = 32 * WideLanes;
  localparam int NarrowWidth = Width - 16 * WideLanes;  // what is left to the adders of 16 bits
  localparam int Stages = 5;  // from s+1 to s+5

  logic [PointerWidth-1:0] head_q, tail_q, answer_q, start_q;
  logic [PointerWidth:0] flying_q;
  logic [QueueDepth-1:0] in_flight_q;
  logic [SpanWidth-1:0] span_q[QueueDepth];

  wire logic integers = to_i == Int32;
  wire logic wide_format = to_i == Fp32 || integers;
  wire logic bf16 = to_i == Bf16;

  // ---- in flight
  // 16 compare at once: each eight lines, and the places in them
  wire logic [13:0] ahead = span_i.line[16:3] + 14'd1;
  wire logic [13:0] behind = span_i.line[16:3] - 14'd1;
  wire logic [3:0] last = {1'b0, span_i.line[2:0]} + span_i.count - 4'd1;

  function automatic logic common(
      input span_t a, input logic [16:0] b, input logic [3:0] b_last, input logic [13:0] b_ahead,
      input logic [13:0] b_behind);
    logic [3:0] a_last;
    logic a_begins, b_begins;

    a_last = {1'b0, a.line[2:0]} + a.count - 4'd1;
    a_begins = a.line[2:0] <= b_last[2:0];
    b_begins = b[2:0] <= a_last[2:0];
    common = a.line[16:3] == b[16:3] && (a_begins || b_last[3]) && (b_begins || a_last[3])
             || a.line[16:3] == b_ahead && a_begins && b_last[3]
             || a.line[16:3] == b_behind && b_begins && a_last[3];
  endfunction

  wire logic [QueueDepth-1:0] shared;
  for (genvar n = 0; n < QueueDepth; n++) begin : gen_shared
    assign shared[n] = in_flight_q[n]
      && (Slots == 1 ? span_q[n][SpanWidth-1-:17] == span_i.line
                     : common(span_q[n], span_i.line, last, ahead, behind));
  end

  assign overlap_o = shared != '0;
  assign room_o = flying_q != 5'(SumsInFlight);
  assign none_o = flying_q == '0;

  // ---- summands of the packer, and answers that the adder could not take at once
  wire logic [Width-1:0] l1, datum;  // that the adder takes

  logic second_q;  // the adder takes the second half of an entry
  wire logic late = answer_q != start_q;
  wire logic [3:0] start_count = 4'(span_q[start_q]);
  wire logic wide = wide_format && start_count > 4'd4;
  wire logic start = (late || answer_valid_i) && !second_q;

  memory_bank #(.Width(Width), .Depth(QueueDepth), .Parts(1)) u_datums (
    .clk_i, .write_valid_i(read_i), .write_address_i(tail_q), .write_mask_i(1'b1),
    .write_data_i(data_i),
    .read_valid_i(start), .read_address_i(start_q), .read_data_o(datum)
  );

  if (Slots == 1) begin : gen_no_answers
    logic [Width-1:0] l1_q;

    assign l1 = l1_q;

    always_ff @(posedge clk_i) if (start) l1_q <= answer_data_i;
  end else begin : gen_answers
    memory_queue #(.Width(Width), .Depth(QueueDepth)) u_answers (
      .clk_i, .write_valid_i(answer_valid_i), .write_address_i(answer_q),
      .write_data_i(answer_data_i),
      .read_valid_i(start), .read_address_i(start_q), .read_data_o(l1)
    );
  end

  always_ff @(posedge clk_i) if (read_i) span_q[tail_q] <= span_i;

  // ---- adder; of an entry of two halves the last makes it ready. The lanes of 32 bits add every
  // second one of the 16-bit datums below WideWidth, so those of 16 bits only the others.
  logic [Stages-1:0] valid_q, high_q, ready_q;
  wire logic [NarrowWidth-1:0] narrow_l1, narrow_datum, narrow_sum;
  wire logic [WideWidth-1:0] wide_l1, wide_datum, wide_sum, low_sum;
  logic [PointerWidth-1:0] sum_q;
  format_t format;

  assign format.integers = integers;
  assign format.bf16 = bf16;
  assign format.fp16 = !wide_format && !bf16;

  for (genvar n = 0; n < WideLanes; n++) begin : gen_others
    assign narrow_l1[16*n+:16] = l1[32*n+:16];
    assign narrow_datum[16*n+:16] = datum[32*n+:16];
    assign low_sum[32*n+:32]
      = {wide_sum[32*n+16+:16], wide_format ? wide_sum[32*n+:16] : narrow_sum[16*n+:16]};
  end

  if (Slots == 1) begin : gen_whole
    assign wide_l1 = l1;
    assign wide_datum = datum;
  end else begin : gen_halves
    assign wide_l1 = high_q[0] ? l1[Width-1:WideWidth] : l1[WideWidth-1:0];
    assign wide_datum = high_q[0] ? datum[Width-1:WideWidth] : datum[WideWidth-1:0];
    assign narrow_l1[NarrowWidth-1:16*WideLanes] = l1[Width-1:WideWidth];
    assign narrow_datum[NarrowWidth-1:16*WideLanes] = datum[Width-1:WideWidth];
  end

  pack_add16 #(.Lanes(NarrowWidth / 16), .Quirk(Fp16AccQuirk)) u_add16 (
    .clk_i, .valid_i(wide_format ? '0 : valid_q), .bf_i(bf16), .l1_i(narrow_l1),
    .datum_i(narrow_datum), .sum_o(narrow_sum)
  );
  pack_add32 #(.Lanes(WideLanes), .Quirk(Fp16AccQuirk)) u_add32 (
    .clk_i, .valid_i(valid_q), .format_i(format), .l1_i(wide_l1), .datum_i(wide_datum),
    .sum_o(wide_sum)
  );

  // ---- sums
  wire logic write_low = valid_q[Stages-1] && !high_q[Stages-1];

  wire logic [PointerWidth-1:0] next_head = head_q + PointerWidth'(write_i);

  memory_queue #(.Width(WideWidth), .Depth(QueueDepth)) u_low (
    .clk_i, .write_valid_i(write_low), .write_address_i(sum_q), .write_data_i(low_sum),
    .read_valid_i(1'b1), .read_address_i(next_head), .read_data_o(sum_o[WideWidth-1:0])
  );
  if (Slots != 1) begin : gen_high
    memory_queue #(.Width(Width - WideWidth), .Depth(QueueDepth)) u_high (
      .clk_i, .write_valid_i(valid_q[Stages-1] && (high_q[Stages-1] || !wide_format)),
      .write_address_i(sum_q),
      .write_data_i(wide_format ? wide_sum : narrow_sum[NarrowWidth-1:16*WideLanes]),
      .read_valid_i(1'b1), .read_address_i(next_head), .read_data_o(sum_o[Width-1:WideWidth])
    );
  end

  logic full_q;  // 16 sums are ready

  assign sum_valid_o = sum_q != head_q || full_q;
  assign sum_span_o = span_q[head_q];

  wire logic sum_done = ready_q[Stages-1];
  wire logic [PointerWidth-1:0] sum_next = sum_q + 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      answer_q <= '0;
      start_q <= '0;
      sum_q <= '0;
      full_q <= 1'b0;
      flying_q <= '0;
      in_flight_q <= '0;
      second_q <= 1'b0;
      valid_q <= '0;
      high_q <= '0;
      ready_q <= '0;
    end else begin
      if (read_i) tail_q <= tail_q + 1'b1;
      if (answer_valid_i) answer_q <= answer_q + 1'b1;
      if (start) start_q <= start_q + 1'b1;
      if (sum_done) sum_q <= sum_next;
      head_q <= next_head;
      if (sum_done != write_i) full_q <= sum_done && sum_next == head_q;
      if (read_i != write_i) flying_q <= read_i ? flying_q + 1'b1 : flying_q - 1'b1;
      for (int n = 0; n < QueueDepth; n++)
        in_flight_q[n] <= (read_i && tail_q == 4'(n))
                          || (in_flight_q[n] && !(write_i && head_q == 4'(n)));
      second_q <= start && wide;
      valid_q <= {valid_q[Stages-2:0], start || second_q};
      high_q <= {high_q[Stages-2:0], second_q};
      ready_q <= {ready_q[Stages-2:0], (start && !wide) || second_q};
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (read_i && flying_q[PointerWidth]) $fatal(1, "pack_accumulate: 17 in flight");
    if (write_i && !sum_valid_o) $fatal(1, "pack_accumulate: there is no sum");
    if (answer_valid_i && flying_q == '0)
      $fatal(1, "pack_accumulate: nothing was read for this answer");
  end
`endif

endmodule

`default_nettype wire
