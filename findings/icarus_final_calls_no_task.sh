#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Icarus Verilog 11.0 (the one that is installed; it is no Python package): a final procedure executes
# its statements, but not one that calls a task, and nothing is said.
#
# One would expect the task to be executed, as in any procedure, or an error. Seen: of two final
# procedures, of which one displays directly and one by a task, only the first displays. Wanted by
# everyone who flushes a file at the end of the simulation in the same way as before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
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
version=$(iverilog -V 2> /dev/null | head -n 1 | grep -oE "version [0-9.]+")
iverilog -g2012 -Wall -o "$folder/sim" "$folder/top.sv" > "$folder/said" 2>&1
seen=$(vvp -n "$folder/sim" | tr '\n' ';')
echo "$version; warnings: $(wc -l < "$folder/said"); $seen"
test "$version; $(wc -l < "$folder/said"); $seen" = "version 11.0; 0; by a task;at the end, directly;"
