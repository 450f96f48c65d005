// SPDX-License-Identifier: Apache-2.0
//
// Turns the items of a thread's `core` player into push, MopCfg and mop_sync port activity.
//
// tb/frontend/streams.py says what an item asks for. The MopCfg write happens in the item's first
// cycle; the push is held until accepted, mop_sync until acknowledged. Items that wait are done when
// both are; a mop_sync in the background goes on under later items. The item's words and index go
// to the ports as they are.
`timescale 1ns / 1ps
`default_nettype none

module frontend_core (
  input wire logic clk_i,
  input wire logic rst_ni,
  input wire logic valid_i,
  input wire logic push_i,
  input wire logic mopcfg_i,
  input wire logic sync_i,
  input wire logic background_i,
  output logic     done_o,
  output logic     push_valid_o,
  output logic     push_offer_o,
  input wire logic push_ready_i,
  output logic     cfg_valid_o,
  output logic     sync_req_o,
  output logic     sync_offer_o,
  input wire logic sync_ack_i
);

  logic begun_q;       // not the item's first cycle
  logic pushed_q;      // the item's push was accepted in an earlier cycle
  logic sync_begun_q;  // the item's mop_sync is requested, or was
  logic sync_acked_q;  // and was acknowledged in an earlier cycle
  logic pending_q;     // a mop_sync was requested in an earlier cycle, not yet acknowledged
  logic wants_push, wants_sync, push_done, sync_done, sync_new;

  assign wants_push = valid_i && push_i;
  assign wants_sync = valid_i && sync_i;

  assign push_valid_o = wants_push && !pushed_q;
  assign push_offer_o = push_valid_o && !begun_q;
  assign cfg_valid_o = valid_i && mopcfg_i && !begun_q;

  // a request starts when none is pending; the one pending goes on
  assign sync_new = wants_sync && !sync_begun_q && !pending_q;
  assign sync_req_o = pending_q || sync_new;
  assign sync_offer_o = sync_new;

  assign push_done = !wants_push || pushed_q || push_ready_i;
  assign sync_done = !wants_sync || (background_i ? (sync_begun_q || sync_new)
                                   : (sync_acked_q || (sync_ack_i && (sync_begun_q || sync_new))));
  assign done_o = push_done && sync_done;

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      pushed_q <= 1'b0;
      sync_begun_q <= 1'b0;
      sync_acked_q <= 1'b0;
      pending_q <= 1'b0;
    end else begin
      pending_q <= sync_req_o && !sync_ack_i;
      if (!valid_i || done_o) begin
        begun_q <= 1'b0;
        pushed_q <= 1'b0;
        sync_begun_q <= 1'b0;
        sync_acked_q <= 1'b0;
      end else begin
        begun_q <= 1'b1;
        if (push_valid_o && push_ready_i) pushed_q <= 1'b1;
        if (sync_new) sync_begun_q <= 1'b1;
        if (sync_ack_i && (sync_begun_q || sync_new)) sync_acked_q <= 1'b1;
      end
    end
  end

endmodule

`default_nettype wire
