// SPDX-License-Identifier: Apache-2.0
//
// Holds an item back until what it waits for has happened; tb/control/streams.py says what that
// can be. Combinational: offered_o from the first cycle in which it is so, up to done_i; first_o in
// the first of these cycles. Counters and semaphores are as registered.
`timescale 1ns / 1ps
`default_nettype none

module control_hold (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        valid_i,
  input wire logic [2:0]  source_i,
  input wire logic [15:0] after_i,      // how many of the source
  input wire logic [2:0]  semaphore_i,  // below or above limit_i
  input wire logic [3:0]  limit_i,
  input wire logic        done_i,
  input wire logic [15:0] count_i [6],  // by source: issued words, accesses done; 0: nothing
  input wire logic [31:0] sem_value_i,
  output wire logic       offered_o,
  output wire logic       first_o
);

  logic begun_q;  // offered in the cycle before, and not done
  wire logic [3:0] value = sem_value_i[4*semaphore_i+:4];
  wire logic [15:0] count = count_i[source_i];  // of sources 1 ... 5
  wire logic met = source_i == 3'd0 ? 1'b1
                 : source_i == 3'd6 ? value < limit_i
                 : source_i == 3'd7 ? value > limit_i : count >= after_i;

  assign offered_o = valid_i && (begun_q || met);
  assign first_o = valid_i && !begun_q && met;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begun_q <= 1'b0;
    else begun_q <= offered_o && !done_i;
  end

endmodule

`default_nettype wire
