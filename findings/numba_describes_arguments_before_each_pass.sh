#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# numba 0.68.1: the text of a record type is made anew for every pass of every compilation.
#
# One function of four additions, whose only argument is an array of records, is compiled once.
# One would expect: its type is described a few times at most, as nothing listens to events and nothing is
# printed. Seen: 73 descriptions, each of which walks all fields; with records of
# hundreds of fields, nested in one another, that is a tenth of the time to compile a program.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check numba==0.68.1 numpy==2.4.6
cat > "$folder/count.py" <<'EOF'
import numba
import numpy as np
from numba.core.types import Record

described = 0
plain = Record.__repr__


def counted(self):
    global described
    described += 1
    return plain(self)


Record.__repr__ = counted
dtype = np.dtype([("a", "i8"), ("b", "i8"), ("c", "i8")])


@numba.njit
def add(rows):
    rows[0].a = rows[0].b + rows[0].c
    rows[0].b = rows[0].a + rows[0].c


add(np.zeros(2, dtype))
print("descriptions while one function was compiled:", described)
raise SystemExit(described != 73)
EOF
"$folder/env/bin/python" "$folder/count.py"
