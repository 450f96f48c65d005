# SPDX-License-Identifier: Apache-2.0
"""What packers without time make of instructions: decisions and worked examples (values.toml)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tilepath import isa
from tilepath.isa import constants
from tilepath.isa.boundary.pack import FAULTS, KINDS, RUN_FAULTS
from tilepath.models.pack import PackState
from tilepath.models.pack.accumulate import add_word
from tilepath.models.pack.state import Op, Source
from tilepath.tests.pack.model_helpers import TILE, datums, fill, put, ready, storage, word
from tilepath.tests.tables import beside

TABLES = beside(__file__, "values")
FORMATS, SUMS = TABLES.pop("formats"), TABLES.pop("sums")
CASES = [
    pytest.param(case, profile, id=f"{topic}-{case.get('name', number)}-{profile}")
    for topic, cases in TABLES.items()
    for number, case in enumerate(cases)
    for profile in np.atleast_1d(case.get("profile", "baseline"))
]
Step = dict[str, Any]


def numbers(text: str) -> Iterator[str]:
    """Digits of the numbers of a text, in which ``3F80*8`` stands for eight."""
    for part in text.split():
        number, _, count = part.partition("*")
        yield from [number] * int(count or 1)


def lines(given: str | dict[str, str]) -> dict[int, bytes]:
    """Address → bytes."""
    found = {}
    for at, text in ({f"{TILE:x}": given} if isinstance(given, str) else given).items():
        found[int(at, 16)] = b""
        for number in numbers(text):
            room = -len(found[int(at, 16)]) % 16
            found[int(at, 16)] += bytes(room) if number == "/" else bytes.fromhex(number)[::-1]
    return found


def settings(given: dict[str, Any]) -> dict[str, int]:
    """Those of a format, and what is beside or in the place of them."""
    return FORMATS[given.get("as", "BF16")] | {k: v for k, v in given.items() if k != "as"}


def prepare(state: PackState, step: Step, given: dict[str, int]) -> None:
    """What a step is given."""
    thread = step.get("thread", 0)
    for packer in range(4):
        put(state, packer, **step.get(f"p{packer}" if packer else "set", {}))
    if "x" in step:
        state.adc.live[thread, 2, :, 0] = np.array(step["x"]).astype(np.uint32)
    for channel in range(2):
        if f"live{channel}" in step:
            state.adc.live[thread, 2, channel, 1:] = step[f"live{channel}"]
    for index, value in step.get("thread_words", {}).items():
        state.thread_config[thread, int(index)] = value
    if "storage" in step:
        raw = [int(number, 16) for number in numbers(step["storage"])]
        fill(state, raw, wide=bool(given.get("wide")))
    elif "numbers" in step:
        values = [storage(int(number, 16), given) for number in numbers(step["numbers"])]
        fill(state, values, wide=bool(given.get("wide")))
    for at, data in lines(step.get("before", {})).items():
        state.l1[at : at + len(data)] = list(data)
    if "validate" in step:
        state.dst_valid[step["validate"]] = 1
    state.setreg_base[0] = step.get("base", state.setreg_base[0])
    state.setreg_scaler[1] = step.get("scaler1", state.setreg_scaler[1])
    state.l1_dest_addr_offset[0] = step.get("offset", 0)


def word_of(step: Step) -> int:
    """The instruction of a step."""
    if "setreg" in step:
        return isa.encode("PACR_SETREG", **step["setreg"])
    return int(step.get("word", word(**step.get("pacr", {}))))


def begun(walk: Any) -> list[tuple[str, int]]:
    """Where the last instruction wrote the first line of each kind, in order."""
    found: dict[str, int] = {}
    for line in walk.lines[: walk.line_count]:
        found.setdefault(f"{KINDS[line.kind]}{line.packer}", int(line.line) << 4)
    return [*found.items()]


def told(state: PackState, name: str, want: Any) -> Any:
    """What a step shows of the last instruction, as ``want`` has it."""
    walk: Any = state.walk[0]
    steps = walk.steps[: walk.step_count]
    if name == "l1":
        found = {at: state.l1[at : at + len(data)].tobytes() for at, data in lines(want).items()}
        return want if found == lines(want) else {hex(at): b.hex(" ") for at, b in found.items()}
    if name == "passed":  # rows of 1.0, the others are 0
        rows = state.l1[TILE : TILE + 32 * len(want)].view("<u2").reshape(-1, 16)
        assert np.isin(rows, (0, 0x3F80)).all() and (rows == rows[:, :1]).all()
        return "".join("1" if row[0] else "0" for row in rows)
    if name == "begins":
        return want if begun(walk) == [*want.items()] else begun(walk)
    if name == "ops":
        ops = "".join(Op(op).name for op in walk.ops[: walk.op_count])
        return want if ops == "".join(numbers(want)) else ops
    return {
        "valid": int(state.dst_valid.sum()),
        "rows": [int(s.rows[k]) for s in steps if s.source == Source.DST
                 for k in range(4) if s.lanes >> k & 1],
        "columns": [int(step.column) for step in steps],
        "counts": [int(step.count) for step in steps],
    }[name]  # fmt: skip


def moved(before: Any, after: Any) -> dict[str, int]:
    """Counters that have moved: set and name → how far."""
    return {
        f"{s} {'xyzw'[n]}{channel}": int(after[s, 2, channel, n]) - int(before[s, 2, channel, n])
        for s, _, channel, n in np.argwhere(before != after)
    }


SHOWN = ("l1", "passed", "begins", "ops", "valid", "rows", "columns", "counts")


@pytest.mark.parametrize(("case", "profile"), CASES)
def test_case(case: Step, profile: str) -> None:
    given = settings(case.get("given", {}))
    state = ready(profile, **given)
    prepare(state, {"x": [0, 15], **case}, given)
    for step in case.get("steps", [case]):
        prepare(state, step, given)
        before = state.adc.live.copy()
        for _ in range(step.get("times", 1)):
            effect = state.execute(step.get("thread", case.get("thread", 0)), word_of(step))
            assert effect.faults == tuple(step.get("faults", "").split()), step
        for name in set(SHOWN) & step.keys():
            assert told(state, name, step[name]) == step[name]
        if "moved" in step:
            assert moved(before, state.adc.live) == step["moved"]
        if "writes" in step:
            assert list(effect.setreg or ()) == step["writes"]


def test_every_fault_has_a_case() -> None:
    steps = [step for param in CASES for step in param.values[0].get("steps", [param.values[0]])]
    seen = {name for step in steps for name in step.get("faults", "").split()}
    assert seen == {fault.name for fault in (*FAULTS, *RUN_FAULTS)}


@pytest.mark.parametrize(("to", "text"), SUMS)
def test_sums(to: int, text: str) -> None:
    """V24."""
    old, new, want = (int(number, 16) for number in text.split())
    assert add_word(to, old, new, 1) == want


@pytest.mark.parametrize(
    ("name", "tiles", "rows", "lost"),
    [
        *[("BF16", 133, 31, 1), ("BF16", 132, 31, 0), ("BF16", 200, 31, 1)],
        ("BF16", 274, 15, 1),  # the last of 16 rows
        *[("FP32", 67, 31, 1), ("FP32", 66, 31, 0), ("FP32", 137, 15, 1), ("FP32", 136, 15, 0)],
        ("FP32", 137, 31, 2),
    ],
)
@pytest.mark.parametrize("counter", range(3))
@pytest.mark.parametrize("cut", [0, 1])
def test_rows_that_are_far_apart(
    name: str, tiles: int, rows: int, lost: int, counter: int, cut: int
) -> None:
    """P33: Y, Z and W alike; offsets of 2^18 bytes and more lose what is above."""
    stride = 32 * (4 if name == "FP32" else 2) * tiles
    given = {**FORMATS[name], f"{'yzw'[counter]}_stride1": stride, "l1_dest": 0x2000}
    state = ready(f"blackhole,pack_ch1_offset18={cut}", **given)
    state.adc.live[0, 2, 1, 1 + counter] = rows
    assert (stride * rows) >> 18 == lost
    assert state.execute(0, word()).faults == ()
    assert begun(state.walk[0])[0] == (
        "data0", 0x20000 + (stride * rows & (0x3FFFF if cut else -1))
    )  # fmt: skip


def test_histogram() -> None:
    """P27: bins count if a thread wants it, the maximum always, and the end of counting."""
    state = ready(**FORMATS["BF16"])
    fill(state, [0x007F] * 8 + [0x0080] * 8)
    state.execute(0, word())
    assert state.maximum.tolist() == [0x80, 0, 0, 0] and not state.bins.any()
    state.thread_config[2, 45] = 1
    put(state, downsample=1)
    for _ in range(40):
        state.execute(0, word())
    assert state.bins[0, 0x1F] == state.bins[0, 0] == 255
    before = state.bins.copy()
    state.execute(0, word(zero_write=1))
    assert (state.bins == before).all()
    assert state.histogram(7, 0)[15] == 255 and state.histogram(6, 0)[0] == 255
    assert state.histogram(9, 3)[0] == 0x80 and not state.histogram(6, 1).any()
    state.execute(1, constants.OP_CLREXPHIST << 24)
    assert not state.bins.any() and not state.maximum.any()


def test_row_map_of_the_newer_chip() -> None:
    """P52: the formulas, against a table written by bits."""
    for remap, swizzle, wide in ((1, 0, 0), (1, 1, 0), (0, 1, 1), (1, 1, 1), (0, 0, 1)):
        format_ = FORMATS["FP32" if wide else "BF16"]
        state = ready("blackhole", **format_, remap=remap, swizzle=swizzle)
        for number in range(0, 1024, 7):
            put(state, dst_offset=number)
            state.execute(0, word())
            bits = [number >> k & 1 for k in range(10)]
            if remap:
                bits[3:6] = [bits[4], bits[5], bits[3]]
            if wide and swizzle:
                bits[2:4] = [bits[3], bits[2] ^ bits[4]]
            place = sum(bit << k for k, bit in enumerate(bits))
            if wide:
                place = (place & 0x1F8) << 1 | place & 0x207
            assert state.walk[0].steps[0].rows[0] == place


@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.parametrize("wide", [0, 1])
def test_rows_at_once_and_piece_by_piece(wide: int, own: int) -> None:
    """A line or a group is the same whether its elements come with one row or wait for others."""
    dst = np.random.default_rng(3 + wide).integers(0, 1 << 16, (1024, 16), np.uint16)
    dst[:8] &= 0xFF07  # as BF16: exponents that are near
    given = 0
    for from_, to in np.ndindex(16, 16):
        packed = []
        for begins in ([0], [0, 5, 8, 32, 63]):
            state = ready(inner=from_, from_=from_, to=to, wide=wide, own_exponents=own, exp_size=1)
            put(state, x_stride=max(4 >> (from_ & 3), 1))
            state.dst[:] = dst
            for first, end in zip(begins, [*begins[1:], 64], strict=True):
                datums(state, end - first, first)
                state.execute(0, word(last=int(end == 64)))
            packed.append(state.l1[TILE : TILE + 512].tobytes())
        assert packed[0] == packed[1], (from_, to)
        given += any(packed[0])
    assert given > 100
