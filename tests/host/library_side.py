# SPDX-License-Identifier: Apache-2.0
"""Runs where the host library is installed, and not tilepath: tiles as ttnn writes and reads them.

``python library_side.py FOLDER`` plays the requests in ``requests.json`` with the arrays of
``given.npz``, and leaves ``answers.npz``. ``encodings.json`` has ``assembly.yaml`` of both chips.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

import numpy as np
import ttnn
import yaml

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


def tensor(numbers, form, transposed):
    """A tensor of one tile, or of FP8 numbers in a row: the library tiles none."""
    if form == "E4M3":
        kind, how = ttnn.DataType.FP8_E4M3, {"layout": ttnn.ROW_MAJOR_LAYOUT}
    else:
        kind = getattr(ttnn.DataType, NAMES.get(form, form.replace("_HOST", "")))
        tile = ttnn.Tile(numbers.shape, transposed)
        how = {"layout": ttnn.TILE_LAYOUT, "tile": tile}
    return ttnn.Tensor(np.ascontiguousarray(numbers), kind, **how)


def buffer(of):
    """The bytes that a tensor has, where they are."""
    return np.from_dlpack(of.host_buffer().get_shard(ttnn.MeshCoordinate(0, 0)))


def write(numbers, form, transposed):
    if form == "BFP2":  # no tensors: a function for tiles of 32 x 32
        return ttnn._ttnn.bfp_utils.pack_bfp2(numbers.reshape(-1), True).view(np.uint8)
    return buffer(tensor(numbers, form, transposed)).copy()


def read(data, form, shape, transposed):
    if form == "BFP2":
        words = data.view(np.uint32)
        return ttnn._ttnn.bfp_utils.unpack_bfp2(words, True).reshape(shape)
    kind = np.int32 if "INT" in form else np.float32
    found = tensor(np.zeros(shape, kind), form, transposed)
    into = buffer(found)
    assert into.size == data.size, (form, shape, into.size, data.size)
    ctypes.memmove(into.ctypes.data, data.tobytes(), data.size)
    if form in ("BF16", "E4M3"):  # the library has no NumPy array for them
        found = ttnn.to_dtype(found, ttnn.DataType.FLOAT32)
    return found.to_numpy()


def play(folder: Path) -> None:
    """Answer all requests."""
    (folder / "mock.yaml").write_text(MOCK)
    os.environ["TT_METAL_MOCK_CLUSTER_DESC_PATH"] = str(folder / "mock.yaml")
    given = np.load(folder / "given.npz")
    answers = {}
    requests = json.loads((folder / "requests.json").read_text())
    for key, (what, form, shape, transposed) in requests.items():
        if what == "write":
            answers[key] = write(given[key].reshape(shape), form, transposed)
        else:
            answers[key] = read(given[key], form, tuple(shape), transposed)
    np.savez(folder / "answers.npz", **answers)


def encodings(folder: Path) -> None:
    """Write what ``assembly.yaml`` says as JSON, and where the other files are."""
    root = Path(ttnn.__file__).parent / "tt_metal"
    found = {"root": str(root)}
    for chip, folder_of_it in (("wormhole", "wormhole_b0"), ("blackhole", "blackhole")):
        text = (root / f"tt-llk/tt_llk_{folder_of_it}/instructions/assembly.yaml").read_text()
        found[chip] = yaml.load(text, yaml.CSafeLoader)
    (folder / "encodings.json").write_text(json.dumps(found))


if __name__ == "__main__":
    play(Path(sys.argv[1]))
    encodings(Path(sys.argv[1]))
