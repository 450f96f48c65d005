// SPDX-License-Identifier: Apache-2.0
//
// The counters of one target in one set: two channels of X, Y, Z and W, each with a checkpoint.
//
// Latency: commands of cycle t show in t+1. Handshake: none. A command is for this group if its bit
// Group of groups is set; they apply one after the other, the unit first (that is the unpacker, or
// the packers), then REG2FLOP, then threads 0, 1 and 2 (A13). Units and threads add `value` to the
// live values, in the bits of `reload` to the checkpoints; the bits of `write` take only what is
// added, or with `reload` the sum, and so do their checkpoints. Sums wrap at the counter's width.
// Reset: all 0 (A16).
`default_nettype none

module adc_group
  import adc_pkg::*;
#(
  parameter int Group = 0,
  parameter int ZwW   = 8
) (
  input wire logic                    clk_i,
  input wire logic                    rst_ni,
  input wire logic [GroupCount-1:0]   any_groups_i,  // groups of one command at least
  input wire logic [GroupCount-1:0]   groups_i [WriterCount],  // groups of each
  input wire logic [ChannelWidth-1:0] unit_value0_i,
  input wire logic [ChannelWidth-1:0] unit_value1_i,
  input wire logic [ChannelWidth-1:0] unit_write0_i,
  input wire logic [ChannelWidth-1:0] unit_write1_i,
  input wire logic [ChannelWidth-1:0] unit_reload0_i,
  input wire logic [ChannelWidth-1:0] unit_reload1_i,
  input wire logic                    flop_checkpoint_i,
  input wire logic [ChannelWidth-1:0] flop_value_i,
  input wire logic [ChannelWidth-1:0] flop_write0_i,
  input wire logic [ChannelWidth-1:0] flop_write1_i,
  input wire logic [ChannelWidth-1:0] thread_value0_i [3],
  input wire logic [ChannelWidth-1:0] thread_value1_i [3],
  input wire logic [ChannelWidth-1:0] thread_write0_i [3],
  input wire logic [ChannelWidth-1:0] thread_write1_i [3],
  input wire logic [ChannelWidth-1:0] thread_reload0_i [3],
  input wire logic [ChannelWidth-1:0] thread_reload1_i [3],
  // channel 0 and 1, live values and checkpoints
  output logic [ChannelWidth-1:0]     live0_o,
  output logic [ChannelWidth-1:0]     live1_o,
  output logic [ChannelWidth-1:0]     cr0_o,
  output logic [ChannelWidth-1:0]     cr1_o
);

  localparam int Unit = Group % 3 == 2 ? 1 : 0;  // packers or unpacker

  // the bits that the counters have
  localparam logic [YWidth:0] Zw = (YWidth + 1)'((1 << ZwW) - 1);
  localparam logic [ChannelWidth-1:0] Bits = {Zw, Zw, 1'b0, {YWidth{1'b1}}, 1'b0, {XWidth{1'b1}}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live0_o <= '0;
      live1_o <= '0;
      cr0_o <= '0;
      cr1_o <= '0;
    end else if (any_groups_i[Group]) begin : update
      logic [ChannelWidth-1:0] live0, live1, cr0, cr1;

      live0 = live0_o;
      live1 = live1_o;
      cr0 = cr0_o;
      cr1 = cr1_o;
      if (groups_i[Unit][Group]) begin
        live0 = (((live0 & ~unit_write0_i) | (cr0 & unit_reload0_i))
                 + unit_value0_i) & Bits;
        cr0 = (cr0 & ~unit_write0_i) | (live0 & unit_write0_i);
        live1 = (((live1 & ~unit_write1_i) | (cr1 & unit_reload1_i))
                 + unit_value1_i) & Bits;
        cr1 = (cr1 & ~unit_write1_i) | (live1 & unit_write1_i);
      end
      if (groups_i[2][Group]) begin
        if (flop_checkpoint_i) begin
          cr0 = (cr0 & ~flop_write0_i) | (flop_value_i & flop_write0_i & Bits);
          cr1 = (cr1 & ~flop_write1_i) | (flop_value_i & flop_write1_i & Bits);
        end else begin
          live0 = (live0 & ~flop_write0_i) | (flop_value_i & flop_write0_i & Bits);
          live1 = (live1 & ~flop_write1_i) | (flop_value_i & flop_write1_i & Bits);
        end
      end
      if (groups_i[3][Group]) begin
        live0 = (((live0 & ~thread_write0_i[0]) | (cr0 & thread_reload0_i[0]))
                 + thread_value0_i[0]) & Bits;
        cr0 = (cr0 & ~thread_write0_i[0]) | (live0 & thread_write0_i[0]);
        live1 = (((live1 & ~thread_write1_i[0]) | (cr1 & thread_reload1_i[0]))
                 + thread_value1_i[0]) & Bits;
        cr1 = (cr1 & ~thread_write1_i[0]) | (live1 & thread_write1_i[0]);
      end
      if (groups_i[4][Group]) begin
        live0 = (((live0 & ~thread_write0_i[1]) | (cr0 & thread_reload0_i[1]))
                 + thread_value0_i[1]) & Bits;
        cr0 = (cr0 & ~thread_write0_i[1]) | (live0 & thread_write0_i[1]);
        live1 = (((live1 & ~thread_write1_i[1]) | (cr1 & thread_reload1_i[1]))
                 + thread_value1_i[1]) & Bits;
        cr1 = (cr1 & ~thread_write1_i[1]) | (live1 & thread_write1_i[1]);
      end
      if (groups_i[5][Group]) begin
        live0 = (((live0 & ~thread_write0_i[2]) | (cr0 & thread_reload0_i[2]))
                 + thread_value0_i[2]) & Bits;
        cr0 = (cr0 & ~thread_write0_i[2]) | (live0 & thread_write0_i[2]);
        live1 = (((live1 & ~thread_write1_i[2]) | (cr1 & thread_reload1_i[2]))
                 + thread_value1_i[2]) & Bits;
        cr1 = (cr1 & ~thread_write1_i[2]) | (live1 & thread_write1_i[2]);
      end
      live0_o <= live0;
      live1_o <= live1;
      cr0_o <= cr0;
      cr1_o <= cr1;
    end
  end

endmodule

`default_nettype wire
