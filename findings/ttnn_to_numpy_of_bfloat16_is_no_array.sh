#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ttnn 0.81.1: to_numpy() of a bfloat16 tensor is an array of one object, and a host buffer cannot be made an array.
#
# A tensor of 2 x 3 numbers, in rows, without hardware.
# One would expect: to_numpy() has shape (2, 3), or says that NumPy has no bfloat16; np.asarray(buffer) has the bytes of the
# buffer, as it has __array__. Seen: to_numpy() of float32 is right; of bfloat16 it has shape () and dtype object, and holds an
# nb_ndarray; np.asarray(buffer) raises "object __array__ method not producing an array".
# Who wants the numbers has to go by way of ttnn.to_dtype(tensor, ttnn.float32), and who wants the bytes by np.from_dlpack(buffer).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(python3.10 --version > /dev/null 2>&1 && echo python3.10 || echo python3.12)" -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check ttnn==0.81.1
cat > "$folder/arrays.py" <<'PY'
import numpy as np
import ttnn

numbers = np.arange(6, dtype=np.float32).reshape(2, 3)
found = {}
for kind in (ttnn.float32, ttnn.bfloat16):
    tensor = ttnn.Tensor(numbers, kind, layout=ttnn.ROW_MAJOR_LAYOUT)
    made = tensor.to_numpy()
    found[kind.name] = (made.shape, made.dtype.name)
    print(f"{kind.name}: to_numpy() has shape {made.shape} and dtype {made.dtype}")
shard = tensor.host_buffer().get_shard(ttnn.MeshCoordinate(0, 0))
try:
    said = f"{np.asarray(shard).size} bytes"
except ValueError as error:
    said = str(error)
print("np.asarray(buffer):", said)
print("np.from_dlpack(buffer):", np.from_dlpack(shard).size, "bytes")
seen = {"FLOAT32": ((2, 3), "float32"), "BFLOAT16": ((), "object")}
raise SystemExit(found != seen or said != "object __array__ method not producing an array")
PY
"$folder/env/bin/python" "$folder/arrays.py" 2>&1 | grep -v "DEBUG\|^Config"
