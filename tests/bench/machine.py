# SPDX-License-Identifier: Apache-2.0
"""How fast the machine without time is: kernels, words, datums; beside a loop that is known."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np

from tilepath import isa
from tilepath.models import Machine, kernels
from tilepath.sequences.datapath.kernels import FOLDER
from tilepath.sequences.pack.tile_image import TILE
from tilepath.tests.bench.golden import FACE, Speed, best, measured, packing, unpacking

NAME: Final = "machine"
_WORDS: Final = 8_000
_ROW: Final = 16
# name: constants, tiles of output
KERNELS: Final = {
    "add1": ({"TILES": 64}, 64),
    "matmul": ({"R": 8, "C": 8, "K": 2}, 64),
    "broadcast": ({"TILES": 32}, 32),
}
_TILES: Final = (1, 2, 4, 8, 16, 32)  # of add1 besides: what a run costs, however short
_MANY: Final = 200
_FACES: Final = {
    "BF16": (5, 5), "FP32 to TF32": (0, 4), "INT8": (14, 14), "BFP8": (6, 6), "BFP4": (7, 7),
}  # fmt: skip
_PACKED: Final = {"BF16": "bf16", "BFP8": "bf16_bfp8", "FP32": "fp32"}
_NEWER: Final = {
    "ALU_FORMAT_SPEC_REG2_Dstacc": 5,
    "PCK0_ADDR_CTRL_XY_REG_0_Ystride": 32,
    "PCK_EDGE_OFFSET_SEC0_mask": 0xFFFF,
    "PACK_COUNTERS_SEC0_pack_reads_per_xy_plane": 16,
    "THCON_SEC0_REG1_In_data_format": 5,
    "THCON_SEC0_REG1_Out_data_format": 5,
    "THCON_SEC0_REG1_Disable_zero_compress": 1,
    "THCON_SEC0_REG1_L1_Dest_addr": (0x20000 >> 4) - 1,
}


def loop() -> float:
    """Seconds of CPU time of the loop that machines are compared by: plain Python, integers."""

    def work() -> None:
        state = 1
        for _ in range(1_000_000):
            state = (state * 5 + 1 ^ state >> 3) & 0xFFFF_FFFF

    return best(work)


def speeds(seed: int, repeats: int) -> Iterator[Speed]:
    """All of them; ``repeats`` make those of single instructions longer."""
    for name, (constants, tiles) in KERNELS.items():
        yield from _kernel(name, constants, tiles)
    for tiles in _TILES:
        yield from _kernel("add1", {"TILES": tiles}, tiles, f"add1, {tiles}")
    yield _many()
    yield from _words()
    rng = np.random.default_rng(seed)
    for name, (code, out) in _FACES.items():
        yield _repeated(f"UNPACR, face, {name}", *unpacking(code, out, FACE, rng), repeats, FACE)
    yield _repeated("UNPACR, row, BF16", *unpacking(5, 5, _ROW, rng), repeats, _ROW)
    for name, kind in _PACKED.items():
        yield _repeated(f"PACR, four packers, {name}", *packing(kind, rng), repeats, TILE)
    machine = Machine("blackhole")
    for field, value in _NEWER.items():
        machine.write_field(field, value)
    machine.execute(0, isa.encode("SETADCXX", target=4, x1_val=_ROW - 1))
    word = isa.assemble("PACR 0,0,0,0,0,0,15,0,0,0,0,1")
    yield _repeated("PACR, blackhole, BF16", machine, word, repeats, 4 * _ROW)


def _kernel(name: str, constants: dict[str, int], tiles: int, called: str = "") -> Iterator[Speed]:
    kernel = kernels.load(FOLDER / f"{name}.kernel", "baseline", constants)
    times, words = [], 0
    for _ in range(3):
        machine = kernels.machine_of(kernel)
        began = time.process_time()
        machine.run(kernel.programs)
        times.append(time.process_time() - began)
        words = sum(len(issued) for issued in machine.issued)
    yield Speed(f"run, {called or name}", "tiles", tiles, tiles / min(times))
    yield Speed(f"run, {called or name}", "words", words, words / min(times))


def _many() -> Speed:
    """Measure kernels of four tiles over cores; CPU time is that of all processes."""
    given = [kernels.load(FOLDER / "add1.kernel", "baseline", {"TILES": 4})] * _MANY
    began = sum(os.times()[:4])
    assert all(one.end == "done" for one in Machine.run_many(given))
    return Speed("run_many, add1, 4", "kernels", _MANY, _MANY / (sum(os.times()[:4]) - began))


def _words() -> Iterator[Speed]:
    adc, nop = isa.encode("INCADCXY", target=1, x1_inc=1), isa.encode("NOP")
    machine = Machine()
    machine.write_mop_cfg(0, 1, 64)  # template 1: an outer loop of 64 words
    machine.write_mop_cfg(0, 0, 1)
    machine.write_mop_cfg(0, 5, nop)
    machine.push(0, [isa.encode("REPLAY", count=32, load=1), *[nop] * 32])
    given = {
        "counters": [adc] * _WORDS,
        "that pass through": [nop] * _WORDS,
        "of MOPs": [isa.assemble("MOP 1,0,0")] * (_WORDS // 64),
        "of REPLAYs": [isa.encode("REPLAY", count=32)] * (_WORDS // 32),
    }
    for name, words in given.items():
        count = machine.push(0, words).size
        yield measured(f"push, words, {name}", "words", count, partial(machine.push, 0, words))
    words = given["counters"]
    yield measured("run, words, counters", "words", _WORDS, partial(machine.run, [words]))

    def each(door: Callable[[int, int], object]) -> None:
        for word in words:
            door(0, word)

    yield measured("push, a word a call", "words", _WORDS, partial(each, machine.push))
    yield measured("execute, a word a call", "words", _WORDS, partial(each, machine.execute))


def _repeated(what: str, machine: Machine, word: int, repeats: int, datums: int) -> Speed:
    work = partial(machine.push, 0, [word] * repeats)
    return measured(what, "datums", repeats * datums, work)
