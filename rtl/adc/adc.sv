// SPDX-License-Identifier: Apache-2.0
//
// Address counters: three sets (one a thread) of counters for unpacker 0, unpacker 1 and packers.
//
// Latency: a command in cycle t shows at the counters in t+1; faults and conflicts are up in t.
// Handshake: none, no command is ever refused. Reset: all counters and checkpoints 0.
// Element 6 * set + 2 * target + channel of a counter port is that counter of that set; bit
// 3 * set + target of conflict_o is a conflict there. docs/adc.md is the cycle contract.
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
  // counters and their checkpoints: {W, Z, Y, X}
  output wire logic [60:0] live_o [18],
  output wire logic [60:0] cr_o [18],
  // faults
  output wire logic           fault_illegal_o [3],
  output wire logic           fault_x_override_o [3],
  output wire logic           fault_empty_o [3],
  output wire logic           fault_unpack_thread_o,
  output wire logic           fault_flop_thread_o,
  output wire logic           fault_flop_select_o,
  output wire logic [8:0]     conflict_o
);

  // the cycle's commands in their order: groups that they go to, what they touch there
  wire logic [GroupCount-1:0] groups [WriterCount];
  wire logic [7:0] touch [WriterCount];
  wire logic [GroupCount-1:0] any_groups;
  wire logic [ChannelWidth-1:0] unpack_value0, unpack_value1, flop_value, flop_write0, flop_write1;
  wire logic [ChannelWidth-1:0] pack_value0, pack_value1, pack_write0, pack_write1;
  wire logic [ChannelWidth-1:0] pack_reload0, pack_reload1;
  wire logic [ChannelWidth-1:0] thread_value0 [3], thread_value1 [3];
  wire logic [ChannelWidth-1:0] thread_write0 [3], thread_write1 [3];
  wire logic [ChannelWidth-1:0] thread_reload0 [3], thread_reload1 [3];

  adc_unpack u_unpack (
    .valid_i(unpack_valid_i), .unpacker_i(unpack_unpacker_i), .thread_i(unpack_thread_i),
    .adc_i(unpack_adc_i), .y0_i(unpack_y0_i), .z0_i(unpack_z0_i), .y1_i(unpack_y1_i),
    .z1_i(unpack_z1_i),
    .groups_o(groups[0]), .touch_o(touch[0]),
    .value0_o(unpack_value0), .value1_o(unpack_value1), .fault_thread_o(fault_unpack_thread_o)
  );

  adc_pack u_pack (
    .valid_i(pack_valid_i), .sets_i(pack_sets_i), .addr_mod_i(pack_addr_mod_i),
    .groups_o(groups[1]), .touch_o(touch[1]),
    .value0_o(pack_value0), .value1_o(pack_value1), .write0_o(pack_write0),
    .write1_o(pack_write1), .reload0_o(pack_reload0), .reload1_o(pack_reload1)
  );

  adc_flop u_flop (
    .valid_i(flop_valid_i), .thread_i(flop_thread_i), .select_i(flop_select_i),
    .channel_i(flop_channel_i), .counter_i(flop_counter_i), .value_i(flop_value_i),
    .groups_o(groups[2]), .touch_o(touch[2]), .value_o(flop_value),
    .write0_o(flop_write0), .write1_o(flop_write1),
    .fault_thread_o(fault_flop_thread_o), .fault_select_o(fault_flop_select_o)
  );

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    adc_decode #(.Thread(t)) u_decode (
      .valid_i(issue_valid_i[t]), .word_i(issue_word_i[t]),
      .groups_o(groups[3+t]), .touch_o(touch[3+t]),
      .value0_o(thread_value0[t]), .value1_o(thread_value1[t]),
      .write0_o(thread_write0[t]), .write1_o(thread_write1[t]),
      .reload0_o(thread_reload0[t]), .reload1_o(thread_reload1[t]),
      .fault_illegal_o(fault_illegal_o[t]),
      .fault_x_override_o(fault_x_override_o[t]),
      .fault_empty_o(fault_empty_o[t])
    );
  end

  adc_conflict u_conflict (.groups_i(groups), .touch_i(touch), .conflict_o);

  assign any_groups = groups[0] | groups[1] | groups[2] | groups[3] | groups[4] | groups[5];

  for (genvar g = 0; g < GroupCount; g++) begin : gen_group
    wire logic [ChannelWidth-1:0] unit_value0, unit_value1, unit_write0, unit_write1;
    wire logic [ChannelWidth-1:0] unit_reload0, unit_reload1;

    if (g % 3 == 2) begin : gen_packers
      assign unit_value0 = pack_value0;
      assign unit_value1 = pack_value1;
      assign unit_write0 = pack_write0;
      assign unit_write1 = pack_write1;
      assign unit_reload0 = pack_reload0;
      assign unit_reload1 = pack_reload1;
    end else begin : gen_unpacker
      assign unit_value0 = unpack_value0;
      assign unit_value1 = unpack_value1;
      assign unit_write0 = '0;
      assign unit_write1 = '0;
      assign unit_reload0 = '0;
      assign unit_reload1 = '0;
    end

    adc_group #(.Group(g), .ZwW(ZwW)) u_group (
      .clk_i, .rst_ni, .any_groups_i(any_groups),
      .unit_value0_i(unit_value0), .unit_value1_i(unit_value1),
      .unit_write0_i(unit_write0), .unit_write1_i(unit_write1),
      .unit_reload0_i(unit_reload0), .unit_reload1_i(unit_reload1),
      .flop_checkpoint_i, .flop_value_i(flop_value),
      .flop_write0_i(flop_write0), .flop_write1_i(flop_write1),
      .groups_i(groups),
      .thread_value0_i(thread_value0), .thread_value1_i(thread_value1),
      .thread_write0_i(thread_write0), .thread_write1_i(thread_write1),
      .thread_reload0_i(thread_reload0), .thread_reload1_i(thread_reload1),
      .live0_o(live_o[2*g]), .live1_o(live_o[2*g+1]),
      .cr0_o(cr_o[2*g]), .cr1_o(cr_o[2*g+1])
    );
  end

endmodule

`default_nettype wire
