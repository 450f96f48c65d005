// SPDX-License-Identifier: Apache-2.0
//
// Rates of the two unpackers: the lines that each is granted in a cycle (docs/unpack.md section 4).
//
// Latency: combinational. Handshake: none. fetching_i: the unpacker requests a beat of datums in
// this cycle; want_i and grant_o are 1, 2 or 4 lines. The grant of one that does not fetch is its
// want.
`default_nettype none

module unp_rates (
  input  wire logic       fetching_i [2],
  input  wire logic [2:0] want_i [2],
  output wire logic [2:0] grant_o [2]
);

  // {grant of unpacker 1, grant of unpacker 0}, if both fetch. Who wants one line gets it, and
  // leaves the other what that wants.
  function automatic logic [5:0] both(input logic [2:0] want1, input logic [2:0] want0);
    both = {want1, want0};
    if (!want1[0] && !want0[0]) begin
      if (want1[1]) both = {3'd1, want0[1] ? 3'd1 : 3'd2};
      else both = {3'd2, want0[1] ? 3'd1 : 3'd2};
    end
  endfunction

  wire logic [5:0] granted = fetching_i[0] && fetching_i[1] ? both(want_i[1], want_i[0])
                                                            : {want_i[1], want_i[0]};

  assign grant_o[0] = granted[2:0];
  assign grant_o[1] = granted[5:3];

endmodule

`default_nettype wire
