// SPDX-License-Identifier: Apache-2.0
//
// Writes one stream's records to <+trace_dir>/<stream>.bin, or <trace_dir>/t<Index>.<stream>.bin.
//
// A record is {payload, cycle}, 32-bit words, cycle first. It samples with the rising edge, so it
// sees what a flip-flop would. OnChange = 0: a record in each cycle with valid_i. OnChange = 1: a
// record in each cycle whose payload differs from that of the cycle before (0 before cycle 0).
// When flush_i rises it writes the marker {…, count of records, FFFFFFFF} and flushes the file.
// X or Z in valid_i or in a valid payload ends the run.
`timescale 1ns / 1ps
`default_nettype none

module tp_recorder #(
  parameter int Words    = 1,  // of the payload; at least 1
  parameter int OnChange = 0,
  parameter int Index    = -1,
  parameter     Stream   = "stream"
) (
  input wire logic                clk_i,
  input wire logic                rst_ni,
  input wire logic [31:0]         cycle_i,
  input wire logic                flush_i,
  input wire logic                valid_i,
  input wire logic [Words*32-1:0] payload_i
);

`ifndef TP_NO_RECORD
  logic [8*1024-1:0] dir;
  logic [Words*32-1:0] last, marker;
  logic [31:0] count;
  integer fd;
  logic bad;

  initial begin
    count = '0;
    last = '0;
    fd = 0;
    if ($value$plusargs("trace_dir=%s", dir)) begin
      if (Index < 0) fd = $fopen($sformatf("%0s/%0s.bin", dir, Stream), "ab");
      else fd = $fopen($sformatf("%0s/t%0d.%0s.bin", dir, Index, Stream), "ab");
    end
    if (fd == 0) begin
      $display("tp_recorder: cannot write the trace of %0s; is +trace_dir= a folder?", Stream);
      $fatal(1);
    end
  end

  always @(posedge clk_i) begin
    if (rst_ni) begin
      if (OnChange != 0) bad = (^payload_i) === 1'bx;
      else bad = (^valid_i) === 1'bx || (valid_i && (^payload_i) === 1'bx);
      if (bad) begin
        $display("tp_recorder: X or Z in stream %0s (index %0d) in cycle %0d: valid %b payload %h",
                 Stream, Index, cycle_i, valid_i, payload_i);
        $fatal(1);
      end
      if (OnChange != 0 ? (payload_i != last) : valid_i) begin
        $fwrite(fd, "%u", {payload_i, cycle_i});
        count = count + 32'd1;
      end
      if (OnChange != 0) last = payload_i;
    end
  end

  always @(posedge flush_i) begin
    marker = '0;
    marker[31:0] = count;
    $fwrite(fd, "%u", {marker, 32'hFFFF_FFFF});
    $fflush(fd);
  end
`endif

endmodule

`default_nettype wire
