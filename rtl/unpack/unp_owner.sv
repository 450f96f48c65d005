// SPDX-License-Identifier: Apache-2.0
//
// Owners of the two banks of SrcA or SrcB, and which of them are stale (docs/unpack.md sections 4
// and 5.5).
//
// Latency: what hands a bank over in w shows in w+2; a release, and what makes a bank stale, in
// the next cycle. Handshake: none. Reset: both banks are the Unpackers', neither is stale. A bank
// that is handed over at the end of a cycle with a release stays handed over, and one written to
// in a cycle that would clear `stale` becomes stale.
`default_nettype none

module unp_owner (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [1:0] flip_i,     // handed over by the write stage
  input  wire logic [1:0] release_i,  // by the Matrix Unit
  input  wire logic [1:0] clear_i,    // ZEROSRC
  input  wire logic [1:0] spoil_i,    // a step to Dst
  output wire logic [1:0] owner_o,    // 1: Matrix Unit
  output wire logic [1:0] stale_o
);

  logic [1:0] owner_q, flip_q, stale_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owner_q <= '0;
      flip_q <= '0;
      stale_q <= '0;
    end else begin
      flip_q <= flip_i;
      owner_q <= owner_q & ~release_i | flip_q;
      stale_q <= stale_q & ~(release_i | clear_i) | spoil_i;
    end
  end

  assign owner_o = owner_q;
  assign stale_o = stale_q;

endmodule

`default_nettype wire
