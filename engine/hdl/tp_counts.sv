// SPDX-License-Identifier: Apache-2.0
//
// What an item can wait for (tp_hold): how many items of each source were done since reset. Element
// 0 of count_o is 0, the last one counts all sources together; all stop near 2^28.
`timescale 1ns / 1ps
`default_nettype none

module tp_counts #(
  parameter int Sources = 9
) (
  input  wire logic             clk_i,
  input  wire logic             rst_ni,
  input  wire logic [Sources:1] done_i,
  output wire logic [27:0]      count_o [Sources+2]
);

  logic [27:0] all_q;

  assign count_o[0] = '0;
  assign count_o[Sources+1] = all_q;
  for (genvar i = 1; i <= Sources; i++) begin : gen_count
    logic [27:0] count_q;

    always @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q <= '0;
      else if (done_i[i] && count_q != '1) count_q <= count_q + 28'd1;
    end
    assign count_o[i] = count_q;
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) all_q <= '0;
    else if (done_i != '0 && all_q < 28'hFFF_FFF0) all_q <= all_q + 28'($countones(done_i));
  end

endmodule

`default_nettype wire
