// SPDX-License-Identifier: Apache-2.0
//
// Departure (section 4 of docs/pack.md): the mode of the datums' path, instructions under way, and
// when the head of the plan queue goes.
//
// Latency: departs_o is in the cycle of departure, the mode that it brings in the next. Handshake:
// the head departs when its mode is that of the path, or nothing is in it, and its packers have
// room. Reset: mode 0, nothing under way.
`default_nettype none

module pack_depart
  import pack_pkg::*;
  import pack_plan_pkg::*;
(
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic       valid_i,
  input  wire sampled_t   head_i,
  output wire logic       departs_o,
  output wire plan_t      plan_o,
  output wire mode_t      mode_o,
  // packers: through with an instruction; nothing in rows, gather, lines
  input  wire logic [3:0] gone_i,
  input  wire logic [3:0] still_i,
  output wire logic [3:0] none_under_way_o
);

  mode_t mode_q;
  plan_t plan;
  mode_t mode;

  wire logic [3:0] full;
  wire logic drained = (still_i & none_under_way_o) == 4'b1111;
  wire logic same = mode == mode_q;
  wire logic room = (plan.mask & full) == 4'd0;

  assign plan = head_i.plan;
  assign mode = head_i.mode;
  assign departs_o
    = valid_i && (plan.load || room && (drained || same && !plan.setreg));
  assign plan_o = plan;
  assign mode_o = mode_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) mode_q <= '0;
    else if (departs_o && !plan.setreg) mode_q <= mode;
  end

  for (genvar p = 0; p < 4; p++) begin : gen_packer
    logic [3:0] under_way_q;
    wire logic enters = departs_o && plan.mask[p];

    assign full[p] = under_way_q == 4'(UnderWay);
    assign none_under_way_o[p] = under_way_q == 4'd0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) under_way_q <= '0;
      else under_way_q <= under_way_q + {3'd0, enters} - {3'd0, gone_i[p]};
    end

`ifndef SYNTHESIS
    always @(posedge clk_i) begin
      if (gone_i[p] && under_way_q == 4'd0)
        $fatal(1, "pack_depart: packer %0d is through with an instruction that it has not", p);
    end
`endif
  end

endmodule

`default_nettype wire
