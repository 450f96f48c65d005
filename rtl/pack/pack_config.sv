// SPDX-License-Identifier: Apache-2.0
//
// The packers' copy of the configuration: the words that section 4 of docs/pack.md reads, and of
// each thread its ThreadConfig 0, 37 to 40 and 45.
//
// Latency: what is written in t is read from t+1 on; reads are combinational, of thread_i and the
// bank that it has chosen. Handshake: none. Reset: all 0. written_o: in the cycle of a write, to a
// word that packers read.
`default_nettype none

module pack_config
  import unit_port_pkg::*;
  import tilepath_isa_pkg::*;
  import pack_plan_pkg::*;
(
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire config_write_t cfg_i,
  input  wire config_write_t flop_i,     // at the same time, of words 64 to 179
  input  wire setc16_t       setc16_i [3],
  input  wire thread_store_t store_i,
  output wire logic          written_o,
  input  wire logic [1:0]    thread_i,
  output wire logic [31:0]   word_o [Words],
  output wire logic [15:0]   addr_mod_o [4],
  output wire logic          count_exponents_o  // any thread's ENABLE_ACC_STATS
);

  localparam logic [6:0] AddrMod = 7'(THD_ADDR_MOD_PACK_SEC0_YSRCINCR_ADDR32);
  localparam logic [6:0] StateId = 7'(THD_CFG_STATE_ID_STATEID_ADDR32);
  localparam logic [6:0] Stats = 7'(THD_ENABLE_ACC_STATS_ENABLE_ADDR32);
  localparam int ConcatMask = 32;  // four words that packers could read and do not

  // ---- ThreadConfig
  wire logic [2:0] state_id;
  wire logic [2:0] counting;
  wire logic [63:0] addr_mod [3];
  wire logic bank = thread_i[1] ? state_id[2] : thread_i[0] ? state_id[1] : state_id[0];
  wire logic [63:0] own_addr_mod
    = thread_i[1] ? addr_mod[2] : thread_i[0] ? addr_mod[1] : addr_mod[0];

  assign count_exponents_o = counting != 3'd0;

  for (genvar t = 0; t < 3; t++) begin : gen_thread
    logic state_id_q, counting_q;
    logic [63:0] addr_mod_q;
    wire setc16_t setc16 = setc16_i[t];
    wire logic stored = store_i.valid && store_i.thread == 2'(t);

    assign state_id[t] = state_id_q;
    assign counting[t] = counting_q;
    assign addr_mod[t] = addr_mod_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_id_q <= 1'b0;
        counting_q <= 1'b0;
        addr_mod_q <= '0;
      end else begin
        if (stored) begin
          if (store_i.index == StateId) state_id_q <= store_i.value[0];
          if (store_i.index == Stats) counting_q <= store_i.value[0];
          for (int i = 0; i < 4; i++)
            if (store_i.index == AddrMod + 7'(i)) addr_mod_q[16*i+:16] <= store_i.value;
        end
        if (setc16.valid) begin
          if (setc16.index == StateId) state_id_q <= setc16.value[0];
          if (setc16.index == Stats) counting_q <= setc16.value[0];
          for (int i = 0; i < 4; i++)
            if (setc16.index == AddrMod + 7'(i)) addr_mod_q[16*i+:16] <= setc16.value;
        end
      end
    end
  end

  for (genvar i = 0; i < 4; i++) begin : gen_addr_mod
    assign addr_mod_o[i] = own_addr_mod[16*i+:16];
  end

  // ---- Config
  wire config_write_t thcon = thcon_write(cfg_i, flop_i);
  wire logic [Words-1:0] hit;
  wire logic concat_hit
    = cfg_i.valid && cfg_i.banks != 2'd0 && cfg_i.index[7:2] == 6'(ConcatMask / 4);

  wire logic [127:0] cfg_data = cfg_i.data, thcon_data = thcon.data;

  assign written_o = hit != '0 || concat_hit;

  for (genvar w = 0; w < Words; w++) begin : gen_word
    localparam logic [7:0] Number = number_of(w);
    localparam bit Thcon = Number >= 8'd64 && Number < 8'd180;
    logic [31:0] word_q;
    wire config_write_t write = Thcon ? thcon : cfg_i;
    wire logic [31:0] of_row = Thcon ? thcon_data[32*Number[1:0]+:32]
                                     : cfg_data[32*Number[1:0]+:32];
    wire logic [31:0] data = write.wide ? of_row : write.data[31:0];
    wire logic named = write.index[7:2] == Number[7:2]
      && (write.wide || write.index[1:0] == Number[1:0]);

    assign hit[w] = write.valid && named && (write.banks != 2'd0 || w >= BankedWords);

    if (w < BankedWords) begin : gen_banked
      logic [31:0] other_q;  // of bank 1

      assign word_o[w] = bank ? other_q : word_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          word_q <= '0;
          other_q <= '0;
        end else if (hit[w]) begin
          if (write.banks[0]) word_q <= data;
          if (write.banks[1]) other_q <= data;
        end
      end
    end else begin : gen_global
      assign word_o[w] = word_q;

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) word_q <= '0;
        else if (hit[w]) word_q <= data;
      end
    end
  end

endmodule

`default_nettype wire
