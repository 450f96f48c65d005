// SPDX-License-Identifier: Apache-2.0
//
// What ports of the units behind the wait gates have in common.
`default_nettype none

package unit_port_pkg;

  // A write of Config: a word, or with `wide` the four of its row, the lowest first in data.
  typedef struct packed {
    logic         valid;
    logic [1:0]   banks;   // that are written
    logic         wide;
    logic [7:0]   index;
    logic [127:0] data;
  } config_write_t;

  // A write of a thread's own ThreadConfig.
  typedef struct packed {
    logic         valid;
    logic [6:0]   index;
    logic [15:0]  value;
  } setc16_t;

  // A write of a register by SETREG or PACR_SETREG.
  typedef struct packed {
    logic         valid;
    logic [31:0]  address;
    logic [31:0]  data;
  } setreg_write_t;

endpackage

`default_nettype wire
