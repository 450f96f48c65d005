// SPDX-License-Identifier: Apache-2.0
//
// SrcA or SrcB: two banks of 64 rows of 16 columns of 19 bits, in 16 cells, each with every 16th
// row. Reset and ZEROSRC leave the cells as they are: a word has a flag that says that it was
// cleared since it was written, a bank the value. The first write to such a word writes all of it.
//
// Latency: writes and clears are registered at the end of their cycle t, and change the rows at the
// end of t+1; a read in c sees the rows as registered in c, and is out in c+1. Handshake: none; a
// write and a clear do not come in one cycle. Reset: 0.
`default_nettype none

module src
  import src_pkg::*;
  import unpack_pkg::src_write_t;
  import unpack_pkg::src_clear_t;
(
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  input  wire logic               write_valid_i,
  input  wire src_write_t         write_i,
  input  wire logic               clear_valid_i,
  input  wire src_clear_t         clear_i,
  input  wire logic               read_valid_i,
  input  wire logic               read_bank_i,
  input  wire logic [5:0]         read_row_i,
  output wire logic [RowBits-1:0] read_data_o    // column 0 lowest
);

  // ---- clears, as writes a cycle behind their arrival
  logic [1:0] clear_q;
  logic [DatumBits-1:0] clear_value_q;
  logic [DatumBits-1:0] value0_q, value1_q;  // of the banks' cleared words

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= '0;
      value0_q <= '0;
      value1_q <= '0;
    end else begin
      clear_q <= clear_valid_i ? clear_i.banks : '0;
      if (clear_q[0]) value0_q <= clear_value_q;
      if (clear_q[1]) value1_q <= clear_value_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_valid_i) clear_value_q <= clear_i.value;
  end

  // ---- cells
  wire logic [Cells-1:0] write_valid;
  wire logic [WordBits-1:0] write_word [Cells];
  wire logic [Columns-1:0] write_mask [Cells];
  wire logic [RowBits-1:0] write_data [Cells];
  wire logic [WordBits-1:0] read_word = word_of(read_bank_i, read_row_i[5:4]);
  wire logic [3:0] read_cell = cell_of(read_row_i[3:0]);
  wire logic [RowBits-1:0] row [Cells];
  wire logic [Cells-1:0] row_cleared;

  src_spread u_spread (
    .clk_i, .rst_ni, .valid_i(write_valid_i), .write_i,
    .write_valid_o(write_valid), .write_word_o(write_word), .write_mask_o(write_mask),
    .write_data_o(write_data)
  );

  for (genvar k = 0; k < Cells; k++) begin : gen_cell
    wire logic read_valid = read_valid_i && read_cell == 4'(k);
    wire logic cleared;
    wire logic [DatumBits-1:0] value = write_word[k][WordBits-1] ? value1_q : value0_q;
    wire logic [Columns-1:0] rest  // columns that get what the word was cleared with
      = write_valid[k] && cleared ? ~write_mask[k] : '0;
    logic [RowBits-1:0] data;

    always_comb begin
      data = write_data[k];
      for (int c = 0; c < Columns; c++) if (rest[c]) data[DatumBits*c+:DatumBits] = value;
    end

    src_flags u_flags (
      .clk_i, .rst_ni, .write_valid_i(write_valid[k]), .write_word_i(write_word[k]),
      .write_cleared_o(cleared), .clear_i(clear_q),
      .read_valid_i(read_valid), .read_word_i(read_word), .read_cleared_o(row_cleared[k])
    );

    memory_bank #(.Width(RowBits), .Depth(Words), .Parts(Columns)) u_cells (
      .clk_i, .write_valid_i(write_valid[k]), .write_address_i(write_word[k]),
      .write_mask_i(write_mask[k] | rest), .write_data_i(data),
      .read_valid_i(read_valid), .read_address_i(read_word), .read_data_o(row[k])
    );
  end

  // ---- the row that was read
  logic [3:0] read_cell_q;
  logic [DatumBits-1:0] read_value_q;

  assign read_data_o = row_cleared[read_cell_q] ? {Columns{read_value_q}} : row[read_cell_q];

  always_ff @(posedge clk_i) begin
    if (read_valid_i) begin
      read_cell_q <= read_cell;
      read_value_q <= read_bank_i ? value1_q : value0_q;
    end
  end

`ifndef SYNTHESIS
  always @(posedge clk_i) begin
    if (write_valid_i && clear_valid_i) $fatal(1, "src: a write and a clear in one cycle");
  end
`endif

endmodule

`default_nettype wire
