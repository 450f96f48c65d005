// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the math stand-in: what a datum of SrcA and SrcB counts as, products and sums of them,
// and their way into Dst and back. Integers of 32 bits are wide enough for all of it.
// docs/decisions/standin.md, M11 to M26.
`timescale 1ns / 1ps
`default_nettype none

package standin_pkg;
  import tilepath_isa_pkg::*;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam int Columns = 16;
  localparam int DatumBits = 19;
  localparam int SrcBits = Columns * DatumBits;
  localparam int DstBits = Columns * 32;
  /* verilator lint_on UNUSEDPARAM */

  typedef struct packed {
    logic       s;
    logic [9:0] m;
    logic [7:0] e;
  } datum_t;

  // An addend: its value in units of the lowest bit of a product, and its exponent.
  typedef struct packed {
    logic signed [31:0] value;
    logic signed [31:0] exponent;
  } term_t;

  // How an instruction takes its operands.
  typedef struct packed {
    logic       integer_math;
    logic       wide;       // Dst has 32 bits
    logic       e5;         // class of the operation (M11)
    logic       e5_b;       // of SrcB's own format
    logic       tf32_a;
    logic       tf32_b;
    logic       keep;       // exponent 0 is not 0, of SrcB and in moves (M13)
    logic       cut_e;      // moves cut SrcB's exponent, mantissa to its format (M24, M26)
    logic       cut_m;
    logic       no_low;     // the low half of Dst comes out as 0 (M25)
    logic [1:0] phase;
    logic       minus1;
  } mode_t;

  function automatic logic is_e5(input logic [3:0] fmt);
    is_e5 = fmt == FMT_FP16 || fmt == FMT_BFP8A || fmt == FMT_BFP4A || fmt == FMT_FP8
            || fmt == FMT_BFP2A || fmt == FMT_INT8;
  endfunction

  // Formats whose mantissa is not cut to seven bits in moves (M24)
  function automatic logic has_m10(input logic [3:0] fmt);
    has_m10 = fmt == FMT_TF32 || fmt == FMT_FP16 || fmt == FMT_FP8 || fmt == FMT_BFP8A
              || fmt == FMT_INT8;
  endfunction

  // M11
  function automatic datum_t factor(input datum_t raw, input logic e5, input logic tf32);
    factor = raw;
    if (e5) factor.e[7:5] = 3'd0;
    else if (!tf32) factor.m[2:0] = 3'd0;
  endfunction

  // M13
  function automatic datum_t flushed(input datum_t raw, input logic keep);
    flushed = raw.e == 8'd0 && !keep ? '0 : raw;
  endfunction

  // M13, M24, M26: SrcB in a move; the exponent is looked at before it is cut.
  function automatic datum_t moved_b(input datum_t raw, input mode_t mode);
    datum_t x;  // Icarus: a function does not read what it returns

    x = flushed(raw, mode.keep);
    if (mode.cut_e) x.e[7:5] = 3'd0;
    if (mode.cut_m) x.m[2:0] = 3'd0;
    moved_b = x;
  endfunction

  // x / 2^d, rounded to nearest: a magnitude away from zero, and a number upwards.
  function automatic int rha(input int x, input int d);
    if (d == 0) rha = x;
    else if (d > 31) rha = 0;
    else rha = int'((32'(x) + (32'd1 << (d - 1))) >> d);
  endfunction

  function automatic int rhu(input int v, input int d);
    if (d == 0) rhu = v;
    else if (d > 31) rhu = 0;
    else rhu = (v + int'(32'd1 << (d - 1))) >>> d;
  endfunction

  // ---- terms

  // M17; a and b as M11 and M13 leave them, no_b: b is 0.
  function automatic term_t product(input datum_t a, input datum_t b, input logic no_b,
                                    input mode_t mode);
    int adj, p;
    logic [10:0] ma, mb;
    logic [4:0] a5;
    logic [6:0] b7;

    ma = {1'b1, a.m};
    mb = {1'b1, b.m};
    adj = (!mode.e5 ? -127 : mode.wide ? 97 : -15) - (mode.phase[0] ? 5 : 0)
          - (mode.phase[1] ? 7 : 0);
    a5 = mode.phase[0] ? ma[5:1] : ma[10:6];
    b7 = mode.phase[1] ? {mb[3:0], 3'd0} : mb[10:4];
    p = int'(a5) * int'(b7);
    product.value = a.s != b.s ? -p : p;
    product.exponent = int'(a.e) + int'(b.e) + adj;
    if (a.e == 8'd0 || no_b) begin
      product.value = 0;
      product.exponent = adj > 0 ? adj : 0;
    end
  endfunction

  // M21: both factors cut to the bits of the phase
  function automatic int integer_product(input datum_t a, input datum_t b, input mode_t mode);
    int p;
    logic [9:0] ma, mb;

    ma = a.m & (mode.phase[0] ? 10'h01F : 10'h0E0);
    mb = b.m & (mode.phase[1] ? 10'h00F : 10'h3F0);
    p = int'(ma) * int'(mb);
    integer_product = a.s != b.s ? -p : p;
  endfunction

  // M18, ELWMUL
  function automatic term_t single(input datum_t a, input datum_t b, input logic no_b,
                                   input mode_t mode);
    term_t t;  // Icarus: a function does not read what it returns, nor a field with its sign
    int e;

    t = product(a, b, no_b, mode);
    e = t.exponent;
    if (e <= 0) begin
      t.value = 0;
      e = (!mode.e5 ? -127 : mode.wide ? 97 : -15) - (mode.phase[0] ? 5 : 0)
          - (mode.phase[1] ? 7 : 0);
      t.exponent = e < 0 ? 0 : e;
    end
    single = t;
  endfunction

  // M18, ELWADD; ELWSUB has inverted b.
  function automatic term_t sum(input datum_t a, input datum_t b, input mode_t mode);
    datum_t big, little;
    logic of_b;  // the larger one
    int ml, ms;

    of_b = {b.e, b.m} > {a.e, a.m};
    big = of_b ? b : a;
    little = of_b ? a : b;
    ml = big == '0 ? 0 : int'({1'b1, big.m});
    // a SrcB of 0 counts where it is not flushed and Dst is wide
    ms = little == '0 && (of_b || !mode.keep || !mode.wide) ? 0 : int'({1'b1, little.m});
    ms = rha(ms, int'(big.e) - int'(little.e));
    ml = big.s == little.s ? ml + ms : ml - ms;
    sum.value = big.s ? -ml : ml;
    sum.exponent = int'(big.e);
    if (mode.e5 && mode.wide) sum.exponent = big.e != 8'd0 ? int'(big.e) + 112 : 97;
  endfunction

  // M18, a group of eight products of MVMUL and GAPOOL
  function automatic term_t group(input logic [8*DatumBits-1:0] a, input logic [8*DatumBits-1:0] b,
                                  input mode_t mode);
    logic [255:0] values, exponents;
    datum_t x, y;
    term_t p;
    int value, size, most, total;

    most = 0;
    for (int k = 0; k < 8; k++) begin
      x = flushed(factor(a[DatumBits*k+:DatumBits], mode.e5, mode.tf32_a), 1'b0);
      y = flushed(factor(b[DatumBits*k+:DatumBits], mode.e5_b, mode.tf32_b), 1'b0);
      p = product(x, y, y.e == 8'd0, mode);
      values[32*k+:32] = p.value;
      exponents[32*k+:32] = p.exponent;
      value = p.exponent;
      if (value > most) most = value;
    end
    total = 0;
    if (most > 0) begin
      for (int k = 0; k < 8; k++) begin
        value = values[32*k+:32];
        size = rha(value < 0 ? -value : value, most - int'(exponents[32*k+:32]));
        total = value < 0 ? total - size : total + size;
      end
    end
    group = {total, most};
  endfunction

  // ---- Dst

  // Mantissa of a row's datum with its sign, 24 bits (M19), and its exponent.
  function automatic term_t of_dst(input logic [31:0] d, input mode_t mode);
    term_t t;

    t = '0;
    if (mode.wide) begin
      t.exponent = int'(d[23:16]);
      if (d[23:16] != 8'd0) t.value = int'({1'b1, d[30:24], d[15:0]});
      if (d[31]) t.value = -t.value;
    end else if (mode.e5) begin
      t.exponent = int'(d[4:0]);
      if (d[4:0] != 5'd0) t.value = int'({1'b1, d[14:5], 13'd0});
      if (d[15]) t.value = -t.value;
    end else begin
      t.exponent = int'(d[7:0]);
      if (d[7:0] != 8'd0) t.value = int'({1'b1, d[14:8], 16'd0});
      if (d[15]) t.value = -t.value;
    end
    of_dst = t;
  endfunction

  // M20: r, in units of 2^(e - 23), as it is stored.
  function automatic logic [31:0] encoded(input int r, input int e, input mode_t mode);
    int n, keep, exponent;
    logic [31:0] size, q;
    logic s;

    s = r < 0;
    size = s ? 32'(-r) : 32'(r);
    keep = mode.wide ? 24 : mode.e5 ? 11 : 8;
    n = 0;
    for (int i = 0; i < 31; i++) if (size[i]) n = i + 1;
    q = n > keep ? 32'(rha(int'(size), n - keep)) : size << (keep - n);
    exponent = e - 24 + n;
    if (q == 32'd1 << keep) begin
      q = q >> 1;
      exponent = exponent + 1;
    end
    if (mode.wide && mode.minus1 && r == -1) begin
      q = '0;
      exponent = e + 4;
    end
    if (r == 0 || exponent <= 0) encoded = '0;
    else if (mode.wide)
      encoded = exponent >= 255 ? {s, 7'd0, 8'd255, 16'd0}
                                : {s, q[22:16], exponent[7:0], q[15:0]};
    else if (mode.e5) encoded = {16'd0, s, exponent >= 32 ? 15'h7FFF : {q[9:0], exponent[4:0]}};
    else encoded = {16'd0, s, exponent >= 255 ? 15'h00FF : {q[6:0], exponent[7:0]}};
  endfunction

  // M19; old: what Dst has, 0 where nothing is added to it.
  function automatic logic [31:0] accumulated(input logic [31:0] old, input term_t t0,
                                              input term_t t1, input mode_t mode);
    term_t d;
    int e, r, size, cut, value, e_d, e0, e1;  // Icarus: fields of a struct have no sign

    d = of_dst(old, mode);
    value = d.value;
    e_d = d.exponent;
    e0 = t0.exponent;
    e1 = t1.exponent;
    e = e_d;
    if (e0 > e) e = e0;
    if (e1 > e) e = e1;
    cut = mode.wide ? 0 : 13;
    size = rha(rha(value < 0 ? -value : value, e - e_d), cut) << cut;
    r = value < 0 ? -size : size;
    r = r + (rhu(rhu(t0.value << 13, e - e0), cut) << cut);
    r = r + (rhu(rhu(t1.value << 13, e - e1), cut) << cut);
    accumulated = e <= 0 ? '0 : encoded(r, e, mode);
  endfunction

  // M21: Dst holds sign and magnitude, stored like FP32.
  function automatic logic [31:0] added(input logic [31:0] old, input int x);
    logic signed [32:0] r;
    logic [32:0] size;

    r = {2'b00, old[23:16], old[30:24], old[15:0]};
    if (old[31]) r = -r;
    r = r + 33'(x);
    size = r < 0 ? 33'(-r) : 33'(r);
    if (size > 33'h7FFFFFFF) size = 33'h7FFFFFFF;
    added = {r < 0, size[22:16], size[30:23], size[15:0]};
  endfunction

  // M24: what a datum is in 16 bits of Dst.
  function automatic logic [15:0] to_dst(input datum_t d, input logic e5);
    to_dst = e5 ? {d.s, d.m, d.e[4:0]} : {d.s, d.m[9:3], d.e};
  endfunction

  // M25: the upper half, or all there is, as a datum.
  function automatic datum_t from_dst(input logic [15:0] d, input logic e5);
    from_dst = e5 ? {d[15], d[14:5], 3'd0, d[4:0]} : {d[15], d[14:8], 3'd0, d[7:0]};
  endfunction

  // M23: the larger of two, by sign and magnitude, -0 below +0.
  function automatic datum_t larger(input datum_t a, input datum_t b);
    if (a.s != b.s) larger = a.s ? b : a;
    else larger = ({a.e, a.m} > {b.e, b.m}) != a.s ? a : b;
  endfunction

endpackage

`default_nettype wire
