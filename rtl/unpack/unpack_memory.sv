// SPDX-License-Identifier: Apache-2.0
//
// A memory of Depth words of Width bits: one write and one read port, the read combinational, as
// a register file has it. Of each unpacker, words x bits: the queue 16 x 182 and 16 x 131;
// instructions that wait for their RSI entries 16 x 115 and 16 x 2, that have them 16 x 119;
// requests under way 64 x 2; the beat buffer 40 x 178, its deltas 40 x 128, its lines 40 x 640.
//
// Latency: a write in c is read from c+1 on; a read is out in its cycle. Handshake: none.
// Reset: none; who reads knows what has been written.
`default_nettype none

module unpack_memory #(
  parameter int Width = 128,
  parameter int Depth = 16
) (
  input  wire logic                     clk_i,
  input  wire logic                     write_i,
  input  wire logic [$clog2(Depth)-1:0] write_address_i,
  input  wire logic [Width-1:0]         write_data_i,
  input  wire logic [$clog2(Depth)-1:0] read_address_i,
  output wire logic [Width-1:0]         read_data_o
);

  logic [Width-1:0] memory_q [Depth];

  always_ff @(posedge clk_i) if (write_i) memory_q[write_address_i] <= write_data_i;

  assign read_data_o = memory_q[read_address_i];

endmodule

`default_nettype wire
