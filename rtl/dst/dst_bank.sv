// SPDX-License-Identifier: Apache-2.0
//
// A bank of Dst: 64 rows of 16 columns of 16 bits, one write with a column mask and one read a
// cycle.
//
// Latency: what is written in t is read from t+1 on; a row is out in the cycle after its read.
// Handshake: none. Reset: none, rows hold anything until they are written.
`default_nettype none

module dst_bank
  import dst_pkg::*;
(
  input  wire logic               clk_i,
  input  wire logic               write_valid_i,
  input  wire logic [5:0]         write_place_i,
  input  wire logic [Columns-1:0] write_mask_i,
  input  wire logic [RowBits-1:0] write_data_i,
  input  wire logic               read_valid_i,
  input  wire logic [5:0]         read_place_i,
  output wire logic [RowBits-1:0] read_data_o
);

  logic [RowBits-1:0] rows_q [BankRows];
  logic [RowBits-1:0] read_q;

  assign read_data_o = read_q;

  always_ff @(posedge clk_i) begin
    if (write_valid_i) begin
      for (int c = 0; c < Columns; c++)
        if (write_mask_i[c]) rows_q[write_place_i][16*c+:16] <= write_data_i[16*c+:16];
    end
    if (read_valid_i) read_q <= rows_q[read_place_i];
  end

`ifdef SYNTHESIS
`else  // no assertion, so that it stays where those are taken out
  // As after power-up: anything but what a row that was never written is read as.
  initial for (int i = 0; i < BankRows; i++) rows_q[i] = {Columns{16'hA5C3}};
`endif

endmodule

`default_nettype wire
