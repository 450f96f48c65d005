// SPDX-License-Identifier: Apache-2.0
//
// The unpackers' copy of the configuration: the words that sections 5 and 7 of docs/unpack.md read.
//
// Latency: what is written in t is read from t+1 on; reads are combinational. Handshake: none.
// Reset: all 0. config_o is the config_t of an unpacker, the bank of a thread and a context;
// offset_o is there without the context. In the cycle of a write:
// change_o: it changes SrcAUnsigned (bit 0), SrcBUnsigned of a bank; clear_o: it is a SETC16 that
// clears the thread's context of unpacker 0 (bit 0), 1 (U6).
`default_nettype none

module unp_config
  import tilepath_isa_pkg::*;
  import unpack_pkg::is_bfp2;
  import unpack_plan_pkg::*;
(
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  // writes
  input  wire logic         cfg_valid_i,
  input  wire logic [1:0]   cfg_banks_i,
  input  wire logic [7:0]   cfg_index_i,
  input  wire logic         cfg_wide_i,
  input  wire logic [127:0] cfg_data_i,
  input  wire logic         setc16_valid_i [3],
  input  wire logic [6:0]   setc16_index_i [3],
  input  wire logic [15:0]  setc16_value_i [3],
  output wire logic [1:0]   change_o,
  output wire logic [1:0]   clear_o [3],
  // reads: for an UNPACR
  input  wire logic                   unpacker_i,
  input  wire logic [1:0]             thread_i,
  input  wire logic                   multi_i,
  input  wire logic [2:0]             context_i,
  output wire logic [ConfigWidth-1:0] config_o,
  output wire logic                   compressed_o,
  output wire logic                   set_upd_o,        // Unpack_Src_Reg_Set_Upd
  output wire logic [1:0]             context_count_o,  // log2
  output wire logic                   ovrd_o,           // SRCA_SET_SetOvrdWithAddr
  output wire logic [1:0]             base_o,           // SRCA_SET_Base, SRCB_SET_Base
  output wire logic [2:0]             offset_o,         // CfgContextOffset, modulo 8 (U7)
  // ... for the NOP of each unpacker
  input  wire logic [1:0]             nop_thread_i [2],
  output wire logic [1:0]             nop_base_o [2],
  output wire logic [5:0]             nop_stream_o [2], // NOC_OVERLAY_MSG_CLEAR_StreamId
  output wire logic [18:0]            nop_value_o [2]   // NOP_REG_CLR_VAL
);

  // THCON words: 32 of each section, from the tile descriptor on
  localparam logic [7:0] Sec0 = 8'(CFG_THCON_SEC0_REG0_TILEDESCRIPTOR_INDATAFORMAT_ADDR32);
  localparam logic [7:0] Sec1 = 8'(CFG_THCON_SEC1_REG0_TILEDESCRIPTOR_INDATAFORMAT_ADDR32);
  localparam logic [4:0] Reg1 = 5'(CFG_THCON_SEC0_REG1_UNP_LF8_4B_EXP_ADDR32 - 64);
  localparam logic [4:0] Reg2 = 5'(CFG_THCON_SEC0_REG2_OUT_DATA_FORMAT_ADDR32 - 64);
  localparam logic [4:0] Base = Reg2 + 5'd4;  // of eight contexts
  localparam logic [4:0] Dest = Base + 5'd8;  // of four, two a word
  localparam logic [4:0] XDim = Dest + 5'd2;
  localparam logic [2:0] Reg7 = 3'd7;  // of four, from 28 on
  // UNP words: 16 of both unpackers, from REG_0_Base on
  localparam logic [7:0] Unp = 8'(CFG_UNP0_ADDR_BASE_REG_0_BASE_ADDR32);
  localparam logic [3:0] Blobs = 4'(CFG_UNP0_BLOBS_Y_START_CNTX_01_ADDR32 - 48);
  localparam int Unsigned0 = CFG_ALU_FORMAT_SPEC_REG0_SRCAUNSIGNED_LSB;

  // what is read of a thread's own configuration
  typedef struct packed {
    logic       state_id;
    logic       ovrd;
    logic [1:0] base1;    // SRCB_SET_Base
    logic [1:0] base0;
    logic [2:0] offset1;  // CfgContextOffset
    logic [2:0] offset0;
    logic [5:0] stream1;  // NOC_OVERLAY_MSG_CLEAR_StreamId
    logic [5:0] stream0;
  } thread_config_t;

  localparam int ThreadConfigWidth = $bits(thread_config_t);

  logic [31:0] thcon_q[128];  // {section, bank, word}
  logic [31:0] unp_q[32];  // {bank, word}
  logic [1:0] unsigned_q[2];  // of a bank: SrcBUnsigned, SrcAUnsigned

  // ---- writes
  wire logic [3:0] lanes = cfg_wide_i ? 4'b1111 : 4'd1 << cfg_index_i[1:0];
  wire logic [5:0] sec1_row = cfg_index_i[7:2] - Sec1[7:2];
  wire logic to_sec0 = cfg_index_i[7:5] == Sec0[7:5];
  wire logic to_sec1 = sec1_row[5:3] == 3'd0;
  wire logic [2:0] thcon_row = to_sec0 ? cfg_index_i[4:2] : sec1_row[2:0];
  wire logic to_unp = cfg_index_i[7:4] == Unp[7:4];
  // rows of four words: {section, bank, 3 bits}, {bank, 2 bits}
  wire logic [7:0] thcon_row_bit = to_sec0 || to_sec1 ? 8'd1 << thcon_row : 8'd0;
  wire logic [15:0] thcon_banks = {cfg_banks_i[1] ? thcon_row_bit : 8'd0,
                                   cfg_banks_i[0] ? thcon_row_bit : 8'd0};
  wire logic [31:0] thcon_rows = {to_sec0 ? 16'd0 : thcon_banks, to_sec0 ? thcon_banks : 16'd0};
  wire logic [3:0] unp_row_bit = to_unp ? 4'd1 << cfg_index_i[3:2] : 4'd0;
  wire logic [7:0] unp_rows = {cfg_banks_i[1] ? unp_row_bit : 4'd0,
                               cfg_banks_i[0] ? unp_row_bit : 4'd0};
  wire logic to_alu = cfg_index_i[7:2] == 6'd0 && lanes[1];
  wire logic [1:0] new_unsigned
    = cfg_wide_i ? cfg_data_i[32+Unsigned0+:2] : cfg_data_i[Unsigned0+:2];

  assign change_o = cfg_valid_i && to_alu
    ? (cfg_banks_i[0] ? new_unsigned ^ unsigned_q[0] : 2'd0)
      | (cfg_banks_i[1] ? new_unsigned ^ unsigned_q[1] : 2'd0)
    : 2'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < 128; i++) thcon_q[i] <= '0;
      for (int i = 0; i < 32; i++) unp_q[i] <= '0;
      for (int b = 0; b < 2; b++) unsigned_q[b] <= '0;
    end else if (cfg_valid_i) begin
      // by constant indices: variable ones into an array with a reset take synthesis minutes
      for (int r = 0; r < 32; r++) begin
        if (thcon_rows[r]) begin
          for (int i = 0; i < 4; i++)
            if (lanes[i]) thcon_q[4*r+i] <= cfg_wide_i ? cfg_data_i[32*i+:32] : cfg_data_i[31:0];
        end
      end
      for (int r = 0; r < 8; r++) begin
        if (unp_rows[r]) begin
          for (int i = 0; i < 4; i++)
            if (lanes[i]) unp_q[4*r+i] <= cfg_wide_i ? cfg_data_i[32*i+:32] : cfg_data_i[31:0];
        end
      end
      for (int b = 0; b < 2; b++)
        if (cfg_banks_i[b] && to_alu) unsigned_q[b] <= new_unsigned;
    end
  end

  // ---- ThreadConfig
  wire logic [ThreadConfigWidth-1:0] thread_config [3];

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    thread_config_t thread_q;
    wire logic to_misc
      = setc16_valid_i[t] && setc16_index_i[t] == 7'(THD_UNPACK_MISC_CFG_CFGCONTEXTOFFSET_0_ADDR32);

    assign clear_o[t] = to_misc ? {setc16_value_i[t][12], setc16_value_i[t][4]} : 2'd0;
    assign thread_config[t] = thread_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        thread_q <= '0;
      end else if (setc16_valid_i[t]) begin
        case (setc16_index_i[t])
          7'(THD_CFG_STATE_ID_STATEID_ADDR32): thread_q.state_id <= setc16_value_i[t][0];
          7'(THD_SRCA_SET_BASE_ADDR32): begin
            thread_q.ovrd <= setc16_value_i[t][2];
            thread_q.base0 <= setc16_value_i[t][1:0];
          end
          7'(THD_SRCB_SET_BASE_ADDR32): thread_q.base1 <= setc16_value_i[t][1:0];
          7'(THD_UNPACK_MISC_CFG_CFGCONTEXTOFFSET_0_ADDR32): begin
            thread_q.offset0 <= setc16_value_i[t][2:0];
            thread_q.offset1 <= setc16_value_i[t][10:8];
          end
          7'(THD_NOC_OVERLAY_MSG_CLEAR_STREAMID_0_ADDR32):
            thread_q.stream0 <= setc16_value_i[t][5:0];
          7'(THD_NOC_OVERLAY_MSG_CLEAR_STREAMID_1_ADDR32):
            thread_q.stream1 <= setc16_value_i[t][5:0];
          default: thread_q <= thread_q;
        endcase
      end
    end
  end

  // fields of a thread's configuration, for one unpacker: {state_id, ovrd, base, offset, stream}
  function automatic logic [12:0] fields_of(input logic unpacker,
                                            input logic [ThreadConfigWidth-1:0] config_bits);
    thread_config_t c;

    c = config_bits;
    if (unpacker) fields_of = {c.state_id, c.ovrd, c.base1, c.offset1, c.stream1};
    else fields_of = {c.state_id, c.ovrd, c.base0, c.offset0, c.stream0};
  endfunction

  wire logic [12:0] own
    = fields_of(unpacker_i, thread_i[1] ? thread_config[2]
                                        : thread_i[0] ? thread_config[1] : thread_config[0]);
  wire logic [5:0] unused_stream = own[5:0];
  wire logic [12:0] nop_own [2];
  wire logic [3:0] unused_nop [2];

  assign {ovrd_o, base_o, offset_o} = own[11:6];
  for (genvar u = 0; u < 2; u++) begin : gen_nop
    assign nop_own[u]
      = fields_of(u == 1, nop_thread_i[u][1] ? thread_config[2]
                          : nop_thread_i[u][0] ? thread_config[1] : thread_config[0]);
    assign unused_nop[u] = {nop_own[u][11], nop_own[u][8:6]};
    assign nop_base_o[u] = nop_own[u][10:9];
    assign nop_stream_o[u] = nop_own[u][5:0];
    assign nop_value_o[u] = unp_q[{nop_own[u][12], u == 1 ? 4'd15 : 4'd5}][18:0];
  end

  // ---- Config: words of the section, words of the context
  wire logic bank = own[12];
  wire logic [1:0] section = {unpacker_i, bank};
  wire logic [1:0] context4 = context_i[1:0];
  wire logic [31:0] modes = thcon_q[{section, Reg2}];
  wire logic [31:0] selects = thcon_q[{section, Reg2 + 5'd1}];
  wire logic [31:0] dests = thcon_q[{section, Dest + {4'd0, context4[1]}}];
  wire logic [31:0] xdims = thcon_q[{section, XDim + {4'd0, context4[1]}}];
  wire logic [31:0] reg7 = thcon_q[{section, Reg7, context4}];
  wire logic [31:0] strides = unp_q[{bank, unpacker_i ? 4'd11 : 4'd9}];
  wire logic [1:0] unsigned_bits = unsigned_q[bank];

  // ---- ... as they apply
  wire logic of_context = multi_i && !unpacker_i;
  wire logic [7:0] formats
    = multi_i && modes[14] ? (context_i[2] ? reg7[31:24] : reg7[23:16])
                           : {modes[3:0], thcon_q[{section, 5'd0}][3:0]};
  wire logic uncompressed = multi_i ? selects[{context_i[2], 2'b00, context4}]
                                    : thcon_q[{section, 5'd0}][4];
  wire logic to_dst = !unpacker_i && (multi_i ? selects[{context_i[2], 2'b01, context4}]
                                              : modes[11]);

  assign compressed_o = !uncompressed && !is_bfp2(formats[3:0]);
  assign set_upd_o = modes[10];
  assign context_count_o = modes[7:6];
  // the fields of config_t, in their order
  assign config_o = {
    thcon_q[{section, 5'd3}][31:24],
    of_context ? unp_q[{bank, Blobs + {3'd0, context4[1]}}]
               : {thcon_q[{section, 5'd3}][15:0], thcon_q[{section, 5'd2}][31:16]},
    thcon_q[{section, 5'd2}][7:0], thcon_q[{section, 5'd1}][23:16], thcon_q[{section, 5'd1}][7:0],
    of_context ? xdims[{context4[0], 4'd0}+:16] : thcon_q[{section, 5'd0}][31:16],
    thcon_q[{section, 5'd0}][10:8], thcon_q[{section, 5'd0}][5],
    !uncompressed, compressed_o, to_dst, formats[3:0], formats[7:4],
    thcon_q[{section, Reg1}][CFG_THCON_SEC0_REG1_UNP_LF8_4B_EXP_LSB],
    modes[27:16], modes[15], modes[13:12], modes[9], modes[8], modes[5:4],
    selects[8], thcon_q[{section, Reg2 + 5'd2}][16:0], thcon_q[{section, Reg2 + 5'd3}][16:0],
    thcon_q[{section, Base + {2'd0, context_i}}], reg7[15:0],
    modes[{1'b1, context4, 2'b00}+:4], dests[{context4[0], 4'd0}+:16],
    unp_q[{bank, unpacker_i ? 4'd13 : 4'd1}][17:0],
    unp_q[{bank, unpacker_i ? 4'd10 : 4'd8}][31:16], strides[15:0], strides[31:16],
    unp_q[{bank, unpacker_i ? 4'd14 : 4'd2}][7:0], unp_q[{bank, unpacker_i ? 4'd14 : 4'd2}][8],
    unsigned_bits[unpacker_i]
  };

endmodule

`default_nettype wire
