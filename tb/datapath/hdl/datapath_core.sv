// SPDX-License-Identifier: Apache-2.0
//
// Turns the items of a thread's core into activity at its ports; tb/datapath/streams.py says what
// each asks for. Whatever the latencies, the next item begins when the one before it is done. A poll
// reads the semaphore only when it sees that this will end it: else nothing goes on.
`timescale 1ns / 1ps
`default_nettype none

module datapath_core (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic         valid_i,
  input wire logic [3:0]   op_i,
  input wire logic [9:0]   index_i,
  input wire logic [31:0]  value_i,
  output wire logic        done_o,
  output wire logic        first_o,        // first cycle of the item
  input wire logic         quiet_i,        // nothing of the thread has been under way for a while
  output wire logic        push_valid_o,
  input wire logic         push_ready_i,
  output wire logic        mopcfg_valid_o,
  output wire logic        sync_req_o,
  input wire logic         sync_ack_i,
  output wire logic        risc_valid_o,
  input wire logic         risc_done_i,
  output wire logic        sem_valid_o,
  output wire logic        sem_write_o,
  output wire logic        sem_get_o,
  input wire logic         sem_done_i,
  input wire logic [3:0]   sem_data_i,
  input wire logic [31:0]  sem_value_i    // of all semaphores, as registered
);

  logic begun_q;
  logic asked_q;  // a poll's access is under way
  wire logic [31:0] read = {28'd0, sem_data_i};
  wire logic [31:0] seen = {28'd0, sem_value_i[4*index_i[2:0]+:4]};
  wire logic polls = op_i == 4'd3 || op_i == 4'd4 || op_i == 4'd5;
  wire logic met = op_i == 4'd3 ? read >= value_i : op_i == 4'd4 ? read < value_i
                                                                 : read == value_i;
  wire logic will = op_i == 4'd3 ? seen >= value_i : op_i == 4'd4 ? seen < value_i
                                                                  : seen == value_i;

  assign push_valid_o = valid_i && op_i == 4'd0;
  assign sync_req_o = valid_i && op_i == 4'd1;
  assign mopcfg_valid_o = sync_req_o && sync_ack_i;
  assign risc_valid_o = valid_i && (op_i == 4'd2 || op_i == 4'd9);  // a register, a stream's
  assign sem_valid_o = valid_i && (polls && (asked_q || will) || op_i == 4'd6 || op_i == 4'd7);
  assign sem_write_o = !polls;
  assign sem_get_o = op_i == 4'd7;
  assign done_o = push_valid_o && push_ready_i || mopcfg_valid_o || risc_valid_o && risc_done_i
                  || sem_valid_o && sem_done_i && (!polls || met)
                  || valid_i && op_i == 4'd8 && quiet_i;
  assign first_o = valid_i && !begun_q;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      asked_q <= 1'b0;
    end else begin
      begun_q <= valid_i && !done_o;
      asked_q <= polls && sem_valid_o && !sem_done_i;
    end
  end

endmodule

`default_nettype wire
