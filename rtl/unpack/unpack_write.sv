// SPDX-License-Identifier: Apache-2.0
//
// The write stage of an unpacker: beats and tokens in, steps to its registers out (docs/unpack.md
// sections 4 and 5.3 to 5.5).
//
// In the order of the data: buffer, runs, steps, rows, go (elastic, from an answer in r to its
// first step in w = r + FRONT at the earliest), then align, lanes and ranks, convert, place, dst
// (w + 1 to w + WRITE - 1).
//
// Latency: a step that goes in w is at src_write_o or dst_write_o in w + WRITE - 1, its second part
// in the cycle after. Handshake: beats as many as BEATS, counted with done_o; outputs are pulses.
// Reset: nothing in the buffer, nothing under way.
`default_nettype none

module unpack_write
  import unpack_pkg::*;
  import dst_pkg::dst_write_t;
  import unpack_write_pkg::*;
#(
  parameter int Unpacker    = 0,
  parameter int Fp8E5m2Fill = 1,
  parameter int SrcaRowHigh = 1
) (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  // beats and tokens, in the cycle of the request at the port; answers with a beat
  input  wire logic       beat_valid_i,
  input  wire beat_t      beat_i,
  input  wire logic       answer_valid_i,
  input  wire answer_t    answer_i,
  // a bit a bank of SrcA (unpacker 0) or SrcB: the Matrix Unit's, or a flip is under way
  input  wire logic [1:0] theirs_i,
  input  wire logic       matrix_bank_i,
  input  wire logic       matrix_zero_i,    // the Matrix Unit's ZEROSRC of SrcA or SrcB
  // in the last cycle of the last step of an entry, or of a token
  output wire logic       done_o,
  output wire logic       bounded_done_o,   // ... which completes a bounded output
  output wire logic [1:0] flip_o,           // ... which hands a bank over
  output wire logic [3:0] flip_format_o,    // ... that comes with this format
  output wire logic       clears_o,         // in w: a ZEROSRC goes
  // in w + WRITE - 1
  output wire logic       src_write_valid_o,
  output wire src_write_t src_write_o,
  output wire logic       clear_valid_o,
  output wire src_clear_t clear_o,
  output wire logic       dst_write_valid_o,
  output wire dst_write_t dst_write_o,
  // in w + WRITE: {srca_row_high, empty_flip, zerosrc_race, zerosrc_matrix, flip_owner, srcb_row, srca_row, bfpa}
  output wire logic [7:0] write_fault_o,
  // a bit a thread: from the cycle of beat_valid_i to WRITE cycles after that of done_o
  output wire logic [2:0] busy_o
);

  // ---- buffer: r + 1
  wire logic entry_valid, entry_ready;
  wire entry_t entry;
  wire logic [127:0] delta;
  wire logic first_part;  // of a step in w: it has the lines a cycle later
  wire logic [5:0] answer_number;
  wire logic [LineBits-1:0] lines;

  unpack_write_buffer u_buffer (
    .clk_i, .rst_ni, .beat_valid_i, .beat_i, .answer_valid_i, .answer_i,
    .valid_o(entry_valid), .entry_o(entry), .delta_o(delta), .ready_i(entry_ready),
    .read_i(first_part), .answer_number_i(answer_number), .lines_o(lines)
  );

  // ---- r + 2 to r + 5
  wire logic items_valid, items_ready, step_valid, step_ready, place_valid, place_ready;
  wire items_t items;
  wire step_t step;
  wire place_t place;

  unpack_write_runs u_runs (
    .clk_i, .rst_ni, .valid_i(entry_valid), .entry_i(entry), .delta_i(delta),
    .ready_o(entry_ready), .valid_o(items_valid), .items_o(items), .ready_i(items_ready)
  );

  unpack_write_steps u_steps (
    .clk_i, .rst_ni, .valid_i(items_valid), .items_i(items), .ready_o(items_ready),
    .valid_o(step_valid), .step_o(step), .ready_i(step_ready)
  );

  unpack_write_rows #(.Unpacker(Unpacker)) u_rows (
    .clk_i, .rst_ni, .valid_i(step_valid), .step_i(step), .ready_o(step_ready),
    .valid_o(place_valid), .place_o(place), .ready_i(place_ready)
  );

  // ---- w
  wire logic go_valid, go_second, exponent_in_l1, bad_exponent;
  wire lanes_t go_lanes;
  wire logic [7:0] shift;
  wire logic [3:0] in_l1;

  assign answer_number = place.step.entry.answer;

  unpack_write_go #(.Unpacker(Unpacker), .SrcaRowHigh(SrcaRowHigh)) u_go (
    .clk_i, .rst_ni, .place_valid_i(place_valid), .place_i(place), .ready_o(place_ready),
    .theirs_i, .matrix_bank_i, .matrix_zero_i, .done_o, .bounded_done_o, .flip_o,
    .flip_format_o, .clears_o, .first_part_o(first_part), .valid_o(go_valid), .second_o(go_second), .lanes_o(go_lanes),
    .shift_o(shift), .in_l1_o(in_l1), .exponent_in_l1_o(exponent_in_l1),
    .clear_valid_o, .clear_o, .bad_exponent_i(bad_exponent), .fault_o(write_fault_o)
  );

  // ---- w + 1
  wire logic aligned_valid, aligned_second;
  wire lanes_t aligned_lanes;
  wire logic [511:0] datums;
  wire logic [Exponents-1:0][7:0] aligned_exponents;

  unpack_write_align u_align (
    .clk_i, .rst_ni, .valid_i(go_valid), .lines_i(lines), .second_i(go_second),
    .lanes_i(go_lanes), .shift_i(shift), .in_l1_i(in_l1),
    .exponent_in_l1_i(exponent_in_l1), .valid_o(aligned_valid), .second_o(aligned_second),
    .lanes_o(aligned_lanes), .datums_o(datums), .exponents_o(aligned_exponents)
  );

  // ---- w + 2
  wire logic raw_valid, raw_second;
  wire lanes_t raw_lanes;
  wire logic [Exponents-1:0][7:0] raw_exponents;
  wire logic [15:0] later;
  wire logic [15:0][31:0] words;
  wire logic [15:0][15:0] halves;
  wire logic [31:0][10:0] bytes;
  wire logic [63:0][10:0] nibbles;
  wire logic [5:0] value_count;
  wire logic [159:0] moves;

  unpack_write_lanes u_lanes (
    .clk_i, .rst_ni, .valid_i(aligned_valid), .second_i(aligned_second), .lanes_i(aligned_lanes),
    .datums_i(datums), .exponents_i(aligned_exponents), .valid_o(raw_valid),
    .second_o(raw_second), .lanes_o(raw_lanes), .exponents_o(raw_exponents), .later_o(later),
    .words_o(words), .halves_o(halves), .bytes_o(bytes), .nibbles_o(nibbles)
  );

  unpack_write_ranks u_ranks (
    .clk_i, .load_i(aligned_valid && !aligned_second && aligned_lanes.expands),
    .value_i(aligned_lanes.value), .count_o(value_count), .moves_o(moves)
  );

  // ---- w + 3
  wire logic value_valid, value_second, value_bad;
  wire lanes_t value_lanes;
  wire logic [Slots-1:0][SrcBits-1:0] low;
  wire logic [HighLanes-1:0][HighBits-1:0] high;

  unpack_write_convert #(.Unpacker(Unpacker), .Fp8E5m2Fill(Fp8E5m2Fill)) u_convert (
    .clk_i, .rst_ni, .valid_i(raw_valid), .second_i(raw_second), .lanes_i(raw_lanes),
    .count_i(value_count), .exponents_i(raw_exponents), .later_i(later), .words_i(words),
    .halves_i(halves), .bytes_i(bytes), .nibbles_i(nibbles), .valid_o(value_valid),
    .second_o(value_second), .lanes_o(value_lanes), .low_o(low), .high_o(high),
    .bad_exponent_o(value_bad)
  );

  // ---- w + 4
  wire logic placed_valid, placed_second;
  /* verilator lint_off UNUSEDSIGNAL */  // of a struct, some fields
  wire lanes_t placed_lanes;
  /* verilator lint_on UNUSEDSIGNAL */
  wire logic [Positions-1:0][SrcBits-1:0] placed_low;
  wire logic [WindowPositions-1:0][HighBits-1:0] placed_high;

  unpack_write_place u_place (
    .clk_i, .rst_ni, .valid_i(value_valid), .second_i(value_second), .lanes_i(value_lanes),
    .low_i(low), .high_i(high), .moves_i(moves), .bad_exponent_i(value_bad),
    .valid_o(placed_valid), .second_o(placed_second), .lanes_o(placed_lanes),
    .low_o(placed_low), .high_o(placed_high), .bad_exponent_o(bad_exponent)
  );

  // ---- w + 5
  wire logic to_dst = Unpacker == 0 && placed_lanes.how.to_dst;
  wire logic writes = placed_valid && placed_lanes.mask != '0;

  function automatic logic [Positions-1:0] part_mask(input logic [Positions-1:0] mask,
                                                     input logic [Rows-1:0] rows);
    for (int p = 0; p < Rows; p++) part_mask[16*p+:16] = rows[p] ? mask[16*p+:16] : 16'd0;
  endfunction

  wire logic [Positions-1:0] mask = part_mask(
    placed_lanes.mask, placed_second ? ~placed_lanes.part : placed_lanes.part);

  wire logic [5:0] src_row = placed_lanes.address[9:4];
  src_write_t src_write;

  always_comb begin
    src_write = '0;
    if (writes && !to_dst) begin
      src_write.bank = placed_lanes.bank;
      src_write.transpose = placed_lanes.transpose;
      src_write.row = src_row;
      src_write.mask = mask;
      src_write.data = placed_low;
    end
  end

  assign src_write_valid_o = writes && !to_dst;
  assign src_write_o = src_write;
  assign dst_write_valid_o = writes && to_dst;

  if (Unpacker == 0) begin : gen_dst
    unpack_write_dst u_dst (
      .valid_i(writes && to_dst), .upper_i(placed_second || placed_lanes.upper),
      .lanes_i(placed_lanes), .mask_i(mask[DstRows*Columns-1:0]),
      .low_i(placed_low[DstRows*Columns-1:0]), .high_i(placed_high), .dst_write_o
    );
  end else begin : gen_no_dst
    assign dst_write_o = '0;
  end

  // ---- threads that have something here
  unpack_write_busy u_busy (
    .clk_i, .rst_ni, .in_i(beat_valid_i), .in_thread_i(beat_i.whose.thread), .out_i(done_o),
    .out_thread_i(place.step.entry.beat.whose.thread), .busy_o
  );

`ifdef SYNTHESIS
`else  // no assertion, so that it stays where those are taken out
  // ---- what is recorded, in w + WRITE
  /* verilator lint_off UNUSEDSIGNAL */  // the bench reads them
  logic obs_write_valid;
  obs_write_t obs_write;
  /* verilator lint_on UNUSEDSIGNAL */

  // through a variable of full width: Verilator narrows a shift that is cast where it is chosen
  /* verilator lint_off UNUSEDSIGNAL */  // of the variable, what is shifted out
  function automatic logic [Slots*SrcBits-1:0] low_slots(
      input logic [Positions*SrcBits-1:0] low_positions, input logic [3:0] column);
    logic [Positions*SrcBits-1:0] x;

    x = low_positions >> ({28'd0, column} * SrcBits);
    low_slots = x[Slots*SrcBits-1:0];
  endfunction

  function automatic logic [Window*HighBits-1:0] high_slots(
      input logic [WindowPositions*HighBits-1:0] high_positions, input logic [3:0] column);
    logic [WindowPositions*HighBits-1:0] x;

    x = high_positions >> ({28'd0, column} * HighBits);
    high_slots = x[Window*HighBits-1:0];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  wire logic [3:0] obs_column = placed_lanes.address[3:0];
  wire logic [Slots-1:0] obs_mask = Slots'(placed_lanes.mask >> obs_column);
  wire logic obs_wide = to_dst && placed_lanes.how.wide;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) obs_write_valid <= 1'b0;
    else obs_write_valid <= writes && !placed_second;
  end

  always_ff @(posedge clk_i) begin
    if (writes && !placed_second) begin
      obs_write.dst <= to_dst;
      obs_write.wide <= obs_wide;
      obs_write.bank <= placed_lanes.bank;
      obs_write.transpose <= placed_lanes.transpose;
      obs_write.address <= placed_lanes.address;
      obs_write.mask <= obs_mask;
      obs_write.low <= low_slots(placed_low, obs_column);
      if (obs_wide) obs_write.high <= high_slots(placed_high, obs_column);
      else obs_write.high <= '0;
    end
  end
`endif

endmodule

`default_nettype wire
