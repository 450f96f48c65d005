// SPDX-License-Identifier: Apache-2.0
//
// A bank of Dst: Depth words of Width bits, 64 rows of 16 columns of 16 bits; one write port with a
// mask of 16 columns and one read port. A macro: what a memory compiler makes.
//
// Latency: what is written in t is read from t+1 on; a row is out in the cycle after its read.
// Handshake: none. Reset: none, rows hold anything until they are written.
`default_nettype none

module dst_bank
  import dst_pkg::*;
#(
  parameter int Width = RowBits,
  parameter int Depth = BankRows
) (
  input  wire logic                     clk_i,
  input  wire logic                     write_valid_i,
  input  wire logic [$clog2(Depth)-1:0] write_place_i,
  input  wire logic [Columns-1:0]       write_mask_i,
  input  wire logic [Width-1:0]         write_data_i,
  input  wire logic                     read_valid_i,
  input  wire logic [$clog2(Depth)-1:0] read_place_i,
  output wire logic [Width-1:0]         read_data_o
);

  localparam int ColumnBits = Width / Columns;

  logic [Width-1:0] rows_q [Depth];
  logic [Width-1:0] read_q;

  assign read_data_o = read_q;

  always_ff @(posedge clk_i) begin
    if (write_valid_i) begin
      for (int c = 0; c < Columns; c++)
        if (write_mask_i[c]) rows_q[write_place_i][ColumnBits*c+:ColumnBits]
          <= write_data_i[ColumnBits*c+:ColumnBits];
    end
    if (read_valid_i) read_q <= rows_q[read_place_i];
  end

`ifdef SYNTHESIS
`else  // no assertion, so that it stays where those are taken out
  // As after power-up: anything but what a row that was never written is read as.
  initial for (int i = 0; i < Depth; i++) rows_q[i] = Width'({Columns{16'hA5C3}});
`endif

endmodule

`default_nettype wire
