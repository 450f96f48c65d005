// SPDX-License-Identifier: Apache-2.0
//
// Queue of words with a tag each, which also tells the OR of the tags of all words in it.
//
// Latency: a word written in cycle t is at rdata_o from t+1 at the earliest; no fall-through.
// Handshake: written when wvalid_i and wready_o, popped when rvalid_o and rready_i. wready_o means
// "not full at the start of the cycle": a pop in the same cycle does not make room.
// Reset: empty. Depth is a power of two.
`default_nettype none

module fe_queue #(
  parameter int Depth    = 8,
  parameter int TagWidth = 1
) (
  input wire logic                clk_i,
  input wire logic                rst_ni,
  // write port
  input wire logic                wvalid_i,
  output logic                    wready_o,
  input wire logic [31:0]         wdata_i,
  input wire logic [TagWidth-1:0] wtag_i,
  // read port
  output logic                    rvalid_o,
  input wire logic                rready_i,
  output logic [31:0]             rdata_o,
  output logic [TagWidth-1:0]     rtag_o,
  // OR of the tags of all words in the queue
  output logic [TagWidth-1:0]     any_tag_o
);

  localparam int PtrWidth = $clog2(Depth);

  logic [31:0] data_q[Depth];
  logic [Depth*TagWidth-1:0] tag_q;  // 0 where no word is
  logic [PtrWidth-1:0] rptr_q, wptr_q;
  logic [PtrWidth:0] count_q;
  logic push, pop;

  assign wready_o = count_q != (PtrWidth + 1)'(Depth);
  assign rvalid_o = count_q != '0;
  assign push = wvalid_i && wready_o;
  assign pop = rvalid_o && rready_i;
  assign rdata_o = data_q[rptr_q];
  assign rtag_o = tag_q[rptr_q*TagWidth+:TagWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rptr_q <= '0;
      wptr_q <= '0;
      count_q <= '0;
      tag_q <= '0;
    end else begin
      if (pop) begin
        rptr_q <= rptr_q + 1'b1;
        tag_q[rptr_q*TagWidth+:TagWidth] <= '0;
      end
      if (push) begin
        wptr_q <= wptr_q + 1'b1;
        tag_q[wptr_q*TagWidth+:TagWidth] <= wtag_i;
      end
      if (push && !pop) count_q <= count_q + 1'b1;
      else if (pop && !push) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) data_q[wptr_q] <= wdata_i;
  end

  // fold the tags in halves: fold[0] has Depth tags, fold[PtrWidth] has one
  for (genvar level = 0; level <= PtrWidth; level++) begin : gen_fold
    localparam int Width = (Depth >> level) * TagWidth;
    logic [Width-1:0] tags;
    if (level == 0) begin : gen_leaf
      assign tags = tag_q;
    end else begin : gen_node
      assign tags = gen_fold[level-1].tags[Width-1:0] | gen_fold[level-1].tags[2*Width-1:Width];
    end
  end
  assign any_tag_o = gen_fold[PtrWidth].tags;

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (rst_ni) begin
      assert (count_q <= (PtrWidth + 1)'(Depth)) else $fatal(1, "fe_queue: overflow");
    end
  end
`endif

endmodule

`default_nettype wire
