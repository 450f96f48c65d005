// SPDX-License-Identifier: Apache-2.0
//
// A memory of Depth words of Width bits: one write port with a mask of Parts equal parts of a word,
// and one read port. The one macro of all blocks: what a memory compiler makes, and a black box to
// `make synth`, which lists its instances with their sizes.
//
// Latency: what is written in t is read from t+1 on; a word is out in the cycle after its read, and
// stays until the next. Handshake: none. Reset: none, words hold anything until they are written.
`default_nettype none

module memory_bank #(
  parameter int Width = 128,
  parameter int Depth = 16,
  parameter int Parts = 1
) (
  input  wire logic                     clk_i,
  input  wire logic                     write_valid_i,
  input  wire logic [$clog2(Depth)-1:0] write_address_i,
  input  wire logic [Parts-1:0]         write_mask_i,
  input  wire logic [Width-1:0]         write_data_i,
  input  wire logic                     read_valid_i,
  input  wire logic [$clog2(Depth)-1:0] read_address_i,
  output wire logic [Width-1:0]         read_data_o
);

  localparam int PartBits = Width / Parts;

  logic [Width-1:0] words_q [Depth];
  logic [Width-1:0] read_q;

  assign read_data_o = read_q;

  always_ff @(posedge clk_i) begin
    if (write_valid_i) begin
      for (int p = 0; p < Parts; p++)
        if (write_mask_i[p]) words_q[write_address_i][PartBits*p+:PartBits]
          <= write_data_i[PartBits*p+:PartBits];
    end
    if (read_valid_i) read_q <= words_q[read_address_i];
  end

`ifdef SYNTHESIS
`else  // no assertion, so that it stays where those are taken out
  // As after power-up: anything but what a word that was never written is read as.
  initial for (int i = 0; i < Depth; i++) words_q[i] = Width'({(Width + 18) / 19{19'h5A5C3}});
`endif

endmodule

`default_nettype wire
