#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Icarus Verilog 11.0 (Debian's package): a final procedure executes its statements, but not one that
# calls a task, and nothing is said.
#
# One would expect the task to be executed, as in any procedure, or an error. Seen: of two final
# procedures, of which one displays directly and one by a task, only the first displays. Wanted by
# everyone who flushes a file at the end of the simulation in the same way as before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q iverilog=11.0-1.1+b1 > said 2>&1
dpkg -x iverilog_*.deb icarus
parts=$(echo icarus/usr/lib/*/ivl)
cat > "$folder/top.sv" <<'SV'
module top;
  task show;
    begin
      $display("by a task");
    end
  endtask

  initial begin
    show;
    #1 $finish(0);
  end
  final $display("at the end, directly");
  final show;
endmodule
SV
icarus/usr/bin/iverilog -B "$parts" -g2012 -Wall -o sim top.sv > said 2>&1
seen=$(icarus/usr/bin/vvp -M "$parts" -n sim | tr '\n' ';')
warnings=$(grep -c "top.sv" said || true)
echo "warnings: $warnings; $seen"
test "$warnings; $seen" = "0; by a task;at the end, directly;"
