#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# numba 0.68.1: a record with an array of booleans in it is an AttributeError, whatever is done with it.
#
# A compiled function takes an array of records with a field of two booleans. One would expect: it is compiled,
# as it is with a single boolean, or with two uint8; else a line that says which type cannot be had. Seen:
# AttributeError: 'Boolean' object has no attribute 'bitwidth', from inside of numba, which names no field.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check numba==0.68.1 numpy==2.4.6
cat > "$folder/booleans.py" <<'EOF'
import numba
import numpy as np


@numba.njit
def count(rows):
    return rows[0].number


found = {}
for name, flags in (("one boolean", "?"), ("two uint8", ("u1", 2)), ("two booleans", ("?", 2))):
    kind, shape = flags if isinstance(flags, tuple) else (flags, ())
    rows = np.zeros(1, np.dtype([("number", "i8"), ("flags", kind, shape)], align=True))
    try:
        count(rows)
        found[name] = "compiled"
    except AttributeError as error:
        found[name] = f"AttributeError: {error}"
    print(f"{name}: {found[name]}")
expected = ["compiled", "compiled", "AttributeError: 'Boolean' object has no attribute 'bitwidth'"]
raise SystemExit(list(found.values()) != expected)
EOF
"$folder/env/bin/python" "$folder/booleans.py"
