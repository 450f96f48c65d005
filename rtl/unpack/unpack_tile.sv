// SPDX-License-Identifier: Apache-2.0
//
// Where a tile's datums are (sections 5.2 and 5.3 of docs/unpack.md): stages 1 to 6 of the front's
// arithmetic, each with a multiplier or with adders.
//
// Latency: sampled_i and what stage 1 makes of it are those of a cycle with stage_i[1]; pointers
// and RSI entries are out from the sixth cycle after it, for two cycles. Handshake: none;
// stage_i[k] is up in the cycle in which stage k works. UNPACRs are two cycles apart at least, so a
// stage's registers can be read for two cycles, and what only passes through is registered in every
// second stage. Reset: none.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of structs, some fields

module unpack_tile
  import tilepath_isa_pkg::UNPACR_ROW_SEARCH_LSB;
  import unpack_pkg::*;
  import unpack_config_pkg::config_t;
  import unpack_front_pkg::*;
(
  input  wire logic        clk_i,
  input  wire logic [6:1]  stage_i,
  input  wire sampled_t    sampled_i,         // in stages 1 and 2
  input  wire window_t     window_i,          // in stage 1
  input  wire control_t    control1_i,        // in stage 1
  input  wire control_t    control2_i,        // in stages 2 and 3
  input  wire control_t    control4_i,        // in stages 4 and 5
  input  wire control_t    control6_i,        // in stage 6
  input  wire logic        some_i,            // in stage 6: items are to be emitted
  output wire logic [33:0] datum_pointer_o,   // in stage 7, as are the next
  output wire logic [35:0] exponent_pointer_o,
  output wire logic        start_align_o,
  output wire rsi_t        rsi_o              // in the cycle after it
);

  // A *row* is one of datums, or the RSI entry of one.
  typedef struct packed {
    logic [15:0] z;         // W * ZDim + Z
    logic [15:0] planes;    // ZDim * WDim
    logic [27:0] line;      // behind the header
    logic [7:0]  rows;      // of a plane
    logic [7:0]  row;       // Y, YPos
    logic [17:0] xpos;
    logic [8:0]  distance;  // compressed: from the First entry to that of the end, signed, less 1
  } planes_t;

  typedef struct packed {
    logic [23:0] row;
    logic [23:0] area;      // YDim * planes
    logic [20:0] rsi_lines; // of the RSI section, 0 without
    logic [27:0] line;
    logic [15:0] xdim;
    logic [31:0] addend;    // to the row's product: XPos, or the RSI section's address
    logic [16:0] limit;
    logic [16:0] fifo;
  } rows_t;

  typedef struct packed {
    logic [31:0] product;
    logic [39:0] volume;
    logic [27:0] exponents;
    logic [8:0]  distance;
  } products_t;

  typedef struct packed {
    logic [31:0] first;
    logic [27:0] datums;
    logic [27:0] exponents;
    logic [16:0] limit;
    logic [16:0] fifo;
  } sections_t;

  typedef struct packed {
    logic [33:0] datum;
    logic [35:0] exponent;
    logic        start_align;
    logic [31:0] first;
    logic [30:0] last;      // bits 31:1
  } unwrapped_t;

  typedef struct packed {
    logic [33:0] datum;
    logic [35:0] exponent;
    logic        start_align;
    logic [30:0] first;     // bits 31:1
    logic [30:0] last;
    logic        bounded;
    logic        some;
    logic [2:0]  size;
    logic [16:0] limit;
    logic [16:0] fifo;
  } pointers_t;

  planes_t planes_q;
  rows_t rows_q;
  products_t products_q;
  sections_t sections_q;
  unwrapped_t unwrapped_q;
  pointers_t pointers_q;

  wire config_t cfg;
  wire counters_t counters;

  assign cfg = sampled_i.cfg;
  assign counters = sampled_i.counters;

  wire logic row_search = sampled_i.word[UNPACR_ROW_SEARCH_LSB];

  // ---- stage 1
  function automatic planes_t planes_of(
      input config_t c, input counters_t n, input window_t window, input logic compressed,
      input logic search);
    logic [7:0] zdim, wdim;

    zdim = c.zdim == 8'd0 ? 8'd1 : c.zdim;
    wdim = c.wdim == 8'd0 ? 8'd1 : c.wdim;
    planes_of.z = 16'(n.w0) * 16'(zdim) + 16'(n.z0);
    planes_of.planes = 16'(zdim) * 16'(wdim);
    planes_of.line = c.base + 28'(c.offset) + 28'(c.digest_size) + 28'd1;
    planes_of.rows = compressed && search && c.blobs != 3'd0 ? 8'(c.blobs) : c.ydim;
    planes_of.row = compressed ? n.y0[7:0] : window.ypos;
    planes_of.xpos = window.xpos;
    planes_of.distance = search ? 9'(n.x0[7:0]) - 9'(n.y0[7:0]) : 9'd0;
  endfunction

  // ---- stage 2
  function automatic rows_t rows_of(input planes_t from, input config_t c, input logic compressed);
    logic [23:0] area;
    logic [18:0] blobs;

    area = 24'(from.planes) * 24'(c.ydim);
    blobs = 19'(from.planes) * 19'(c.blobs);
    rows_of.row = 24'(from.z) * 24'(from.rows) + 24'(from.row);
    rows_of.area = area;
    // 2 * (n + 1) bytes, rounded up
    rows_of.rsi_lines = !compressed ? 21'd0
      : (c.blobs != 3'd0 ? {5'd0, blobs[18:3]} : area[23:3]) + 21'd1;
    rows_of.line = from.line;
    rows_of.xdim = c.xdim;
    rows_of.addend = compressed ? {from.line, 4'd0} : {14'd0, from.xpos};
    rows_of.limit = c.limit;
    rows_of.fifo = c.fifo;
  endfunction

  // ---- stage 3: datums before the row, or bytes before the entry
  function automatic products_t products_of(input rows_t from, input logic compressed,
                                            input logic [8:0] distance);
    products_of.product = 32'(from.row) * 32'(compressed ? 16'd2 : from.xdim);
    products_of.volume = 40'(from.area) * 40'(from.xdim);
    products_of.exponents = from.line + 28'(from.rsi_lines);
    products_of.distance = distance;
  endfunction

  // ---- stage 4
  function automatic sections_t sections_of(input products_t from, input rows_t with_rows,
                                            input logic section);
    sections_of.first = from.product + with_rows.addend;
    sections_of.exponents = from.exponents;
    // a byte for 16 datums, rounded up twice
    sections_of.datums = from.exponents + (section ? from.volume[35:8] : 28'd0)
                         + 28'(section && from.volume[7:0] != 8'd0);
    sections_of.limit = with_rows.limit;
    sections_of.fifo = with_rows.fifo;
  endfunction

  // ---- stage 5
  function automatic unwrapped_t unwrapped_of(
      input sections_t from, input control_t control, input logic [8:0] distance);
    logic [33:0] shifted;

    case (control.size)
      3'd1: shifted = {2'd0, from.first};
      3'd2: shifted = {1'b0, from.first, 1'b0};
      3'd3: shifted = {from.first, 2'd0};
      3'd4: shifted = {from.first[30:0], 3'd0};
      default: shifted = {from.first[29:0], 4'd0};
    endcase
    unwrapped_of.start_align
      = control.aligned && !control.compressed && shifted[5:0] != 6'd0;
    unwrapped_of.datum = {from.datums, 6'd0} + (control.compressed ? 34'd0 : shifted);
    if (control.tilize) unwrapped_of.datum[5:0] = 6'd0;
    unwrapped_of.exponent = {from.exponents, 8'd0} + (control.compressed ? 36'd0 : 36'(from.first));
    if (!control.read_exponent) unwrapped_of.exponent = 36'd0;
    unwrapped_of.first = from.first;
    unwrapped_of.last = from.first[31:1] + {{22{distance[8]}}, distance} + 31'd1;
  endfunction

  // ---- stage 6: the wrap (U24)
  function automatic pointers_t pointers_of(
      input unwrapped_t from, input sections_t with_sections, input control_t control,
      input logic some);
    logic datum_over, exponent_over;

    datum_over = from.datum > {11'd0, with_sections.limit, 6'd0};
    exponent_over = from.exponent > {11'd0, with_sections.limit, 8'd0};
    pointers_of.datum = from.datum;
    pointers_of.exponent = from.exponent;
    if (datum_over && !control.compressed)
      pointers_of.datum[33:6] = from.datum[33:6] - 28'(with_sections.fifo);
    if (exponent_over && !control.compressed)
      pointers_of.exponent[35:8] = from.exponent[35:8] - 28'(with_sections.fifo);
    pointers_of.start_align = from.start_align;
    pointers_of.first = from.first[31:1];
    pointers_of.last = control.bounded ? 31'd0 : from.last;
    pointers_of.bounded = control.bounded;
    pointers_of.some = some;
    pointers_of.size = control.size;
    pointers_of.limit = with_sections.limit;
    pointers_of.fifo = with_sections.fifo;
  endfunction

  always_ff @(posedge clk_i) begin
    if (stage_i[1]) begin
      planes_q <= planes_of(cfg, counters, window_i, control1_i.compressed, row_search);
    end
    if (stage_i[2]) rows_q <= rows_of(planes_q, cfg, control2_i.compressed);
    if (stage_i[3])
      products_q <= products_of(rows_q, control2_i.compressed, planes_q.distance);
    if (stage_i[4]) sections_q <= sections_of(products_q, rows_q, control4_i.exponent_section);
    if (stage_i[5]) unwrapped_q <= unwrapped_of(sections_q, control4_i, products_q.distance);
    if (stage_i[6]) pointers_q <= pointers_of(unwrapped_q, sections_q, control6_i, some_i);
  end

  function automatic rsi_t rsi_of(input pointers_t from);
    rsi_of.bounded = from.bounded;
    rsi_of.first = {from.first, 1'b0};
    rsi_of.last = {from.last, 1'b0};
    rsi_of.size = from.size;
    rsi_of.datum_pointer = from.datum;
    rsi_of.exponent_pointer = from.exponent;
    rsi_of.limit = from.limit;
    rsi_of.fifo = from.fifo;
    rsi_of.some = from.some;
  endfunction

  assign datum_pointer_o = pointers_q.datum;
  assign exponent_pointer_o = pointers_q.exponent;
  assign start_align_o = pointers_q.start_align;
  assign rsi_o = rsi_of(pointers_q);

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
