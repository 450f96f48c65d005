// SPDX-License-Identifier: Apache-2.0
//
// What an unpacker does to the counters when it is done with an instruction (A11), as a command.
//
// Latency: combinational. Handshake: none. The increments are added in two sets, or once in the one
// set that is both. groups_o: the groups that the command goes to, 0 when there is none. The fault
// is up in the cycle of the command, which then does nothing.
`default_nettype none

module adc_unpack
  import adc_pkg::*;
(
  input  wire logic                      valid_i,
  input  wire logic                      unpacker_i,
  input  wire logic [1:0]                thread_i,
  input  wire logic [1:0]                adc_i,
  input  wire logic [1:0]                y0_i,
  input  wire logic [1:0]                z0_i,
  input  wire logic [1:0]                y1_i,
  input  wire logic [1:0]                z1_i,
  output wire logic [GroupCount-1:0]   groups_o,
  output wire command_t             command_o,
  output wire logic                    fault_thread_o
);

  function automatic command_t command_of(input logic [1:0] y0, input logic [1:0] z0,
                                          input logic [1:0] y1, input logic [1:0] z1);
    command_of = '0;
    command_of.touch = {1'b0, z1 != 2'd0, y1 != 2'd0, 1'b0, 1'b0, z0 != 2'd0, y0 != 2'd0, 1'b0};
    command_of.change0.value.y = (YWidth + 1)'(y0);
    command_of.change0.value.z = (YWidth + 1)'(z0);
    command_of.change1.value.y = (YWidth + 1)'(y1);
    command_of.change1.value.z = (YWidth + 1)'(z1);
  endfunction

  assign fault_thread_o = valid_i && (thread_i == 2'd3 || adc_i == 2'd3);
  assign groups_o = valid_i && !fault_thread_o
    ? groups_of(one_of_3(thread_i) | one_of_3(adc_i), {1'b0, unpacker_i, !unpacker_i}) : '0;
  assign command_o = command_of(y0_i, z0_i, y1_i, z1_i);

endmodule

`default_nettype wire
