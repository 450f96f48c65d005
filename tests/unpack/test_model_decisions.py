# SPDX-License-Identifier: Apache-2.0
"""Decisions of the specification, as ``decisions.toml`` has them, and what is no table there."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

import numpy as np
import pytest

from tilepath.models import Machine
from tilepath.models import format_codes as F
from tilepath.models.unpack import UnpackState
from tilepath.tests.tables import beside
from tilepath.tests.unpack.model_helpers import (
    NOT_WRITTEN,
    START,
    compressed,
    contexts,
    emit,
    emitted,
    load,
    number_list,
    numbered,
    place,
    places,
    plain,
    put,
    said,
    set_up,
    unpacr,
    word_of,
)

CASES: Final = beside(__file__, "decisions")


def machine(case: dict[str, Any]) -> Machine:
    """A machine as a table sets it up, behind all that is given."""
    more = {"profile": case.get("profile", "baseline"), "make": Machine}
    if "rsi" in case:
        entries, nibbles = number_list(case["rsi"]), number_list(case.get("nibbles", ""))
        m = compressed(entries, nibbles, **case["numbered"], **more)
    elif "numbered" in case:
        m = numbered(**case["numbered"], **more)
    else:
        m = set_up(case, Machine)
    if "emitted" in case["see"]:
        m.src_a[:] = NOT_WRITTEN
    for line in case["given"]:
        thread, name, fields = said(line)
        if name == "put":
            put(m, **{field: values[0] for field, values in fields.items()})
        elif name == "set":
            for what, values in fields.items():
                array, index = part(m, what)
                array[index] = np.reshape(values, array[index].shape)
        elif name.startswith("0x"):
            m.push(thread, int(name, 0))
        else:
            m.push(thread, word_of(name, fields, case.get("profile", "baseline")))
    return m


def part(m: Machine, text: str) -> tuple[Any, tuple[int | slice, ...]]:
    """An array, and places in it: ``src_a[0,2:]``."""
    name, _, inside = text.partition("[")
    found: list[int | slice] = []
    for one in inside.rstrip("]").split(",") if inside else ():
        ends = [int(end) if end else None for end in one.split(":")]
        found.append(slice(*ends) if len(ends) > 1 else int(one))
    return attrgetter(name)(m), tuple(found)


def observed(m: Machine, key: str) -> list[Any]:
    """What ``see`` names, as a list."""
    if key == "faults":
        return [fault.name for fault in m.faults]
    if key == "events":
        return [(event.name, *event.values) for event in m.events]
    if key == "emitted":
        return emitted(m)
    how, _, what = key.rpartition(" ")
    array, index = part(m, what)
    values = np.ravel(array[index])
    if how == "where":
        return np.flatnonzero(values).tolist()
    return places(values) if how == "from" else values.tolist()


@pytest.mark.parametrize("name", CASES)
def test_decision(name: str) -> None:
    case = CASES[name]
    m = machine(case)
    assert case["see"]
    for key, text in case["see"].items():
        wanted: list[Any] = text.split()
        if key == "events":
            parts = (event.partition(":") for event in wanted)
            wanted = [(one, *number_list(values)) for one, _, values in parts]
        elif key != "faults":
            wanted = number_list(text)
        assert observed(m, key) == wanted, key


@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("ctx", range(8))
def test_u9_bases_and_offsets_of_the_contexts(ctx: int, unit: int) -> None:
    s = contexts(unit)
    want = 16 * (0x100 + 0x100 * ctx + 1 + ctx % 4 + 1)
    assert place(s, unit, multi_context=1, context_number=ctx) == want
    assert place(s, unit, context_number=ctx, use_ctx_counter=1) == 16 * (0x100 + 1 + 1)


@pytest.mark.parametrize("ctx", range(8))
def test_u9_formats_and_flags_of_the_contexts(ctx: int) -> None:
    s = contexts(0)
    put(s, ovrd_format=1, in_format=F.BF16, out_format=F.BF16, set_ovrd=0)
    put(s, out_base=0)
    for k in range(8):
        code = F.INT16 if k == ctx else F.INT8
        put(s, **{f"in{k}": code, f"out{k}": code})
    word = {"multi_context": 1, "context_number": ctx}
    assert place(s, **word) == 16 * (0x102 + 0x100 * ctx + ctx % 4)
    put(s, if_sel_0_3=(1 << ctx) & 15, if_sel_4_7=1 << ctx >> 4)
    s.src_a[:] = 0
    s.execute(0, unpacr(**word))
    assert s.dst[0, 0] == 8 * (0x102 + 0x100 * ctx + ctx % 4) and not s.src_a.any()
    other = unpacr(multi_context=1, context_number=ctx ^ 5)
    s.dst[:] = 0
    s.execute(0, other)
    assert not s.dst.any() and s.src_a.any()
    put(s, disable_0_3=~(1 << ctx) & 15, disable_4_7=~(1 << ctx >> 4) & 15, x1=255)
    assert "x_window" not in s.execute(0, unpacr(**word)).faults  # an RSI is read
    put(s, x0=9000, x1=9000)
    assert "x_window" not in s.execute(0, unpacr(**word)).faults
    assert "x_window" in s.execute(0, other).faults


@pytest.mark.parametrize("ctx", range(8))
def test_u9_dest_shift_and_x_dim_of_the_contexts(ctx: int) -> None:
    s = contexts(0)
    for k in range(4):
        put(s, **{f"dest{k}": 64 + 16 * k, f"shift{k}": k + 1, f"x_dim{k}": 10 * k + 10})
    put(s, x1=15, y0=1)
    s.execute(0, unpacr(multi_context=1, context_number=ctx))
    k = ctx % 4
    begin = 16 * (0x102 + 0x100 * ctx + k) + 2 * (10 * k + 10)
    row = s.src_a[0, k]
    assert places(row[: 15 - k]) == [begin + 2 * (k + 1 + n) for n in range(15 - k)]
    assert not row[15 - k :].any() and np.count_nonzero(s.src_a.any(axis=2)) == 1


def test_u7_context_arithmetic() -> None:
    s = contexts(0)
    for number_, offset, ctx in ((3, 0, 3), (6, 3, 1), (0, 15, 7), (1, 8, 1)):
        put(s, thread=2, context_offset=offset, x1=0, set_ovrd=1)
        word = {"multi_context": 1, "context_number": number_, "context_adc": 2, "thread": 2}
        assert place(s, **word) == 16 * (0x102 + 0x100 * ctx + ctx % 4)


@pytest.mark.parametrize(
    ("count", "offset", "want"),
    [
        (0, 0, [0, 0, 0]), (1, 0, [1, 0, 1, 0]), (2, 0, [1, 2, 3, 0]),
        (3, 0, [1, 2, 3, 4, 5, 6, 7, 0]),
        (3, 2, [3, 6, 1, 4, 7, 2, 5, 0]), (2, 1, [2, 0, 2]), (1, 1, [0, 0]),
    ],
)  # fmt: skip
def test_u8_context_counter_of_unpacr(count: int, offset: int, want: list[int]) -> None:
    s = contexts(0)
    put(s, context_count=count, context_offset=offset)
    s.execute(0, unpacr(use_ctx_counter=1))  # without MultiContextMode: nothing
    s.execute(0, unpacr(multi_context=1))
    assert s.context_counter[0, 0] == 0
    found = []
    for _ in want:
        s.execute(0, unpacr(multi_context=1, use_ctx_counter=1, context_number=5))
        found.append(int(s.context_counter[0, 0]))
    assert found == want


@pytest.mark.parametrize(
    ("count", "want"),
    [(0, [0, 0]), (1, [1, 0, 1]), (2, [1, 2, 3, 0]), (3, [1, 2, 3, 4, 5, 6, 7, 0])],
)
def test_u8_counter_alone_has_no_offset(count: int, want: list[int]) -> None:
    s = UnpackState()
    put(s, 1, context_count=count, context_offset=3)
    found = []
    for _ in want:
        s.execute(0, unpacr(1, inc_ctx=1))
        found.append(int(s.context_counter[1, 0]))
    assert found == want


@pytest.mark.parametrize("no_exponents", [0, 1])
@pytest.mark.parametrize("force", [0, 1])
@pytest.mark.parametrize("code", [F.BFP8, F.BFP4, F.BFP2A])
def test_u13_u14_exponent_section(code: int, force: int, no_exponents: int) -> None:
    s = plain(code, count=16, force_exponent=force, no_exponents=no_exponents, shared_exponent=20)
    load(s, START, [0x10] * 64)
    load(s, START + 64, [0xC0] * 16)
    s.execute(0, unpacr())
    shared, minus = (20 if force else 16), 1 << 18
    if force or (no_exponents and code != F.BFP8):  # the data are where the exponents would be
        want = {F.BFP8: [shared - 2], F.BFP4: [0, shared - 2], F.BFP2A: [0, 0, shared, 0]}[code]
    else:
        want = {F.BFP8: [], F.BFP4: [0], F.BFP2A: [0, 0, 0]}[code] + [minus | shared]
    assert s.src_a[0, 0].tolist() == want * (16 // len(want))


@pytest.mark.parametrize("ctx", [None, 0, 1, 2, 3, 6])
def test_u10_u17_blobs(ctx: int | None) -> None:
    """Starts of the tile: 0, 1, 3, …; of contexts 0 and 1: 1, 2, …; of 2 and 3: 2, 4 and so on."""
    s = contexts(0)
    put(s, blobs=3, x_dim=0x87, start_lo=0x4310, start_hi=0x8765)
    put(s, blobs_01=0x87654321, blobs_23=0x0ECA8642, x_dim0=0x87, x_dim2=0x87, x_dim3=0x87)
    put(s, x_dim1=0x87, y0=1)
    starts = {None: (1, 3), 0: (2, 3), 1: (2, 3)}.get(ctx, (4, 6))
    word = {} if ctx is None else {"multi_context": 1, "context_number": ctx}
    base = 0x102 if ctx is None else 0x102 + 0x100 * ctx + ctx % 4

    def emitted() -> list[int]:
        s.src_a[:] = 0
        s.execute(0, unpacr(row_search=1, **word))
        values = s.src_a[0].ravel()
        return places(values[: np.flatnonzero(values)[-1] + 1])

    put(s, x0=1, x1=3)  # n = 2
    assert emitted() == [16 * base + 2 * k for k in range(16 * starts[0], 16 * starts[1])]
    put(s, x0=2)  # n = 3, the last: up to x_dim & 1F0
    assert emitted() == [16 * base + 2 * k for k in range(16 * starts[0], 0x80)]


@pytest.mark.parametrize(
    ("profile", "zeros"),
    [("baseline", [0, 1, 3, 7]), ("baseline,upsample_zeros=0:1:2:4", [0, 1, 2, 4])],
)
def test_u40_zeros(profile: str, zeros: list[int]) -> None:
    for rate, count in enumerate(zeros):
        s = numbered(upsample=rate, x1=1, profile=profile)
        assert emit(s) == [START, *[0] * count, START + 2, *[0] * count]
        put(s, interleave=1)
        assert emit(s) == [START, *[-1] * count, START + 2]


# --- what is written and left behind


def test_u28_u29_output_address() -> None:
    s = contexts(0)
    put(s, dest1=64 + 33, out_base=2 * 32)
    for add, to_dst, where in ((0, 0, 33), (1, 0, 65), (0, 1, 65)):
        put(s, add_dest=add, if_sel_0_3=2 * to_dst, set_ovrd=1 - to_dst)
        s.src_a[:], s.dst[:] = 0, 0
        s.execute(0, unpacr(multi_context=1, context_number=1))
        found = s.dst if to_dst else s.src_a[0]
        assert np.flatnonzero(found.ravel()).tolist() == [where]
    s = contexts(1)  # the other unpacker has no Dest
    put(s, 1, add_dest=1, dest0=77, out_base=6)
    s.execute(0, unpacr(1, multi_context=1))
    assert np.flatnonzero(s.src_b.ravel()).tolist() == [3]


def test_u35_u38_rows_of_dst() -> None:
    for base, ovrd, row in ((0, 0, 1020), (64, 0, 0), (63 * 16, 0, 59), (1027 * 16, 0, 1023),
                            (1028 * 16, 0, 0), (64 + 17 * 16, 1, 1), (0, 1, 12)):  # fmt: skip
        s = numbered(if_sel=1, set_ovrd=ovrd, out_base=2 * base, transpose=1, shift0=5, count=16)
        s.src_row[:] = 9
        s.execute(0, unpacr())
        assert (2 * s.dst[row].astype(int)).tolist() == [START + 2 * k for k in range(16)]
        assert np.flatnonzero(s.dst_valid).tolist() == [row] and np.count_nonzero(s.dst) == 16
        assert not s.src_a.any()


def test_u37_stale_banks() -> None:
    s = numbered(if_sel=1, set_ovrd=0)
    s.src_bank[0] = 1
    s.src_owner[0] = [0, 1]
    assert not s.execute(0, unpacr()).met
    assert s.stale.tolist() == [0, 1] and s.dst[0, 0]
    s.release(0, 1)
    assert s.stale.tolist() == [0, 0] and s.src_owner[0].tolist() == [0, 0]
    assert s.execute(0, unpacr()).met
    s.execute(0, 0x43000011)  # ZEROSRC
    assert s.stale.tolist() == [0, 0]
    put(s, x0=1, x1=0)
    s.execute(0, unpacr())  # nothing written
    assert s.stale.tolist() == [0, 0]
    with pytest.raises(ValueError, match="no bank 2 of file 0"):
        s.release(0, 2)


def test_u39_transpose_is_after_everything_else() -> None:
    s = numbered(count=256, transpose=1, x_dim=256, set_ovrd=0, shift0=2)
    s.src_row[0, 0] = 17
    s.execute(0, unpacr())
    for row in range(16):
        for column in range(14):
            register = (row + 17) % 64
            value = s.src_a[0, register & 48 | column, register & 15]
            assert places(value) == START + 2 * (16 * row + column + 2)


def test_a10_a11_counter_sets() -> None:
    s = contexts(0)
    put(s, thread=1, x0=3, x1=3, y0=2, z0=1)
    put(s, thread=2, x0=9, x1=9, y0=9, z0=3)
    put(s, y_dim=4, z_dim=4)
    increments = {"ch0_y_inc": 1, "ch0_z_inc": 2, "ch1_y_inc": 3, "ch1_z_inc": 1}
    put(s, thread=2, set_ovrd=1)
    assert place(s, thread=2, multi_context=1, context_adc=1, **increments) == (
        16 * 0x102 + 2 * (256 * (4 * 3 + 2) + 3)
    )
    assert s.adc.live[1, 0].tolist() == [[3, 3, 3, 0], [3, 3, 1, 0]]
    assert s.adc.live[2, 0].tolist() == [[9, 10, 5, 0], [9, 3, 1, 0]]
    assert not s.adc.live[:, 1:].any() and not s.adc.checkpoint.any()
    s.execute(1, unpacr(multi_context=1, context_adc=1, **increments))  # once
    assert s.adc.live[1, 0].tolist() == [[3, 4, 5, 0], [3, 6, 2, 0]]
