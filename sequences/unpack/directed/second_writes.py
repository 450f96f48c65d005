# SPDX-License-Identifier: Apache-2.0
"""Writes beside writes: REG2FLOP beside the config unit, a core's store beside a SETC16."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

import numpy as np

from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.config import MISC, Setup, Thread
from tilepath.sequences.unpack.directed.common import LINE, tile
from tilepath.sequences.unpack.directed.faults import ZEROS
from tilepath.sequences.unpack.scenes import Script, script_test
from tilepath.sequences.unpack.words import unpacr
from tilepath.tb.kernel.description.player import Items
from tilepath.tb.kernel.description.stimulus import ANY, Context
from tilepath.tb.unpack.streams import FLOP, STORE, THREADS

_THCON: Final = range(64, 180)  # REG2FLOP writes there
_UNREAD: Final = 40, 150  # words of Config that unpackers do not read
_OWN: Final = (*sorted(Thread().words()), 60)  # words of ThreadConfig
_TIMES: Final = 200
_BETWEEN: Final = 25  # cycles, of the late stores
_LATE: Final = 120  # of these


def _setup(bank: int, unpacker: int) -> Setup:
    return tile(LINE + 0x80 * bank + 0x40 * unpacker, context_count=3, x_dim=16)


def _build(script: Script, ctx: Context) -> None:
    rng = ctx.rng("setc16")
    for bank, unpacker in product((0, 1), repeat=2):
        own = _setup(bank, unpacker).words(unpacker)
        script.words(bank, {k: v for k, v in own.items() if k not in _THCON})
    for _ in range(_TIMES):
        script.config(0, _UNREAD[0], 0)
        for thread in range(THREADS):
            script.setc16(thread, *_thread_word(rng))
    for thread in range(THREADS):
        script.phase()
        for unpacker in (0, 1):
            script.counters(thread, unpacker, **{**ZEROS, "x1": 3})
        for number in range(12):
            unpacker = number & 1
            script.word(thread, w.inc_context(unpacker))
            script.word(thread, unpacr(unpacker, multi=1, counter=1, adc=thread))
            script.word(thread, unpacr(unpacker, multi=1, ctx=number & 7, adc=thread))
            script.fence(thread)


def _thread_word(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.choice(_OWN)), int(rng.integers(0, 4))


def _flops(_: Context) -> Iterator[Items]:
    """The words that ``_build`` leaves out, four at a time and singly; at last an unread one."""
    for bank, unpacker in product((0, 1), repeat=2):
        own = _setup(bank, unpacker).words(unpacker)
        rows = {k: v for k, v in own.items() if k in _THCON}
        for number, index in enumerate(sorted({k & ~3 for k in rows})):
            row = [rows.get(index + k, 0) for k in range(4)]
            if number % 2:
                yield FLOP.pack(bank=bank, index=index, wide=1, data=[row])
            else:
                data = [(value, 0, 0, 0) for value in row]
                yield FLOP.pack(bank=bank, index=index + np.arange(4), data=data)
    data = [(0,) * 4] * 2
    yield FLOP.pack(gap=[1000, 0], bank=[0, 1], index=_UNREAD[1], data=data)


def _stores(ctx: Context) -> Iterator[Items]:
    """Any word; then bits that would reset context counters, had a SETC16 written them (U6)."""
    rng = ctx.rng("store")
    index, value = zip(*(_thread_word(rng) for _ in range(_TIMES)), strict=True)
    yield STORE.pack(thread=rng.integers(0, THREADS, _TIMES), index=index, value=value)
    threads = np.arange(_LATE) % THREADS
    yield STORE.pack(gap=_BETWEEN, thread=threads, index=MISC, value=0x1010)


TESTS: Final = (
    script_test(
        "second_writes",
        "REG2FLOP writes beside the config unit, cores' stores beside SETC16",
        _build,
        {"u0.issue": 20, "u0.read": 20, "flop": 20, "store": _TIMES},
        {"flop": _flops, "store": _stores}, faults=ANY,
    ),
)  # fmt: skip
