// SPDX-License-Identifier: Apache-2.0
//
// Row counters of a thread.
`timescale 1ns / 1ps
`default_nettype none

package standin_counters_pkg;

  typedef struct packed {
    logic       bias;
    logic [1:0] phase;
    logic [9:0] d_cr;
    logic [9:0] d;
    logic [5:0] b_cr;
    logic [5:0] b;
    logic [5:0] a_cr;
    logic [5:0] a;
  } rwc_t;

endpackage

`default_nettype wire
