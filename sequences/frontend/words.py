# SPDX-License-Identifier: Apache-2.0
"""32-bit words of the front end, and the sets of opcodes that random stimulus draws from.

Field positions: specification of the front end, section 1; seed ``mop-replay-expanders``,
"Instruction". Everything else is looked up in the tables of ``isa``.
"""

from __future__ import annotations

from typing import Final

from tilepath.isa import tables

NOP: Final = 0x0200_0000
DMANOP: Final = 0x6000_0000
SFPNOP: Final = 0x8F00_0000
RESOURCEDECL: Final = 0x0500_0000
MOPCFG_WORDS: Final = 9
SLOTS: Final = 32

OP_MOP: Final = 0x01
OP_NOP: Final = 0x02
OP_MOP_CFG: Final = 0x03
OP_REPLAY: Final = 0x04
REPLAY_IGNORES: Final = 0xF8_3C0C
MOP_CFG_IGNORES: Final = 0xFF_0000

_WAITS: Final = (0xA2, 0xA6, 0xA7)
_CLASS_OF_MASK: Final = {
    0x021: "thcon",
    0x001: "tdma",
    0x005: "pack",
    0x009: "unpack",
    0x011: "xmov",
    0x002: "sync",
    0x040: "math",
    0x080: "cfg",
    0x100: "sfpu",
}
CLASSES: Final = (*_CLASS_OF_MASK.values(), "nop", "wait")


def mop(template: int, count1: int = 0, mask_lo: int = 0) -> int:
    """MOP word: ``template`` 0/1, ``count1`` 7 bits, ``mask_lo`` 16 bits."""
    return 0x0100_0000 | (template & 1) << 23 | (count1 & 0x7F) << 16 | mask_lo & 0xFFFF


def mop_cfg(mask_hi: int) -> int:
    """MOP_CFG word: upper 16 bits of the zero mask (F8)."""
    return 0x0300_0000 | mask_hi & 0xFFFF


def replay(index: int, count: int, execute: int = 0, load: int = 0) -> int:
    """REPLAY word: 5-bit index, 6-bit count (0 stands for the profile's value, F15)."""
    return (
        0x0400_0000 | (index & 0x1F) << 14 | (count & 0x3F) << 4 | (execute & 1) << 1 | (load & 1)
    )


def is_nop(word: int) -> bool:
    """Whether the MOP expander takes ``word`` for a NOP: opcode 02 alone does (F10)."""
    return word >> 24 == OP_NOP


def plays(word: int, count0: int = 64) -> int:
    """Words that the replay expander makes of ``word`` when it does not record; 0: a record."""
    if word >> 24 != OP_REPLAY:
        return 1
    return 0 if word & 1 else (word >> 4 & 0x3F) or count0


def _opcodes_of_classes() -> dict[str, tuple[int, ...]]:
    masks = tables.block_class()
    found: dict[str, list[int]] = {name: [] for name in CLASSES}
    for opcode, barred in enumerate(tables.must_not_issue()):
        if barred:
            continue
        if opcode == OP_NOP:
            name = "nop"
        elif opcode in _WAITS:
            name = "wait"
        else:
            name = _CLASS_OF_MASK[masks[opcode]]
        found[name].append(opcode)
    return {name: tuple(opcodes) for name, opcodes in found.items()}


OPCODES: Final = _opcodes_of_classes()
"""Class name → opcodes that may be issued; the classes of qstatus (F22), plus NOP and the waits."""

PLAIN: Final = tuple(op for name in CLASSES if name != "nop" for op in OPCODES[name])
"""Opcodes that pass through the front end unchanged and are no NOP."""

UNASSIGNED: Final = tuple(op for op, known in enumerate(tables.assigned()) if not known)
"""Opcodes that mean nothing; such a word is illegal at the issue port (F17)."""
