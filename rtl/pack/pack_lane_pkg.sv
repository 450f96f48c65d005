// SPDX-License-Identifier: Apache-2.0
//
// Types and arithmetic that the stages of a lane share.
//
// A datum is held at the left of 32 bits, zeros behind it: {s, e8, m23}, BF16 and FP16 in the
// upper half, INT16 likewise, INT8 in the upper byte. So the sign is always bit 31, one comparison
// serves all formats, and a datum is +0 if all bits are 0. The controls of a stage say nothing
// with all bits 0: then values pass unchanged, as those of /dev/null and L1 do (P15).
`default_nettype none

package pack_lane_pkg;

  localparam int Columns = 16;

  typedef logic [Columns-1:0][31:0] values_t;

  // ---- controls, made once of the mode (pack_lane_control)
  typedef struct packed {
    logic e5;            // 16-bit Dst as FP16; neither this nor raw: as BF16
    logic raw;           // as it is
    logic low;           // there is a lower half
    logic ignore_valid;  // rows that are not valid are read all the same
  } fetch_t;

  typedef struct packed {
    logic bits32;        // size of a datum, else 8 bits
    logic bits16;
    logic bfp_a;         // 8 bits: sign and mantissa of E5M7, of BF16
    logic bfp_b;
  } line_t;

  typedef struct packed {
    logic        on;        // rounds: half of the last place kept is added
    logic [18:12] below;    // places below that half
    logic        e8;        // a NaN becomes an infinity first
    logic        flush;     // what has exponent 0 is not rounded up
    logic        e5;        // no carry beyond the largest magnitude
    logic [23:0] drop;      // bits that become 0
    logic        int8;      // the upper byte is an integer's
  } round_t;

  typedef struct packed {
    logic        uns;       // unsigned
    logic        raw;       // the low bits, neither saturated nor negative
    logic [4:0]  shift;
    logic [30:7] over;      // bits of the magnitude that saturate
  } int8_t;

  typedef struct packed {
    logic flush8;        // 8-bit exponent 0: +0
    logic flush5;        // 5-bit exponent 0: +0
    logic narrow;        // BF16 to FP16 (P22 b)
  } flush_t;

  typedef struct packed {
    logic        sign;      // a sign gives +0
    logic        minimum;   // up to the threshold +0 (mode 2)
    logic        maximum;   // above it the threshold (mode 3)
    logic [15:0] threshold;
  } relu_t;

  typedef struct packed {
    logic       on8;        // of an 8-bit exponent
    logic       on5;
    logic [7:0] threshold;
  } threshold_t;

  typedef struct packed {   // which bits the histogram counts by
    logic e5;
    logic int16;
    logic int8;             // none of them: 8-bit exponent
  } exponent_t;

  typedef struct packed {
    logic widen;         // FP16 to 32 bits
    logic narrow;        // {s, e8, m} to FP16
    logic flush8;        // 8-bit exponent 0: +0
    logic flush5;        // 5-bit exponent 0: +0
    logic as_word;       // the low bits of 32; else the upper half, or FP16
    logic as_byte;       // the upper byte of that half
    logic as_e4m3;       // E4M3 in its place
    logic size32;        // of the element
    logic size8;
    logic m7;            // FP16 with 7 bits of mantissa
  } late_t;

  typedef struct packed {
    fetch_t      fetch;
    line_t       line;
    round_t      round;
    int8_t       int8;
    flush_t      flush;
    logic [31:0] masked;    // what a masked datum becomes
    relu_t       relu;
    logic        narrow;    // to FP16 (P22 a, P57)
    exponent_t   exponent;
    threshold_t  threshold;
    logic [15:0] downsample;
    late_t       late;      // of Dst
    late_t       late_line; // of L1
  } control_t;

  // a row's part of the downsampling: which columns, as in the row
  typedef struct packed {
    logic [15:0] present;
    logic [15:0] kept;
  } columns_t;

  // What the datums are before late conversion; none of them: INT16
  typedef struct packed {
    logic fp32;
    logic bf16;
    logic fp16;
    logic e5m7;          // or E5M6
    logic fp8;
    logic int32;
    logic int8;
  } late_class_t;

  // Late conversion to a format (P28); a pair that it does not have: the low bits (P61).
  function automatic late_t late_of(input late_class_t class_i, input logic [3:0] to,
                                    input logic e4m3);
    late_class_t from;
    late_t how;
    logic e8, e5, to_fp32, to_bf16, to_fp16, to_a, to_fp8, to_e4m3;

    from = class_i;
    e8 = from.fp32 || from.bf16;
    e5 = from.fp16 || from.e5m7 || from.fp8;
    to_fp32 = to == 4'd0 || to == 4'd4;
    to_bf16 = to == 4'd5 || to == 4'd6 || to == 4'd7 || to == 4'd15;
    to_fp16 = to == 4'd1;
    to_a = to == 4'd2 || to == 4'd3 || to == 4'd11;
    to_fp8 = to == 4'd10;
    to_e4m3 = to_fp8 && e4m3 && (e8 || from.fp16 || from.e5m7);
    how = '0;
    how.widen = e5 && (to_fp32 || to_bf16);
    how.narrow = e8 && (to_fp16 || to_a || to_fp8);
    how.flush8 = (from.fp32 || e5) && to_bf16;
    how.flush5 = (from.fp16 && (to_a || to_fp8) || from.e5m7 && to_fp8) && !to_e4m3;
    how.as_word = (e8 || e5) && to_fp32 || from.int32
                  || from.fp32 && !(to_bf16 || how.narrow);
    how.as_byte = to_fp8 && (e8 || e5) || from.int8;
    how.as_e4m3 = to_e4m3;
    how.size32 = to[1:0] == 2'd0 && how.as_word;
    how.size8 = to_fp8 || to == 4'd14 || how.as_byte;
    how.m7 = to_a && (e8 || e5);
    late_of = how;
  endfunction

  // a < b, as a tree
  function automatic logic less(input logic [7:0] a, input logic [7:0] b);
    logic [7:0] fewer, same;

    fewer = ~a & b;
    same = ~(a ^ b);
    for (int level = 0; level < 3; level++)
      for (int i = 0; i < (4 >> level); i++) begin
        fewer[i] = fewer[2*i+1] | same[2*i+1] & fewer[2*i];
        same[i] = same[2*i+1] & same[2*i];
      end
    less = fewer[0];
  endfunction

  // Bit i: bits 0 to i are all 1 (a prefix network).
  function automatic logic [17:0] ones_up_to(input logic [17:0] bits);
    ones_up_to = bits;
    for (int level = 0; level < 5; level++)
      for (int i = 0; i < 18; i++)
        if (((i >> level) & 1) == 1)
          ones_up_to[i] = ones_up_to[i] & ones_up_to[((i >> level) << level) - 1];
  endfunction

  // {s, e8, m10} to FP16 (P28): exponent - 112 below 0 gives a signed 0, above 31 all ones.
  function automatic logic [15:0] narrowed(input logic [31:13] x);
    logic below, above;

    below = !x[30] && x[29:27] != 3'd7;
    above = x[30] && x[29:27] != 3'd0;
    narrowed = {x[31], {x[30], x[26:13]} & {15{!below}} | {15{above}}};
  endfunction

endpackage

`default_nettype wire
