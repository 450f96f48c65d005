// SPDX-License-Identifier: Apache-2.0
//
// The read port of the histograms (P27): sixteen bins of a packer, or the maximum of packer 0.
//
// Latency: a read in c is out in c+1. Handshake: none. Reset: no answer.
`default_nettype none

module pack_histogram_read
  import pack_pkg::*;
#(
  parameter int Packers = 4
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  input  wire histogram_command_t     command_i,
  input  wire logic [256*Packers-1:0] bins_i,     // 32 of 8 bits of each, bin 0 lowest
  input  wire logic [7:0]             maximum_i,  // of packer 0
  output wire logic                   clear_o,
  output wire histogram_data_t        data_o
);

  localparam logic [3:0] ModeLow = 4'd6, ModeHigh = 4'd7, ModeMaximum = 4'd9;

  logic valid_q;
  logic [127:0] data_q;
  wire logic [255:0] all_bins;

  if (Packers == 1) begin : gen_one
    wire logic [1:0] unused_packer = command_i.packer;

    assign all_bins = bins_i;
  end else begin : gen_several
    assign all_bins = bins_i[256*command_i.packer+:256];
  end

  wire logic reads = command_i.valid && !command_i.op;

  assign clear_o = command_i.valid && command_i.op;
  assign data_o = {valid_q, data_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      data_q <= '0;
    end else begin
      valid_q <= reads;
      if (reads) begin
        case (command_i.mode)
          ModeLow: data_q <= all_bins[127:0];
          ModeHigh: data_q <= all_bins[255:128];
          ModeMaximum: data_q <= {120'd0, maximum_i};
          default: data_q <= '0;
        endcase
      end
    end
  end

endmodule

`default_nettype wire
