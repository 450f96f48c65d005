// SPDX-License-Identifier: Apache-2.0
//
// An UNPACR as sampled, and what becomes of it: a plan, and the faults that the sample decides.
// Sections are those of docs/unpack.md. The functions are for clocked blocks: they run once an
// instruction.
`default_nettype none

package unpack_plan_pkg;
  import tilepath_isa_pkg::*;
  import unpack_pkg::*;
  import unpack_fault_pkg::*;

  // What a Regular UNPACR reads of its unpacker's configuration, as its context has it (5.1).
  typedef struct packed {
    // tile descriptor
    logic [7:0]  digest_size;
    logic [31:0] blobs_start;
    logic [7:0]  wdim;
    logic [7:0]  zdim;
    logic [7:0]  ydim;
    logic [15:0] xdim;
    logic [2:0]  blobs;             // BlobsPerXYPlane
    logic        no_exponents;      // NoBFPExpSection
    // formats and modes
    logic        not_uncompressed;
    logic        compressed;        // not_uncompressed, but for BFP2 and BFP2a
    logic        to_dst;
    logic [3:0]  in_format;
    logic [3:0]  out_format;
    logic        e4m3;
    logic [11:0] row_stride;        // Shift_amount 2 ... 0
    logic        interleave;
    logic [1:0]  upsample_rate;
    logic        tilize;
    logic        haloize;
    logic [1:0]  throttle;
    logic        force_exponent;
    logic [16:0] limit;
    logic [16:0] fifo;
    logic [31:0] base;
    logic [15:0] offset;
    logic [3:0]  shift;             // Shift_amount of the context
    logic [15:0] dest;              // of unpacker 0
    // UNPn and ALU_FORMAT_SPEC
    logic [17:0] out_base;
    logic [15:0] ystride;
    logic [15:0] zstride;
    logic [15:0] wstride;
    logic [7:0]  shared_exponent;
    logic        add_dest;
    logic        int8_unsigned;
  } config_t;

  localparam int ConfigWidth = $bits(config_t);

  // A Regular UNPACR in its sampling cycle.
  typedef struct packed {
    logic        unpacker;
    logic [1:0]  thread;
    logic [14:0] word;              // [14:0] of it
    logic        high_context;      // 2 or above
    logic        bank;
    logic [5:0]  src_row;           // of the thread
    logic        ovrd;              // SRCA_SET_SetOvrdWithAddr
    // counters: X0, Y0, X1 of set WhichADC, the others of the thread's set
    logic [17:0] x0;
    logic [12:0] y0;
    logic [17:0] x1;
    logic [7:0]  z0;
    logic [7:0]  w0;
    logic [12:0] y1;
    logic [12:0] z1;
    logic [12:0] w1;
    config_t     cfg;
  } sampled_t;

  localparam int SampledWidth = $bits(sampled_t);

  // An entry of a queue.
  typedef struct packed {
    logic [FaultWidth-1:0] faults;
    plan_t                 plan;
  } planned_t;

  localparam int PlannedWidth = $bits(planned_t);

  // The input's X window (5.2).
  typedef struct packed {
    logic [17:0] xpos;
    logic [18:0] xend;
    logic [7:0]  ypos;
    logic        bad_index;
  } window_t;

  // Lines a cycle (section 4, U63, U64).
  function automatic logic [2:0] want_of(input logic tilize, input logic compressed,
                                         input logic [3:0] zeros, input logic [3:0] in_format,
                                         input logic to_dst, input logic [1:0] throttle);
    logic [2:0] most;

    most = throttle == 2'd0 ? 3'd1 : throttle == 2'd1 ? 3'd2 : 3'd4;
    if (tilize) want_of = 3'd4;
    else if (compressed || zeros >= 4'd3 || is_bfp2(in_format)) want_of = 3'd1;
    else if (most[2] && (zeros != 4'd0 || (is_bfp4(in_format) && to_dst))) want_of = 3'd2;
    else want_of = most;
  endfunction

  // Bytes from the end of the header to the exponents: the RSI section.
  function automatic logic [31:0] rsi_bytes(input logic [7:0] rows, input logic [15:0] planes);
    logic [23:0] n;

    n = 24'(rows) * 24'(planes);
    rsi_bytes = (32'({n, 1'b0}) + 32'd17) & 32'hFFFF_FFF0;
  endfunction

  // Bytes of the exponents: one for 16 datums.
  function automatic logic [31:0] exponent_bytes(input logic [15:0] xdim, input logic [7:0] ydim,
                                                 input logic [15:0] planes);
    logic [39:0] datums;

    datums = 40'(xdim) * 40'(ydim) * 40'(planes);
    exponent_bytes = {28'((((datums + 40'd15) >> 4) + 40'd15) >> 4), 4'd0};
  endfunction

  // Entry k of BlobsYStart in datums; the one behind the last is 0 (U17).
  function automatic logic [7:0] blob_start(input logic [31:0] starts, input logic [3:0] k);
    blob_start = k[3] ? 8'd0 : {4'(starts >> {k[2:0], 2'b00}), 4'd0};
  endfunction

  function automatic logic [$bits(window_t)-1:0] window_of(
      input logic row_search, input logic [17:0] x0, input logic [7:0] y0, input logic [17:0] x1,
      input logic [2:0] blobs, input logic [31:0] starts, input logic [8:4] xdim);
    window_t w;
    logic [3:0] n;

    w = '0;
    n = {1'b0, x0[2:0]} + 4'd1;
    if (!row_search) begin
      w.xpos = x0;
      w.ypos = y0;
      w.xend = {1'b0, x1} + 19'd1;
    end else if (blobs == 3'd0) begin
      w.ypos = y0;
      w.xend = {1'b0, x1};  // no + 1 (U16)
    end else begin
      w.xpos = {10'd0, blob_start(starts, {1'b0, y0[2:0]})};
      w.xend = n == {1'b0, blobs} ? {10'd0, xdim, 4'd0} : {11'd0, blob_start(starts, n)};
      w.bad_index = n[3];
    end
    window_of = w;
  endfunction

  // Faults of the formats.
  function automatic logic [FaultWidth-1:0] format_faults(
      input logic [3:0] in_format, input logic [3:0] out_format, input logic to_dst);
    logic code;

    format_faults = '0;
    code = in_format[3:1] == 3'd6 || out_format[3:1] == 3'd6;
    format_faults[FaultFormatCode] = code;
    format_faults[FaultFormatPair] = !code && in_format != out_format && in_format != FormatFp32;
    format_faults[FaultFormatFp32] = in_format == FormatFp32 && !(
      out_format == FormatFp32 || out_format == FormatTf32 || out_format == FormatBf16
      || out_format == FormatFp16 || out_format[3:1] == 3'd6);
    format_faults[FaultFormatSrc] = !to_dst && in_format == out_format && is_wide(in_format);
  endfunction

  // The register row of the first slot modulo 2^burst, burst = log2 of the rows of a burst (U33).
  function automatic logic burst_fault(input logic [2:1] want, input logic [2:0] size,
                                       input logic [2:0] row);
    logic [2:0] lines;

    lines = {1'b0, want} + 3'd3;  // log2 of the bytes in units of the bits of a datum
    case (lines > size ? lines - size : 3'd0)
      3'd0: burst_fault = 1'b0;
      3'd1: burst_fault = row[0];
      3'd2: burst_fault = |row[1:0];
      default: burst_fault = |row;
    endcase
  endfunction

  // Returns a planned_t. row_w: 16 or 32; upsample: four bits a rate.
  function automatic logic [PlannedWidth-1:0] plan_of(
      input logic [SampledWidth-1:0] sampled, input logic row_w_32, input logic [15:0] upsample);
    sampled_t s;
    config_t c;
    plan_t p;
    window_t w;
    logic [FaultWidth-1:0] f;
    logic multi, row_search, to_src_a, replaced, narrow;
    logic [7:0] zdim, wdim, rsi_rows;
    logic [15:0] planes, z;
    logic [31:0] addr, rsi, exponents, first, out, e0;
    logic [33:0] datum;
    logic [18:0] last;

    s = sampled;
    c = s.cfg;
    p = '0;
    multi = s.word[UNPACR_MULTI_CONTEXT_LSB];
    row_search = s.word[UNPACR_ROW_SEARCH_LSB];
    p.kind = KindRegular;
    p.thread = s.thread;
    p.bank = s.bank;
    p.flip = s.word[UNPACR_FLIP_SRC_LSB];
    p.all_zero = s.word[UNPACR_ALL_ZERO_LSB];

    // ---- formats and modes (5.1)
    zdim = c.zdim == 8'd0 ? 8'd1 : c.zdim;
    wdim = c.wdim == 8'd0 ? 8'd1 : c.wdim;
    planes = 16'(zdim) * 16'(wdim);
    p.in_format = c.in_format;
    p.out_format = c.out_format;
    p.size = size_of(p.in_format[3], p.in_format[1:0]);
    narrow = p.size < 3'd3;
    p.bfp = is_bfp(p.in_format);
    p.read_exponent = p.bfp && !c.force_exponent;
    p.shared_exponent = c.shared_exponent;
    p.e4m3 = c.e4m3;
    p.int8_unsigned = c.int8_unsigned;
    p.to_dst = c.to_dst;
    to_src_a = !s.unpacker && !p.to_dst;
    p.wide_dst = is_wide(p.out_format);
    p.compressed = c.compressed;
    p.zeros = 4'(upsample >> {c.upsample_rate, 2'b00});
    p.interleave = c.interleave;
    p.tilize = c.tilize && !p.compressed && c.upsample_rate == 2'd0 && !narrow;
    p.wide_rows = p.size >= 3'd4 && row_w_32;
    p.row_stride = {c.row_stride, 4'd0};
    p.set_ovrd = !s.unpacker && s.ovrd;
    p.transpose = to_src_a && c.haloize;
    p.col_shift = to_src_a && !p.tilize ? c.shift : 4'd0;
    p.src_row = s.unpacker || (to_src_a && !s.ovrd) ? s.src_row : 6'd0;
    p.want = want_of(p.tilize, p.compressed, p.zeros, p.in_format, p.to_dst, c.throttle);
    p.limit = c.limit;
    p.fifo = c.fifo;

    // ---- sections of the tile (5.2)
    rsi = (c.base + 32'(c.offset) + 32'd1 + 32'(c.digest_size)) << 4;
    addr = rsi;
    rsi_rows = c.blobs != 3'd0 ? 8'(c.blobs) : c.ydim;
    if (p.compressed) addr = addr + rsi_bytes(rsi_rows, planes);
    exponents = addr;
    if (p.read_exponent && (p.size == 3'd3 || !c.no_exponents))
      addr = addr + exponent_bytes(c.xdim, c.ydim, planes);
    z = 16'(s.w0) * 16'(zdim) + 16'(s.z0);

    // ---- where in it
    w = '0;
    datum = '0;
    last = {1'b0, s.x1} + 19'd1;
    if (p.compressed) begin
      e0 = 32'(z) * 32'(row_search && c.blobs != 3'd0 ? 8'(c.blobs) : c.ydim);
      p.rsi_first = rsi + ((e0 + 32'(s.y0[7:0])) << 1);
      p.bounded = !row_search && !(s.x0 == 18'd0 && last == {3'd0, c.xdim});
      p.datum_pointer = {addr, 2'd0};
      if (p.read_exponent) p.exponent_pointer = {exponents, 4'd0};
      if (p.bounded) begin
        p.drop = s.x0;
        p.count = last > {1'b0, s.x0} ? last - {1'b0, s.x0} : 19'd0;
      end else begin
        p.rsi_end = rsi + ((e0 + 32'(row_search ? s.x0[7:0] : s.y0[7:0]) + 32'd1) << 1);
      end
    end else begin
      w = window_of(row_search, s.x0, s.y0[7:0], s.x1, c.blobs, c.blobs_start, c.xdim[8:4]);
      first = (32'(z) * 32'(c.ydim) + 32'(w.ypos)) * 32'(c.xdim) + 32'(w.xpos);
      p.count = w.xend > {1'b0, w.xpos} ? w.xend - {1'b0, w.xpos} : 19'd0;
      datum = {addr, 2'd0} + (34'(first) << (p.size - 3'd1));
      p.datum_pointer
        = wrap_datum(p.tilize ? datum & 34'h3_FFFF_FFC0 : datum, c.limit, c.fifo);
      if (p.read_exponent)
        p.exponent_pointer
          = wrap_exponent({exponents, 4'd0} + 36'(first), c.limit, c.fifo);
    end

    // ---- output (5.5)
    out = {14'd0, c.out_base} + {19'd0, s.y1} * {16'd0, c.ystride}
          + {19'd0, s.z1} * {16'd0, c.zstride} + {19'd0, s.w1} * {16'd0, c.wstride};
    replaced = multi && !s.unpacker && !p.to_dst && !c.add_dest;
    if (p.wide_dst) p.out_addr = out >> 2;
    else if (p.out_format[1:0] == 2'd1 && p.out_format != 4'd13) p.out_addr = out >> 1;
    else p.out_addr = out;
    if (replaced) p.out_addr = 32'(c.dest);
    else if (multi && !s.unpacker) p.out_addr = p.out_addr + 32'(c.dest);

    // ---- faults (section 8)
    f = format_faults(p.in_format, p.out_format, p.to_dst);
    f[FaultReservedBit] = s.word[UNPACR_SRCB_BCAST_LSB] || s.word[14];
    f[FaultContextAdc] = multi && &s.word[UNPACR_CONTEXT_ADC_MSB:UNPACR_CONTEXT_ADC_LSB];
    f[FaultContextRange] = s.unpacker && s.high_context;
    f[FaultCompressedBfp2] = c.not_uncompressed && !c.compressed;
    f[FaultBfpAlias] = narrow && c.no_exponents && !c.force_exponent;
    f[FaultOutAlign] = p.wide_dst ? out[1:0] != 2'd0
                       : out[0] && p.out_format[1:0] == 2'd1 && p.out_format != 4'd13;
    f[FaultTilizeCombo] = c.tilize && (p.compressed || c.upsample_rate != 2'd0 || narrow);
    f[FaultDstModes] = p.to_dst && (c.haloize || (!p.tilize && c.shift != 4'd0));
    f[FaultDstOvrd] = p.to_dst && s.ovrd;
    f[FaultThrottle] = c.throttle == 2'd3;
    f[FaultTransposeSrcb] = s.unpacker && c.haloize;
    f[FaultOutRow] = p.out_addr[3:0] != 4'd0;
    f[FaultOutLow] = !s.unpacker && p.out_addr < 32'd64;
    f[FaultNotLast] = !s.word[UNPACR_LAST_LSB];
    if (p.compressed) begin
      f[FaultXOrder] = p.bounded && last < {1'b0, s.x0};
    end else begin
      // the window: 8192 bytes, or datums if these are smaller
      f[FaultXWindow]
        = w.xpos >= (18'd8192 >> (narrow ? 3'd0 : p.size - 3'd3))
          || w.xend > (19'd8192 >> (narrow ? 3'd0 : p.size - 3'd3));
      f[FaultXOrder] = w.xend < {1'b0, w.xpos};
      f[FaultBlobsIndex] = w.bad_index;
      f[FaultStartAlign] = (c.tilize || p.transpose) && datum[5:0] != 6'd0;
      f[FaultYRange] = s.y0[12:8] != 5'd0;
      // the row's low bits are enough, as a burst has 8 rows at most
      f[FaultBurst] = to_src_a && p.count > 19'd16
        && burst_fault(p.want[2:1], p.size, p.out_addr[6:4] - 3'd4 + p.src_row[2:0]);
      f[FaultEmptyFlip] = p.count == 19'd0 && p.flip;
    end
    plan_of = {f, p};
  endfunction

endpackage

`default_nettype wire
