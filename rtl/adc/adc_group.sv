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

  // A value in carry-save form: two numbers that add up to it. Commands apply to this form, so the
  // carries ripple once, behind the last command, and not in each.
  typedef struct packed {
    channel_t sum;
    channel_t carry;
  } split_t;

  // What a command makes of a channel: {live values, checkpoints}. adc_pkg says what `write`,
  // `reload` and `value` mean.
  function automatic logic [4*ChannelWidth-1:0] applied(
    input split_t live, input split_t cr, input change_t change
  );
    /* verilator no_inline_task */  // else each call is a copy in Verilator's C++
    channel_t sum, carry, either, value;

    sum = (live.sum & ~change.write) | (cr.sum & change.reload);
    carry = (live.carry & ~change.write) | (cr.carry & change.reload);
    value = change.value & Bits;
    either = sum ^ carry;
    carry = (((sum & carry) | (either & value)) << 1) & Bits;
    sum = either ^ value;
    applied = {sum, carry, (cr.sum & ~change.write) | (sum & change.write),
               (cr.carry & ~change.write) | (carry & change.write)};
  endfunction

  // The same of REG2FLOP, for live values or checkpoints; it reloads nothing.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic split_t replaced(input split_t old, input change_t change);
    /* verilator no_inline_task */
    replaced = {(old.sum & ~change.write) | (change.value & change.write & Bits),
                old.carry & ~change.write};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic channel_t joined(input split_t value);
    joined = (value.sum + value.carry) & Bits;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live0_o <= '0;
      live1_o <= '0;
      cr0_o <= '0;
      cr1_o <= '0;
    end else if (any_groups_i[Group]) begin : update
      split_t live0, live1, cr0, cr1;

      // the other bits are never set, and are no flip-flops
      live0 = {live0_o & Bits, {ChannelWidth{1'b0}}};
      live1 = {live1_o & Bits, {ChannelWidth{1'b0}}};
      cr0 = {cr0_o & Bits, {ChannelWidth{1'b0}}};
      cr1 = {cr1_o & Bits, {ChannelWidth{1'b0}}};
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
      live0_o <= joined(live0);
      live1_o <= joined(live1);
      cr0_o <= joined(cr0);
      cr1_o <= joined(cr1);
    end
  end

`ifndef SYNTHESIS
  initial begin
    if (ZwW < 1 || ZwW > YWidth) $fatal(1, "adc_group: ZwW = %0d is not 1 to %0d", ZwW, YWidth);
  end
`endif

endmodule

`default_nettype wire
