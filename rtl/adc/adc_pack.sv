// SPDX-License-Identifier: Apache-2.0
//
// What the packers do to the counters of any of the sets (P18), as a command.
//
// Latency: combinational. Handshake: none. groups_o: the groups that the command goes to, 0 when
// there is none; for the rest of the command see adc_group. Clear is to write 0, and CR to reload.
`default_nettype none

module adc_pack
  import tilepath_isa_pkg::*;
  import adc_pkg::*;
(
  input wire logic                valid_i,
  input wire logic [2:0]          sets_i,
  input wire logic [15:0]         addr_mod_i,  // an ADDR_MOD_PACK word
  output wire logic [GroupCount-1:0]   groups_o,
  output wire logic [7:0]              touch_o,
  output wire logic [ChannelWidth-1:0] value0_o,
  output wire logic [ChannelWidth-1:0] value1_o,
  output wire logic [ChannelWidth-1:0] write0_o,
  output wire logic [ChannelWidth-1:0] write1_o,
  output wire logic [ChannelWidth-1:0] reload0_o,
  output wire logic [ChannelWidth-1:0] reload1_o
);

  // every section of ADDR_MOD_PACK has its fields in the same places
  logic [3:0] y0, y1;
  logic y0_cr, y1_cr, y0_clear, y1_clear, z0, z1, z0_clear, z1_clear;

  assign y0 = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_YSRCINCR_MSB:THD_ADDR_MOD_PACK_SEC0_YSRCINCR_LSB];
  assign y1 = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_YDSTINCR_MSB:THD_ADDR_MOD_PACK_SEC0_YDSTINCR_LSB];
  assign y0_cr = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_YSRCCR_LSB];
  assign y1_cr = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_YDSTCR_LSB];
  assign y0_clear = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_YSRCCLEAR_LSB];
  assign y1_clear = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_YDSTCLEAR_LSB];
  assign z0 = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_ZSRCINCR_LSB];
  assign z1 = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_ZDSTINCR_LSB];
  assign z0_clear = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_ZSRCCLEAR_LSB];
  assign z1_clear = addr_mod_i[THD_ADDR_MOD_PACK_SEC0_ZDSTCLEAR_LSB];

  assign groups_o = valid_i ? groups_of(sets_i, 3'b100) : '0;
  assign touch_o = {1'b0, z1 || z1_clear, |y1 || y1_cr || y1_clear, 1'b0,
                    1'b0, z0 || z0_clear, |y0 || y0_cr || y0_clear, 1'b0};
  // Clear wins over everything
  assign value0_o = {(YWidth+1)'(0), (YWidth+1)'(z0 && !z0_clear), y0_clear ? (YWidth+1)'(0) : (YWidth+1)'(y0), (XWidth+1)'(0)};
  assign value1_o = {(YWidth+1)'(0), (YWidth+1)'(z1 && !z1_clear), y1_clear ? (YWidth+1)'(0) : (YWidth+1)'(y1), (XWidth+1)'(0)};
  assign write0_o = bits_of({1'b0, z0_clear, y0_clear || y0_cr, 1'b0});
  assign write1_o = bits_of({1'b0, z1_clear, y1_clear || y1_cr, 1'b0});
  assign reload0_o = bits_of({2'b00, y0_cr && !y0_clear, 1'b0});
  assign reload1_o = bits_of({2'b00, y1_cr && !y1_clear, 1'b0});

endmodule

`default_nettype wire
