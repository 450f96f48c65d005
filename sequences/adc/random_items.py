# SPDX-License-Identifier: Apache-2.0
"""Endless random items for each player, a block of items at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilepath.isa import profiles
from tilepath.sequences.adc import words as w
from tilepath.sequences.adc.knobs import Knobs
from tilepath.sequences.kernel.knobs import Weights
from tilepath.tb.adc.streams import FLOP, ISSUE, PACK, UNPACK
from tilepath.tb.kernel.description.player import Items

BLOCK: Final = 1024
_PHASE: Final = 16
I64 = NDArray[np.int64]
_MANY: Final = np.array([mask for mask in range(8) if mask.bit_count() > 1])


def drawn(rng: np.random.Generator, weights: Weights, order: Sequence[str], count: int) -> I64:
    """``count`` positions in ``order``, by weight."""
    share = np.array([weights.get(name, 0.0) for name in order])
    picked: I64 = rng.choice(len(order), count, p=share / share.sum())
    return picked


def _targets(rng: np.random.Generator, weights: Weights, count: int) -> I64:
    kind = drawn(rng, weights, ("one", "several", "none"), count)
    one = 1 << rng.integers(0, 3, count)
    return np.choose(kind, [one, rng.choice(_MANY, count), np.zeros(count, np.int64)])


def _wide(rng: np.random.Generator, weights: Weights, widths: I64) -> I64:
    """Values of 18 bits for counters of ``widths``."""
    count = len(widths)
    top = (1 << widths) - 1
    excess = rng.integers(1, 1 << 18, count) << widths & 0x3FFFF | rng.integers(0, 1 << 8, count)
    options = {
        "0": np.zeros(count, np.int64),
        "1": np.ones(count, np.int64),
        "max": top,
        "near_max": top - rng.integers(0, 8, count),
        "does_not_fit": excess,
        "random": rng.integers(0, 1 << 18, count) & top,
    }
    return np.choose(drawn(rng, weights, tuple(options), count), list(options.values()))


def _narrow(rng: np.random.Generator, weights: Weights, shape: tuple[int, ...], top: int) -> I64:
    """Values 0 … ``top``, a power of two less one."""
    kind = drawn(rng, weights, ("0", "1", "max", "random"), int(np.prod(shape))).reshape(shape)
    return np.choose(kind, [0, 1, top, rng.integers(0, top + 1, shape)])


def _masks(rng: np.random.Generator, weights: Weights, count: int) -> I64:
    kind = drawn(rng, weights, ("none", "one", "all", "random"), count)
    one = 1 << rng.integers(0, 4, count)
    return np.choose(kind, [0, one, 15, rng.integers(1, 16, count)])


def _gaps(rng: np.random.Generator, weights: Weights, count: int) -> I64:
    """Idle cycles, in phases of ``_PHASE`` items."""
    phases = drawn(rng, weights, ("none", "sparse", "long"), -(-count // _PHASE))
    kind = np.repeat(phases, _PHASE)[:count]
    return np.choose(kind, [0, rng.integers(0, 4, count), rng.integers(0, 40, count)])


def _pauses(rng: np.random.Generator, mean: float, count: int) -> I64:
    return rng.geometric(1 / (mean + 1), count) - 1


def issue_words(rng: np.random.Generator, knobs: Knobs, zw_width: int, count: int) -> I64:
    """``count`` words for an issue port."""
    ops = drawn(rng, knobs.ops, w.OPS, count)
    targets = _targets(rng, knobs.targets, count)
    sets = drawn(rng, knobs.towards, ("set0", "set1", "set2"), count)
    override = np.where(rng.random(count) < knobs.override, sets + 1, 0)
    words = np.empty(count, np.int64)
    for number, op in enumerate(w.OPS):
        rows = np.flatnonzero(ops == number)
        n = len(rows)
        if op == "setadc":
            counter = rng.integers(0, 8, n)
            widths = np.array((18, 13, zw_width, zw_width))[counter & 3]
            value = _wide(rng, knobs.wide, widths)
            # the top bits of the value are the override: only X takes them, in set 2 to its largest
            keep = (counter & 3 == w.X) & (value >> 16 == 3) & (override[rows] != 0)
            value = np.where(keep, value, value & 0xFFFF | override[rows] << 16)
            some = w.setadc(targets[rows], counter, value)
        elif op == "setadcxx":
            ends = _wide(rng, knobs.wide, np.full(2 * n, 10)) & 1023
            some = w.setadcxx(targets[rows], ends[:n], ends[n:])
        else:
            values = tuple(_narrow(rng, knobs.narrow, (4, n), 7))
            masks = _masks(rng, knobs.masks, n)
            some = w.packed(op, targets[rows], values, masks, override[rows])
        junk = rng.integers(0, 1 << 24, n) * (rng.random(n) < knobs.ignored)
        words[rows] = some | junk & w.IGNORED[op]
    bad = rng.choice(np.array(w.ILLEGAL), count) << 24 | words & 0xFF_FFFF
    return np.where(rng.random(count) < knobs.illegal, bad, words)


def issue_items(rng: np.random.Generator, knobs: Knobs, profile: str) -> Iterator[Items]:
    """Instruction words of one thread."""
    zw_width = profiles.get(profile).zw_w
    while True:
        words = issue_words(rng, knobs, zw_width, BLOCK)
        yield ISSUE.pack(word=words, gap=_gaps(rng, knobs.gaps, BLOCK))


def unpack_fields(rng: np.random.Generator, knobs: Knobs, count: int) -> dict[str, I64]:
    """The fields of ``count`` unpacker updates."""
    thread = rng.integers(0, 3, count)
    other = (thread + rng.integers(1, 3, count)) % 3
    adc = np.where(rng.random(count) < knobs.other, other, thread)
    fault = rng.random(count) < knobs.unit_faults
    which = rng.integers(0, 3, count)
    increments = _narrow(rng, knobs.narrow, (4, count), 3)
    return {
        "unpacker": rng.integers(0, 2, count),
        "thread": np.where(fault & (which != 1), 3, thread),
        "adc": np.where(fault & (which != 0), 3, adc),
        **dict(zip(("y0", "z0", "y1", "z1"), increments, strict=True)),
    }


def unpack_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Unpacker updates."""
    while True:
        gaps = _pauses(rng, knobs.unpack or 0, BLOCK)
        yield UNPACK.pack(**unpack_fields(rng, knobs, BLOCK), gap=gaps)


