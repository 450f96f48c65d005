// SPDX-License-Identifier: Apache-2.0
//
// The smallest block: takes a word when the gate is open, shows it plus Step in the next cycle.
`timescale 1ns / 1ps
`default_nettype none

module tiny #(
  parameter int Step = 1
) (
  input wire logic   clk_i,
  input wire logic   rst_ni,
  input wire logic   put_valid_i,
  input wire logic [31:0] put_word_i,
  input wire logic   gate_i,
  output logic       put_ready_o,
  output logic       got_valid_o,
  output logic [31:0] got_word_o,
  output logic [69:0] got_wide_o,
  output logic [1:0] count_o
);

  assign put_ready_o = gate_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      got_valid_o <= 1'b0;
      got_word_o <= '0;
      got_wide_o <= '0;
      count_o <= '0;
    end else begin
      got_valid_o <= put_valid_i && put_ready_o;
      if (put_valid_i && put_ready_o) begin
        got_word_o <= put_word_i + 32'(Step);
        got_wide_o <= {6'h2A, ~put_word_i, put_word_i};
        count_o <= count_o + 2'd1;
      end
    end
  end

endmodule

`default_nettype wire
