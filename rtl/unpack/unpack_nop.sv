// SPDX-License-Identifier: Apache-2.0
//
// What a word of opcode UNPACR_NOP is, for one unpacker, in either encoding (section 7 of
// docs/unpack.md, U1, U2).
//
// Latency: combinational, in the sampling cycle. Handshake: none. hands_over_o: the word flips the
// bank, if it is a NOP that is sampled.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words, some bits

module unpack_nop
  import unpack_pkg::*;
  import unpack_config_pkg::nop_config_t;
  import unpack_front_pkg::*;
#(
  parameter int Unpacker          = 0,
  parameter int NopEnc            = 0,
  parameter int ZerosrcNeginfSrcb = 0,
  parameter int UnpacrNopZeroClears = 0
) (
  input  wire logic [22:0]  word_i,
  input  wire logic [1:0]   thread_i,
  input  wire logic         bank_i,
  input  wire nop_config_t  config_i,
  output wire logic         hands_over_o,
  output wire early_t       early_o
);

  typedef enum logic [2:0] {
    FormNothing, FormClear, FormOverlay, FormOverlayCount, FormSetreg, FormDvalid
  } form_e;

  localparam logic [18:0] Ones = 19'h7FFFF;
  localparam logic NegInf = 1'(Unpacker == 0 || ZerosrcNeginfSrcb != 0);
  localparam logic ZeroClears = 1'(UnpacrNopZeroClears != 0);  // U69
  localparam logic [18:0] One = ZeroClears ? 19'h0007F : 19'h0000F;

  // ---- forms, and the bits that they do not name
  function automatic form_e form_wh(input logic [2:0] mode);
    case (mode)
      3'd0: form_wh = FormOverlay;
      3'd1, 3'd5: form_wh = FormClear;
      3'd3: form_wh = FormOverlayCount;
      3'd4: form_wh = FormSetreg;
      3'd7: form_wh = FormDvalid;
      default: form_wh = FormNothing;
    endcase
  endfunction

  function automatic form_e form_bh(input logic [8:0] low);
    case (low[1:0])
      2'd0: form_bh = FormOverlay;
      2'd1: begin
        form_bh = FormClear;
        if (low[7:6] == 2'd3 && (!ZeroClears || low[3:2] == 2'd2)) form_bh = FormDvalid;
      end
      2'd2: begin
        form_bh = FormNothing;
        if (low[8]) form_bh = FormDvalid;
      end
      default: begin
        form_bh = FormOverlayCount;
        if (low[2]) form_bh = FormSetreg;
      end
    endcase
  endfunction

  function automatic logic [22:0] named_wh(input form_e form);
    case (form)
      FormClear: named_wh = 23'h00_001F;
      FormOverlayCount: named_wh = 23'h3F_7FF7;
      FormSetreg: named_wh = 23'h7F_7FFF;
      default: named_wh = 23'h00_0007;
    endcase
  endfunction

  function automatic logic [22:0] named_bh(input form_e form, input logic mode0);
    case (form)
      FormClear: named_bh = 23'h00_01FF;
      FormOverlayCount: named_bh = 23'h3F_7007;
      FormSetreg: named_bh = 23'h7F_FFFF;
      FormDvalid: named_bh = mode0 ? 23'h00_01EF : 23'h00_0103;
      FormNothing: named_bh = 23'h00_0103;
      default: named_bh = 23'h00_0003;
    endcase
  endfunction

  // ---- a ZEROSRC
  function automatic token_t clear_wh(input logic [22:0] word);
    clear_wh.clear = 1'b1;
    clear_wh.clear_both = word[3];
    clear_wh.clear_own = word[4];
    clear_wh.clear_value = word[2] && NegInf ? Ones : 19'd0;
  endfunction

  function automatic token_t clear_bh(input logic [22:0] word, input logic [18:0] given);
    clear_bh.clear = 1'b1;
    clear_bh.clear_both = word[4];
    clear_bh.clear_own = word[5];
    case (word[3:2])
      2'd0: clear_bh.clear_value = 19'd0;
      2'd1: clear_bh.clear_value = Ones;
      // one, as TF32 or FP16, BF16, INT8; 3 is no ZEROSRC
      2'd2: clear_bh.clear_value = word[7] ? 19'h00110 : word[6] ? 19'h0007F : One;
      default: clear_bh.clear_value = given;
    endcase
  endfunction

  // ---- an OverlayClear, a SETREG
  function automatic effect_t overlay_of(input logic [5:0] stream, input logic [10:0] count);
    overlay_of = '0;
    overlay_of.stream = stream;
    overlay_of.value = count;
  endfunction

  function automatic effect_t setreg_of(input logic [22:0] word);
    setreg_of.stream = word[21:16];
    setreg_of.value = word[14:4];
    setreg_of.accumulate = word[3];
    setreg_of.base_select = word[22];
  endfunction

  function automatic kind_e kind_of(input form_e form);
    case (form)
      FormClear, FormDvalid: kind_of = KindToken;
      FormOverlay, FormOverlayCount: kind_of = KindOverlay;
      FormSetreg: kind_of = KindSetreg;
      default: kind_of = KindNop;
    endcase
  endfunction

  function automatic early_t early_of(
      input form_e form, input logic [1:0] thread, input logic bank, input logic flip,
      input logic [3:0] out_format, input token_t token, input effect_t effect, input logic foreign,
      input logic reserved, input logic neginf_srcb);
    early_of = '0;
    early_of.kind = kind_of(form);
    early_of.whose.thread = thread;
    early_of.whose.bank = bank;
    early_of.whose.flip = flip;
    early_of.convert.out_format = out_format;
    if (form == FormClear) early_of.token = token;
    early_of.effect = effect;
    early_of.faults.nop_foreign = foreign;
    early_of.faults.nop_reserved = reserved;
    early_of.faults.neginf_srcb = neginf_srcb;
  endfunction

  wire form_e form;
  wire logic [10:0] count;
  wire logic [22:0] named;
  wire token_t clear;
  wire effect_t setreg, overlay, effect;
  wire logic foreign, reserved, neginf_srcb;

  if (NopEnc != 0) begin : gen_bh
    assign form = form_bh(word_i[8:0]);
    assign named = named_bh(form, word_i[0]);
    assign count = {8'd0, word_i[14:12]};
    assign clear = clear_bh(word_i, config_i.clear_value);
    assign hands_over_o = form == FormDvalid || (form == FormClear && word_i[8]);
    // SETDVALID of the other encoding is no SETREG (section 8)
    assign foreign = (word_i & ~named) != 23'd0 || word_i == 23'd7;
    assign reserved = 1'b0;
    assign neginf_srcb = 1'b0;
  end else begin : gen_wh
    assign form = form_wh(word_i[2:0]);
    assign named = named_wh(form);
    assign count = word_i[14:4];
    assign clear = clear_wh(word_i);
    assign hands_over_o = form == FormDvalid;
    assign foreign = (word_i & ~named) != 23'd0;
    assign reserved = word_i[2:0] == 3'd6;
    assign neginf_srcb = form == FormClear && word_i[2] && !NegInf;
  end

  wire logic counted = form == FormOverlayCount;

  assign setreg = setreg_of(word_i);
  assign overlay = overlay_of(counted && count != 11'd0 ? word_i[21:16] : config_i.stream,
                              counted ? count : 11'd0);
  assign effect = form == FormSetreg ? setreg : counted || form == FormOverlay ? overlay : '0;
  assign early_o = early_of(form, thread_i, bank_i, hands_over_o, config_i.out_format, clear,
                            effect, foreign, reserved, neginf_srcb);

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