def addr_mods(rng: np.random.Generator, knobs: Knobs, count: int) -> I64:
    """ADDR_MOD_PACK words."""
    y, z = _narrow(rng, knobs.narrow, (2, count), 15), _narrow(rng, knobs.narrow, (2, count), 1)
    flags = rng.integers(0, 2, (2, count))
    increments = w.addr_mod(YsrcIncr=y[0], YdstIncr=y[1], ZsrcIncr=z[0], ZdstIncr=z[1])
    clears = w.addr_mod(
        YsrcClear=flags[0], YdstClear=flags[1], ZsrcClear=flags[1], ZdstClear=flags[0]
    )
    options = {
        "increment": increments,
        "carry": increments | w.addr_mod(YsrcCR=flags[0], YdstCR=flags[1]),
        "clear": increments | clears,
        "any": rng.integers(0, 1 << 16, count),
        "nothing": np.zeros(count, np.int64),
    }
    return np.choose(drawn(rng, knobs.packs, tuple(options), count), list(options.values()))


def pack_items(rng: np.random.Generator, knobs: Knobs) -> Iterator[Items]:
    """Packer updates."""
    while True:
        sets = rng.integers(0, 8, BLOCK)
        gaps = _pauses(rng, knobs.pack or 0, BLOCK)
        yield PACK.pack(sets=sets, addr_mod=addr_mods(rng, knobs, BLOCK), gap=gaps)


def flop_fields(
    rng: np.random.Generator, knobs: Knobs, zw_width: int, count: int
) -> dict[str, I64]:
    """The fields of ``count`` REG2FLOP writes."""
    thread, select = rng.integers(0, 3, (2, count))
    fault = rng.random((2, count)) < knobs.unit_faults
    counter = rng.integers(0, 4, count)
    return {
        "thread": np.where(fault[0], 3, thread),
        "select": np.where(fault[1], 3, select),
        "channel": rng.integers(0, 2, count),
        "counter": counter,
        "checkpoint": rng.integers(0, 2, count),
        "value": _wide(rng, knobs.wide, np.array((18, 13, zw_width, zw_width))[counter]),
    }


def flop_items(rng: np.random.Generator, knobs: Knobs, profile: str) -> Iterator[Items]:
    """REG2FLOP writes."""
    zw_width = profiles.get(profile).zw_w
    while True:
        gaps = _pauses(rng, knobs.flop or 0, BLOCK)
        yield FLOP.pack(**flop_fields(rng, knobs, zw_width, BLOCK), gap=gaps)
