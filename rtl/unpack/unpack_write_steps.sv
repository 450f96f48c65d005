// SPDX-License-Identifier: Apache-2.0
//
// Cuts entries into steps (docs/unpack.md section 4). A plain beat and a token are one step; an
// expanding beat has 32 slots a step. An item that is dropped takes one slot, another 1 + zeros.
//
// Latency: a stage, r + 4; a step a cycle. Handshake: valid and ready on both sides; an entry goes
// with its last step. Reset: no entry is begun. From one beat of a bounded output to the next goes
// what is left to drop and to emit; there is only one such beat at a time.
`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */  // of words and structs, some fields

module unpack_write_steps
  import unpack_pkg::*;
  import unpack_write_pkg::*;
(
  input  wire logic   clk_i,
  input  wire logic   rst_ni,
  input  wire logic   valid_i,
  input  wire items_t items_i,
  output wire logic   ready_o,
  output wire logic   valid_o,
  output wire step_t  step_o,
  input  wire logic   ready_i
);

  // By {zeros, lead}, 16 bits each: [5:0] items that begin and end in the 32 - lead slots of a step
  // behind `lead`, [11:6] items that begin, [15:12] slots that the next step has of the last one.
  localparam int Leads = 512;

  function automatic logic [16*Leads-1:0] fit_table();
    int room, per_item;

    fit_table = '0;
    for (int i = 0; i < Leads; i++) begin
      room = 32 - i % 32;
      per_item = 1 + i / 32;
      fit_table[16*i+:6] = 6'(room / per_item);
      fit_table[16*i+6+:6] = 6'((room + per_item - 1) / per_item);
      if (room % per_item != 0) fit_table[16*i+12+:4] = 4'(per_item - room % per_item);
    end
  endfunction

  localparam logic [16*Leads-1:0] Fit = fit_table();

  // {how many datums are before item `base`, which of the 32 items from there on are datums}
  function automatic logic [37:0] datums_at(input logic [31:0][8:0] own, input logic [9:0] base);
    logic [10:0] distance;
    logic [32:0] passed;
    logic [31:0][37:0] found;

    passed = '0;
    for (int i = 0; i < 32; i++) begin
      distance = {2'b00, own[i]} - {1'b0, base};
      passed[i] = distance[10];
      found[i] = distance[10:5] == 6'd0 ? {6'd0, 32'd1 << distance[4:0]} : 38'd0;
    end
    // they are in order: the last one that is passed tells the number
    for (int i = 0; i < 32; i++)
      if (passed[i] && !passed[i+1]) found[i] = found[i] | {6'(i + 1), 32'd0};
    for (int step = 16; step > 0; step = step / 2)
      for (int i = 0; i < step; i++) found[i] = found[i] | found[i+step];
    datums_at = found[0];
  endfunction

  wire beat_t beat = items_i.entry.beat;

  // an expanding entry, as far as its steps have come
  logic begun_q;
  logic [9:0] next_q, rest_q;  // next item to begin, items from there
  logic [3:0] lead_q;          // slots still to come of the item before
  logic [17:0] drop_q;         // bounded output: items to drop
  logic [18:0] keep_q;         // ... to emit and not begun
  logic valid_q;
  step_t step_q;

  wire logic fresh = beat.first && !begun_q;
  wire logic bounded = beat.bounded && items_i.expands;
  wire logic [17:0] drop = fresh ? beat.out.drop : drop_q;
  wire logic [18:0] keep = fresh ? beat.out.items : keep_q;
  wire logic [9:0] rest = begun_q ? rest_q : items_i.items;
  wire logic [9:0] next = begun_q ? next_q : 10'd0;

  // Either the whole step is dropped, or what is left to drop is; the latter is taken for granted
  // until it is known, so that little waits for the comparison.
  wire logic [5:0] rest_32 = rest[9:5] != 5'd0 ? 6'd32 : rest[5:0];
  wire logic [5:0] drop_32 = !bounded ? 6'd0 : drop[17:5] != 13'd0 ? 6'd32 : drop[5:0];
  wire logic whole = drop_32 != 6'd0 && drop_32 >= rest_32;
  wire logic [5:0] dropped = whole ? rest_32 : drop_32;
  wire logic [5:0] lead = drop_32 != 6'd0 ? drop_32 : begun_q ? {2'd0, lead_q} : 6'd0;
  wire logic [15:0] fit = Fit[{beat.out.zeros, lead[4:0], 4'd0}+:16];
  wire logic [5:0] begun = whole ? 6'd0 : fit[11:6];

  wire logic [9:0] kept = rest - {4'd0, drop_32};
  wire logic [19:0] more = {1'b0, keep} - {10'd0, kept};  // than this beat has
  wire logic finishes = bounded && !whole && (more[19] || more == 20'd0);
  wire logic all_fit = kept[9:6] == 4'd0 && kept[5:0] <= fit[5:0];
  wire logic keep_fits = bounded && keep[18:6] == 13'd0 && keep[5:0] <= fit[5:0];
  wire logic ends = !items_i.expands || (whole ? rest <= 10'd32 : all_fit || keep_fits);
  wire logic [9:0] base = next + {4'd0, drop_32};
  wire logic [37:0] datums = datums_at(items_i.own, base);

  wire logic go_on = valid_i && (!valid_q || ready_i);

  assign ready_o = go_on && ends;
  assign valid_o = valid_q;
  assign step_o = step_q;

  always_ff @(posedge clk_i) begin
    if (go_on) begin
      step_q.entry <= items_i.entry;
      step_q.expands <= items_i.expands;
      step_q.start <= !begun_q;
      step_q.ends <= ends;
      step_q.finishes <= finishes && ends;
      step_q.skip <= dropped + {2'd0, beat.out.col_shift};
      if (items_i.expands) begin
        step_q.dropped <= dropped;
        step_q.lead <= whole ? rest_32 : lead;
        step_q.items <= whole ? 6'd0 : finishes ? keep[5:0] : kept[5:0];
        step_q.own <= beat.compressed ? datums[31:0] : '1;
        step_q.datum <= beat.compressed ? {1'b0, datums[37:32]} : base[6:0];
        next_q <= next + {4'd0, dropped} + {4'd0, begun};
        rest_q <= rest - {4'd0, dropped} - {4'd0, begun};
        lead_q <= whole ? 4'd0 : fit[15:12];
        drop_q <= drop - {12'd0, dropped};
        keep_q <= whole ? keep : ends ? more[18:0] : keep - {13'd0, begun};
      end else begin
        step_q.dropped <= '0;
        step_q.datum <= '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (go_on) begun_q <= !ends;
      valid_q <= valid_i || valid_q && !ready_i;
    end
  end

endmodule

/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
