// SPDX-License-Identifier: Apache-2.0
//
// Clock, reset, cycle counter and block boundaries of every harness.
//
// Clock period 10 ns; reset is low for four rising edges. It falls 1 ns after the start, so that
// flip-flops are reset before anything looks at them: Verilator sees no edge in a signal that begins
// low. Cycle 0 is the first one whose closing edge finds rst_no high. After the last cycle of each
// block of cycles, between two rising edges, flush_o pulses (recorders write their markers) and then
// block_o toggles, which is what Python waits for. The file block_cycles in the current folder says
// how many they are; no plusarg does, because the runs that divide from one process share its
// plusargs. +wave_start=C dumps waves from
// cycle C on to +wave_file=F.
`timescale 1ns / 1ps
`default_nettype none

module tp_control (
  output logic        clk_o,
  output logic        rst_no,
  output logic [31:0] cycle_o,
  output logic        flush_o,
  output logic        block_o
);

  logic [31:0] block_cycles, in_block;
  logic [2:0] reset_left;
  logic at_end;
  integer settings, got;

  initial begin
    block_cycles = 32'd4096;
    settings = $fopen("block_cycles", "r");
    if (settings != 0) begin
      got = $fscanf(settings, "%d", block_cycles);
      $fclose(settings);
    end
    clk_o = 1'b0;
    rst_no = 1'b1;
    cycle_o = '0;
    flush_o = 1'b0;
    block_o = 1'b0;
    in_block = '0;
    at_end = 1'b0;
    reset_left = 3'd4;
    #1 rst_no = 1'b0;
  end

  always #5 clk_o = ~clk_o;

  always @(posedge clk_o) begin
    if (reset_left != 0) begin
      reset_left <= reset_left - 3'd1;
      if (reset_left == 3'd1) rst_no <= 1'b1;
    end else begin
      cycle_o <= cycle_o + 32'd1;
      at_end <= in_block == block_cycles - 32'd1;
      in_block <= (in_block == block_cycles - 32'd1) ? 32'd0 : in_block + 32'd1;
    end
  end

  always @(negedge clk_o) begin
    if (at_end) begin
      flush_o = 1'b1;
      #1 flush_o = 1'b0;
      block_o = ~block_o;
    end
  end

`ifdef TP_COVERAGE
  // what happens when registers are reset from anything, at 1 ns, shows nothing: it is subtracted
  initial #2 $c("Verilated::threadContextp()->coveragep()->write(\"coverage.reset.dat\");");
`endif

`ifdef TP_WAVES
  logic [31:0] wave_start;
  logic [8*1024-1:0] wave_file;
  logic dumping;

  initial begin
    dumping = 1'b0;
    if (!$value$plusargs("wave_start=%d", wave_start)) wave_start = '0;
    if (!$value$plusargs("wave_file=%s", wave_file)) wave_file = "dump.vcd";
    $dumpfile(wave_file);
  end

  always @(negedge clk_o) begin
    if (!dumping && rst_no && cycle_o >= wave_start) begin
      dumping = 1'b1;
      $dumpvars;
    end
  end
`endif

endmodule

`default_nettype wire
