// SPDX-License-Identifier: Apache-2.0
//
// Datums at fixed places, by their size: 128 lanes of 4 bits, 64 of 8 (or 2), 32 of 16, 16 of 32.
// Magnitudes of BFP are shifted to the top.
//
// Latency: in w + 2, out in w + 3. Handshake: none; lanes that have no datum keep what they had.
// Reset: nothing valid. In lanes 0 to 31 a small datum is in the low bits.
`default_nettype none

module unpack_write_lanes
  import unpack_pkg::*;
  import unpack_write_pkg::*;
(
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                valid_i,
  input  wire logic                second_i,
  input  wire lanes_t              lanes_i,
  input  wire logic [511:0]        datums_i,
  input  wire logic [Exponents-1:0][7:0] exponents_i,
  output wire logic                valid_o,
  output wire logic                second_o,
  output wire lanes_t              lanes_o,
  output wire logic [Exponents-1:0][7:0] exponents_o,
  output wire logic [15:0]         later_o,      // lane k of 16 has the exponent behind
  output wire logic [15:0][31:0]   words_o,      // lanes 0 to 15
  output wire logic [15:0][15:0]   halves_o,     // lanes 16 to 31
  output wire logic [31:0][10:0]   bytes_o,      // lanes 32 to 63: small_t
  output wire logic [63:0][10:0]   nibbles_o     // lanes 64 to 127: small_t
);

  localparam int SmallWidth = $bits(small_t);

  function automatic logic [SmallWidth-1:0] normal(input logic [7:0] x, input logic bfp);
    small_t y;

    y.sign = x[7];
    y.magnitude = x[6:0];
    y.shift = '0;
    if (bfp) begin
      if (y.magnitude[6:3] == 4'd0) begin
        y.magnitude = {y.magnitude[2:0], 4'd0};
        y.shift[2] = 1'b1;
      end
      if (y.magnitude[6:5] == 2'd0) begin
        y.magnitude = {y.magnitude[4:0], 2'd0};
        y.shift[1] = 1'b1;
      end
      if (!y.magnitude[6]) begin
        y.magnitude = {y.magnitude[5:0], 1'b0};
        y.shift[0] = 1'b1;
      end
    end
    normal = y;
  endfunction

  // A datum of at most eight bits, left-aligned.
  function automatic logic [SmallWidth-1:0] byte_of(
      input logic [7:0] of_8, input logic [3:0] of_4, input logic [1:0] of_2,
      input logic [2:0] size, input logic bfp);
    byte_of = normal(size == 3'd3 ? of_8 : size == 3'd2 ? {of_4, 4'd0} : {of_2, 6'd0}, bfp);
  endfunction

  function automatic logic [15:0][31:0] words(input logic [511:0] x, input logic [2:0] size,
                                              input logic bfp);
    for (int i = 0; i < 16; i++) begin
      if (size[2]) words[i] = {size[0] ? x[32*i+16+:16] : 16'd0,
                               size[0] ? x[32*i+:16] : x[16*i+:16]};
      else words[i] = {21'd0, byte_of(x[8*i+:8], x[4*i+:4], x[2*i+:2], size, bfp)};
    end
  endfunction

  function automatic logic [15:0][15:0] halves(input logic [511:0] x, input logic [2:0] size,
                                               input logic bfp);
    for (int i = 16; i < 32; i++) begin
      if (size[2]) halves[i-16] = x[16*i+:16];
      else halves[i-16] = {5'd0, byte_of(x[8*i+:8], x[4*i+:4], x[2*i+:2], size, bfp)};
    end
  endfunction

  function automatic logic [31:0][10:0] bytes(input logic [511:0] x, input logic [2:0] size,
                                              input logic bfp);
    for (int i = 32; i < 64; i++)
      bytes[i-32] = byte_of(x[8*i+:8], x[4*i+:4], x[2*i+:2], size, bfp);
  endfunction

  function automatic logic [63:0][10:0] nibbles(input logic [511:0] x);
    for (int i = 64; i < 128; i++) nibbles[i-64] = normal({x[4*i+:4], 4'd0}, 1'b1);
  endfunction

  function automatic logic [15:0] later(input logic [3:0] place);
    for (int k = 0; k < 16; k++) later[k] = {1'b0, place} + 5'(k) > 5'd15;
  endfunction

  lanes_t lanes_q;
  logic [Exponents-1:0][7:0] exponents_q;
  logic [15:0] later_q;
  logic [15:0][31:0] words_q;
  logic [15:0][15:0] halves_q;
  logic [31:0][10:0] bytes_q;
  logic [63:0][10:0] nibbles_q;

  wire logic load = valid_i && !second_i;

  unpack_write_stage u_stage (
    .clk_i, .rst_ni, .valid_i, .second_i, .valid_o, .second_o
  );

  assign lanes_o = lanes_q;
  assign exponents_o = exponents_q;
  assign later_o = later_q;
  assign words_o = words_q;
  assign halves_o = halves_q;
  assign bytes_o = bytes_q;
  assign nibbles_o = nibbles_q;

  always_ff @(posedge clk_i) begin
    if (load) begin
      lanes_q <= lanes_i;
      words_q <= words(datums_i, lanes_i.size, lanes_i.how.bfp);
      if (lanes_i.expands || lanes_i.count > 8'd16)
        halves_q <= halves(datums_i, lanes_i.size, lanes_i.how.bfp);
      if (!lanes_i.expands && lanes_i.count > 8'd32)
        bytes_q <= bytes(datums_i, lanes_i.size, lanes_i.how.bfp);
      if (!lanes_i.expands && lanes_i.count > 8'd64) nibbles_q <= nibbles(datums_i);
      if (lanes_i.how.bfp) begin
        exponents_q <= exponents_i;
        later_q <= later(lanes_i.exponent[3:0]);
      end
    end
  end

endmodule

`default_nettype wire
