// SPDX-License-Identifier: Apache-2.0
//
// Round-robin arbiter (C24): the first requester at or after the pointer, cyclically, wins.
//
// Latency: combinational from req_i to grant_o, which is one-hot, or 0 without a request.
// State: the pointer moves to the one behind the winner, and stays in a cycle without a winner.
// Reset: requester 0 is first.
`default_nettype none

module rr_arbiter #(
  parameter int Width = 3
) (
  input wire logic              clk_i,
  input wire logic              rst_ni,
  input wire logic [Width-1:0]  req_i,
  output wire logic [Width-1:0] grant_o
);

  logic [Width-1:0] behind_q;  // the requesters from the pointer on; none: the pointer is 0
  wire logic [Width-1:0] first = req_i & behind_q;
  wire logic [Width-1:0] pool = first != '0 ? first : req_i;

  assign grant_o = pool & -pool;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_q <= '0;
    else if (req_i != '0) behind_q <= ~(grant_o | (grant_o - 1'b1));
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (req_i != '0) begin
      if (grant_o == '0 || (grant_o & ~req_i) != '0 || (grant_o & (grant_o - 1'b1)) != '0)
        $fatal(1, "rr_arbiter: grant %b for requests %b", grant_o, req_i);
    end
  end
`endif

endmodule

`default_nettype wire
