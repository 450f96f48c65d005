// SPDX-License-Identifier: Apache-2.0
//
// The write stage of an unpacker: makes steps of the beat or token at the head of the beat buffer
// (docs/unpack.md section 4), at most one a cycle.
//
// Latency: a step is up in the cycle in which it goes; registers have it at the end of that cycle.
// Handshake: pop_o ends the entry. A step that writes waits until the bank of its file is the
// Unpackers', a ZEROSRC for its bank. Reset: no entry is begun.
`default_nettype none

module unp_write
  import unpack_step_pkg::*;
#(
  parameter int Unpacker    = 0,
  parameter int Fp8E5m2Fill = 1
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  // beat buffer
  input  wire logic                   ready_i,
  input  wire logic [BeatWidth-1:0]   beat_i,
  input  wire logic [AnswerWidth-1:0] answer_i,
  output wire logic                   pop_o,
  output wire logic                   all_emitted_o,  // the step is the last of a bounded output
  // file: SrcA (unpacker 0) or SrcB
  input  wire logic [1:0]             owner_i,        // a bit a bank; 1: Matrix Unit
  input  wire logic                   matrix_bank_i,
  input  wire logic                   matrix_zero_i,  // the Matrix Unit's ZEROSRC
  output wire logic [1:0]             flip_o,         // banks handed over
  output wire logic                   clear_valid_o,
  output wire logic [1:0]             clear_banks_o,
  output wire logic [18:0]            clear_value_o,
  // the step
  output wire logic                   write_valid_o,
  output wire logic                   write_dst_o,
  output wire logic                   write_wide_o,
  output wire logic                   write_ovrd_o,   // Dst: the address is modulo 256
  output wire logic                   write_bank_o,
  output wire logic                   write_transpose_o,
  output wire logic [13:0]            write_address_o,
  output wire logic [SlotCount-1:0]   write_mask_o,
  output wire logic [StepWidth-1:0]   write_data_o,
  output wire logic [415:0]           write_high_o,
  output wire logic [6:0]             write_fault_o
);

  localparam logic [SlotCount-1:0] Ones = '1;

  // the entry at the head, as far as its steps have come
  logic begun_q;
  logic [7:0] datum_q;
  logic [3:0] item_q, slot_q;
  // the instruction, from its first step on
  logic [31:0] out_addr_q;
  logic [17:0] drop_q;
  logic [18:0] items_q;

  wire beat_t beat = beat_i;
  wire logic [1:0] unused_thread = beat.thread;
  wire logic is_beat = ready_i && !beat.token;
  wire logic expands = is_beat && (beat.compressed || beat.zeros != 4'd0);
  wire logic plain = is_beat && !expands;
  wire logic fresh = beat.first && !begun_q;
  wire logic [31:0] out_addr = fresh ? beat.out_addr : out_addr_q;

  // ---- which slots there are
  wire logic [5:0] slots, dropped;
  wire logic [31:0] expand_written, expand_value, expand_own;
  wire logic [4:0] expand_skipped;
  wire logic expand_ends, finished;
  wire logic [7:0] next_datum;
  wire logic [3:0] next_item, next_slot;
  wire logic [17:0] next_drop;
  wire logic [18:0] next_items;

  unp_expand u_expand (
    .valid_i(expands), .count_i(beat.count),
    .runs_i(beat.compressed && !beat.convert.all_zero),
    .nibbles_i(beat.in_l1[5] ? answer_i[767:640] : 128'd0), .nibble_i(beat.nibble),
    .zeros_i(beat.zeros), .interleave_i(beat.interleave), .bounded_i(beat.bounded),
    .datum_i(datum_q), .item_i(item_q), .slot_i(slot_q),
    .drop_i(fresh ? (beat.bounded ? beat.drop : 18'd0) : drop_q),
    .items_i(fresh ? beat.items : items_q),
    .slots_o(slots), .dropped_o(dropped), .written_o(expand_written), .value_o(expand_value),
    .skipped_o(expand_skipped), .own_o(expand_own), .ends_o(expand_ends), .finished_o(finished),
    .datum_o(next_datum), .item_o(next_item), .slot_o(next_slot), .drop_o(next_drop),
    .items_o(next_items)
  );

  wire logic [SlotCount-1:0] own = plain ? ~(Ones << beat.count) : {96'd0, expand_own};

  // ---- where they go
  wire logic [SlotCount-1:0] mask;
  wire logic [13:0] address;
  wire logic fault_row;

  unp_mask #(.Unpacker(Unpacker)) u_mask (
    .valid_i(is_beat), .written_i(plain ? own : {96'd0, expand_written}), .dropped_i(dropped),
    .out_addr_i(out_addr), .to_dst_i(beat.convert.to_dst), .set_ovrd_i(beat.set_ovrd),
    .col_shift_i(beat.col_shift), .src_row_i(beat.src_row),
    .mask_o(mask), .address_o(address), .fault_row_o(fault_row)
  );

  // ---- whether it goes
  wire logic writes = mask != '0;
  wire logic clear_bank = beat.clear_own ? beat.bank : matrix_bank_i;
  wire logic token_goes = ready_i && beat.token && !(beat.clear && owner_i[clear_bank]);
  wire logic step_goes = is_beat && !(writes && owner_i[beat.bank]);
  wire logic step_writes = step_goes && writes;
  wire logic clears = token_goes && beat.clear;
  wire logic ends = plain || expand_ends;
  wire logic flips = beat.flip && (token_goes || step_goes && ends && (beat.last || finished));

  assign pop_o = token_goes || step_goes && ends;
  assign all_emitted_o = step_goes && finished;
  assign flip_o = {flips && beat.bank, flips && !beat.bank};
  assign clear_valid_o = clears;
  assign clear_banks_o = clears ? {beat.bank || beat.clear_both, !beat.bank || beat.clear_both}
                                : 2'd0;
  assign clear_value_o = clears ? beat.clear_value : 19'd0;

  // ---- values
  wire logic [1023:0] datums;
  wire logic [71:0] exponents;
  wire logic [7:0] exponent = beat.read_exponent ? beat.exponent + datum_q : beat.exponent;
  wire logic [LowWidth-1:0] low [4];
  wire logic [HighWidth-1:0] high [4];
  wire logic bad_exponent [4];

  unp_gather u_gather (
    .valid_i(step_goes), .answer_i(answer_i[639:0]), .in_l1_i(beat.in_l1[4:0]),
    .merged_i(beat.merged), .chunks_i(beat.chunks),
    .offset_i({4'd0, beat.offset} + ({3'd0, datum_q} << beat.size)),
    .read_exponent_i(beat.read_exponent), .exponent_i(exponent),
    .datums_o(datums), .exponents_o(exponents)
  );

  for (genvar s = 0; s < 4; s++) begin : gen_segment
    unp_segment #(.Segment(s), .Fp8E5m2Fill(Fp8E5m2Fill)) u_segment (
      .valid_i(step_goes && own[LaneCount*s+:LaneCount] != '0),
      .lanes_i(own[LaneCount*s+:LaneCount]),
      .keep_i(expands ? expand_own : mask[LaneCount*s+:LaneCount]),
      .datums_i(datums), .size_i(beat.size), .place_i(exponent[3:0]), .exponents_i(exponents),
      .how_i(beat.convert),
      .low_o(low[s]), .high_o(high[s]), .bad_exponent_o(bad_exponent[s])
    );
  end

  // The slots of an expanding step, out of the lanes of segment 0 in their order: {high, low}.
  function automatic logic [LowWidth+HighWidth-1:0] placed(
      input logic valid, input logic [LowWidth-1:0] lanes, input logic [HighWidth-1:0] high_lanes,
      input logic [31:0] values, input logic [31:0] keep, input logic [4:0] skipped);
    logic [LowWidth-1:0] low_slots;
    logic [HighWidth-1:0] high_slots;
    logic [LowWidth-1:0] rest;
    logic [HighWidth-1:0] high_rest;

    low_slots = '0;
    high_slots = '0;
    if (valid) begin
      rest = lanes >> (10'(SlotWidth) * {5'd0, skipped});
      high_rest = high_lanes >> (9'd13 * {4'd0, skipped});
      /* verilator unroll_disable */
      for (int k = 0; k < LaneCount; k++) begin
        if (values[k]) begin
          if (keep[k]) begin
            low_slots[SlotWidth*k+:SlotWidth] = rest[SlotWidth-1:0];
            high_slots[13*k+:13] = high_rest[12:0];
          end
          rest = rest >> SlotWidth;
          high_rest = high_rest >> 13;
        end
      end
    end
    placed = {high_slots, low_slots};
  endfunction

  wire logic [LowWidth+HighWidth-1:0] expanded = placed(expands && step_writes, low[0], high[0],
                                                    expand_value, mask[31:0], expand_skipped);

  assign write_valid_o = step_writes;
  assign write_dst_o = step_writes && beat.convert.to_dst;
  assign write_wide_o = step_writes && beat.convert.to_dst && beat.convert.wide_dst;
  assign write_ovrd_o = step_writes && beat.set_ovrd;
  assign write_bank_o = step_writes && beat.bank;
  assign write_transpose_o = step_writes && beat.transpose;
  assign write_address_o = step_writes ? address : 14'd0;
  assign write_mask_o = step_writes ? mask : '0;
  assign write_data_o = {low[3], low[2], low[1], expands ? expanded[LowWidth-1:0] : low[0]};
  assign write_high_o = expands ? expanded[LowWidth+:HighWidth] : high[0];

  // ---- faults: {empty_flip, zerosrc_race, zerosrc_matrix, flip_owner, srcb_row, srca_row, bfpa}
  assign write_fault_o = {
    token_goes && beat.compressed && beat.flip,
    clears && matrix_zero_i,
    clears && beat.clear_both && owner_i != 2'd0,
    flips && owner_i[beat.bank],
    Unpacker == 1 && step_goes && fault_row,
    Unpacker == 0 && step_goes && fault_row,
    bad_exponent[0] || bad_exponent[1] || bad_exponent[2] || bad_exponent[3]
  };

  // ---- state
  wire logic [7:0] emitted = plain ? beat.count : {2'd0, slots - dropped};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      datum_q <= '0;
      item_q <= '0;
      slot_q <= '0;
      out_addr_q <= '0;
      drop_q <= '0;
      items_q <= '0;
    end else if (step_goes) begin
      begun_q <= !ends;
      datum_q <= ends ? 8'd0 : next_datum;
      item_q <= ends ? 4'd0 : next_item;
      slot_q <= ends ? 4'd0 : next_slot;
      out_addr_q <= out_addr + {24'd0, emitted};
      drop_q <= next_drop;
      items_q <= next_items;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (ready_i) begin
      if (is_beat && beat.count == 8'd0) $fatal(1, "unp_write: a beat without datums");
      if (beat.clear && !beat.token) $fatal(1, "unp_write: a beat that clears");
      if (step_goes && finished && !beat.bounded) $fatal(1, "unp_write: no bounded output");
      if (writes && owner_i[beat.bank] && write_valid_o) $fatal(1, "unp_write: no owner");
      if (Unpacker == 1 && beat.convert.to_dst) $fatal(1, "unp_write: SrcB's unpacker and Dst");
    end
  end
`endif

endmodule

`default_nettype wire
