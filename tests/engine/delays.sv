// SPDX-License-Identifier: Apache-2.0
module top;
  logic clk = 0;
  int n = 0;
  always #5 clk = ~clk;
  always @(posedge clk) begin
    n <= n + 1;
    if (n == 3) begin
      $display("n is %0d", n);
      $finish;
    end
  end
endmodule
