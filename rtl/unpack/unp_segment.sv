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
  input  wire logic [3:0]              place_i,     // of segment 0's lane 0, of those that share
  input  wire logic [71:0]             exponents_i, // ... the lowest of these
  input  wire logic [ConvertWidth-1:0] how_i,
  output wire logic [LowWidth-1:0]     low_o,
  output wire logic [HighWidth-1:0]    high_o,      // bits 31:19
  output wire logic                    bad_exponent_o
);

  function automatic logic [ValuesWidth-1:0] converted(
      input logic valid, input logic [LaneCount-1:0] lanes, input logic [LaneCount-1:0] keep,
      input logic [1023:0] datums, input logic [2:0] size, input logic [3:0] place,
      input logic [71:0] exponents, input logic [ConvertWidth-1:0] how);
    converted = '0;
    if (valid)
      converted = convert_lanes(2'(Segment), lanes, keep, datums, size, place, exponents,
                                Fp8E5m2Fill != 0, how);
  endfunction

  wire logic [ValuesWidth-1:0] values = converted(
    valid_i, lanes_i, keep_i, datums_i, size_i, place_i, exponents_i, how_i);

  assign low_o = values[LowWidth-1:0];
  assign high_o = values[LowWidth+:HighWidth];
  assign bad_exponent_o = values[ValuesWidth-1];

endmodule

`default_nettype wire
