# SPDX-License-Identifier: Apache-2.0
"""Faults of an instruction, of what it reads and of what it writes, as bits (section 8)."""

from __future__ import annotations

import enum

from tilepath.isa.boundary import unpack_faults
from tilepath.isa.boundary.description import names

FAULTS = names(unpack_faults.FAULTS)
READ_FAULTS = names(unpack_faults.READ_FAULTS)
WRITE_FAULTS = names(unpack_faults.WRITE_FAULTS)
UNIT_FAULTS = names(unpack_faults.UNIT_FAULTS)


class Flag(enum.IntEnum):
    """Of an instruction; names and order are those of the boundary."""

    RESERVED_BIT = 1 << 0
    CONTEXT_ADC = 1 << 1
    CONTEXT_RANGE = 1 << 2
    FORMAT_CODE = 1 << 3
    FORMAT_PAIR = 1 << 4
    FORMAT_FP32 = 1 << 5
    FORMAT_SRC = 1 << 6
    COMPRESSED_BFP2 = 1 << 7
    BFP_ALIAS = 1 << 8
    OUT_ALIGN = 1 << 9
    X_WINDOW = 1 << 10
    X_ORDER = 1 << 11
    BLOBS_INDEX = 1 << 12
    START_ALIGN = 1 << 13
    Y_RANGE = 1 << 14
    TILIZE_COMBO = 1 << 15
    DST_MODES = 1 << 16
    DST_OVRD = 1 << 17
    THROTTLE = 1 << 18
    NOP_RESERVED = 1 << 19
    NOP_FOREIGN = 1 << 20
    TRANSPOSE_SRCB = 1 << 21
    BURST = 1 << 22
    OUT_ROW = 1 << 23
    OUT_LOW = 1 << 24
    NEGINF_SRCB = 1 << 25
    NOT_LAST = 1 << 26
    EMPTY_FLIP = 1 << 27


class ReadFlag(enum.IntEnum):
    """Of a request to L1."""

    DATUM = 1 << 0
    EXPONENT = 1 << 1
    RSI = 1 << 2
    DELTA = 1 << 3
    START_ALIGN = 1 << 4


class WriteFlag(enum.IntEnum):
    """Of a step or a token."""

    BFPA = 1 << 0
    SRCA_ROW = 1 << 1
    SRCB_ROW = 1 << 2
    FLIP_OWNER = 1 << 3
    ZEROSRC_MATRIX = 1 << 4
    ZEROSRC_RACE = 1 << 5
    EMPTY_FLIP = 1 << 6


class UnitFlag(enum.IntEnum):
    """Of the unit; that of unpacker u is ``UNSIGNED`` << u."""

    UNSIGNED = 1 << 0
    STALE = 1 << 2


def flag_names(flags: int, of: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the bits set in ``flags``, bit 0 first."""
    return tuple(name for bit, name in enumerate(of) if flags >> bit & 1)
