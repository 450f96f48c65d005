// SPDX-License-Identifier: Apache-2.0
//
// The datums of a beat, one behind the other, out of the lines of its answer, and the exponents
// that they use: up to nine, of 16 datums each.
//
// Latency: combinational. Handshake: none; the outputs are 0 without valid_i. Lines that are not
// in L1 are 0, whatever the memory answered (U66).
`default_nettype none

module unp_gather
  import unpack_step_pkg::*;
(
  input  wire logic                   valid_i,
  input  wire logic [639:0]           answer_i,  // {exponent, line3 ... line0}
  input  wire logic [4:0]             in_l1_i,   // likewise
  input  wire logic                   merged_i,  // chunk k of the datums is in line chunks_i[k]
  input  wire logic [17:0]            chunks_i,
  input  wire logic [10:0]            offset_i,  // of the first datum, bits
  input  wire logic                   read_exponent_i,
  input  wire logic [7:0]             exponent_i, // itself; read: its place in the line
  output wire logic [1023:0]          datums_o,
  output wire logic [71:0]            exponents_o
);

  // {exponents, datums}
  function automatic logic [1095:0] gathered(
      input logic valid, input logic [639:0] answer, input logic [4:0] in_l1, input logic merged,
      input logic [17:0] chunks, input logic [10:0] offset, input logic read_exponent,
      input logic [7:0] exponent);
    logic [1151:0] chain;
    logic [511:0] lines;
    logic [127:0] line;
    logic [71:0] exponents;

    gathered = '0;
    if (valid) begin
      lines = '0;
      /* verilator unroll_disable */
      for (int k = 0; k < 4; k++) if (in_l1[k]) lines[128*k+:128] = answer[128*k+:128];
      chain = '0;
      if (merged) begin
        /* verilator unroll_disable */
        for (int k = 0; k < ChunkCount; k++)
          chain[128*k+:128] = lines[{chunks[2*k+:2], 7'd0}+:128];
      end else begin
        chain[511:0] = lines;
      end
      chain = chain >> offset;
      line = in_l1[4] ? answer[639:512] : '0;
      // the line may go on with its own begin: a fifo of one line
      exponents = read_exponent ? 72'({line, line} >> {exponent[7:4], 3'd0}) : {9{exponent}};
      gathered = {exponents, chain[1023:0]};
    end
  endfunction

  wire logic [1095:0] both = gathered(valid_i, answer_i, in_l1_i, merged_i, chunks_i, offset_i,
                                      read_exponent_i, exponent_i);

  assign datums_o = both[1023:0];
  assign exponents_o = both[1095:1024];

endmodule

`default_nettype wire
