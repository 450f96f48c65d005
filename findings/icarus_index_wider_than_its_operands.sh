#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Icarus Verilog 11.0 (Debian's package): the index of an element is worked out in more bits than
# its operands have, and what lies outside of the array is dropped without a word.
#
# One would expect that an index is self-determined (IEEE 1800-2017, 11.6.1): a sum of two variables
# of 2 bits has 2 bits, so that 3 + 2 is 1, as Verilator and synthesis have it. Seen: the write is
# lost and the read is x; with the sum cast to 2 bits both are right. A FIFO that writes at
# "first + level" loses words in this simulator alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q iverilog=11.0-1.1+b1 > said 2>&1
dpkg -x iverilog_*.deb icarus
parts=$(echo icarus/usr/lib/*/ivl)
cat > sums.sv <<'SV'
module sums;
  logic [7:0] words [4];
  logic [1:0] first = 3, level = 2;
  initial begin
    words[1] = 8'd5;
    words[first + level] = 8'd7;
    $write("written at 3 + 2: %0d, read there: %0d; ", words[1], words[first + level]);
    words[2'(first + level)] = 8'd7;
    $display("with a cast: %0d, %0d", words[1], words[2'(first + level)]);
    $finish;
  end
endmodule
SV
icarus/usr/bin/iverilog -B "$parts" -g2012 -Wall -o sums.vvp sums.sv 2> said
echo "warnings: $(grep -c "sums.sv" said || true)"
icarus/usr/bin/vvp -M "$parts" sums.vvp | tee seen
test "$(cat seen)" = "written at 3 + 2: 5, read there: x; with a cast: 7, 7"
