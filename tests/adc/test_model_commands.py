# SPDX-License-Identifier: Apache-2.0
"""What each command does to the counters, decision by decision: words and results by hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

import numpy as np
import pytest

from tilepath import isa
from tilepath.models.adc import OPCODES, AddressCounters

X, Y, Z, W = range(4)
U0, U1, PK = range(3)
ZW: Final = {"baseline": 8, "blackhole": 13}
Place = tuple[int, int, int, int]  # set, target, channel, counter
Changes = dict[Place, tuple[int, int]]  # place → live value and checkpoint
Command = Callable[[AddressCounters], tuple[str, ...]]


def paired(opcode: int, target: int, low: tuple[int, int, int, int], mask: int, over: int) -> int:
    """SETADCXY and its like; ``low``: fields of X0 Y0 X1 Y1 or Z0 W0 Z1 W1."""
    a, b, c, d = low
    return opcode << 24 | target << 21 | over << 18 | d << 15 | c << 12 | b << 9 | a << 6 | mask


def filled(profile: str = "baseline") -> AddressCounters:
    """Counters that are all different: live values from 100 on, checkpoints from 10 on."""
    counters = AddressCounters(profile)
    numbers = np.arange(72, dtype=np.uint32).reshape(3, 3, 2, 4)
    counters.live[...] = 100 + numbers
    counters.checkpoint[...] = 10 + numbers
    return counters


def changed(counters: AddressCounters, command: Command) -> tuple[tuple[str, ...], Changes]:
    """The faults of a command, and what it changes."""
    live, checkpoint = counters.live.copy(), counters.checkpoint.copy()
    faults = command(counters)
    differ = (live != counters.live) | (checkpoint != counters.checkpoint)
    return faults, {
        (s, k, c, n): (int(counters.live[s, k, c, n]), int(counters.checkpoint[s, k, c, n]))
        for s, k, c, n in np.argwhere(differ).tolist()
    }


def word(thread: int, instruction: int) -> Command:
    return lambda counters: counters.execute(thread, instruction)


def unpack(*fields: int) -> Command:
    """Unpacker, thread and ADC, then the increments of Y0, Z0, Y1 and Z1."""
    return lambda counters: counters.unpack_update(*fields)


def pack(sets: int, addr_mod: int) -> Command:
    return lambda counters: counters.pack_update(sets, addr_mod)


def flop(*fields: int) -> Command:
    """Thread, target, channel, counter, whether it is the checkpoint, and the value."""
    return lambda counters: counters.flop(*fields)


SETADCXY, INCADCXY, ADDRCRXY, SETADCZW, INCADCZW, ADDRCRZW = range(0x51, 0x57)
EMPTY: Final = ("empty",)

CASES: Final[dict[str, tuple[Command, Changes] | tuple[Command, Changes, tuple[str, ...]]]] = {
    "SETADCXX of the encodings": (
        word(0, 0x5E23FC00), {(0, U0, 0, X): (0, 0), (0, U0, 1, X): (255, 255)},
    ),
    "SETADCZW of the encodings": (
        word(1, 0x5460000F),
        {(1, k, c, n): (0, 0) for k in (U0, U1) for c in (0, 1) for n in (Z, W)},
    ),
    "SETADCXY of the encodings": (
        word(2, 0x5160000B),
        {(2, k, c, n): (0, 0) for k in (U0, U1) for c, n in ((0, X), (0, Y), (1, Y))},
    ),
    "ADDRCRZW of the encodings": (word(0, 0x56200001), {(0, U0, 0, Z): (12, 12)}),
    "SETADC of the encodings": (word(0, 0x50280002), {(0, U0, 0, Z): (2, 2)}),
    "A2, V8: X takes 18 bits, two of them override": (
        word(0, 0x5022FFFF), {(1, U0, 0, X): (0x2FFFF, 0x2FFFF)}, ("x_override",),
    ),
    "A2: of channel 1": (
        word(2, 0x50310000), {(0, U0, 1, X): (0x10000, 0x10000)}, ("x_override",),
    ),
    "A2: no warning without": (word(1, 0x5020FFFF), {(1, U0, 0, X): (0xFFFF, 0xFFFF)}),
    "A2: nor for Y": (word(0, 0x50270011), {(2, U0, 0, Y): (0x11, 0x11)}),
    "A2: nor for W": (word(0, 0x502F0011), {(2, U0, 0, W): (0x11, 0x11)}),
    "A3: by itself": (
        word(1, paired(INCADCZW, 2, (1, 0, 0, 0), 0, 0)), {(1, U1, 0, Z): (135, 44)},
    ),
    "A3: for thread 0": (
        word(2, paired(INCADCXY, 2, (0, 0, 0, 1), 0, 1)), {(0, U1, 1, Y): (114, 23)},
    ),
    "A3: for thread 2": (
        word(2, paired(ADDRCRXY, 2, (0, 0, 0, 1), 8, 3)), {(2, U1, 1, Y): (72, 72)},
    ),
    "A3: SETADCXX has none": (
        word(2, 0x5E800000 | 0x3FF << 10 | 0x2AA),
        {(2, PK, 0, X): (0x2AA, 0x2AA), (2, PK, 1, X): (0x3FF, 0x3FF)},
    ),
    "A5: XY in the mask": (
        word(0, paired(SETADCXY, 1, (3, 4, 5, 7), 0b0110, 0)),
        {(0, U0, 0, Y): (4, 4), (0, U0, 1, X): (5, 5)},
    ),
    "A5: ZW in the mask": (
        word(0, paired(SETADCZW, 1, (3, 4, 5, 7), 0b1001, 0)),
        {(0, U0, 0, Z): (3, 3), (0, U0, 1, W): (7, 7)},
    ),
    "A4, A12: the checkpoint moves, too": (
        word(2, paired(ADDRCRXY, 4, (3, 0, 5, 7), 0b0111, 0)),
        {(2, PK, 0, X): (77, 77), (2, PK, 0, Y): (75, 75), (2, PK, 1, X): (83, 83)},
    ),
    "A4, A12: of Z and W": (
        word(2, paired(ADDRCRZW, 4, (3, 0, 5, 7), 0b1110, 0)),
        {(2, PK, 0, W): (77, 77), (2, PK, 1, Z): (85, 85), (2, PK, 1, W): (88, 88)},
    ),
    "A5, A6: increments have no mask and leave checkpoints": (
        word(1, paired(INCADCXY, 1, (7, 1, 0, 4), 5, 0)),
        {(1, U0, 0, X): (131, 34), (1, U0, 0, Y): (126, 35), (1, U0, 1, Y): (133, 39)},
    ),
    "A5, A6: of Z and W": (
        word(1, paired(INCADCZW, 1, (7, 1, 0, 4), 0, 0)),
        {(1, U0, 0, Z): (133, 36), (1, U0, 0, W): (128, 37), (1, U0, 1, W): (135, 41)},
    ),
    "A7: targets are multi-hot": (
        word(0, 0x50A40001), {(0, U0, 0, Y): (1, 1), (0, PK, 0, Y): (1, 1)},
    ),
    "A7: without a target": (word(0, 0x5E000000), {}, EMPTY),
    "A7: an increment without a target": (
        word(0, paired(INCADCZW, 0, (1, 1, 1, 1), 15, 0)), {}, EMPTY,
    ),
    "A7: SETADCXY without a mask": (
        word(0, paired(SETADCXY, 7, (1, 1, 1, 1), 0, 0)), {}, EMPTY,
    ),
    "A7: ADDRCRZW without a mask": (
        word(0, paired(ADDRCRZW, 7, (1, 1, 1, 1), 0, 0)), {}, EMPTY,
    ),
    "A7: increments of 0 are not empty": (
        word(0, paired(INCADCXY, 7, (0, 0, 0, 0), 0, 0)), {},
    ),
    "both warnings at once": (word(0, 0x50010001), {}, ("x_override", "empty")),
    "unnamed bits are ignored": (
        word(1, paired(SETADCXY, 1, (1, 0, 0, 0), 0x31, 0) | 0x100000), {(1, U0, 0, X): (1, 1)},
    ),
    "A11: once per distinct set": (
        unpack(1, 0, 2, 1, 2, 3, 0),
        {
            (0, U1, 0, Y): (110, 19), (0, U1, 0, Z): (112, 20), (0, U1, 1, Y): (116, 23),
            (2, U1, 0, Y): (158, 67), (2, U1, 0, Z): (160, 68), (2, U1, 1, Y): (164, 71),
        },
    ),
    "A11: and once for a set named twice": (
        unpack(0, 1, 1, 0, 0, 0, 2), {(1, U0, 1, Z): (132, 40)},
    ),
    "A11: thread 3 writes nothing": (unpack(1, 3, 0, 1, 1, 1, 1), {}, ("unpack_thread",)),
    "A11: ADC 3 writes nothing": (unpack(1, 0, 3, 1, 1, 1, 1), {}, ("unpack_thread",)),
    "P18: no set": (pack(0, 0xFFFF), {}),
    "P18: increments": (
        pack(5, 0x5143),
        {
            (0, PK, 0, Y): (120, 27), (0, PK, 0, Z): (119, 28), (0, PK, 1, Y): (126, 31),
            (0, PK, 1, Z): (123, 32), (2, PK, 0, Y): (168, 75), (2, PK, 0, Z): (167, 76),
            (2, PK, 1, Y): (174, 79), (2, PK, 1, Z): (171, 80),
        },
    ),
    "P18: from the checkpoint": (
        pack(2, 0x1F | 0x13 << 6), {(1, PK, 0, Y): (66, 66), (1, PK, 1, Y): (58, 58)},
    ),
    "P18: a clear stands over it": (
        pack(2, 0x3F | 0x21 << 6), {(1, PK, 0, Y): (0, 0), (1, PK, 1, Y): (0, 0)},
    ),
    "P18: Z has clear and increment alone": (
        pack(2, 0xF000), {(1, PK, 0, Z): (0, 0), (1, PK, 1, Z): (0, 0)},
    ),
    "C14: a live value": (flop(1, U1, 0, W, 0, 0x2A5A5), {(1, U1, 0, W): (0xA5, 45)}),
    "C14: a checkpoint": (flop(1, U1, 1, X, 1, 0x2A5A5), {(1, U1, 1, X): (136, 0x2A5A5)}),
    "C14: thread 3 writes nothing": (flop(3, 0, 1, 3, 1, 77), {}, ("flop_thread",)),
    "C14: target 3 writes nothing": (flop(1, 3, 1, 3, 0, 77), {}, ("flop_select",)),
    "C14: nor do both": (flop(3, 3, 1, 3, 0, 77), {}, ("flop_thread", "flop_select")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_command(name: str) -> None:
    command, changes, *faults = CASES[name]
    assert changed(filled(), command) == (faults[0] if faults else (), changes)


def test_a8_opcodes() -> None:
    assert {0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x5E} == OPCODES
    for opcode in set(range(256)) - OPCODES:
        assert changed(filled(), word(1, opcode << 24 | 0xFFFFFF)) == (("illegal",), {})


@pytest.mark.parametrize("profile", ZW)
def test_a1_a15_a16_everything_wraps_at_its_width(profile: str) -> None:
    zw = ZW[profile]
    assert AddressCounters(profile).widths == (18, 13, zw, zw)
    for channel, counter in itertools.product((0, 1), (X, Y, Z, W)):
        width = (18, 13, zw, zw)[counter]
        inc, cr = (INCADCXY, ADDRCRXY) if counter < Z else (INCADCZW, ADDRCRZW)
        bit = 2 * channel + counter % 2
        fives = 5 << 6 + 3 * bit | 2 << 21
        place = (0, U1, channel, counter)
        counters = AddressCounters(profile)
        assert not counters.live.any() and not counters.checkpoint.any()
        for command, after in (
            (word(0, 0x50400000 | channel << 20 | counter << 18 | 0xFFFF), 0xFFFF % (1 << width)),
            (flop(*place, 1, (1 << width) - 4), 0xFFFF % (1 << width)),
            (flop(*place, 0, 0x3FFFF), (1 << width) - 1),
            (flop(*place, 0, (1 << width) - 3), (1 << width) - 3),
            (word(0, inc << 24 | fives), 2),
            (word(0, cr << 24 | fives | 1 << bit), 1),
            (flop(*place, 0, (1 << width) - 6), (1 << width) - 6),
            (word(0, inc << 24 | fives), (1 << width) - 1),
        ):
            command(counters)
            assert int(counters.live[place]) == after
        assert int(counters.checkpoint[place]) == 1
        assert np.count_nonzero(counters.live) == np.count_nonzero(counters.checkpoint) == 1


@pytest.mark.parametrize(("profile", "after"), [("baseline", 0), ("blackhole", 256)])
def test_v8_updates_wrap(profile: str, after: int) -> None:
    counters = AddressCounters(profile)
    counters.live[0, U0, 0, Z] = 253
    counters.live[0, U0, 1, Y] = 8190
    counters.live[0, PK, 1] = (0, 8191, 0, 0)
    counters.checkpoint[0, PK, 0, Y] = 8190
    unpack(0, 0, 2, 0, 3, 3, 0)(counters)
    assert counters.live[[0, 2], U0].tolist() == [[[0, 0, after, 0], [0, 1, 0, 0]],
                                                  [[0, 0, 3, 0], [0, 3, 0, 0]]]  # fmt: skip
    pack(1, 0x1F | 2 << 6)(counters)
    assert counters.live[0, PK].tolist() == [[0, 13, 0, 0], [0, 1, 0, 0]]
    assert counters.checkpoint[0, PK].tolist() == [[0, 13, 0, 0], [0, 0, 0, 0]]


def test_v8_addrcr() -> None:
    counters = AddressCounters()
    counters.live[0, U0, 0, Z], counters.checkpoint[0, U0, 0, Z] = 9, 5
    command = word(0, isa.encode("ADDRCRZW", target=1, z0_inc=2, mask=1))
    assert changed(counters, command) == ((), {(0, U0, 0, Z): (7, 7)})


@pytest.mark.parametrize("thread", [-1, 3])
def test_bad_thread(thread: int) -> None:
    with pytest.raises(ValueError, match=r"^no thread -?[13]: choose from 0, 1, 2$"):
        AddressCounters().execute(thread, 0x50200000)


@pytest.mark.parametrize("bad", [-1, 1 << 32])
def test_bad_word(bad: int) -> None:
    counters = AddressCounters()
    with pytest.raises(ValueError, match="does not fit in 32 bits"):
        counters.execute(0, bad)
    assert not counters.live.any()


def test_unknown_profile() -> None:
    with pytest.raises(ValueError, match="unknown profile 'nonesuch'"):
        AddressCounters("nonesuch")


@pytest.mark.parametrize(
    ("method", "widths"),
    [("unpack_update", (1, 2, 2, 2, 2, 2, 2)), ("pack_update", (3, 16)),
     ("flop", (2, 2, 1, 2, 1, 18))],
)  # fmt: skip
def test_arguments_outside_their_widths(method: str, widths: tuple[int, ...]) -> None:
    counters = AddressCounters()
    for place, width in enumerate(widths):
        for bad in (-1, 1 << width):
            arguments = [0] * len(widths)
            arguments[place] = bad
            with pytest.raises(ValueError, match=f"{bad} does not fit in {width} bits"):
                getattr(counters, method)(*arguments)
    assert not counters.live.any() and not counters.checkpoint.any()
