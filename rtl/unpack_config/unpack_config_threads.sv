// SPDX-License-Identifier: Apache-2.0
//
// The unpackers' copy of three threads' ThreadConfig.
//
// Latency: a SETC16 of t is read from t+1 on; reads are combinational. Handshake: none. Reset: all
// 0. threads_o[2t + u] is what unpacker u reads of thread t. clear_o[t] is up in the cycle of a
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
  output wire logic [1:0]     clear_o [3],
  output wire thread_config_t threads_o [6]
);

  localparam logic [6:0] StateId = 7'(THD_CFG_STATE_ID_STATEID_ADDR32);
  localparam logic [6:0] SrcaSet = 7'(THD_SRCA_SET_BASE_ADDR32);
  localparam logic [6:0] SrcbSet = 7'(THD_SRCB_SET_BASE_ADDR32);
  localparam logic [6:0] Misc = 7'(THD_UNPACK_MISC_CFG_CFGCONTEXTOFFSET_0_ADDR32);
  localparam logic [6:0] Stream0 = 7'(THD_NOC_OVERLAY_MSG_CLEAR_STREAMID_0_ADDR32);
  localparam logic [6:0] Stream1 = 7'(THD_NOC_OVERLAY_MSG_CLEAR_STREAMID_1_ADDR32);

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    thread_config_t config0_q, config1_q;
    wire setc16_t setc16 = setc16_i[t];
    wire logic to_misc = setc16.valid && setc16.index == Misc;
    wire srca_set_word_t src_set = setc16.value;  // SrcB's has its Base alike
    wire unpack_misc_word_t misc = setc16.value;
    wire msg_clear_word_t clear = setc16.value;   // that of unpacker 1 is alike

    assign clear_o[t] = to_misc ? {misc.cfgcontextcntreset_1, misc.cfgcontextcntreset_0} : 2'd0;
    assign threads_o[2*t] = config0_q;
    assign threads_o[2*t+1] = config1_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        config0_q <= '0;
        config1_q <= '0;
      end else if (setc16.valid) begin
        if (setc16.index == StateId) begin
          config0_q.state_id <= setc16.value[THD_CFG_STATE_ID_STATEID_LSB];
          config1_q.state_id <= setc16.value[THD_CFG_STATE_ID_STATEID_LSB];
        end
        if (setc16.index == SrcaSet) begin
          config0_q.ovrd <= src_set.setovrdwithaddr;
          config1_q.ovrd <= src_set.setovrdwithaddr;
          config0_q.base <= src_set.base;
        end
        if (setc16.index == SrcbSet) config1_q.base <= src_set.base;
        if (to_misc) begin
          config0_q.offset <= misc.cfgcontextoffset_0[2:0];
          config1_q.offset <= misc.cfgcontextoffset_1[2:0];
        end
        if (setc16.index == Stream0) config0_q.stream <= clear.streamid_0;
        if (setc16.index == Stream1) config1_q.stream <= clear.streamid_0;
      end
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
