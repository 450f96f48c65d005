// SPDX-License-Identifier: Apache-2.0
//
// Plays items from <+stim_dir>/<player>.<n>.bin, n = 0, 1, ..., or
// <Prefix><Index>.<player>.<n>.bin.
//
// An item is Words 32-bit words. It is presented with valid_o for as long as done_i is low, after
// item[15:0] idle cycles and, with item[16] set, not before a cycle with go_i. The next item can
// follow in the next cycle. With Level = 1, word 0 is instead the number of cycles (at least 1)
// for which the item is presented, and done_i and go_i mean nothing. An item whose word 0 is
// FFFFFFFF ends the stimulus; a chunk that ends without it goes on in the next chunk, which must
// exist. When flush_i rises, {consumed, exhausted} is appended to <+stim_dir>/<player>.state: how
// many items were presented, and whether the end was seen.
`timescale 1ns / 1ps
`default_nettype none
/* verilator tracing_off */  // waves show the DUT and its ports, not the bench's buffers

module tp_player #(
  parameter int Words  = 2,
  parameter int Level  = 0,
  parameter int Index  = -1,
  parameter     Prefix = "t",
  parameter     Player = "player"
) (
  input wire logic            clk_i,
  input wire logic            rst_ni,
  input wire logic            flush_i,
  input wire logic            go_i,
  input wire logic            done_i,
  output logic                valid_o,
  output logic [Words*32-1:0] item_o
);

  logic [8*1024-1:0] dir;
  logic [8*1280-1:0] base;
  logic [Words*32-1:0] next;
  logic [15:0] gap;
  logic loaded, exhausted;
  logic [31:0] consumed, left;
  integer chunk, fd, state_fd, got;

  initial begin
    valid_o = 1'b0;
    item_o = '0;
    loaded = 1'b0;
    exhausted = 1'b0;
    consumed = '0;
    left = '0;
    gap = '0;
    chunk = 0;
    fd = 0;
    if (!$value$plusargs("stim_dir=%s", dir)) dir = ".";
    if (Index < 0) $sformat(base, "%0s/%0s", dir, Player);
    else $sformat(base, "%0s/%0s%0d.%0s", dir, Prefix, Index, Player);
    state_fd = $fopen($sformatf("%0s.state", base), "ab");
  end

  task fetch;
    begin
      got = 0;
      while (!loaded && !exhausted) begin
        if (fd == 0) begin
          fd = $fopen($sformatf("%0s.%0d.bin", base, chunk), "rb");
          if (fd == 0) begin
            $display("tp_player: chunk %0d of %0s is missing: no end of stimulus", chunk, base);
            $fatal(1);
          end
          chunk = chunk + 1;
        end
        got = $fread(next, fd);
        if (got == Words * 4) begin
          if (&next[31:0]) exhausted = 1'b1;
          else loaded = 1'b1;
          if (Level == 0) gap = next[15:0];
        end else if (got != 0) begin
          $display("tp_player: %0s is truncated in chunk %0d", base, chunk - 1);
          $fatal(1);
        end else begin
          $fclose(fd);
          fd = 0;
        end
      end
    end
  endtask

  always @(posedge clk_i) begin
    if (rst_ni && valid_o && Level != 0 && left > 32'd1) left = left - 32'd1;
    else if (rst_ni && (!valid_o || Level != 0 || done_i)) begin
      if (!loaded && !exhausted) fetch;
      // one assignment to valid_o: one that cleared it and one that set it again would be an edge
      if (loaded && gap == 0 && (Level != 0 || !next[16] || go_i)) begin
        valid_o <= 1'b1;
        left = next[31:0];
        item_o <= next;
        loaded = 1'b0;
        consumed = consumed + 32'd1;
      end else begin
        valid_o <= 1'b0;
        if (loaded && gap != 0) gap = gap - 16'd1;
      end
    end
  end

  always @(posedge flush_i) begin
    $fwrite(state_fd, "%u", {31'd0, exhausted && !valid_o, consumed});
    $fflush(state_fd);
  end

endmodule
/* verilator tracing_on */

`default_nettype wire
