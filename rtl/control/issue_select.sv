// SPDX-License-Identifier: Apache-2.0
//
// Of the words that the threads offer, the one whose thread wins, as the instruction that issues.
//
// Latency: combinational. Handshake: none; grant_i is one-hot, or 0 when nothing issues.
`default_nettype none

module issue_select
  import control_pkg::*;
(
  input wire logic [2:0]  grant_i,
  input wire logic [31:0] word_i [3],
  output wire issued_t    issued_o
);

  wire logic [31:0] word = grant_i[2] ? word_i[2] : grant_i[1] ? word_i[1] : word_i[0];

  assign issued_o = {grant_i != 3'd0, grant_i[2:1], word};  // one-hot to number

endmodule

`default_nettype wire
