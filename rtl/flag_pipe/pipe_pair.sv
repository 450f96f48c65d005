// SPDX-License-Identifier: Apache-2.0
//
// What concerns a pair as a whole: configurations that differ, clear, deadlock.
//
// Latency: quiet_o, clear_o and deadlock_o combinational; the sticky cfg_mismatch_o and clr_busy_o
// show in the cycle behind. Handshake: none. Reset and a clear that is granted: no errors.
`default_nettype none

module pipe_pair
  import flag_pipe_pkg::*;
(
  input  wire logic      clk_i,
  input  wire logic      rst_ni,
  input  wire logic      platform_i,
  input  wire endpoint_t cube_i [PipeCount],
  input  wire endpoint_t vector_i [PipeCount],
  input  wire logic      clr_i,
  input  wire logic      other_quiet_i,  // quiet_o of the other pair
  input  wire logic      busy_i,     // a core is at work for the pair, or is offered a command for it
  input  wire logic      flying_i,   // a SET of the pair is on its way
  input  wire logic      blocked_i,  // both cores wait for flags of the pair that are 0
  output wire logic      quiet_o,    // a clear is asked for, and the pair is at rest
  output wire logic      clear_o,
  output wire logic      cfg_mismatch_o,
  output wire logic      clr_busy_o,
  output wire logic      deadlock_o
);

  logic cfg_mismatch_q, clr_busy_q;

  wire logic [PipeCount-1:0] differ, halves;

  for (genvar q = 0; q < PipeCount; q++) begin : gen_pipe
    wire endpoint_t cube, vector;

    assign cube = cube_i[q];
    assign vector = vector_i[q];
    assign halves[q] = cube.split != Whole;

    // the rings: on a5 those of a direction that either side has
    wire logic [1:0] active = cube.mask | vector.mask;
    wire logic rings_differ = platform_i ? (active[0] && cube.c2v_buf != vector.c2v_buf)
                                           || (active[1] && cube.v2c_buf != vector.v2c_buf)
                                         : cube.gm_base != vector.gm_base;

    assign differ[q] = cube.init && vector.init
                       && (cube.mask != vector.mask || cube.slot_size != vector.slot_size
                           || cube.period != vector.period || cube.split != vector.split
                           || (cube.split == LeftRight && cube.row != vector.row) || rings_differ);

    wire logic unused = ^{cube.push_tag, cube.pop_tag, cube.free_tag, cube.held,
                          vector.push_tag, vector.pop_tag, vector.free_tag, vector.held};
  end

  assign quiet_o = clr_i && !busy_i && !flying_i;
  assign clear_o = quiet_o && (halves == '0 || other_quiet_i);  // AIC's halves are of both (T39)
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
      cfg_mismatch_q <= cfg_mismatch_q || differ != '0;
      clr_busy_q <= clr_busy_q || clr_i;
    end
  end

endmodule

`default_nettype wire
