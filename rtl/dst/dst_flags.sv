// SPDX-License-Identifier: Apache-2.0
//
// What is known of the rows of a bank of Dst: whether a row is valid (P58), and whether it was
// written since reset; one that was not reads 0.
//
// Latency: a write or zero in t shows from t+1 on; flags of the row that is read are out in the
// cycle after the read, and whether the row that is to be written was so at once. Handshake: none.
// Reset: all valid, none written. zero_*: of the rows with these places and low four bits; what is
// made valid meanwhile is valid, and so is the row of `earlier_i`, written a cycle before.
`default_nettype none

module dst_flags
  import dst_pkg::*;
#(
  parameter int Bank = 0
) (
  input  wire logic       clk_i,
  input  wire logic       rst_ni,
  input  wire logic       write_valid_i,
  input  wire logic       write_row_valid_i,  // else the valid bit stays: low halves (U36)
  input  wire logic [5:0] write_place_i,
  output wire logic       write_written_o,
  input  wire logic       earlier_i,
  input  wire logic [5:0] earlier_place_i,
  input  wire logic       zero_valid_i,
  input  wire logic       zero_value_i,
  input  wire logic [BankRows-1:0] zero_places_i,
  input  wire logic [15:0] zero_lows_i,
  input  wire logic       read_valid_i,
  input  wire logic [5:0] read_place_i,
  output wire logic       read_written_o,
  output wire logic       read_row_valid_o
);

  logic [BankRows-1:0] valid_q, written_q;
  logic read_written_q, read_row_valid_q;

  wire logic [BankRows-1:0] written_now
    = write_valid_i ? BankRows'(1) << write_place_i : BankRows'(0);
  wire logic [BankRows-1:0] valid_now = write_row_valid_i ? written_now : BankRows'(0);
  wire logic [BankRows-1:0] earlier
    = earlier_i ? BankRows'(1) << earlier_place_i : BankRows'(0);
  wire logic [BankRows-1:0] meant, changed;
  wire logic [BankRows-1:0] zeroed_now = zero_value_i ? '0 : changed & ~earlier;
  wire logic [BankRows-1:0] undone_now = zero_value_i ? changed : '0;

  // row {p, low} is in bank low ^ p (dst_pkg)
  for (genvar p = 0; p < BankRows; p++) begin : gen_place
    assign meant[p] = zero_places_i[p] && zero_lows_i[(Bank ^ p) % 16];
  end
  assign changed = zero_valid_i ? meant : '0;

  assign write_written_o = written_q[write_place_i];
  assign read_written_o = read_written_q;
  assign read_row_valid_o = read_row_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '1;
      written_q <= '0;
      read_written_q <= 1'b0;
      read_row_valid_q <= 1'b0;
    end else begin
      valid_q <= valid_q & ~zeroed_now | undone_now | valid_now;
      written_q <= written_q | written_now;
      if (read_valid_i) begin
        read_written_q <= written_q[read_place_i];
        read_row_valid_q <= valid_q[read_place_i];
      end
    end
  end

endmodule

`default_nettype wire
