// SPDX-License-Identifier: Apache-2.0
module held (input wire logic clk, output logic [31:0] narrow, output logic [79:0] wide);
  always_ff @(posedge clk) begin
    narrow <= narrow + 1;
    wide <= wide + 1;
  end
endmodule
module starts (input wire logic clk);
  wire logic [31:0] narrow_out [2];
  wire logic [79:0] wide_out [2];
  for (genvar i = 0; i < 2; i++) begin : g
    held u_held (.clk, .narrow(narrow_out[i]), .wide(wide_out[i]));
  end
  final for (int i = 0; i < 2; i++) $display("%h %h", narrow_out[i], wide_out[i]);
  logic [31:0] alone, other, narrow [32], given = 32'd5;
  logic [79:0] wide [32];
  initial begin
    $display("%h %h", alone, other);
    foreach (narrow[i]) $display("%h", narrow[i]);
    foreach (wide[i]) $display("%h", wide[i]);
    $display("given %0d", given);
    $finish;
  end
endmodule
