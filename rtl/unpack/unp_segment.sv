// SPDX-License-Identifier: Apache-2.0
//
// A segment of the write stage: takes up to 32 datums out of a beat and converts them.
//
// Latency: combinational. Handshake: none. A lane is a datum, lane 0 the lowest of datums_i;
// nothing is worked out for lanes that are not in lanes_i, and values are 0 but those of keep_i.
`default_nettype none

module unp_segment
  import unpack_step_pkg::*;
#(
  parameter int Segment     = 0,
  parameter int Fp8E5m2Fill = 1
) (
  input  wire logic                    valid_i,
  input  wire logic [LaneCount-1:0]    lanes_i,
  input  wire logic [LaneCount-1:0]    keep_i,
  input  wire logic [1023:0]           datums_i,    // of segment 0
  input  wire logic [2:0]              size_i,      // log2 of the bits of a datum
  input  wire logic                    read_exponent_i,
  input  wire logic [7:0]              exponent_i,  // of segment 0's lane 0: its place, or itself
  input  wire logic [127:0]            exponents_i,
  input  wire logic [ConvertWidth-1:0] how_i,
  output wire logic [SlotWidth*LaneCount-1:0] low_o,
  output wire logic [13*LaneCount-1:0] high_o,      // bits 31:19
  output wire logic                    bad_exponent_o
);

  localparam int LowWidth = SlotWidth * LaneCount;
  localparam int HighWidth = 13 * LaneCount;

  // {bad exponent, high, low}
  function automatic logic [LowWidth+HighWidth:0] converted(
      input logic valid, input logic [LaneCount-1:0] lanes, input logic [LaneCount-1:0] keep,
      input logic [1023:0] datums, input logic [2:0] size, input logic read_exponent,
      input logic [7:0] exponent, input logic [127:0] exponents,
      input logic [ConvertWidth-1:0] how);
    logic [LowWidth-1:0] low;
    logic [HighWidth-1:0] high;
    logic bad;
    logic [1023:0] mine;
    logic [31:0] datum;
    logic [7:0] at;
    logic [32:0] value;

    low = '0;
    high = '0;
    bad = 1'b0;
    if (valid) begin
      mine = datums >> (11'(LaneCount * Segment) << size);
      /* verilator unroll_disable */
      for (int i = 0; i < LaneCount; i++) begin
        if (lanes[i]) begin
          case (size)
            3'd1: datum = {30'd0, mine[2*i+:2]};
            3'd2: datum = {28'd0, mine[4*i+:4]};
            3'd3: datum = {24'd0, mine[8*i+:8]};
            3'd4: datum = {16'd0, mine[16*i+:16]};
            default: datum = mine[32*i+:32];
          endcase
          at = exponent;
          if (read_exponent) begin
            at = exponent + 8'(LaneCount * Segment + i);
            at = exponents[{at[7:4], 3'd0}+:8];
          end
          value = convert(datum, at, Fp8E5m2Fill != 0, how);
          if (value[32]) bad = 1'b1;
          if (keep[i]) begin
            low[SlotWidth*i+:SlotWidth] = value[SlotWidth-1:0];
            high[13*i+:13] = value[31:SlotWidth];
          end
        end
      end
    end
    converted = {bad, high, low};
  endfunction

  assign {bad_exponent_o, high_o, low_o} = converted(
    valid_i, lanes_i, keep_i, datums_i, size_i, read_exponent_i, exponent_i, exponents_i, how_i);

endmodule

`default_nettype wire
