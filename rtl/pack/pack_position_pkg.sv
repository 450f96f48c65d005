// SPDX-License-Identifier: Apache-2.0
//
// The tile position of a packer (P26, P51): how its Y and Z count.
`default_nettype none

package pack_position_pkg;

  // Y and Z change roles with pack_yz_transposed: `row` is the one that counts rows of a plane.
  typedef struct packed {
    logic [7:0] row;
    logic [7:0] plane;
  } rows_t;

  // `n` rows on (at most 4): the row becomes 0 and the plane counts when it has come to `most`.
  // `left` = most - row, modulo 256: so many rows on that happens first, 0 standing for 256.
  function automatic rows_t rows_on(input rows_t from, input logic [2:0] n,
                                    input logic [7:0] most, input logic [7:0] left);
    logic [1:0] over;

    over = n[1:0] - left[1:0];
    if (left == 8'd0 || {5'd0, n} < left) begin
      rows_on.row = from.row + {5'd0, n};
      rows_on.plane = from.plane;
    end else begin
      case (most)
        8'd1: begin
          rows_on.row = 8'd0;
          rows_on.plane = from.plane + 8'd1 + {6'd0, over};
        end
        8'd2: begin
          rows_on.row = {7'd0, over[0]};
          rows_on.plane = from.plane + 8'd1 + {7'd0, over[1]};
        end
        8'd3: begin
          rows_on.row = over == 2'd3 ? 8'd0 : {6'd0, over};
          rows_on.plane = from.plane + 8'd1 + {7'd0, over == 2'd3};
        end
        default: begin
          rows_on.row = {6'd0, over};
          rows_on.plane = from.plane + 8'd1;
        end
      endcase
    end
  endfunction

endpackage

`default_nettype wire
