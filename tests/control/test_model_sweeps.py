# SPDX-License-Identifier: Apache-2.0
"""The cycle-exact model on all opcodes, all words, all distances; and for long."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa import tables
from tilepath.isa.boundary.control import BOUNDARY, UNITS
from tilepath.models.control import ControlModel
from tilepath.sequences.control.words import WAITS
from tilepath.tests.control.model_helpers import (
    NOP,
    OWN,
    Records,
    control_run,
    faults,
    issues,
    random_words,
)

enc = isa.encode
# A word of each class, B0 to B8; B0's is a counter instruction
OF_CLASS = (
    0x51000000, enc("SEMPOST", sem_mask=2), 0x41000000, 0x42000000, 0x40000000, enc("DMANOP"),
    enc("MVMUL"), enc("RMWCIB0", cfg_index=9), 0x70000000,
)  # fmt: skip


@pytest.mark.parametrize("block", range(9))
def test_c13_latches_hold_only_their_classes(block: int) -> None:
    wait = enc("STALLWAIT", block=1 << block, cond=1)
    out = control_run([wait, (5, OF_CLASS[block])], busy=[(0, 1)])
    assert issues(out) == [0]
    rest = [w for w in OF_CLASS if not tables.block_class()[w >> 24] >> block & 1]
    out = control_run([wait, *rest, NOP], busy=[(0, 1)])
    assert len(issues(out)) == len(rest) + 2


def test_every_opcode_has_its_place() -> None:
    """Illegal ones leave at once, whatever holds; the rest go to their unit or are unsupported."""
    seen = {}
    for opcode in range(256):
        word = opcode << 24 | 0x3FF
        wait = enc("STALLWAIT", block=0x1FF, cond=1)
        out = control_run([wait, word], busy=[(0, 1)], cycles=12)
        illegal = bool(tables.must_not_issue()[opcode])
        assert faults(out) == [(1, "illegal")] * illegal
        assert len(issues(out)) == 1 + illegal
        out = control_run([word], cycles=12)
        assert issues(out) == [0]
        if not illegal:
            names = [name for _, name in faults(out) if name == "unsupported"]
            units = [name for name in UNITS if len(out[name])]
            seen[opcode] = "".join(["adc"] * len(out["t0.adc"]) + units + names)
    adc = {0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E}
    unsupported = {*bytes.fromhex("44 46 49 57 59 5B 5C 5D 61 62 63 64 66 67 68")}
    math = [o for o in range(256) if tables.block_class()[o] == 0x40]
    sfpu = [o for o in range(256) if tables.block_class()[o] == 0x100]
    want = dict.fromkeys(OWN, "") | dict.fromkeys(adc, "adc")
    want |= dict.fromkeys(unsupported, "unsupported") | dict.fromkeys(math, "math")
    want |= dict.fromkeys(sfpu, "sfpu") | {0x40: "xmov", 0x41: "pack", 0x4A: "pack"}
    want |= {0x42: "unpack0", 0x43: "unpack0", 0x45: "unsupported"}  # 45: mode 1, by its low bits
    assert seen == want


A, B = 1 << 7, 1 << 8
# math-stand-in section 1, "waits for"
BOTH = (0x26, 0x27, 0x28, 0x30, 0x33, 0x34)
BANKS = {**dict.fromkeys(BOTH, A | B), 0x12: A, 0x13: B, 0x0B: B, 0x16: B}


@pytest.mark.parametrize("opcode", range(256))
def test_m8_which_opcode_waits_for_which_bank(opcode: int) -> None:
    """Each alone is enough to hold it; the unpackers' banks (bits 5, 6) are no matter."""
    assert opcode not in BANKS or tables.block_class()[opcode] == 0x40
    for busy in (0x1E7F, A, B, A | B):
        level = [(0, busy), (30, busy & ~A), (40, 0)]
        out = control_run([(10, opcode << 24), NOP], busy=level, cycles=60)
        waits = busy & BANKS.get(opcode, 0)
        assert issues(out)[0] == (40 if waits & B else 30 if waits else 10)


