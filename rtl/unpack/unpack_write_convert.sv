// SPDX-License-Identifier: Apache-2.0
//
// Datums become values of Src (19 bits) or Dst (16 or 32 bits): docs/unpack.md section 5.4.
//
// Latency: in w + 3, out in w + 4. Handshake: none; lanes that have no datum keep what they had.
// Reset: nothing valid. Of an expanding step count_i says how many datums there are.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module unpack_write_convert
  import unpack_pkg::*;
  import unpack_write_pkg::*;
#(
  parameter int Unpacker    = 0,
  parameter int Fp8E5m2Fill = 1
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                valid_i,
  input  wire logic                second_i,
  input  wire lanes_t              lanes_i,
  input  wire logic [5:0]          count_i,
  input  wire logic [Exponents-1:0][7:0] exponents_i,
  input  wire logic [15:0]         later_i,
  input  wire logic [15:0][31:0]   words_i,
  input  wire logic [15:0][15:0]   halves_i,
  input  wire logic [31:0][10:0]   bytes_i,
  input  wire logic [63:0][10:0]   nibbles_i,
  output wire logic                valid_o,
  output wire logic                second_o,
  output wire lanes_t              lanes_o,
  output wire logic [Slots-1:0][SrcBits-1:0] low_o,
  output wire logic [HighLanes-1:0][HighBits-1:0] high_o,
  output wire logic                bad_exponent_o
);

  localparam int HowWidth = $bits(how_t);
  localparam int SmallWidth = $bits(small_t);
  // A value in parts, and a BFPa exponent that is out of range.
  typedef struct packed {
    logic       bad;
    logic       sign;
    logic [9:0] mantissa;
    logic [7:0] exponent;
  } number_t;

  localparam int NumberWidth = $bits(number_t);

  // BFP: with the exponent of its group.
  function automatic logic [NumberWidth-1:0] of_bfp(
      input logic [SmallWidth-1:0] x_i, input logic [7:0] exponent, input logic bfpa);
    small_t x;
    number_t y;
    logic [7:0] less;

    x = x_i;
    less = exponent - {5'd0, x.shift};
    if (!x.magnitude[6]) less = {8{x.sign}};
    y.bad = bfpa && x.magnitude[6] && less[7:5] != 3'd0;
    y.sign = x.sign;
    y.mantissa = {x.magnitude[5:0], 4'd0};
    y.exponent = {bfpa ? 3'd0 : less[7:5], less[4:0]};
    of_bfp = y;
  endfunction

  // Any datum of at most eight bits.
  function automatic logic [NumberWidth-1:0] of_small(
      input logic [SmallWidth-1:0] x_i, input logic [7:0] exponent,
      input logic [HowWidth-1:0] how_i);
    how_t how;
    small_t x;
    number_t y;
    logic ones, high;

    how = how_i;
    x = x_i;
    y = of_bfp(x_i, exponent, how.bfpa);
    ones = x.magnitude == 7'h7f;
    high = x.sign && how.int8_unsigned;
    if (!how.bfp) begin
      y.bad = 1'b0;
      if (how.int8) begin
        y.sign = x.sign && !how.int8_unsigned;
        y.mantissa = {2'd0, high, x.magnitude};
        y.exponent = {3'd0, high || x.magnitude != 7'd0, 4'd0};
      end else if (how.e4m3) begin
        y.mantissa = {x.magnitude[2:0], {7{ones}}};
        y.exponent = {3'd0, x.magnitude[6], x.magnitude[6:3] != 4'd0 && !x.magnitude[6],
                      x.magnitude[5:3]};
      end else begin
        y.mantissa = {x.magnitude[1:0], {8{ones && Fp8E5m2Fill != 0}}};
        y.exponent = {3'd0, x.magnitude[6:2]};
      end
    end
    of_small = y;
  endfunction

  // BF16, FP16, INT16.
  function automatic logic [NumberWidth-1:0] of_half(input logic [15:0] x,
                                                     input logic [HowWidth-1:0] how_i);
    how_t how;
    number_t y;

    how = how_i;
    y.bad = 1'b0;
    y.sign = x[15];
    y.mantissa = how.bf16 ? {x[6:0], 3'd0} : how.fp16 ? x[9:0] : {x[14:8], 3'd0};
    y.exponent = how.bf16 ? x[14:7] : how.fp16 ? {3'd0, x[14:10]} : x[7:0];
    of_half = y;
  endfunction

  // 32 bits, to Src or to the 16 bits of BF16 and FP16 (U46 to U48).
  function automatic logic [NumberWidth-1:0] of_word(input logic [31:0] x,
                                                     input logic [HowWidth-1:0] how_i);
    how_t how;
    number_t y;

    how = how_i;
    y.bad = 1'b0;
    y.sign = x[31];
    y.mantissa = x[22:13];
    y.exponent = x[30:23];
    if (how.to_bf16) begin
      y.mantissa = x[30:23] == 8'd0 ? 10'd0 : {x[22:16], 3'd0};
    end else if (how.to_fp16) begin
      y.exponent = {3'd0, !x[27], x[26:23]};
      if (!x[30] && x[29:27] != 3'd7) begin
        y.mantissa = 10'd0;
        y.exponent = 8'd0;
      end else if (x[30] && x[29:27] != 3'd0) begin
        y.mantissa = 10'h3ff;
        y.exponent = 8'd31;
      end
    end
    of_word = y;
  endfunction

  // As Src has it, or Dst; half: five bits of exponent and ten of mantissa, else eight and seven.
  function automatic logic [SrcBits-1:0] packed_up(input logic [NumberWidth-1:0] x_i,
                                                   input logic half, input logic to_dst);
    number_t x;

    x = x_i;
    if (Unpacker == 1 || !to_dst) packed_up = {x.sign, x.mantissa, x.exponent};
    else if (half) packed_up = {3'd0, x.sign, x.mantissa, x.exponent[4:0]};
    else packed_up = {3'd0, x.sign, x.mantissa[9:3], x.exponent};
  endfunction

  // The exponents of 16 lanes.
  function automatic logic [15:0][7:0] lane_exponents(input logic [15:0] later,
                                                      input logic [7:0] mine,
                                                      input logic [7:0] behind);
    /* verilator no_inline_task */  // else each call is a copy in Verilator's C++
    for (int k = 0; k < 16; k++) lane_exponents[k] = later[k] ? behind : mine;
  endfunction

  // ---- groups of lanes: {bad exponents, values}
  localparam int LowBits = 16 * SrcBits;

  function automatic logic [16*HighBits+16+LowBits-1:0] of_words(
      input logic [15:0][31:0] words, input logic [2:0] size, input logic [15:0][7:0] exponent,
      input logic [HowWidth-1:0] how_i);
    how_t how;
    number_t y;
    logic [31:0] x;
    logic [15:0][HighBits-1:0] high;
    logic [15:0] bad, upper;
    logic [15:0][SrcBits-1:0] low;

    how = how_i;
    for (int i = 0; i < 16; i++) begin
      x = words[i];
      if (size == 3'd5) y = of_word(x, how_i);
      else if (size == 3'd4) y = of_half(x[15:0], how_i);
      else y = of_small(x[10:0], exponent[i], how_i);
      bad[i] = y.bad;
      low[i] = packed_up(y, how.half, how.to_dst);
      high[i] = '0;
      if (Unpacker == 0 && size == 3'd5 && how.to_dst && !how.to_bf16 && !how.to_fp16) begin
        upper = how.wide ? {x[31], x[22:16], x[30:23]} : 16'd0;
        low[i] = {upper[2:0], x[15:0]};
        high[i] = upper[15:3];
      end
    end
    of_words = {high, bad, low};
  endfunction

  function automatic logic [16+LowBits-1:0] of_halves(
      input logic [15:0][15:0] halves, input logic [2:0] size, input logic [15:0][7:0] exponent,
      input logic [HowWidth-1:0] how_i);
    how_t how;
    number_t y;
    logic [15:0] x;
    logic [15:0] bad;
    logic [15:0][SrcBits-1:0] low;

    how = how_i;
    for (int i = 0; i < 16; i++) begin
      x = halves[i];
      y = size[2] ? of_half(x, how_i) : of_small(x[10:0], exponent[i], how_i);
      bad[i] = y.bad;
      low[i] = packed_up(y, how.half, how.to_dst);
    end
    of_halves = {bad, low};
  endfunction

  function automatic logic [16+LowBits-1:0] of_bytes(
      input logic [15:0][10:0] x, input logic [15:0][7:0] exponent,
      input logic [HowWidth-1:0] how_i);
    /* verilator no_inline_task */
    how_t how;
    number_t y;
    logic [15:0] bad;
    logic [15:0][SrcBits-1:0] low;

    how = how_i;
    for (int i = 0; i < 16; i++) begin
      y = of_small(x[i], exponent[i], how_i);
      bad[i] = y.bad;
      low[i] = packed_up(y, how.half, how.to_dst);
    end
    of_bytes = {bad, low};
  endfunction

  // BFP4 to Src: Dst gets at most two lines of it.
  function automatic logic [16+LowBits-1:0] of_nibbles(
      input logic [15:0][10:0] x, input logic [15:0][7:0] exponent, input logic bfpa);
    /* verilator no_inline_task */
    number_t y;
    logic [15:0] bad;
    logic [15:0][SrcBits-1:0] low;

    for (int i = 0; i < 16; i++) begin
      y = of_bfp(x[i], exponent[i], bfpa);
      bad[i] = y.bad;
      low[i] = packed_up(y, 1'b0, 1'b0);
    end
    of_nibbles = {bad, low};
  endfunction

  // ---- the stage
  wire logic [HowWidth-1:0] how = lanes_i.how;
  wire logic [7:0] count = lanes_i.expands ? {2'd0, count_i} : lanes_i.count;
  wire logic load = valid_i && !second_i;

  lanes_t lanes_q;
  logic [7:0] count_q;
  logic [15:0][HighBits-1:0] high_q;
  wire logic [Slots-1:0] bad;
  wire logic [Slots*SrcBits-1:0] low;
  wire logic [32*SmallWidth-1:0] bytes = bytes_i;
  wire logic [64*SmallWidth-1:0] nibbles = nibbles_i;

  for (genvar g = 0; g < 8; g++) begin : gen_group
    wire logic [15:0][7:0] exponent = lane_exponents(later_i, exponents_i[g], exponents_i[g+1]);
    wire logic here = load && (g == 0 || g == 1 && lanes_i.expands ||
                               !lanes_i.expands && lanes_i.count > 8'(16 * g));
    logic [15:0] bad_q;
    logic [LowBits-1:0] low_q;

    assign bad[16*g+:16] = bad_q;
    assign low[LowBits*g+:LowBits] = low_q;

    if (g == 0) begin : gen_words
      always_ff @(posedge clk_i) begin
        if (here) {high_q, bad_q, low_q} <= of_words(words_i, lanes_i.size, exponent, how);
        if (here && lanes_i.how.none) {high_q, low_q} <= '0;
      end
    end else if (g == 1) begin : gen_halves
      always_ff @(posedge clk_i) begin
        if (here) {bad_q, low_q} <= of_halves(halves_i, lanes_i.size, exponent, how);
        if (here && lanes_i.how.none) low_q <= '0;
      end
    end else if (g < 4) begin : gen_bytes
      always_ff @(posedge clk_i) begin
        if (here) {bad_q, low_q} <= of_bytes(bytes[16*SmallWidth*(g-2)+:16*SmallWidth],
                                        exponent, how);
        if (here && lanes_i.how.none) low_q <= '0;
      end
    end else begin : gen_nibbles
      always_ff @(posedge clk_i) begin
        if (here) {bad_q, low_q} <= of_nibbles(nibbles[16*SmallWidth*(g-4)+:16*SmallWidth],
                                        exponent, lanes_i.how.bfpa);
        if (here && lanes_i.how.none) low_q <= '0;
      end
    end
  end

  // The bits of lanes that have a datum.
  function automatic logic [Slots-1:0] with_datum(input logic [7:0] n);
    for (int g = 0; g < 8; g++)
      with_datum[16*g+:16] = n[7:4] > 4'(g) ? 16'hffff
                             : n[7:4] == 4'(g) ? ~(16'hffff << n[3:0]) : 16'd0;
  endfunction

  unpack_write_stage u_stage (
    .clk_i, .rst_ni, .valid_i, .second_i, .valid_o, .second_o
  );

  assign lanes_o = lanes_q;
  assign low_o = low;
  assign high_o = high_q;
  assign bad_exponent_o = valid_o && !second_o && lanes_q.how.bfpa &&
                          (bad & with_datum(count_q)) != '0;

  always_ff @(posedge clk_i) begin
    if (load) begin
      lanes_q <= lanes_i;
      count_q <= count;
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
