// SPDX-License-Identifier: Apache-2.0
//
// Replay expander of one thread: passes words on, records into and plays from a buffer of 32 words.
//
// Latency: combinational from the head of M to emit_o; a playback's first word leaves in the cycle
// in which the REPLAY is popped. A word recorded in t can be played in t+1.
// Handshake: head_i shows the head, pop_o pops it. emit_o is taken in a cycle in which it is valid
// and emit_ready_i; while recording, its valid waits for emit_ready_i.
// Reset: PASS, buffer 0. Decisions F13-F16; docs/frontend.md section 2.
`default_nettype none

module replay_expander
  import tilepath_isa_pkg::*;
  import frontend_pkg::*;
#(
  parameter int ReplayCount0 = 64   // what a count of 0 stands for (F15); 1 ... 64
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  // head of M
  input wire offer_t      head_i,
  output logic            pop_o,
  // to R
  output offer_t          emit_o,
  input wire logic        emit_ready_i,
  // observation
  output replay_state_e   state_o,
  output logic            rec_exec_o  // recording, and executing what is recorded
);

  replay_state_e state_q;
  logic [31:0] buffer_q[32];
  logic [4:0] index_q, head_index, play_index;
  logic [6:0] left_q, head_count;  // words still to play or record
  logic [5:0] count_field;
  logic exec_q;
  logic emit_valid;
  logic [31:0] emit_word;
  logic is_replay, is_load, load, play_first, pass, record;

  assign count_field = head_i.word[REPLAY_COUNT_MSB:REPLAY_COUNT_LSB];
  assign head_index = head_i.word[REPLAY_INDEX_MSB:REPLAY_INDEX_LSB];
  assign head_count = count_field == 6'd0 ? 7'(ReplayCount0) : {1'b0, count_field};
  assign is_replay = head_i.word[31:24] == OP_REPLAY;
  assign is_load = head_i.word[REPLAY_LOAD_LSB];

  assign pass = state_q == Pass && head_i.valid && !is_replay;
  assign load = state_q == Pass && head_i.valid && is_replay && is_load;
  assign play_first = state_q == Pass && head_i.valid && is_replay && !is_load;
  assign record = state_q == Rec && head_i.valid && (!exec_q || emit_ready_i);

  assign play_index = play_first ? head_index : index_q;
  assign emit_valid = pass || play_first || state_q == Play || (record && exec_q);
  assign emit_word = (play_first || state_q == Play) ? buffer_q[play_index] : head_i.word;
  assign pop_o = load || record || ((pass || play_first) && emit_ready_i);
  assign emit_o = {emit_valid, emit_word};
  assign state_o = state_q;
  assign rec_exec_o = state_q == Rec && exec_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Pass;
      index_q <= '0;
      left_q <= '0;
      exec_q <= 1'b0;
      for (int i = 0; i < 32; i++) buffer_q[i] <= '0;
    end else if (state_q == Pass) begin
      if (load) begin
        state_q <= Rec;
        index_q <= head_index;
        left_q <= head_count;
        exec_q <= head_i.word[REPLAY_EXEC_LSB];
      end else if (play_first && emit_ready_i) begin
        if (head_count != 7'd1) state_q <= Play;
        index_q <= head_index + 5'd1;
        left_q <= head_count - 7'd1;
      end
    end else if (record || (state_q == Play && emit_ready_i)) begin
      if (record) buffer_q[index_q] <= head_i.word;
      if (left_q == 7'd1) state_q <= Pass;
      index_q <= index_q + 5'd1;
      left_q <= left_q - 7'd1;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (state_q != Pass && left_q == 7'd0)
      $fatal(1, "replay_expander: nothing left to play or record");
  end
`endif

endmodule

`default_nettype wire
