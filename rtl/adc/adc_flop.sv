// SPDX-License-Identifier: Apache-2.0
//
// REG2FLOP to one live value or one checkpoint (C14), as a command.
//
// Latency: combinational. Handshake: none. groups_o: the group that the command goes to, 0 when
// there is none; write0_o and write1_o are the bits that take the value, in the live values or, with
// checkpoint_o, in the checkpoints. Faults are up in the cycle of the command.
`default_nettype none

module adc_flop
  import adc_pkg::*;
(
  input wire logic                valid_i,
  input wire logic [1:0]          thread_i,
  input wire logic [1:0]          select_i,
  input wire logic                channel_i,
  input wire logic [1:0]          counter_i,
  input wire logic [XWidth-1:0]   value_i,
  output wire logic [GroupCount-1:0]   groups_o,
  output wire logic [7:0]              touch_o,
  output wire logic [ChannelWidth-1:0] value_o,
  output wire logic [ChannelWidth-1:0] write0_o,
  output wire logic [ChannelWidth-1:0] write1_o,
  output wire logic                    fault_thread_o,
  output wire logic                    fault_select_o
);

  assign fault_thread_o = valid_i && thread_i == 2'd3;
  assign fault_select_o = valid_i && select_i == 2'd3;
  assign groups_o = valid_i ? groups_of(one_of_3(thread_i), one_of_3(select_i)) : '0;
  assign touch_o = 8'd1 << {channel_i, counter_i};
  assign value_o = {1'b0, value_i[YWidth-1:0], 1'b0, value_i[YWidth-1:0], 1'b0, value_i[YWidth-1:0],
                    1'b0, value_i};
  assign write0_o = bits_of(touch_o[3:0]);
  assign write1_o = bits_of(touch_o[7:4]);

endmodule

`default_nettype wire
