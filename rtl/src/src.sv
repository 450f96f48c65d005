// SPDX-License-Identifier: Apache-2.0
//
// SrcA or SrcB: two banks of 64 rows of 16 columns of 19 bits, each in 16 cells with every 16th row.
// Reset and ZEROSRC leave the cells as they are: a word has a flag that says that it was cleared
// since it was written, a bank the value. The first write to such a word writes all of it.
//
// Latency: writes and clears of the unpackers are registered at the end of their cycle t, and change
// the rows at the end of t+1; the Matrix Unit's do at the end of their own cycle. A read in c sees
// the rows as registered in c, and is out in c+1. Handshake: none; a write and a clear of the
// unpackers do not come in one cycle. Of what changes at one end, a clear wins over writes, the
// Matrix Unit's over the unpackers', its write to a cell too. Reset: 0.
`default_nettype none

module src
  import src_pkg::*;
  import unpack_pkg::src_write_t;
  import unpack_pkg::src_clear_t;
(
  input  wire logic               clk_i,
  input  wire logic               rst_ni,
  // the unpackers
  input  wire logic               write_valid_i,
  input  wire src_write_t         write_i,
  input  wire logic               clear_valid_i,
  input  wire src_clear_t         clear_i,
  // the Matrix Unit
  input  wire logic               matrix_valid_i,
  input  wire logic               matrix_bank_i,
  input  wire logic [5:0]         matrix_row_i,
  input  wire logic [RowBits-1:0] matrix_data_i,   // column 0 lowest
  input  wire logic [1:0]         matrix_clear_i,  // banks
  input  wire logic [DatumBits-1:0] matrix_value_i,
  input  wire logic               read_valid_i,
  input  wire logic               read_bank_i,
  input  wire logic [5:0]         read_row_i,
  output wire logic [RowBits-1:0] read_data_o      // column 0 lowest
);

  // ---- clears of the unpackers, as writes a cycle behind their arrival
  logic [1:0] clear_q;
  logic [DatumBits-1:0] clear_value_q;
  logic [DatumBits-1:0] value0_q, value1_q;  // of the banks' cleared words
  wire logic [1:0] clear = clear_q | matrix_clear_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= '0;
      value0_q <= '0;
      value1_q <= '0;
    end else begin
      clear_q <= clear_valid_i ? clear_i.banks : '0;
      if (clear[0]) value0_q <= matrix_clear_i[0] ? matrix_value_i : clear_value_q;
      if (clear[1]) value1_q <= matrix_clear_i[1] ? matrix_value_i : clear_value_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_valid_i) clear_value_q <= clear_i.value;
  end

  // ---- cells
  wire logic spread_bank;
  wire logic [Cells-1:0] spread_valid;
  wire logic [WordBits-1:0] spread_word [Cells];
  wire logic [Columns-1:0] spread_mask [Cells];
  wire logic [RowBits-1:0] spread_data [Cells];
  wire logic [3:0] matrix_cell = cell_of(matrix_row_i[3:0]);
  wire logic [3:0] read_cell = cell_of(read_row_i[3:0]);
  wire logic [RowBits-1:0] row [2*Cells];
  wire logic [2*Cells-1:0] row_cleared;

  src_spread u_spread (
    .clk_i, .rst_ni, .valid_i(write_valid_i), .write_i,
    .bank_o(spread_bank), .write_valid_o(spread_valid), .write_word_o(spread_word),
    .write_mask_o(spread_mask), .write_data_o(spread_data)
  );

  for (genvar n = 0; n < 2 * Cells; n++) begin : gen_cell
    localparam int Bank = n / Cells, Number = n % Cells;
    wire logic by_matrix
      = matrix_valid_i && matrix_bank_i == 1'(Bank) && matrix_cell == 4'(Number);
    wire logic write_valid = by_matrix || spread_valid[Number] && spread_bank == 1'(Bank);
    wire logic [WordBits-1:0] word = by_matrix ? matrix_row_i[5:4] : spread_word[Number];
    wire logic [Columns-1:0] mask = by_matrix ? {Columns{1'b1}} : spread_mask[Number];
    wire logic read_valid = read_valid_i && read_bank_i == 1'(Bank) && read_cell == 4'(Number);
    wire logic cleared;
    wire logic [DatumBits-1:0] value = Bank != 0 ? value1_q : value0_q;
    wire logic [Columns-1:0] rest  // columns that get what the word was cleared with
      = write_valid && cleared ? ~mask : '0;
    logic [RowBits-1:0] data;

    always_comb begin
      data = by_matrix ? matrix_data_i : spread_data[Number];
      for (int c = 0; c < Columns; c++) if (rest[c]) data[DatumBits*c+:DatumBits] = value;
    end

    src_flags u_flags (
      .clk_i, .rst_ni, .write_valid_i(write_valid), .write_word_i(word),
      .write_cleared_o(cleared), .clear_i(clear[Bank]),
      .read_valid_i(read_valid), .read_word_i(read_row_i[5:4]), .read_cleared_o(row_cleared[n])
    );

    memory_bank #(.Width(RowBits), .Depth(Words), .Parts(Columns)) u_cells (
      .clk_i, .write_valid_i(write_valid), .write_address_i(word),
      .write_mask_i(mask | rest), .write_data_i(data),
      .read_valid_i(read_valid), .read_address_i(read_row_i[5:4]), .read_data_o(row[n])
    );
  end

  // ---- the row that was read
  logic [4:0] read_cell_q;  // {bank, cell}
  logic [DatumBits-1:0] read_value_q;

  assign read_data_o = row_cleared[read_cell_q] ? {Columns{read_value_q}} : row[read_cell_q];

  always_ff @(posedge clk_i) begin
    if (read_valid_i) begin
      read_cell_q <= {read_bank_i, read_cell};
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
