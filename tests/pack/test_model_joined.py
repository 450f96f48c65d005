# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model against the untimed one: random programs, the same state and faults."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa.boundary.description import names as names_of
from tilepath.isa.boundary.pack import BOUNDARY, PACKERS, RUN_FAULTS
from tilepath.models.pack.faults import names
from tilepath.models.pack.functional import Effect
from tilepath.models.state import differences
from tilepath.tb.pack.untimed import UntimedPackers
from tilepath.tests.pack.time_helpers import START, Script

_RUN = names_of(RUN_FAULTS)
_GAP = 3000  # cycles in which whatever was issued is through


def _word(rng: np.random.Generator, profile: str) -> int:
    """A PACR, or now and then a PACR_SETREG."""
    older = profile == "baseline"
    if rng.random() < 0.1:
        fields = {"addr_mid": 0x3A, "pack_sel": 15} if older else {"stream_id": 0x3A}
        return isa.encode("PACR_SETREG", profile, push=1, flush=1, **fields)
    return isa.encode(
        "PACR", read_intf_sel=int(rng.integers(16)), addr_mode=1, concat=int(rng.integers(2)),
        last=int(rng.random() < 0.3), flush=int(rng.random() < 0.1),
        zero_write=int(rng.random() < 0.1),
    )  # fmt: skip


def _program(rng: np.random.Generator, profile: str) -> tuple[Script, int]:
    """A few groups of instructions, each with its mode; the cycle behind them."""
    script, cycle = Script(profile), START
    for row in range(0, 1024, 8):
        data = np.zeros(72, np.uint32)
        data[:64] = rng.integers(0, 1 << 32, 64) * (rng.random(64) < 0.5)
        script.add("dst_write", cycle + row // 8, row=row, count=8, mask=[0xFFFF] * 9, data=data)
    for line in range(0, 64, 4):
        script.add("l1_write", cycle + line, line=line, data=rng.integers(0, 1 << 16, 16))
    cycle += 200
    for _ in range(4):
        compresses = rng.random() < 0.4
        own = {
            "plain": int(not compresses),
            "to": int(rng.choice([code for code in range(16) if code not in (12, 13)])),
            "acc": int(rng.integers(2)),
            "downsample": int(rng.choice((0, 0xFFFF, 0x5555, 0x1234, 0x8001))),
            "exp_size": int(rng.choice((1, 64))),
        }
        common = {"relu": int(rng.integers(4)), "mask0": int(rng.choice((0xFFFF, 0x00FF)))}
        common |= {"source": int(rng.random() < 0.2)}
        common |= {"swizzle": int(rng.integers(2)), "remap": int(rng.integers(2))}
        script.configure(cycle, **own, **common)
        for packer in range(1, PACKERS if profile == "baseline" else 1):
            script.configure(cycle + 30 * packer, packer, **own)
        cycle += 150
        count = int(rng.integers(0, 16 if profile == "blackhole" else 60))
        script.datums(cycle, count)
        for _ in range(int(rng.integers(1, 24))):
            cycle += 300 if compresses else 120
            script.add("issue", cycle, thread=0, word=_word(rng, profile))
        cycle += _GAP
    return script, cycle


@pytest.mark.parametrize("profile", ["baseline", "blackhole"])
@pytest.mark.parametrize("seed", range(6))
def test_same_values_as_without_time(profile: str, seed: int) -> None:
    script, cycle = _program(np.random.default_rng([seed, len(profile)]), profile)
    run, untimed = script.run(cycle), UntimedPackers(profile)
    told: list[Effect] = []
    untimed.told = lambda _thread, _word, effect: told.append(effect)
    nothing = {name: BOUNDARY.stream(name).empty() for name in BOUNDARY.inputs}
    untimed.follow(nothing | script.inputs(), run.out)
    assert run.model.waiting() == []
    assert [str(one) for one in differences(untimed.state(), run.model.state())] == []
    own = [tuple(name for name in effect.faults if name not in _RUN) for effect in told]
    assert [names(int(f)) for f in run.out["fault"]["flags"]] == [some for some in own if some]
    writes = [(int(w["address"]), int(w["data"])) for w in run.out["setreg"]]
    assert writes == [effect.setreg for effect in told if effect.setreg]
    late = {n for p in range(PACKERS) for n in _RUN if run.out[f"p{p}.run_fault"][n].any()}
    assert late == {n for effect in told for n in effect.faults} & set(_RUN)


def test_rows_written_in_the_cycle_of_a_zeroacc_are_valid() -> None:
    """P58."""
    script = Script()
    for cycle in (60, 61):
        script.add("dst_zero", cycle, all=1)
    script.add("dst_write", 61, row=248, count=9, mask=[0xFFFF] * 9)
    valid = script.run(START).model.state()["dst_valid"]
    assert np.flatnonzero(valid).tolist() == list(range(248, 257))
