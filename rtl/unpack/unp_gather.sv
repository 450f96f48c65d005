// SPDX-License-Identifier: Apache-2.0
//
// The datums of a beat, one behind the other, out of the lines of its answer.
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
  output wire logic [1023:0]          datums_o,
  output wire logic [127:0]           exponents_o
);

  // {exponents, datums}
  function automatic logic [1151:0] gathered(
      input logic valid, input logic [639:0] answer, input logic [4:0] in_l1, input logic merged,
      input logic [17:0] chunks, input logic [10:0] offset);
    logic [1151:0] chain;
    logic [511:0] lines;

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
      gathered = {in_l1[4] ? answer[639:512] : 128'd0, chain[1023:0]};
    end
  endfunction

  assign {exponents_o, datums_o} = gathered(valid_i, answer_i, in_l1_i, merged_i, chunks_i,
                                            offset_i);

endmodule

`default_nettype wire
