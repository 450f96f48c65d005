// SPDX-License-Identifier: Apache-2.0
//
// Additions of L1 accumulation (P40, P62) in five stages: unpack and order, align, add, normalise,
// round. Sums are exact up to their one rounding to nearest, ties to even: the smaller summand is
// shifted to three bits behind the larger one, the last of which tells whether anything is lost.
// A lane of 32 bits adds FP16 and BF16 too: its upper half, made as wide as FP32 with zeros behind.
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
    logic [7:0]  below;       // exponent of the smaller one
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

  // ---- FP32 and INT32 (sign and magnitude), FP16 and BF16
  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        quirk;
    logic        negative;
    logic        subtract;
    logic [7:0]  exponent;
    logic [7:0]  below;
    logic [30:0] larger;
    logic [30:0] smaller;
  } ordered32_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        quirk;
    logic        negative;
    logic        subtract;
    logic [7:0]  exponent;
    logic [30:0] larger;
    logic [30:0] smaller;
  } aligned32_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        quirk;
    logic        negative;
    logic        subtract;
    logic [7:0]  exponent;    // of bit 26
    logic [31:0] sum;
  } sum32_t;

  typedef struct packed {
    logic        special;
    logic        invalid;
    logic        quirk;
    logic        negative;
    logic        zero;
    logic [9:0]  exponent;
    logic [31:0] sum;         // INT32 aside: bit 27 set
  } normal32_t;

  // what does not follow from the magnitudes of FP16 and BF16
  typedef struct packed {
    logic special;
    logic invalid;
    logic quirk;
    logic negative;
  } special16_t;

  function automatic logic [$bits(special16_t)-1:0] special16(
      input logic [15:0] l1, input logic [15:0] datum, input logic bf, input logic negative);
    special16_t o;
    logic l1_top, datum_top, l1_inf, datum_inf;

    l1_top = bf && l1[14:7] == 8'hFF;
    datum_top = bf && datum[14:7] == 8'hFF;
    l1_inf = l1_top && l1[6:0] == '0;
    datum_inf = datum_top && datum[6:0] == '0;
    o.special = l1_top || datum_inf;
    o.invalid = l1_inf && datum_inf && l1[15] != datum[15];
    o.quirk = !bf && l1[14:11] == 4'hF;
    // what is infinite in L1 wins, then from the packer, then what is no number in L1
    o.negative = l1_top && (l1_inf || !datum_inf) ? l1[15] : datum_inf ? datum[15] : negative;
    special16 = o;
  endfunction

  function automatic logic [$bits(ordered16_t)-1:0] order16(
      input logic [15:0] l1, input logic [15:0] datum, input logic bf);
    ordered16_t o;
    special16_t rare;
    logic [15:0] x;  // larger magnitude
    logic [14:0] y;  // smaller one
    logic swap;

    swap = datum[14:0] > l1[14:0];
    x = swap ? datum : l1;
    y = swap ? l1[14:0] : datum[14:0];
    rare = special16(l1, datum, bf, x[15]);
    o.special = rare.special;
    o.invalid = rare.invalid;
    o.quirk = rare.quirk;
    o.negative = rare.negative;
    o.subtract = l1[15] != datum[15];
    o.exponent = bf ? x[14:7] : {3'd0, x[14:10]};
    o.below = bf ? y[14:7] : {3'd0, y[14:10]};
    o.larger = bf ? {1'b1, x[6:0], 3'd0} : {1'b1, x[9:0]};
    o.smaller = bf ? {1'b1, y[6:0], 3'd0} : {1'b1, y[9:0]};
    if (o.exponent == '0) o.larger = '0;
    if (o.below == '0) o.smaller = '0;
    order16 = o;
  endfunction

  function automatic logic [$bits(aligned16_t)-1:0] align16(input ordered16_t o);
    aligned16_t a;
    logic [7:0] distance;
    logic [13:0] smaller;
    logic lost;

    a.special = o.special;
    a.invalid = o.invalid;
    a.quirk = o.quirk;
    a.negative = o.negative;
    a.subtract = o.subtract;
    a.exponent = o.exponent;
    a.larger = {o.larger, 3'd0};
    distance = o.exponent - o.below;
    smaller = {o.smaller, 3'd0};
    lost = distance[7:4] != '0 && smaller != '0;
    if (distance[7:4] != '0) smaller = '0;
    for (int k = 3; k >= 0; k--)
      if (distance[k]) begin
        lost = lost || (smaller & ~(14'h3FFF << (1 << k))) != '0;
        smaller = smaller >> (1 << k);
      end
    a.smaller = {smaller[13:1], smaller[0] || lost};
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
    // one adder: the lowest bit is the carry of a subtraction
    s.sum = 15'(({1'b0, a.larger, 1'b1} + {{15{a.subtract}} ^ {1'b0, a.smaller}, a.subtract}) >> 1);
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
    n.zero = !sum[14];
    n.negative = s.negative && (s.special || !(n.zero && s.subtract));
    n.quirk = s.quirk && s.subtract;
    n.exponent = {2'd0, s.exponent} + 10'd1 - {6'd0, shift};
    n.sum = sum;
    normalise16 = n;
  endfunction

  // An FP16 sum of its exponent, not yet bounded (P62).
  function automatic logic [15:0] fp16_of(
      input logic negative, input logic zero, input logic quirk, input logic [9:0] exponent,
      input logic [9:0] mantissa, input logic underflows);
    if (zero) fp16_of = underflows && quirk ? 16'h7FFF : {negative, 15'd0};
    else if (exponent[9]) fp16_of = {negative, underflows ? 15'h7FFF : 15'd0};
    else if (exponent == '0) fp16_of = {negative, 15'd0};
    else if (exponent > 10'd31) fp16_of = {negative, 15'h7FFF};
    else fp16_of = {negative, exponent[4:0], mantissa};
  endfunction

  function automatic logic [15:0] round16(input normal16_t n, input logic bf, input logic quirk);
    logic [10:0] rounded;  // mantissa, carry
    logic [9:0] exponent;
    logic up;

    up = bf ? n.sum[6] && (n.sum[7] || n.sum[5:0] != '0)
            : n.sum[3] && (n.sum[4] || n.sum[2:0] != '0);
    rounded = (bf ? {4'd0, n.sum[13:7]} : {1'b0, n.sum[13:4]}) + {10'd0, up};
    exponent = n.exponent + {9'd0, bf ? rounded[7] : rounded[10]};
    if (!bf) round16 = fp16_of(n.negative, n.zero, n.quirk, exponent, rounded[9:0], quirk);
    else if (n.special) round16 = n.invalid ? 16'h7FC0 : {n.negative, 15'h7F80};
    else if (n.zero || exponent[9] || exponent == '0) round16 = {n.negative, 15'd0};
    else if (exponent >= 10'd255) round16 = {n.negative, 15'h7F80};
    else round16 = {n.negative, exponent[7:0], rounded[6:0]};
  endfunction

  // The format of a lane of 32 bits; none of them: FP32.
  typedef struct packed {
    logic integers;  // INT32
    logic bf16;      // in the upper half, as is FP16
    logic fp16;
  } format_t;

  // a summand as wide as FP32
  function automatic logic [31:0] widened(input logic [31:0] x, input logic bf16,
                                          input logic fp16);
    widened = x;
    if (fp16) widened = {x[31], 3'd0, x[30:16], 13'd0};
    if (bf16) widened[15:0] = '0;
  endfunction

  function automatic logic [$bits(ordered32_t)-1:0] order32(
      input logic [31:0] l1_raw, input logic [31:0] datum_raw, input format_t format);
    ordered32_t o;
    special16_t rare;
    format_t from;
    logic [31:0] l1, datum;
    logic [31:0] x;  // larger magnitude
    logic [30:0] y;  // smaller one
    logic integers, x_top, y_top, swap;

    from = format;
    integers = from.integers;
    l1 = widened(l1_raw, from.bf16, from.fp16);
    datum = widened(datum_raw, from.bf16, from.fp16);
    swap = datum[30:0] > l1[30:0];
    x = swap ? datum : l1;
    y = swap ? l1[30:0] : datum[30:0];
    x_top = !integers && x[30:23] == '1;
    y_top = !integers && y[30:23] == '1;
    o.special = x_top;
    o.subtract = l1[31] != datum[31];
    o.invalid = x_top && (x[22:0] != '0 || (y_top && o.subtract));
    o.negative = x[31];
    rare = special16(l1_raw[31:16], datum_raw[31:16], from.bf16, x[31]);
    o.quirk = rare.quirk;  // of FP16 only
    if (from.bf16) begin
      o.special = rare.special;
      o.invalid = rare.invalid;
      o.negative = rare.negative;
    end
    o.exponent = x[30:23];
    o.below = integers ? x[30:23] : y[30:23];
    o.larger = x[30:0];
    o.smaller = y;
    if (!integers) begin
      o.larger = x[30:23] == '0 ? '0 : {4'd0, 1'b1, x[22:0], 3'd0};
      o.smaller = y[30:23] == '0 ? '0 : {4'd0, 1'b1, y[22:0], 3'd0};
    end
    order32 = o;
  endfunction

  function automatic logic [$bits(aligned32_t)-1:0] align32(input ordered32_t o);
    aligned32_t a;
    logic [7:0] distance;
    logic [30:0] smaller;
    logic lost;

    a.special = o.special;
    a.invalid = o.invalid;
    a.quirk = o.quirk;
    a.negative = o.negative;
    a.subtract = o.subtract;
    a.exponent = o.exponent;
    a.larger = o.larger;
    distance = o.exponent - o.below;
    smaller = o.smaller;
    lost = distance[7:5] != '0 && smaller != '0;
    if (distance[7:5] != '0) smaller = '0;
    for (int k = 4; k >= 0; k--)
      if (distance[k]) begin
        lost = lost || (smaller & ~(31'h7FFFFFFF << (1 << k))) != '0;
        smaller = smaller >> (1 << k);
      end
    a.smaller = {smaller[30:1], smaller[0] || lost};
    align32 = a;
  endfunction

  function automatic logic [$bits(sum32_t)-1:0] add32(input aligned32_t a);
    sum32_t s;

    s.special = a.special;
    s.invalid = a.invalid;
    s.quirk = a.quirk;
    s.negative = a.negative;
    s.subtract = a.subtract;
    s.exponent = a.exponent;
    // one adder: the lowest bit is the carry of a subtraction
    s.sum = 32'(({1'b0, a.larger, 1'b1} + {{32{a.subtract}} ^ {1'b0, a.smaller}, a.subtract}) >> 1);
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
    n.zero = !sum[27] && s.sum[31:28] == '0;
    n.negative = s.negative && (s.special || !(n.zero && s.subtract));
    n.quirk = s.quirk && s.subtract;
    n.exponent = {2'd0, s.exponent} + 10'd1 - {5'd0, shift};
    n.sum = integers ? s.sum : {4'd0, sum};
    normalise32 = n;
  endfunction

  // FP16 and BF16 in the upper half
  function automatic logic [31:0] round32(input normal32_t n, input format_t format,
                                          input logic quirk);
    format_t to;
    logic [23:0] rounded, more;  // mantissa, carry
    logic [9:0] exponent;
    logic integers;

    to = format;
    integers = to.integers;
    more = '0;
    if (to.bf16) more[16] = n.sum[19] && (n.sum[20] || n.sum[18:0] != '0);
    else if (to.fp16) more[13] = n.sum[16] && (n.sum[17] || n.sum[15:0] != '0);
    else more[0] = n.sum[3] && (n.sum[4] || n.sum[2:0] != '0);
    rounded = {1'b0, n.sum[26:4]} + more;
    exponent = n.exponent + {9'd0, rounded[23]};
    if (integers) round32 = {n.negative && !n.zero, n.sum[31] ? 31'h7FFFFFFF : n.sum[30:0]};
    else if (n.invalid) round32 = 32'h7FC00000;
    else if (n.special) round32 = {n.negative, 31'h7F800000};
    else if (n.zero || exponent[9] || exponent == '0) round32 = {n.negative, 31'd0};
    else if (exponent >= 10'd255) round32 = {n.negative, 31'h7F800000};
    else round32 = {n.negative, exponent[7:0], rounded[22:0]};
    if (to.fp16)
      round32[31:16] = fp16_of(n.negative, n.zero, n.quirk, exponent, rounded[22:13], quirk);
  endfunction

endpackage

`default_nettype wire
