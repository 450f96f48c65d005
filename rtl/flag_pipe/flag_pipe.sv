// SPDX-License-Identifier: Apache-2.0
//
// A flag-synchronised tile pipe between a cube core and two vector cores: TPUSH, TPOP, TFREE.
//
// Latency: docs/flag_pipe.md section 4. Handshake: commands and requests at ports are accepted in
// cycles with valid and ready; responses and returning data are there for one cycle. Reset: nothing
// under way, nothing initialised. Cores are 0 AIC, 1 AIV0, 2 AIV1; pair p is AIC with AIVp;
// endpoints of a pipe are AIC's of pair 0 and pair 1, AIV0's, AIV1's; its banks are cv[0], vc[0],
// cv[1], vc[1]; those of pipe q are behind those of the 4·q before.
`default_nettype none

module flag_pipe
  import flag_pipe_pkg::*;
#(
  parameter int Nflags = 8,
  parameter int FlagLat = 2,
  parameter int BeatBytes = 32,
  parameter int HoldMax = 1,
  localparam int Data = 8 * BeatBytes
) (
  input  wire logic            clk_i,
  input  wire logic            rst_ni,
  input  wire logic            platform_i,  // 0 a2a3, 1 a5; constant
  // commands, one port a core
  input  wire logic            cmd_valid_i [3],
  output wire logic            cmd_ready_o [3],
  input  wire command_t        cmd_i [3],
  output wire logic            rsp_valid_o [3],
  output wire response_t       rsp_o [3],
  // reads; shared ports have the core's number beside the address
  output wire logic            l1_rd_valid_o,
  input  wire logic            l1_rd_ready_i,
  output wire logic [31:0]     l1_rd_addr_o,
  input  wire logic            l1_rd_rvalid_i,
  input  wire logic [Data-1:0] l1_rd_rdata_i,
  output wire logic            ub_rd_valid_o [2],
  input  wire logic            ub_rd_ready_i [2],
  output wire logic [31:0]     ub_rd_addr_o [2],
  input  wire logic            ub_rd_rvalid_i [2],
  input  wire logic [Data-1:0] ub_rd_rdata_i [2],
  output wire logic            gm_rd_valid_o,
  input  wire logic            gm_rd_ready_i,
  output wire logic [1:0]      gm_rd_core_o,
  output wire logic [31:0]     gm_rd_addr_o,
  input  wire logic            gm_rd_rvalid_i,
  input  wire logic [Data-1:0] gm_rd_rdata_i,
  // writes
  output wire logic            l1_wr_valid_o,
  input  wire logic            l1_wr_ready_i,
  output wire logic [1:0]      l1_wr_core_o,
  output wire logic [31:0]     l1_wr_addr_o,
  output wire logic [Data-1:0] l1_wr_data_o,
  output wire logic            ub_wr_valid_o [2],
  input  wire logic            ub_wr_ready_i [2],
  output wire logic [31:0]     ub_wr_addr_o [2],
  output wire logic [Data-1:0] ub_wr_data_o [2],
  output wire logic            gm_wr_valid_o,
  input  wire logic            gm_wr_ready_i,
  output wire logic [1:0]      gm_wr_core_o,
  output wire logic [31:0]     gm_wr_addr_o,
  output wire logic [Data-1:0] gm_wr_data_o,
  // pairs, errors: bit p is pair p, of set_set_o 2p is cv[p], 2p+1 vc[p], of any pipe
  input  wire logic [1:0]      clr_i,
  output wire logic [3:0]      set_set_o,
  output wire logic [1:0]      cfg_mismatch_o,
  output wire logic [1:0]      clr_busy_o,
  output wire logic [1:0]      deadlock_o
);

  localparam int IndexW = $clog2(Nflags);

  // ---- the cores' sides
  wire logic [CoreCount-1:0] valid, init, push, pop, free, busy, peer, blocked;
  wire logic [CoreCount-1:0] offered_peer;  // the pair that the offered command names
  wire logic [CoreCount-1:0] both, wr_turn, init_halves;
  wire logic init_of_both;  // AIC is offered an INIT with halves
  wire logic [1:0] other_init;
  wire logic [1:0] offered_pipe [CoreCount], pipe [CoreCount];  // likewise; that at work
  wire logic [CoreCount-1:0] consume, set, pushes;
  wire logic [IndexW-1:0] consume_index [CoreCount], set_index [CoreCount];
  wire logic [CoreCount-1:0] rd_valid, rd_ready, rd_rvalid;
  wire logic [CoreCount-1:0] wr_valid, wr_ready;
  wire logic [31:0] rd_addr [CoreCount], wr_addr [CoreCount];
  wire logic [Data-1:0] rd_data [CoreCount], wr_data [CoreCount];
  wire endpoint_t endpoint [4*PipeCount], of_pipe [4], own [CoreCount];
  wire logic [Nflags-1:0] flags [4*PipeCount], at_work [4], awaited [CoreCount];
  wire logic [4*PipeCount-1:0] flying, set_set, inits;
  wire logic [1:0] clear, quiet, cube_works, cube_blocked;
  wire logic unused_peers = ^{peer[2:1], offered_peer[2:1], both[2:1], wr_turn[2:1],
                              init_halves[2:1], inits};  // a vector has one

  for (genvar n = 0; n < CoreCount; n++) begin : gen_core
    wire command_t cmd;

    assign cmd = cmd_i[n];
    assign valid[n] = cmd_valid_i[n];
    assign offered_peer[n] = cmd.peer;
    assign offered_pipe[n] = cmd.pipe;
    assign init_halves[n] = cmd.op == Init && cmd.split != Whole;

    pipe_core #(
      .Nflags(Nflags), .BeatBytes(BeatBytes), .HoldMax(HoldMax), .Core(n)
    ) u_core (
      .clk_i, .rst_ni, .platform_i,
      .cmd_valid_i(cmd_valid_i[n]), .cmd_ready_o(cmd_ready_o[n]), .cmd_i(cmd),
      .rsp_valid_o(rsp_valid_o[n]), .rsp_o(rsp_o[n]),
      .endpoint_i(own[n]), .other_init_i(n == 0 && other_init != '0), .init_o(init[n]),
      .push_o(push[n]), .pop_o(pop[n]), .free_o(free[n]),
      .busy_o(busy[n]), .peer_o(peer[n]), .pipe_o(pipe[n]), .both_o(both[n]),
      .blocked_o(blocked[n]),
      .flags_i(awaited[n]), .consume_o(consume[n]), .consume_index_o(consume_index[n]),
      .set_o(set[n]), .set_index_o(set_index[n]), .push_at_work_o(pushes[n]),
      .rd_valid_o(rd_valid[n]), .rd_ready_i(rd_ready[n]), .rd_addr_o(rd_addr[n]),
      .rd_rvalid_i(rd_rvalid[n]), .rd_rdata_i(rd_data[n]),
      .wr_valid_o(wr_valid[n]), .wr_ready_i(wr_ready[n]), .wr_addr_o(wr_addr[n]),
      .wr_data_o(wr_data[n]), .wr_turn_o(wr_turn[n])
    );
  end

  // ---- endpoints and flags
  for (genvar r = 0; r < 4; r++) begin : gen_of_pipe
    localparam int Waiter = r % 2 == 0 ? 1 + r / 2 : 0;  // for a flag of bank r of a pipe
    wire logic [1:0] named = offered_pipe[r<2?0:r-1];
    wire logic [1:0] waits = pipe[Waiter];

    assign of_pipe[r] = named[1] ? (named[0] ? endpoint[12+r] : endpoint[8+r])
                                 : (named[0] ? endpoint[4+r] : endpoint[r]);
    assign at_work[r] = waits[1] ? (waits[0] ? flags[12+r] : flags[8+r])
                                 : (waits[0] ? flags[4+r] : flags[r]);
  end

  assign own[0] = offered_peer[0] ? of_pipe[1] : of_pipe[0];
  assign other_init = inits[{offered_pipe[0], 2'd0}+:2];
  assign init_of_both = init_halves[0];
  assign own[1] = of_pipe[2];
  assign own[2] = of_pipe[3];
  assign awaited[0] = both[0] ? at_work[1] & at_work[3] : peer[0] ? at_work[3] : at_work[1];
  assign awaited[1] = at_work[0];
  assign awaited[2] = at_work[2];

  for (genvar e = 0; e < 4 * PipeCount; e++) begin : gen_endpoint
    localparam int Pipe = e / 4;
    localparam int Role = e % 4;
    localparam int Core = Role < 2 ? 0 : Role - 1;
    wire logic offered = offered_pipe[Core] == 2'(Pipe)
                         && (Role >= 2 || init_of_both || offered_peer[0] == 1'(Role));
    wire logic works = pipe[Core] == 2'(Pipe) && (Role >= 2 || cube_works[Role%2]);

    pipe_endpoint #(.Nflags(Nflags)) u_endpoint (
      .clk_i, .rst_ni, .clr_i(clear[Role%2]), .init_i(init[Core] && offered), .cmd_i(cmd_i[Core]),
      .push_i(push[Core] && works), .pop_i(pop[Core] && works), .free_i(free[Core] && works),
      .endpoint_o(endpoint[e]), .init_o(inits[e])
    );
  end

  for (genvar p = 0; p < 2; p++) begin : gen_pair
    wire logic [Nflags-1:0] of_vector = at_work[1+2*p];
    wire logic [IndexW-1:0] wanted = consume_index[0];

    assign cube_works[p] = both[0] || peer[0] == 1'(p);
    assign cube_blocked[p] = blocked[0] && cube_works[p] && !of_vector[wanted];

    wire logic cube_at_work = busy[0] && cube_works[p];
    wire logic cube_offers = valid[0] && (init_of_both || offered_peer[0] == 1'(p));
    wire endpoint_t cube [PipeCount], vector [PipeCount];
    wire logic [2*PipeCount-1:0] on_the_way, errors;

    for (genvar q = 0; q < PipeCount; q++) begin : gen_pipe
      assign cube[q] = endpoint[4*q+p];
      assign vector[q] = endpoint[4*q+2+p];
      assign on_the_way[2*q+:2] = flying[4*q+2*p+:2];
      assign {errors[PipeCount+q], errors[q]} = set_set[4*q+2*p+:2];
    end

    assign set_set_o[2*p] = errors[PipeCount-1:0] != '0;
    assign set_set_o[2*p+1] = errors[2*PipeCount-1:PipeCount] != '0;

    pipe_pair u_pair (
      .clk_i, .rst_ni, .platform_i, .cube_i(cube), .vector_i(vector),
      .clr_i(clr_i[p]), .other_quiet_i(quiet[1-p]),
      .busy_i(cube_at_work || cube_offers || busy[1+p] || valid[1+p]),
      .flying_i(on_the_way != '0),
      .blocked_i(cube_blocked[p] && blocked[1+p]), .quiet_o(quiet[p]), .clear_o(clear[p]),
      .cfg_mismatch_o(cfg_mismatch_o[p]), .clr_busy_o(clr_busy_o[p]), .deadlock_o(deadlock_o[p])
    );
  end

  for (genvar b = 0; b < 4 * PipeCount; b++) begin : gen_bank
    localparam int Pipe = b / 4;
    localparam int Pair = b % 4 / 2;
    localparam int Setter = b % 2 == 0 ? 0 : 1 + Pair;
    localparam int Waiter = b % 2 == 0 ? 1 + Pair : 0;

    flag_bank #(.Nflags(Nflags), .FlagLat(FlagLat)) u_bank (
      .clk_i, .rst_ni, .clr_i(clear[Pair]),
      .set_i(set[Setter] && pipe[Setter] == 2'(Pipe) && (Setter != 0 || cube_works[Pair])),
      .set_index_i(set_index[Setter]),
      .consume_i(consume[Waiter] && pipe[Waiter] == 2'(Pipe)
                 && (Waiter != 0 || cube_works[Pair])),
      .consume_index_i(consume_index[Waiter]),
      .flags_o(flags[b]), .flying_o(flying[b]), .set_set_o(set_set[b])
    );
  end

  // ---- reads: a push reads the core's own SRAM, a pop global memory
  wire logic [CoreCount-1:0] gm_rd_grant, gm_rd_rvalid;

  assign l1_rd_valid_o = rd_valid[0] && pushes[0];
  assign l1_rd_addr_o = rd_addr[0];
  assign rd_ready[0] = pushes[0] ? l1_rd_ready_i : gm_rd_grant[0] && gm_rd_ready_i;
  assign rd_rvalid[0] = l1_rd_rvalid_i || gm_rd_rvalid[0];
  assign rd_data[0] = l1_rd_rvalid_i ? l1_rd_rdata_i : gm_rd_rdata_i;

  for (genvar p = 0; p < 2; p++) begin : gen_ub_rd
    assign ub_rd_valid_o[p] = rd_valid[1+p] && pushes[1+p];
    assign ub_rd_addr_o[p] = rd_addr[1+p];
    assign rd_ready[1+p] = pushes[1+p] ? ub_rd_ready_i[p] : gm_rd_grant[1+p] && gm_rd_ready_i;
    assign rd_rvalid[1+p] = ub_rd_rvalid_i[p] || gm_rd_rvalid[1+p];
    assign rd_data[1+p] = ub_rd_rvalid_i[p] ? ub_rd_rdata_i[p] : gm_rd_rdata_i;
  end

  pipe_arbiter u_gm_rd (
    .clk_i, .rst_ni, .req_i(rd_valid & ~pushes), .ready_i(gm_rd_ready_i),
    .grant_o(gm_rd_grant), .core_o(gm_rd_core_o)
  );

  assign gm_rd_valid_o = gm_rd_grant != '0;
  assign gm_rd_addr_o = gm_rd_grant[2] ? rd_addr[2] : gm_rd_grant[1] ? rd_addr[1] : rd_addr[0];

  pipe_route u_route (
    .clk_i, .rst_ni, .accepted_i(gm_rd_valid_o && gm_rd_ready_i), .core_i(gm_rd_core_o),
    .rvalid_i(gm_rd_rvalid_i), .rvalid_o(gm_rd_rvalid)
  );

  // ---- writes: a push writes the ring, which is in the other core's SRAM or in global memory; a
  // pop writes the core's own SRAM
  wire logic [CoreCount-1:0] l1_wr_req, l1_wr_grant, gm_wr_req, gm_wr_grant;
  wire logic [1:0] ub_wr_cube;  // AIC writes UB of AIVp

  assign l1_wr_req = platform_i ? wr_valid & 3'b110 : wr_valid & ~pushes & 3'b001;
  assign gm_wr_req = platform_i ? '0 : wr_valid & pushes;
  wire logic to_second = both[0] ? wr_turn[0] : peer[0];

  assign ub_wr_cube = platform_i && wr_valid[0] ? {to_second, !to_second} : 2'd0;

  pipe_arbiter u_l1_wr (
    .clk_i, .rst_ni, .req_i(l1_wr_req), .ready_i(l1_wr_ready_i),
    .grant_o(l1_wr_grant), .core_o(l1_wr_core_o)
  );

  pipe_arbiter u_gm_wr (
    .clk_i, .rst_ni, .req_i(gm_wr_req), .ready_i(gm_wr_ready_i),
    .grant_o(gm_wr_grant), .core_o(gm_wr_core_o)
  );

  assign l1_wr_valid_o = l1_wr_grant != '0;
  assign l1_wr_addr_o = l1_wr_grant[2] ? wr_addr[2] : l1_wr_grant[1] ? wr_addr[1] : wr_addr[0];
  assign l1_wr_data_o = l1_wr_grant[2] ? wr_data[2] : l1_wr_grant[1] ? wr_data[1] : wr_data[0];
  assign gm_wr_valid_o = gm_wr_grant != '0;
  assign gm_wr_addr_o = gm_wr_grant[2] ? wr_addr[2] : gm_wr_grant[1] ? wr_addr[1] : wr_addr[0];
  assign gm_wr_data_o = gm_wr_grant[2] ? wr_data[2] : gm_wr_grant[1] ? wr_data[1] : wr_data[0];

  assign wr_ready[0] = (l1_wr_grant[0] && l1_wr_ready_i) || (gm_wr_grant[0] && gm_wr_ready_i)
                       || (ub_wr_cube[0] && ub_wr_ready_i[0])
                       || (ub_wr_cube[1] && ub_wr_ready_i[1]);

  for (genvar p = 0; p < 2; p++) begin : gen_ub_wr
    wire logic vector = !platform_i && wr_valid[1+p] && !pushes[1+p];  // AIVp writes it itself

    assign ub_wr_valid_o[p] = ub_wr_cube[p] || vector;
    assign ub_wr_addr_o[p] = platform_i ? wr_addr[0] : wr_addr[1+p];
    assign ub_wr_data_o[p] = platform_i ? wr_data[0] : wr_data[1+p];
    assign wr_ready[1+p] = (l1_wr_grant[1+p] && l1_wr_ready_i)
                           || (gm_wr_grant[1+p] && gm_wr_ready_i) || (vector && ub_wr_ready_i[p]);
  end

`ifndef SYNTHESIS
  // a checker for each pipe: cores that are not at work for it are idle there
  for (genvar q = 0; q < PipeCount; q++) begin : gen_check
    wire state_e state [CoreCount];
    wire logic [2:0] op [CoreCount];
    wire err_e err [CoreCount];
    wire logic [CoreCount-1:0] accept, rsp_valid, here;
    wire endpoint_t ends [4];
    wire logic [Nflags-1:0] banks [4];

    for (genvar n = 0; n < CoreCount; n++) begin : gen_core_of_pipe
      assign here[n] = pipe[n] == 2'(q);
      assign state[n] = here[n] ? gen_core[n].u_core.state_q : Idle;
      assign op[n] = gen_core[n].u_core.op_q;
      assign err[n] = gen_core[n].u_core.err_q;
      assign accept[n] = cmd_valid_i[n] && cmd_ready_o[n] && offered_pipe[n] == 2'(q);
      assign rsp_valid[n] = rsp_valid_o[n] && here[n];
    end

    for (genvar r = 0; r < 4; r++) begin : gen_role
      assign ends[r] = endpoint[4*q+r];
      assign banks[r] = flags[4*q+r];
    end

    flag_pipe_checker #(
      .Nflags(Nflags), .FlagLat(FlagLat), .BeatBytes(BeatBytes), .HoldMax(HoldMax)
    ) u_checker (
      .clk_i, .rst_ni, .platform_i, .accept_i(accept), .offered_peer_i(offered_peer[0]),
      .offered_both_i(init_of_both), .state_i(state), .op_i(op), .cube_works_i(cube_works),
      .rsp_valid_i(rsp_valid), .err_i(err),
      .cube_blocked_i(here[0] ? cube_blocked : 2'd0), .blocked_i(blocked[2:1] & here[2:1]),
      .set_i(set & here), .set_index_i(set_index),
      .consume_i(consume & here), .consume_index_i(consume_index),
      .endpoint_i(ends), .flags_i(banks), .clear_i(clear),
      .read_i(rd_valid & rd_ready & here), .read_addr_i(rd_addr),
      .gm_write_i(gm_wr_valid_o && gm_wr_ready_i && (gm_wr_grant & here) != '0),
      .gm_write_core_i(gm_wr_core_o), .gm_write_addr_i(gm_wr_addr_o),
      .l1_write_i(l1_wr_valid_o && l1_wr_ready_i && (l1_wr_grant & here) != '0),
      .l1_write_core_i(l1_wr_core_o), .l1_write_addr_i(l1_wr_addr_o),
      .ub_write_i({ub_wr_valid_o[1] && ub_wr_ready_i[1] && here[0],
                   ub_wr_valid_o[0] && ub_wr_ready_i[0] && here[0]}),
      .ub_write_addr_i(ub_wr_addr_o)
    );
  end
`endif

endmodule

`default_nettype wire
