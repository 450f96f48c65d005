// SPDX-License-Identifier: Apache-2.0
//
// The address pipeline (section 4 and 5 of docs/pack.md): eight cycles from departure to the
// packers' instruction queues.
//
// Latency: of a plan that departs in q, instructions are up in q+7, so that they are in a queue in
// q+8; faults and SETREG's write are up in q+8. Handshake: none, nothing is held. Reset: empty.
`default_nettype none

module pack_address
  import unit_port_pkg::*;
  import pack_fault_pkg::*;
  import pack_pkg::*;
  import pack_plan_pkg::*;
  import pack_address_pkg::*;
#(
  parameter int Packers = 4,
  parameter int Mask0 = 1,
  parameter int MaxDatums = 256,
  parameter int BhFields = 0,
  parameter int Relative = 1,
  parameter int YzwShr4 = 0,
  parameter int Ch1Offset18 = 0,
  parameter int R10Fp16 = 1,
  parameter int SetregEnc = 0
) (
  input  wire logic          clk_i,
  input  wire logic          rst_ni,
  input  wire logic          valid_i,
  input  wire plan_t         plan_i,
  input  wire mode_t         mode_i,
  input  wire logic [3:0]    masked_i,
  output wire logic [3:0]    instruction_valid_o,
  output wire instruction_t  instruction_o [4],
  output wire fault_t        fault_o,
  output wire setreg_write_t setreg_o
);

  // ---- cycles 1 and 2, for all packers
  wire logic valid2, valid3;
  wire plan_t plan2, plan3;
  wire products_t products;
  wire sums_t sums;
  wire logic [31:0] begins [4];

  pack_address_products u_products (
    .clk_i, .rst_ni, .valid_i, .plan_i, .valid_o(valid2), .plan_o(plan2), .products_o(products)
  );

  pack_address_sums #(.Packers(Packers), .MaxDatums(MaxDatums)) u_sums (
    .clk_i, .rst_ni, .valid_i(valid2), .plan_i(plan2), .products_i(products),
    .valid_o(valid3), .plan_o(plan3), .sums_o(sums), .begin_o(begins)
  );

  // what channel 1 counts is kept in 18 bits (P33)
  wire logic [31:0] yzw = Ch1Offset18 == 1 ? {14'd0, sums.yzw[17:0]} : sums.yzw;

  // ---- the plan, in cycles 4 to 7
  logic [7:4] valid_q;
  plan_t plan4_q, plan5_q, plan6_q, plan7_q;
  logic count4_q, count5_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[6:4], valid3};
  end

  always_ff @(posedge clk_i) begin
    if (valid3) begin
      plan4_q <= plan3;
      count4_q <= sums.count_fault;
    end
    if (valid_q[4]) begin
      plan5_q <= plan4_q;
      count5_q <= count4_q;
    end
    if (valid_q[5]) plan6_q <= plan5_q;
    if (valid_q[6]) plan7_q <= plan6_q;
  end

  // ---- cycles 3 to 7 of each packer
  wire logic [FaultWidth-1:0] mode_flags [4], located_flags [4], order_flags [4];
  wire logic [1:0] sources [4];
  wire logic [3:0] relative_fifo;
  wire logic [FaultWidth-1:0] flags;

  for (genvar p = 0; p < 4; p++) begin : gen_packer
    if (p < Packers) begin : gen_exists
      packer_mode_t packer_mode;
      wire located_t located;
      located_t located6_q, located7_q;
      wire lines_t lines;

      assign packer_mode = mode_i.packer[p];
      assign located_flags[p] = located.flags;
      assign sources[p] = located.source;

      pack_mode_faults #(.R10Fp16(R10Fp16)) u_mode_faults (
        .clk_i, .rst_ni, .mode_i, .packer_i(packer_mode), .masked_i(masked_i[p]),
        .flags_o(mode_flags[p])
      );

      pack_address_input #(
        .Packer(p), .Packers(Packers), .Mask0(Mask0), .BhFields(BhFields)
      ) u_input (
        .clk_i, .valid_i(valid3), .plan_i(plan3), .sums_i(sums), .from_i(packer_mode.from[1:0]),
        .source_l1_i(p == 0 && mode_i.source_l1), .located_o(located)
      );

      pack_address_output #(.Packer(p), .Relative(Relative), .YzwShr4(YzwShr4)) u_output (
        .clk_i, .valid_i(valid3), .fields_i(plan3.fields[p]), .yzw_i(yzw),
        .begin_i(begins[p]), .begin0_i(begins[0]), .compress_i(packer_mode.compress),
        .exponents_i(packer_mode.to[1]), .relative_fifo_o(relative_fifo[p]), .lines_o(lines)
      );

      always_ff @(posedge clk_i) begin
        if (valid_q[5]) located6_q <= located;
        if (valid_q[6]) located7_q <= located6_q;
      end

      pack_order #(.Packer(p)) u_order (
        .clk_i, .rst_ni, .valid_i(valid_q[7]), .plan_i(plan7_q), .mode_i(packer_mode),
        .located_i(located7_q), .lines_i(lines), .valid_o(instruction_valid_o[p]),
        .instruction_o(instruction_o[p]), .flags_o(order_flags[p])
      );
    end else begin : gen_none
      wire logic unused_masked = masked_i[p];

      assign mode_flags[p] = '0;
      assign located_flags[p] = '0;
      assign order_flags[p] = '0;
      assign sources[p] = 2'd0;
      assign relative_fifo[p] = 1'b0;
      assign instruction_valid_o[p] = 1'b0;
      assign instruction_o[p] = '0;
    end
  end

  // ---- faults, SETREG
  logic [FaultWidth-1:0] flags_q;
  logic [1:0] thread_q;
  wire logic [FaultWidth-1:0] all_flags
    = flags | order_flags[0] | order_flags[1] | order_flags[2] | order_flags[3];

  assign fault_o = {flags_q != '0, thread_q, flags_q};

  pack_faults #(.Packers(Packers), .BhFields(BhFields), .SetregEnc(SetregEnc)) u_faults (
    .clk_i, .valid_i(valid_q[5]), .plan_i(plan5_q), .count_fault_i(count5_q), .source_i(sources),
    .located_i(located_flags), .relative_fifo_i(relative_fifo), .mode_i(mode_flags),
    .flags_o(flags)
  );

  pack_setreg #(.SetregEnc(SetregEnc)) u_setreg (
    .clk_i, .rst_ni, .valid_i(valid_q[5]), .plan_i(plan5_q), .write_o(setreg_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flags_q <= '0;
      thread_q <= '0;
    end else begin
      flags_q <= valid_q[7] ? all_flags : '0;
      thread_q <= valid_q[7] && all_flags != '0 ? plan7_q.thread : 2'd0;
    end
  end

endmodule

`default_nettype wire
