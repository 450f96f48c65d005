// SPDX-License-Identifier: Apache-2.0
//
// Decodes a word once, where it enters; the tag then travels with it through the queues.
//
// Latency: combinational. Tag: [8:0] block classes B0…B8, [9] must not reach the wait gate (F17),
// [10] a REPLAY that counts for qstatus (Exec or not Load, F22), [11] a MOP.
`default_nettype none

module fe_decode
  import tilepath_isa_pkg::*;
(
  input wire logic [31:0] word_i,
  output logic [11:0]     tag_o
);

  logic [7:0] opcode;

  assign opcode = word_i[31:24];
  assign tag_o[8:0] = op_block_class(opcode);
  assign tag_o[9] = op_must_not_issue(opcode);
  assign tag_o[10] = opcode == OP_REPLAY && (word_i[REPLAY_EXEC_LSB] || !word_i[REPLAY_LOAD_LSB]);
  assign tag_o[11] = opcode == OP_MOP;

endmodule

`default_nettype wire
