// SPDX-License-Identifier: Apache-2.0
//
// Proof that fe_queue is a queue: a word that the solver picks among those written (mark_i) is
// read unchanged after exactly the words that were before it. All inputs are free.
`default_nettype none

module fe_queue_proof
  import frontend_pkg::*;
#(
  parameter int Depth = 8
) (
  input wire logic   clk_i,
  input wire offer_t write_i,
  input wire logic   rready_i,
  input wire logic   mark_i   // track the word that is written now
);

  localparam int PtrWidth = $clog2(Depth);
  typedef logic [PtrWidth:0] number_t;

  logic started = 1'b0;  // 0 in the first step: the reset
  logic wready, push, pop, mark;
  offer_t read;
  logic [3:0] rkind;
  logic [KindCount-1:0] unused_present;
  number_t count; // words in the queue, counted at its ports
  number_t ahead; // of these in front of the tracked one
  logic tracked;
  logic [31:0] word;
  logic [PtrWidth-1:0] place;  // of the tracked word in the memory

  fe_queue #(.Depth(Depth)) u_dut (
    .clk_i, .rst_ni(started),
    .write_i, .wready_o(wready),
    .read_o(read), .rready_i,
    .rkind_o(rkind), .present_o(unused_present)
  );

  assign push = started && write_i.valid && wready;
  assign pop = started && read.valid && rready_i;
  assign mark = push && mark_i && !tracked;
  assign place = u_dut.rptr_q + ahead[PtrWidth-1:0];

  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    count <= count + number_t'(push) - number_t'(pop);
    if (!started) begin
      count <= '0;
      tracked <= 1'b0;
    end else if (mark) begin
      tracked <= 1'b1;
      word <= write_i.word;
      ahead <= count - number_t'(pop);
    end else if (tracked && pop) begin
      tracked <= ahead != '0;
      ahead <= ahead - 1'b1;
    end
  end

  always_comb begin
    if (started) begin
      // the word that is read as the n-th is the one that was written as the n-th
      order: assert (!(tracked && ahead == '0) || (read.valid && read.word == word));
      // the kind that is read is that of the word
      kind: assert (!(tracked && ahead == '0) || rkind == word_kind(word));
      // a word is offered as long as not all that were written are read, and no longer
      offered: assert (read.valid == (count != '0));
      // a word is taken whenever there is room, and only then
      room: assert (wready == (count != number_t'(Depth)));

      // (invariant) it has as many words as were written and not read
      counts: assert (u_dut.count_q == count && count <= number_t'(Depth));
      // (invariant) the pointers are as far from each other as it has words
      pointers: assert (u_dut.wptr_q == u_dut.rptr_q + count[PtrWidth-1:0]);
      // (invariant) the tracked word is among the words it has
      kept: assert (!tracked || ahead < count);
      // (invariant) the memory has the tracked word, and its kind, where it must be
      stored: assert (!tracked || (u_dut.data_q[place] == word
                                   && u_dut.kind_q[place] == word_kind(word)));
    end
    // the queue is full
    full: cover (started && !wready);
    // the tracked word is read in the cycle in which another is written
    through: cover (started && tracked && ahead == '0 && pop && push);
  end

endmodule

`default_nettype wire
