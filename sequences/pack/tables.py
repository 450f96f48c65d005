# SPDX-License-Identifier: Apache-2.0
"""What random stimulus of the packers is drawn from: a table for each thing that scenes have."""

from __future__ import annotations

from itertools import permutations
from typing import Any, Final

from tilepath.engine.stimulus.tables import (
    Table,
    by,
    chance,
    choice,
    column,
    mix,
    pauses,
    repeated,
    uniform,
)
from tilepath.sequences.adc import words as counter_words
from tilepath.sequences.config_script import ALL_ROWS
from tilepath.sequences.pack import cells, dst
from tilepath.sequences.pack.faults import COMMON, KEPT, WRONG
from tilepath.sequences.pack.script import WAYS

TARGETS: Final = ("own", "bfp", "any")
COUNTS: Final = ("zero", "one", "few", "row", "edge", "face")
THREADS: Final = ("one", "two", "three")
LEGAL_MASKS: Final = (0, 1, 2, 4, 8, 3, 0xC, 0xF, 5, 7, 0xA)
MARGIN: Final = 4_000
"""Lines in front of a packer's tiles."""
_MOST_SOURCE: Final = 200_000
_WORD: Final = (1 << 32) - 1
_THRESHOLDS: Final = (0, 1, 0x3F, 0x0080, 0x3C00, 0x3F80, 0x4000, 0x7BFF, 0x7F7F, 0x7F80, 0x7FFF)
THRESHOLD_CORNERS: Final = (0, 1, 15, 31, 32, 113, 127)
_MASKS: Final = (0, 1, 0x8000, 0x00FF, 0xFF00, 0x5555, 0xFFFF, 0xFFFE, 0x7FFF)


def _each(given: Any) -> Any:
    """Four draws, one a packer; or four times the same one."""
    return repeated(given, 0.4)


def _corners(corners: tuple[int, ...], most: int, shape: int | tuple[()] = ()) -> Any:
    """One of ``corners``, or as likely as each of them: anything up to ``most``."""
    parts = {"corner": (len(corners), choice(corners)), "any": (1, uniform(0, most))}
    return mix(parts, shape=shape)


