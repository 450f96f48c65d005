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
    rwc_t n;  // Icarus: a function does not read what it returns
    logic [9:0] base;

    n = r;
    if (w[SETRWC_SET_A_LSB]) begin
      n.a = {2'd0, w[9:6]} + (w[SETRWC_CR_A_LSB] ? r.a_cr : 6'd0);
      n.a_cr = n.a;
    end
    if (w[SETRWC_SET_B_LSB]) begin
      n.b = {2'd0, w[13:10]} + (w[SETRWC_CR_B_LSB] ? r.b_cr : 6'd0);
      n.b_cr = n.b;
    end
    if (w[SETRWC_SET_D_LSB] || w[SETRWC_D_TO_CR_LSB]) begin
      base = w[SETRWC_D_TO_CR_LSB] ? r.d : w[SETRWC_CR_D_LSB] ? r.d_cr : 10'd0;
      n.d = base + {6'd0, w[17:14]};
      n.d_cr = n.d;
    end
    if (w[SETRWC_SET_PHASE_LSB]) n.phase = 2'd0;
    set = n;
  endfunction

  function automatic rwc_t increased(input rwc_t r, input logic [23:0] w);
    rwc_t n;  // Icarus: a function does not read what it returns

    n = r;
    if (w[INCRWC_CR_A_LSB]) begin
      n.a_cr = r.a_cr + {2'd0, w[9:6]};
      n.a = n.a_cr;
    end else begin
      n.a = r.a + {2'd0, w[9:6]};
    end
    if (w[INCRWC_CR_B_LSB]) begin
      n.b_cr = r.b_cr + {2'd0, w[13:10]};
      n.b = n.b_cr;
    end else begin
      n.b = r.b + {2'd0, w[13:10]};
    end
    if (w[INCRWC_CR_D_LSB]) begin
      n.d_cr = r.d_cr + {6'd0, w[17:14]};
      n.d = n.d_cr;
    end else begin
      n.d = r.d + {6'd0, w[17:14]};
    end
    increased = n;
  endfunction

  function automatic rwc_t modified(input rwc_t r, input addr_mod_ab_word_t ab,
                                    input addr_mod_dst_word_t d, input addr_mod_bias_word_t bias);
    rwc_t n;  // Icarus: a function does not read what it returns

    n = r;
    if (ab.srcaclear) begin
      n.a = 6'd0;
      n.a_cr = 6'd0;
    end else if (ab.srcacr) begin
      n.a_cr = r.a_cr + ab.srcaincr;
      n.a = n.a_cr;
    end else begin
      n.a = r.a + ab.srcaincr;
    end
    if (ab.srcbclear) begin
      n.b = 6'd0;
      n.b_cr = 6'd0;
    end else if (ab.srcbcr) begin
      n.b_cr = r.b_cr + ab.srcbincr;
      n.b = n.b_cr;
    end else begin
      n.b = r.b + ab.srcbincr;
    end
    if (d.destclear) begin
      n.d = 10'd0;
      n.d_cr = 10'd0;
    end else if (d.destctocr) begin
      n.d = r.d + d.destincr;
      n.d_cr = n.d;
    end else if (d.destcr) begin
      n.d_cr = r.d_cr + d.destincr;
      n.d = n.d_cr;
    end else begin
      n.d = r.d + d.destincr;
    end
    n.phase = d.fidelityclear ? 2'd0 : r.phase + d.fidelityincr;
    n.bias = !bias.biasclear && (r.bias ^ (bias.biasincr[1:0] != 2'd0));
    modified = n;
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
