// SPDX-License-Identifier: Apache-2.0
//
// What a word of opcode UNPACR_NOP is, in both encodings (section 7 of docs/unpack.md, U1, U2).
`default_nettype none

package unpack_unpacr_nop_pkg;
  import unpack_pkg::*;

  // Forms.
  localparam logic [2:0] NopNothing = 3'd0;
  localparam logic [2:0] NopClear = 3'd1;  // ZEROSRC
  localparam logic [2:0] NopOverlay = 3'd2;  // with the sampled stream, count 0
  localparam logic [2:0] NopOverlayCount = 3'd3;
  localparam logic [2:0] NopSetreg = 3'd4;
  localparam logic [2:0] NopDvalid = 3'd5;  // SETDVALID

  typedef struct packed {
    logic [2:0]  form;
    logic        reserved;
    logic [22:0] foreign;     // bits of the word that the form does not name
    // Clear
    logic        both;
    logic        own;         // WaitLikeUnpacr
    logic        flip;        // Set_Dvalid, and SETDVALID
    logic [2:0]  value;       // as `clear_value`
    logic        neginf_srcb;
    // OverlayCount
    logic [10:0] count;
  } nop_t;

  // Values of ZEROSRC.
  localparam logic [2:0] ClearZero = 3'd0;
  localparam logic [2:0] ClearOnes = 3'd1;
  localparam logic [2:0] ClearFp16 = 3'd2;  // 1.0, as are the next
  localparam logic [2:0] ClearBf16 = 3'd3;
  localparam logic [2:0] ClearInt8 = 3'd4;
  localparam logic [2:0] ClearGiven = 3'd5;  // NOP_REG_CLR_VAL

  function automatic logic [$bits(nop_t)-1:0] decode_wh(
      input logic [22:0] word, input logic unpacker, input logic neginf_srcb);
    nop_t n;

    n = '0;
    n.foreign = {word[22:3], 3'd0};
    case (word[2:0])
      3'd1, 3'd5: begin
        n.form = NopClear;
        n.foreign = {word[22:5], 5'd0};
        n.both = word[3];
        n.own = word[4];
        if (word[2] && (!unpacker || neginf_srcb)) n.value = ClearOnes;
        n.neginf_srcb = word[2] && unpacker && !neginf_srcb;
      end
      3'd0: n.form = NopOverlay;
      3'd3: begin
        n.form = NopOverlayCount;
        n.foreign = word & 23'h40_8008;
        n.count = word[14:4];
      end
      3'd4: begin
        n.form = NopSetreg;
        n.foreign = word & 23'h00_8000;
      end
      3'd7: begin
        n.form = NopDvalid;
        n.flip = 1'b1;
      end
      default: n.reserved = word[2];
    endcase
    decode_wh = n;
  endfunction

  function automatic logic [$bits(nop_t)-1:0] decode_bh(input logic [22:0] word);
    nop_t n;

    n = '0;
    n.foreign = {word[22:2], 2'd0};
    case (word[1:0])
      2'd0: n.form = NopOverlay;
      2'd1: begin
        if (word[7:6] == 2'd3) begin
          n.form = NopDvalid;
          n.flip = 1'b1;
          n.foreign = word & 23'h7F_FE10;
        end else begin
          n.form = NopClear;
          n.foreign = {word[22:9], 9'd0};
          n.both = word[4];
          n.own = word[5];
          n.flip = word[8];
          case (word[3:2])
            2'd0: n.value = ClearZero;
            2'd1: n.value = ClearOnes;
            2'd2: n.value = ClearFp16 + {1'b0, word[7:6]};
            default: n.value = ClearGiven;
          endcase
        end
      end
      2'd2: begin
        n.form = word[8] ? NopDvalid : NopNothing;
        n.flip = word[8];
        n.foreign = word & 23'h7F_FEFC;
      end
      default: begin
        if (word[2]) begin
          // SETDVALID of the other encoding is no SETREG (section 8); bit 15 is named, but ignored
          n.form = NopSetreg;
          n.foreign = word == 23'd7 ? word : 23'd0;
        end else begin
          n.form = NopOverlayCount;
          n.foreign = word & 23'h40_8FF8;
          n.count = {8'd0, word[14:12]};
        end
      end
    endcase
    decode_bh = n;
  endfunction

  // A word that hands its bank over.
  function automatic logic hands_over_wh(input logic [2:0] word);
    hands_over_wh = word == 3'd7;
  endfunction

  function automatic logic hands_over_bh(input logic [8:6] high, input logic [1:0] low);
    hands_over_bh = (low == 2'd1 && (high[8] || high[7:6] == 2'd3)) || (low == 2'd2 && high[8]);
  endfunction

  // The plan of a word, and before it {neginf_srcb, nop_foreign, nop_reserved}. `stream`, `given`:
  // what the configuration has for the unpacker.
  function automatic logic [PlanWidth+2:0] nop_plan(
      input logic [$bits(nop_t)-1:0] nop, input logic [22:16] high, input logic [14:3] low,
      input logic [1:0] thread,
      input logic bank, input logic [5:0] stream, input logic [18:0] given);
    nop_t n;
    plan_t p;

    n = nop;
    p = '0;
    p.thread = thread;
    p.bank = bank;
    p.flip = n.flip;
    case (n.form)
      NopClear: begin
        p.kind = KindToken;
        p.clear = 1'b1;
        p.clear_both = n.both;
        p.clear_own = n.own;
        case (n.value)
          ClearOnes: p.clear_value = 19'h7FFFF;
          ClearFp16: p.clear_value = 19'h0000F;
          ClearBf16: p.clear_value = 19'h0007F;
          ClearInt8: p.clear_value = 19'h00110;
          ClearGiven: p.clear_value = given;
          default: p.clear_value = 19'd0;
        endcase
      end
      NopDvalid: p.kind = KindToken;
      NopOverlay: begin
        p.kind = KindOverlay;
        p.stream = stream;
      end
      NopOverlayCount: begin
        p.kind = KindOverlay;
        p.stream = n.count != 11'd0 ? high[21:16] : stream;
        p.value = n.count;
      end
      NopSetreg: begin
        p.kind = KindSetreg;
        p.stream = high[21:16];
        p.value = low[14:4];
        p.accumulate = low[3];
        p.base_select = high[22];
      end
      default: p.kind = KindNop;
    endcase
    nop_plan = {n.neginf_srcb, n.foreign != 23'd0, n.reserved, p};
  endfunction

endpackage

`default_nettype wire
