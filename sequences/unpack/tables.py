# SPDX-License-Identifier: Apache-2.0
"""What random stimulus of the unpackers is drawn from, and presets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any, Final

import numpy as np

from tilepath.engine.stimulus.tables import (
    Table,
    Tables,
    chance,
    choice,
    column,
    mix,
    uniform,
)
from tilepath.sequences.adc.words import OPCODES, packed
from tilepath.sequences.unpack import words as w
from tilepath.sequences.unpack.setup_table import KINDS, SETUPS
from tilepath.sequences.unpack.storm import STEPS, STORM

LANES: Final = ("one", "both", "two", "same", "three")
NOPS: Final = (
    "nop", "overlay", "overlay_stream", "setreg", "zerosrc", "setdvalid", "flush", "inc_context",
)  # fmt: skip
LAST: Final = -1
"""The last index of a dimension, or any (:data:`UNPACR`)."""
KEPT: Final = -1

SCENE: Final = Table(
    "scene",
    lanes=choice(LANES, {"one": 1, "both": 2, "two": 3, "same": 0.7, "three": 0.7}),
    threads=choice(tuple(permutations(range(3)))),
    unpacker=uniform(0, 1),
    switch=chance(0.2),
    overlap=chance(0.5),
    bank=uniform(0, 1),
    unsigned=mix({"kept": (0.7, KEPT), "new": (0.3, uniform(0, 3))}),
    dst_map=mix({"kept": (0.6, KEPT), "new": (0.4, uniform(0, 3))}),
    length=uniform(1, 7, shape=3, within=range(1, 65)),
    most=uniform(1024, within=range(1, 4097)),
    fence=chance(0.1, shape=3),
)
"""Scenes: who does what.

``lanes``: one thread one unpacker; one both; two threads one each; two the same; one and two.
``switch``: the threads change their StateID all the time. ``overlap``: it begins while the one
before is still running. ``length``: UNPACRs of each lane; ``most``: datums, and positions of
output, of each at most.
"""

_WORDS: Final = mix({"none": (0.5, 0), "some": (0.5, uniform(0, 63))})

THREAD: Final = Table(
    "thread",
    base0=choice((0, 0, 0, 1, 2, 3)),
    base1=choice((0, 0, 0, 0, 1)),
    ovrd=chance(0.4),
    offset=mix(
        {
            "none": (0.7, uniform(0, shape=2)),
            "some": (0.3, mix({4: choice((0, 1, 7, 8)), 1: uniform(0, 15)}, shape=2)),
        }
    ),
    reset=uniform(0, 1, shape=2),
    stream=uniform(0, 63, shape=2),
    stores=_WORDS,
    overruled=_WORDS,
).aimed(
    stores="store.thread_x_beside_setc16",
    overruled="store.thread_x_beside_setc16",
)
"""A thread's own words. ``offset``: of contexts; ``stores``, ``overruled``: which of its six words
a core stores, and beside which SETC16 a core stores something else.
"""


_MOVES: Final = ("incadcxy", "incadczw", "addrcrxy", "addrcrzw", "setadcxy", "setadczw")


def _moving(move: Any, moved: Any, mask: Any) -> Any:
    """Words that move counters of no unpacker yet, X of none."""
    x0, y0, x1, y1 = moved.T
    xy = move % 2 == 0
    values = (np.where(xy, 0, x0), y0, np.where(xy, 0, x1), y1)
    words = packed("setadcxy", 0, values, mask * (move > 1)) & 0xFF_FFFF
    return words | np.array([OPCODES[one] << 24 for one in _MOVES])[move]


UNPACR: Final = Table(
    "unpacr",
    faults=chance(0.0, faulty=True),
    multi=chance(0.6),
    other=chance(0.4),
    adc=uniform(0, 3),
    context=uniform(0, 7),
    inc=choice((0, 0, 0, 1, 2, 3), shape=4),
    flip=chance(0.4),
    zero=chance(0.08),
    counter=chance(0.35),
    search=chance(0.15),
    last=chance(0.95),
    word=column(w.of_columns),
    twist=mix({7: 0, 3: choice((1 << 5, 1 << 14, 3 << 8, 1 << 5))}),
    anew=chance(0.5),
    counts=mix(
        {"0": (0.3, 0), "few": (2, uniform(1, 14)), "row": (2, 16),
         "edge": (2, choice((15, 16, 17, 31, 32, 33, 47, 48, 64))),
         "256": (1, 256), "1024": (0.05, 1024), "any": (2, uniform(1, 200))}
    ),
    calm=uniform(1, 40),
    x=mix({9: choice((0, 0, 16, 32, 1, 2, 3, 15, 31)), 1: uniform(0, 40)}),
    y=mix({4: choice((0, 0, 1, 2)), 1: LAST}),
    z=mix({5: choice((0, 0, 1, 2, 3)), 1: LAST}),
    w=mix({4: choice((0, 0, 0, 1)), 1: LAST}),
    far=uniform(0, 4095, shape=4),
    y1=choice((0, 0, 1, 2, 3)),
    z1=choice((0, 0, 1, 2)),
    w1=choice((0, 0, 0, 1)),
    whole=chance(0.4),
    px=choice((0, 1, 2, 3, 5, 8, 16)),
    more=choice((0, 0, 0, 1)),
    span=mix({7: choice((0, 1, 3, 15, 16, 31, 39)), 1: uniform(0, 60)}),
    again=chance(0.2, shape=8),
    joint=chance(0.6),
    packed=chance(0.5),
    gap=mix({"none": (0.9, 0), "some": (0.1, uniform(1, 40))}),
    swap=chance(0.5),
    nop=chance(0.2),
    noise=chance(0.05, shape=2),
    of_packer=uniform(0, 255),
    move=choice(_MOVES),
    moved=mix(STEPS, shape=4),
    mask=uniform(1, 15),
    moving=column(_moving),
).aimed(
    multi="unpacr.unpacker_x_multi_x_use_counter",
    other="unpacr.multi_x_thread_x_context_adc_x_field_x_increment",
    adc="unpacr.context_adc_is",
    context=("unpacr.unpacker_x_context", "context.register_x_context_x_unpacker"),
    inc="unpacr.*increment",
    flip="unpacr.unpacker_x_flip_x_all_zero_x_row_search",
    zero=("unpacr.*all_zero*", "compressed.*all_zero*"),
    counter="context.counter_x_count_x_offset",
    search=("unpacr.*row_search", "geometry.row_search_x_blobs_x_compressed"),
    twist="fault.flag_x_unpacker",
    counts=("geometry.count_x_unpacker", "geometry.size_x_first_mod_32_x_crosses"),
    span=("compressed.count", "compressed.part_of_row*"),
    gap="timing.unpacr*",
    swap="state.*",
    nop="nop.behind_unpacr_flip_x_mode",
    move="counter.*",
)  # fmt: skip
"""UNPACRs, and what goes with them; one that does not suit the machine's state is passed over.

