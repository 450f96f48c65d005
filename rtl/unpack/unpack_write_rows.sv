// SPDX-License-Identifier: Apache-2.0
//
// Where the slots of a step go: address, mask and parts (docs/unpack.md sections 4 and 5.5).
//
// A step is laid out in positions: 16 a row, position p in column p & 15 of register row
// `row` + p / 16. Slot 0 has position address & 15, so slots keep their order, and what is masked
// by its column is what a column shift would have put into the row before.
//
// Latency: a stage, r + 5. Handshake: valid and ready on both sides. Reset: empty. The output
// address goes on from one step of an instruction to the next.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module unpack_write_rows
  import unpack_pkg::*;
  import unpack_write_pkg::*;
#(
  parameter int Unpacker = 0
) (
  input  wire logic   clk_i,
  input  wire logic   rst_ni,
  input  wire logic   valid_i,
  input  wire step_t  step_i,
  output wire logic   ready_o,
  output wire logic   valid_o,
  output wire place_t place_o,
  input  wire logic   ready_i
);

  // By zeros: slots at which an item begins, if the first does at slot 0.
  function automatic logic [511:0] begins_table();
    begins_table = '0;
    for (int i = 0; i < 512; i++) begins_table[i] = (i % 32) % (1 + i / 32) == 0;
  endfunction

  localparam logic [511:0] Begins = begins_table();

  // Slots of those items that are datums.
  function automatic logic [31:0] spread(input logic [31:0] own, input logic [3:0] zeros);
    spread = '0;
    for (int k = 0; k < 16; k++)
      if (zeros == 4'(k)) for (int i = 0; i * (k + 1) < 32; i++) spread[i*(k+1)] = own[i];
  endfunction

  // Positions of a plain step: `count` from `column` on.
  function automatic logic [Positions-1:0] plain_positions(input logic [3:0] column,
                                                           input logic [7:0] count);
    logic [7:0] stop;
    logic [15:0] last;

    stop = count + {4'd0, column};
    last = ~(16'hffff << stop[3:0]);
    for (int p = 0; p < Rows; p++)
      plain_positions[16*p+:16] = stop[7:4] > 4'(p) ? 16'hffff : stop[7:4] == 4'(p) ? last : '0;
    plain_positions[15:0] = plain_positions[15:0] & (16'hffff << column);
  endfunction

  // Rows of the positions that are in front of SrcA (U30): OutAddr / 16 is below 4.
  function automatic logic [Rows-1:0] front_rows(input logic [27:0] row);
    logic zero, ones;
    logic [3:0] low;

    zero = row[27:4] == '0;
    ones = row[27:4] == '1;
    for (int p = 0; p < Rows; p++) begin
      low = row[3:0] + 4'(p);
      front_rows[p] = low[3:2] == 2'd0 && (low < row[3:0] ? ones : zero);
    end
  endfunction

  wire beat_t beat = step_i.entry.beat;
  wire logic to_dst = Unpacker == 0 && beat.convert.to_dst;

  logic [31:0] out_q;
  logic valid_q;
  place_t place_q;

  // ---- slots
  wire logic [9:0] item_slots = {4'd0, step_i.items} * ({6'd0, beat.out.zeros} + 10'd1);
  wire logic [5:0] slots = step_i.ends ? step_i.lead + item_slots[5:0] : 6'd32;
  wire logic [31:0] there = lowest(slots);
  wire logic [31:0] value = spread(step_i.own, beat.out.zeros) << step_i.lead & there;
  wire logic [31:0] written = there & (beat.out.interleave
                                       ? Begins[{beat.out.zeros, 5'd0}+:32] << step_i.lead
                                       : ~lowest(step_i.dropped));

  // ---- addresses: of slot 0, where nothing is shifted nor dropped, and of position 0
  wire logic [31:0] out = beat.first && step_i.start ? beat.out.out_addr : out_q;
  wire logic [31:0] first = out - {26'd0, step_i.skip};
  wire logic [7:0] emitted = step_i.expands ? {2'd0, slots - step_i.dropped} : beat.count;
  wire logic [5:0] more_rows = (Unpacker == 1 ? 6'd0 : -6'd4) + beat.out.src_row;
  wire logic [9:0] row = first[13:4] + {{4{to_dst && Unpacker == 0}}, more_rows};
  wire logic [9:0] register_row = !to_dst ? {4'd0, row[5:0]}
                                  : beat.out.set_ovrd ? {6'd0, row[3:0]} : row;

  // ---- mask
  function automatic logic [Positions-1:0] masked(
      input logic expands, input logic [31:0] slots_written, input logic [7:0] count,
      input logic [3:0] column, input logic [Rows-1:0] not_rows, input logic [3:0] col_shift);
    logic [WindowPositions-1:0] window;
    logic [15:0] columns;

    window = {16'd0, slots_written};
    if (column[0]) window = window << 1;
    if (column[1]) window = window << 2;
    if (column[2]) window = window << 4;
    if (column[3]) window = window << 8;
    masked = expands ? {96'd0, window} : plain_positions(column, count);
    columns = 16'hffff >> col_shift;
    for (int p = 0; p < Rows; p++)
      masked[16*p+:16] = masked[16*p+:16] & (not_rows[p] ? 16'd0 : columns);
  endfunction

  function automatic logic [Rows-1:0] rows_of(input logic [Positions-1:0] mask);
    for (int p = 0; p < Rows; p++) rows_of[p] = mask[16*p+:16] != 16'd0;
  endfunction

  wire logic [Positions-1:0] mask = masked(
    step_i.expands, written, beat.count, first[3:0],
    Unpacker == 0 && !to_dst ? front_rows(first[31:4]) : '0, beat.out.col_shift);
  wire logic [Rows-1:0] rows = rows_of(mask);

  // ---- parts: rows of the positions that are in the upper one of two blocks
  function automatic logic [Rows-1:0] upper_rows(input logic [3:0] first_row, input logic dst,
                                                 input logic halves, input logic transpose);
    logic [3:0] from;

    from = dst ? {1'b1, halves || first_row[2], first_row[1:0]} : first_row;
    for (int p = 0; p < Rows; p++)
      upper_rows[p] = (dst || transpose) && 5'(p) + {1'b0, from} > 5'd15;
  endfunction

  wire logic [Rows-1:0] upper = upper_rows(register_row[3:0], to_dst,
                                           beat.out.swizzle && beat.convert.wide_dst,
                                           beat.out.transpose);
  wire logic in_lower = (rows & ~upper) != '0;
  wire logic in_upper = (rows & upper) != '0;

  wire logic go_on = valid_i && ready_o;

  assign ready_o = !valid_q || ready_i;
  assign valid_o = valid_q;
  assign place_o = place_q;

  always_ff @(posedge clk_i) begin
    if (go_on) begin
      place_q.step <= step_i;
      if (beat.token) begin
        place_q.writes <= 1'b0;
        place_q.two <= 1'b0;
      end else begin
        place_q.mask <= mask;
        place_q.writes <= in_lower || in_upper;
        place_q.two <= in_lower && in_upper;
        place_q.part <= in_lower ? ~upper : upper;
        place_q.upper <= !in_lower;
        place_q.address <= {register_row, first[3:0]};
        place_q.row <= first[31:4];
        place_q.rows <= rows;
        if (step_i.expands) place_q.value <= value;
        out_q <= out + {24'd0, emitted};
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i || valid_q && !ready_i;
  end

`ifndef SYNTHESIS
  always @(posedge clk_i)
    if (go_on && Unpacker == 1 && !beat.token && beat.convert.to_dst)
      $fatal(1, "unpack_write_rows: SrcB's unpacker and Dst");
`endif

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
