// SPDX-License-Identifier: Apache-2.0
//
// What an unpacker does to the counters when it is done with an instruction (A11), as a command.
//
// Latency: combinational. Handshake: none. The increments are added in two sets, or once in the one
// set that is both. groups_o: the groups that the command goes to, 0 when there is none; touch_o
// and values as in adc_group. The fault is up in the cycle of the command.
`default_nettype none

module adc_unpack
  import adc_pkg::*;
(
  input wire logic                valid_i,
  input wire logic                unpacker_i,
  input wire logic [1:0]          thread_i,
  input wire logic [1:0]          adc_i,
  input wire logic [1:0]          y0_i,
  input wire logic [1:0]          z0_i,
  input wire logic [1:0]          y1_i,
  input wire logic [1:0]          z1_i,
  output wire logic [GroupCount-1:0]   groups_o,
  output wire logic [7:0]              touch_o,
  output wire logic [ChannelWidth-1:0] value0_o,
  output wire logic [ChannelWidth-1:0] value1_o,
  output wire logic                    fault_thread_o
);

  assign fault_thread_o = valid_i && (thread_i == 2'd3 || adc_i == 2'd3);
  assign groups_o = valid_i && !fault_thread_o
    ? groups_of(one_of_3(thread_i) | one_of_3(adc_i), {1'b0, unpacker_i, !unpacker_i}) : '0;
  assign touch_o = {1'b0, |z1_i, |y1_i, 1'b0, 1'b0, |z0_i, |y0_i, 1'b0};
  assign value0_o = {(YWidth+1)'(0), (YWidth+1)'(z0_i), (YWidth+1)'(y0_i), (XWidth+1)'(0)};
  assign value1_o = {(YWidth+1)'(0), (YWidth+1)'(z1_i), (YWidth+1)'(y1_i), (XWidth+1)'(0)};

endmodule

`default_nettype wire
