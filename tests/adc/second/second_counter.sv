// SPDX-License-Identifier: Apache-2.0
//
// One counter and its checkpoint.
//
// Latency: orders of cycle t show in t+1. Handshake: none. Reset: 0. The effects of six orders are
// joined two by two before the counter is looked at; kind_i has three bits of each, value_i 18,
// first in order in the lowest ones. clash_o: two or more of them are for this counter.
`default_nettype none

module second_counter
  import effect_pkg::*;
#(
  parameter int Width = 18
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic [17:0]      kind_i,
  input  wire logic [107:0]     value_i,
  output wire logic [Width-1:0] live_o,
  output wire logic [Width-1:0] mark_o,
  output wire logic             clash_o
);

  localparam logic [17:0] Bits = 18'((1 << Width) - 1);

  wire effect_t one [6];
  wire effect_t two [3];
  wire effect_t four, all;
  wire logic [5:0] for_this;
  logic [17:0] live_q, mark_q;

  for (genvar n = 0; n < 6; n++) begin : gen_one
    assign one[n] = effect_of(kind_i[3*n+:3], value_i[18*n+:18]);
    assign for_this[n] = kind_i[3*n+:3] != NONE;
  end
  for (genvar n = 0; n < 3; n++) begin : gen_two
    assign two[n] = joined(one[2*n], one[2*n+1]);
  end

  assign four = joined(two[0], two[1]);
  assign all = joined(four, two[2]);
  assign clash_o = (for_this & (for_this - 6'd1)) != 6'd0;
  assign live_o = live_q[Width-1:0];
  assign mark_o = mark_q[Width-1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q <= 18'd0;
      mark_q <= 18'd0;
    end else if (for_this != 6'd0) begin
      live_q <= Bits & (all.live + (all.from_live ? live_q : all.from_mark ? mark_q : 18'd0));
      mark_q <= Bits & (all.mark + (all.keeps_mark ? mark_q : 18'd0));
    end
  end

endmodule

`default_nettype wire
