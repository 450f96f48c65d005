// SPDX-License-Identifier: Apache-2.0
//
// What the modules of the address counters share: the form that every command takes.
//
// Combinational logic of this block is in functions and assignments. Icarus runs every always_comb
// of a design as soon as one of them runs.
`default_nettype none

package adc_pkg;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */

  // A group is the counters of one target in one set; masks of groups have it at 3 * set + target.
  localparam int GroupCount = 9;
  // Unpacker, packers, REG2FLOP, threads 0 to 2: the order in which commands apply (A13).
  localparam int WriterCount = 6;

  localparam int XWidth = 18;
  localparam int YWidth = 13;  // Z and W have at most as many bits

  // One channel of a group: live values, or checkpoints, or what is done to them. Each counter has
  // a bit to spare, which takes the carry of a sum and is then cleared: so each wraps by itself.
  typedef struct packed {
    logic [YWidth:0] w;
    logic [YWidth:0] z;
    logic [YWidth:0] y;
    logic [XWidth:0] x;
  } channel_t;

  localparam int ChannelWidth = $bits(channel_t);

  // What is done to a channel: `value` is added to the live value; where `write` is set, not to
  // that but to 0, or with `reload` to the checkpoint, and the checkpoint becomes the sum as well.
  // `write` and `reload` are the same for all bits of a counter. REG2FLOP differs: see adc_group.
  typedef struct packed {
    channel_t value;
    channel_t write;
    channel_t reload;
  } change_t;

  // What a command does to both channels of each of its groups.
  typedef struct packed {
    logic [7:0] touch;  // the counters: {W1, Z1, Y1, X1, W0, Z0, Y0, X0}
    change_t    change0;
    change_t    change1;
  } command_t;

  // Set s of `sets` and target k of `targets`, any of them.
  function automatic logic [GroupCount-1:0] groups_of(input logic [2:0] sets,
                                                      input logic [2:0] targets);
    groups_of = {targets & {3{sets[2]}}, targets & {3{sets[1]}}, targets & {3{sets[0]}}};
  endfunction

  // A number of a set or target as one bit of three; 3 is none of them.
  function automatic logic [2:0] one_of_3(input logic [1:0] number);
    one_of_3 = {number == 2'd2, number == 2'd1, number == 2'd0};
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage

`default_nettype wire
