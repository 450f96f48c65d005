# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model against the untimed one: random programs, the same L1 and faults."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa.boundary.pack import PACKERS, RUN_FAULTS
from tilepath.models.pack import PackState
from tilepath.models.pack.faults import names
from tilepath.tests.pack.model_helpers import put
from tilepath.tests.pack.time_helpers import Script

_TO = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15)
_RUN = tuple(fault.name for fault in RUN_FAULTS)
_GAP = 3000  # cycles in which whatever was issued is through


def _own(faults: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the instruction, not of its lines."""
    return tuple(name for name in faults if name not in _RUN)


def _settings(rng: np.random.Generator, compresses: bool, source: bool) -> dict[str, int]:
    """Fields that make the path of the datums another one."""
    return {
        "plain": 0 if compresses else 1,
        "to": int(rng.choice(_TO)),
        "acc": int(rng.integers(2)),
        "downsample": int(rng.choice((0, 0xFFFF, 0x5555, 0x1234, 0x8001))),
        "relu": int(rng.integers(4)),
        "source": int(source),
        "mask0": int(rng.choice((0xFFFF, 0x00FF))),
        "exp_size": int(rng.choice((1, 64))),
        "swizzle": int(rng.integers(2)),
        "remap": int(rng.integers(2)),
    }


def _program(
    rng: np.random.Generator, profile: str, script: Script, untimed: PackState
) -> list[int]:
    """A few groups of instructions, each with its mode, and what the untimed model did of it."""
    cycle = 60
    told = []
    rows = rng.integers(0, 1 << 32, (1024, 8), dtype=np.uint32)
    rows[rng.random((1024, 8)) < 0.5] = 0
    for row in range(0, 1024, 8):
        data = np.zeros(72, np.uint32)
        data[:64] = rows[row : row + 8].reshape(-1)
        script.add("dst_write", cycle, row=row, count=8, mask=[0xFFFF] * 9, data=data)
        cycle += 1
    untimed.dst[:] = rows.view(np.uint16).reshape(1024, 16)
    for line in range(0, 64, 4):
        data = rng.integers(0, 1 << 16, 16, dtype=np.uint32)
        script.add("l1_write", cycle + line, line=line, data=data)
        untimed.l1.view(np.uint32)[4 * line : 4 * line + 16] = data
    cycle += 100
    for _ in range(4):
        compresses, source = rng.random() < 0.4, rng.random() < 0.2
        settings = _settings(rng, compresses, source)
        script.configure(cycle, **settings)
        put(untimed, 0, **settings)
        if profile == "baseline":
            for packer in range(1, PACKERS):
                own = {n: settings[n] for n in ("plain", "to", "acc", "downsample", "exp_size")}
                put(SimpleNamespace(config=script.config), packer, **own)
                put(untimed, packer, **own)
            script.configure(cycle + 30)
        cycle += 60
        count = int(rng.integers(0, 16 if profile == "blackhole" else 60))
        script.datums(cycle, count)
        untimed.adc.live[0, 2, 1, 0] = (count - 1) & 0x3FF
        untimed.adc.live[0, 2, 0, 0] = 0
        cycle += 2
        for _ in range(int(rng.integers(1, 24))):
            if rng.random() < 0.1:
                middle = "addr_mid" if profile == "baseline" else "stream_id"
                fields = {middle: 0x3A, **({"pack_sel": 15} if profile == "baseline" else {})}
                word = isa.encode("PACR_SETREG", profile, push=1, flush=1, **fields)
            else:
                word = isa.encode(
                    "PACR", read_intf_sel=int(rng.integers(16)), addr_mode=1,
                    concat=int(rng.integers(2)), last=int(rng.random() < 0.3),
                    flush=int(rng.random() < 0.1), zero_write=int(rng.random() < 0.1),
                )  # fmt: skip
            script.add("issue", cycle, thread=0, word=word)
            effect = untimed.execute(0, word)
            told.append((effect.faults, effect.setreg))
            cycle += 300 if compresses else 120
        cycle += _GAP
    script.until = cycle
    return told


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("seed", range(6))
def test_same_values_as_without_time(profile: str, seed: int) -> None:
    rng = np.random.default_rng([seed, len(profile)])
    script = Script(profile)
    untimed = PackState(profile)
    untimed.config[:] = script.config
    untimed.thread_config[0, 38] = 4 if profile == "blackhole" else 1
    told = _program(rng, profile, script, untimed)
    run = script.run(script.until)
    assert run.model.waiting() == []
    np.testing.assert_array_equal(run.model.l1.reshape(-1), untimed.l1.view(np.uint32))
    state = run.model.state()
    np.testing.assert_array_equal(state["bins"], untimed.bins)
    np.testing.assert_array_equal(state["maximum"], untimed.maximum)
    flags = [names(int(f)) for f in run.out["fault"]["flags"]]
    assert flags == [own for faults, _ in told if (own := _own(faults))]
    writes = [(int(w["address"]), int(w["data"])) for w in run.out["setreg"]]
    assert writes == [write for _, write in told if write]
    late = {n for p in range(PACKERS) for n in _RUN if run.out[f"p{p}.run_fault"][n].any()}
    assert late == {n for faults, _ in told for n in faults} & set(_RUN)


def test_rows_written_in_the_cycle_of_a_zeroacc_are_valid() -> None:
    """P58."""
    script = Script()
    for cycle in (60, 61):
        script.add("dst_zero", cycle, all=1)
    script.add("dst_write", 61, row=248, count=9, mask=[0xFFFF] * 9)
    valid = script.run(80).model.state()["dst_valid"]
    assert np.flatnonzero(valid).tolist() == list(range(248, 257))
