// SPDX-License-Identifier: Apache-2.0
//
// One step of a MOP expansion: which of the nine MopCfg words comes now, and the step after it.
//
// Latency: combinational. A step is {pos, outer, inner, flip, mask}: the position is the index of
// the MopCfg word (for the loop body of template 1: always 5); outer and inner count from 0 (for
// template 0, outer is the iteration); flip is the phase of the alternation; mask is what is left
// of the zero mask. first_i starts an expansion: the step inputs are then ignored.
// Empty expansions: empty_o (with first_i), and nothing else means anything.
// Decisions F1-F6 and F10; the OuterCount += 128 defect of the silicon is F3.
`default_nettype none

module mop_sequencer (
  input wire logic        first_i,
  // what is expanded
  input wire logic        template_i,
  input wire logic [6:0]  count1_i,     // template 0: iterations - 1
  input wire logic [31:0] mask_i,       // template 0: zero mask, used with first_i
  input wire logic [6:0]  outer_i,      // template 1: MopCfg[0][6:0]
  input wire logic [6:0]  inner_i,      // template 1: MopCfg[1][6:0]
  input wire logic        has_b_i,      // template 0: MopCfg[1][0]
  input wire logic        has_a123_i,   // template 0: MopCfg[1][1]
  input wire logic        nop_start_i,  // MopCfg[2] is a NOP
  input wire logic        nop_end0_i,   // MopCfg[3] is a NOP
  input wire logic        nop_end1_i,   // MopCfg[4] is a NOP
  input wire logic        nop_loop1_i,  // MopCfg[6] is a NOP
  // the step
  input wire logic [3:0]  pos_i,
  input wire logic [7:0]  outer_step_i,
  input wire logic [7:0]  inner_step_i,
  input wire logic        flip_i,
  input wire logic [31:0] mask_left_i,
  // the word of this step, and the step after it
  output logic            empty_o,
  output logic            last_o,
  output logic [3:0]      select_o,
  output logic [3:0]      pos_o,
  output logic [7:0]      outer_step_o,
  output logic [7:0]      inner_step_o,
  output logic            flip_o,
  output logic [31:0]     mask_left_o
);

  localparam logic [3:0] PosStart = 4'd2, PosEnd0 = 4'd3, PosEnd1 = 4'd4, PosLoop = 4'd5;
  localparam logic [3:0] PosLoop1 = 4'd6, PosLast0 = 4'd7, PosLast1 = 4'd8;
  localparam logic [3:0] PosB = 4'd2, PosA0 = 4'd3, PosA3 = 4'd6, PosSkipA = 4'd7, PosSkipB = 4'd8;

  logic [7:0] inner_total, outer_total;
  logic bug, end_of_pass, last_pass, last_inner;
  logic [3:0] pass_begin, pos;
  logic [7:0] outer_step, inner_step;
  logic flip;
  logic [31:0] mask;

  // template 1: loop counts
  assign inner_total = nop_loop1_i ? {1'b0, inner_i} : {inner_i, 1'b0};
  assign bug = outer_i == 7'd1 && nop_start_i && inner_i == 7'd0 && !nop_end0_i;
  assign outer_total = bug ? 8'd129 : {1'b0, outer_i};

  // template 1: first position of every outer pass
  always_comb begin
    if (!nop_start_i) pass_begin = PosStart;
    else if (inner_total != 8'd0) pass_begin = PosLoop;
    else pass_begin = PosEnd0;
  end

  assign empty_o = template_i
                && (outer_i == 7'd0 || (nop_start_i && inner_i == 7'd0 && nop_end0_i));

  // the step to work on
  assign mask = first_i ? mask_i : mask_left_i;
  assign outer_step = first_i ? 8'd0 : outer_step_i;
  assign inner_step = first_i ? 8'd0 : inner_step_i;
  assign flip = !first_i && flip_i;
  always_comb begin
    if (!first_i) pos = pos_i;
    else if (template_i) pos = pass_begin;
    else pos = mask_i[0] ? PosSkipA : PosA0;
  end

  assign last_pass = template_i ? outer_step + 8'd1 == outer_total
                                : outer_step == {1'b0, count1_i};
  assign last_inner = inner_step + 8'd1 == inner_total;

  // the word of this step
  always_comb begin
    select_o = pos;
    if (template_i && pos == PosLoop) begin
      if (last_inner) select_o = last_pass ? PosLast0 : PosLast1;
      else if (flip) select_o = PosLoop1;
    end
  end

  // the step after it, within a pass
  always_comb begin
    pos_o = pos;
    end_of_pass = 1'b0;
    inner_step_o = inner_step;
    flip_o = flip;
    if (template_i) begin
      case (pos)
        PosStart: begin
          if (inner_total != 8'd0) pos_o = PosLoop;
          else if (!nop_end0_i) pos_o = PosEnd0;
          else end_of_pass = 1'b1;
        end
        PosLoop: begin
          flip_o = flip ^ !nop_loop1_i;
          inner_step_o = inner_step + 8'd1;
          if (last_inner) begin
            inner_step_o = 8'd0;
            if (!nop_end0_i) pos_o = PosEnd0;
            else end_of_pass = 1'b1;
          end
        end
        PosEnd0: begin
          if (!nop_end1_i) pos_o = PosEnd1;
          else end_of_pass = 1'b1;
        end
        default: end_of_pass = 1'b1;
      endcase
      if (end_of_pass) pos_o = pass_begin;
    end else begin
      case (pos)
        PosA0: begin
          if (has_a123_i) pos_o = PosA0 + 4'd1;
          else if (has_b_i) pos_o = PosB;
          else end_of_pass = 1'b1;
        end
        PosA3: begin
          if (has_b_i) pos_o = PosB;
          else end_of_pass = 1'b1;
        end
        PosSkipA: begin
          if (has_b_i) pos_o = PosSkipB;
          else end_of_pass = 1'b1;
        end
        PosB, PosSkipB: end_of_pass = 1'b1;
        default: pos_o = pos + 4'd1;
      endcase
      if (end_of_pass) pos_o = mask[1] ? PosSkipA : PosA0;
    end
  end

  assign outer_step_o = end_of_pass ? outer_step + 8'd1 : outer_step;
  assign mask_left_o = end_of_pass ? {1'b0, mask[31:1]} : mask;
  assign last_o = end_of_pass && last_pass;

endmodule

`default_nettype wire
