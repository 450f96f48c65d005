// SPDX-License-Identifier: Apache-2.0
//
// The row counters of three threads (RWC), and what SETRWC, INCRWC and the address modifiers make
// of them (M5, M6 of docs/decisions/standin.md).
//
// Latency: a change in c shows from c+1 on. Reset: 0.
`timescale 1ns / 1ps
`default_nettype none

module standin_counters
  import tilepath_isa_pkg::*;
  import config_words_pkg::*;
  import standin_counters_pkg::*;
(
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic [1:0]          thread_i,
  output wire rwc_t                rwc_o,       // of the thread
  output wire rwc_t                all_o [3],
  // what happens at the end of the cycle
  input  wire logic                set_i,
  input  wire logic                increase_i,
  input  wire logic [23:0]         word_i,
  input  wire logic                modify_i,
  input  wire addr_mod_ab_word_t   ab_i,
  input  wire addr_mod_dst_word_t  dst_i,
  input  wire addr_mod_bias_word_t bias_i
);

  rwc_t rwc0_q, rwc1_q, rwc2_q;
  rwc_t next;
  wire rwc_t now = thread_i[1] ? rwc2_q : thread_i[0] ? rwc1_q : rwc0_q;

  assign rwc_o = now;
  assign all_o[0] = rwc0_q;
  assign all_o[1] = rwc1_q;
  assign all_o[2] = rwc2_q;

  function automatic rwc_t set(input rwc_t r, input logic [23:0] w);
    logic [9:0] base;

    set = r;
    if (w[SETRWC_SET_A_LSB]) begin
      set.a = {2'd0, w[9:6]} + (w[SETRWC_CR_A_LSB] ? r.a_cr : 6'd0);
      set.a_cr = set.a;
    end
    if (w[SETRWC_SET_B_LSB]) begin
      set.b = {2'd0, w[13:10]} + (w[SETRWC_CR_B_LSB] ? r.b_cr : 6'd0);
      set.b_cr = set.b;
    end
    if (w[SETRWC_SET_D_LSB] || w[SETRWC_D_TO_CR_LSB]) begin
      base = w[SETRWC_D_TO_CR_LSB] ? r.d : w[SETRWC_CR_D_LSB] ? r.d_cr : 10'd0;
      set.d = base + {6'd0, w[17:14]};
      set.d_cr = set.d;
    end
    if (w[SETRWC_SET_PHASE_LSB]) set.phase = 2'd0;
  endfunction

  function automatic rwc_t increased(input rwc_t r, input logic [23:0] w);
    increased = r;
    if (w[INCRWC_CR_A_LSB]) begin
      increased.a_cr = r.a_cr + {2'd0, w[9:6]};
      increased.a = increased.a_cr;
    end else begin
      increased.a = r.a + {2'd0, w[9:6]};
    end
    if (w[INCRWC_CR_B_LSB]) begin
      increased.b_cr = r.b_cr + {2'd0, w[13:10]};
      increased.b = increased.b_cr;
    end else begin
      increased.b = r.b + {2'd0, w[13:10]};
    end
    if (w[INCRWC_CR_D_LSB]) begin
      increased.d_cr = r.d_cr + {6'd0, w[17:14]};
      increased.d = increased.d_cr;
    end else begin
      increased.d = r.d + {6'd0, w[17:14]};
    end
  endfunction

  function automatic rwc_t modified(input rwc_t r, input addr_mod_ab_word_t ab,
                                    input addr_mod_dst_word_t d, input addr_mod_bias_word_t bias);
    modified = r;
    if (ab.srcaclear) begin
      modified.a = 6'd0;
      modified.a_cr = 6'd0;
    end else if (ab.srcacr) begin
      modified.a_cr = r.a_cr + ab.srcaincr;
      modified.a = modified.a_cr;
    end else begin
      modified.a = r.a + ab.srcaincr;
    end
    if (ab.srcbclear) begin
      modified.b = 6'd0;
      modified.b_cr = 6'd0;
    end else if (ab.srcbcr) begin
      modified.b_cr = r.b_cr + ab.srcbincr;
      modified.b = modified.b_cr;
    end else begin
      modified.b = r.b + ab.srcbincr;
    end
    if (d.destclear) begin
      modified.d = 10'd0;
      modified.d_cr = 10'd0;
    end else if (d.destctocr) begin
      modified.d = r.d + d.destincr;
      modified.d_cr = modified.d;
    end else if (d.destcr) begin
      modified.d_cr = r.d_cr + d.destincr;
      modified.d = modified.d_cr;
    end else begin
      modified.d = r.d + d.destincr;
    end
    modified.phase = d.fidelityclear ? 2'd0 : r.phase + d.fidelityincr;
    modified.bias = !bias.biasclear && (r.bias ^ (bias.biasincr[1:0] != 2'd0));
  endfunction

  always_comb begin
    next = now;
    if (set_i) next = set(now, word_i);
    if (increase_i) next = increased(now, word_i);
    if (modify_i) next = modified(now, ab_i, dst_i, bias_i);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rwc0_q <= '0;
      rwc1_q <= '0;
      rwc2_q <= '0;
    end else if (set_i || increase_i || modify_i) begin
      if (thread_i == 2'd0) rwc0_q <= next;
      if (thread_i == 2'd1) rwc1_q <= next;
      if (thread_i == 2'd2) rwc2_q <= next;
    end
  end

endmodule

`default_nettype wire
