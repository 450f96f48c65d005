// SPDX-License-Identifier: Apache-2.0
//
// A bank of flags: one core SETs them, another waits for them and consumes them (T1).
//
// Latency: a SET in cycle s is visible in s+FlagLat; a flag consumed in cycle w is 0 in w+1, unless
// a SET arrives in w. A SET that arrives at a flag that is 1 and stays so is an error, which is
// sticky (T2). Handshake: none. Reset and clr_i: flags and error 0; clr_i comes only with no SET on
// its way, and neither SET nor consumption beside it.
`default_nettype none

module flag_bank #(
  parameter int Nflags = 8,
  parameter int FlagLat = 2,
  localparam int IndexW = $clog2(Nflags)
) (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,
  input  wire logic              clr_i,
  input  wire logic              set_i,
  input  wire logic [IndexW-1:0] set_index_i,
  input  wire logic              consume_i,
  input  wire logic [IndexW-1:0] consume_index_i,
  output wire logic [Nflags-1:0] flags_o,
  output wire logic              flying_o,  // a SET is on its way
  output wire logic              set_set_o
);

  wire logic [Nflags-1:0] arrives, consumed;
  logic [Nflags-1:0] flags_q;
  logic set_set_q;

  // ---- the way of a SET
  if (FlagLat == 1) begin : gen_direct
    assign arrives = Nflags'(set_i) << set_index_i;
    assign flying_o = 1'b0;
  end else begin : gen_way
    localparam int Stages = FlagLat - 1;

    logic [Stages-1:0] valid_q;  // bit Stages - 1 is where SETs enter, bit 0 arrives
    logic [Stages-1:0][IndexW-1:0] index_q;

    assign arrives = Nflags'(valid_q[0]) << index_q[0];
    assign flying_o = valid_q != '0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= '0;
        index_q <= '0;
      end else begin
        valid_q <= Stages'({set_i, valid_q} >> 1);
        index_q <= (Stages * IndexW)'({set_index_i, index_q} >> IndexW);
      end
    end
  end

  // ---- flags
  assign consumed = Nflags'(consume_i) << consume_index_i;
  assign flags_o = flags_q;
  assign set_set_o = set_set_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flags_q <= '0;
      set_set_q <= 1'b0;
    end else if (clr_i) begin
      flags_q <= '0;
      set_set_q <= 1'b0;
    end else begin
      flags_q <= (flags_q & ~consumed) | arrives;
      set_set_q <= set_set_q || (arrives & flags_q & ~consumed) != '0;
    end
  end

endmodule

`default_nettype wire
