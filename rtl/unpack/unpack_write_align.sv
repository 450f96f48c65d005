// SPDX-License-Identifier: Apache-2.0
//
// The lines of a beat, moved so that the step's first datum is at bit 0, and the exponents that its
// datums can have.
//
// Latency: lines come in w + 1 and are out as datums in w + 2. Handshake: none. Reset: nothing valid.
// Lines that are not in L1 are 0 (U66). An expanding step's first datum may be in any line.
`default_nettype none

module unpack_write_align
  import unpack_pkg::*;
  import unpack_write_pkg::*;
(
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                valid_i,         // in w + 1
  input  wire logic [LineBits-1:0] lines_i,
  input  wire logic                second_i,
  input  wire lanes_t              lanes_i,
  input  wire logic [7:0]          shift_i,         // quarters of a byte
  input  wire logic [3:0]          in_l1_i,
  input  wire logic                exponent_in_l1_i,
  output wire logic                valid_o,         // in w + 2
  output wire logic                second_o,
  output wire lanes_t              lanes_o,
  output wire logic [511:0]        datums_o,
  output wire logic [Exponents-1:0][7:0] exponents_o
);

  function automatic logic [511:0] aligned(input logic [511:0] lines, input logic [3:0] in_l1,
                                           input logic [7:0] shift);
    logic [511:0] x;

    for (int k = 0; k < 4; k++) x[128*k+:128] = in_l1[k] ? lines[128*k+:128] : 128'd0;
    if (shift[7]) x[255:0] = x[511:256];
    if (shift[6]) x[383:0] = x[511:128];
    if (shift[5]) x = x >> 64;
    if (shift[4]) x = x >> 32;
    if (shift[3]) x = x >> 16;
    if (shift[2]) x = x >> 8;
    if (shift[1]) x = x >> 4;
    if (shift[0]) x[127:0] = x[129:2];  // BFP2: a line
    aligned = x;
  endfunction

  function automatic logic [Exponents-1:0][7:0] exponents(
      input logic [127:0] line, input logic in_l1, input logic [3:0] first);
    logic [127:0] x;

    x = in_l1 ? line : 128'd0;
    if (first[3]) x = x >> 64;
    if (first[2]) x = x >> 32;
    if (first[1]) x = x >> 16;
    if (first[0]) x = x >> 8;
    exponents = x[8*Exponents-1:0];
  endfunction

  lanes_t lanes_q;
  logic [511:0] datums_q;
  logic [Exponents-1:0][7:0] exponents_q;

  unpack_write_stage u_stage (
    .clk_i, .rst_ni, .valid_i, .second_i, .valid_o, .second_o
  );

  assign lanes_o = lanes_q;
  assign datums_o = datums_q;
  assign exponents_o = exponents_q;

  always_ff @(posedge clk_i) begin
    if (valid_i && !second_i) begin
      lanes_q <= lanes_i;
      datums_q <= aligned(lines_i[511:0], in_l1_i, shift_i);
      if (lanes_i.how.bfp)
        exponents_q <= lanes_i.read_exponent
                       ? exponents(lines_i[639:512], exponent_in_l1_i, lanes_i.exponent[7:4])
                       : {Exponents{lanes_i.exponent}};
    end
  end

endmodule

`default_nettype wire
