// SPDX-License-Identifier: Apache-2.0
//
// Where a row of SrcA or SrcB is: which of a file's 16 cells, and which word of it. Adjacent rows
// are in different cells, and so are the rows of a block of 16, which a transposed write touches.
`default_nettype none

package src_pkg;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */

  localparam int Cells = 16;
  localparam int Words = 8;        // of a cell: 2 banks of 4 blocks of 16 rows
  localparam int WordBits = 3;
  localparam int Columns = 16;
  localparam int DatumBits = 19;
  localparam int RowBits = Columns * DatumBits;
  localparam int WrittenRows = 9;  // of a write that is not transposed

  /* verilator lint_on UNUSEDPARAM */

  function automatic logic [3:0] cell_of(input logic [3:0] row);
    cell_of = row;
  endfunction

  function automatic logic [WordBits-1:0] word_of(input logic bank, input logic [1:0] block);
    word_of = {bank, block};
  endfunction

endpackage

`default_nettype wire
