// SPDX-License-Identifier: Apache-2.0
//
// Where a compressed instruction begins, by its two RSI entries (docs/unpack.md section 5.3).
//
// Latency: combinational. Handshake: none; all outputs are 0 without valid_i. Pointers are in
// quarters (datums), halves (nibbles) and sixteenths (exponents) of a byte; datums_i and
// exponents_i are where datum 0 and its exponent are.
`default_nettype none

module unp_compressed
  import unpack_pkg::*, unpack_step_pkg::*;
(
  input  wire logic        valid_i,
  input  wire logic [15:0] first_i,
  input  wire logic [15:0] end_i,
  input  wire logic [2:0]  size_i,  // log2 of the bits of a datum
  input  wire logic [16:0] limit_i,
  input  wire logic [16:0] fifo_i,
  input  wire logic [33:0] datums_i,
  input  wire logic [35:0] exponents_i,
  output wire logic [33:0] datum_o,
  output wire logic [32:0] delta_o,
  output wire logic [35:0] exponent_o,
  output wire logic [15:0] count_o
);

  // Groups of 32 datums are followed by 16 bytes of nibbles.
  wire logic [33:0] group = datums_i + ({23'd0, first_i[15:5]} << ({2'd0, size_i} + 5'd4))
                            + {17'd0, first_i[15:5], 6'd0};
  wire logic [33:0] datum = group + ({29'd0, first_i[4:0]} << (size_i - 3'd1));
  wire logic [32:0] delta = 33'(group >> 1) + (33'd1 << ({2'd0, size_i} + 5'd3))
                            + {28'd0, first_i[4:0]};

  assign datum_o = valid_i ? wrap_datum(datum, limit_i, fifo_i) : '0;
  assign delta_o = valid_i ? wrap_delta(delta, limit_i, fifo_i) : '0;
  assign exponent_o = valid_i
                      ? wrap_exponent(exponents_i + {20'd0, first_i}, limit_i, fifo_i) : '0;
  assign count_o = valid_i && end_i > first_i ? end_i - first_i : '0;

endmodule

`default_nettype wire
