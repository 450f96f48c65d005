// SPDX-License-Identifier: Apache-2.0
//
// What concerns a pair as a whole: configurations that differ, clear, deadlock.
//
// Latency: clear_o and deadlock_o combinational; the sticky cfg_mismatch_o and clr_busy_o show in the
// cycle behind. Handshake: none. Reset and a clear that is granted: no errors.
`default_nettype none

module pipe_pair
  import flag_pipe_pkg::*;
(
  input  wire logic      clk_i,
  input  wire logic      rst_ni,
  input  wire logic      platform_i,
  input  wire endpoint_t cube_i,
  input  wire endpoint_t vector_i,
  input  wire logic      clr_i,
  input  wire logic      busy_i,     // a core is at work for the pair, or is offered a command for it
  input  wire logic      flying_i,   // a SET of the pair is on its way
  input  wire logic      blocked_i,  // both cores wait for flags of the pair that are 0
  output wire logic      clear_o,
  output wire logic      cfg_mismatch_o,
  output wire logic      clr_busy_o,
  output wire logic      deadlock_o
);

  logic cfg_mismatch_q, clr_busy_q;

  // the rings: on a5 those of a direction that either side has
  wire logic [1:0] active = cube_i.mask | vector_i.mask;
  wire logic rings_differ = platform_i ? (active[0] && cube_i.c2v_buf != vector_i.c2v_buf)
                                         || (active[1] && cube_i.v2c_buf != vector_i.v2c_buf)
                                       : cube_i.gm_base != vector_i.gm_base;
  wire logic differ = cube_i.init && vector_i.init
                      && (cube_i.mask != vector_i.mask || cube_i.slot_size != vector_i.slot_size
                          || rings_differ);

  wire logic unused = ^{cube_i.push_tag, cube_i.pop_tag, cube_i.free_tag, cube_i.held,
                        vector_i.push_tag, vector_i.pop_tag, vector_i.free_tag, vector_i.held};

  assign clear_o = clr_i && !busy_i && !flying_i;
  assign cfg_mismatch_o = cfg_mismatch_q;
  assign clr_busy_o = clr_busy_q;
  assign deadlock_o = blocked_i && !flying_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cfg_mismatch_q <= 1'b0;
      clr_busy_q <= 1'b0;
    end else if (clear_o) begin
      cfg_mismatch_q <= 1'b0;
      clr_busy_q <= 1'b0;
    end else begin
      cfg_mismatch_q <= cfg_mismatch_q || differ;
      clr_busy_q <= clr_busy_q || clr_i;
    end
  end

endmodule

`default_nettype wire
