// SPDX-License-Identifier: Apache-2.0
//
// The unpackers' copy of three threads' ThreadConfig.
//
// Latency: a SETC16 or store of t is read from t+1 on, of both to one word the SETC16; reads are
// combinational. Handshake: none. Reset: all 0. threads_o[2t + u] is what unpacker u reads of thread t. clear_o[t] is up in the cycle of a
// SETC16 that clears the thread's context, of unpacker 0 (bit 0) and 1 (U6).
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

  // What a write of a word makes of what unpacker 0 reads; of unpacker 1.
  function automatic thread_config_t of_unpacker0(input thread_config_t old,
                                                  input logic [6:0] index, input logic [15:0] value,
                                                  input srca_set_word_t src_set,
                                                  input unpack_misc_word_t misc,
                                                  input msg_clear_word_t clear);
    thread_config_t c;

    c = old;
    if (index == StateId) c.state_id = value[THD_CFG_STATE_ID_STATEID_LSB];
    if (index == SrcaSet) c.ovrd = src_set.setovrdwithaddr;
    if (index == SrcaSet) c.base = src_set.base;
    if (index == Misc) c.offset = misc.cfgcontextoffset_0[2:0];
    if (index == Stream0) c.stream = clear.streamid_0;
    of_unpacker0 = c;
  endfunction

  function automatic thread_config_t of_unpacker1(input thread_config_t old,
                                                  input logic [6:0] index, input logic [15:0] value,
                                                  input srca_set_word_t src_set,
                                                  input unpack_misc_word_t misc,
                                                  input msg_clear_word_t clear);
    thread_config_t c;

    c = old;
    if (index == StateId) c.state_id = value[THD_CFG_STATE_ID_STATEID_LSB];
    if (index == SrcaSet) c.ovrd = src_set.setovrdwithaddr;
    if (index == SrcbSet) c.base = src_set.base;  // SrcB's word has its Base alike
    if (index == Misc) c.offset = misc.cfgcontextoffset_1[2:0];
    if (index == Stream1) c.stream = clear.streamid_0;  // and so is that of unpacker 1
    of_unpacker1 = c;
  endfunction

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    thread_config_t config0_q, config1_q;
    wire setc16_t setc16 = setc16_i[t];
    wire unpack_misc_word_t misc = setc16.value;
    wire logic clears = setc16.valid && setc16.index == Misc;
    wire logic stored = store_i.valid && store_i.thread == 2'(t);
    wire logic [15:0] first = store_i.value, last = setc16.value;
    wire thread_config_t stored0
      = stored ? of_unpacker0(config0_q, store_i.index, first, first, first, first) : config0_q;
    wire thread_config_t stored1
      = stored ? of_unpacker1(config1_q, store_i.index, first, first, first, first) : config1_q;

    assign clear_o[t] = clears ? {misc.cfgcontextcntreset_1, misc.cfgcontextcntreset_0} : 2'd0;
    assign threads_o[2*t] = config0_q;
    assign threads_o[2*t+1] = config1_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        config0_q <= '0;
        config1_q <= '0;
      end else if (setc16.valid || stored) begin
        config0_q <= setc16.valid ? of_unpacker0(stored0, setc16.index, last, last, last, last)
                                  : stored0;
        config1_q <= setc16.valid ? of_unpacker1(stored1, setc16.index, last, last, last, last)
                                  : stored1;
      end
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
