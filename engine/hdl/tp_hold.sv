// SPDX-License-Identifier: Apache-2.0
//
// Holds an item back until nothing that it names in idle_i is busy, and as many items of its two
// sources were done as it waits for (engine/description/waiting.py). Combinational: offered_o from
// the first cycle in which that is so, up to done_i. Counts and busy_i are as registered.
`timescale 1ns / 1ps
`default_nettype none

module tp_hold #(
  parameter int BusyW  = 6,
  parameter int Counts = 11
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic             valid_i,
  input  wire logic [BusyW-1:0] idle_i,
  input  wire logic [3:0]       source_i,
  input  wire logic [27:0]      after_i,
  input  wire logic [3:0]       and_source_i,
  input  wire logic [27:0]      and_i,
  input  wire logic             done_i,
  input  wire logic [BusyW-1:0] busy_i,
  input  wire logic [27:0]      count_i [Counts],  // items done, by source; source 0 is always met
  output wire logic             offered_o
);

  logic begun_q;  // offered in the cycle before, and not done
  wire logic idle = (busy_i & idle_i) == '0;
  wire logic met = source_i == 4'd0 || count_i[source_i] >= after_i;
  wire logic and_met = and_source_i == 4'd0 || count_i[and_source_i] >= and_i;

  assign offered_o = valid_i && rst_ni && (begun_q || (idle && met && and_met));

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begun_q <= 1'b0;
    else if (valid_i || begun_q) begun_q <= offered_o && !done_i;
  end

endmodule

`default_nettype wire