``anew``: counters are set to ``counts`` datums from ``x``, ``y``, ``z``, ``w`` on (``far``: places,
in 4096ths, where a dimension gives the range), output from ``y1``, ``z1``, ``w1`` on; those of
compressed tiles by ``px``, ``more``, ``span``, or a ``whole`` row; ``calm``: when others did not
suit. ``again``: also counters that stand so already; ``joint``, ``packed``: some with one word.
``swap``: the thread goes to the other bank, if its scene does. ``nop``: one follows; ``noise``: a
word for the packer's counters, ``of_packer``; one that moves own ones, ``move``.
"""

NOP: Final = Table(
    "nop",
    faults=chance(0.0, faulty=True),
    nops=choice(NOPS),
    foreign=chance(0.5),
    bits=uniform(0, (1 << 23) - 1),
    kept=mix({"all": (1, (1 << 23) - 1), "some": (1, uniform(0, (1 << 23) - 1))}),
    thin=column(lambda bits, kept: bits & (kept | 7)),
    stream=uniform(0, 63),
    number=mix({3: choice((0, 1, 0x7FF)), 1: uniform(0, 0x7FF)}),
    accumulate=chance(0.7),
    select=uniform(0, 1),
    form=uniform(0, 1),
    last=chance(0.9),
    both=chance(0.3),
    wait=uniform(0, 1),
    clear=uniform(0, 3),
    format=uniform(0, 3),
    valid=chance(0.3),
).aimed(
    nops="nop.unpacker_x_thread_x_mode",
    number=("nop.overlay*", "nop.setreg*"),
    clear="nop.zerosrc_unpacker_x_value_x_both_x_wait_x_bank_x_owner",
)
"""NOPs of all forms; ``foreign``, with ``faults``: bits that no form names, ``thin``."""

BANK: Final = Table(
    "bank",
    stalls=mix({"0": (3, 0), "few": (1, uniform(1, 12)), "many": (0.4, uniform(20, 120))}),
    reads=uniform(0, 2),
    read_row=uniform(0, 63, shape=2),
    dst=chance(0.5),
    dst_row=mix({1: uniform(0, 1023), 2: uniform(0, 40)}, shape=3),
).aimed(stalls="timing.stall_x_file", dst_row="output.dst_*")
"""The Matrix Unit takes a bank: how long it keeps it, what it reads before, of Dst, too."""

DATUM: Final = Table(
    "datum",
    datums=choice(
        ("random", "special", "near", "zero"),
        {"random": 2.0, "special": 2.0, "near": 1.0, "zero": 0.2},
    ),
    listed=uniform(0, 0xFFFF),
    bit=uniform(0, 31),
    free=uniform(0, 0xFFFF_FFFF),
).aimed(datums="datum.*")
"""Datums in L1: any, one of a format's special values, one with a bit changed, 0.

