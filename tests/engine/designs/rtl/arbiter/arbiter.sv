// SPDX-License-Identifier: Apache-2.0
//
// Three clients share an output; who was served last is the last to be asked. Latency: none.
// Handshake: valid and ready at each client and at the output. Reset: client 0 is asked first.
`timescale 1ns / 1ps
`default_nettype none

module arbiter (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       a_valid_i, b_valid_i, c_valid_i,
  input wire logic [7:0] a_word_i, b_word_i, c_word_i,
  output logic           a_ready_o, b_ready_o, c_ready_o,
  output logic           out_valid_o,
  output logic [7:0]     out_word_o,
  output logic [1:0]     out_client_o,
  input wire logic       out_ready_i
);

  logic [1:0] first_q, second, third, chosen;
  logic [2:0] valid;
  logic [3:0] ready;

  function automatic logic [1:0] after(input logic [1:0] client);
    return client == 2'd2 ? 2'd0 : client + 2'd1;
  endfunction

  assign valid = {c_valid_i, b_valid_i, a_valid_i};
  assign second = after(first_q);
  assign third = after(second);
  assign chosen = valid[first_q] ? first_q : valid[second] ? second : third;
  assign out_valid_o = |valid;
  assign out_client_o = chosen;
  assign out_word_o = chosen == 2'd0 ? a_word_i : chosen == 2'd1 ? b_word_i : c_word_i;
  assign ready = 4'(out_valid_o && out_ready_i) << chosen;
  assign {c_ready_o, b_ready_o, a_ready_o} = ready[2:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_q <= '0;
    else if (out_valid_o && out_ready_i) first_q <= after(chosen);
  end

endmodule

`default_nettype wire
