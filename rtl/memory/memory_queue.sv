// SPDX-License-Identifier: Apache-2.0
//
// A memory_bank for a queue whose words may be read as soon as they come: a read sees what is
// written in its cycle. Who wants the oldest word without a cycle between reads in every cycle
// where that will be in the next one.
//
// Latency: what is written in t is read from t on; a word is out in the cycle after its read, and
// stays until the next. Handshake: none. Reset: none; who reads knows what has been written.
`default_nettype none

module memory_queue #(
  parameter int Width = 128,
  parameter int Depth = 16
) (
  input  wire logic                     clk_i,
  input  wire logic                     write_valid_i,
  input  wire logic [$clog2(Depth)-1:0] write_address_i,
  input  wire logic [Width-1:0]         write_data_i,
  input  wire logic                     read_valid_i,
  input  wire logic [$clog2(Depth)-1:0] read_address_i,
  output wire logic [Width-1:0]         read_data_o
);

  wire logic [Width-1:0] stored;
  wire logic arrives = write_valid_i && write_address_i == read_address_i;
  logic arrived_q;
  logic [Width-1:0] arrived_data_q;

  memory_bank #(.Width(Width), .Depth(Depth), .Parts(1)) u_bank (
    .clk_i, .write_valid_i, .write_address_i, .write_mask_i(1'b1), .write_data_i,
    .read_valid_i, .read_address_i, .read_data_o(stored)
  );

  assign read_data_o = arrived_q ? arrived_data_q : stored;

  always_ff @(posedge clk_i) begin
    if (read_valid_i) begin
      arrived_q <= arrives;
      if (arrives) arrived_data_q <= write_data_i;
    end
  end

endmodule

`default_nettype wire
