// SPDX-License-Identifier: Apache-2.0
//
// Four registers on a bus. Latency: 1 cycle from a read to its answer. Handshake: none. Reset: all 0.
//   0 control, 8 bits, read and write
//   1 events seen since they were cleared, 4 bits; a 1 that is written clears, unless there is one
//   2 writes so far, 16 bits, read only
//   3 scratch, 32 bits, read and write
`timescale 1ns / 1ps
`default_nettype none

module regs (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic        bus_req_i,
  input wire logic        bus_write_i,
  input wire logic [2:0]  bus_addr_i,
  input wire logic [31:0] bus_data_i,
  output logic            rsp_valid_o,
  output logic [31:0]     rsp_data_o,
  input wire logic [3:0]  events_i,
  output logic [7:0]      control_o
);

  logic [3:0]  seen_q;
  logic [15:0] writes_q;
  logic [31:0] scratch_q, read;
  logic        write;

  assign write = bus_req_i && bus_write_i;

  always_comb begin
    unique case (bus_addr_i)
      3'd0: read = 32'(control_o);
      3'd1: read = 32'(seen_q);
      3'd2: read = 32'(writes_q);
      3'd3: read = scratch_q;
      default: read = '0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {rsp_valid_o, control_o, seen_q, writes_q, scratch_q} <= '0;
    end else begin
      rsp_valid_o <= bus_req_i && !bus_write_i;
      seen_q <= (write && bus_addr_i == 3'd1 ? seen_q & ~bus_data_i[3:0] : seen_q) | events_i;
      if (write) begin
        writes_q <= writes_q + 16'd1;
        if (bus_addr_i == 3'd0) control_o <= bus_data_i[7:0];
        if (bus_addr_i == 3'd3) scratch_q <= bus_data_i;
      end
    end
  end

  always_ff @(posedge clk_i) rsp_data_o <= read;

endmodule

`default_nettype wire
