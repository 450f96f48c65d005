// SPDX-License-Identifier: Apache-2.0
//
// Owners of the banks of SrcA (file 0) and SrcB (file 1), with the flips that are under way, and
// which banks of SrcA are stale (docs/unpack.md sections 4 and 5.5).
//
// Latency: a flip of cycle w is under way from w+1 on and changes the owner at the end of
// w + WRITE + 1, where it wins over a release; any number can be under way. A release changes the
// owner at the end of its cycle. What comes with the writes, in w + WRITE - 1, changes `stale` at
// the end of w + WRITE. Handshake: none. Reset: all banks are the Unpackers', none is stale.
`default_nettype none

module src_owner
  import unpack_pkg::*;
(
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic [1:0] flip_i [2],       // of a file: banks
  input  wire logic [3:0] flip_format_i [2],
  // the Matrix Unit's commands, a bit a file, to its banks
  input  wire logic [1:0] release_i,
  input  wire logic       read_i,           // of SrcA
  input  wire logic [1:0] banks_i,
  output wire logic       stale_read_o,     // in its cycle: a read of a bank of SrcA that is stale
  // unpacker 0's writes, in the cycle before they are made
  input  wire logic       dst_valid_i,
  input  wire logic       dst_bank_i,       // the bank of SrcA that a write to Dst makes stale
  input  wire logic       clear_valid_i,
  input  wire logic [1:0] clear_banks_i,    // of SrcA
  input  wire logic [1:0] matrix_clear_i,   // by the Matrix Unit, at the end of its cycle
  // A0, A1, B0, B1: 1 where the bank is the Matrix Unit's
  output wire logic [3:0] owner_o,
  output wire logic [1:0] theirs_o [2],     // of a file: the same, or a flip is under way
  output wire logic [15:0] implied_o,       // four bits a bank: the format that it came with (U44)
  output wire logic [1:0] stale_o
);

  localparam int FlipCycles = WriteLatency + 1;

  wire logic [1:0] released [2];

  for (genvar f = 0; f < 2; f++) begin : gen_file
    logic [4*FlipCycles-1:0] formats_q;  // those of the flips, the newest lowest

    assign released[f] = release_i[f] ? 2'b01 << banks_i[f] : '0;
    always_ff @(posedge clk_i) begin
      formats_q <= {formats_q[4*FlipCycles-5:0], flip_format_i[f]};
    end

    for (genvar b = 0; b < 2; b++) begin : gen_bank
      logic owner_q;
      logic [FlipCycles-1:0] flips_q;  // bit n: one of n + 1 cycles ago
      logic [3:0] implied_q;

      assign owner_o[2*f+b] = owner_q;
      assign theirs_o[f][b] = owner_q || flips_q != '0;
      assign implied_o[8*f+4*b+:4] = implied_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          owner_q <= 1'b0;
          flips_q <= '0;
          implied_q <= '0;
        end else begin
          flips_q <= {flips_q[FlipCycles-2:0], flip_i[f][b]};
          owner_q <= owner_q && !released[f][b] || flips_q[FlipCycles-1];
          if (flips_q[FlipCycles-1]) implied_q <= formats_q[4*FlipCycles-1-:4];
        end
      end
    end
  end

  logic [1:0] stale_q;
  logic [1:0] spoil_q;  // banks that become stale
  logic [1:0] clear_q;

  assign stale_o = stale_q;
  assign stale_read_o = read_i && stale_q[banks_i[0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stale_q <= '0;
      spoil_q <= '0;
      clear_q <= '0;
    end else begin
      spoil_q <= dst_valid_i ? 2'b01 << dst_bank_i : '0;
      clear_q <= clear_valid_i ? clear_banks_i : '0;
      stale_q <= stale_q & ~(released[0] | clear_q | matrix_clear_i) | spoil_q;
    end
  end

endmodule

`default_nettype wire
