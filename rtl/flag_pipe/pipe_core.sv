// SPDX-License-Identifier: Apache-2.0
//
// One core's side of the pipe: it takes commands one at a time, waits for flags, moves slots, SETs
// flags. The cube pushes C2V and pops V2C, a vector the other way round (T5).
//
// Latency: docs/flag_pipe.md section 4. Handshake: a command is taken in a cycle with cmd_valid_i and
// cmd_ready_o; a response is there for one cycle. Reset: IDLE. endpoint_i is that which cmd_i names,
// flags_i are the flags that the command at work waits for.
`default_nettype none

module pipe_core
  import flag_pipe_pkg::*;
#(
  parameter int Nflags = 8,
  parameter int BeatBytes = 32,
  parameter int HoldMax = 1,
  parameter int Core = 0,
  localparam int Data = 8 * BeatBytes,
  localparam int IndexW = $clog2(Nflags)
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              platform_i,
  // commands
  input  wire logic              cmd_valid_i,
  output wire logic              cmd_ready_o,
  input  wire command_t          cmd_i,
  output wire logic              rsp_valid_o,
  output wire response_t         rsp_o,
  // endpoints: init_o with cmd_i, the others in the last cycle of the command at work
  input  wire endpoint_t         endpoint_i,
  input  wire logic              other_init_i,
  output wire logic              init_o,
  output wire logic              push_o,
  output wire logic              pop_o,
  output wire logic              free_o,
  // the command at work
  output wire logic              busy_o,
  output wire logic              peer_o,
  output wire logic [1:0]        pipe_o,
  output wire logic              both_o,     // it is for both pairs (T37)
  output wire logic              blocked_o,  // it waits for a flag that is 0
  // flags
  input  wire logic [Nflags-1:0] flags_i,
  output wire logic              consume_o,
  output wire logic [IndexW-1:0] consume_index_o,
  output wire logic              set_o,
  output wire logic [IndexW-1:0] set_index_o,
  // transfer
  output wire logic              push_at_work_o,
  output wire logic              rd_valid_o,
  input  wire logic              rd_ready_i,
  output wire logic [31:0]       rd_addr_o,
  input  wire logic              rd_rvalid_i,
  input  wire logic [Data-1:0]   rd_rdata_i,
  output wire logic              wr_valid_o,
  input  wire logic              wr_ready_i,
  output wire logic [31:0]       wr_addr_o,
  output wire logic [Data-1:0]   wr_data_o,
  output wire logic              wr_turn_o   // of writes to two halves: for which vector
);

  localparam int BeatW = $clog2(BeatBytes);
  localparam int CountW = SramBits - BeatW;
  localparam bit IsCube = Core == 0;
  localparam logic [IndexW-1:0] Half = IndexW'(Nflags / 2);

  state_e state_q;
  logic peer_q, both_q;
  logic [1:0] pipe_q;
  logic [2:0] op_q, tag_q;
  err_e err_q;
  logic [IndexW-1:0] index_q;  // of the flag that is waited for or SET; while INIT SETs, the next
  logic [IndexW-1:0] last_q;   // of INIT's flags
  logic [2:0] span_q;          // slots of one credit, less 1
  logic free_q;                // a TPUSH waits for a credit, a TFREE SETs one
  logic [31:0] tile_q, base_q;
  logic [31:0] offset_q;  // of the slot, from base_q on
  logic [CountW-1:0] beats_q;
  logic halves_q;             // tiles are in halves: this vector's, or the cube's two
  logic [CountW-1:0] run_q;   // beats of a half that are in a row

  // ---- the offered command
  wire err_e err;
  wire logic accept = cmd_valid_i && cmd_ready_o;
  wire logic is_init = cmd_i.op == Init;
  wire logic is_push = cmd_i.op == Tpush;
  wire logic is_pop = cmd_i.op == Tpop;

  pipe_check #(
    .Nflags(Nflags), .BeatBytes(BeatBytes), .HoldMax(HoldMax), .IsCube(IsCube)
  ) u_check (.platform_i, .cmd_i, .endpoint_i, .other_init_i, .err_o(err));

  // direction, slot and flag; of INIT those of the ring that the core consumes
  wire logic v2c = is_push != IsCube;
  wire logic [1:0] mask = is_init ? cmd_i.dir_mask[1:0] : endpoint_i.mask;
  wire logic upper = v2c && mask == 2'd3;  // the upper half of the flags
  wire logic pre_signals = IsCube ? cmd_i.dir_mask[1] : cmd_i.dir_mask[0];
  wire logic [2:0] tag = is_init ? 3'd0 : is_push ? endpoint_i.push_tag
                         : is_pop ? endpoint_i.pop_tag : endpoint_i.free_tag;
  wire logic [1:0] period = is_init ? cmd_i.period : endpoint_i.period;
  wire logic [2:0] span = {period == 2'd3, period[1], period != 2'd0};
  // the flag of a credit is that of its first slot; a TPUSH SETs the ready flag of its own one
  wire logic [2:0] signal = is_push || is_pop ? tag : tag & ~span;
  wire logic [IndexW-1:0] own_index = tag[IndexW-1:0] | (upper ? Half : '0);
  wire logic [IndexW-1:0] index = signal[IndexW-1:0] | (upper ? Half : '0);
  // in global memory the ring of the upper flags is behind the other: slots are numbered as flags
  wire logic [IndexW-1:0] slot = platform_i ? tag[IndexW-1:0] : own_index;
  wire logic [31:0] base = !platform_i ? endpoint_i.gm_base
                           : v2c ? endpoint_i.v2c_buf : endpoint_i.c2v_buf;
  wire logic halves = (is_init ? cmd_i.split : endpoint_i.split) != Whole;
  wire logic [CountW-1:0] beats = endpoint_i.slot_size[SramBits-1:BeatW];
  wire logic [CountW-1:0] half = endpoint_i.slot_size[SramBits:BeatW+1];

  // slot · size
  function automatic logic [31:0] offset_of(input logic [2:0] number,
                                            input logic [SlotBits-1:0] size);
    offset_of = (number[0] ? 32'(size) : '0) + (number[1] ? 32'(size) << 1 : '0)
                + (number[2] ? 32'(size) << 2 : '0);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      op_q <= '0;
      tag_q <= '0;
      err_q <= Ok;
      last_q <= '0;
      span_q <= '0;
      free_q <= 1'b0;
      tile_q <= '0;
      base_q <= '0;
      offset_q <= '0;
      beats_q <= '0;
      halves_q <= 1'b0;
      run_q <= '0;
    end else if (accept) begin
      op_q <= cmd_i.op;
      tag_q <= tag;
      err_q <= err;
      last_q <= (upper || mask != 2'd3 ? '1 : Half - 1'b1) & ~span[IndexW-1:0];
      span_q <= span;
      free_q <= (tag & span) == (is_push ? 3'd0 : span);
      tile_q <= cmd_i.tile_addr;
      base_q <= base;
      offset_q <= offset_of(3'(slot), endpoint_i.slot_size);
      beats_q <= halves && !IsCube ? half : beats;
      halves_q <= halves;
      run_q <= endpoint_i.split == LeftRight ? CountW'(1) << (endpoint_i.row - 5'(BeatW + 1))
                                             : half;
    end
  end

  // ---- the command at work
  wire logic pushes = op_q == Tpush;
  wire logic pops = op_q == Tpop;
  wire logic waits = pops || free_q;  // for a flag; a TPUSH of a later slot has its credit
  wire logic flag = flags_i[index_q];
  wire logic passes = flag || !waits;
  wire logic moved;
  state_e state;

  always_comb begin
    state = state_q;
    case (state_q)
      Idle: begin
        if (cmd_valid_i) begin
          if (err != Ok) state = Done;
          else if (is_push || is_pop) state = Wait;
          else if (is_init && pre_signals) state = Pre;
          else state = Done;
        end
      end
      Pre: if (index_q == last_q) state = Idle;
      Wait: begin
        if (passes) begin
          if (pushes || !platform_i) state = Xfer;
          else state = Done;
        end
      end
      Xfer: if (moved) state = Done;
      default: state = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      peer_q <= 1'b0;
      both_q <= 1'b0;
      pipe_q <= '0;
      index_q <= '0;
    end else begin
      state_q <= state;
      if (accept) {peer_q, pipe_q, both_q} <= {cmd_i.peer, cmd_i.pipe, halves && IsCube};
      else if (rsp_valid_o) {peer_q, pipe_q, both_q} <= '0;
      if (accept) index_q <= index;
      else if (state_q == Pre) index_q <= index_q + span_q[IndexW-1:0] + 1'b1;
    end
  end

  wire logic done = state_q == Done && err_q == Ok;

  assign cmd_ready_o = state_q == Idle;
  assign busy_o = state_q != Idle;
  assign peer_o = peer_q;
  assign pipe_o = pipe_q;
  assign both_o = both_q;
  assign blocked_o = state_q == Wait && !passes;
  assign consume_o = state_q == Wait && flag && waits;
  assign consume_index_o = index_q;
  assign set_o = state_q == Pre || (done && (pushes || (op_q == Tfree && free_q)));
  assign set_index_o = index_q;
  assign init_o = accept && is_init && err == Ok;
  assign push_o = done && pushes;
  assign pop_o = done && pops;
  assign free_o = done && op_q == Tfree;

  // ---- response
  wire logic [31:0] rsp_addr = !(done && pops) ? '0 : platform_i ? rd_addr_o : tile_q;

  assign rsp_valid_o = state_q == Done || (state_q == Pre && index_q == last_q);
  assign rsp_o = {op_q, err_q, err_q == Ok ? tag_q : 3'd0, rsp_addr};

  // ---- transfer; the slot's address is there when the first flag can be
  // of vector 1's half in a whole slot what comes before it; a pop of a5 has a slot with its half
  wire logic whole = !(pops && platform_i);
  wire logic [31:0] behind = Core == 2 && halves_q && whole ? 32'(run_q) << BeatW : '0;
  wire logic [31:0] slot_addr = base_q + offset_q + behind;

  assign push_at_work_o = pushes;

  pipe_dma #(.BeatBytes(BeatBytes), .CountW(CountW)) u_dma (
    .clk_i, .rst_ni,
    .load_i(state_q == Wait), .beats_i(beats_q),
    .from_i(pushes ? tile_q : slot_addr), .to_i(pushes ? slot_addr : tile_q), .run_i(run_q),
    .rd_apart_i(!IsCube && halves_q && pops), .wr_apart_i(!IsCube && halves_q && pushes),
    .wr_turns_i(IsCube && halves_q && pushes && platform_i),
    .active_i(state_q == Xfer), .last_o(moved),
    .rd_valid_o, .rd_ready_i, .rd_addr_o, .rd_rvalid_i, .rd_rdata_i,
    .wr_valid_o, .wr_ready_i, .wr_addr_o, .wr_data_o, .wr_turn_o
  );

endmodule

`default_nettype wire