SETUP: Final = Table(
    "setup",
    formats=choice(cells.NAMES),
    cell=uniform(0, 999),
    targets=choice(TARGETS, {"own": 2.0, "bfp": 2.0, "any": 2.0}, shape=4),
    target=uniform(0, 999, shape=4),
    inner_override=chance(0.3),
    inner=uniform(0, 15),
    # what is read
    any_strides=chance(0.3),
    row_unit=chance(0.7),
    faces=choice(((0, 16, 32, 48), (0, 32, 64, 96), (0, 0, 0, 0))),
    first=mix({"corner": (5, choice((0, 0, 64, 512, 960))), "any": (1, uniform(0, 1023))}),
    x_stride=choice(("none", "size", "odd")),
    y_stride=uniform(0, 5),
    z_stride=uniform(0, 40),
    w_stride=uniform(0, 90),
    base0=uniform(0, 60),
    dst_offset=uniform(0, 0xFFF, shape=4),
    ignore_valid=chance(0.2),
    remaps=chance(0.6),
    remap=chance(0.8),
    swizzle=chance(0.8),
    source=chance(0.06),
    source_base=uniform(0, _MOST_SOURCE // 16),
    source_y=uniform(0, 4, within=range(1 << 12)),
    source_z=uniform(0, 9),
    source_far=chance(0.3),
    source_high=uniform(0, 1, within=range(8)),
    source_near=uniform(0, 100, within=range(1 << 14)),
    # what changes values
    relu=chance(0.35),
    relu_mode=choice((0, 1, 2, 3, 2, 3)),
    relu_mode_integer=uniform(0, 1),
    relu_threshold=_corners(_THRESHOLDS, 0x7FFF),
    relu_minus=chance(0.5),
    descales=chance(0.7),
    descale=chance(0.8),
    descale_shift=mix(
        {
            "few": (5, choice((0, 1, 3, 8, 31))), "any": (1, uniform(0, 31)),
            "far": (1, uniform(0, 1 << 31)),
        }
    ),
    threshold=chance(0.15),
    threshold_en=_each(uniform(0, 1, shape=4)),
    threshold_at=_corners(THRESHOLD_CORNERS, 255),
    downsample=chance(0.15),
    downsample_mask=_each(_corners((0, 1, 0xFFFF, 0x5555), 0xFFFF, 4)),
    edges=chance(0.2),
    edge_mask=_each(_corners(_MASKS, 0xFFFF, 4)),
    edge_mode=uniform(0, 1),
    row_map=_each(uniform(0, _WORD, shape=4)),
    face_map=_each(uniform(0, _WORD, shape=4)),
    face_enable=uniform(0, 1),
    face_select=uniform(0, 255),
    row_select=uniform(0, 255),
    z_offset=_each(uniform(0, 63, shape=4)),
    reads=_each(choice((1, 2, 3, 4, 8, 16), shape=4)),
    transposed=_each(uniform(0, 1, shape=4)),
    # what is written
    compressed=chance(0.1, shape=4),
    accumulate=chance(0.1, shape=4),
    alike=chance(0.8),
    relative=chance(0.3),
    area=uniform(0, 500, shape=4),
    no_header=_each(uniform(0, 1, shape=4)),
    row_size=uniform(5, 8),
    exp_size=_each(uniform(60, 80, shape=4)),
    exp_size_alone=uniform(100, 128),
    e4m3=chance(0.3),
    by_override=chance(0.3),
    uncompressed=_each(uniform(0, 1, shape=4)),
    odd_override=chance(0.2),
    uncompressed_all=uniform(0, 15),
    uncompressed_override=uniform(0, 1),
    output=chance(0.4),
    y_stride1=uniform(0, 12),
    z_stride1=uniform(0, 24),
    w_stride1=uniform(0, 24),
    base1=uniform(0, 500),
    far_output=chance(0.15),
    far_counter=uniform(0, 2),
    far_stride=uniform(0x2000, 0xFFFF),
    y_lines=mix({"not": (0.8, -1), "none": (0.1, 0), "one": (0.1, 16)}),
    offset=chance(0.25),
    add_offset=_each(uniform(0, 1, shape=4)),
    limits=chance(0.15),
    fifo=_each(uniform(0, MARGIN // 2 - 300, shape=4)),
    limit=uniform(-2, 150, shape=4, within=range(-2, 90_001)),
).aimed(
    formats=("early.*", "late.*", "format.*"),
    targets=("late.*", "format.float_from_x_to", "format.to_x_packer"),
    any_strides=("address.*",),
    x_stride="address.size_x_x_stride",
    dst_offset="address.offset_x_packer",
    ignore_valid="dst.valid_x_flags_ignored",
    source=("source.*", "pacr.flags_x_source"),
    relu=("relu.*", "edge.masked_mode_x_container_x_relu"),
    relu_threshold="relu.*_mode_x_threshold_x_value",
    descale_shift="early.shift_x_rest",
    threshold_at="threshold.exponent_x_relation",
    downsample_mask="downsample.*",
    edge_mask="edge.*",
    reads=("position.wraps_x_reads_x_transposed",),
    transposed="position.wraps_x_reads_x_transposed",
    compressed=("compressed.*", "closing.*"),
    accumulate=("sum.*", "accumulate.format_x_pads"),
    relative="tile.relative*",
    no_header="tile.packer_x_header_x_offset",
    exp_size="tile.exponent_section_x_format",
    by_override="compressed.override_x_packer_x_compressed",
    y_stride1="tile.counter_x_stride",
    far_output="tile.counter_x_beyond_18_bits",
    y_lines="tile.needs_new_x_address_differs",
    add_offset="tile.packer_x_header_x_offset",
    limit="tile.limit_x_packer",
)  # fmt: skip
"""Set-ups; of four values, one a packer. ``cell``, ``target``: which of those that there are.

``any_strides``: any, in units of a row with ``row_unit``, of a datum without; else a tile's, with
``faces``. ``dst_offset``: with these. ``first``: row of Dst. ``source…``: in L1. ``y_lines``: in
place of ``y_stride1``, if it is not below 0. ``alike``: all packers have packer 0's target.
``limit``: above the first tile. ``far_…``: rows 256 KiB apart, where they wrap.
"""

LOAD: Final = Table(
    "load",
    rows=uniform(0, 24, within=range(1025)),
    begin=uniform(0, 3, shape=4),
    count=uniform(1, 18, shape=4),
    longest=uniform(4, 9),
).aimed(longest="dst_write.rows", count="dst_write.behind_the_last_row")
"""What is put into Dst: rows anywhere, and where packers begin; so many at once at most."""

DATA: Final = Table(
    "contents",
    values=choice(dst.CLASSES, {"random": 2.0, "special": 3.0, "near": 2.0, "sparse": 0.5}),
    more=pauses(4),
).aimed(values=("early.*", "late.*", "sum.*", "compressed.size_x_run_of_zeros", "group.*"))
"""Values of rows of Dst: a class for a row and ``more``."""

SCENE: Final = Table(
    "scene",
    faults=chance(0.0, faulty=True),
    second=chance(0.3),
    histograms=chance(0.5),
    mode=choice((6, 7), shape=4),
    any_packer=uniform(0, 3),
    any_bin=uniform(0, 15),
    clear=chance(0.15),
    other=chance(0.3),
    other_relu=uniform(0, 1),
    bank=uniform(0, 1),
    wide=chance(0.7, shape=2),
    thread_bank=uniform(0, 1, shape=3),
    stats=chance(0.5, shape=3),
    mods=chance(0.3, shape=12),
    offset=chance(0.25),
    offset_packers=uniform(0, 15),
    offset_value=uniform(0, 1000, within=range(1 << 16)),
    valid=chance(0.1),
    cleared=choice(("all", "half0", "half1")),
    old_sums=chance(0.7),
    sums=uniform(1, 4, shape=4),
    moved=uniform(0, 300, shape=4),
    downsamples=chance(0.5),
    downsample_mask=_each(mix({"none": (1, 0), "any": (1, uniform(0, 0xFFFF))}, shape=4)),
    relus=chance(0.5),
    relu_mode=uniform(0, 1),
    close_thread=uniform(0, 2),
    close_mask=uniform(0, 15),
    close_all=chance(0.3),
    flushes=chance(0.6),
).aimed(
    mode="histogram.read_mode_x_packer",
    clear="histogram.clear_x_last_row",
    other="state.bank_x_the_other_differs",
    wide="cfg.banks_x_wide_x_global",
    mods="setc16.thread_x_word",
    offset_value="offset.packer_x_value",
    cleared="dst_zero.rows",
    close_mask=("closing.*",),
)
"""Scenes. ``second``: a second part with open tiles, whose destinations are ``moved``. ``other``:
threads use both banks, which differ in ``other_relu``. ``cleared``: with ``valid``, rows of Dst
that are not valid. ``close…``: how all tiles are closed.
"""

WRITES: Final = Table(
    "writes",
    flops=mix(
        {"none": (0.5, 0), "some": (0.4, uniform(0, ALL_ROWS)), "all": (0.1, ALL_ROWS)}, shape=2
    ),
    ways=choice(WAYS, {"setc16": 3, "stored": 1, "overruled": 1}, shape=(3, 6)),
).aimed(flops="flop.bank_x_beside_cfg", ways="store.thread_x_beside_setc16")
"""How a set-up is written: ``flops``: which words REG2FLOP writes, of each bank; ``ways``: each
thread's words, ADDR_MOD_PACK's first."""

RUN: Final = Table(
    "run",
    threads=choice(THREADS, {"one": 2.0, "two": 1.0, "three": 1.0}),
    order=choice(tuple(permutations(range(3)))),
    length=uniform(1, 14, within=range(1, 101)),
    override=chance(0.15, shape=3),
    y0=uniform(0, 3, shape=3, within=range(1 << 13)),
    z0=uniform(0, 3, shape=3, within=range(1 << 13)),
    w0=uniform(0, 1, shape=3),
    y1=uniform(0, 63, shape=3, within=range(1 << 13)),
    z1=uniform(0, 20, shape=3, within=range(1 << 13)),
    w1=uniform(0, 20, shape=3),
    disturb=chance(0.3),
).aimed(threads=("busy.threads_of_a_packer", "pacr.mask_x_thread"), length="pacr.steps")
"""Instructions of a scene: so many of the threads that come first in ``order``, and counters."""

RANGE: Final = Table(
    "range",
    shift=chance(0.25),
    first=uniform(0, 31),
    counts=choice(
        COUNTS, {"zero": 0.2, "one": 0.5, "few": 1.5, "row": 3.0, "edge": 2.0, "face": 1.0}
    ),
    datums=by(
        "counts",
        {
            "zero": 0, "one": 1, "few": uniform(2, 15), "row": 16,
            "edge": choice((7, 8, 15, 17, 31, 32, 33, 63, 64, 255)),
            "face": mix({"whole": (1, 256), "part": (1, uniform(65, 256))}),
        },
    ),
).aimed(
    datums=("pacr.datums_x_packer", "pacr.first_x_datums"),
    shift="pacr.first_x_datums",
)  # fmt: skip
"""Datums of a PACR: with ``shift``, from ``first`` on."""

STEP: Final = Table(
    "step",
    thread=uniform(0, 5),
    gap=chance(0.1),
    pause=uniform(1, 40),
    zero=chance(0.08),
    long=chance(0.3),
    zeros=mix({"any": (1, uniform(17, 1024)), "rows": (1, choice([16 * n for n in range(1, 65)]))}),
    anew=chance(0.3),
    setreg=chance(0.02),
    switch=chance(0.3),
    context=uniform(0, 3),
    mask=uniform(0, 15),
    legal_mask=choice(LEGAL_MASKS),
    last=chance(0.25),
    flush=chance(0.05),
    strided=chance(0.2),
    concat=chance(0.15),
    step=chance(0.6),
    mode=uniform(0, 3),
    override=chance(0.15),
    which=uniform(0, 3),
    mod=chance(0.1),
    mod_number=uniform(0, 3),
    # of faulty scenes
    far=chance(0.1),
    far_first=uniform(0, 600),
    far_last=uniform(0, 600),
    wrong=chance(0.3),
).aimed(
    zero="pacr.flags_x_source",
    mask="pacr.mask_x_thread",
    legal_mask="pacr.mask_x_thread",
    last=("pacr.flags*", "compressed.concat_x_ends"),
    flush=("pacr.flags*", "closing.*"),
    concat=("pacr.flags*", "compressed.concat_x_ends"),
    mode=("counters.mode_x_thread", "departure.mode_x_begun"),
    override="pacr.thread_x_override_x_context",
    which="pacr.thread_x_override_x_context",
)
"""Instructions: PACR but where ``setreg`` or ``long`` (more zeros than interfaces have) is true.
``far`` and ``wrong``: in faulty scenes, counters and words that are not legal.
"""

SETREG: Final = Table(
    "setreg",
    value=uniform(0, 0x3FF),
    select=uniform(0, 3),
    stream=uniform(17, 63),
    any_stream=uniform(0, 63),
    load=chance(0.6, shape=2),
    half=uniform(0, 0xFFFF, shape=2),
    odd=chance(0.3),
    push=uniform(0, 1),
    flushes=uniform(0, 1),
    packers=uniform(0, 15),
).aimed(value="setreg.value", select=("setreg.scaler", "setreg.form_x_select"))
"""PACR_SETREG; ``odd`` and any stream: in faulty scenes."""

MOD: Final = Table(
    "mod",
    bits=chance(0.25, shape=len(counter_words.ADDR_MOD)),
    y_in=_corners((0, 1, 1, 4), 15),
    y_out=_corners((0, 1), 15),
    word=column(
        lambda bits, y_in, y_out: counter_words.addr_mod(
            **{name: bits[:, k] for k, name in enumerate(counter_words.ADDR_MOD)}
            | {"YsrcIncr": y_in, "YdstIncr": y_out}
        )
    ),
).aimed(word="counters.*")
"""ADDR_MOD_PACK words."""

FAULT: Final = Table(
    "fault",
    wrong=choice(tuple(WRONG), {name: COMMON.get(name, 1) for name in WRONG}, shape=2),
    count=uniform(1, 2),
    pairs=chance(0.4),
    kept=choice(KEPT, {"to": 3, "uncompressed": 2, "accumulate": 2, "from_": 1, "row_size": 1,
                       "exp_size": 1}, shape=3),
    changes=uniform(0, 3),
).aimed(wrong="fault.flag_x_thread", kept="changed.*")  # fmt: skip
"""Of faulty scenes, ``count`` things that are ``wrong``, in the second part so many ``changes``."""

TILE: Final = Table(
    "tile",
    thread=uniform(0, 2),
    tiles=uniform(1, 4),
    place=uniform(0, 7, shape=4),
    area=uniform(0, 200, shape=4),
    bank=uniform(0, 1, shape=4),
    whole=chance(0.5, shape=4),
).aimed(whole="pacr.steps")
"""Scenes of whole tiles: where they lie in Dst and in L1; ``whole``: one PACR a tile."""
