// SPDX-License-Identifier: Apache-2.0
//
// What the packers do to the counters of any of the sets (P18), as a command.
//
// Latency: combinational. Handshake: none. groups_o: the groups that the command goes to, 0 when
// there is none.
`default_nettype none

module adc_pack
  import tilepath_isa_pkg::*;
  import adc_pkg::*;
(
  input  wire logic                    valid_i,
  input  wire logic [2:0]              sets_i,
  input  wire logic [15:0]             addr_mod_i,  // an ADDR_MOD_PACK word
  output wire logic [GroupCount-1:0]   groups_o,
  output wire command_t             command_o
);

  function automatic command_t command_of(input logic [15:0] m);
    logic [3:0] y0, y1;
    logic y0_cr, y1_cr, y0_clear, y1_clear, z0, z1, z0_clear, z1_clear;

    // every section of ADDR_MOD_PACK has its fields in the same places
    y0 = m[THD_ADDR_MOD_PACK_SEC0_YSRCINCR_MSB:THD_ADDR_MOD_PACK_SEC0_YSRCINCR_LSB];
    y1 = m[THD_ADDR_MOD_PACK_SEC0_YDSTINCR_MSB:THD_ADDR_MOD_PACK_SEC0_YDSTINCR_LSB];
    y0_cr = m[THD_ADDR_MOD_PACK_SEC0_YSRCCR_LSB];
    y1_cr = m[THD_ADDR_MOD_PACK_SEC0_YDSTCR_LSB];
    y0_clear = m[THD_ADDR_MOD_PACK_SEC0_YSRCCLEAR_LSB];
    y1_clear = m[THD_ADDR_MOD_PACK_SEC0_YDSTCLEAR_LSB];
    z0 = m[THD_ADDR_MOD_PACK_SEC0_ZSRCINCR_LSB];
    z1 = m[THD_ADDR_MOD_PACK_SEC0_ZDSTINCR_LSB];
    z0_clear = m[THD_ADDR_MOD_PACK_SEC0_ZSRCCLEAR_LSB];
    z1_clear = m[THD_ADDR_MOD_PACK_SEC0_ZDSTCLEAR_LSB];

    command_of = '0;
    command_of.touch = {1'b0, z1 || z1_clear, y1 != 4'd0 || y1_cr || y1_clear, 1'b0,
                        1'b0, z0 || z0_clear, y0 != 4'd0 || y0_cr || y0_clear, 1'b0};
    command_of.change0.write.y = {(YWidth + 1) {y0_clear || y0_cr}};
    command_of.change1.write.y = {(YWidth + 1) {y1_clear || y1_cr}};
    command_of.change0.write.z = {(YWidth + 1) {z0_clear}};
    command_of.change1.write.z = {(YWidth + 1) {z1_clear}};
    // Clear wins over everything; it is to write 0
    if (!y0_clear) begin
      command_of.change0.value.y = (YWidth + 1)'(y0);
      command_of.change0.reload.y = {(YWidth + 1) {y0_cr}};
    end
    if (!y1_clear) begin
      command_of.change1.value.y = (YWidth + 1)'(y1);
      command_of.change1.reload.y = {(YWidth + 1) {y1_cr}};
    end
    if (!z0_clear) command_of.change0.value.z = (YWidth + 1)'(z0);
    if (!z1_clear) command_of.change1.value.z = (YWidth + 1)'(z1);
  endfunction

  assign groups_o = valid_i ? {sets_i[2], 2'b00, sets_i[1], 2'b00, sets_i[0], 2'b00} : '0;
  assign command_o = command_of(addr_mod_i);

endmodule

`default_nettype wire
