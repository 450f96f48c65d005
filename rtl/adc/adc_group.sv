// SPDX-License-Identifier: Apache-2.0
//
// The counters of one target in one set: two channels of X, Y, Z and W, each with a checkpoint.
//
// Latency: commands of cycle t show in t+1. Handshake: none. A command is for this group if bit
// Group of its groups_i is set; the rest are parts of its command_t. Commands apply one after the
// other, in the order of the arrays (A13). REG2FLOP replaces the bits of `write` by those of
// `value`, in the live values or, with flop_checkpoint_i, in the checkpoints. Sums wrap at the
// counter's width, Z no earlier (A15). Reset: all 0 (A16).
`default_nettype none

module adc_group
  import adc_pkg::*;
#(
  parameter int Group = 0,
  parameter int ZwW   = 8
) (
  input wire logic                  clk_i,
  input wire logic                  rst_ni,
  input wire logic [GroupCount-1:0] any_groups_i,  // groups of one command at least
  input wire logic [GroupCount-1:0] groups_i [WriterCount],
  input wire change_t               change0_i [WriterCount],
  input wire change_t               change1_i [WriterCount],
  input wire logic                  flop_checkpoint_i,
  // channel 0 and 1, live values and checkpoints
  output channel_t                  live0_o,
  output channel_t                  live1_o,
  output channel_t                  cr0_o,
  output channel_t                  cr1_o
);

  // first in order: the packers in their groups, else the unpacker; then REG2FLOP and the threads
  localparam int Unit = Group % 3 == 2 ? 1 : 0, Flop = 2, T0 = 3, T1 = 4, T2 = 5;

  // the bits that the counters have
  localparam logic [YWidth:0] Zw = (YWidth + 1)'((1 << ZwW) - 1);
  localparam logic [ChannelWidth-1:0] Bits = {Zw, Zw, 1'b0, {YWidth{1'b1}}, 1'b0, {XWidth{1'b1}}};

  // What a command makes of a channel: {live values, checkpoints}. adc_pkg says what `write`,
  // `reload` and `value` mean.
  function automatic logic [2*ChannelWidth-1:0] applied(
    input channel_t live, input channel_t cr, input change_t change
  );
    channel_t sum;
    sum = (((live & ~change.write) | (cr & change.reload)) + change.value) & Bits;
    applied = {sum, (cr & ~change.write) | (sum & change.write)};
  endfunction

  // The same of REG2FLOP, for live values or checkpoints; it reloads nothing.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic channel_t replaced(input channel_t old, input change_t change);
    replaced = (old & ~change.write) | (change.value & change.write & Bits);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live0_o <= '0;
      live1_o <= '0;
      cr0_o <= '0;
      cr1_o <= '0;
    end else if (any_groups_i[Group]) begin : update
      channel_t live0, live1, cr0, cr1;

      live0 = live0_o & Bits;  // the other bits are never set, and are no flip-flops
      live1 = live1_o & Bits;
      cr0 = cr0_o & Bits;
      cr1 = cr1_o & Bits;
      if (groups_i[Unit][Group]) begin
        {live0, cr0} = applied(live0, cr0, change0_i[Unit]);
        {live1, cr1} = applied(live1, cr1, change1_i[Unit]);
      end
      if (groups_i[Flop][Group]) begin
        if (flop_checkpoint_i) begin
          cr0 = replaced(cr0, change0_i[Flop]);
          cr1 = replaced(cr1, change1_i[Flop]);
        end else begin
          live0 = replaced(live0, change0_i[Flop]);
          live1 = replaced(live1, change1_i[Flop]);
        end
      end
      if (groups_i[T0][Group]) begin
        {live0, cr0} = applied(live0, cr0, change0_i[T0]);
        {live1, cr1} = applied(live1, cr1, change1_i[T0]);
      end
      if (groups_i[T1][Group]) begin
        {live0, cr0} = applied(live0, cr0, change0_i[T1]);
        {live1, cr1} = applied(live1, cr1, change1_i[T1]);
      end
      if (groups_i[T2][Group]) begin
        {live0, cr0} = applied(live0, cr0, change0_i[T2]);
        {live1, cr1} = applied(live1, cr1, change1_i[T2]);
      end
      live0_o <= live0;
      live1_o <= live1;
      cr0_o <= cr0;
      cr1_o <= cr1;
    end
  end

`ifndef SYNTHESIS
  initial begin
    if (ZwW < 1 || ZwW > YWidth) $fatal(1, "adc_group: ZwW = %0d is not 1 to %0d", ZwW, YWidth);
  end
`endif

endmodule

`default_nettype wire
