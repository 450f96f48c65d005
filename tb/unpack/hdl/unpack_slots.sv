// SPDX-License-Identifier: Apache-2.0
//
// What an unpacker's step writes, 32 slots a record: of which any is written, and their words. The
// upper half of 32 bits is there for the first 32 slots only.
`timescale 1ns / 1ps
`default_nettype none

module unpack_slots
  import unpack_write_pkg::*;
(
  input wire logic       valid_i,
  input wire obs_write_t write_i
);

  wire logic [2431:0] data = write_i.low;
  wire logic [127:0] mask = write_i.mask;
  wire logic [13:0] address = write_i.address;
  wire logic dst = write_i.dst;
  wire logic wide = write_i.wide;
  wire logic bank = write_i.bank;
  wire logic transpose = write_i.transpose;
  wire logic [1023:0] words [4];
  wire logic [3:0] some;

  for (genvar k = 0; k < 4; k++) begin : gen_slots
    assign some[k] = valid_i && mask[32*k+:32] != 32'd0;

    unpack_words u_words (
      .mask_i(mask[32*k+:32]), .data_i(data[608*k+:608]),
      .high_i(k == 0 ? write_i.high : 416'd0), .words_o(words[k])
    );
  end

endmodule

`default_nettype wire
