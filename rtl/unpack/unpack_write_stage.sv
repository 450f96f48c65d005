// SPDX-License-Identifier: Apache-2.0
//
// Whether there is a step in one of the data stages, and whether its second part.
//
// Latency: a cycle. Handshake: none. Reset: nothing there.
`default_nettype none

module unpack_write_stage (
  input  wire logic clk_i,
  input  wire logic rst_ni,
  input  wire logic valid_i,
  input  wire logic second_i,
  output wire logic valid_o,
  output wire logic second_o
);

  logic valid_q, second_q;

  assign valid_o = valid_q;
  assign second_o = second_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      second_q <= 1'b0;
    end else begin
      valid_q <= valid_i;
      second_q <= second_i;
    end
  end

endmodule

`default_nettype wire
