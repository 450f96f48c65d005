// SPDX-License-Identifier: Apache-2.0
//
// Where a row of SrcA or SrcB is: which of the 16 cells of its bank, and which word of it. Adjacent
// rows are in different cells, and so are the rows of a block of 16, which a transposed write
// touches.
`default_nettype none

package src_pkg;

  // A module uses some of these names, never all of them.
  /* verilator lint_off UNUSEDPARAM */

  localparam int Cells = 16;
  localparam int Words = 4;        // of a cell: blocks of 16 rows
  localparam int WordBits = 2;
  localparam int Columns = 16;
  localparam int DatumBits = 19;
  localparam int RowBits = Columns * DatumBits;
  localparam int WrittenRows = 9;  // of a write that is not transposed

  /* verilator lint_on UNUSEDPARAM */

  function automatic logic [3:0] cell_of(input logic [3:0] row);
    cell_of = row;
  endfunction

endpackage

`default_nettype wire
