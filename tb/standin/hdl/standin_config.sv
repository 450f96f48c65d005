// SPDX-License-Identifier: Apache-2.0
//
// The math stand-in's copy of the configuration, as it follows its writes, and what of it an
// instruction of a thread sees: M3 of docs/decisions/standin.md lists the fields.
//
// Latency: a write in c is seen from c+1 on; what is read is out at once. Reset: 0.
`timescale 1ns / 1ps
`default_nettype none

module standin_config
  import unit_port_pkg::*;
  import config_words_pkg::*;
(
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire config_write_t       cfg_i,
  input  wire setc16_t             setc16_i [3],
  input  wire thread_store_t       store_i,
  input  wire logic [1:0]          thread_i,
  input  wire logic [2:0]          modifier_i,  // of the address, SEC[n]
  output wire alu_format_word_t    format_o,
  output wire alu_rounding_word_t  control_o,
  output wire logic                keep_zero_o,  // Zero_Flag_disabled_src
  output wire dst_access_word_t    access_o,
  output wire logic [11:0]         offset_o,     // of Dst
  output wire logic [1:0]          explicit_o,   // the implied format of SrcA, SrcB does not count
  output wire logic [1:0]          keep_bank_o,  // of SrcA, SrcB is not given back
  output wire logic [1:0]          phase_o,
  output wire logic                force_fp16_o,
  output wire addr_mod_ab_word_t   ab_o,
  output wire addr_mod_dst_word_t  dst_o,
  output wire addr_mod_bias_word_t bias_o
);

  wire logic setc16_valid [3];
  wire logic [6:0] setc16_index [3];
  wire logic [15:0] setc16_value [3];

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    wire setc16_t own = setc16_i[t];

    assign setc16_valid[t] = own.valid;
    assign setc16_index[t] = own.index;
    assign setc16_value[t] = own.value;
  end

  wire logic [1:0] banks = cfg_i.banks;
  logic [31:0] word0_q [2], word1_q [2];
  logic [31:0] access_q;
  logic zero_q [2];
  logic [15:0] own_q [3*64];

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      access_q <= '0;
      for (int b = 0; b < 2; b++) begin
        word0_q[b] <= '0;
        word1_q[b] <= '0;
        zero_q[b] <= 1'b0;
      end
      for (int i = 0; i < 192; i++) own_q[i] <= '0;
    end else begin
      if (cfg_i.valid) begin
        for (int b = 0; b < 2; b++) begin
          if (banks[b] && cfg_i.wide && cfg_i.index[7:2] == 6'd0) begin
            word0_q[b] <= cfg_i.data[31:0];
            word1_q[b] <= cfg_i.data[63:32];
            zero_q[b] <= cfg_i.data[64];
          end
          if (banks[b] && !cfg_i.wide && cfg_i.index == 8'd0) word0_q[b] <= cfg_i.data[31:0];
          if (banks[b] && !cfg_i.wide && cfg_i.index == 8'd1) word1_q[b] <= cfg_i.data[31:0];
          if (banks[b] && !cfg_i.wide && cfg_i.index == 8'd2) zero_q[b] <= cfg_i.data[0];
        end
        // a word that the banks share
        if (cfg_i.index == 8'd220 || cfg_i.wide && cfg_i.index[7:2] == 6'd55)
          access_q <= cfg_i.data[31:0];
      end
      if (store_i.valid && store_i.index < 7'd64)
        own_q[{store_i.thread, store_i.index[5:0]}] <= store_i.value;
      for (int t = 0; t < 3; t++)
        if (setc16_valid[t] && setc16_index[t] < 7'd64)
          own_q[64*t+int'(setc16_index[t])] <= setc16_value[t];
    end
  end

  // ---- as the thread sees it; words of ThreadConfig by their number
  wire logic [7:0] first = {thread_i, 6'd0};
  wire logic bank = own_q[first][0];
  wire logic [15:0] banks_kept = own_q[first|8'd7], explicit_a = own_q[first|8'd2],
                    explicit_b = own_q[first|8'd3], phase = own_q[first|8'd11],
                    forced = own_q[first|8'd55], offset = own_q[first|8'd1];

  assign format_o = word0_q[bank];
  assign control_o = word1_q[bank];
  assign keep_zero_o = zero_q[bank];
  assign access_o = access_q;
  assign offset_o = offset[11:0];
  assign explicit_o = {explicit_b[0], explicit_a[0]};
  assign keep_bank_o = banks_kept[1:0];
  assign phase_o = phase[1:0];
  assign force_fp16_o = forced[0];
  assign ab_o = own_q[first+8'd12+8'(modifier_i)];
  assign dst_o = own_q[first+8'd28+8'(modifier_i)];
  assign bias_o = own_q[first+8'd47+8'(modifier_i)];

endmodule

`default_nettype wire
