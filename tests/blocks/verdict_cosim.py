# SPDX-License-Identifier: Apache-2.0
"""Tests that must not pass though model and RTL agree; and what the simulator loads for them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pyuvm

from tilepath.engine.description.packing import Items
from tilepath.engine.description.stimulus import ANY, Context, Stimulus, TestSpec
from tilepath.engine.simulation.test import CosimTest
from tilepath.isa import assemble, config_field
from tilepath.sequences.unpack import TESTS as _UNPACK
from tilepath.tb.frontend.items import gate, push
from tilepath.tb.unpack import items as unpack

_NOP: Final = assemble("ttnop")
_FLIP: Final = 0x42000041  # UNPACR of unpacker 0 with FlipSrc
_SETUP: Final = {  # uncompressed BF16, one row to SrcA
    "THCON_SEC0_REG0_TileDescriptor_InDataFormat": 5,
    "THCON_SEC0_REG0_TileDescriptor_IsUncompressed": 1,
    "THCON_SEC0_REG0_TileDescriptor_XDim": 16,
    "THCON_SEC0_REG0_TileDescriptor_YDim": 1,
    "THCON_SEC0_REG2_Out_data_format": 5,
    "THCON_SEC0_REG3_Base_address": 0x100,
    "UNP0_ADDR_BASE_REG_1_Base": 128,
}


def _semaphore(_ctx: Context) -> Stimulus:
    """A word of thread 1 waits for a semaphore that nobody posts; the others have finished."""
    wait = [assemble("ttseminit 2,0,4"), assemble("ttsemwait 2,4,1"), assemble("ttsempost 1")]
    return {"t0.core": [push([_NOP] * 20)], "t1.core": [push(wait)]}


def _banks(_ctx: Context) -> Stimulus:
    """The third UNPACR waits for a bank that the Matrix Unit never gives back."""
    words: dict[int, int] = {}
    for name, value in _SETUP.items():
        field = config_field(name)
        words[field.addr32] = words.get(field.addr32, 0) | value << field.lsb
    flips = [assemble("SETADCXX 1,15,0"), *[_FLIP] * 3]
    return {
        "cfg": [unpack.cfg(1, list(words), list(words.values()))],
        "t2.issue": [unpack.issue(flips, gaps=40, after=unpack.after_cfg(len(words)))],
    }


def _shut(_ctx: Context) -> Stimulus:
    """An issue port that stays shut: words in the queues of thread 2, and nothing asks for more."""
    shut = gate([20, 1 << 30], [1, 0])
    return {"t0.core": [push([_NOP] * 20)], "t2.core": [push([_NOP] * 40)], "t2.gate": [shut]}


def _nops() -> Iterator[Items]:
    while True:
        yield push([_NOP] * 100, gaps=3)


def _one_stands(ctx: Context) -> Stimulus:
    """Thread 1 stands from the beginning, the other two go on as ever."""
    stands = [*_semaphore(ctx)["t1.core"], push([_NOP] * 100)]
    return {"t0.core": _nops(), "t1.core": stands, "t2.core": _nops()}


def _test(name: str, stimulus: object, **more: object) -> TestSpec:
    return TestSpec(name, name, "directed", stimulus, **more)  # type: ignore[arg-type]


BAD: Final[dict[str, dict[str, TestSpec]]] = {
    "frontend_control": {
        "left_at_gate": _test("left_at_gate", _semaphore),
        "declared": _test("declared", _semaphore, leaves=(r"thread 1: .*SEMWAIT", r"^t1\.")),
        "one_stands": _test("one_stands", _one_stands, endless=True),
    },
    "unpack": {
        "left_in_unpacker": _test("left_in_unpacker", _banks, faults=ANY),
        "undeclared": replace(_UNPACK["vectors"], name="undeclared", faults=("stale",)),
    },
    "frontend": {"left_in_queue": _test("left_in_queue", _shut)},
}
"""Block → tests that are none of its ``TESTS``."""


@pyuvm.test()
class Verdict(CosimTest):
    """Runs a request whose test is one of ``BAD``."""

    def __init__(self, name: str, parent: pyuvm.uvm_component) -> None:
        for block, tests in BAD.items():
            importlib.import_module(f"tilepath.sequences.{block}").TESTS.update(tests)
        super().__init__(name, parent)
