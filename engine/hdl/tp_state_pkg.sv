// SPDX-License-Identifier: Apache-2.0
//
// How a harness writes architectural state, read out of the DUT at the end of each block of cycles:
// an array of numbers of 32 bits to <+trace_dir>/<name>.state, or t<index>.<name>.state there, over
// what was there before. X or Z ends the run.
`timescale 1ns / 1ps
`default_nettype none

package tp_state_pkg;

  // A file for tp_state_put and $fclose. Index < 0: the array has no copies.
  function automatic integer tp_state_open(input integer index, input logic [8*32-1:0] name);
    logic [8*1024-1:0] dir;
    tp_state_open = 0;
    if ($value$plusargs("trace_dir=%s", dir)) begin
      if (index < 0) tp_state_open = $fopen($sformatf("%0s/%0s.state", dir, name), "wb");
      else tp_state_open = $fopen($sformatf("%0s/t%0d.%0s.state", dir, index, name), "wb");
    end
    if (tp_state_open == 0) begin
      $display("tp_state: cannot write %0s; is +trace_dir= a folder?", name);
      $fatal(1);
    end
  endfunction

  task automatic tp_state_put(input integer fd, input logic [31:0] number);
    begin
      if ((^number) === 1'bx) begin
        $display("tp_state: X or Z in the architectural state: %b", number);
        $fatal(1);
      end
      $fwrite(fd, "%u", number);
    end
  endtask

endpackage

`default_nettype wire
