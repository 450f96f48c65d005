// SPDX-License-Identifier: Apache-2.0
//
// The invariants of docs/flag_pipe.md section 9, beside the RTL. In simulation only.
//
// SETs on their way are counted here again, from those that cores give. Element and bit numbers are
// those of module flag_pipe. I10 and I12 to I16 are here, the others in pipe_checker.
`default_nettype none

`ifndef SYNTHESIS
module flag_pipe_checker
  import flag_pipe_pkg::*;
#(
  parameter int Nflags = 8,
  parameter int FlagLat = 2,
  parameter int BeatBytes = 32,
  parameter int HoldMax = 1,
  localparam int IndexW = $clog2(Nflags)
) (
  input wire logic              clk_i,
  input wire logic              rst_ni,
  input wire logic              platform_i,
  // cores
  input wire logic [2:0]        accept_i,
  input wire logic              offered_peer_i,  // of AIC
  input wire logic              offered_both_i,  // likewise: an INIT with halves
  input wire state_e            state_i [3],
  input wire logic [2:0]        op_i [3],
  input wire logic [1:0]        cube_works_i,    // AIC's command at work is for these pairs
  input wire logic [2:0]        rsp_valid_i,
  input wire err_e              err_i [3],
  input wire logic [1:0]        cube_blocked_i,  // AIC waits for a flag of a vector
  input wire logic [1:0]        blocked_i,       // a vector waits
  input wire logic [2:0]        set_i,
  input wire logic [IndexW-1:0] set_index_i [3],
  input wire logic [2:0]        consume_i,
  input wire logic [IndexW-1:0] consume_index_i [3],
  // pairs
  input wire endpoint_t         endpoint_i [4],
  input wire logic [Nflags-1:0] flags_i [4],
  input wire logic [1:0]        clear_i,
  // requests that are accepted
  input wire logic [2:0]        read_i,
  input wire logic [31:0]       read_addr_i [3],
  input wire logic              gm_write_i,
  input wire logic [1:0]        gm_write_core_i,
  input wire logic [31:0]       gm_write_addr_i,
  input wire logic              l1_write_i,
  input wire logic [1:0]        l1_write_core_i,
  input wire logic [31:0]       l1_write_addr_i,
  input wire logic [1:0]        ub_write_i,
  input wire logic [31:0]       ub_write_addr_i [2]
);

  wire logic [Nflags-1:0] sets [4], consumed [4], flying [4], arrives [4];
  wire logic [2:0] wrong, past_wait, pushing, popping, pushed;
  wire logic [1:0] quiet;

  // ---- cores
  for (genvar n = 0; n < 3; n++) begin : gen_core
    localparam int One = n == 0 ? 0 : 1 + n;  // its endpoints; a vector has one
    localparam int Two = n == 0 ? 1 : 1 + n;
    wire endpoint_t own_one, own_two;
    wire logic clear_one = clear_i[One%2];
    wire logic clear_two = clear_i[Two%2];
    endpoint_t one_q, two_q;
    logic wrong_q, waited_q, cleared_one_q, cleared_two_q;
    logic [Nflags-1:0] signalled_q;  // free flags that INIT has SET
    wire logic is_init = op_i[n] == Init;
    wire logic [Nflags-1:0] signals = signalled_q | (Nflags'(set_i[n]) << set_index_i[n]);
    wire logic second = n == 0 && !cube_works_i[0];
    wire logic [1:0] mask = second ? own_two.mask : own_one.mask;
    wire logic [Nflags-1:0] expected = !mask[n==0] ? '0
                                       : mask != 2'd3 ? '1
                                       : {Nflags{1'b1}} >> (Nflags / 2)
                                         << (n == 0 ? Nflags / 2 : 0);
    wire logic [1:0] period = second ? own_two.period : own_one.period;
    wire logic [Nflags-1:0] credits;

    for (genvar k = 0; k < Nflags; k++) begin : gen_credit
      assign credits[k] = (3'(k) & {period == 2'd3, period[1], period != 2'd0}) == 3'd0;
    end

    wire logic [Nflags-1:0] of_cube = (flags_i[1] | {Nflags{!cube_works_i[0]}})
                                      & (flags_i[3] | {Nflags{!cube_works_i[1]}});
    wire logic [Nflags-1:0] awaited = n == 0 ? of_cube : flags_i[n==2?2:0];

    assign own_one = endpoint_i[One];
    assign own_two = endpoint_i[Two];
    assign wrong[n] = rsp_valid_i[n] && err_i[n] != Ok;
    assign past_wait[n] = state_i[n] == Xfer || (state_i[n] == Done && !wrong[n]);
    assign pushing[n] = past_wait[n] && op_i[n] == Tpush;
    assign popping[n] = past_wait[n] && op_i[n] == Tpop;
    assign pushed[n] = pushing[n] && set_i[n];

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        one_q <= '0;
        two_q <= '0;
        wrong_q <= 1'b0;
        waited_q <= 1'b0;
        cleared_one_q <= 1'b0;
        cleared_two_q <= 1'b0;
        signalled_q <= '0;
      end else begin
        one_q <= own_one;
        two_q <= own_two;
        wrong_q <= wrong[n];
        waited_q <= state_i[n] == Wait && awaited[consume_index_i[n]];
        cleared_one_q <= clear_one;
        cleared_two_q <= clear_two;
        signalled_q <= accept_i[n] ? '0 : signals;
      end
    end

    always @(posedge clk_i) begin
      if (wrong[n] && (set_i[n] || consume_i[n] || read_i[n]))
        $fatal(1, "I10: an error of core %0d does something", n);
      if ((wrong[n] || wrong_q) && ((own_one != one_q && !cleared_one_q)
                                    || (own_two != two_q && !cleared_two_q)))
        $fatal(1, "I10: an error of core %0d changes its endpoint", n);
      if (rsp_valid_i[n] && is_init && !wrong[n] && signals != (expected & credits))
        $fatal(1, "I12: INIT of core %0d SETs %b, not %b", n, signals, expected & credits);
      if (waited_q && state_i[n] == Wait) $fatal(1, "I13: core %0d waits for a set flag", n);
      if (one_q.init && !cleared_one_q
          && {own_one.init, own_one.mask, own_one.period, own_one.split, own_one.row,
              own_one.slot_size, own_one.gm_base, own_one.c2v_buf, own_one.v2c_buf}
             != {one_q.init, one_q.mask, one_q.period, one_q.split, one_q.row, one_q.slot_size,
                 one_q.gm_base, one_q.c2v_buf, one_q.v2c_buf})
        $fatal(1, "I15: the configuration of endpoint %0d changes", One);
      if (two_q.init && !cleared_two_q
          && {own_two.init, own_two.mask, own_two.period, own_two.split, own_two.row,
              own_two.slot_size, own_two.gm_base, own_two.c2v_buf, own_two.v2c_buf}
             != {two_q.init, two_q.mask, two_q.period, two_q.split, two_q.row, two_q.slot_size,
                 two_q.gm_base, two_q.c2v_buf, two_q.v2c_buf})
        $fatal(1, "I15: the configuration of endpoint %0d changes", Two);
    end
  end

  // ---- banks
  for (genvar b = 0; b < 4; b++) begin : gen_bank
    localparam int Setter = b % 2 == 0 ? 0 : 1 + b / 2;
    localparam int Waiter = b % 2 == 0 ? 1 + b / 2 : 0;
    wire endpoint_t setter;
    wire logic unused = ^setter;  // but for one bit

    assign setter = endpoint_i[Setter==0?b/2:2+b/2];
    assign sets[b] = Nflags'(set_i[Setter] && (Setter != 0 || cube_works_i[b/2]))
                     << set_index_i[Setter];
    assign consumed[b] = Nflags'(consume_i[Waiter] && (Waiter != 0 || cube_works_i[b/2]))
                         << consume_index_i[Waiter];

    if (FlagLat == 1) begin : gen_direct
      assign flying[b] = '0;
      assign arrives[b] = sets[b];
    end else begin : gen_way
      logic [(FlagLat-1)*Nflags-1:0] way_q;  // the lowest bits arrive
      logic [Nflags-1:0] any;

      always_comb begin
        any = '0;
        for (int i = 0; i < FlagLat - 1; i++) any = any | way_q[Nflags*i+:Nflags];
      end

      assign flying[b] = any;
      assign arrives[b] = way_q[Nflags-1:0];

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) way_q <= '0;
        else begin
          way_q[(FlagLat-1)*Nflags-1-:Nflags] <= sets[b];
          for (int i = 0; i < FlagLat - 2; i++)
            way_q[Nflags*i+:Nflags] <= way_q[Nflags*(i+1)+:Nflags];
        end
      end
    end

    always @(posedge clk_i) begin
      if (!setter.init && (flags_i[b] | flying[b]) != '0)
        $fatal(1, "I12: flags %b of bank %0d, which is not active", flags_i[b], b);
    end
  end

  // ---- halves: of AIC one endpoint for both vectors
  wire endpoint_t cube_one, cube_two;

  assign cube_one = endpoint_i[0];
  assign cube_two = endpoint_i[1];

  always @(posedge clk_i) begin
    if ((cube_one.split != Whole || cube_two.split != Whole) && cube_one != cube_two)
      $fatal(1, "I16: AIC's two endpoints with halves differ");
  end

  // ---- pairs
  for (genvar p = 0; p < 2; p++) begin : gen_pair
    wire logic cube = cube_works_i[p];  // AIC is at work for it, if it is
    wire endpoint_t cube_side, vector_side;
    logic quiet_q;
    logic [2*Nflags-1:0] flags_q;
    endpoint_t cube_q, vector_q;

    assign cube_side = endpoint_i[p];
    assign vector_side = endpoint_i[2+p];
    assign quiet[p] = !clear_i[p] && (flying[2*p] | flying[2*p+1]) == '0
                      && state_i[1+p] == Idle && !accept_i[1+p]
                      && !(state_i[0] != Idle && cube)
                      && !(accept_i[0] && (offered_both_i || offered_peer_i == 1'(p)));

    // C2V
    pipe_checker #(
      .Nflags(Nflags), .BeatBytes(BeatBytes), .HoldMax(HoldMax), .V2c(1'b0), .Second(p == 1)
    ) u_c2v (
      .clk_i, .rst_ni, .platform_i, .producer_i(cube_side), .consumer_i(vector_side),
      .writing_i(pushing[0] && cube), .holding_i(popping[1+p]), .pre_i(state_i[1+p] == Pre),
      .pre_index_i(3'(set_index_i[1+p])), .pushed_i(pushed[0] && cube),
      .ready_i(flags_i[2*p]), .ready_flying_i(flying[2*p]),
      .free_i(flags_i[2*p+1]), .free_flying_i(flying[2*p+1]),
      .ready_arrives_i(arrives[2*p]), .ready_consumed_i(consumed[2*p]),
      .free_arrives_i(arrives[2*p+1]), .free_consumed_i(consumed[2*p+1]),
      .write_i(platform_i ? ub_write_i[p] : gm_write_i && gm_write_core_i == 2'd0 && cube),
      .write_addr_i(platform_i ? ub_write_addr_i[p] : gm_write_addr_i),
      .read_i(read_i[1+p] && !pushing[1+p]), .read_addr_i(read_addr_i[1+p])
    );

    // V2C
    pipe_checker #(
      .Nflags(Nflags), .BeatBytes(BeatBytes), .HoldMax(HoldMax), .V2c(1'b1), .Second(p == 1)
    ) u_v2c (
      .clk_i, .rst_ni, .platform_i, .producer_i(vector_side), .consumer_i(cube_side),
      .writing_i(pushing[1+p]), .holding_i(popping[0] && cube),
      .pre_i(state_i[0] == Pre && cube), .pre_index_i(3'(set_index_i[0])),
      .pushed_i(pushed[1+p]),
      .ready_i(flags_i[2*p+1]), .ready_flying_i(flying[2*p+1]),
      .free_i(flags_i[2*p]), .free_flying_i(flying[2*p]),
      .ready_arrives_i(arrives[2*p+1]), .ready_consumed_i(consumed[2*p+1]),
      .free_arrives_i(arrives[2*p]), .free_consumed_i(consumed[2*p]),
      .write_i(platform_i ? l1_write_i && l1_write_core_i == 2'(1 + p)
                          : gm_write_i && gm_write_core_i == 2'(1 + p)),
      .write_addr_i(platform_i ? l1_write_addr_i : gm_write_addr_i),
      .read_i(read_i[0] && !pushing[0] && cube), .read_addr_i(read_addr_i[0])
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        quiet_q <= 1'b0;
        flags_q <= '0;
        cube_q <= '0;
        vector_q <= '0;
      end else begin
        quiet_q <= quiet[p];
        flags_q <= {flags_i[2*p+1], flags_i[2*p]};
        cube_q <= cube_side;
        vector_q <= vector_side;
      end
    end

    always @(posedge clk_i) begin
      if (cube_side.init && vector_side.init && cube_side.mask == vector_side.mask
          && cube_side.mask != 2'd3 && cube_side.period == vector_side.period
          && 5'(cube_side.held | vector_side.held) + (5'd1 << cube_side.period) <= 5'(Nflags)
          && cube_blocked_i[p] && blocked_i[p] && (flying[2*p] | flying[2*p+1]) == '0)
        $fatal(1, "I9: both cores of pair %0d are blocked", p);
      if (quiet_q && ({flags_i[2*p+1], flags_i[2*p]} != flags_q || cube_side != cube_q
                      || vector_side != vector_q))
        $fatal(1, "I14: pair %0d changes with nothing at work for it", p);
    end
  end

endmodule
`endif

`default_nettype wire
