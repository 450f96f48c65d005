// SPDX-License-Identifier: Apache-2.0
// A bench that knows nothing of Python: SETADCXY words and packer updates, drawn by a shift register.
#include "Vadc.h"

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  Vadc dut;
  for (unsigned half = 0, drawn = 1; half < 4000; half++) {
    dut.clk_i = half & 1;
    if (!dut.clk_i) {
      drawn = drawn >> 1 ^ (drawn & 1 ? 0xA3000000 : 0);
      dut.rst_ni = half > 8;
      dut.issue_valid_i[half % 3] = drawn >> 1 & 1;
      dut.issue_word_i[half % 3] = 0x51000000 | (drawn & 0xFFFFFF);
      dut.pack_valid_i = drawn >> 5 & 1;
      dut.pack_sets_i = 1 << half / 2 % 3;
      dut.pack_addr_mod_i = drawn & 0xFFFF;
    }
    dut.eval();
  }
  dut.final();
}
