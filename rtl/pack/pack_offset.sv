// SPDX-License-Identifier: Apache-2.0
//
// l1_dest_addr_offset of the packers (P35), in lines.
//
// Latency: a write in c is visible in c+1. Handshake: none. Reset: 0.
`default_nettype none

module pack_offset
  import pack_pkg::*;
(
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire offset_write_t write_i,
  output wire logic [15:0]   offset_o [4]
);

  for (genvar p = 0; p < 4; p++) begin : gen_packer
    logic [15:0] offset_q;

    assign offset_o[p] = offset_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) offset_q <= '0;
      else if (write_i.valid && write_i.packers[p]) offset_q <= write_i.value;
    end
  end

endmodule

`default_nettype wire
