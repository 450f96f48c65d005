// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a command: the first error of section 3 that holds, or Ok.
//
// Latency: combinational from cmd_i and endpoint_i, the endpoint that the command names, to err_o;
// other_init_i: whether the cube's endpoint of the other pair, which halves have as well, has INIT.
// A base or a size beyond the largest SRAM is wrong by itself, so that sums in SRAMs are short; those
// in global memory have all bits. So they are exact (T19). Sizes and addresses are compared in beats;
// whether they are whole beats is an error before.
`default_nettype none

module pipe_check
  import flag_pipe_pkg::*;
#(
  parameter int Nflags = 8,
  parameter int BeatBytes = 32,
  parameter int HoldMax = 1,
  parameter bit IsCube = 1'b0
) (
  input  wire logic      platform_i,  // 0 a2a3, 1 a5
  input  wire command_t  cmd_i,
  input  wire endpoint_t endpoint_i,
  input  wire logic      other_init_i,
  output wire err_e      err_o
);

  localparam int BeatW = $clog2(BeatBytes);
  localparam int RingW = $clog2(Nflags);
  localparam int HalfHold = HoldMax < Nflags / 2 ? HoldMax : Nflags / 2;
  localparam int AllHold = HoldMax < Nflags ? HoldMax : Nflags;
  localparam int SumW = 1 + SramBits - BeatW;

  // Offset behind the last byte of a region of `size` bytes, both in beats, from the low 19 bits of
  // its base.
  function automatic logic [SumW-1:0] end_of(input logic [18:BeatW] base,
                                             input logic [SramBits-1:BeatW] size);
    end_of = {2'b0, base} + {1'b0, size};
  endfunction

  // Whether it is beyond the SRAM, with the upper bits of the base.
  function automatic logic beyond_l1(input logic [31:19] base, input logic [SumW-1:0] last);
    beyond_l1 = base != '0 || last[SumW-1] || (last[SumW-2] && last[SumW-3:0] != '0);
  endfunction

  function automatic logic beyond_ub(input logic [31:18] base, input logic [SumW-1:0] last);
    beyond_ub = base != '0 || last[SumW-1-:2] != '0 || (last[SumW-3] && last[SumW-4:0] != '0);
  endfunction

  // Of a2a3, where three quarters of UB are legal.
  function automatic logic beyond_small_ub(input logic [31:18] base,
                                           input logic [SumW-1:0] last);
    beyond_small_ub = base != '0 || last[SumW-1-:3] != '0
                      || (last[SumW-4] && last[SumW-5] && last[SumW-6:0] != '0);
  endfunction

  // ---- INIT
  wire logic [31:0] slot_size = cmd_i.slot_size;
  wire logic [31:0] gm_base = cmd_i.gm_base;
  wire logic [31:0] c2v_buf = cmd_i.c2v_buf;
  wire logic [31:0] v2c_buf = cmd_i.v2c_buf;
  wire logic both = cmd_i.dir_mask[1:0] == 2'd3;
  wire logic bad_mask = cmd_i.dir_mask[7:2] != '0 || cmd_i.dir_mask[1:0] == 2'd0;
  wire logic bad_period = 4'd1 << cmd_i.period > (both ? 4'(Nflags / 2) : 4'(Nflags));
  wire logic odd_row = {1'b0, cmd_i.row} <= 6'(BeatW) || (slot_size & ~('1 << cmd_i.row)) != '0;
  wire logic bad_split = cmd_i.split[1] ? cmd_i.split[0] || odd_row
                                        : cmd_i.split[0] && slot_size[BeatW];
  wire logic bad_slot = slot_size == '0 || slot_size[BeatW-1:0] != '0;
  wire logic [31+RingW:0] all = (32 + RingW)'(slot_size) << RingW;  // slots of a ring
  wire logic [31+RingW:0] ring = both ? all >> 1 : all;
  wire logic ring_beyond = ring[31+RingW:SramBits] != '0;  // any SRAM
  wire logic [32-BeatW:0] gm_end = {1'b0, gm_base[31:BeatW]} + {1'b0, all[31:BeatW]};
  wire logic [SumW-1:0] c2v_end = end_of(c2v_buf[18:BeatW], ring[SramBits-1:BeatW]);
  wire logic [SumW-1:0] v2c_end = end_of(v2c_buf[18:BeatW], ring[SramBits-1:BeatW]);
  wire logic bad_gm = gm_base == '0 || gm_base[BeatW-1:0] != '0 || all[31+RingW:32] != '0
                      || (gm_end[32-BeatW] && gm_end[31-BeatW:0] != '0);
  wire logic bad_c2v = c2v_buf[BeatW-1:0] != '0 || ring_beyond
                       || beyond_ub(c2v_buf[31:18], c2v_end);
  wire logic bad_v2c = v2c_buf[BeatW-1:0] != '0 || ring_beyond
                       || beyond_l1(v2c_buf[31:19], v2c_end);
  wire logic bad_base = platform_i ? (cmd_i.dir_mask[0] && bad_c2v)
                                     || (cmd_i.dir_mask[1] && bad_v2c)
                                   : bad_gm;
  wire logic reinit = endpoint_i.init || (IsCube && cmd_i.split != Whole && other_init_i);
  wire err_e init_err = reinit ? Reinit : bad_mask ? BadDirmask : bad_slot ? BadSlot
                        : bad_period ? BadPeriod : bad_split ? BadSplit : bad_base ? BadBase : Ok;

  // ---- the others
  wire logic push = cmd_i.op == Tpush;
  wire logic pop = cmd_i.op == Tpop;
  wire logic direction_on = push == IsCube ? endpoint_i.mask[0] : endpoint_i.mask[1];
  wire logic [3:0] limit = endpoint_i.mask == 2'd3 ? 4'(HalfHold) : 4'(AllHold);
  wire logic [31:0] tile = cmd_i.tile_addr;
  wire logic halved = !IsCube && endpoint_i.split != Whole;
  wire logic [SlotBits-1:0] tile_size = endpoint_i.slot_size >> halved;
  wire logic [SumW-1:0] tile_end = end_of(tile[18:BeatW], tile_size[SramBits-1:BeatW]);
  wire logic bad_tile = tile[BeatW-1:0] != '0 || tile_size[SlotBits-1:SramBits] != '0
                        || (IsCube ? beyond_l1(tile[31:19], tile_end)
                                   : platform_i ? beyond_ub(tile[31:18], tile_end)
                                                : beyond_small_ub(tile[31:18], tile_end));
  wire err_e use_err = !endpoint_i.init ? NotInit : !direction_on ? DirOff
                       : pop && endpoint_i.held == limit ? HoldLim
                       : cmd_i.op == Tfree && endpoint_i.held == '0 ? FreeEmpty
                       : (push || (pop && !platform_i)) && bad_tile ? BadTile : Ok;

  assign err_o = cmd_i.op[2] || (!IsCube && cmd_i.peer) ? BadOp
                 : cmd_i.op == Init ? init_err : use_err;

  wire logic unused = ^{cmd_i.pipe, endpoint_i.period, endpoint_i.row, endpoint_i.gm_base,
                        endpoint_i.c2v_buf, endpoint_i.v2c_buf,
                        endpoint_i.push_tag, endpoint_i.pop_tag, endpoint_i.free_tag,
                        all[BeatW-1:0], ring[BeatW-1:0], tile_size[BeatW-1:0]};

endmodule

`default_nettype wire
