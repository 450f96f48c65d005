// SPDX-License-Identifier: Apache-2.0
//
// OverlayClear and SETREG: their events, and SETREG's accumulator (docs/unpack.md section 7).
//
// Latency: the event is in the cycle of valid_i, the accumulator changes at its end. Handshake:
// none. Reset: the accumulator is 0.
`default_nettype none

module unpack_fetch_effect
  import unit_port_pkg::*;
  import unpack_pkg::*;
(
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        overlay_i,        // an OverlayClear goes
  input  wire logic        setreg_i,         // a SETREG goes
  input  wire effect_t     effect_i,
  input  wire logic [19:0] setreg_base_i [2],
  output wire overlay_t    overlay_o,
  output wire setreg_write_t setreg_o,
  output wire logic [16:0] acc_o
);

  localparam logic [31:0] SetregBase = 32'hffb00000;

  logic [16:0] acc_q;
  wire logic clear = effect_i.accumulate && effect_i.value == 11'd0;
  wire logic writes = setreg_i && !clear;
  wire logic [16:0] sum = acc_q + {6'd0, effect_i.value};
  wire logic [19:0] base = effect_i.base_select ? setreg_base_i[1] : setreg_base_i[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) acc_q <= '0;
    else if (setreg_i && effect_i.accumulate) acc_q <= clear ? '0 : sum;
  end

  assign overlay_o.valid = overlay_i;
  assign overlay_o.stream = overlay_i ? effect_i.stream : '0;
  assign overlay_o.count = overlay_i ? effect_i.value : '0;
  assign setreg_o.valid = writes;
  assign setreg_o.address = !writes ? '0 : SetregBase + {12'd0, base}
                            + {14'd0, effect_i.stream, 12'd0};
  assign setreg_o.data = !writes ? '0 : effect_i.accumulate ? {15'd0, sum}
                                                            : {21'd0, effect_i.value};
  assign acc_o = acc_q;

endmodule

`default_nettype wire
