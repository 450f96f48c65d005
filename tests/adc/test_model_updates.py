# SPDX-License-Identifier: Apache-2.0
"""What unpackers, packers and REG2FLOP do to the counters (A11, P18, C14)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tilepath.models.adc import AddressCounters

X, Y, Z, W = range(4)
U0, U1, PK = range(3)
PROFILES = ("baseline", "blackhole")


def start(live: int = 100, checkpoint: int = 10, profile: str = "baseline") -> AddressCounters:
    counters = AddressCounters(profile)
    counters.live[...] = live
    counters.checkpoint[...] = checkpoint
    return counters


def changed(counters: AddressCounters, live: int = 100) -> dict[tuple[int, ...], int]:
    """Live values that are not the one at the start; checkpoints must be."""
    assert (counters.checkpoint == 10).all()
    places = np.argwhere(counters.live != live)
    return {tuple(map(int, place)): int(counters.live[tuple(place)]) for place in places}


@pytest.mark.parametrize("unpacker", [0, 1])
@pytest.mark.parametrize("thread", [0, 1, 2])
@pytest.mark.parametrize("adc", [0, 1, 2])
def test_a11_once_per_distinct_set(unpacker: int, thread: int, adc: int) -> None:
    c = start()
    assert c.unpack_update(unpacker, thread, adc, 1, 2, 3, 0) == ()
    assert changed(c) == {
        (s, unpacker, channel, counter): 100 + increment
        for s in {thread, adc}
        for channel, counter, increment in ((0, Y, 1), (0, Z, 2), (1, Y, 3))
    }


def test_a11_each_increment_goes_to_its_counter() -> None:
    places = ((0, Y), (0, Z), (1, Y), (1, Z))
    for number, place in enumerate(places):
        increments = [2 if n == number else 0 for n in range(4)]
        c = start()
        c.unpack_update(0, 1, 1, *increments)
        assert changed(c) == {(1, U0, *place): 102}


@pytest.mark.parametrize(("thread", "adc"), [(3, 0), (0, 3), (3, 3), (2, 3)])
def test_unpack_set_3_writes_nothing(thread: int, adc: int) -> None:
    c = start()
    assert c.unpack_update(1, thread, adc, 1, 1, 1, 1) == ("unpack_thread",)
    assert changed(c) == {}


def test_v8_z_wraps_at_its_width() -> None:
    for profile, after in zip(PROFILES, (0, 256), strict=True):
        c = start(253, 10, profile)
        c.unpack_update(0, 0, 0, 0, 3, 0, 0)
        assert changed(c, 253) == {(0, U0, 0, Z): after}
    c = AddressCounters()
    c.live[0, U0, 1, Y] = 8190
    c.unpack_update(0, 0, 2, 0, 0, 3, 0)
    assert (int(c.live[0, U0, 1, Y]), int(c.live[2, U0, 1, Y])) == (1, 3)


def channel_mod(channel: int, incr: int, cr: int, clear: int, z_incr: int, z_clear: int) -> int:
    """ADDR_MOD_PACK word that asks something of one channel only."""
    y = (incr | cr << 4 | clear << 5) << (6 * channel)
    return y | (z_incr << 12 | z_clear << 13) << (2 * channel)


@pytest.mark.parametrize("channel", [0, 1])
@pytest.mark.parametrize("cr", [0, 1])
@pytest.mark.parametrize("clear", [0, 1])
@pytest.mark.parametrize("incr", [0, 1, 15])
def test_p18_y(channel: int, cr: int, clear: int, incr: int) -> None:
    c = start()
    assert c.pack_update(2, channel_mod(channel, incr, cr, clear, 0, 0)) == ()
    if clear:
        want = (0, 0)
    elif cr:
        want = (10 + incr, 10 + incr)
    else:
        want = (100 + incr, 10)
    y = (1, PK, channel, Y)
    assert (int(c.live[y]), int(c.checkpoint[y])) == want
    c.live[y], c.checkpoint[y] = 100, 10
    assert (c.live == 100).all() and (c.checkpoint == 10).all()


@pytest.mark.parametrize("channel", [0, 1])
@pytest.mark.parametrize(("incr", "clear"), list(itertools.product((0, 1), repeat=2)))
def test_p18_z_has_no_checkpoint_but_for_clear(channel: int, incr: int, clear: int) -> None:
    c = start()
    c.pack_update(1, channel_mod(channel, 0, 0, 0, incr, clear))
    z = (0, PK, channel, Z)
    want = (0, 0) if clear else (100 + incr, 10)
    assert (int(c.live[z]), int(c.checkpoint[z])) == want
    c.live[z], c.checkpoint[z] = 100, 10
    assert (c.live == 100).all() and (c.checkpoint == 10).all()


@pytest.mark.parametrize("sets", range(8))
def test_p18_sets(sets: int) -> None:
    c = start()
    c.pack_update(sets, channel_mod(0, 3, 0, 0, 1, 0) | channel_mod(1, 5, 0, 0, 1, 0))
    assert changed(c) == {
        (s, PK, *place): value
        for s in range(3)
        if sets >> s & 1
        for place, value in (((0, Y), 103), ((0, Z), 101), ((1, Y), 105), ((1, Z), 101))
    }


@pytest.mark.parametrize("profile", PROFILES)
def test_p18_wraps(profile: str) -> None:
    top = 255 if profile == "baseline" else 8191
    c = start(8191, 10, profile)
    c.live[:, :, :, Z] = top
    c.pack_update(1, channel_mod(1, 2, 0, 0, 1, 0))
    assert (int(c.live[0, PK, 1, Y]), int(c.live[0, PK, 1, Z])) == (1, 0)
    c.checkpoint[0, PK, 0, Y] = 8190
    c.pack_update(1, channel_mod(0, 15, 1, 0, 0, 0))
    assert (int(c.live[0, PK, 0, Y]), int(c.checkpoint[0, PK, 0, Y])) == (13, 13)


@pytest.mark.parametrize("profile", PROFILES)
def test_c14_one_value_alone(profile: str) -> None:
    zw = 8 if profile == "baseline" else 13
    for place in itertools.product(range(3), range(3), range(2), range(4)):
        value = 0x2A5A5 % (1 << (18, 13, zw, zw)[place[3]])
        for checkpoint in (0, 1):
            c = start(100, 10, profile)
            assert c.flop(*place, checkpoint, 0x2A5A5) == ()
            written, kept = (c.checkpoint, c.live) if checkpoint else (c.live, c.checkpoint)
            assert int(written[place]) == value
            assert (kept == (100 if checkpoint else 10)).all()
            written[place] = 10 if checkpoint else 100
            assert (written == (10 if checkpoint else 100)).all()


@pytest.mark.parametrize(
    ("thread", "select", "faults"),
    [(3, 0, ("flop_thread",)), (1, 3, ("flop_select",)), (3, 3, ("flop_thread", "flop_select"))],
)
def test_c14_thread_3_and_select_3_write_nothing(
    thread: int, select: int, faults: tuple[str, ...]
) -> None:
    c = start()
    for checkpoint in (0, 1):
        assert c.flop(thread, select, 1, 3, checkpoint, 77) == faults
    assert changed(c) == {}


@pytest.mark.parametrize(
    ("method", "widths"),
    [("unpack_update", (1, 2, 2, 2, 2, 2, 2)), ("pack_update", (3, 16)),
     ("flop", (2, 2, 1, 2, 1, 18))],
)  # fmt: skip
def test_arguments_outside_their_widths(method: str, widths: tuple[int, ...]) -> None:
    c = start()
    for place, width in enumerate(widths):
        for bad in (-1, 1 << width):
            arguments = [0] * len(widths)
            arguments[place] = bad
            with pytest.raises(ValueError, match=f"{bad} does not fit in {width} bits"):
                getattr(c, method)(*arguments)
    assert changed(c) == {}
