// SPDX-License-Identifier: Apache-2.0
//
// Address pipeline, cycle 1: counters times strides (P10, P33), and the number of datums (P14).
//
// Latency: a plan that departs in q is multiplied in q+1; products_o and plan_o are up in q+2.
// Handshake: none. Reset: nothing in it.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_address_products
  import pack_plan_pkg::*;
  import pack_address_pkg::*;
(
  input  wire logic      clk_i,
  input  wire logic      rst_ni,
  input  wire logic      valid_i,
  input  wire plan_t     plan_i,
  output wire logic      valid_o,
  output wire plan_t     plan_o,
  output wire products_t products_o
);

  logic valid1_q, valid2_q;
  plan_t plan1_q, plan2_q;
  products_t products_q;

  assign valid_o = valid2_q;
  assign plan_o = plan2_q;
  assign products_o = products_q;

  function automatic products_t products_of(
      input counters_t counters0, input counters_t counters1, input strides_t strides0,
      input strides_t strides1);
    products_of.x0 = 22'(counters0.x) * 22'(strides0.x[3:0]);
    products_of.y0 = 29'(counters0.y) * 29'(strides0.y);
    products_of.z0 = 29'(counters0.z) * 29'(strides0.z);
    products_of.w0 = 29'(counters0.w) * 29'(strides0.w);
    products_of.y1 = 29'(counters1.y) * 29'(strides1.y);
    products_of.z1 = 29'(counters1.z) * 29'(strides1.z);
    products_of.w1 = 29'(counters1.w) * 29'(strides1.w);
    products_of.datums = 20'(counters1.x) - 20'(counters0.x) + 20'd1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else begin
      valid1_q <= valid_i;
      valid2_q <= valid1_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) plan1_q <= plan_i;
    if (valid1_q) begin
      plan2_q <= plan1_q;
      products_q <= products_of(plan1_q.counters0, plan1_q.counters1, plan1_q.strides0,
                                plan1_q.strides1);
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
