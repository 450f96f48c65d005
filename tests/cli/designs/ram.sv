// SPDX-License-Identifier: Apache-2.0
module ram #(parameter bit Registered = 0) (
  input  wire logic       clk_i,
  input  wire logic       we_i,
  input  wire logic [3:0] row_i,
  input  wire logic [7:0] data_i,
  output wire logic [7:0] data_o
);
  logic [7:0] row_q [16];
  logic [7:0] read_q;
  always_ff @(posedge clk_i) begin
    if (we_i) row_q[row_i] <= data_i;
    read_q <= row_q[row_i];
  end
  assign data_o = Registered ? read_q : row_q[row_i];
endmodule

module dut #(parameter bit Registered = 0) (
  input  wire logic       clk_i,
  input  wire logic       we_i,
  input  wire logic [3:0] row_i,
  output logic      [7:0] sum_o
);
  wire logic [7:0] data;
  ram #(.Registered(Registered)) u_ram (
    .clk_i, .we_i, .row_i(~row_i), .data_i(~data), .data_o(data)
  );
  always_ff @(posedge clk_i) sum_o <= {data[7:1], !data[0]};
endmodule
