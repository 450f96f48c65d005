// SPDX-License-Identifier: Apache-2.0
//
// The core of a thread: plays the items of <+dir>/core<Index>.hex, {op, a, b} of 8, 32, 32 bits, one
// after the other: 0 end; 1 push word a; 2 MopCfg register a := b, behind mop_sync; 3 configuration
// word a := b; 4 poll: until semaphore a[2:0] is >= (a[4:3] = 0), < (1), = (2) b; 5 post, 6 get
// semaphore a; 7 sync: until nothing of the thread is under way; 8 lets the other cores begin, which
// wait for go_i. Whatever the latencies, the next item begins when the one before it is done.
`timescale 1ns / 1ps
`default_nettype none

module datapath_core #(
  parameter int Index = 0
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        go_i,
  output logic             go_o,
  output wire logic        done_o,
  output wire logic [31:0] item_o,       // number of the item that it is at
  input  wire logic        idle_i,       // no word of the thread is under way behind the front end
  output wire logic        push_valid_o,
  output wire logic [31:0] push_word_o,
  input  wire logic        push_ready_i,
  output wire logic        mopcfg_valid_o,
  output wire logic [3:0]  mopcfg_index_o,
  output wire logic [31:0] mopcfg_data_o,
  output wire logic        sync_req_o,
  input  wire logic        sync_ack_i,
  output wire logic        risc_valid_o,
  output wire logic [9:0]  risc_address_o,
  output wire logic [31:0] risc_data_o,
  input  wire logic        risc_done_i,
  output wire logic        sem_valid_o,
  output wire logic        sem_write_o,
  output wire logic [2:0]  sem_index_o,
  output wire logic        sem_get_o,
  input  wire logic        sem_done_i,
  input  wire logic [3:0]  sem_data_i
);

  localparam int Most = 1 << 16;
  localparam int Quiet = 64;  // cycles without a word: more than the front end takes

  logic [71:0] item_q [Most];
  logic [31:0] at_q;
  logic [6:0] quiet_q;
  logic [8*1024-1:0] dir;

  initial begin
    item_q[0] = '0;
    if ($value$plusargs("dir=%s", dir))
      $readmemh($sformatf("%0s/core%0d.hex", dir, Index), item_q);
  end

  wire logic begun = rst_ni && (Index == 0 || go_i);
  wire logic [71:0] item = item_q[at_q];
  wire logic [7:0] op = begun ? item[71:64] : 8'd0;
  wire logic [31:0] a = item[63:32], b = item[31:0];
  wire logic met = a[4:3] == 2'd0 ? {28'd0, sem_data_i} >= b
                 : a[4:3] == 2'd1 ? {28'd0, sem_data_i} < b : {28'd0, sem_data_i} == b;

  assign done_o = begun && item[71:64] == 8'd0;
  assign item_o = at_q;
  assign push_valid_o = op == 8'd1;
  assign push_word_o = a;
  assign sync_req_o = op == 8'd2;
  assign mopcfg_valid_o = op == 8'd2 && sync_ack_i;
  assign mopcfg_index_o = a[3:0];
  assign mopcfg_data_o = b;
  assign risc_valid_o = op == 8'd3;
  assign risc_address_o = a[9:0];
  assign risc_data_o = b;
  assign sem_valid_o = op == 8'd4 || op == 8'd5 || op == 8'd6;
  assign sem_write_o = op != 8'd4;
  assign sem_index_o = a[2:0];
  assign sem_get_o = op == 8'd6;

  wire logic next = push_valid_o && push_ready_i || mopcfg_valid_o || risc_valid_o && risc_done_i
    || sem_valid_o && sem_done_i && (sem_write_o || met) || op == 8'd7 && quiet_q == 7'(Quiet)
    || op == 8'd8;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q <= '0;
      quiet_q <= '0;
      go_o <= 1'b0;
    end else begin
      quiet_q <= op != 8'd7 || !idle_i || next ? 7'd0 : quiet_q + 7'd1;
      if (next) at_q <= at_q + 32'd1;
      if (op == 8'd8) go_o <= 1'b1;
    end
  end

endmodule

`default_nettype wire
