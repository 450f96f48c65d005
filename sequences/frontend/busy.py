# SPDX-License-Identifier: Apache-2.0
"""Three busy threads, as in a matrix multiplication: the stimulus of the benchmark.

Thread 0 unpacks (template 0, REPLAYs chosen by zero masks: vector V2), thread 1 multiplies (MOPs of
REPLAYs of 16 words: V1), thread 2 packs (nested loops: V4), with runs of plain words between.
MopCfg and replay buffers are programmed anew from time to time, behind a mop_sync. Only the values
differ from block to block, so each thread issues a word in nearly every cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from tilepath.sequences.frontend import words as w
from tilepath.sequences.frontend.builder import ThreadScript
from tilepath.sequences.frontend.draws import Source
from tilepath.sequences.frontend.random_program import refresh
from tilepath.tb.kernel.description.player import Items

_JOINED: Final = 64
_POOL: Final = 32
_UNPACK: Final = 0x42
_PACK: Final = 0x41
_MVMUL: Final = 0x26
_SETRWC: Final = 0x37


def _plain(script: ThreadScript, source: Source, opcodes: tuple[int, ...], count: int) -> None:
    for _ in range(count):
        script.push(source.pick(list(opcodes)) << 24)


def _unpack_program(source: Source) -> ThreadScript:
    script = ThreadScript().push(w.replay(0, 12, 1, 1))
    _plain(script, source, (_UNPACK, 0xB1, 0x58, 0xA2, 0xB0, 0x02), 12)
    first, second = w.replay(0, 6), w.replay(6, 6)
    return script.sync().mopcfg([0, 0, w.NOP, first, w.NOP, w.NOP, w.NOP, second, w.NOP])


def _unpack_run(source: Source) -> ThreadScript:
    script = ThreadScript()
    for _ in range(source.between(1, 3)):
        mask = source.below(1 << 32)
        script.push(w.mop_cfg(mask >> 16)).push(w.mop(0, source.between(1, 15), mask))
        _plain(script, source, (0xA2, 0xA5, 0xB2, 0x54), source.between(2, 6))
    return script


def _math_program(source: Source) -> ThreadScript:
    script = ThreadScript().push(w.replay(16, 16, 1, 1))
    _plain(script, source, (_MVMUL,), 16)
    inner = source.between(1, 4)
    play = w.replay(16, 16)
    cfg = [1, inner, w.NOP, _SETRWC << 24, w.NOP, play, w.NOP, play, play]
    return script.sync().mopcfg(cfg)


def _math_run(source: Source) -> ThreadScript:
    script = ThreadScript()
    for _ in range(source.between(1, 4)):
        script.push(w.mop(1))
        _plain(script, source, (0xA2, 0xA6, 0xA4, 0x70, 0x85), source.between(0, 8))
    return script


def _pack_program(source: Source) -> ThreadScript:
    pack = _PACK << 24
    cfg = [4, source.between(4, 16), w.NOP, w.NOP, w.NOP, pack, w.NOP, pack, pack]
    return ThreadScript().sync().mopcfg(cfg)


def _pack_run(source: Source) -> ThreadScript:
    script = ThreadScript()
    for _ in range(source.between(2, 6)):
        script.push(w.mop(1))
        if source.chance(0.3):
            _plain(script, source, (0xA6, 0xB0, 0xA5, 0x45), source.between(4, 30))
    return script


_THREADS: Final[tuple[tuple[Callable[[Source], ThreadScript], ...], ...]] = (
    (_unpack_program, _unpack_run),
    (_math_program, _math_run),
    (_pack_program, _pack_run),
)


def busy_items(rng: np.random.Generator, thread: int) -> Iterator[Items]:
    """Blocks of items for ``core`` of ``thread`` (0, 1 or 2), without end."""
    source = Source(rng)
    program, run = _THREADS[thread]
    programs = [program(source).items() for _ in range(_POOL)]
    runs = [run(source).items() for _ in range(_POOL)]
    while True:
        chosen = rng.integers(0, _POOL, _JOINED).tolist()
        block = np.concatenate([programs[chosen[0]], *(runs[i] for i in chosen)])
        refresh(block, rng)
        yield block
        programs[chosen[0]] = program(source).items()
        runs[chosen[1]] = run(source).items()
