# SPDX-License-Identifier: Apache-2.0
"""Words and stores of a chip that has its registers elsewhere, with those that are here.

A word that sets nothing that there is here becomes a NOP. Where fields are elsewhere within their
word, RMWCIB's bits move, perhaps to a second byte, and the GPRs that WRCFG takes are written anew
around it: what they hold must be known from SETDMAREG, as it is in a log of an execution.
"""

from __future__ import annotations

from typing import Final

from tilepath import isa
from tilepath.isa import constants, profiles, tables
from tilepath.isa.registers import Place, Registers, Space
from tilepath.models.machine.addresses import CONFIG, MOP_CFG, WORD

_NOP: Final = constants.OP_NOP << 24
_SCALAR: Final = 1 << 5 | 1  # their block class
_KEEP: Final = ("REG2FLOP", "DMANOP")  # scalar words that write no GPR
_MOP_WORDS: Final = range(2, 9)  # registers of MopCfg that hold words


class CannotError(ValueError):
    """What cannot be said with registers where they are here."""


class Stream:
    """One thread's. ``lost``: registers that it writes or reads, and that are nowhere here."""

    def __init__(self, profile: str, registers: Registers) -> None:
        self.lost: set[str] = set()
        self._registers = registers
        self._profile = profile
        self._halves: dict[int, int] = {}  # of GPRs, as SETDMAREG numbers them
        self._recorded = 0  # words that a REPLAY still takes

    def words(self, word: int) -> list[int]:
        """What stands for a word here; ``CannotError``: nothing does."""
        one = isa.decode(word, self._profile)
        found = self._of(one)
        if one.mnemonic == "SETDMAREG" and not one["mode"]:
            self._halves[one["half_reg"]] = one["value"]
        elif one.mnemonic in ("MOP", "REPLAY", "RDCFG") or (
            tables.block_class()[word >> 24] == _SCALAR and one.mnemonic not in _KEEP
        ):
            self._halves.clear()
        if self._recorded:
            self._recorded -= 1
            self._halves.clear()
            _one_of(found, "a replay")
        elif one.mnemonic == "REPLAY" and one["load"]:
            self._recorded = one["count"] or profiles.get(self._profile).replay_count0
        return found

    def store(self, address: int, value: int) -> tuple[int, int] | None:
        """Address and value of a store here; ``None``: nothing here would have it."""
        word = (address - CONFIG) // WORD
        if (address - MOP_CFG) // WORD in _MOP_WORDS:
            return address, _one_of(self._of(isa.decode(value, self._profile)), "a MOP")
        if not 0 <= word < 2 * self._registers.banks:
            return address, value
        bank, index = divmod(word, self._registers.banks)
        found = self._places("Config", index)
        here = [CONFIG + WORD * (bank * constants.CFG_WORDS + place.word) for place in found]
        return (here[0], found[0].bits(value)) if found else None

    def _places(self, space: Space, first: int, count: int = 1) -> list[Place]:
        """Of words that are written together; none: nothing is set here."""
        places = [self._registers.places.get((space, first + i)) for i in range(count)]
        self.lost |= {f"{space} {first + i}" for i in range(count) if places[i] is None}
        known = [place for place in places if place]
        wanted = [known[0].word // count * count + i for i in range(count)] if known else []
        if [place.word for place in known] != wanted:
            raise CannotError(f"the four words from {first} on are not together here")
        return known

    def _of(self, one: isa.Instruction) -> list[int]:
        name, key, count = one.mnemonic, "cfg_index", 1
        if name == "REG2FLOP" and one["target"] == constants.R2F_TARGET_CONFIG:
            key, count = "flop", 4 if one["size"] == constants.R2F_SIZE_B128 else 1
        elif name == "WRCFG":
            count = 4 if one["is128"] else 1
        elif name not in ("SETC16", "RDCFG") and not name.startswith("RMWCIB"):
            return [one.word]
        first = one[key] // count * count + (self._registers.thcon if key == "flop" else 0)
        places = self._places("Thread" if name == "SETC16" else "Config", first, count)
        if not places:
            return [_NOP]
        here = places[0].word - (constants.CFG_THCON_BASE if key == "flop" else 0)
        fields = {**one.fields, key: here}
        if not any(place.fields for place in places):
            return [isa.encode(name, self._profile, **fields)]
        if name.startswith("RMWCIB"):
            mask, data = (places[0].bits(one[of] << 8 * int(name[-1])) for of in ("mask", "data"))
            parts = zip(
                range(4), mask.to_bytes(4, "little"), data.to_bytes(4, "little"), strict=True
            )
            found = [
                isa.encode(f"RMWCIB{byte}", mask=part, data=new, cfg_index=here)
                for byte, part, new in parts
                if part
            ]
            return found or [_NOP]
        if name != "WRCFG":
            raise CannotError(f"fields of word {first} are elsewhere")
        before, after = self._gprs(one["gpr"] // count * count, places)
        wait = {"block": 1 << constants.CLS_CFG, "cond": 1 << constants.STALL_COND_THCON}
        return [
            *before,
            isa.encode("STALLWAIT", self._profile, **wait),
            isa.encode(name, self._profile, **fields),
            *after,
        ]

    def _gprs(self, first: int, places: list[Place]) -> tuple[list[int], list[int]]:
        """Words that give GPRs what WRCFG is to take, and what they held."""
        before, after = [], []
        for gpr, place in enumerate(places, first):
            halves = [self._halves.get(2 * gpr + half, -1) for half in (0, 1)]
            if place.fields and -1 in halves:
                raise CannotError(f"what GPR {gpr} holds is not known from SETDMAREG")
            if place.fields:
                value = halves[1] << 16 | halves[0]
                before += _setdmareg(gpr, place.bits(value))
                after += _setdmareg(gpr, value)
        return before, after


def _one_of(words: list[int], whose: str) -> int:
    if len(words) != 1:
        raise CannotError(f"{whose} has no room for the {len(words)} words that stand for it")
    return words[0]


def _setdmareg(gpr: int, value: int) -> list[int]:
    halves = enumerate(divmod(value, 1 << 16)[::-1], 2 * gpr)
    return [isa.encode("SETDMAREG", value=half, half_reg=number) for number, half in halves]
