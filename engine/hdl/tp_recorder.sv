// SPDX-License-Identifier: Apache-2.0
//
// Writes one stream's records to <+trace_dir>/<stream>.bin, or <Prefix><Index>.<stream>.bin there.
//
// A record is {payload, cycle}, 32-bit words, cycle first. It samples with the rising edge, so it
// sees what a flip-flop would. OnChange = 0: a record in each cycle with valid_i. OnChange = 1: a
// record in each cycle whose payload differs from that of the cycle before (0 before cycle 0).
// When flush_i rises it writes the marker {..., count of records, FFFFFFFF} and flushes the file.
// Records go to the file many at a time, because a call of $fwrite costs far more than a word of it;
// behind a marker, what is missing to a multiple of 32 are fillers with cycle FFFFFFFE.
// With +trace_rewind each block of cycles is written over the one before; with +trace_off nothing is
// recorded, while what is recorded else stays in the build.
// X or Z in valid_i or in a valid payload ends the run.
`timescale 1ns / 1ps
`default_nettype none
/* verilator tracing_off */  // waves show the DUT and its ports, not the bench's buffers

module tp_recorder #(
  parameter int Words    = 1,  // of the payload; at least 1
  parameter int OnChange = 0,
  parameter int Index    = -1,
  parameter     Prefix   = "t",
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
`ifdef VERILATOR
  // records written at once, a multiple of 32; of long ones fewer: a call costs less than a record
  localparam int Batch = Words < 4 ? 256 : 32;
`else
  localparam int Batch = 32;
`endif
  localparam int Full = $clog2(Batch);  // the bit of fill that is set when the batch is full
  localparam int RecordWidth = (Words + 1) * 32;

  logic [8*1024-1:0] dir;
  string path;
  logic [Words*32-1:0] last;  // OnChange only: the level recorded last
  logic [RecordWidth-1:0] batch[Batch];
  logic [Full:0] fill;        // records in the batch
  logic [31:0] written;       // records in full batches
  logic rewinds, records;
  integer fd, got;
`ifdef VERILATOR
  longint unsigned file;      // the FILE* behind fd, which takes Verilator a while to find
`endif

  initial begin
    written = '0;
    last = '0;
    fill = '0;
    fd = 0;
    rewinds = $test$plusargs("trace_rewind") != 0;
    records = $test$plusargs("trace_off") == 0;
    if (records && $value$plusargs("trace_dir=%s", dir)) begin
      // appending goes to the end of the file wherever that is, so that a file cut meanwhile shows
      if (Index < 0) path = $sformatf("%0s/%0s.bin", dir, Stream);
      else path = $sformatf("%0s/%0s%0d.%0s.bin", dir, Prefix, Index, Stream);
      fd = rewinds ? $fopen(path, "wb") : $fopen(path, "ab");
    end
    if (records && fd == 0) begin
      $display("tp_recorder: cannot write the trace of %0s; is +trace_dir= a folder?", Stream);
      $fatal(1);
    end
`ifdef VERILATOR
    file = $c64("reinterpret_cast<QData>(VL_CVT_I_FP(", fd, "))");
`endif
  end

  task refuse;
    begin
      $display("tp_recorder: X or Z in stream %0s (index %0d) in cycle %0d: valid %b payload %h",
               Stream, Index, cycle_i, valid_i, payload_i);
      $fatal(1);
    end
  endtask

  task flush_batch;
    begin
`ifdef VERILATOR
      // what the $fwrite below does, without going through a string byte by byte
      $c("std::fwrite(&", batch, "[0], ", 32'(RecordWidth / 8), ", ", fill,
         ", reinterpret_cast<FILE*>(", file, "));");
`else
      $fwrite(fd, "%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u%u",
              batch[0], batch[1], batch[2], batch[3], batch[4], batch[5], batch[6], batch[7],
              batch[8], batch[9], batch[10], batch[11], batch[12], batch[13], batch[14], batch[15],
              batch[16], batch[17], batch[18], batch[19], batch[20], batch[21], batch[22], batch[23],
              batch[24], batch[25], batch[26], batch[27], batch[28], batch[29], batch[30], batch[31]);
`endif
      fill = '0;
    end
  endtask

  // Written for Icarus, whose time goes into what is read and executed in each cycle.
  if (OnChange != 0) begin : gen_level
    always @(posedge clk_i) begin
      if (records && payload_i !== last) begin
        if (rst_ni) begin
          if ((^payload_i) === 1'bx) refuse;
          batch[fill[Full-1:0]] = {payload_i, cycle_i};
          fill = fill + 1'b1;
          if (fill[Full]) begin
            flush_batch;
            written = written + 32'(Batch);
          end
          last = payload_i;
        end
      end
    end
  end else begin : gen_event
    always @(posedge clk_i) begin
      if (valid_i !== 1'b0) begin
        if (records && rst_ni) begin
          if ((^{valid_i, payload_i}) === 1'bx) refuse;
          batch[fill[Full-1:0]] = {payload_i, cycle_i};
          fill = fill + 1'b1;
          if (fill[Full]) begin
            flush_batch;
            written = written + 32'(Batch);
          end
        end
      end
    end
  end

  always @(posedge flush_i) if (records) begin
    written = written + 32'(fill);
    batch[fill[Full-1:0]] = {{(Words * 32 - 32) {1'b0}}, written, 32'hFFFF_FFFF};
    fill = fill + 1'b1;
    while (fill[4:0] != 5'd0) begin
      batch[fill[Full-1:0]] = {{(Words * 32) {1'b0}}, 32'hFFFF_FFFE};
      fill = fill + 1'b1;
    end
    flush_batch;
    $fflush(fd);
    if (rewinds) got = $rewind(fd);
  end
`endif

endmodule
/* verilator tracing_on */

`default_nettype wire
