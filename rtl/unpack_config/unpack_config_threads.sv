// SPDX-License-Identifier: Apache-2.0
//
// The unpackers' copy of three threads' ThreadConfig.
//
// Latency: a SETC16 or store of t is read from t+1 on, of both to one word the SETC16; reads are
// combinational. Handshake: none. Reset: all 0. threads_o[2t + u] is what unpacker u reads of
// thread t. clear_o[t] is up in the cycle of a SETC16 that clears the context of unpacker 0 (bit 0)
// and 1 (U6).
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words, some fields

module unpack_config_threads
  import unit_port_pkg::*;
  import tilepath_isa_pkg::*;
  import config_words_pkg::*;
  import unpack_config_pkg::*;
(
  input  wire logic           clk_i,
  input  wire logic           rst_ni,
  input  wire setc16_t        setc16_i [3],
  input  wire thread_store_t  store_i,
  output wire logic [1:0]     clear_o [3],
  output wire thread_config_t threads_o [6]
);

  localparam logic [6:0] StateId = 7'(THD_CFG_STATE_ID_STATEID_ADDR32);
  localparam logic [6:0] SrcaSet = 7'(THD_SRCA_SET_BASE_ADDR32);
  localparam logic [6:0] SrcbSet = 7'(THD_SRCB_SET_BASE_ADDR32);
  localparam logic [6:0] Misc = 7'(THD_UNPACK_MISC_CFG_CFGCONTEXTOFFSET_0_ADDR32);
  localparam logic [6:0] Stream0 = 7'(THD_NOC_OVERLAY_MSG_CLEAR_STREAMID_0_ADDR32);
  localparam logic [6:0] Stream1 = 7'(THD_NOC_OVERLAY_MSG_CLEAR_STREAMID_1_ADDR32);

  // What a write of a word makes of what unpacker 0 reads, or with `second` unpacker 1. Value,
  // src_set, misc and clear are the same bits; SrcB's word has its Base where SrcA's has it, and
  // the words of both streams are alike.
  function automatic thread_config_t written(
    input logic second, input thread_config_t old, input logic [6:0] index,
    input logic [15:0] value, input srca_set_word_t src_set, input unpack_misc_word_t misc,
    input msg_clear_word_t clear
  );
    thread_config_t c;

    c = old;
    if (index == StateId) c.state_id = value[THD_CFG_STATE_ID_STATEID_LSB];
    if (index == SrcaSet) c.ovrd = src_set.setovrdwithaddr;
    if (index == (second ? SrcbSet : SrcaSet)) c.base = src_set.base;
    if (index == Misc && !second) c.offset = misc.cfgcontextoffset_0[2:0];
    if (index == Misc && second) c.offset = misc.cfgcontextoffset_1[2:0];
    if (index == (second ? Stream1 : Stream0)) c.stream = clear.streamid_0;
    written = c;
  endfunction

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire setc16_t setc16 = setc16_i[t];
    wire unpack_misc_word_t misc = setc16.value;
    wire logic clears = setc16.valid && setc16.index == Misc;
    wire logic stored = store_i.valid && store_i.thread == 2'(t);
    wire logic [15:0] first = store_i.value, last = setc16.value;

    assign clear_o[t] = clears ? {misc.cfgcontextcntreset_1, misc.cfgcontextcntreset_0} : 2'd0;

    for (genvar u = 0; u < 2; u++) begin : gen_unpacker
      thread_config_t config_q;
      wire thread_config_t between
        = stored ? written(1'(u), config_q, store_i.index, first, first, first, first) : config_q;

      assign threads_o[2*t+u] = config_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          config_q <= '0;
        end else if (setc16.valid || stored) begin
          config_q <= setc16.valid ? written(1'(u), between, setc16.index, last, last, last, last)
                                   : between;
        end
      end
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
