// SPDX-License-Identifier: Apache-2.0
//
// The edge mask of a lane (P25, P26, P59): which columns of its row are not masked. The row's
// datums have the tile position from the lane's first datum on; where X wraps, the next row of the
// plane, or plane, begins, with a mask of its own.
//
// Latency: position and lane in the cycle of the grant g, pass_o in g+4. Handshake: none. Reset:
// none.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_edge
  import pack_pkg::*;
  import pack_position_pkg::*;
#(
  parameter int TpgByIntf = 0
) (
  input  wire logic         clk_i,
  input  wire mode_t        mode_i,
  input  wire packer_mode_t packer_i,
  input  wire logic [1:0]   face_select_i,  // of the packer
  input  wire logic [1:0]   row_select_i,
  input  wire logic [3:0]   column_i,  // of the lane's first datum
  input  wire logic [5:0]   ahead_i,   // datums of the lanes before, in this step
  input  wire logic [1:0]   number_i,  // lanes before
  input  wire logic [3:0]   x_i,       // position of the step's first datum
  input  wire rows_t        rows_i,
  input  wire logic [7:0]   left_i,
  output wire logic [15:0]  pass_o
);

  // ---- g: the lane's X, and rows that are behind it
  logic [6:0] x1_q;
  logic [3:0] column1_q;
  rows_t rows1_q;
  logic [7:0] left1_q;
  logic [1:0] number1_q;

  // ---- g+1: rows of the lane's first datum, and of those behind the wrap of X
  rows_t from2_q, next2_q;
  logic [4:0] wrap2_q;  // the first column behind it

  function automatic rows_t by_lane(input rows_t from, input logic [1:0] number);
    by_lane.row = from.row + {6'd0, number};
    by_lane.plane = from.plane;
  endfunction

  // ---- g+2, g+3: the masks
  function automatic logic [15:0] mask_of(input rows_t rows, input mode_t mode,
                                          input packer_mode_t packer, input logic [1:0] face,
                                          input logic [1:0] row_set);
    logic [3:0] y, z;
    logic [1:0] set, section;

    y = packer.yz_transposed ? rows.plane[3:0] : rows.row[3:0];
    z = (packer.yz_transposed ? rows.row[3:0] : rows.plane[3:0]) + packer.z_offset[3:0];
    set = mode.face_select[8] ? pair_of(mode.face_map, {face, z}) : row_set;
    section = pair_of(mode.row_map, {set, y});
    mask_of = section[1] ? (section[0] ? mode.edge_words[111:96] : mode.edge_words[79:64])
                         : (section[0] ? mode.edge_words[47:32] : mode.edge_words[15:0]);
  endfunction

  function automatic logic [1:0] pair_of(input logic [127:0] map, input logic [5:0] index);
    logic [127:0] shifted;

    shifted = map >> {index, 1'b0};
    pair_of = shifted[1:0];
  endfunction

  logic [15:0] from3_q, next3_q;
  logic [15:0] before3_q;  // columns before the wrap
  logic [15:0] pass_q;

  function automatic logic [15:0] columns_before(input logic [4:0] column);
    columns_before = column[4] ? 16'hFFFF : ~(16'hFFFF << column[3:0]);
  endfunction

  assign pass_o = pass_q;

  always_ff @(posedge clk_i) begin
    x1_q <= {3'd0, x_i} + {1'b0, ahead_i};
    column1_q <= column_i;
    rows1_q <= rows_i;
    left1_q <= left_i;
    number1_q <= number_i;

    if (TpgByIntf == 1) begin
      from2_q <= by_lane(rows1_q, number1_q);
      next2_q <= by_lane(rows1_q, number1_q);
    end else begin
      from2_q <= rows_on(rows1_q, x1_q[6:4], packer_i.reads_per_plane, left1_q);
      next2_q <= rows_on(rows1_q, x1_q[6:4] + 3'd1, packer_i.reads_per_plane, left1_q);
    end
    // columns from 16 on are not there, so the sum may stay below 32
    wrap2_q <= {1'b0, column1_q} + (5'd16 - {1'b0, x1_q[3:0]});

    from3_q <= mask_of(from2_q, mode_i, packer_i, face_select_i, row_select_i);
    next3_q <= mask_of(next2_q, mode_i, packer_i, face_select_i, row_select_i);
    before3_q <= columns_before(wrap2_q);

    pass_q <= from3_q & before3_q | next3_q & ~before3_q;
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
