// SPDX-License-Identifier: Apache-2.0
//
// What the fetch stage, the beat buffer and the write stage of an unpacker share: an entry of the
// buffer, and the conversion of one datum (docs/unpack.md section 5.4).
`default_nettype none

package unpack_step_pkg;
  import unpack_pkg::*;

  localparam int SlotWidth = 19;
  localparam int SlotCount = 128;  // of a step
  localparam int StepWidth = SlotWidth * SlotCount;
  localparam int LaneCount = 32;  // of a segment; slots of an expanding step
  localparam int ChunkCount = 9;  // pieces of a beat that are in one line each

  // How a datum is converted.
  typedef struct packed {
    logic [3:0] in_format;
    logic [3:0] out_format;
    logic       e4m3;
    logic       int8_unsigned;
    logic       to_dst;
    logic       wide_dst;
    logic       all_zero;
  } convert_t;

  localparam int ConvertWidth = $bits(convert_t);

  // An entry of the beat buffer: a beat (count > 0) or a token.
  typedef struct packed {
    logic        token;
    logic        first;       // of its instruction
    logic        last;        // of its instruction; bounded output: the write stage knows
    logic [1:0]  thread;
    logic        bank;
    logic        flip;
    // ---- beat: where the datums are in the answer
    logic        compressed;
    logic        bounded;
    logic [7:0]  count;       // datums, 1 to 128
    logic [2:0]  size;        // log2 of the bits of a datum
    logic [6:0]  offset;      // of the first datum in its line, bits
    logic        merged;      // chunk k is not line k
    logic [17:0] chunks;      // line of each chunk
    logic [5:0]  in_l1;       // {delta, exponent, line3 ... line0}: not beyond the end of L1
    logic        read_exponent;
    logic [7:0]  exponent;    // itself; read: its place in the line, sixteenths of a byte
    logic [4:0]  nibble;      // of the first datum in the delta line
    // ---- beat: what becomes of them
    convert_t    convert;
    logic [3:0]  zeros;
    logic        interleave;
    logic        set_ovrd;
    logic        transpose;
    logic [3:0]  col_shift;
    logic [5:0]  src_row;
    logic [31:0] out_addr;    // of the first slot of the instruction
    logic [17:0] drop;        // bounded: items to drop, to emit
    logic [18:0] items;
    // ---- token
    logic        clear;
    logic        clear_both;
    logic        clear_own;
    logic [18:0] clear_value;
  } beat_t;

  localparam int BeatWidth = $bits(beat_t);
  localparam int AnswerWidth = 768;  // {delta, exponent, lines}

  // Wrap of a delta pointer (U24), in halves of a byte.
  function automatic logic [32:0] wrap_delta(input logic [32:0] pointer, input logic [16:0] limit,
                                             input logic [16:0] fifo);
    wrap_delta = pointer > {11'd0, limit, 5'd0} ? pointer - {11'd0, fifo, 5'd0} : pointer;
  endfunction

  // ---- conversion: one datum

  // BFP8 to BF16, with the exponent less the shift: {BFPa exponent out of range, BF16}.
  function automatic logic [16:0] bfp_to_bf16(input logic [7:0] x, input logic [7:0] exponent);
    logic [6:0] magnitude;
    logic [7:0] less;

    magnitude = x[6:0];
    less = exponent;
    if (magnitude == 7'd0) begin
      bfp_to_bf16 = {1'b0, x[7] ? 16'hff80 : 16'd0};
    end else begin
      if (magnitude[6:3] == 4'd0) begin
        magnitude = {magnitude[2:0], 4'd0};
        less = less - 8'd4;
      end
      if (magnitude[6:5] == 2'd0) begin
        magnitude = {magnitude[4:0], 2'd0};
        less = less - 8'd2;
      end
      if (!magnitude[6]) begin
        magnitude = {magnitude[5:0], 1'b0};
        less = less - 8'd1;
      end
      bfp_to_bf16 = {less[7:5] != 3'd0, x[7], less, magnitude[5:0], 1'b0};
    end
  endfunction

  function automatic logic [15:0] fp32_to_fp16(input logic [31:13] x);
    logic [7:0] exponent;

    exponent = x[30:23] - 8'd112;
    if (x[30:23] < 8'd112) fp32_to_fp16 = {x[31], 15'd0};
    else if (exponent > 8'd31) fp32_to_fp16 = {x[31], 15'h7fff};
    else fp32_to_fp16 = {x[31], exponent[4:0], x[22:13]};
  endfunction

  function automatic logic [15:0] fp8_to_fp16(input logic [7:0] x, input logic e4m3,
                                              input logic fill);
    logic [4:0] exponent;

    exponent = x[6:3] == 4'd0 ? 5'd0 : {1'b0, x[6:3]} + 5'd8;
    if (e4m3) fp8_to_fp16 = {x[7], exponent, x[2:0], x[6:0] == 7'h7f ? 7'h7f : 7'd0};
    else fp8_to_fp16 = {x, fill && x[6:0] == 7'h7f ? 8'hff : 8'd0};
  endfunction

  // A datum (of fewer bits: the low ones) with its exponent: {BFPa exponent out of range, value}.
  // To Src the value has 19 bits, to Dst 16 or 32.
  function automatic logic [32:0] convert(input logic [31:0] datum, input logic [7:0] exponent,
                                          input logic fill, input logic [ConvertWidth-1:0] how_i);
    /* verilator no_inline_task */
    convert_t how;
    logic [16:0] bfp;
    logic [31:0] x;
    logic [2:0] as;  // 0: BF16, 1: FP16, 2: 32 bits, 3: INT16, 4: zero
    logic [31:0] value;

    how = how_i;
    x = datum;
    bfp = '0;
    case (how.in_format)
      FormatFp32: begin
        case (how.out_format)
          FormatBf16: begin
            x = {16'd0, x[31], x[30:23] == 8'd0 ? 15'd0 : x[30:16]};
            as = 3'd0;
          end
          FormatFp16: begin
            x = {16'd0, fp32_to_fp16(x[31:13])};
            as = 3'd1;
          end
          default: as = 3'd2;
        endcase
      end
      FormatTf32, FormatInt32: as = 3'd2;
      FormatBf16: as = 3'd0;
      FormatFp16: as = 3'd1;
      FormatInt16: as = 3'd3;
      FormatFp8: begin
        x = {16'd0, fp8_to_fp16(x[7:0], how.e4m3, fill)};
        as = 3'd1;
      end
      FormatInt8: begin
        x = {16'd0, x[7] && !how.int8_unsigned, 5'd0, 2'd0, x[7] && how.int8_unsigned, x[6:0]};
        if (x[7:0] != 8'd0) x[14] = 1'b1;
        as = 3'd1;
      end
      FormatBfp8, FormatBfp4, FormatBfp2, FormatBfp8a, FormatBfp4a, FormatBfp2a: begin
        if (is_bfp4(how.in_format)) x[7:0] = {x[3:0], 4'd0};
        if (is_bfp2(how.in_format)) x[7:0] = {x[1:0], 6'd0};
        bfp = bfp_to_bf16(x[7:0], exponent);
        if (how.in_format[2]) begin
          x = {16'd0, bfp[15:0]};
          bfp[16] = 1'b0;
          as = 3'd0;
        end else begin
          x = {16'd0, bfp[15], bfp[11:0], 3'd0};  // the exponent cut to five bits (U52)
          as = 3'd1;
        end
      end
      default: as = 3'd4;
    endcase
    if (how.all_zero || as == 3'd4) begin
      value = '0;
    end else if (how.to_dst) begin
      case (as)
        3'd0: value = {16'd0, x[15], x[6:0], x[14:7]};
        3'd1: value = {16'd0, x[15], x[9:0], x[14:10]};
        3'd2: value = {how.wide_dst ? {x[31], x[22:16], x[30:23]} : 16'd0, x[15:0]};
        default: value = {16'd0, x[15:0]};
      endcase
    end else begin
      case (as)
        3'd0: value = {13'd0, x[15], x[6:0], 3'd0, x[14:7]};
        3'd1: value = {13'd0, x[15], x[9:0], 3'd0, x[14:10]};
        3'd2: value = {13'd0, x[31], x[22:13], x[30:23]};
        default: value = {13'd0, x[15:8], 3'd0, x[7:0]};
      endcase
    end
    convert = {bfp[16], value};
  endfunction

  // ---- conversion: a segment of 32 datums
  localparam int LowWidth = SlotWidth * LaneCount;
  localparam int HighWidth = 13 * LaneCount;  // bits 31:19
  localparam int ValuesWidth = 1 + HighWidth + LowWidth;

  // The lanes of a segment: {bad exponent, high, low}. Lane 0 of segment 0 is the lowest datum: it
  // is datum `place` of the 16 that share the lowest exponent. Lanes that are not in `lanes` have
  // no datum, values are 0 but those of `keep`.
  function automatic logic [ValuesWidth-1:0] convert_lanes(
      input logic [1:0] segment, input logic [LaneCount-1:0] lanes,
      input logic [LaneCount-1:0] keep, input logic [1023:0] datums, input logic [2:0] size,
      input logic [3:0] place, input logic [71:0] exponents, input logic fill,
      input logic [ConvertWidth-1:0] how);
    /* verilator no_inline_task */
    logic [LowWidth-1:0] low;
    logic [HighWidth-1:0] high;
    logic bad;
    logic [1023:0] mine;
    logic [31:0] datum;
    logic [71:0] window;
    logic [32:0] value;

    low = '0;
    high = '0;
    bad = 1'b0;
    case (size)
      3'd1: mine = datums >> {segment, 6'd0};
      3'd2: mine = datums >> {segment, 7'd0};
      3'd3: mine = datums >> {segment, 8'd0};
      3'd4: mine = datums >> {segment, 9'd0};
      default: mine = datums;  // segment 0
    endcase
    window = exponents >> {segment, 4'd0};
    /* verilator unroll_disable */
    for (int i = 0; i < LaneCount; i++) begin
      if (lanes[i]) begin
        case (size)
          3'd1: datum = {30'd0, mine[2*i+:2]};
          3'd2: datum = {28'd0, mine[4*i+:4]};
          3'd3: datum = {24'd0, mine[8*i+:8]};
          // a beat has at most 56 datums of two bytes, 20 of four
          3'd4: datum = {16'd0, segment[1] ? 16'd0 : mine[16*i+:16]};
          default: datum = segment != 2'd0 ? 32'd0 : mine[32*i+:32];
        endcase
        value = convert(datum, {1'b0, place} + {1'b0, 4'(i)} > 5'd15 ? window[8*(i/16)+8+:8]
                                                                     : window[8*(i/16)+:8],
                        fill, how);
        if (value[32]) bad = 1'b1;
        if (keep[i]) begin
          low[SlotWidth*i+:SlotWidth] = value[SlotWidth-1:0];
          high[13*i+:13] = value[31:SlotWidth];
        end
      end
    end
    convert_lanes = {bad, high, low};
  endfunction

endpackage

`default_nettype wire
