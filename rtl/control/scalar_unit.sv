// SPDX-License-Identifier: Apache-2.0
//
// Scalar unit (ThCon): one instruction at a time, whose thread issues nothing else meanwhile.
//
// Latency: an instruction of N cycles that issues in t is here in t+1 ... t+N; N is 1 for DMANOP
// and SETDMAREG, 3 or 4 for ADDDMAREG and MULDMAREG, 2 for REG2FLOP and one more for each cycle in
// which the config unit writes a word that REG2FLOP could write. Writes are made in the last cycle,
// which the multiplier has to itself: from the operand registers to the write port.
// Handshake: available_o, also in the last cycle; inside_o holds the thread up to the last but one.
// Reset: idle. Decisions C14, C15, C22, C25; docs/control.md section 6.
`default_nettype none

module scalar_unit
  import tilepath_isa_pkg::*;
  import control_pkg::*;
(
  input wire logic            clk_i,
  input wire logic            rst_ni,
  input wire issued_t         issue_i,
  output wire logic           available_o,
  output wire logic [2:0]     inside_o,
  // state
  output wire logic           busy_o,
  output wire logic [1:0]     thread_o,
  // GPRs
  output wire gpr_read_t      gpr_read_o,
  input wire logic [127:0]    gpr_data_i,
  output wire gpr_write_t     gpr_write_o,  // data is 0 in a half that is not written
  // Config; stall: the config unit writes one of the words 64 ... 179
  input wire logic            stall_i,
  input wire logic            bank_i,  // StateID of thread_o
  output wire config_write_t  flop_o,
  // address counters
  output wire counter_write_t counter_o
);

  typedef enum logic [2:0] {
    Nop = 3'd0, Set = 3'd1, Add = 3'd2, Mul = 3'd3, Flop = 3'd4
  } scalar_op_e;

  logic busy_q;
  logic [1:0] thread_q;
  scalar_op_e kind_q;
  logic [2:0] cycle_q;  // the instruction's first cycle here is 1; REG2FLOP stays at 2
  logic [23:0] word_q;
  logic [31:0] a_q, b_q;
  logic long_q;         // ADDDMAREG or MULDMAREG that reads two groups of four

  // ---- which cycle is the last
  wire logic [1:0] target = word_q[REG2FLOP_TARGET_MSB:REG2FLOP_TARGET_LSB];
  wire logic [6:0] flop = word_q[REG2FLOP_FLOP_CFG_MSB:REG2FLOP_FLOP_CFG_LSB];
  wire logic to_config = target == 2'(R2F_TARGET_CONFIG) && !flop_oob(flop);
  wire logic two_operands = kind_q == Add || kind_q == Mul;
  wire logic last = two_operands ? cycle_q == (long_q ? 3'd4 : 3'd3)
                  : kind_q != Flop || (cycle_q == 3'd2 && !(to_config && stall_i));
  wire logic done = busy_q && last;

  assign available_o = !busy_q || last;
  assign inside_o = busy_q && !last ? 3'd1 << thread_q : 3'd0;
  assign busy_o = busy_q;
  assign thread_o = thread_q;

  // ---- GPRs
  // ADDDMAREG and MULDMAREG have the same fields; A is REG2FLOP's GPR, too
  wire logic [5:0] a = word_q[ADDDMAREG_A_MSB:ADDDMAREG_A_LSB];
  wire logic [5:0] b = word_q[ADDDMAREG_B_MSB:ADDDMAREG_B_LSB];
  wire logic [6:0] half = word_q[SETDMAREG_HALF_REG_MSB:SETDMAREG_HALF_REG_LSB];
  wire logic [15:0] immediate = word_q[SETDMAREG_VALUE_MSB:SETDMAREG_VALUE_LSB];
  wire logic writes = done && (two_operands || (kind_q == Set && !word_q[SETDMAREG_MODE_LSB]));

  wire logic [1:0] halves = !writes ? 2'd0 : two_operands ? 2'd3 : half[0] ? 2'd2 : 2'd1;
  wire logic [5:0] result
    = two_operands ? word_q[ADDDMAREG_RESULT_MSB:ADDDMAREG_RESULT_LSB] : half[6:1];
  wire logic [31:0] product = {16'd0, a_q[15:0]} * {16'd0, b_q[15:0]};
  wire logic [31:0] result_data = kind_q == Add ? a_q + b_q
                                : kind_q == Mul ? product
                                : half[0] ? {immediate, 16'd0} : {16'd0, immediate};

  assign gpr_read_o = {thread_q, two_operands && cycle_q == 3'd3 ? b[5:2] : a[5:2]};
  assign gpr_write_o = {halves, thread_q, result, result_data};

  // ---- REG2FLOP
  wire logic [31:0] gpr = gpr_data_i[32*a[1:0]+:32];
  wire logic [1:0] size = word_q[REG2FLOP_SIZE_MSB:REG2FLOP_SIZE_LSB];
  wire logic [1:0] ctx = word_q[REG2FLOP_CTX_MSB:REG2FLOP_CTX_LSB];
  wire logic [1:0] byte_ofs = word_q[REG2FLOP_BYTE_OFS_MSB:REG2FLOP_BYTE_OFS_LSB];

  wire logic flop_write = done && kind_q == Flop && to_config;
  wire logic flop_quad = size == 2'(R2F_SIZE_B128);
  wire logic [7:0] flop_index
    = 8'(CFG_THCON_BASE) + {1'b0, flop[6:2], flop_quad ? 2'd0 : flop[1:0]};
  wire logic [127:0] flop_data = flop_quad ? gpr_data_i : {96'd0, gpr};

  wire config_target_t flop_target = {bank_i ? 2'b10 : 2'b01, flop_index, flop_quad};

  assign flop_o = {flop_write, flop_target, flop_data};

  wire counter_t counter
    = {word_q[REG2FLOP_FLOP_ADC_SEL_MSB:REG2FLOP_FLOP_ADC_SEL_LSB],
       word_q[REG2FLOP_FLOP_CHANNEL_LSB],
       word_q[REG2FLOP_FLOP_XYZW_MSB:REG2FLOP_FLOP_XYZW_LSB], word_q[REG2FLOP_FLOP_CR_LSB]};
  wire logic counter_write = done && kind_q == Flop && target[1]
                          && !flop_no_counter(target, ctx, counter.select);
  wire logic [1:0] counter_thread = target[0] ? ctx : thread_q;
  wire logic [17:0] value = flop_bad_size(size, byte_ofs) ? 18'd0
                          : size == 2'(R2F_SIZE_B32) ? gpr[17:0]
                          : size == 2'(R2F_SIZE_B16) ? {2'd0, byte_ofs[1] ? gpr[31:16] : gpr[15:0]}
                                                     : {10'd0, gpr[8*byte_ofs+:8]};

  assign counter_o = {counter_write, counter_thread, counter, value};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      thread_q <= '0;
      kind_q <= Nop;
      cycle_q <= '0;
      word_q <= '0;
      a_q <= '0;
      b_q <= '0;
      long_q <= 1'b0;
    end else if (issue_i.valid) begin
      busy_q <= 1'b1;
      thread_q <= issue_i.thread;
      cycle_q <= 3'd1;
      word_q <= issue_i.word[23:0];
      long_q <= !issue_i.word[ADDDMAREG_IMM_LSB]
                && issue_i.word[ADDDMAREG_A_MSB:ADDDMAREG_A_LSB+2]
                   != issue_i.word[ADDDMAREG_B_MSB:ADDDMAREG_B_LSB+2];
      case (issue_i.word[31:24])
        OP_SETDMAREG: kind_q <= Set;
        OP_ADDDMAREG: kind_q <= Add;
        OP_MULDMAREG: kind_q <= Mul;
        OP_REG2FLOP: kind_q <= Flop;
        default: kind_q <= Nop;
      endcase
    end else if (done) begin
      busy_q <= 1'b0;
      thread_q <= '0;
    end else if (busy_q) begin
      if (kind_q != Flop || cycle_q == 3'd1) cycle_q <= cycle_q + 3'd1;
      if (cycle_q == 3'd2) a_q <= gpr;
      if (cycle_q == (long_q ? 3'd3 : 3'd2))
        b_q <= word_q[ADDDMAREG_IMM_LSB] ? {26'd0, b} : gpr_data_i[32*b[1:0]+:32];
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (busy_q) begin
      if (issue_i.valid && !last) $fatal(1, "scalar_unit: an instruction issues while one is here");
      if (thread_q == 2'd3 || cycle_q == 3'd0 || cycle_q > 3'd4)
        $fatal(1, "scalar_unit: thread %0d in cycle %0d", thread_q, cycle_q);
    end
  end
`endif

endmodule

`default_nettype wire
