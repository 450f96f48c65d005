# SPDX-License-Identifier: Apache-2.0
"""Names of bins, bins and constants that the plans of the unpackers share."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, Kept, Planner, numbers, yes
from tilepath.isa import formats
from tilepath.isa.profiles import Profile
from tilepath.models import format_codes
from tilepath.models.adc import account as counters
from tilepath.models.unpack.account import KINDS, File
from tilepath.models.unpack.convert import Conversion
from tilepath.models.unpack.plan import Kind
from tilepath.tb.adc.coverage.labels import CONSTANTS, DERIVED, KEPT, WORDS
from tilepath.tb.instruction_words import word_fields

UNPACKERS: Final = ("u0", "u1")
THREADS: Final = ("t0", "t1", "t2")
FILES: Final = ("srca", "srcb", "dst")
OWNERS: Final = ("unpackers", "matrix")
MODES: Final = tuple(kind.name.lower() for kind in Kind if kind > Kind.FLUSH)
"""Of UNPACR_NOP (docs/unpack.md section 7)."""
ROW_KINDS: Final = ("row_search", "whole_row", "part_of_row")
SIZES: Final = {"quarter_byte": 1, "half_byte": 2, "1_byte": 4, "2_bytes": 8, "4_bytes": 16}
"""Of a datum, in quarters of a byte."""

_CODES: Final = {name: value for name, value in vars(format_codes).items() if name.isupper()}
_CONSTANTS: Final = {
    **_CODES,
    **CONSTANTS,
    **{one.name: int(one) for one in File},
    **{f"AS_{one.name}": int(one) for one in Conversion},
    **{f"IS_{one.name}": int(one) for one in Kind},
}

_BINS: Final = {
    "unpacker": Bins("unpacker", UNPACKERS),
    "thread": Bins("thread", THREADS),
    "file": Bins("file", FILES),
    "bank": Bins("bank", numbers(2)),
    "counter": Bins("context", numbers(8)),
    "count": Bins("context_count", numbers(4)),
    "flip": yes("word.flip_src"),
    "all_zero": yes("word.all_zero"),
    "row_search": yes("word.row_search"),
    "is_compressed": yes("compressed"),
    "bits": Bins("wide", ("16", "32")),
}
_OF_COUNTERS: Final = {f"counter_{kind}": rows for kind, rows in counters.KINDS.items()}
_WORD: Final = {
    **word_fields("UNPACR_NOP_ZEROSRC", "UNPACR_NOP_OVERLAY_CLEAR_STREAM"),
    **word_fields("UNPACR_NOP", profile="blackhole"),
    **word_fields("UNPACR"),
}
_FILE: Final = "DST if to_dst else unpacker"
_DERIVED: Final = {
    # a compressed UNPACR has its address phase for three cycles (A14)
    "sampled": {"since": "cycle - phase.cycle - 2 * phase.compressed"},
    "step": {"file": _FILE},
    "regular": {
        "file": _FILE,
        "count": "0 if compressed else source.count",
        "out_format": "target.out_format",
        "limit": "source.limit",
        "fifo": "source.fifo",
    },
    **{f"counter_{kind}": columns for kind, columns in DERIVED.items()},
}  # fmt: skip
_KEPT: Final = {
    "sampled": {
        "phase": Kept(where="kind <= IS_FLUSH"),
        "regular": Kept("unpacker", 2, "kind == IS_REGULAR"),
    },
    "order": {
        "sample": Kept("3 * unpacker + thread", 6, "word"),
        "use": Kept("3 * unpacker + thread", 6, "uses"),
        "clear": Kept("3 * unpacker + thread", 6, "resets"),
    },
    "matrix": {"before": Kept(where="writes")},
    # what unpacker 0, which comes first, requests
    "request": {"beside": Kept(where="unpacker == 0 and want")},
    **{f"counter_{kind}": rows for kind, rows in KEPT.items()},
}
plan: Final = Planner(
    {**KINDS, **_OF_COUNTERS}, _CONSTANTS, _BINS, {**WORDS, "word": _WORD}, _DERIVED, _KEPT
)

# Legal pairs of formats and what is read so (U45 to U56)
_FORMATS: Final = {one.name.lower(): one for one in formats.formats().values()}
BFPS: Final = {name: one.fraction for name, one in _FORMATS.items() if one.shared}
"""Bits of the magnitude."""
_TWO_WAYS: Final = {one.code for one in formats.variants()}
_SAME: Final = {
    name: one
    for name, one in sorted(_FORMATS.items(), key=lambda item: not item[1].shared)
    if one.bits < 32 and one.code not in _TWO_WAYS
}
LEGAL: Final = {
    **{f"fp32_to_{out}": f"in_format == FP32 and out_format == {out.upper()}"
       for out in ("tf32", "bf16", "fp16")},
    **{name: f"in_format == out_format == {name.upper()}" for name in _SAME},
    "fp8_e5m2": "in_format == out_format == FP8 and conversion != AS_E4M3",
    "fp8_e4m3": "in_format == out_format == FP8",
    "int8": "in_format == out_format == INT8 and conversion == AS_INT8",
    "int8_unsigned": "in_format == out_format == INT8",
    "fp32_to_fp32": "in_format == out_format == FP32 and file == DST",
    "tf32": "in_format == out_format == TF32 and file == DST",
    "int32": "in_format == out_format == INT32 and file == DST",
}  # fmt: skip

FLOATS: Final = (
    *(name for name in LEGAL if name.startswith("fp32_to")),
    "tf32",
    *(name for name, one in _SAME.items() if one.exponent and not one.shared),
    *(name for name in LEGAL if name.startswith("fp8")),
)
"""Those of floats with an exponent of their own."""


def sizes(profile: Profile) -> tuple[str, ...]:
    """Sizes of a datum, with the row width that goes with them (U25)."""
    return tuple(
        f"{name}.row{profile.row_w if quarters >= 8 else 16}" for name, quarters in SIZES.items()
    )


def sized(labels: tuple[str, ...]) -> Bins:
    """Bins of sizes, largest last."""
    sizes_of = tuple(SIZES.values())[-len(labels) :]
    pairs = zip(labels, sizes_of, strict=True)
    return Bins({name: f"quarters == {quarters}" for name, quarters in pairs})


def excluded_modes(profile: Profile, axes: int, mode_axis: int) -> tuple[Exclude, ...]:
    """Modes that the encoding of the profile does not have, on axis ``mode_axis`` of ``axes``."""
    mode = "reserved" if profile.nop_enc == "BH" else "zerosrc_dvalid"
    where = tuple(mode if axis == mode_axis else None for axis in range(axes))
    return (Exclude(where, "not in this encoding of UNPACR_NOP (U1)"),)
