// SPDX-License-Identifier: Apache-2.0
// A bench that knows nothing of Python, for a simulator without bind: SETADCXY words, drawn by
// $random. It ends in the middle of a cycle.
`timescale 1ns / 1ps

module adc_bench;
  reg clk = 1'b0, rst_n = 1'b0;
  reg valid [3];
  reg [31:0] word [3];
  wire [60:0] live [18], cr [18];
  wire illegal [3], x_override [3], empty [3];
  wire unpack_thread, flop_thread, flop_select;
  wire [8:0] conflict;
  integer seed = 7;

  always #5 clk = !clk;
  always @(negedge clk) begin
    for (int t = 0; t < 3; t++) begin
      valid[t] = $random(seed);
      word[t] = {8'h51, 24'($random(seed))};
    end
  end
  initial begin
    #37 rst_n = 1'b1;
    #9992 $finish;
  end

  `define SIGNALS \
    .clk_i(clk), .rst_ni(rst_n), .issue_valid_i(valid), .issue_word_i(word), \
    .unpack_valid_i(1'b0), .unpack_unpacker_i(1'b0), .unpack_thread_i(2'b0), .unpack_adc_i(2'b0), \
    .unpack_y0_i(2'b0), .unpack_z0_i(2'b0), .unpack_y1_i(2'b0), .unpack_z1_i(2'b0), \
    .pack_valid_i(1'b0), .pack_sets_i(3'b0), .pack_addr_mod_i(16'b0), \
    .flop_valid_i(1'b0), .flop_thread_i(2'b0), .flop_select_i(2'b0), .flop_channel_i(1'b0), \
    .flop_counter_i(2'b0), .flop_checkpoint_i(1'b0), .flop_value_i(18'b0), \
    .live_o(live), .cr_o(cr), .fault_illegal_o(illegal), .fault_x_override_o(x_override), \
    .fault_empty_o(empty), .fault_unpack_thread_o(unpack_thread), \
    .fault_flop_thread_o(flop_thread), .fault_flop_select_o(flop_select), .conflict_o(conflict)
  adc u_adc (`SIGNALS);
  adc_recorder u_recorder (`SIGNALS);
endmodule
