// SPDX-License-Identifier: Apache-2.0
//
// The beat buffer: eight beats and tokens in their order, and the answers to the beats' requests.
//
// Latency: what is pushed in t is the head from t+1 on at the earliest; a beat is ready_o in the
// cycle after its answer, a token at once. Handshake: push_i only while used_o is below 8, pop_i
// only with ready_o. Reset: empty. An answer goes to the oldest request without one; the fetch
// stage says with rsi_i that it is no beat's.
`default_nettype none

module unp_buffer
  import unpack_step_pkg::*;
(
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  // from the fetch stage
  input  wire logic                   push_i,
  input  wire logic [BeatWidth-1:0]   beat_i,
  input  wire logic [1:0]             thread_i,   // that of the beat
  input  wire logic                   request_i,  // a request to L1, of whatever
  input  wire logic                   rsi_i,      // an answer is that of the RSI request
  output wire logic [3:0]             used_o,
  output wire logic                   drained_o,  // all requests have been answered
  output wire logic [2:0]             busy_o,     // threads that have an entry
  // answers of L1
  input  wire logic                   answer_valid_i,
  input  wire logic [AnswerWidth-1:0] answer_i,
  // to the write stage
  output wire logic                   ready_o,
  output wire logic [BeatWidth-1:0]   beat_o,
  output wire logic [AnswerWidth-1:0] answer_o,
  input  wire logic                   pop_i
);

  logic [BeatWidth-1:0] beats_q [8];
  logic [AnswerWidth-1:0] answers_q [8];
  logic [2:0] in_q, out_q, answer_in_q, answer_out_q;
  logic [3:0] used_q, answered_q;  // entries; answers in the buffer
  logic [3:0] open_q;  // requests without an answer
  logic [3:0] held_q [3];  // entries, by thread

  wire beat_t head = beats_q[out_q];
  wire logic answer_in = answer_valid_i && !rsi_i;
  wire logic answer_out = pop_i && !head.token;

  assign used_o = used_q;
  assign drained_o = open_q == 4'd0;
  assign busy_o = {held_q[2] != 4'd0, held_q[1] != 4'd0, held_q[0] != 4'd0};
  assign ready_o = used_q != 4'd0 && (head.token || answered_q != 4'd0);
  assign beat_o = head;
  assign answer_o = answers_q[answer_out_q];

  always_ff @(posedge clk_i) begin
    if (push_i) beats_q[in_q] <= beat_i;
    if (answer_in) answers_q[answer_in_q] <= answer_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q <= '0;
      out_q <= '0;
      answer_in_q <= '0;
      answer_out_q <= '0;
      used_q <= '0;
      answered_q <= '0;
      open_q <= '0;
    end else begin
      if (push_i) in_q <= in_q + 3'd1;
      if (pop_i) out_q <= out_q + 3'd1;
      if (answer_in) answer_in_q <= answer_in_q + 3'd1;
      if (answer_out) answer_out_q <= answer_out_q + 3'd1;
      if (push_i != pop_i) used_q <= push_i ? used_q + 4'd1 : used_q - 4'd1;
      if (answer_in != answer_out) answered_q <= answer_in ? answered_q + 4'd1 : answered_q - 4'd1;
      if (request_i != answer_valid_i) open_q <= request_i ? open_q + 4'd1 : open_q - 4'd1;
    end
  end

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire logic more = push_i && thread_i == 2'(t);
    wire logic less = pop_i && head.thread == 2'(t);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) held_q[t] <= '0;
      else if (more != less) held_q[t] <= more ? held_q[t] + 4'd1 : held_q[t] - 4'd1;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (push_i && used_q == 4'd8) $fatal(1, "unp_buffer: push to a full buffer");
    if (pop_i && !ready_o) $fatal(1, "unp_buffer: pop of what is not ready");
    if (answer_valid_i && open_q == 4'd0) $fatal(1, "unp_buffer: an answer without a request");
    if (answered_q > used_q) $fatal(1, "unp_buffer: more answers than entries");
    if (push_i && thread_i == 2'd3) $fatal(1, "unp_buffer: an entry of thread 3");
  end
`endif

endmodule

`default_nettype wire
