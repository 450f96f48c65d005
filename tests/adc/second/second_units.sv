// SPDX-License-Identifier: Apache-2.0
//
// What unpackers, packers and REG2FLOP ask for, as orders.
//
// Latency: combinational. Handshake: none. Without a command, or with one that is at fault, the
// order is for no set.
`default_nettype none

module second_units
  import effect_pkg::*;
(
  input  wire logic        unpack_valid_i,
  input  wire logic        unpack_unpacker_i,
  input  wire logic [1:0]  unpack_thread_i,
  input  wire logic [1:0]  unpack_adc_i,
  input  wire logic [1:0]  unpack_y0_i,
  input  wire logic [1:0]  unpack_z0_i,
  input  wire logic [1:0]  unpack_y1_i,
  input  wire logic [1:0]  unpack_z1_i,
  input  wire logic        pack_valid_i,
  input  wire logic [2:0]  pack_sets_i,
  input  wire logic [15:0] pack_addr_mod_i,
  input  wire logic        flop_valid_i,
  input  wire logic [1:0]  flop_thread_i,
  input  wire logic [1:0]  flop_select_i,
  input  wire logic        flop_channel_i,
  input  wire logic [1:0]  flop_counter_i,
  input  wire logic        flop_checkpoint_i,
  input  wire logic [17:0] flop_value_i,
  output wire logic [2:0]  sets_o [3],
  output wire logic [2:0]  targets_o [3],
  output wire logic [23:0]  kind_o [3],
  output wire logic [143:0] value_o [3],
  output wire logic        fault_unpack_thread_o,
  output wire logic        fault_flop_thread_o,
  output wire logic        fault_flop_select_o
);

  function automatic logic [2:0] added(input logic [3:0] value);
    added = value != 4'd0 ? ADD : NONE;
  endfunction

  // ---- unpackers
  wire logic no_unpack = unpack_thread_i == 2'd3 || unpack_adc_i == 2'd3;

  assign kind_o[0] = {
    NONE, added(4'(unpack_z1_i)), added(4'(unpack_y1_i)), NONE,
    NONE, added(4'(unpack_z0_i)), added(4'(unpack_y0_i)), NONE
  };
  assign value_o[0] = {
    18'd0, 18'(unpack_z1_i), 18'(unpack_y1_i), 18'd0,
    18'd0, 18'(unpack_z0_i), 18'(unpack_y0_i), 18'd0
  };
  assign sets_o[0] = unpack_valid_i && !no_unpack
    ? (3'b001 << unpack_thread_i) | (3'b001 << unpack_adc_i) : 3'b000;
  assign targets_o[0] = unpack_unpacker_i ? 3'b010 : 3'b001;
  assign fault_unpack_thread_o = unpack_valid_i && no_unpack;

  // ---- packers: Y of the source, then of the destination; Z of both, which adds one at most
  wire logic [15:0] a = pack_addr_mod_i;

  function automatic logic [2:0] y_kind(input logic [5:0] bits);
`ifdef SECOND_WRONG
    // the bug: a checkpoint is taken for more than a clear
    y_kind = bits[4] ? STEP : bits[5] ? SET : added(bits[3:0]);
`else
    y_kind = bits[5] ? SET : bits[4] ? STEP : added(bits[3:0]);
`endif
  endfunction

  function automatic logic [17:0] y_value(input logic clear, input logic [3:0] incr);
    y_value = clear ? 18'd0 : 18'(incr);
  endfunction

  function automatic logic [2:0] z_kind(input logic [1:0] bits);
    z_kind = bits[1] ? SET : added(4'(bits[0]));
  endfunction

  assign kind_o[1] = {
    NONE, z_kind(a[15:14]), y_kind(a[11:6]), NONE, NONE, z_kind(a[13:12]), y_kind(a[5:0]), NONE
  };
  assign value_o[1] = {
    18'd0, 18'(a[15:14] == 2'b01), y_value(a[11], a[9:6]), 18'd0,
    18'd0, 18'(a[13:12] == 2'b01), y_value(a[5], a[3:0]), 18'd0
  };
  assign sets_o[1] = pack_valid_i ? pack_sets_i : 3'b000;
  assign targets_o[1] = 3'b100;

  // ---- REG2FLOP
  for (genvar n = 0; n < 8; n++) begin : gen_counter
    assign kind_o[2][3*n+:3] = {flop_channel_i, flop_counter_i} != 3'(n) ? NONE
      : flop_checkpoint_i ? MARK : LIVE;
  end

  assign value_o[2] = {8{flop_value_i}};
  assign fault_flop_thread_o = flop_valid_i && flop_thread_i == 2'd3;
  assign fault_flop_select_o = flop_valid_i && flop_select_i == 2'd3;
  assign sets_o[2] = flop_valid_i ? 3'b001 << flop_thread_i : 3'b000;  // of 3: none
  assign targets_o[2] = 3'b001 << flop_select_i;

endmodule

`default_nettype wire
