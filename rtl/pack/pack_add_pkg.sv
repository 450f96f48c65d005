// SPDX-License-Identifier: Apache-2.0
//
// Additions of L1 accumulation (P40, P62) in five stages: unpack and order, align, add, normalise,
// round. Sums are exact up to their one rounding to nearest, ties to even: the smaller summand is
// shifted to three bits behind the larger one, the last of which tells whether anything is lost.
`default_nettype none

package pack_add_pkg;

  // ---- FP16 and BF16
  typedef struct packed {
    logic        special;     // the sum is infinite, or not a number, whatever the rest says
    logic        invalid;     // not a number
    logic        quirk;       // FP16: exponent 30 or 31 in L1
    logic        negative;    // of the larger summand
    logic        subtract;
    logic [7:0]  exponent;    // of the larger one
    logic [7:0]  distance;    // of the exponents
    logic [10:0] larger;
    logic [10:0] smaller;
  } ordered16_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        quirk;
    logic        negative;
    logic        subtract;
    logic [7:0]  exponent;
    logic [13:0] larger;      // with three bits behind
    logic [13:0] smaller;
  } aligned16_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        quirk;
    logic        negative;
    logic        subtract;
    logic [7:0]  exponent;    // of bit 13
    logic [14:0] sum;
  } sum16_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        quirk;
    logic        negative;
    logic        zero;
    logic [9:0]  exponent;    // two's complement
    logic [14:0] sum;         // bit 14 set
  } normal16_t;

  // ---- FP32 and INT32 (sign and magnitude)
  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        negative;
    logic        subtract;
    logic [7:0]  exponent;
    logic [7:0]  distance;
    logic [30:0] larger;
    logic [30:0] smaller;
  } ordered32_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        negative;
    logic        subtract;
    logic [7:0]  exponent;
    logic [30:0] larger;
    logic [30:0] smaller;
  } aligned32_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        negative;
    logic [7:0]  exponent;    // of bit 26
    logic [31:0] sum;
  } sum32_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        negative;
    logic        zero;
    logic [9:0]  exponent;
    logic [31:0] sum;         // FP32: bit 27 set
  } normal32_t;

  function automatic logic [$bits(ordered16_t)-1:0] order16(
      input logic [15:0] l1, input logic [15:0] datum, input logic bf);
    ordered16_t o;
    logic [18:0] x, y;  // exponent, significand
    logic x_top, y_top, x_nan, y_inf, x_inf, swap;

    x = bf ? {l1[14:7], 1'b1, l1[6:0], 3'd0} : {3'd0, l1[14:10], 1'b1, l1[9:0]};
    y = bf ? {datum[14:7], 1'b1, datum[6:0], 3'd0} : {3'd0, datum[14:10], 1'b1, datum[9:0]};
    if (x[18:11] == 8'd0) x = '0;
    if (y[18:11] == 8'd0) y = '0;
    x_top = bf && l1[14:7] == 8'hFF;
    y_top = bf && datum[14:7] == 8'hFF;
    x_inf = x_top && l1[6:0] == '0;
    y_inf = y_top && datum[6:0] == '0;
    x_nan = x_top && l1[6:0] != '0;
    swap = y > x;
    o.special = x_top || y_inf;
    o.invalid = x_inf && y_inf && l1[15] != datum[15];
    o.quirk = !bf && l1[14:11] == 4'hF;
    o.subtract = l1[15] != datum[15];
    o.exponent = swap ? y[18:11] : x[18:11];
    o.distance = swap ? y[18:11] - x[18:11] : x[18:11] - y[18:11];
    o.larger = swap ? y[10:0] : x[10:0];
    o.smaller = swap ? x[10:0] : y[10:0];
    // what is infinite in L1 wins, then from the packer, then what is no number in L1
    if (x_inf) o.negative = l1[15];
    else if (y_inf) o.negative = datum[15];
    else if (x_nan) o.negative = l1[15];
    else o.negative = swap ? datum[15] : l1[15];
    order16 = o;
  endfunction

  function automatic logic [$bits(aligned16_t)-1:0] align16(input ordered16_t o);
    aligned16_t a;
    logic [13:0] shifted, lost;

    a.special = o.special;
    a.invalid = o.invalid;
    a.quirk = o.quirk;
    a.negative = o.negative;
    a.subtract = o.subtract;
    a.exponent = o.exponent;
    a.larger = {o.larger, 3'd0};
    shifted = {o.smaller, 3'd0};
    lost = '0;
    if (o.distance[7:4] != '0) begin
      lost = shifted;
      shifted = '0;
    end else begin
      lost = shifted & ~(14'h3FFF << o.distance[3:0]);
      shifted = shifted >> o.distance[3:0];
    end
    a.smaller = {shifted[13:1], shifted[0] || lost != '0};
    align16 = a;
  endfunction

  function automatic logic [$bits(sum16_t)-1:0] add16(input aligned16_t a);
    sum16_t s;

    s.special = a.special;
    s.invalid = a.invalid;
    s.quirk = a.quirk;
    s.negative = a.negative;
    s.subtract = a.subtract;
    s.exponent = a.exponent;
    s.sum = a.subtract ? {1'b0, a.larger} - {1'b0, a.smaller}
                       : {1'b0, a.larger} + {1'b0, a.smaller};
    add16 = s;
  endfunction

  function automatic logic [$bits(normal16_t)-1:0] normalise16(input sum16_t s);
    normal16_t n;
    logic [14:0] sum;
    logic [3:0] shift;

    sum = s.sum;
    shift[3] = sum[14:7] == '0;
    if (shift[3]) sum = sum << 8;
    shift[2] = sum[14:11] == '0;
    if (shift[2]) sum = sum << 4;
    shift[1] = sum[14:13] == '0;
    if (shift[1]) sum = sum << 2;
    shift[0] = !sum[14];
    if (shift[0]) sum = sum << 1;
    n.special = s.special;
    n.invalid = s.invalid;
    n.quirk = s.quirk;
    n.zero = s.sum == '0;
    n.negative = s.negative && !(n.zero && s.subtract);
    n.quirk = s.quirk && s.subtract;
    n.exponent = {2'd0, s.exponent} + 10'd1 - {6'd0, shift};
    n.sum = sum;
    normalise16 = n;
  endfunction

  function automatic logic [15:0] round16(input normal16_t n, input logic bf, input logic quirk);
    logic [10:0] rounded;  // mantissa, carry
    logic [9:0] exponent;
    logic up;

    up = bf ? n.sum[6] && (n.sum[7] || n.sum[5:0] != '0)
            : n.sum[3] && (n.sum[4] || n.sum[2:0] != '0);
    rounded = (bf ? {4'd0, n.sum[13:7]} : {1'b0, n.sum[13:4]}) + {10'd0, up};
    exponent = n.exponent + {9'd0, bf ? rounded[7] : rounded[10]};
    if (n.special) begin
      round16 = n.invalid ? 16'h7FC0 : {n.negative, 15'h7F80};
    end else if (n.zero) begin
      round16 = quirk && n.quirk ? 16'h7FFF : {n.negative, 15'd0};
    end else if (bf) begin
      if (exponent[9] || exponent == '0) round16 = {n.negative, 15'd0};
      else if (exponent >= 10'd255) round16 = {n.negative, 15'h7F80};
      else round16 = {n.negative, exponent[7:0], rounded[6:0]};
    end else begin
      if (exponent[9]) round16 = {n.negative, quirk ? 15'h7FFF : 15'd0};
      else if (exponent == '0) round16 = {n.negative, 15'd0};
      else if (exponent > 10'd31) round16 = {n.negative, 15'h7FFF};
      else round16 = {n.negative, exponent[4:0], rounded[9:0]};
    end
  endfunction

  function automatic logic [$bits(ordered32_t)-1:0] order32(
      input logic [31:0] l1, input logic [31:0] datum, input logic integers);
    ordered32_t o;
    logic [30:0] x, y;
    logic x_top, y_top, swap;

    x = l1[30:0];
    y = datum[30:0];
    if (!integers && x[30:23] == '0) x = '0;
    if (!integers && y[30:23] == '0) y = '0;
    x_top = !integers && x[30:23] == '1;
    y_top = !integers && y[30:23] == '1;
    swap = y > x;
    o.special = x_top || y_top;
    o.subtract = l1[31] != datum[31];
    o.invalid = (x_top && x[22:0] != '0) || (y_top && y[22:0] != '0)
                || (x_top && y_top && o.subtract);
    o.negative = swap ? datum[31] : l1[31];
    o.exponent = swap ? y[30:23] : x[30:23];
    o.distance = integers ? 8'd0 : swap ? y[30:23] - x[30:23] : x[30:23] - y[30:23];
    o.larger = swap ? y : x;
    o.smaller = swap ? x : y;
    if (!integers) begin
      o.larger = {4'd0, o.larger != '0, o.larger[22:0], 3'd0};
      o.smaller = {4'd0, o.smaller != '0, o.smaller[22:0], 3'd0};
    end
    order32 = o;
  endfunction

  function automatic logic [$bits(aligned32_t)-1:0] align32(input ordered32_t o);
    aligned32_t a;
    logic [30:0] shifted, lost;

    a.special = o.special;
    a.invalid = o.invalid;
    a.negative = o.negative;
    a.subtract = o.subtract;
    a.exponent = o.exponent;
    a.larger = o.larger;
    if (o.distance[7:5] != '0) begin
      lost = o.smaller;
      shifted = '0;
    end else begin
      lost = o.smaller & ~(31'h7FFFFFFF << o.distance[4:0]);
      shifted = o.smaller >> o.distance[4:0];
    end
    a.smaller = {shifted[30:1], shifted[0] || lost != '0};
    align32 = a;
  endfunction

  function automatic logic [$bits(sum32_t)-1:0] add32(input aligned32_t a);
    sum32_t s;

    s.special = a.special;
    s.invalid = a.invalid;
    s.exponent = a.exponent;
    s.sum = a.subtract ? {1'b0, a.larger} - {1'b0, a.smaller}
                       : {1'b0, a.larger} + {1'b0, a.smaller};
    s.negative = a.negative && !(a.subtract && a.larger == a.smaller);
    add32 = s;
  endfunction

  function automatic logic [$bits(normal32_t)-1:0] normalise32(
      input sum32_t s, input logic integers);
    normal32_t n;
    logic [27:0] sum;
    logic [4:0] shift;

    sum = s.sum[27:0];
    shift[4] = sum[27:12] == '0;
    if (shift[4]) sum = sum << 16;
    shift[3] = sum[27:20] == '0;
    if (shift[3]) sum = sum << 8;
    shift[2] = sum[27:24] == '0;
    if (shift[2]) sum = sum << 4;
    shift[1] = sum[27:26] == '0;
    if (shift[1]) sum = sum << 2;
    shift[0] = !sum[27];
    if (shift[0]) sum = sum << 1;
    n.special = s.special;
    n.invalid = s.invalid;
    n.negative = s.negative;
    n.zero = s.sum == '0;
    n.exponent = {2'd0, s.exponent} + 10'd1 - {5'd0, shift};
    n.sum = integers ? s.sum : {4'd0, sum};
    normalise32 = n;
  endfunction

  function automatic logic [31:0] round32(input normal32_t n, input logic integers);
    logic [23:0] rounded;  // mantissa, carry
    logic [9:0] exponent;

    rounded = {1'b0, n.sum[26:4]} + {23'd0, n.sum[3] && (n.sum[4] || n.sum[2:0] != '0)};
    exponent = n.exponent + {9'd0, rounded[23]};
    if (integers) round32 = {n.negative && !n.zero, n.sum[31] ? 31'h7FFFFFFF : n.sum[30:0]};
    else if (n.invalid) round32 = 32'h7FC00000;
    else if (n.special) round32 = {n.negative, 31'h7F800000};
    else if (n.zero || exponent[9] || exponent == '0) round32 = {n.negative, 31'd0};
    else if (exponent >= 10'd255) round32 = {n.negative, 31'h7F800000};
    else round32 = {n.negative, exponent[7:0], rounded[22:0]};
  endfunction

endpackage

`default_nettype wire
