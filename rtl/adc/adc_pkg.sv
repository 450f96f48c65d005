// SPDX-License-Identifier: Apache-2.0
//
// What the modules of the address counters share: how a command tells what it does to which counter.
// The logic is in functions and assignments: Icarus runs every always_comb of a design whenever one
// of them runs.
`default_nettype none

package adc_pkg;

  // A group is the counters of one target in one set; masks of groups have it at 3 * set + target.
  localparam int GroupCount = 9;
  // Who writes, in the order in which commands apply: unpacker, packers, REG2FLOP, threads 0 to 2 (A13).
  localparam int WriterCount = 6;

  localparam int XWidth = 18;
  localparam int YWidth = 13;  // Z and W have at most as many bits

  // One channel of a group: live values, checkpoints, or what is done to their bits. Each counter has
  // a bit to spare, which takes the carry of a sum and is then cleared: so each wraps by itself.
  typedef struct packed {
    logic [YWidth:0] w;
    logic [YWidth:0] z;
    logic [YWidth:0] y;
    logic [XWidth:0] x;
  } channel_t;

  localparam int ChannelWidth = $bits(channel_t);

  // What a command does in each of its groups. `value` is added to the live values, or in the bits of
  // `reload` to the checkpoints; in the bits of `write`, all of `reload` among them, only what
  // is named so far counts, and the checkpoints become the same.
  typedef struct packed {
    logic [7:0] touch;  // counters in use: {W1, Z1, Y1, X1, W0, Z0, Y0, X0}
    channel_t   value0;
    channel_t   value1;
    channel_t   write0;
    channel_t   write1;
    channel_t   reload0;
    channel_t   reload1;
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

  // All bits of the counters of a channel that are touched: {W, Z, Y, X}.
  function automatic logic [ChannelWidth-1:0] bits_of(input logic [3:0] touch);
    bits_of = {{(YWidth + 1) {touch[3]}}, {(YWidth + 1) {touch[2]}}, {(YWidth + 1) {touch[1]}},
               {(XWidth + 1) {touch[0]}}};
  endfunction

endpackage

`default_nettype wire
