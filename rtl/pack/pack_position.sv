// SPDX-License-Identifier: Apache-2.0
//
// The tile position of a packer: X, Y, Z of the first datum of the step that is to be made.
//
// Latency: a step that is made in r shows in r+1. Handshake: none. Reset: 0.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_position
  import pack_pkg::*;
  import pack_position_pkg::*;
#(
  parameter int TpgByIntf = 0,        // P51: counts interfaces and not datums
  parameter int TilePositionKept = 0  // P26: restart_i does not reset it
) (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire packer_mode_t packer_i,
  input  wire logic       advance_i,  // a step of rows of Dst
  input  wire logic [6:0] total_i,    // its datums
  input  wire logic [2:0] enabled_i,  // its lanes
  input  wire logic       last_i,     // the last step of its instruction
  input  wire logic       restart_i,
  input  wire logic       masked_i,
  output wire logic       fault_o,    // edge_position (section 10 of docs/pack.md)
  output wire logic [3:0] x_o,
  output wire rows_t      rows_o,
  output wire logic [7:0] left_o      // as in rows_on
);

  logic [3:0] x_q;
  logic [7:0] y_q, z_q;

  function automatic rows_t rows_of(input logic [7:0] y, input logic [7:0] z,
                                    input logic transposed);
    rows_of.row = transposed ? z : y;
    rows_of.plane = transposed ? y : z;
  endfunction

  // once a step of the position by interfaces: it becomes 0 only where it meets `most`
  function automatic rows_t lanes_on(input rows_t from, input logic [2:0] lanes,
                                     input logic [7:0] most);
    logic meets;

    lanes_on.row = from.row + {5'd0, lanes};
    meets = lanes_on.row == most;
    lanes_on.plane = from.plane + {7'd0, meets};
    if (meets) lanes_on.row = 8'd0;
  endfunction

  wire rows_t rows = rows_of(y_q, z_q, packer_i.yz_transposed);
  wire logic [7:0] left = packer_i.reads_per_plane - rows.row;
  wire logic [6:0] x_on = {3'd0, x_q} + total_i;
  wire rows_t next = TpgByIntf == 1
    ? lanes_on(rows, last_i ? enabled_i : 3'd0, packer_i.reads_per_plane)
    : rows_on(rows, x_on[6:4], packer_i.reads_per_plane, left);

  // Y that is not 0 behind a restart, until there are rows again
  logic behind_q;
  wire logic [7:0] y_next = packer_i.yz_transposed ? next.plane : next.row;

  assign fault_o = advance_i && behind_q && masked_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_q <= 1'b0;
    else if (restart_i) behind_q <= advance_i ? y_next != 8'd0 : y_q != 8'd0 || behind_q;
    else if (advance_i) behind_q <= 1'b0;
  end

  assign x_o = x_q;
  assign rows_o = rows;
  assign left_o = left;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      x_q <= '0;
      y_q <= '0;
      z_q <= '0;
    end else if (restart_i && TilePositionKept == 0) begin
      x_q <= '0;
      y_q <= '0;
      z_q <= '0;
    end else if (advance_i && (TpgByIntf == 0 || last_i)) begin
      if (TpgByIntf == 0) x_q <= x_on[3:0];
      y_q <= y_next;
      z_q <= packer_i.yz_transposed ? next.row : next.plane;
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