``listed``: which special value, in 65536ths of them; ``bit``: which one changes, in 32ths.
"""

EXPONENT: Final = Table(
    "exponent",
    exponent=mix(
        {
            "edge": (1, choice((0, 1, 2, 3, 5, 6, 7, 127, 128, 31, 32, 254, 255))),
            "any": (1, uniform(0, 255)),
        }
    ),
    small=mix({3: choice((7, 8, 15, 30, 31)), 7: uniform(7, 31)}),
).aimed(exponent="datum.bfp*", small="datum.bfp*")
"""Bytes of exponents; ``small``: of BFPa formats, no ``bfpa`` fault whatever the magnitude."""

ZEROS: Final = Table(
    "zeros",
    zeros=mix({"1": (0.3, 1), "15": (0.21, 15), "any": (0.49, uniform(0, 15))}),
    dense=uniform(0, 99),
).aimed(zeros="compressed.all_zero_x_nibble")
"""Zeros behind a compressed datum: there are some where ``dense`` is not below the tile's."""

ROWS: Final = Table(
    "row",
    length=mix({7: choice((0, 1, 5, 16, 31, 32, 33)), 1: uniform(0, 40)}),
    dense=choice((40, 80, 95)),
).aimed(length=("compressed.count", "compressed.empty_row"))
"""Rows of compressed tiles: datums; of the first of a tile, the percentage without zeros."""

LATENCY: Final = Table(
    "latency",
    latencies=mix({"one": (1, 1), "short": (2, uniform(1, 6)), "any": (1, uniform(1, 31))}),
    cycles=uniform(1, 299),
).aimed(latencies="timing.l1_latency_x_unpacker")
"""Latencies of L1."""

BASE: Final = Table("base", bases=uniform(0, (1 << 20) - 1, shape=2), cycles=uniform(50, 799))
"""Bases that SETREG adds to."""

_SCENES: Final = Tables(
    SCENE, THREAD, *SETUPS, UNPACR, NOP, BANK, DATUM, EXPONENT, ZEROS, ROWS, LATENCY, BASE
)
_STORM: Final = Tables(*SETUPS, *STORM, LATENCY, BASE)

PRESETS: Final[Mapping[str, Tables]] = {
    "random_default": _SCENES,
    "random_packed": _SCENES.weighted(
        kinds={"packed": 1},
        multi=0.5,
        reads=range(1, 3),
        nop=0.05,
        search=0.3,
        blobs={"none": 4, "some": 6},
    ),
    "random_pipeline": _SCENES.weighted(
        lanes={"both": 1, "two": 1, "three": 1},
        kinds={"plain": 4, "transpose": 0.5},
        counts={"0": 0.5, "few": 3, "row": 3, "edge": 1, "256": 0.3},
        stalls={"0": 2, "few": 2, "many": 1},
        reads=range(1, 3),
        **{"scene.length": range(1, 17)},
        flip=0.6,
        anew=0.1,
        gap={"none": 0.95, "some": 0.05},
        nop=0.4,
        wrap=0.1,
        overlap=0.7,
    ),
    "random_faults": _SCENES.weighted(faults=0.4, nop=0.3),
    "random_storm": _STORM.weighted(
        kinds={name: 1 for name in KINDS if name != "packed"},
        faults=0.2,
        blobs={"none": 4, "some": 6},
    ),
}
"""The tests of these names draw from them."""
