# SPDX-License-Identifier: Apache-2.0
"""Every error code, alone and in its priority, by both models; errors have no effect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tilepath.engine.compiled.state import differences
from tilepath.isa.boundary.flag_pipe import FAULTS
from tilepath.models.flag_pipe import Command, Error, FlagPipe, Op
from tilepath.tests.flag_pipe.model_helpers import (
    C2V_BUF,
    asap,
    columns,
    free,
    init,
    model_run,
    pop,
    ports,
    push,
)

L1, UB, UB_A2A3, MAX = 524_288, 262_144, 196_608, 65_536
TOP = 1 << 32
A2A3, A5 = "a2a3", "a5"
Case = tuple[str, int, Sequence[Command], Command, Error]  # platform, core, before, command


def ring(base: str, value: int, mask: int = 3, size: int = 128) -> Command:
    """INIT with one base changed."""
    return init(mask, size=size, **{base: value})


_BAD_TILE = Command(Op.TPUSH, tile_addr=1)
_WORST_INIT = Command(Op.INIT, dir_mask=4, slot_size=7, gm_base=0, c2v_buf=1, v2c_buf=1)
CASES: tuple[Case, ...] = (
    # reserved operations, and peer 1 at a vector, stand over everything
    *((A5, core, (), Command(op), Error.BAD_OP) for core in (0, 1, 2) for op in (4, 5, 6, 7)),
    *((A5, core, (), Command(op, 1), Error.BAD_OP) for core in (1, 2) for op in Op),
    (A5, 1, (init(1),), _WORST_INIT._replace(peer=1), Error.BAD_OP),
    # INIT, in its order
    (A5, 0, (init(1),), _WORST_INIT, Error.REINIT),
    (A5, 0, (init(1),), init(1), Error.REINIT),
    (A5, 0, (init(1),), init(1, 1), Error.OK),
    (A5, 0, (), _WORST_INIT, Error.BAD_DIRMASK),
    *((A5, 1, (), init(mask), Error.BAD_DIRMASK) for mask in (0, 4, 5, 7, 128, 255)),
    (A5, 0, (), _WORST_INIT._replace(dir_mask=3), Error.BAD_SLOT),
    *((A5, 0, (), init(1, size=n), Error.BAD_SLOT) for n in (0, 16, 33, TOP - 31)),
    (A5, 0, (), init(2, size=32), Error.OK),
    # a credit for more slots than the ring has (T36)
    (A5, 0, (), init(3, period=3), Error.BAD_PERIOD),
    (A2A3, 1, (), init(3, period=3, size=TOP - 32), Error.BAD_PERIOD),
    *((A5, 0, (), init(mask, period=n), Error.OK) for mask, n in ((1, 3), (2, 3), (3, 2))),
    # what fits into memories bounds a slot, nothing else (T33)
    *((A5, 0, (), init(1, size=n), Error.BAD_BASE) for n in (MAX, 1 << 20, 1 << 31, TOP - 32)),
    *((A2A3, 1, (), init(1, size=n), Error.OK) for n in (MAX + 32, 1 << 20, 1 << 28)),
    *((A2A3, 1, (), init(3, size=n), Error.BAD_BASE) for n in (1 << 29, 1 << 30, TOP - 32)),
    (A2A3, 0, (init(1, size=1 << 20),), Command(Op.TPUSH), Error.BAD_TILE),
    (A5, 0, (), init(2, size=MAX, v2c_buf=0), Error.OK),  # 8 slots are all of L1
    (A5, 0, (), init(2, size=MAX, v2c_buf=32), Error.BAD_BASE),
    # rings of a5: 8 slots with one direction, 4 with two; both sides check both
    *((A5, core, (), ring("c2v_buf", 8), Error.BAD_BASE) for core in (0, 1)),
    *((A5, core, (), ring("v2c_buf", 31), Error.BAD_BASE) for core in (0, 1)),
    *((A5, core, (), ring("c2v_buf", UB - 512), Error.OK) for core in (0, 1)),
    *((A5, core, (), ring("c2v_buf", UB - 480), Error.BAD_BASE) for core in (0, 1)),
    *((A5, core, (), ring("v2c_buf", L1 - 512), Error.OK) for core in (0, 1)),
    *((A5, core, (), ring("v2c_buf", L1 - 480), Error.BAD_BASE) for core in (0, 1)),
    (A5, 0, (), ring("c2v_buf", UB - 1024, 1), Error.OK),
    (A5, 0, (), ring("c2v_buf", UB - 992, 1), Error.BAD_BASE),
    (A5, 0, (), ring("c2v_buf", TOP - 512), Error.BAD_BASE),  # 32 bits would wrap
    (A5, 0, (), ring("c2v_buf", 0), Error.OK),
    (A5, 0, (), ring("c2v_buf", 1, 2), Error.OK),  # not active
    (A5, 1, (), ring("v2c_buf", TOP - 1, 1), Error.OK),
    (A5, 0, (), ring("gm_base", 1), Error.OK),
    # rings of a2a3: all flags' slots in any mask
    *((A2A3, 0, (), ring("gm_base", base), Error.BAD_BASE) for base in (0, 16, 33)),
    *((A2A3, 1, (), ring("gm_base", TOP - 992, mask), Error.BAD_BASE) for mask in (1, 2, 3)),
    *((A2A3, 1, (), ring("gm_base", TOP - 1024, mask), Error.OK) for mask in (1, 2, 3)),
    (A2A3, 0, (), init(3, c2v_buf=1, v2c_buf=TOP - 1), Error.OK),
    # before INIT
    *((A5, core, (), Command(op), Error.NOT_INIT) for core in (0, 1) for op in (1, 2, 3)),
    (A5, 0, (init(1, 1),), _BAD_TILE, Error.NOT_INIT),
    # directions
    (A5, 0, (init(2),), _BAD_TILE, Error.DIR_OFF),
    (A5, 0, (init(1),), pop(), Error.DIR_OFF),
    (A5, 0, (init(1),), free(), Error.DIR_OFF),
    (A5, 1, (init(1),), _BAD_TILE, Error.DIR_OFF),
    (A5, 2, (init(2),), pop(), Error.DIR_OFF),
    (A5, 2, (init(2),), free(), Error.DIR_OFF),
    (A5, 1, (init(3),), free(), Error.FREE_EMPTY),
    (A2A3, 0, (init(2),), free(tile_addr=1), Error.FREE_EMPTY),
    # tiles
    *((p, c, (init(3),), push(1), Error.BAD_TILE) for p in (A2A3, A5) for c in (0, 1)),
    *((p, 0, (init(3),), push(L1 - 96), Error.BAD_TILE) for p in (A2A3, A5)),
    (A5, 1, (init(3),), push(UB - 96), Error.BAD_TILE),
    (A2A3, 1, (init(3),), push(UB_A2A3 - 96), Error.BAD_TILE),
    (A2A3, 1, (init(3),), pop(0, UB_A2A3 - 96), Error.BAD_TILE),
    (A2A3, 0, (init(3),), pop(0, 48), Error.BAD_TILE),
    (A5, 1, (init(3),), push(TOP - 32), Error.BAD_TILE),
)


def by_both(
    platform: str, commands: Sequence[Sequence[Command]], cycles: int = 400, hold: int = 1
) -> tuple[list[list[tuple[int, ...]]], FlagPipe]:
    """Responses of each core (op, err, tag, addr), alike in both models, and the one without time.

    So are the states that both leave behind.
    """
    profile = f"baseline,platform={platform},hold_max={hold}"
    pipe = FlagPipe(profile)
    walked = pipe.run(commands)
    out, model = model_run(ports() | asap(commands), cycles, profile)
    found = []
    for core, answers in enumerate(walked.responses):
        rows = columns(out[f"core{core}.rsp"], "op", "err", "tag", "addr")
        assert rows == [(a.op, a.err, a.tag, a.addr) for a in answers]
        found.append(rows)
        faults = out[f"core{core}.fault"]
        errors = [row[1] for row in rows if row[1]]
        assert faults.size == len(errors)
        for record, error in zip(faults, errors, strict=True):
            flags = [int(record[fault.name]) for fault in FAULTS]
            assert flags == [error == code for code in range(1, len(FAULTS) + 1)]
    assert differences(model.state(), pipe.state()) == []
    return found, pipe


@pytest.mark.parametrize(("platform", "core", "before", "command", "error"), CASES)
def test_error(
    platform: str, core: int, before: Sequence[Command], command: Command, error: Error
) -> None:
    mine = [*before, command]
    rows, pipe = by_both(platform, [mine if k == core else [] for k in range(3)])
    assert rows[core][-1][:2] == (command.op, error)
    if error:
        assert rows[core][-1][2:] == (0, 0)
        clean = FlagPipe(f"baseline,platform={platform}")
        clean.run([list(before) if k == core else [] for k in range(3)])
        assert differences(pipe.state(), clean.state()) == []


@pytest.mark.parametrize("platform", [A2A3, A5])
@pytest.mark.parametrize("limit", [1, 2, 4, 8])
@pytest.mark.parametrize("mask", [1, 3])
def test_hold_limit(platform: str, limit: int, mask: int) -> None:
    """The limit is the lesser of HOLD_MAX and the slots; it stands over a bad tile (T10)."""
    most = min(limit, 8 if mask == 1 else 4)
    too_many = pop(tile=1)
    consumer = [init(mask), *[pop()] * most, too_many, free(), pop(), *[free()] * most, free()]
    producer = [init(mask), *[push()] * (most + 1)]
    rows, _ = by_both(platform, [producer, consumer], 1200, limit)
    errors = [err for _, err, _, _ in rows[1]]
    assert errors[most + 1] == Error.HOLD_LIM
    assert errors[-1] == Error.FREE_EMPTY
    assert sum(map(bool, errors)) == 2


@pytest.mark.parametrize("platform", [A2A3, A5])
def test_recovery_and_addresses(platform: str) -> None:
    """Errors between good commands change nothing; addresses are those of the slots."""
    bad = [pop(1), _BAD_TILE, Command(6), init(3)]
    cube = [init(3), *bad]
    vector = [init(3), Command(5), free()]
    for k in range(6):
        cube += [push(stamp=1 + k), *bad]
        vector += [pop(tile=64), pop(tile=64), free()]
    rows, pipe = by_both(platform, [cube, vector], 1500)
    popped = [(tag, addr) for op, err, tag, addr in rows[1] if op == Op.TPOP and not err]
    where = [64] * 6 if platform == A2A3 else [C2V_BUF + 128 * (k % 4) for k in range(6)]
    assert popped == [(k % 4, at) for k, at in enumerate(where)]
    tile = pipe.load("UB0", where[-1], (32,)).astype(np.int64)
    words = np.arange(32, dtype=np.uint64) * np.uint64(0x85EBCA6B) + np.uint64(6 * 0x9E3779B1)
    assert (tile == (words & np.uint64(0xFFFFFFFF)).astype(np.int64)).all()