def test_c7_words_without_a_name_hold_32_bits() -> None:
    risc = [(2 * n, 1, n, 0xFFFFFFFF) for n in range(224)]
    risc += [(448 + 2 * n, 0, n, 0) for n in range(224)]
    data = control_run(cycles=1000, risc=risc)["risc_done"]["data"]
    assert set(data[:224].tolist()) == {0}
    assert [n for n in range(224) if data[224 + n] != 0xFFFFFFFF] == [4]


WORDS = {name: enc(name, cfg_index=100) for name in
         ("STREAMWRCFG", "WRCFG", "CFGSHIFTMASK", "RMWCIB0", "RDCFG")}  # fmt: skip
# Least distance from the first (row) to the second (column), specification §5.3
DISTANCE = {
    "STREAMWRCFG": (1, 1, 1, 1, 1),
    "WRCFG": (1, 1, 2, 2, 2),
    "CFGSHIFTMASK": (1, 1, 2, 2, 2),
    "RMWCIB0": (1, 1, 1, 1, 1),
    "RDCFG": (1, 1, 1, 1, 1),
}
T = 10  # issue of the first word


def expected(first: str, second: str, distance: int) -> int:
    """Issue distance of a second word that is offered ``distance`` cycles after the first."""
    least = dict(zip(WORDS, DISTANCE[first], strict=True))[second]
    if first == "STREAMWRCFG" and second != "STREAMWRCFG" and distance > 1:
        least = 4 if second == "WRCFG" else 5
    return max(distance, least)


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("distance", range(1, 7))
@pytest.mark.parametrize(("first", "second"), [*itertools.product(WORDS, WORDS)])
def test_issue_distances(first: str, second: str, distance: int, other: bool) -> None:
    programs = [[(T, WORDS[first])], [(T + distance, WORDS[second])]]
    if not other:
        programs = [programs[0] + programs[1]]
    out = control_run(*programs)
    got = issues(out, 1)[0] if other else issues(out)[1]
    assert got - T == expected(first, second, distance)


def busy_inputs(rng: np.random.Generator, first: int, last: int, gap: int) -> dict[str, Records]:
    """Input events in each ``gap``-th cycle of ``first`` to ``last - 1``; nothing waits forever."""
    cycles = np.arange(first, last, gap)
    pool = np.array(random_words(rng, "default", 500, but=(*WAITS, 0xA0, 0xA1)))  # no mutex, either

    def events(name: str, **fields: np.ndarray | int) -> Records:
        records = np.zeros(cycles.size, dtype=BOUNDARY.stream(name).dtype)
        records["cycle"] = cycles
        for field, values in fields.items():
            records[field] = values
        return records

    def draw(limit: int) -> np.ndarray:
        return rng.integers(0, limit, cycles.size)

    return {
        **{f"t{t}.offer": events("offer", word=rng.choice(pool, cycles.size)) for t in range(3)},
        "risc": events("risc", write=draw(2), address=draw(1024), data=draw(1 << 32)),
        "risc_sem": events("risc_sem", write=draw(2), index=draw(8), get=draw(2)),
        **{f"t{t}.busy": events("busy", value=draw(1 << 13)) for t in range(3)},
        "hold": events("hold", value=draw(8) & draw(8)),
        "unit_ready": events("unit_ready", value=63),
        "stream_busy": events("stream_busy", value=draw(2)),
        "stream_write": events("stream_write", stream=draw(4), register=29, data=draw(1 << 32)),
    }


def test_long_runs_forget_what_is_over() -> None:
    model = ControlModel()
    rng = np.random.default_rng(6)
    block = 10_000
    kept = set()
    for n in range(12):
        given = busy_inputs(rng, n * block, (n + 1) * block, 8)
        got = model.step(given, (n + 1) * block)
        assert len(got["t2.issue"]) > 1000
        assert int(got["t2.issue"]["origin"][0]) // 256 >= n * block // 8 - 10
        records = sum(map(len, model._inputs._last.values()))
        kept.add(records - sum(map(len, given.values())))
    assert max(kept) < 10
    assert all(value.dtype != object for value in vars(model).values() if hasattr(value, "dtype"))
