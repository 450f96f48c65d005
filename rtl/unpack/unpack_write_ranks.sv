// SPDX-License-Identifier: Apache-2.0
//
// How far each datum of an expanding step has to move from its lane to its slot, beside the stages
// that convert it.
//
// Latency: in w + 2; how many datums there are is out in w + 3, the moves in w + 4. Handshake:
// none. Reset: none; the outputs are of the last expanding step.
`default_nettype none

module unpack_write_ranks
  import unpack_write_pkg::*;
(
  input  wire logic             clk_i,
  input  wire logic             load_i,   // in w + 2: an expanding step
  input  wire logic [31:0]      value_i,  // slots that have a datum
  output wire logic [5:0]       count_o,  // in w + 3
  // in w + 4: the datum that is in place p after the move by 2**k came from place p - 2**k. The
  // longest move is the first.
  output wire logic [159:0]     moves_o
);

  // Slots without a datum up to each slot, this one too.
  function automatic logic [31:0][5:0] gaps(input logic [31:0] value);
    for (int s = 0; s < Window; s++) gaps[s] = {5'd0, !value[s]};
    for (int level = 1; level < Window; level = 2 * level)
      for (int s = Window - 1; s >= 0; s--)
        if ((s & level) != 0) gaps[s] = gaps[s] + gaps[(s|(level-1))-level];
  endfunction

  // The moves, found from the last one, by 1, to the first one, by 16.
  function automatic logic [159:0] moves(input logic [31:0] value, input logic [31:0][5:0] gap);
    logic [47:0][4:0] left;  // of the way, by 2**k and more: bit 0 is 2**k
    logic [4:0] comes, stays;

    left = '0;
    for (int s = 0; s < Window; s++) left[s] = value[s] ? 5'(gap[s]) : 5'd0;
    for (int k = 0; k < 5; k++) begin
      for (int p = 0; p < Window; p++) begin
        stays = left[p];
        comes = left[p+(1<<k)];
        moves[32*k+p] = stays[0];
        left[p] = comes[0] ? comes >> 1 : stays[0] ? 5'd0 : stays >> 1;
      end
    end
  endfunction

  logic load_q;
  logic [31:0] value_q;
  logic [31:0][5:0] gaps_q;
  logic [159:0] moves_q;

  assign count_o = 6'd32 - gaps_q[31];
  assign moves_o = moves_q;

  always_ff @(posedge clk_i) begin
    load_q <= load_i;
    if (load_i) begin
      value_q <= value_i;
      gaps_q <= gaps(value_i);
    end
    if (load_q) moves_q <= moves(value_q, gaps_q);
  end

endmodule

`default_nettype wire
