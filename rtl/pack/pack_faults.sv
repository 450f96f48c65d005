// SPDX-License-Identifier: Apache-2.0
//
// Address pipeline, cycles 5 and 6: the faults of an instruction, all but those that depend on the
// instructions before it (section 10 of docs/pack.md). Cycle 5: packer by packer, which of them
// count for this source; 6: over the packers of the mask.
//
// Latency: what is at the inputs in cycle 5 is in flags_o in cycle 7. Handshake: none. Reset: none.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module pack_faults
  import tilepath_isa_pkg::*;
  import pack_fault_pkg::*;
  import pack_pkg::*;
  import pack_plan_pkg::*;
#(
  parameter int Packers = 4,
  parameter int BhFields = 0,
  parameter int SetregEnc = 0
) (
  input  wire logic                  clk_i,
  input  wire logic                  valid_i,
  input  wire plan_t                 plan_i,
  input  wire logic                  count_fault_i,
  // of the packers
  input  wire logic [1:0]            source_i [4],
  input  wire logic [FaultWidth-1:0] located_i [4],
  input  wire logic [3:0]            relative_fifo_i,
  input  wire logic [FaultWidth-1:0] mode_i [4],
  output wire logic [FaultWidth-1:0] flags_o
);

  localparam logic [FaultWidth-1:0] One = FaultWidth'(1);
  // what is about the datums of Dst, and what is about the values of any datums
  localparam logic [FaultWidth-1:0] OfDst
    = One << FaultEarly | One << FaultPairIf | One << FaultRelu | One << FaultEdgeInt
      | One << FaultWrap | One << FaultRowEnd | One << FaultAlign | One << FaultIntfGroup
      | One << FaultStrided | One << FaultThreshold | One << FaultReadsPerPlane
      | One << FaultEdgeNeginfBfp;
  localparam logic [FaultWidth-1:0] OfValues = One << FaultPairLate | One << FaultLateTf32;

  function automatic logic [FaultWidth-1:0] common_of(input plan_t plan, input logic count_fault);
    logic [23:0] word;
    logic context_or_access;

    word = plan.word;
    context_or_access = word[PACR_CFG_CONTEXT_MSB:PACR_CFG_CONTEXT_LSB] != 2'd0
      || word[PACR_DST_ACCESS_MODE_LSB];
    common_of = '0;
    common_of[FaultMask] = Packers != 1
      && (plan.mask == 4'h6 || plan.mask == 4'h9 || plan.mask == 4'hB || plan.mask == 4'hD
          || plan.mask == 4'hE);
    common_of[FaultFields] = word[PACR_ROW_PAD_ZERO_MSB:PACR_ROW_PAD_ZERO_LSB] != 3'd0
      || word[PACR_CTXT_CTRL_MSB:PACR_CTXT_CTRL_LSB] != 2'd0
      || BhFields == 0 && context_or_access;
    common_of[FaultCount] = count_fault;
    common_of[FaultStochastic] = plan.stochastic;
    common_of[FaultDescaleMode] = plan.descale_mode;
  endfunction

  function automatic logic [FaultWidth-1:0] setreg_of(input plan_t plan);
    logic [23:0] word;
    logic below;

    word = plan.word;
    // bits 19:12 of the address
    below = {plan.slot[11:10], word[PACR_SETREG_WH_ADDR_MID_MSB:PACR_SETREG_WH_ADDR_MID_LSB]}
      < 8'h11;
    setreg_of = '0;
    setreg_of[FaultSetregAddress] = !plan.load && below;
    setreg_of[FaultSetregFields] = !plan.load
      && (!word[PACR_SETREG_WH_PUSH_LSB] || !word[PACR_SETREG_WH_FLUSH_LSB]
          || SetregEnc == 0
             && word[PACR_SETREG_WH_PACK_SEL_MSB:PACR_SETREG_WH_PACK_SEL_LSB] != 4'hF);
  endfunction

  logic valid_q, setreg_q;
  logic [3:0] mask_q;
  logic [FaultWidth-1:0] common_q, flags_q;
  wire logic [FaultWidth-1:0] of_packer [4];

  assign flags_o = flags_q;

  for (genvar p = 0; p < 4; p++) begin : gen_packer
    logic [FaultWidth-1:0] packer_q;
    fields_t fields;
    wire logic flush = plan_i.word[PACR_FLUSH_LSB];
    wire logic [FaultWidth-1:0] relu = FaultWidth'(plan_i.relu_above) << FaultRelu;
    wire logic [FaultWidth-1:0] relative = FaultWidth'(relative_fifo_i[p]) << FaultRelativeFifo;
    wire logic [FaultWidth-1:0] last
      = FaultWidth'(BhFields == 1 && fields.auto_last) << FaultFields;
    wire logic [FaultWidth-1:0] without
      = (source_i[p] == SourceDst ? FaultWidth'(0) : OfDst) | (flush ? OfValues : FaultWidth'(0));

    assign fields = plan_i.fields[p];
    assign of_packer[p] = mask_q[p] && !setreg_q ? packer_q : '0;

    always_ff @(posedge clk_i) begin
      if (valid_i) packer_q <= (located_i[p] | mode_i[p] | relu | relative | last) & ~without;
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= valid_i;
    if (valid_i) begin
      setreg_q <= plan_i.setreg;
      mask_q <= plan_i.mask;
      common_q <= plan_i.setreg ? setreg_of(plan_i) : common_of(plan_i, count_fault_i);
    end
    if (valid_q)
      flags_q <= common_q | of_packer[0] | of_packer[1] | of_packer[2] | of_packer[3];
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
