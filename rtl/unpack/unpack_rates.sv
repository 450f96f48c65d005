// SPDX-License-Identifier: Apache-2.0
//
// Rates of the two unpackers: the lines that each is granted in a cycle (docs/unpack.md section 4).
//
// Latency: combinational. Handshake: none. fetching_i: the unpacker decides for a beat in this
// cycle; want_i and grant_o are 1, 2 or 4 lines. The grant of one that does not fetch is its want.
// Reset: none.
`default_nettype none

module unpack_rates (
  input  wire logic       fetching_i [2],
  input  wire logic [2:0] want_i [2],
  output wire logic [2:0] grant_o [2]
);

  // Who wants one line gets it, and leaves the other what that wants; else each gets half.
  wire logic share = fetching_i[0] && fetching_i[1] && !want_i[0][0] && !want_i[1][0];

  assign grant_o[0] = share ? want_i[0] >> 1 : want_i[0];
  assign grant_o[1] = share ? want_i[1] >> 1 : want_i[1];

endmodule

`default_nettype wire
