# SPDX-License-Identifier: Apache-2.0
"""The unpackers' faults, each in the order of its bits; docs/unpack.md section 8 says when."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tilepath.isa.boundary import adc
from tilepath.isa.boundary.description import faults

# Of an instruction. From ``transpose_srcb`` on they are warnings.
FAULTS: Final = faults(
    "fault",
    ("reserved_bit", "UNPACR with bit 5 or 14", "U3"),
    ("context_adc", "MultiContextMode with ContextADC 3", "U7"),
    ("context_range", "unpacker 1 with a context of 2 or more", "U9"),
    ("format_code", "format code 12 or 13", "U45"),
    ("format_pair", "formats in and out differ, and in is not FP32", "U55"),
    ("format_fp32", "FP32 to a format that it is not converted to", "U55"),
    ("format_src", "FP32, TF32 or INT32, not converted, to SrcA or SrcB", "U54"),
    ("compressed_bfp2", "compressed BFP2 or BFP2a", "U21"),
    ("bfp_alias", "NoBFPExpSection with a BFP2 or BFP4, exponents not forced", "U13"),
    ("out_align", "OutAddr is not a multiple of its unit", "U28"),
    ("x_window", "XPos or XEnd beyond the window of a row", "U15"),
    ("x_order", "XEnd below XPos", "U15"),
    ("blobs_index", "BlobsYStart 8", "U17"),
    ("start_align", "tilize or transpose do not begin with a line", "U27"),
    ("y_range", "uncompressed, and Y above 255", "U15"),
    ("tilize_combo", "tilize of compressed, upsampled or smaller datums", "U27"),
    ("dst_modes", "unpack to Dst with transpose or a column shift", "U38"),
    ("dst_ovrd", "unpack to Dst with SetOvrdWithAddr", "U35"),
    ("throttle", "Throttle_mode 3", "U64"),
    ("nop_reserved", "UNPACR_NOP of mode 6", "U2"),
    ("nop_foreign", "UNPACR_NOP with a bit that its form does not name", "U1"),
    ("transpose_srcb", "transpose on unpacker 1", "U39"),
    ("burst", "more than 16 datums for SrcA, and the burst is not aligned", "U33"),
    ("out_row", "OutAddr is not a multiple of 16", "U28"),
    ("out_low", "OutAddr of unpacker 0 below 64", "U30"),
    ("neginf_srcb", "ZEROSRC of SrcB with minus infinity", "U57"),
    ("not_last", "UNPACR without Last", "U3"),
    ("empty_flip", "FlipSrc without datums", "U42"),
)
READ_FAULTS: Final = faults(
    "read_fault",
    ("datum", "a line of datums beyond L1", "U66"),
    ("exponent", "a line of exponents beyond L1", "U66"),
    ("rsi", "a line of row starts beyond L1", "U66"),
    ("delta", "a line of run lengths beyond L1", "U66"),
    ("start_align", "transpose of compressed datums that do not begin with a line", "U27"),
)
WRITE_FAULTS: Final = faults(
    "write_fault",
    ("bfpa", "the exponent of a BFPa datum does not fit FP16", "U52"),
    ("srca_row", "a row of SrcA of 16 or more, without SetOvrdWithAddr", "U31"),
    ("srcb_row", "a row of SrcB of 64 or more", "U32"),
    ("flip_owner", "a flip of a bank that is the Matrix Unit's", "U42"),
    ("zerosrc_matrix", "BothBanks, and one of them is the Matrix Unit's", "U57"),
    ("zerosrc_race", "ZEROSRC in a cycle in which the Matrix Unit zeroes as well", "U58"),
    ("empty_flip", "FlipSrc without datums, compressed", "U42"),
)
UNIT_FAULTS: Final = faults(
    "unit_fault",
    ("unsigned0", "SrcAUnsigned changes while unpacker 0 is busy", "U53"),
    ("unsigned1", "SrcBUnsigned changes while unpacker 1 is busy", "U53"),
    ("stale", "a bank of SrcA is read that unpack-to-Dst made unpredictable", "U37"),
)
COUNTER_FAULTS: Final = tuple(replace(fault, stream="counter_fault") for fault in adc.FAULTS)
