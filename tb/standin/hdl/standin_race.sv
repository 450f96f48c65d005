// SPDX-License-Identifier: Apache-2.0
//
// Whether the packers read a storage row that is written in the same cycle (fault dst_race).
//
// Latency: none. Handshake: none. Reset: none.
`timescale 1ns / 1ps
`default_nettype none

module standin_race (
  input  wire logic [9:0] row_i,        // of Dst, written
  input  wire logic       wide_i,
  input  wire logic [1:0] access_i,
  input  wire logic [3:0] pack_read_i,
  input  wire logic       pack_wide_i,
  input  wire logic [9:0] pack_row_i [4],
  output wire logic       raced_o
);

  wire logic [9:0] storage = dst_pkg::storage_of(row_i, wide_i, access_i[1], access_i[0]);
  wire logic [9:0] below = storage + 10'd8;
  wire logic [3:0] hits;

  for (genvar l = 0; l < 4; l++) begin : gen_packer
    wire logic [9:0] first = pack_row_i[l];
    wire logic of_first = first == storage || wide_i && first == below;
    wire logic of_second = first + 10'd8 == storage || wide_i && first == storage;
    assign hits[l] = pack_read_i[l] && (of_first || pack_wide_i && of_second);
  end
  assign raced_o = hits != 4'd0;

endmodule

`default_nettype wire
