# SPDX-License-Identifier: Apache-2.0
"""Commands with errors: each error code, whenever the endpoint is in a state that has it.

What an error depends on is what the core itself has done before, so it is known in advance.
"""

from __future__ import annotations

from typing import Final

from tilepath.sequences.flag_pipe.script import (
    C2V,
    INIT,
    L1_BYTES,
    SLOT_MAX,
    TFREE,
    TPOP,
    TPUSH,
    V2C,
    Config,
    Script,
    direction,
)
from tilepath.sequences.kernel.draw import Draw

TOP: Final = (1 << 32) - 1
Fields = dict[str, int]


def bad_ops(d: Draw, core: int) -> Fields:
    """BAD_OP: reserved, or peer 1 at a vector."""
    if core and d.chance(0.5):
        return {"op": d.upto(3), "peer": 1}
    return {"op": d.between(4, 7), "peer": d.upto(1)}


def bad_slots(d: Draw, beat: int) -> int:
    """A slot size that is none; some of them look like others when a bit is lost."""
    some = (
        0, beat // 2, beat + 1, 4 * beat + beat // 2, SLOT_MAX + beat, 2 * SLOT_MAX, 1 << 31,
        (1 << 32) - beat, d.upto(TOP) | 1,
    )  # fmt: skip
    return d.one(some)


def bad_bases(d: Draw, script: Script, mask: int, slot: int) -> Fields:
    """Operands of INIT of which one base is misaligned, or its ring beyond the memory."""
    s = script.setup
    size = s.slots(mask) * slot
    if s.a2a3:
        whole = s.nflags * slot
        high = (1 << 32) - whole + s.beat
        return {"gm_base": d.one((0, s.beat + 1, s.beat // 2, high, TOP + 1 - s.beat))}
    room = {C2V: ("c2v_buf", s.sram(1)), V2C: ("v2c_buf", L1_BYTES)}
    ways = [way for way in (C2V, V2C) if mask & way]
    wrong = d.one(ways)
    fields: Fields = {}
    for way in ways:
        name, end = room[way]
        bad = (s.beat // 2, 1, end - size + s.beat, end, (1 << 32) - size, (1 << 32) - s.beat)
        fields[name] = d.one(bad) if way == wrong else end - size
    return fields


def bad_tiles(d: Draw, script: Script, core: int, slot: int) -> int:
    """A tile that is misaligned or beyond the core's SRAM."""
    s = script.setup
    end = s.sram(core)
    return d.one((1, s.beat // 2, end - slot + s.beat, end, (1 << 32) - slot, (1 << 32) - s.beat))


def good_init(config: Config) -> Fields:
    """The operands of an INIT."""
    c = config
    return {
        "dir_mask": c.mask, "slot_size": c.slot, "gm_base": c.gm, "c2v_buf": c.c2v,
        "v2c_buf": c.v2c,
    }  # fmt: skip


def of_init(d: Draw, script: Script, core: int, peer: int, config: Config) -> Fields:
    """An INIT with an error; several things may be wrong with it."""
    fields = {"op": INIT, "peer": peer if core == 0 else 0, **good_init(config)}
    fitting = 1 << 12 >> (script.setup.beat == 16)
    faulty = d.by({"mask": 1.0, "slot": 1.0, "base": 2.0})
    used = script.side(core, peer).config is not None
    if used and d.chance(0.5):
        return fields  # nothing is wrong but that it is the second one
    if faulty == "base":
        mask, slot = config.mask, d.one((config.slot, fitting))
        fields |= {"slot_size": slot, **bad_bases(d, script, mask, slot)}
    if faulty == "slot" or d.chance(0.2):
        fields["slot_size"] = bad_slots(d, script.setup.beat)
    if faulty == "mask" or d.chance(0.1):
        fields["dir_mask"] = d.one((0, 4, 5, 6, 7, d.between(4, 255), 0x81, 0x82, 0x83))
    return fields


def error(d: Draw, script: Script, core: int, peer: int, config: Config) -> bool:
    """Add a command of ``core`` with an error, of any kind that there is now; False: none fits."""
    s, side = script.setup, script.side(core, peer)
    peer = peer if core == 0 else 0
    kind = d.by({"op": 0.3, "init": 1.0, "other": 3.0})
    if kind == "op":
        fields = bad_ops(d, core)
    elif kind == "init":
        fields = of_init(d, script, core, peer, config)
    else:
        op = d.between(TPUSH, TFREE)
        fields = {"op": op, "peer": peer, "tile_addr": d.one((s.beat, 1))}
        if side.config is not None and side.config.mask & direction(core, op):
            held = len(side.tiles)
            if op == TPOP and held < script.limit(side.config) and not s.a2a3:
                return False
            if op == TFREE and held:
                return False
            if op == TPUSH or (op == TPOP and held < script.limit(side.config)):
                fields["tile_addr"] = bad_tiles(d, script, core, side.config.slot)
    script.raw(core, **fields)
    return True
