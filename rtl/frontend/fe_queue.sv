// SPDX-License-Identifier: Apache-2.0
//
// Queue of words, which also tells what kinds of words are in it.
//
// Latency: a word written in cycle t is at read_o from t+1 at the earliest; no fall-through.
// Handshake: written when write_i.valid and wready_o, popped when read_o.valid and rready_i.
// wready_o means "not full at the start of the cycle": a pop in the same cycle does not make room.
// Reset: empty, all words 0. Depth is a power of two, at least 2: the pointers wrap by themselves.
`default_nettype none

module fe_queue
  import frontend_pkg::*;
#(
  parameter int Depth = 8
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  // write port
  input wire offer_t      write_i,
  output logic            wready_o,
  // read port
  output offer_t          read_o,
  input wire logic        rready_i,
  output logic [3:0]      rkind_o,
  // bit k: a word of kind k is in the queue
  output logic [KindCount-1:0] present_o
);

  localparam int PtrWidth = $clog2(Depth);

  logic [31:0] data_q[Depth];
  logic [3:0] kind_q[Depth];  // a word is decoded once, where it is written
  logic [PtrWidth-1:0] rptr_q, wptr_q;
  logic [PtrWidth:0] count_q;
  logic [PtrWidth:0] of_kind_q[KindCount];  // how many words of each kind
  logic push, pop;

  assign wready_o = count_q != (PtrWidth + 1)'(Depth);
  assign read_o = {count_q != '0, data_q[rptr_q]};
  assign push = write_i.valid && wready_o;
  assign pop = read_o.valid && rready_i;
  assign rkind_o = kind_q[rptr_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rptr_q <= '0;
      wptr_q <= '0;
      count_q <= '0;
      present_o <= '0;
      for (int k = 0; k < KindCount; k++) of_kind_q[k] <= '0;
      for (int i = 0; i < Depth; i++) begin
        data_q[i] <= '0;
        kind_q[i] <= '0;
      end
    end else if (push || pop) begin : update
      logic [3:0] wkind;

      wkind = word_kind(write_i.word);
      if (push) begin
        data_q[wptr_q] <= write_i.word;
        kind_q[wptr_q] <= wkind;
        wptr_q <= wptr_q + 1'b1;
        if (!pop) count_q <= count_q + 1'b1;
      end
      if (pop) begin
        rptr_q <= rptr_q + 1'b1;
        if (!push) count_q <= count_q - 1'b1;
      end
      // one in and one out of the same kind change no count
      if (!(push && pop && wkind == rkind_o)) begin
        if (pop) begin
          of_kind_q[rkind_o] <= of_kind_q[rkind_o] - 1'b1;
          if (of_kind_q[rkind_o] == 1) present_o[rkind_o] <= 1'b0;
        end
        if (push) begin
          of_kind_q[wkind] <= of_kind_q[wkind] + 1'b1;
          present_o[wkind] <= 1'b1;
        end
      end
    end
  end

`ifndef SYNTHESIS
  initial begin
    if (Depth < 2 || Depth != 2 ** PtrWidth)
      $fatal(1, "fe_queue: Depth = %0d is not a power of two from 2 on", Depth);
  end
`endif

endmodule

`default_nettype wire
