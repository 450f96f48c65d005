// SPDX-License-Identifier: Apache-2.0
//
// An SRAM of Words 32-bit words, the last TopWords of which end an address space of 2^32 bytes; 0 in
// the beginning. One port reads a beat, one writes a beat, both
// when ready_i is set. A read accepted in c returns in max(c + latency_i, return before + 1), with
// what was there as registered in c; latency 0 stands for 1. fill_i writes the words of a tile,
// made of stamp_i; a write of the same cycle wins. look_sum_o and look_mix_o are the digests of
// look_beats_i beats from the middle of the cycle on. sum_o is the sum over all words of word x (2 x number + 1).
// An access beyond the memory reads 0 and writes nothing, and ends the run when the block of cycles
// does, so that what led to it is compared first.
`timescale 1ns / 1ps
`default_nettype none

module flag_pipe_memory #(
  parameter int Words     = 65536,
  parameter int BeatBytes = 32,
  parameter int TopWords  = 0
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  input  wire logic [31:0]            cycle_i,
  input  wire logic                   flush_i,
  input  wire logic                   rd_accept_i,
  input  wire logic [31:0]            rd_addr_i,
  input  wire logic [4:0]             latency_i,
  output wire logic                   rd_valid_o,
  output wire logic [BeatBytes*8-1:0] rd_data_o,
  input  wire logic                   wr_accept_i,
  input  wire logic [31:0]            wr_addr_i,
  input  wire logic [BeatBytes*8-1:0] wr_data_i,
  input  wire logic                   fill_i,
  input  wire logic [31:0]            fill_addr_i,
  input  wire logic [15:0]            fill_beats_i,
  input  wire logic [31:0]            stamp_i,
  input  wire logic                   look_i,
  input  wire logic [31:0]            look_addr_i,
  input  wire logic [15:0]            look_beats_i,
  output      logic [31:0]            look_sum_o,
  output      logic [31:0]            look_mix_o,
  output      logic [63:0]            sum_o
);

  localparam int BeatWords = BeatBytes / 4;
  localparam int BeatBits = BeatBytes * 8;
  localparam int Beats = Words / BeatWords;
  localparam int Shift = $clog2(BeatBytes);
  localparam int Depth = 32;  // more answers than can be outstanding: one a cycle of the latency

  logic [BeatBits-1:0] beat_q [Beats];
  logic [BeatBits-1:0] answer_q [Depth];
  logic [31:0] due_q [Depth];
  logic [4:0] head, fill, tail;
  logic [31:0] last, due, place;
  logic [31:0] seen;
  logic [BeatBits-1:0] beat, made;
  logic outside, ended;
  // packed: of an array that is 0 from the first on, Icarus leaves continuous assignments at X
  logic valid_q;
  logic [BeatBits-1:0] data_q;

  assign rd_valid_o = valid_q;
  assign rd_data_o = data_q;

  initial begin
    for (int i = 0; i < Beats; i++) beat_q[i] = '0;
    for (int i = 0; i < Depth; i++) begin
      answer_q[i] = '0;
      due_q[i] = '0;
    end
    sum_o = '0;
    valid_q = 1'b0;
    data_q = '0;
    head = '0;
    fill = '0;
    last = '0;
    outside = 1'b0;
    ended = 1'b0;
    look_sum_o = '0;
    look_mix_o = '0;
  end

  // Number of the beat at an address; Beats or more: there is none.
  function automatic logic [31:0] beat_of(input logic [31:0] addr);
    if (TopWords == 0 || addr < 32'(4 * (Words - TopWords))) beat_of = addr >> Shift;
    else if (addr >= -32'(4 * TopWords)) beat_of = (addr + 32'(4 * Words)) >> Shift;
    else beat_of = '1;
  endfunction

  task automatic put(input logic [31:0] at, input logic [BeatBits-1:0] data);
    logic [BeatBits-1:0] old;
    begin
      old = beat_q[at];
      for (int i = 0; i < BeatWords; i++) begin
        sum_o = sum_o + (64'(data[32*i+:32]) - 64'(old[32*i+:32]))
                         * 64'(2 * (at * 32'(BeatWords) + 32'(i)) + 1);
      end
      beat_q[at] = data;
    end
  endtask

  // in the middle of the cycle: a combinational block would have to watch the whole memory
  always @(negedge clk_i) begin
    if (look_i) begin
      look_sum_o = '0;
      look_mix_o = '0;
      for (int i = 0; i < 32'(look_beats_i); i++) begin
        seen = (look_addr_i >> Shift) + 32'(i);
        beat = seen < 32'(Beats) ? beat_q[seen] : '0;
        for (int j = 0; j < BeatWords; j++) begin
          look_sum_o = look_sum_o + beat[32*j+:32];
          look_mix_o = {look_mix_o[30:0], look_mix_o[31]} + beat[32*j+:32];
        end
      end
    end
  end

  always @(posedge clk_i) begin
    if (valid_q) valid_q <= 1'b0;
    if (rst_ni && (rd_accept_i || fill != 5'd0)) begin
      if (rd_accept_i) begin
        place = beat_of(rd_addr_i);
        outside = outside || place >= 32'(Beats);
        due = cycle_i + (latency_i == 5'd0 ? 32'd1 : 32'(latency_i));
        if (due <= last) due = last + 32'd1;
        last = due;
        tail = head + fill;
        answer_q[tail] = place < 32'(Beats) ? beat_q[place] : '0;
        due_q[tail] = due;
        fill = fill + 5'd1;
      end
      if (due_q[head] == cycle_i + 32'd1) begin
        valid_q <= 1'b1;
        data_q <= answer_q[head];
        head = head + 5'd1;
        fill = fill - 5'd1;
      end
    end
    if (rst_ni && fill_i) begin
      for (int i = 0; i < 32'(fill_beats_i); i++) begin
        place = (fill_addr_i >> Shift) + 32'(i);
        if (place < 32'(Beats)) begin
          for (int j = 0; j < BeatWords; j++) begin
            made[32*j+:32] = stamp_i * 32'h9E37_79B1 + 32'(i * BeatWords + j) * 32'h85EB_CA6B;
          end
          put(place, made);
        end
      end
    end
    if (rst_ni && wr_accept_i) begin
      place = beat_of(wr_addr_i);
      outside = outside || place >= 32'(Beats);
      if (place < 32'(Beats)) put(place, wr_data_i);
    end
    if (ended && outside)
      $fatal(1, "flag_pipe_memory: an access beyond the memory, before cycle %0d", cycle_i);
  end

  always @(posedge flush_i) ended = outside;

endmodule

`default_nettype wire
