// SPDX-License-Identifier: Apache-2.0
//
// Which thread has a packer busy (section 10 of docs/pack.md): bit 4t + p.
//
// Latency: an issue, or that a packer is quiet, shows in the cycle after. Handshake: none. Reset:
// 0.
`default_nettype none

module pack_busy (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        issue_valid_i,
  input  wire logic [1:0]  issue_thread_i,
  input  wire logic [3:0]  issue_mask_i,
  input  wire logic [3:0]  quiet_i,
  output wire logic [11:0] busy_o
);

  logic [11:0] busy_q;

  assign busy_o = busy_q;

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire logic [3:0] issued
      = issue_valid_i && issue_thread_i == 2'(t) ? issue_mask_i : 4'd0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) busy_q[4*t+:4] <= '0;
      else busy_q[4*t+:4] <= issued | busy_q[4*t+:4] & ~quiet_i;
    end
  end

endmodule

`default_nettype wire
