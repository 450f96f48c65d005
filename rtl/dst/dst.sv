// SPDX-License-Identifier: Apache-2.0
//
// Dst: 1024 storage rows of 16 columns of 16 bits, with a valid bit each, in 16 banks. Lanes read,
// each a row or, wide, the rows s and s + 8; a row a bank is written, by whoever spreads rows over
// banks: dst_spread, dst_block, dst_shared.
//
// Latency: what is written in t is read from t+1 on; rows are out in the cycle after their grant.
// Handshake: lanes are granted in order, lane 0 first, and one that needs a bank which a granted
// one uses for another row waits; writes never wait, and read_race_o tells of a lane that a row that
// it gets is written in the same cycle. Reset: rows 0, all valid.
// zero_*: valid bits become zero_value_i (P58), as dst_zero has them, but for rows that are written,
// and those of earlier_i.
`default_nettype none

module dst
  import dst_pkg::*;
#(
  parameter int Reads = 4
) (
  input  wire logic                   clk_i,
  input  wire logic                   rst_ni,
  // lanes
  input  wire logic                   read_valid_i [Reads],
  input  wire logic [9:0]             read_row_i [Reads],
  input  wire logic                   read_wide_i [Reads],
  output wire logic                   read_grant_o [Reads],
  output wire logic                   read_race_o [Reads],
  output wire logic [RowBits-1:0]     read_high_o [Reads],
  output wire logic [RowBits-1:0]     read_low_o [Reads],
  output wire logic                   read_row_valid_o [Reads],
  // a row a bank
  input  wire logic [Banks-1:0]       write_valid_i,
  input  wire logic [Banks-1:0]       write_row_valid_i,  // its valid bit is set, else it stays
  input  wire logic [5:0]             write_place_i [Banks],
  input  wire logic [Columns-1:0]     write_mask_i [Banks],
  input  wire logic [RowBits-1:0]     write_data_i [Banks],
  input  wire logic [Banks-1:0]       earlier_i,          // written a cycle before, to be as if now
  input  wire logic [5:0]             earlier_place_i,
  // valid bits
  input  wire logic                   zero_valid_i,
  input  wire logic                   zero_value_i,
  input  wire logic [BankRows-1:0]    zero_places_i,
  input  wire logic [15:0]            zero_lows_i
);

  // ---- grants
  wire logic [Reads-1:0] granted;
  wire logic [Reads-1:0] hits [Banks];  // lanes that read in the bank
  wire logic [3:0] bank [Reads];
  wire logic [5:0] place [Reads];

  for (genvar j = 0; j < Reads; j++) begin : gen_grant
    wire logic [Reads-1:0] against;  // granted lanes in the way

    for (genvar i = 0; i < Reads; i++) begin : gen_other
      if (i < j) begin : gen_before
        assign against[i] = granted[i]
          && collide(bank[i], place[i], bank[j], place[j], read_wide_i[i] || read_wide_i[j]);
      end else begin : gen_after
        assign against[i] = 1'b0;
      end
    end
    assign granted[j] = read_valid_i[j] && against == '0;
    assign read_grant_o[j] = granted[j];
    assign read_race_o[j] = granted[j]
      && (write_valid_i[bank[j]] && write_place_i[bank[j]] == place[j]
          || read_wide_i[j] && write_valid_i[bank[j]^4'd8]
             && write_place_i[bank[j]^4'd8] == place[j]);
    assign bank[j] = bank_of(read_row_i[j][7:0]);
    assign place[j] = read_row_i[j][9:4];
  end

  // ---- banks
  wire logic [RowBits-1:0] bank_data [Banks];
  wire logic [Banks-1:0] bank_row_valid;

  for (genvar k = 0; k < Banks; k++) begin : gen_bank
    wire logic [5:0] places [Reads+1];  // OR of the lanes' places so far
    wire logic read_written, write_written;
    wire logic [RowBits-1:0] read_data;
    wire logic [Columns-1:0] columns = write_written ? write_mask_i[k] : '1;
    wire logic [RowBits-1:0] data;

    assign places[0] = '0;
    for (genvar j = 0; j < Reads; j++) begin : gen_lane
      assign hits[k][j] = granted[j]
        && (bank[j] == 4'(k) || read_wide_i[j] && bank[j] == (4'(k) ^ 4'd8));
      assign places[j+1] = places[j] | (hits[k][j] ? place[j] : 6'd0);
    end
    // a row that is written for the first time gets 0 in its other columns
    for (genvar c = 0; c < Columns; c++) begin : gen_column
      assign data[16*c+:16] = write_mask_i[k][c] ? write_data_i[k][16*c+:16] : 16'd0;
    end

    memory_bank #(.Width(RowBits), .Depth(BankRows), .Parts(Columns)) u_bank (
      .clk_i, .write_valid_i(write_valid_i[k]), .write_address_i(write_place_i[k]),
      .write_mask_i(columns), .write_data_i(data),
      .read_valid_i(hits[k] != '0), .read_address_i(places[Reads]), .read_data_o(read_data)
    );

    dst_flags #(.Bank(k)) u_flags (
      .clk_i, .rst_ni, .write_valid_i(write_valid_i[k]),
      .write_row_valid_i(write_row_valid_i[k]), .write_place_i(write_place_i[k]),
      .write_written_o(write_written), .earlier_i(earlier_i[k]), .earlier_place_i,
      .zero_valid_i, .zero_value_i, .zero_places_i, .zero_lows_i,
      .read_valid_i(hits[k] != '0), .read_place_i(places[Reads]),
      .read_written_o(read_written), .read_row_valid_o(bank_row_valid[k])
    );

    assign bank_data[k] = read_written ? read_data : '0;
  end

  // ---- the rows, to their lanes
  for (genvar j = 0; j < Reads; j++) begin : gen_read
    logic [3:0] bank_q;

    assign read_high_o[j] = bank_data[bank_q];
    assign read_low_o[j] = bank_data[bank_q^4'd8];
    assign read_row_valid_o[j] = bank_row_valid[bank_q];

    always_ff @(posedge clk_i) begin
      if (granted[j]) bank_q <= bank[j];
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    for (int j = 0; j < Reads; j++)
      if (read_valid_i[j] && read_wide_i[j] && read_row_i[j][3])
        $fatal(1, "dst: lane %0d reads two rows from %0d on", j, read_row_i[j]);
  end
`endif

endmodule

`default_nettype wire
