# SPDX-License-Identifier: Apache-2.0
"""Points of the faults that were raised (docs/unpack.md section 8)."""

from __future__ import annotations

from typing import Final

from tilepath.engine.coverage.bins import Exclude
from tilepath.engine.coverage.plan import Bins, CoveragePlan, Point, each
from tilepath.isa.profiles import Profile
from tilepath.models.unpack.faults import FAULTS, READ_FAULTS, UNIT_FAULTS, WRITE_FAULTS
from tilepath.tb.unpack.coverage.labels import THREADS, plan

_ONE: Final = (
    Exclude((("dst_modes", "dst_ovrd"), "u1"), "unpacker 1 writes no Dst"),
    Exclude(("burst", "u1"), "only unpacker 0 (U33)"),
    Exclude(("out_low", "u1"), "only unpacker 0"),
    Exclude(("spare_unpacr", "u1"), "only unpacker 0 (U68)"),
    Exclude(("context_range", "u0"), "unpacker 0 has eight contexts (U9)"),
    Exclude(("transpose_srcb", "u0"), "unpacker 0 transposes (U39)"),
    Exclude(("neginf_srcb", "u0"), "SrcA has the value (U57)"),
)
_READ: Final = (Exclude(("start_align", "u1"), "unpacker 0 transposes (U39)"),)
_WRITE: Final = (
    Exclude((("srca_row", "srca_row_high"), "u1"), "unpacker 1 writes SrcB"),
    Exclude(("srcb_row", "u0"), "unpacker 0 does not write SrcB"),
)
# a change of signedness while one thread alone has the unpacker busy
_SIGNS: Final = {
    "unpacker": each(("u0", "u1")),
    "thread": Bins("(busy >> unpacker & 21) // 4 // (1 + (busy >> unpacker & 21) // 16)", THREADS),
}
_ALONE: Final = Point(
    "fault.unsigned_unpacker_x_thread", "U53", "unpacker thread",
    when="flags_ >> unpacker & 1 and busy >> unpacker & 21 in (1, 4, 16)",
)  # fmt: skip


def _plan(account: str, names: tuple[str, ...], decisions: str, *exclude: Exclude) -> CoveragePlan:
    """The flags of one stream."""
    kind = "flag" if account == "fault" else account.removesuffix("_fault")
    name = "fault.unit" if kind == "unit" else f"fault.{kind}_x_unpacker"
    axes = kind if kind == "unit" else f"{kind} unpacker"
    point = Point(name, decisions, axes, f"flags_ >> {kind} & 1", exclude)
    return plan(account, {kind: each(names)}, point)


def plans(profile: Profile) -> tuple[CoveragePlan, ...]:
    """Without the faults that the profile does not have."""
    rules = [*_ONE]
    if profile.nop_enc == "BH":
        rules.append(Exclude(("nop_reserved", None), "only the other encoding has mode 6"))
    if profile.nop_enc == "BH" or profile.zerosrc_neginf_srcb:
        rules.append(Exclude(("neginf_srcb", None), "SrcB honours the value (U57)"))
    if not profile.spare_unpacr:
        rules.append(Exclude(("spare_unpacr", None), "the chip needs no spare UNPACR (U68)"))
    wraps = Exclude(("srca_row_high", None), "rows of SrcA wrap (U31)")
    write = _WRITE if profile.srca_row_high else (*_WRITE, wraps)
    return (
        _plan("fault", FAULTS,
              "U1 U2 U3 U7 U9 U13 U15 U17 U21 U27 U28 U33 U35 U38 U39 U45 U55 U64 U68", *rules),
        _plan("read_fault", READ_FAULTS, "U39 U66", *_READ),
        _plan("write_fault", WRITE_FAULTS, "U31 U32 U42 U52 U57", *write),
        _plan("unit_fault", UNIT_FAULTS, "U37 U53"),
        plan("unit_fault", _SIGNS, _ALONE),
    )  # fmt: skip
