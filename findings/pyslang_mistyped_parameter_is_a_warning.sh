#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyslang 12.1.0: an instance that names a parameter which its module has not is a warning, and the default value holds.
#
# An instance gives WIDTH to a module whose parameter is W, and q to a port that it has not. One would expect: both are
# errors, as both are to Verilator. Seen: the port is an error, the parameter a warning; so a check that stops at errors
# goes on with the module's own W, 8, where 4 was wanted.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check pyslang==12.1.0
cat > "$folder/names.py" <<'EOF'
from pyslang.ast import Compilation
from pyslang.syntax import SyntaxTree

INNER = "module inner #(int W = 8) (input logic [W-1:0] d); endmodule\n"


def told(instance):
    design = Compilation()
    design.addSyntaxTree(SyntaxTree.fromText(f"{INNER}module top; inner {instance}; endmodule\n"))
    body = design.getRoot().topInstances[0].body.find("u").body
    width = next(one.value for one in body.parameters if one.name == "W")
    return [(str(one.code), one.isError()) for one in design.getAllDiagnostics()], str(width)


found = [told("#(.WIDTH(4)) u (.d('0))"), told("u (.d('0), .q('0))")]
for said, width in found:
    print(f"W is {width}: " + ", ".join(f"{code}, error: {error}" for code, error in said))
expected = [
    ([("DiagCode(ParameterDoesNotExist)", False)], "8"),
    ([("DiagCode(PortDoesNotExist)", True)], "8"),
]
raise SystemExit(found != expected)
EOF
"$folder/env/bin/python" "$folder/names.py"
