// SPDX-License-Identifier: Apache-2.0
//
// Which words of a cell of a bank of SrcA or SrcB were cleared and not written since: they hold what
// their bank was cleared with, whatever is in the cell.
//
// Latency: a write or clear in t shows from t+1 on; the flag of the word that is to be written is
// out at once, that of the word that is read in the cycle after. Handshake: none, a clear wins over a
// write. Reset: all are cleared.
`default_nettype none

module src_flags
  import src_pkg::*;
(
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic                write_valid_i,
  input  wire logic [WordBits-1:0] write_word_i,
  output wire logic                write_cleared_o,
  input  wire logic                clear_i,
  input  wire logic                read_valid_i,
  input  wire logic [WordBits-1:0] read_word_i,
  output wire logic                read_cleared_o
);

  logic [Words-1:0] cleared_q;
  logic read_cleared_q;

  wire logic [Words-1:0] written_now = write_valid_i ? Words'(1) << write_word_i : Words'(0);

  assign write_cleared_o = cleared_q[write_word_i];
  assign read_cleared_o = read_cleared_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cleared_q <= '1;
      read_cleared_q <= 1'b0;
    end else begin
      cleared_q <= cleared_q & ~written_now | {Words{clear_i}};
      if (read_valid_i) read_cleared_q <= cleared_q[read_word_i];
    end
  end

endmodule

`default_nettype wire
