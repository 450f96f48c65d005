// SPDX-License-Identifier: Apache-2.0
//
// The unpackers' copy of the configuration: the words that sections 5 and 7 of docs/unpack.md read.
//
// Latency: what is written in t is read from t+1 on; reads are combinational, offset_o from thread
// and unpacker, the others from the context too. Handshake: none. Reset: all 0.
// In the cycle of a write: change_o: it changes SrcAUnsigned (bit 0), SrcBUnsigned of a bank;
// clear_o: as in unpack_config_threads.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module unpack_config
  import unit_port_pkg::*;
  import tilepath_isa_pkg::*;
  import config_words_pkg::*;
  import format_pkg::is_bfp2;
  import unpack_config_pkg::*;
(
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  // writes
  input  wire config_write_t cfg_i,
  input  wire config_write_t flop_i,
  input  wire setc16_t       setc16_i [3],
  input  wire thread_store_t store_i,
  output wire logic [1:0]    change_o,
  output wire logic [1:0]    clear_o [3],
  // reads for an UNPACR; thread 3 reads as 2
  input  wire logic          unpacker_i,
  input  wire logic [1:0]    thread_i,
  input  wire logic          multi_i,      // MultiContextMode
  input  wire logic [2:0]    context_i,
  output wire logic [2:0]    offset_o,     // CfgContextOffset, modulo 8 (U7)
  output wire sampling_t     sampling_o,
  output wire config_t       config_o,
  // ... for the NOP of each unpacker
  input  wire logic [1:0]    nop_thread_i [2],
  output wire nop_config_t   nop_o [2]
);

  // THCON words: 32 of each section, from the tile descriptor on
  localparam logic [7:0] Sec0 = 8'(CFG_THCON_SEC0_REG0_TILEDESCRIPTOR_INDATAFORMAT_ADDR32);
  localparam logic [7:0] Sec1 = 8'(CFG_THCON_SEC1_REG0_TILEDESCRIPTOR_INDATAFORMAT_ADDR32);
  localparam logic [4:0] Reg1 = 5'(CFG_THCON_SEC0_REG1_UNP_LF8_4B_EXP_ADDR32 - 64);
  localparam logic [4:0] Reg2 = 5'(CFG_THCON_SEC0_REG2_OUT_DATA_FORMAT_ADDR32 - 64);
  // ... rows of words with one context after the other: Base of four and four, Dest and Tile_x_dim
  // of two and two in a word, REG7 of four
  localparam logic [2:0] Base0 = 3'((CFG_THCON_SEC0_REG3_BASE_ADDRESS_ADDR32 - 64) / 4);
  localparam logic [2:0] Base4 = 3'((CFG_THCON_SEC0_REG4_BASE_CNTX4_ADDRESS_ADDR32 - 64) / 4);
  localparam logic [3:0] Dest = 4'((CFG_THCON_SEC0_REG5_DEST_CNTX0_ADDRESS_ADDR32 - 64) / 2);
  localparam logic [3:0] XDim = 4'((CFG_THCON_SEC0_REG5_TILE_X_DIM_CNTX0_ADDR32 - 64) / 2);
  localparam logic [2:0] Reg7 = 3'((CFG_THCON_SEC0_REG7_OFFSET_ADDRESS_ADDR32 - 64) / 4);
  // UNP words: 16 of both unpackers, from REG_0_Base on
  localparam logic [7:0] Unp = 8'(CFG_UNP0_ADDR_BASE_REG_0_BASE_ADDR32);
  localparam logic [3:0] Blobs = 4'(CFG_UNP0_BLOBS_Y_START_CNTX_01_ADDR32 - 48);
  localparam logic [7:0] Access = 8'(CFG_DEST_ACCESS_CFG_SWIZZLE_32B_ADDR32);
  localparam int Unsigned0 = CFG_ALU_FORMAT_SPEC_REG0_SRCAUNSIGNED_LSB;

  logic [31:0] thcon_q[128];  // {section, bank, word}
  logic [31:0] unp_q[32];     // {bank, word}
  // of a bank: SrcBUnsigned, SrcAUnsigned. Packed, as Icarus 11 reads X for the words of an array in
  // change_o.
  logic [1:0][1:0] unsigned_q;
  logic [1:0] access_q;       // of both banks: remap, swizzle
  // of {section, bank}: no tile is compressed that bit k = context has, bit 8 without one. Kept
  // beside the words as the address phase has to know it early in the sampling cycle.
  logic [8:0] uncompressed_q[4];

  wire logic [1:0] cfg_banks = cfg_i.banks;
  wire logic [127:0] cfg_data = cfg_i.data;
  wire config_write_t thcon = thcon_write(cfg_i, flop_i);
  wire logic [127:0] thcon_data = thcon.data;

  // ---- writes: rows of four words, {section, bank, 3 bits} and {bank, 2 bits}
  wire logic [3:0] lanes = cfg_i.wide ? 4'b1111 : 4'd1 << cfg_i.index[1:0];
  wire logic [3:0] thcon_lanes = thcon.wide ? 4'b1111 : 4'd1 << thcon.index[1:0];
  wire logic [5:0] sec1_row = thcon.index[7:2] - Sec1[7:2];
  wire logic to_sec0 = thcon.valid && thcon.index[7:5] == Sec0[7:5];
  wire logic to_sec1 = thcon.valid && sec1_row[5:3] == 3'd0;
  wire logic to_unp = cfg_i.index[7:4] == Unp[7:4];
  wire logic to_alu = cfg_i.index[7:2] == 6'd0 && lanes[1];
  wire logic to_access = cfg_i.index[7:2] == Access[7:2] && lanes[Access[1:0]];
  wire logic [7:0] thcon_row = 8'd1 << (to_sec0 ? thcon.index[4:2] : sec1_row[2:0]);
  wire logic [15:0] thcon_banks = {thcon.banks[1] ? thcon_row : 8'd0,
                                   thcon.banks[0] ? thcon_row : 8'd0};
  wire logic [31:0] thcon_rows = {to_sec1 ? thcon_banks : 16'd0, to_sec0 ? thcon_banks : 16'd0};
  wire logic [31:0] words [4], thcon_words [4];  // of a row
  wire logic [3:0] unp_row = 4'd1 << cfg_i.index[3:2];
  wire logic [1:0] alu_bits = cfg_i.wide ? cfg_data[32+Unsigned0+:2] : cfg_data[Unsigned0+:2];

  assign change_o = cfg_i.valid && to_alu
    ? (cfg_i.banks[0] ? alu_bits ^ unsigned_q[0] : 2'd0)
      | (cfg_i.banks[1] ? alu_bits ^ unsigned_q[1] : 2'd0)
    : 2'd0;

  for (genvar i = 0; i < 4; i++) begin : gen_word
    assign words[i] = cfg_i.wide ? cfg_data[32*i+:32] : cfg_data[31:0];
    assign thcon_words[i] = thcon.wide ? thcon_data[32*i+:32] : thcon_data[31:0];
  end

  // ---- what is not compressed after a write to the section
  function automatic logic [8:0] uncompressed_of(
      input tile_descriptor_t tile, input unpacker_modes_word_t mode_word,
      input unpacker_selects_word_t select_word, input unpacker_context_word_t word0,
      input unpacker_context_word_t word1, input unpacker_context_word_t word2,
      input unpacker_context_word_t word3);
    logic own;  // the formats are those of the contexts
    logic [3:0] format;

    own = mode_word.ovrd_data_format;
    format = tile.indataformat;
    uncompressed_of[0] = select_word.disable_zero_compress_cntx0_3[0]
      || is_bfp2(own ? word0.data_format_cntx0 : format);
    uncompressed_of[1] = select_word.disable_zero_compress_cntx0_3[1]
      || is_bfp2(own ? word1.data_format_cntx0 : format);
    uncompressed_of[2] = select_word.disable_zero_compress_cntx0_3[2]
      || is_bfp2(own ? word2.data_format_cntx0 : format);
    uncompressed_of[3] = select_word.disable_zero_compress_cntx0_3[3]
      || is_bfp2(own ? word3.data_format_cntx0 : format);
    uncompressed_of[4] = select_word.disable_zero_compress_cntx4_7[0]
      || is_bfp2(own ? word0.data_format_cntx4 : format);
    uncompressed_of[5] = select_word.disable_zero_compress_cntx4_7[1]
      || is_bfp2(own ? word1.data_format_cntx4 : format);
    uncompressed_of[6] = select_word.disable_zero_compress_cntx4_7[2]
      || is_bfp2(own ? word2.data_format_cntx4 : format);
    uncompressed_of[7] = select_word.disable_zero_compress_cntx4_7[3]
      || is_bfp2(own ? word3.data_format_cntx4 : format);
    uncompressed_of[8] = tile.isuncompressed || is_bfp2(format);
  endfunction

  wire logic [8:0] next_uncompressed [4];

  for (genvar s = 0; s < 4; s++) begin : gen_section
    localparam int Modes = int'(Reg2) / 4, Formats = int'(Reg7);
    wire logic [3:0] tile_lanes = thcon_rows[8*s] ? thcon_lanes : 4'd0;
    wire logic [3:0] mode_lanes = thcon_rows[8*s+Modes] ? thcon_lanes : 4'd0;
    wire logic [3:0] format_lanes = thcon_rows[8*s+Formats] ? thcon_lanes : 4'd0;

    assign next_uncompressed[s] = uncompressed_of(
      {96'd0, tile_lanes[0] ? thcon_words[0] : thcon_q[32*s]},
      mode_lanes[0] ? thcon_words[0] : thcon_q[32*s+4*Modes],
      mode_lanes[1] ? thcon_words[1] : thcon_q[32*s+4*Modes+1],
      format_lanes[0] ? thcon_words[0] : thcon_q[32*s+4*Formats],
      format_lanes[1] ? thcon_words[1] : thcon_q[32*s+4*Formats+1],
      format_lanes[2] ? thcon_words[2] : thcon_q[32*s+4*Formats+2],
      format_lanes[3] ? thcon_words[3] : thcon_q[32*s+4*Formats+3]);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < 128; i++) thcon_q[i] <= '0;
      for (int i = 0; i < 32; i++) unp_q[i] <= '0;
      for (int b = 0; b < 2; b++) unsigned_q[b] <= '0;
      for (int s = 0; s < 4; s++) uncompressed_q[s] <= '0;
      access_q <= '0;
    end else begin
      // by constant indices: variable ones into an array with a reset take synthesis minutes
      if (to_sec0 || to_sec1) begin
        for (int s = 0; s < 4; s++) uncompressed_q[s] <= next_uncompressed[s];
        for (int r = 0; r < 32; r++) begin
          if (thcon_rows[r]) begin
            for (int i = 0; i < 4; i++)
              if (thcon_lanes[i]) thcon_q[4*r+i] <= thcon_words[i];
          end
        end
      end
      if (cfg_i.valid && to_unp) begin
        for (int r = 0; r < 8; r++) begin
          if (cfg_banks[r/4] && unp_row[r%4]) begin
            for (int i = 0; i < 4; i++)
              if (lanes[i]) unp_q[4*r+i] <= words[i];
          end
        end
      end
      for (int b = 0; b < 2; b++)
        if (cfg_i.valid && cfg_banks[b] && to_alu) unsigned_q[b] <= alu_bits;
      if (cfg_i.valid && to_access)
        access_q <= words[Access[1:0]][1:0];
    end
  end

  // ---- threads
  wire thread_config_t threads [6];

  unpack_config_threads u_threads (
    .clk_i, .rst_ni, .setc16_i, .store_i, .clear_o,
    .threads_o(threads)
  );

  function automatic thread_config_t of_thread(
      input logic [1:0] number, input thread_config_t thread0, input thread_config_t thread1,
      input thread_config_t thread2);
    of_thread = number[1] ? thread2 : number[0] ? thread1 : thread0;
  endfunction

  wire thread_config_t own0, own1, own;

  assign own0 = of_thread(thread_i, threads[0], threads[2], threads[4]);
  assign own1 = of_thread(thread_i, threads[1], threads[3], threads[5]);
  assign own = unpacker_i ? own1 : own0;
  assign offset_o = own.offset;

  function automatic nop_config_t nop_of(input thread_config_t thread_config,
                                         input logic [18:0] value0, input logic [18:0] value1,
                                         input logic [3:0] format0, input logic [3:0] format1);
    nop_of.base = thread_config.base;
    nop_of.stream = thread_config.stream;
    nop_of.clear_value = thread_config.state_id ? value1 : value0;
    nop_of.out_format = thread_config.state_id ? format1 : format0;
  endfunction

  for (genvar u = 0; u < 2; u++) begin : gen_nop
    localparam int ClearValue = u == 1 ? 15 : 5;

    assign nop_o[u] = nop_of(
      of_thread(nop_thread_i[u], threads[u], threads[2+u], threads[4+u]),
      unp_q[ClearValue][18:0], unp_q[16+ClearValue][18:0],
      thcon_q[64*u+int'(Reg2)][3:0], thcon_q[64*u+32+int'(Reg2)][3:0]);
  end

  // ---- words of the section, words of the context
  wire logic bank = own.state_id;
  wire logic [1:0] section = {unpacker_i, bank};
  wire logic [1:0] context4 = context_i[1:0];
  wire logic of_context = multi_i && !unpacker_i;
  wire tile_descriptor_t descriptor = {thcon_q[{section, 5'd3}], thcon_q[{section, 5'd2}],
                                   thcon_q[{section, 5'd1}], thcon_q[{section, 5'd0}]};
  wire unpacker_modes_word_t modes = thcon_q[{section, Reg2}];
  wire unpacker_selects_word_t selects = thcon_q[{section, Reg2 + 5'd1}];
  wire unpacker_limit_word_t limit = thcon_q[{section, Reg2 + 5'd2}];
  wire unpacker_fifo_word_t fifo = thcon_q[{section, Reg2 + 5'd3}];
  wire packer_datums_word_t lf8 = thcon_q[{section, Reg1}];
  wire logic [31:0] base = context_i[2] ? thcon_q[{section, Base4, context4}]
                                        : thcon_q[{section, Base0, context4}];
  wire unpacker_dest_word_t dests = thcon_q[{1'b0, bank, Dest, context4[1]}];   // of unpacker 0, as are
  wire unpacker_xdim_word_t xdims = thcon_q[{1'b0, bank, XDim, context4[1]}];   // the next
  wire unpacker_context_word_t reg7 = thcon_q[{section, Reg7, context4}];
  wire unp_base_word_t out_base = unp_q[{bank, unpacker_i ? 4'd13 : 4'd1}];
  wire unp_forced_word_t forced = unp_q[{bank, unpacker_i ? 4'd14 : 4'd2}];
  wire unp_xy_word_t stride_y = unp_q[{bank, unpacker_i ? 4'd10 : 4'd8}];
  wire unp_zw_word_t strides = unp_q[{bank, unpacker_i ? 4'd11 : 4'd9}];
  wire logic [31:0] blobs_start
    = !of_context ? {descriptor.blobsystart_hi, descriptor.blobsystart_lo}
      : context4[1] ? unp_q[{bank, Blobs + 4'd1}] : unp_q[{bank, Blobs}];
  wire logic [1:0] unsigned_bits = unsigned_q[bank];

  // {out, in}
  wire logic [7:0] formats
    = !(multi_i && modes.ovrd_data_format) ? {modes.out_data_format, descriptor.indataformat}
      : context_i[2] ? {reg7.out_data_format_cntx4, reg7.data_format_cntx4}
                     : {reg7.out_data_format_cntx0, reg7.data_format_cntx0};
  // of a context
  wire logic [7:0] disable_compress
    = {selects.disable_zero_compress_cntx4_7, selects.disable_zero_compress_cntx0_3};
  wire logic [7:0] if_sel = {selects.unpack_if_sel_cntx4_7, selects.unpack_if_sel_cntx0_3};
  wire logic uncompressed = multi_i ? disable_compress[context_i] : descriptor.isuncompressed;
  wire logic to_dst = !unpacker_i && (multi_i ? if_sel[context_i] : modes.unpack_if_sel);

  wire logic [8:0] uncompressed_tiles = uncompressed_q[section];
  wire logic [7:0] uncompressed_contexts = uncompressed_tiles[7:0];

  function automatic sampling_t sampling_of(
      input logic plain, input unpacker_modes_word_t mode_word, input logic [1:0] set_base);
    sampling_of.uncompressed = plain;
    sampling_of.set_upd = mode_word.unpack_src_reg_set_upd;
    sampling_of.context_count = mode_word.context_count;
    sampling_of.base = set_base;
  endfunction

  assign sampling_o = sampling_of(
    multi_i ? uncompressed_contexts[context_i] : uncompressed_tiles[8], modes, own.base);

  // the words of the section alone; the other fields are 0
  function automatic config_t static_of(
      input tile_descriptor_t tile, input unpacker_modes_word_t mode_word,
      input logic force_exponent, input logic [16:0] limit_lines, input logic [16:0] fifo_lines);
    static_of = '0;
    static_of.digest_size = tile.digestsize;
    static_of.wdim = tile.wdim;
    static_of.zdim = tile.zdim;
    static_of.ydim = tile.ydim;
    static_of.xdim = tile.xdim;
    static_of.blobs = tile.blobsperxyplane;
    static_of.no_exponents = tile.nobfpexpsection;
    static_of.row_stride = {mode_word.shift_amount_cntx2, mode_word.shift_amount_cntx1,
                            mode_word.shift_amount_cntx0};
    static_of.interleave = mode_word.upsample_and_interleave;
    static_of.upsample_rate = mode_word.upsample_rate;
    static_of.tilize = mode_word.tileize_mode;
    static_of.haloize = mode_word.haloize_mode;
    static_of.throttle = mode_word.throttle_mode;
    static_of.force_exponent = force_exponent;
    static_of.limit = limit_lines;
    static_of.fifo = fifo_lines;
  endfunction

  // ... those of the context added
  function automatic config_t with_context(
      input config_t from, input logic [2:0] number, input logic replace_xdim,
      input logic [7:0] format_bits, input logic plain, input logic dst,
      input unpacker_modes_word_t mode_word, input logic [27:0] base_lines,
      input logic [15:0] offset_lines, input unpacker_dest_word_t dest_word,
      input unpacker_xdim_word_t xdim_word);
    with_context = from;
    with_context.in_format = format_bits[3:0];
    with_context.out_format = format_bits[7:4];
    with_context.uncompressed = plain;
    with_context.to_dst = dst;
    with_context.base = base_lines;
    with_context.offset = offset_lines;
    with_context.shift = number[1]
      ? (number[0] ? mode_word.shift_amount_cntx3 : mode_word.shift_amount_cntx2)
      : (number[0] ? mode_word.shift_amount_cntx1 : mode_word.shift_amount_cntx0);
    with_context.dest = number[0] ? dest_word.dest_cntx1_address : dest_word.dest_cntx0_address;
    if (replace_xdim)
      with_context.xdim = number[0] ? xdim_word.tile_x_dim_cntx1 : xdim_word.tile_x_dim_cntx0;
  endfunction

  // ... and those of other words
  function automatic config_t with_others(
      input config_t from, input logic [31:0] starts, input logic e4m3, input logic throttle,
      input logic [17:0] base_out, input logic [15:0] ystride, input unp_zw_word_t zw_strides,
      input unp_forced_word_t forced_word, input logic int8_unsigned, input logic ovrd,
      input logic [1:0] dst_access);
    with_others = from;
    with_others.blobs_start = starts;
    with_others.e4m3 = e4m3;
    with_others.ovrd_throttle = throttle;
    with_others.out_base = base_out;
    with_others.ystride = ystride;
    with_others.zstride = zw_strides.zstride;
    with_others.wstride = zw_strides.wstride;
    with_others.shared_exponent = forced_word.shared_exp;
    with_others.add_dest = forced_word.add_dest_addr_cntr;
    with_others.int8_unsigned = int8_unsigned;
    with_others.set_ovrd = ovrd;
    with_others.remap = dst_access[1];
    with_others.swizzle = dst_access[0];
  endfunction

  wire packer_selects_word_t throttles = thcon_q[{1'b0, bank, Reg1 - 5'd1}];
  wire config_t of_section, of_both;

  assign of_section = static_of(descriptor, modes, selects.force_shared_exp,
                               limit.limit_address, fifo.fifo_size);
  assign of_both = with_context(of_section, context_i, of_context, formats, uncompressed, to_dst,
                                modes, base[27:0], reg7.offset_address, dests, xdims);
  assign config_o = with_others(of_both, blobs_start, lf8.unp_lf8_4b_exp,
                                throttles.ovrd_default_throttle_mode, out_base.base,
                                stride_y.ystride, strides, forced,
                                unsigned_bits[unpacker_i], own.ovrd, access_q);

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
