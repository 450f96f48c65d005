# SPDX-License-Identifier: Apache-2.0
"""The eight counter instructions, decision by decision: words and results by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath import isa
from tilepath.models.adc import OPCODES, AddressCounters

X, Y, Z, W = range(4)
U0, U1, PK = range(3)
ZW = {"baseline": 8, "blackhole": 13}


def paired(opcode: int, target: int, low: tuple[int, int, int, int], mask: int, over: int) -> int:
    """SETADCXY and its like; ``low``: fields of X0 Y0 X1 Y1 or Z0 W0 Z1 W1."""
    a, b, c, d = low
    return opcode << 24 | target << 21 | over << 18 | d << 15 | c << 12 | b << 9 | a << 6 | mask


def filled(profile: str = "baseline") -> AddressCounters:
    """Counters that are all different, and live values different from checkpoints."""
    counters = AddressCounters(profile)
    numbers = np.arange(72, dtype=np.uint32).reshape(3, 3, 2, 4)
    counters.live[...] = 100 + numbers
    counters.checkpoint[...] = 10 + numbers
    return counters


def changes(
    counters: AddressCounters, thread: int, word: int, faults: tuple[str, ...] = ()
) -> dict[tuple[int, ...], tuple[int, int]]:
    """What a word changes: (set, target, channel, counter) -> live value and checkpoint."""
    live, checkpoint = counters.live.copy(), counters.checkpoint.copy()
    assert counters.execute(thread, word) == faults
    differ = (live != counters.live) | (checkpoint != counters.checkpoint)
    return {
        tuple(map(int, place)): (
            int(counters.live[tuple(place)]), int(counters.checkpoint[tuple(place)])
        )
        for place in np.argwhere(differ)
    }  # fmt: skip


def test_a8_opcodes() -> None:
    assert {0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E} == OPCODES
    for opcode in set(range(256)) - OPCODES:
        counters = filled()
        assert changes(counters, 1, opcode << 24 | 0xFFFFFF, ("illegal",)) == {}


def test_worked_examples_of_the_encodings() -> None:
    c = filled()
    assert changes(c, 0, 0x5E23FC00) == {(0, U0, 0, X): (0, 0), (0, U0, 1, X): (255, 255)}
    assert changes(c, 1, 0x5460000F) == {
        (1, target, channel, n): (0, 0) for target in (U0, U1) for channel in (0, 1) for n in (Z, W)
    }
    expected = {
        (2, target, *place): (0, 0) for target in (U0, U1) for place in ((0, X), (0, Y), (1, Y))
    }
    assert changes(c, 2, 0x5160000B) == expected
    cr = int(c.checkpoint[0, U0, 0, Z])
    assert changes(c, 0, 0x56200001) == {(0, U0, 0, Z): (cr, cr)}
    assert changes(c, 0, 0x50280002) == {(0, U0, 0, Z): (2, 2)}


def test_a1_a16_widths_and_reset() -> None:
    for profile, zw in ZW.items():
        c = AddressCounters(profile)
        assert c.widths == (18, 13, zw, zw)
        assert c.live.shape == c.checkpoint.shape == (3, 3, 2, 4)
        assert c.live.dtype == c.checkpoint.dtype == np.uint32
        assert not c.live.any() and not c.checkpoint.any()


@pytest.mark.parametrize("profile", ZW)
@pytest.mark.parametrize("counter", [X, Y, Z, W])
@pytest.mark.parametrize("channel", [0, 1])
def test_setadc_writes_both_and_truncates(profile: str, counter: int, channel: int) -> None:
    c = filled(profile)
    word = 0x50000000 | PK_BIT | channel << 20 | counter << 18 | 0x0FFFF
    width = (18, 13, ZW[profile], ZW[profile])[counter]
    value = 0xFFFF % (1 << width)
    assert changes(c, 1, word) == {(1, PK, channel, counter): (value, value)}


PK_BIT = 4 << 21


def test_a2_x_takes_all_18_bits_and_still_overrides() -> None:
    c = AddressCounters()
    # V8: from T0, 0x2FFFF goes to thread 1
    assert changes(c, 0, 0x50200000 | 0x2FFFF, ("x_override",)) == {
        (1, U0, 0, X): (0x2FFFF, 0x2FFFF)
    }
    assert changes(c, 2, 0x50300000 | 0x10000, ("x_override",)) == {
        (0, U0, 1, X): (0x10000, 0x10000)
    }
    # no warning for the other counters, nor without an override
    for counter in (Y, Z, W):
        assert changes(c, 0, 0x50200000 | counter << 18 | 0x30011) == {
            (2, U0, 0, counter): (0x11, 0x11)
        }
    assert changes(c, 1, 0x50200000 | 0xFFFF) == {(1, U0, 0, X): (0xFFFF, 0xFFFF)}


@pytest.mark.parametrize("thread", [0, 1, 2])
@pytest.mark.parametrize("over", [0, 1, 2, 3])
@pytest.mark.parametrize("opcode", [0x51, 0x52, 0x53, 0x54, 0x55, 0x56])
def test_a3_thread_override(thread: int, over: int, opcode: int) -> None:
    got = changes(filled(), thread, paired(opcode, 2, (1, 1, 1, 1), 15, over))
    assert {(s, target) for s, target, _, _ in got} == {(thread if over == 0 else over - 1, U1)}
    assert len(got) == 4


@pytest.mark.parametrize("thread", [0, 1, 2])
def test_a3_setadcxx_has_no_override(thread: int) -> None:
    got = changes(filled(), thread, 0x5E800000 | 0x3FF << 10 | 0x2AA)
    assert got == {(thread, PK, 0, X): (0x2AA, 0x2AA), (thread, PK, 1, X): (0x3FF, 0x3FF)}


@pytest.mark.parametrize(("opcode", "names"), [(0x51, (X, Y)), (0x54, (Z, W))])
@pytest.mark.parametrize("mask", range(1, 16))
def test_a5_set_with_mask(opcode: int, names: tuple[int, int], mask: int) -> None:
    want = {
        (0, U0, channel, names[which]): (value, value)
        for bit, (channel, which, value) in enumerate([(0, 0, 3), (0, 1, 4), (1, 0, 5), (1, 1, 7)])
        if mask >> bit & 1
    }
    assert changes(filled(), 0, paired(opcode, 1, (3, 4, 5, 7), mask, 0)) == want


@pytest.mark.parametrize(("opcode", "names"), [(0x53, (X, Y)), (0x56, (Z, W))])
@pytest.mark.parametrize("mask", range(1, 16))
def test_a4_a12_addrcr_moves_the_checkpoint(opcode: int, names: tuple[int, int], mask: int) -> None:
    c = filled()
    before = c.checkpoint.copy()
    want = {}
    for bit, (channel, which, value) in enumerate([(0, 0, 3), (0, 1, 0), (1, 0, 5), (1, 1, 7)]):
        if mask >> bit & 1:
            total = int(before[2, PK, channel, names[which]]) + value
            want[2, PK, channel, names[which]] = (total, total)
    assert changes(c, 2, paired(opcode, 4, (3, 0, 5, 7), mask, 0)) == want


@pytest.mark.parametrize(("opcode", "names"), [(0x52, (X, Y)), (0x55, (Z, W))])
def test_a5_a6_inc_has_no_mask_and_leaves_checkpoints(opcode: int, names: tuple[int, int]) -> None:
    for mask in (0, 5, 15):
        c = filled()
        live, checkpoint = c.live.copy(), c.checkpoint.copy()
        got = changes(c, 1, paired(opcode, 1, (7, 1, 0, 4), mask, 0))
        want = {}
        for channel, which, value in [(0, 0, 7), (0, 1, 1), (1, 1, 4)]:
            place = (1, U0, channel, names[which])
            want[place] = (int(live[place]) + value, int(checkpoint[place]))
        assert got == want


@pytest.mark.parametrize("target", range(8))
def test_a7_target_is_multi_hot(target: int) -> None:
    words = [
        0x50000000 | target << 21 | Y << 18 | 1,
        0x5E000000 | target << 21,
        *(paired(opcode, target, (1, 1, 1, 1), 15, 0) for opcode in range(0x51, 0x57)),
    ]
    for word in words:
        got = changes(filled(), 0, word, () if target else ("empty",))
        assert {place[1] for place in got} == {bit for bit in range(3) if target >> bit & 1}


@pytest.mark.parametrize("opcode", sorted(OPCODES))
def test_a7_mask_0(opcode: int) -> None:
    has_mask = opcode in (0x51, 0x53, 0x54, 0x56)
    word = paired(opcode, 7, (1, 1, 1, 1), 0, 0)
    c = filled()
    got = changes(c, 0, word, ("empty",) if has_mask else ())
    assert (got == {}) == has_mask


def test_increments_of_0_are_not_empty() -> None:
    for opcode in (0x52, 0x55):
        assert changes(filled(), 0, paired(opcode, 7, (0, 0, 0, 0), 0, 0)) == {}


def test_both_warnings_at_once() -> None:
    assert changes(filled(), 0, 0x50010001, ("x_override", "empty")) == {}


def test_a1_a15_sums_wrap_at_the_width_and_nowhere_else() -> None:
    for profile, zw in ZW.items():
        for counter, width in ((X, 18), (Y, 13), (Z, zw), (W, zw)):
            names, opcodes = ((X, Y), (0x52, 0x53)) if counter < Z else ((Z, W), (0x55, 0x56))
            for channel in (0, 1):
                bit = 2 * channel + names.index(counter)
                low = tuple(5 if place == bit else 0 for place in range(4))
                place = (0, U1, channel, counter)
                c = AddressCounters(profile)
                c.live[place] = (1 << width) - 3
                c.checkpoint[place] = (1 << width) - 4
                c.execute(0, paired(opcodes[0], 2, low, 0, 0))  # type: ignore[arg-type]
                assert (int(c.live[place]), int(c.checkpoint[place])) == (2, (1 << width) - 4)
                c.execute(0, paired(opcodes[1], 2, low, 1 << bit, 0))  # type: ignore[arg-type]
                assert (int(c.live[place]), int(c.checkpoint[place])) == (1, 1)
                c.live[place] = (1 << width) - 6
                c.execute(0, paired(opcodes[0], 2, low, 0, 0))  # type: ignore[arg-type]
                assert int(c.live[place]) == (1 << width) - 1
                assert np.count_nonzero(c.live) == np.count_nonzero(c.checkpoint) == 1


def test_v8_addrcr() -> None:
    c = AddressCounters()
    c.live[0, U0, 0, Z], c.checkpoint[0, U0, 0, Z] = 9, 5
    assert changes(c, 0, isa.encode("ADDRCRZW", target=1, z0_inc=2, mask=1)) == {
        (0, U0, 0, Z): (7, 7)
    }


def test_unnamed_bits_are_ignored() -> None:
    unnamed = {
        0x51: 0x100030, 0x54: 0x100030, 0x53: 0x100030, 0x56: 0x100030,
        0x52: 0x10003F, 0x55: 0x10003F, 0x5E: 0x100000,
    }  # fmt: skip
    for opcode, bits in unnamed.items():
        word = paired(opcode, 5, (1, 2, 3, 4), 0 if opcode in (0x52, 0x55) else 15, 0)
        plain = changes(filled(), 1, word & ~0x100000)
        assert plain and changes(filled(), 1, word | bits) == plain


@pytest.mark.parametrize("profile", ZW)
def test_in_bulk_as_one_by_one(profile: str) -> None:
    rng = np.random.default_rng(8)
    words = rng.integers(0x50 << 24, 0x60 << 24, 3000).astype(np.uint32)
    one, bulk = AddressCounters(profile), AddressCounters(profile)
    names = [one.execute(1, word) for word in words.tolist()]
    flags = bulk.execute_all(1, words)
    assert flags.dtype == np.uint8 and flags.shape == (3000,)
    decoded = [
        tuple(n for bit, n in enumerate(("illegal", "x_override", "empty")) if f >> bit & 1)
        for f in flags.tolist()
    ]
    assert decoded == names and len(set(names)) == 5
    np.testing.assert_array_equal(one.live, bulk.live)
    np.testing.assert_array_equal(one.checkpoint, bulk.checkpoint)
    assert bulk.execute_all(0, []).size == 0


@pytest.mark.parametrize("thread", [-1, 3])
def test_bad_thread(thread: int) -> None:
    for call in (AddressCounters().execute, AddressCounters().execute_all):
        with pytest.raises(ValueError, match=r"^no thread -?[13]: choose from 0, 1, 2$"):
            call(thread, 0x50200000)


@pytest.mark.parametrize("word", [-1, 1 << 32])
def test_bad_word(word: int) -> None:
    c = AddressCounters()
    with pytest.raises(ValueError, match="does not fit in 32 bits"):
        c.execute(0, word)
    with pytest.raises(ValueError, match="does not fit in 32 bits"):
        c.execute_all(0, [0x50200001, word])
    assert not c.live.any()


@pytest.mark.parametrize("words", [[[1]], [0.5]])
def test_bad_words(words: list[object]) -> None:
    with pytest.raises(ValueError, match="sequence of integers"):
        AddressCounters().execute_all(0, words)  # type: ignore[arg-type]


def test_unknown_profile() -> None:
    with pytest.raises(ValueError, match="unknown profile 'nonesuch'"):
        AddressCounters("nonesuch")
