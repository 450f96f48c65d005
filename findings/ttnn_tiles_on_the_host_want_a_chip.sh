#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ttnn 0.81.1: a host tensor of float32 tiles needs no chip, one of any other type made of the same numbers does.
#
# Tensors of one tile of 32 x 32 are made on the host of an array of float32, where there is no hardware: none is put on a device.
# One would expect: all of them are made, as what is computed (numbers rounded and put in order) is the same with and without a chip.
# Seen: float32 is; int32, bfloat16 and bfloat8_b fail with "num_chips > 0", as the size of a tile is looked up in an object
# that begins by looking for chips. With TT_METAL_MOCK_CLUSTER_DESC_PATH, which names a description of a chip that is not there, all are made.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(python3.10 --version > /dev/null 2>&1 && echo python3.10 || echo python3.12)" -m venv "$folder/env"
"$folder/env/bin/python" -m pip install --quiet --disable-pip-version-check ttnn==0.81.1
cat > "$folder/chip.yaml" <<'YAML'
arch: {0: wormhole_b0}
chips: {0: [0, 0, 0, 0]}
ethernet_connections: []
chips_with_mmio: [0: 0]
harvesting: {0: {noc_translation: true, harvest_mask: 1}}
chip_to_boardtype: {0: n150}
boards: [[board_id: 0x18000000000, board_type: n150, chips: [0]]]
YAML
cat > "$folder/tiles.py" <<'PY'
import numpy as np
import ttnn

made = []
for kind in (ttnn.float32, ttnn.int32, ttnn.bfloat16, ttnn.bfloat8_b):
    try:
        ttnn.Tensor(np.ones((32, 32), np.float32), kind, layout=ttnn.TILE_LAYOUT)
        made.append(kind.name)
    except RuntimeError as error:
        assert "num_chips > 0" in str(error), error
print("SEEN made", *made)
PY
run() {
    (cd "$folder" && env "$@" env/bin/python tiles.py 2>&1 | grep "^SEEN")
}
without=$(run TT_LOGGER_LEVEL=fatal)
with=$(run TT_LOGGER_LEVEL=fatal TT_METAL_MOCK_CLUSTER_DESC_PATH="$folder/chip.yaml")
printf 'without a chip: %s\nwith a description of one: %s\n' "${without#SEEN }" "${with#SEEN }"
[ "$without" = "SEEN made FLOAT32" ]
[ "$with" = "SEEN made FLOAT32 INT32 BFLOAT16 BFLOAT8_B" ]
