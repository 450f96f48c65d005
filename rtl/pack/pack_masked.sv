// SPDX-License-Identifier: Apache-2.0
//
// Whether a packer is masked (P69): some row of the row sets that it uses has an edge mask that does
// not let all columns pass.
//
// Latency: one cycle behind the mode. Handshake: none. Reset: none.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_masked
  import pack_pkg::*;
(
  input  wire logic       clk_i,
  input  wire mode_t      mode_i,
  input  wire logic [1:0] face_select_i,  // of the packer
  input  wire logic [1:0] row_select_i,
  output wire logic       masked_o
);

  logic masked_q;
  wire logic [3:0] masks;  // those with a column that does not pass
  wire logic [3:0] sets;   // row sets that have such a mask
  wire logic [3:0] used;

  assign masked_o = masked_q;

  function automatic logic masks_a_row(input logic [31:0] map, input logic [3:0] marked);
    masks_a_row = 1'b0;
    for (int k = 0; k < 16; k++) masks_a_row = masks_a_row | marked[map[2*k+:2]];
  endfunction

  function automatic logic [3:0] named_by(input logic [127:0] map, input logic [1:0] select);
    logic [31:0] entries;

    entries = map[32*select+:32];
    named_by = 4'd0;
    for (int k = 0; k < 16; k++) named_by = named_by | 4'd1 << entries[2*k+:2];
  endfunction

  for (genvar s = 0; s < 4; s++) begin : gen_set
    assign masks[s] = mode_i.edge_words[32*s+:16] != 16'hFFFF;
    assign sets[s] = masks_a_row(mode_i.row_map[32*s+:32], masks);
  end

  assign used
    = mode_i.face_select[8] ? named_by(mode_i.face_map, face_select_i) : 4'd1 << row_select_i;

  always_ff @(posedge clk_i) masked_q <= (sets & used) != 4'd0;

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
