// SPDX-License-Identifier: Apache-2.0
//
// What is behind the queue of one unpacker: fetch stage, beat buffer and write stage.
//
// Latency, handshake and reset: see unp_fetch, unp_buffer and unp_write.
`default_nettype none

module unp_engine
  import unpack_pkg::*, unpack_step_pkg::*;
#(
  parameter int Unpacker    = 0,
  parameter int Fp8E5m2Fill = 1,
  parameter int L1Lines     = 93696
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  // from the queue
  input  wire logic                 plan_valid_i,
  input  wire logic [PlanWidth-1:0] plan_i,
  output wire logic                 load_o,
  output wire logic [2:0]           busy_o,
  output wire logic [16:0]          acc_o,
  // rates
  output wire logic                 fetching_o,
  output wire logic [2:0]           want_o,
  input  wire logic [2:0]           grant_i,
  // L1
  output wire logic                 l1_valid_o,
  output wire logic [2:0]           l1_count_o,
  output wire logic [111:0]         l1_lines_o,
  output wire logic                 l1_has_exponent_o,
  output wire logic [27:0]          l1_exponent_o,
  output wire logic                 l1_has_delta_o,
  output wire logic [27:0]          l1_delta_o,
  input  wire logic                 l1_answer_valid_i,
  input  wire logic [511:0]         l1_answer_lines_i,
  input  wire logic [127:0]         l1_answer_exponent_i,
  input  wire logic [127:0]         l1_answer_delta_i,
  // file
  input  wire logic [1:0]           owner_i,
  input  wire logic                 matrix_bank_i,
  input  wire logic                 matrix_zero_i,
  output wire logic [1:0]           flip_o,
  output wire logic                 clear_valid_o,
  output wire logic [1:0]           clear_banks_o,
  output wire logic [18:0]          clear_value_o,
  output wire logic                 write_valid_o,
  output wire logic                 write_dst_o,
  output wire logic                 write_wide_o,
  output wire logic                 write_ovrd_o,
  output wire logic                 write_bank_o,
  output wire logic                 write_transpose_o,
  output wire logic [13:0]          write_address_o,
  output wire logic [SlotCount-1:0] write_mask_o,
  output wire logic [StepWidth-1:0] write_data_o,
  output wire logic [415:0]         write_high_o,
  // events and faults
  input  wire logic [19:0]          setreg_base0_i,
  input  wire logic [19:0]          setreg_base1_i,
  output wire logic                 overlay_valid_o,
  output wire logic [5:0]           overlay_stream_o,
  output wire logic [10:0]          overlay_count_o,
  output wire logic                 setreg_valid_o,
  output wire logic [31:0]          setreg_address_o,
  output wire logic [31:0]          setreg_data_o,
  output wire logic [4:0]           read_fault_o,
  output wire logic [6:0]           write_fault_o
);

  wire logic [2:0] fetch_busy, buffer_busy;
  wire logic push, pop, ready, drained, rsi, all_emitted;
  wire logic [3:0] used;
  wire logic [1:0] thread;
  wire logic [BeatWidth-1:0] pushed, head;
  wire logic [AnswerWidth-1:0] answer;

  unp_fetch #(.L1Lines(L1Lines)) u_fetch (
    .clk_i, .rst_ni, .plan_valid_i, .plan_i, .load_o, .busy_o(fetch_busy),
    .fetching_o, .want_o, .grant_i,
    .l1_valid_o, .l1_count_o, .l1_lines_o, .l1_has_exponent_o, .l1_exponent_o, .l1_has_delta_o,
    .l1_delta_o, .read_fault_o,
    .answer_valid_i(l1_answer_valid_i), .answer_lines_i(l1_answer_lines_i[255:0]),
    .used_i(used), .drained_i(drained), .push_o(push), .beat_o(pushed), .thread_o(thread),
    .rsi_o(rsi), .all_emitted_i(all_emitted),
    .setreg_base0_i, .setreg_base1_i, .overlay_valid_o, .overlay_stream_o, .overlay_count_o,
    .setreg_valid_o, .setreg_address_o, .setreg_data_o, .acc_o
  );

  unp_buffer u_buffer (
    .clk_i, .rst_ni, .push_i(push), .beat_i(pushed), .thread_i(thread),
    .request_i(l1_valid_o), .rsi_i(rsi),
    .used_o(used), .drained_o(drained), .busy_o(buffer_busy),
    .answer_valid_i(l1_answer_valid_i),
    .answer_i({l1_answer_delta_i, l1_answer_exponent_i, l1_answer_lines_i}),
    .ready_o(ready), .beat_o(head), .answer_o(answer), .pop_i(pop)
  );

  unp_write #(.Unpacker(Unpacker), .Fp8E5m2Fill(Fp8E5m2Fill)) u_write (
    .clk_i, .rst_ni, .ready_i(ready), .beat_i(head), .answer_i(answer), .pop_o(pop),
    .all_emitted_o(all_emitted),
    .owner_i, .matrix_bank_i, .matrix_zero_i, .flip_o,
    .clear_valid_o, .clear_banks_o, .clear_value_o,
    .write_valid_o, .write_dst_o, .write_wide_o, .write_ovrd_o, .write_bank_o, .write_transpose_o,
    .write_address_o, .write_mask_o, .write_data_o, .write_high_o, .write_fault_o
  );

  assign busy_o = fetch_busy | buffer_busy;

endmodule

`default_nettype wire
