// SPDX-License-Identifier: Apache-2.0
//
// Round-robin arbiter of a port that is shared by the three cores.
//
// Latency: combinational from req_i to grant_o, one-hot, or 0 without a request. Handshake: a core
// asks until it is accepted, which is in a cycle with its grant and ready_i; a grant that was not
// accepted stays. State: the turn, which goes to the core behind the accepted one. Reset: core 0.
`default_nettype none

module pipe_arbiter
  import flag_pipe_pkg::*;
(
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic [CoreCount-1:0] req_i,
  input  wire logic                 ready_i,
  output wire logic [CoreCount-1:0] grant_o,
  output wire logic [1:0]           core_o  // number of the granted core
);

  logic [CoreCount-1:0] behind_q;  // the cores from the turn on
  logic [CoreCount-1:0] held_q;    // what was granted and not accepted
  wire logic [CoreCount-1:0] first = req_i & behind_q;
  wire logic [CoreCount-1:0] pool = held_q != '0 ? held_q : first != '0 ? first : req_i;

  assign grant_o = pool & -pool;
  assign core_o = {grant_o[2], grant_o[1]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      behind_q <= '1;
      held_q <= '0;
    end else begin
      held_q <= ready_i ? '0 : grant_o;
      if (ready_i && grant_o != '0)
        behind_q <= grant_o[2] ? '1 : grant_o[1] ? 3'b100 : 3'b110;
    end
  end

endmodule

`default_nettype wire
