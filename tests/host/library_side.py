# SPDX-License-Identifier: Apache-2.0
"""Runs where the host library is installed, and not tilepath: tiles as ttnn writes and reads them.

``python library_side.py FOLDER`` plays the requests in ``requests.json`` with the arrays of
``given.npz``, and leaves ``answers.npz``.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

import numpy as np

# A chip that is not there: without one the library writes no BF16 and no block floats.
MOCK = """\
arch: {0: wormhole_b0}
chips: {0: [0, 0, 0, 0]}
ethernet_connections: []
chips_with_mmio: [0: 0]
harvesting: {0: {noc_translation: true, harvest_mask: 1}}
chip_to_boardtype: {0: n150}
boards: [[board_id: 0x18000000000, board_type: n150, chips: [0]]]
"""
NAMES = {"FP32": "FLOAT32", "BF16": "BFLOAT16", "BFP8": "BFLOAT8_B", "BFP4": "BFLOAT4_B"}
WHOLE = 1024  # BFP2 has no tensors: a function packs so many numbers, row by row of a tile or not


class Library:
    def __init__(self, ttnn):
        self.ttnn = ttnn

    def tensor(self, numbers, form, transposed):
        """A tensor of one tile, or of FP8 numbers in a row: the library tiles none."""
        ttnn = self.ttnn
        if form == "E4M3":
            kind, how = ttnn.DataType.FP8_E4M3, {"layout": ttnn.ROW_MAJOR_LAYOUT}
        else:
            kind = getattr(ttnn.DataType, NAMES.get(form, form.replace("_HOST", "")))
            tile = ttnn.Tile(numbers.shape, transposed)
            how = {"layout": ttnn.TILE_LAYOUT, "tile": tile}
        return ttnn.Tensor(np.ascontiguousarray(numbers), kind, **how)

    def buffer(self, tensor):
        """The bytes that a tensor has, where they are."""
        at = self.ttnn.MeshCoordinate(0, 0)
        return np.from_dlpack(tensor.host_buffer().get_shard(at))

    def write(self, numbers, form, transposed):
        if form == "BFP2":
            padded = np.zeros(WHOLE, np.float32)
            padded[: numbers.size] = numbers.reshape(-1)
            packed = self.ttnn._ttnn.bfp_utils.pack_bfp2(padded, numbers.size == WHOLE).view(
                np.uint8
            )
            count = numbers.size // 16
            exponents = packed[: -(-count // 16) * 16]
            return np.concatenate((exponents, packed[WHOLE // 16 :][: numbers.size // 4]))
        return self.buffer(self.tensor(numbers, form, transposed)).copy()

    def read(self, data, form, shape, transposed):
        if form == "BFP2":
            count = int(np.prod(shape))
            whole = np.zeros(WHOLE // 16 + WHOLE // 4, np.uint8)
            exponents = -(-count // 256) * 16
            whole[:exponents] = data[:exponents]
            whole[WHOLE // 16 :][: count // 4] = data[exponents:]
            numbers = self.ttnn._ttnn.bfp_utils.unpack_bfp2(whole.view(np.uint32), count == WHOLE)
            return numbers[:count].reshape(shape)
        kind = np.int32 if "INT" in form else np.float32
        tensor = self.tensor(np.zeros(shape, kind), form, transposed)
        into = self.buffer(tensor)
        assert into.size == data.size, (form, shape, into.size, data.size)
        ctypes.memmove(into.ctypes.data, data.tobytes(), data.size)
        if form in ("BF16", "E4M3"):  # the library has no NumPy array for them
            tensor = self.ttnn.to_dtype(tensor, self.ttnn.DataType.FLOAT32)
        return tensor.to_numpy()


def play(folder: Path) -> None:
    """Answer all requests."""
    (folder / "mock.yaml").write_text(MOCK)
    os.environ["TT_METAL_MOCK_CLUSTER_DESC_PATH"] = str(folder / "mock.yaml")
    import ttnn

    library = Library(ttnn)
    given = np.load(folder / "given.npz")
    answers = {}
    for key, (what, form, shape, transposed) in json.loads(
        (folder / "requests.json").read_text()
    ).items():
        if what == "write":
            answers[key] = library.write(given[key].reshape(shape), form, transposed)
        else:
            answers[key] = library.read(given[key], form, tuple(shape), transposed)
    np.savez(folder / "answers.npz", **answers)


if __name__ == "__main__":
    play(Path(sys.argv[1]))
