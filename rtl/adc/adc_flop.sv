// SPDX-License-Identifier: Apache-2.0
//
// REG2FLOP to one live value or one checkpoint (C14), as a command.
//
// Latency: combinational. Handshake: none. groups_o: the group that the command goes to, 0 when
// there is none. In command_o, `write` is what takes `value`: live value or checkpoint, not both.
// Faults are up in the cycle of the command.
`default_nettype none

module adc_flop
  import adc_pkg::*;
(
  input  wire logic                    valid_i,
  input  wire logic [1:0]              thread_i,
  input  wire logic [1:0]              select_i,
  input  wire logic                    channel_i,
  input  wire logic [1:0]              counter_i,
  input  wire logic [XWidth-1:0]       value_i,
  output wire logic [GroupCount-1:0]   groups_o,
  output wire command_t             command_o,
  output wire logic                    fault_thread_o,
  output wire logic                    fault_select_o
);

  function automatic command_t command_of(input logic channel, input logic [1:0] counter,
                                          input logic [XWidth-1:0] value);
    channel_t bits;

    bits = '0;
    case (counter)
      2'd0: bits.x = '1;
      2'd1: bits.y = '1;
      2'd2: bits.z = '1;
      default: bits.w = '1;
    endcase
    command_of = '0;
    command_of.touch = 8'd1 << {channel, counter};
    command_of.change0.value = {{3{1'b0, value[YWidth-1:0]}}, 1'b0, value};
    command_of.change1.value = {{3{1'b0, value[YWidth-1:0]}}, 1'b0, value};
    if (channel) command_of.change1.write = bits;
    else command_of.change0.write = bits;
  endfunction

  assign fault_thread_o = valid_i && thread_i == 2'd3;
  assign fault_select_o = valid_i && select_i == 2'd3;
  assign groups_o = valid_i ? groups_of(one_of_3(thread_i), one_of_3(select_i)) : '0;
  assign command_o = command_of(channel_i, counter_i, value_i);

endmodule

`default_nettype wire
