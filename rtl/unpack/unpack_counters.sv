// SPDX-License-Identifier: Apache-2.0
//
// The address counters that an UNPACR reads (section 5.2 of docs/unpack.md): X, Y, X1 of the set
// WhichADC, the others of the thread's set.
//
// Latency: combinational. Handshake: none. live_i: as live_o of rtl/adc/adc.sv. Set 3 reads as 2.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of each channel, some counters

module unpack_counters
  import adc_pkg::channel_t;
  import unpack_front_pkg::counters_t;
#(
  parameter int ZwW = 8  // bits of a Z or W counter, at most 13
) (
  input  wire logic        unpacker_i,
  input  wire logic [1:0]  thread_i,
  input  wire logic [1:0]  adc_i,
  input  wire logic [60:0] live_i [18],
  output wire counters_t   counters_o
);

  function automatic channel_t channel_of(
      input logic [1:0] set, input channel_t set0, input channel_t set1, input channel_t set2);
    channel_of = set[1] ? set2 : set[0] ? set1 : set0;
  endfunction

  function automatic counters_t counters_of(
      input channel_t xy0, input channel_t x1, input channel_t zw0, input channel_t yzw1);
    counters_of.x0 = xy0.x[17:0];
    counters_of.y0 = xy0.y[12:0];
    counters_of.x1 = x1.x[17:0];
    counters_of.z0 = zw0.z[7:0];
    counters_of.w0 = zw0.w[7:0];
    counters_of.y1 = yzw1.y[12:0];
    counters_of.z1 = 13'(yzw1.z[ZwW-1:0]);
    counters_of.w1 = 13'(yzw1.w[ZwW-1:0]);
  endfunction

  // element 6 * set + 2 * unpacker + channel: of the unpacker, {set, channel}
  wire channel_t own [6];
  wire channel_t xy0, x1, zw0, yzw1;

  for (genvar k = 0; k < 6; k++) begin : gen_channel
    assign own[k] = unpacker_i ? live_i[6*(k/2)+2+k%2] : live_i[6*(k/2)+k%2];
  end

  assign xy0 = channel_of(adc_i, own[0], own[2], own[4]);
  assign x1 = channel_of(adc_i, own[1], own[3], own[5]);
  assign zw0 = channel_of(thread_i, own[0], own[2], own[4]);
  assign yzw1 = channel_of(thread_i, own[1], own[3], own[5]);
  assign counters_o = counters_of(xy0, x1, zw0, yzw1);

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
