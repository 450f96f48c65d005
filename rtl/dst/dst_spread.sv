// SPDX-License-Identifier: Apache-2.0
//
// A run of adjacent rows of Dst, spread over the banks. Rows of one block of 16 are in different
// banks; a run that goes on in the next block can need a bank twice. Then the next block's rows are
// written a cycle later.
//
// Latency: writes of the banks are up in the cycle of the run. Handshake: a run is held until
// ready_o, which is 1 in the cycle of the last of its writes. Reset: no run begun.
`default_nettype none

module dst_spread
  import dst_pkg::*;
(
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire run_t               run_i,
  output wire logic               ready_o,
  output wire logic [Banks-1:0]   write_valid_o,
  output wire logic [5:0]         write_place_o [Banks],
  output wire logic [Banks-1:0]   earlier_o,        // banks that were written a cycle before
  output wire logic [5:0]         earlier_place_o,
  output wire logic [Columns-1:0] write_mask_o [Banks],
  output wire logic [RowBits-1:0] write_data_o [Banks]
);

  logic second_q;  // the first block's rows are written

  wire logic [5:0] place0 = run_i.row[9:4];
  wire logic [5:0] place1 = place0 + 6'd1;
  wire logic [Banks-1:0] of_first, of_second;  // banks with rows of the first block, of the next

  wire logic [15:0][Columns-1:0] masks = (16 * Columns)'(run_i.mask);
  wire logic [15:0][RowBits-1:0] rows = (16 * RowBits)'(run_i.data);

  wire logic twice = run_i.valid && (of_first & of_second) != '0;
  wire logic hold = twice && !second_q;

  assign ready_o = !hold;
  assign earlier_o = second_q ? of_first : '0;
  assign earlier_place_o = place0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) second_q <= 1'b0;
    else second_q <= hold;
  end

  for (genvar k = 0; k < Banks; k++) begin : gen_bank
    // the row's low bits in either block, and its number in the run
    wire logic [3:0] low0 = 4'(k) ^ place0[3:0];
    wire logic [3:0] low1 = 4'(k) ^ place1[3:0];
    wire logic [3:0] number0 = low0 - run_i.row[3:0];
    wire logic [4:0] number1 = {1'b1, low1} - {1'b0, run_i.row[3:0]};
    wire logic next_block = second_q || !of_first[k];
    wire logic [3:0] number = next_block ? number1[3:0] : number0;

    assign of_first[k] = low0 >= run_i.row[3:0] && number0 < run_i.count;
    assign of_second[k] = number1 < {1'b0, run_i.count};
    assign write_valid_o[k]
      = run_i.valid && (second_q ? of_second[k] : of_first[k] || of_second[k] && !twice);
    assign write_place_o[k] = next_block ? place1 : place0;
    assign write_mask_o[k] = masks[number];
    assign write_data_o[k] = rows[number];
  end

`ifndef SYNTHESIS
  logic [4:0] written_q;  // rows of the run, a cycle before

  wire logic [4:0] written = (second_q ? written_q : 5'd0) + 5'($countones(write_valid_o));

  always @(posedge clk_i) begin
    written_q <= written;
    if (run_i.valid && ready_o && (written != {1'b0, run_i.count} || run_i.count > 4'(RunRows)))
      $fatal(1, "dst_spread: %0d rows of a run of %0d", written, run_i.count);
  end
`endif

endmodule

`default_nettype wire
