// SPDX-License-Identifier: Apache-2.0
//
// Takes what the shared read port returns to the cores that asked: it returns in their order.
//
// Latency: combinational from rvalid_i to rvalid_o. Handshake: none; three cores with a credit of 4
// each never have more than 12 reads under way. Reset: none under way.
`default_nettype none

module pipe_route
  import flag_pipe_pkg::*;
(
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic                 accepted_i,
  input  wire logic [1:0]           core_i,
  input  wire logic                 rvalid_i,
  output wire logic [CoreCount-1:0] rvalid_o
);

  localparam int Entries = 16;

  logic [1:0] core_q [Entries];
  logic [3:0] in_q, out_q;

  wire logic [1:0] core = core_q[out_q];

  for (genvar n = 0; n < CoreCount; n++) begin : gen_core
    assign rvalid_o[n] = rvalid_i && core == 2'(n);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q <= '0;
      out_q <= '0;
    end else begin
      in_q <= in_q + 4'(accepted_i);
      out_q <= out_q + 4'(rvalid_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (accepted_i) core_q[in_q] <= core_i;
  end

endmodule

`default_nettype wire
