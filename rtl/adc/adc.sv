// SPDX-License-Identifier: Apache-2.0
//
// Address counters: three sets (one a thread) of counters for unpacker 0, unpacker 1 and packers.
//
// Latency: a command in cycle t shows at the counters in t+1; faults and conflicts are up in t.
// Handshake: none, no command is ever refused. Reset: all counters and checkpoints 0.
// Element 6 * set + 2 * target + channel of live_o and cr_o is that channel; bit 3 * set + target
// of conflict_o is a conflict there. docs/adc.md is the cycle contract.
`default_nettype none

module adc
  import adc_pkg::*;
#(
  parameter int ZwW = 8  // bits of a Z or W counter, at most 13
) (
  input  wire logic           clk_i,
  input  wire logic           rst_ni,
  // instructions, one port a thread
  input  wire logic           issue_valid_i [3],
  input  wire logic [31:0]    issue_word_i [3],
  // unpacker update
  input  wire logic           unpack_valid_i,
  input  wire logic           unpack_unpacker_i,
  input  wire logic [1:0]     unpack_thread_i,
  input  wire logic [1:0]     unpack_adc_i,
  input  wire logic [1:0]     unpack_y0_i,
  input  wire logic [1:0]     unpack_z0_i,
  input  wire logic [1:0]     unpack_y1_i,
  input  wire logic [1:0]     unpack_z1_i,
  // packer update
  input  wire logic           pack_valid_i,
  input  wire logic [2:0]     pack_sets_i,
  input  wire logic [15:0]    pack_addr_mod_i,
  // REG2FLOP
  input  wire logic           flop_valid_i,
  input  wire logic [1:0]     flop_thread_i,
  input  wire logic [1:0]     flop_select_i,
  input  wire logic           flop_channel_i,
  input  wire logic [1:0]     flop_counter_i,
  input  wire logic           flop_checkpoint_i,
  input  wire logic [17:0]    flop_value_i,
  // counters and their checkpoints: {W, Z, Y, X}, each field with a bit to spare (channel_t)
  output wire logic [60:0]    live_o [18],
  output wire logic [60:0]    cr_o [18],
  // faults
  output wire logic           fault_illegal_o [3],
  output wire logic           fault_x_override_o [3],
  output wire logic           fault_empty_o [3],
  output wire logic           fault_unpack_thread_o,
  output wire logic           fault_flop_thread_o,
  output wire logic           fault_flop_select_o,
  output wire logic [8:0]     conflict_o
);

  // the cycle's commands in their order, and the groups that they go to
  wire logic [GroupCount-1:0] groups [WriterCount];
  wire logic [GroupCount-1:0] any_groups;
  wire command_t command [WriterCount];
  // ... in parts: Icarus takes long to read a wide vector
  wire logic [7:0] touch [WriterCount];
  wire change_t change0 [WriterCount], change1 [WriterCount];

  adc_unpack u_unpack (
    .valid_i(unpack_valid_i), .unpacker_i(unpack_unpacker_i), .thread_i(unpack_thread_i),
    .adc_i(unpack_adc_i), .y0_i(unpack_y0_i), .z0_i(unpack_z0_i), .y1_i(unpack_y1_i),
    .z1_i(unpack_z1_i),
    .groups_o(groups[0]), .command_o(command[0]), .fault_thread_o(fault_unpack_thread_o)
  );

  adc_pack u_pack (
    .valid_i(pack_valid_i), .sets_i(pack_sets_i), .addr_mod_i(pack_addr_mod_i),
    .groups_o(groups[1]), .command_o(command[1])
  );

  adc_flop u_flop (
    .valid_i(flop_valid_i), .thread_i(flop_thread_i), .select_i(flop_select_i),
    .channel_i(flop_channel_i), .counter_i(flop_counter_i), .value_i(flop_value_i),
    .groups_o(groups[2]), .command_o(command[2]),
    .fault_thread_o(fault_flop_thread_o), .fault_select_o(fault_flop_select_o)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    adc_decode #(.Thread(t)) u_decode (
      .valid_i(issue_valid_i[t]), .word_i(issue_word_i[t]),
      .groups_o(groups[3+t]), .command_o(command[3+t]),
      .fault_illegal_o(fault_illegal_o[t]),
      .fault_x_override_o(fault_x_override_o[t]),
      .fault_empty_o(fault_empty_o[t])
    );
  end

  for (genvar w = 0; w < WriterCount; w++) begin : gen_writer
    wire command_t parts;

    assign parts = command[w];
    assign touch[w] = parts.touch;
    assign change0[w] = parts.change0;
    assign change1[w] = parts.change1;
  end

  adc_conflict u_conflict (.groups_i(groups), .touch_i(touch), .conflict_o);

  assign any_groups = groups[0] | groups[1] | groups[2] | groups[3] | groups[4] | groups[5];

  for (genvar g = 0; g < GroupCount; g++) begin : gen_group
    adc_group #(.Group(g), .ZwW(ZwW)) u_group (
      .clk_i, .rst_ni, .any_groups_i(any_groups), .groups_i(groups),
      .change0_i(change0), .change1_i(change1), .flop_checkpoint_i,
      .live0_o(live_o[2*g]), .live1_o(live_o[2*g+1]), .cr0_o(cr_o[2*g]), .cr1_o(cr_o[2*g+1])
    );
  end

endmodule

`default_nettype wire
