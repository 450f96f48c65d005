// SPDX-License-Identifier: Apache-2.0
//
// The beat buffer: beats and tokens in their order, and what L1 answered to the beats.
//
// Latency: an entry whose answer comes in r (token: that comes in r itself) is at entry_o from
// r + 2 on. Handshake: valid_o, ready_i; the lines of an answer are read by whoever has its number,
// as long as the entry is in use, and stay until the next read. Reset: empty. Tokens have no answer,
// and others' answers do not come here.
`default_nettype none

module unpack_write_buffer
  import unpack_pkg::*;
  import unpack_write_pkg::*;
(
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  // from the fetch stage and L1
  input  wire logic                beat_valid_i,
  input  wire beat_t               beat_i,
  input  wire logic                answer_valid_i,
  input  wire answer_t             answer_i,
  // the oldest entry that has not gone on
  output wire logic                valid_o,
  output wire entry_t              entry_o,
  output wire logic [127:0]        delta_o,
  input  wire logic                ready_i,
  // the lines of an answer, out in the cycle after read_i
  input  wire logic                read_i,
  input  wire logic [5:0]          answer_number_i,
  output wire logic [LineBits-1:0] lines_o
);

  localparam int BeatWidth = $bits(beat_t);
  localparam logic [5:0] LastNumber = 6'(Beats - 1);

  function automatic logic [5:0] after(input logic [5:0] number);
    after = number == LastNumber ? 6'd0 : number + 6'd1;
  endfunction

  logic [5:0] in_q, out_q;                // entries
  logic [5:0] answer_in_q, answer_out_q;  // answers
  logic [5:0] used_q, answered_q;         // entries, answers that have not gone on
  logic valid_q;
  logic [Beats-1:0] tokens_q;
  logic [5:0] answer_q;

  wire logic [BeatWidth-1:0] beat_bits;
  wire logic token = tokens_q[out_q];
  wire logic there = used_q != 6'd0 && (token || answered_q != 6'd0);
  wire logic take = there && (!valid_q || ready_i);
  wire logic take_answer = take && !token;

  memory_bank #(.Width(BeatWidth), .Depth(Beats), .Parts(1)) u_beats (
    .clk_i, .write_valid_i(beat_valid_i), .write_address_i(in_q), .write_mask_i(1'b1),
    .write_data_i(beat_i), .read_valid_i(take), .read_address_i(out_q), .read_data_o(beat_bits)
  );

  memory_bank #(.Width(128), .Depth(Beats), .Parts(1)) u_deltas (
    .clk_i, .write_valid_i(answer_valid_i), .write_address_i(answer_in_q), .write_mask_i(1'b1),
    .write_data_i(answer_i.delta),
    .read_valid_i(take_answer), .read_address_i(answer_out_q), .read_data_o(delta_o)
  );

  memory_bank #(.Width(LineBits), .Depth(Beats), .Parts(1)) u_lines (
    .clk_i, .write_valid_i(answer_valid_i), .write_address_i(answer_in_q), .write_mask_i(1'b1),
    .write_data_i({answer_i.exponent, answer_i.line}),
    .read_valid_i(read_i), .read_address_i(answer_number_i), .read_data_o(lines_o)
  );

  assign valid_o = valid_q;
  assign entry_o.beat = beat_bits;
  assign entry_o.answer = answer_q;

  always_ff @(posedge clk_i) begin
    if (beat_valid_i) tokens_q[in_q] <= beat_i.token;
    if (take) answer_q <= answer_out_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q <= '0;
      out_q <= '0;
      answer_in_q <= '0;
      answer_out_q <= '0;
      used_q <= '0;
      answered_q <= '0;
      valid_q <= 1'b0;
    end else begin
      if (beat_valid_i) in_q <= after(in_q);
      if (take) out_q <= after(out_q);
      if (answer_valid_i) answer_in_q <= after(answer_in_q);
      if (take_answer) answer_out_q <= after(answer_out_q);
      if (beat_valid_i != take) used_q <= beat_valid_i ? used_q + 6'd1 : used_q - 6'd1;
      if (answer_valid_i != take_answer)
        answered_q <= answer_valid_i ? answered_q + 6'd1 : answered_q - 6'd1;
      valid_q <= there || valid_q && !ready_i;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (beat_valid_i && used_q == 6'(Beats)) $fatal(1, "unpack_write_buffer: no room");
    if (answered_q > used_q) $fatal(1, "unpack_write_buffer: an answer without a beat");
    if (beat_valid_i && beat_i.whose.thread == 2'd3)
      $fatal(1, "unpack_write_buffer: an entry of thread 3");
    if (beat_valid_i && !beat_i.token && beat_i.count == 8'd0)
      $fatal(1, "unpack_write_buffer: a beat without datums");
  end
`endif

endmodule

`default_nettype wire
