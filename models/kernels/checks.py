# SPDX-License-Identifier: Apache-2.0
"""What can be told to be wrong of a kernel before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tilepath.engine.text import Line, Where
from tilepath.isa import config_field, constants
from tilepath.models import format_codes as C
from tilepath.models import tiles
from tilepath.models.kernels.program import Kernel
from tilepath.models.machine import items as I

_SEMAPHORE_WORDS: Final = (constants.OP_SEMINIT, constants.OP_SEMPOST)
_FIRST_MASK_BIT: Final = 2
_NAMES: Final = {form.code: name for name, form in reversed(tiles.FORMATS.items())}
PACKERS: Final = ("THCON_SEC0_REG1", "THCON_SEC0_REG8", "THCON_SEC1_REG1", "THCON_SEC1_REG8")


def check(
    kernel: Kernel, set_at: Mapping[str, Line], polls: Sequence[tuple[Where, I.Poll]]
) -> None:
    """``TextError`` for formats that a unit does not take, and polls that nobody can make true.

    ``set_at``: where configuration fields are set.
    """
    words = {(given.space, given.word): given.value for given in kernel.config}

    def value(name: str) -> int:
        field = config_field(name)
        return (words.get((field.space, field.addr32), 0) & field.mask) >> field.lsb

    for unit in (0, 1):
        names = (
            f"THCON_SEC{unit}_REG0_TileDescriptor_InDataFormat",
            f"THCON_SEC{unit}_REG2_Out_data_format",
        )
        if names[1] in set_at or names[0] in set_at:
            wrong = _unpacks(value(names[0]), value(names[1]))
            _refuse(set_at, names, f"unpacker {unit}", wrong)
    for packer, block in enumerate(PACKERS):
        names = (f"{block}_In_data_format", f"{block}_Out_data_format")
        if names[1] in set_at or names[0] in set_at:
            _refuse(set_at, names, f"packer {packer}", _packs(value(names[0]), value(names[1])))
    raised = _raised(kernel.programs)
    for where, poll in polls:
        if not poll.met(0) and not raised >> poll.semaphore & 1:
            raise where.error(
                f"{poll} can never come true: nobody posts semaphore {poll.semaphore}"
            )


def _refuse(set_at: Mapping[str, Line], names: Sequence[str], unit: str, wrong: str) -> None:
    if wrong:
        at = next(set_at[name] for name in reversed(names) if name in set_at)
        short = next((n for n in ("Out_data_format", "InDataFormat") if n in at.text), "")
        raise at.error(f"{unit} does not take {wrong}", short)


def _name(code: int) -> str:
    return _NAMES.get(code, f"format {code}")


def _unpacks(code: int, out: int) -> str:
    """What is wrong with the formats of an unpacker (U45, U55)."""
    if code not in _NAMES or out not in _NAMES:
        return _name(code if code not in _NAMES else out)
    if code == out or (code == C.FP32 and out in (C.TF32, C.BF16, C.FP16)):
        return ""
    return f"{_name(code)} to {_name(out)}"


def _packs(code: int, out: int) -> str:
    """What is wrong with the formats of a packer (P28)."""
    if code not in _NAMES or out not in _NAMES:
        return _name(code if code not in _NAMES else out)
    if code != out and (code in C.INTEGERS or out in C.INTEGERS):
        return f"{_name(code)} to {_name(out)}"
    return ""


def _raised(programs: Iterable[Sequence[I.Item]]) -> int:
    """Semaphores that a core or a word may post or initialize, as bits."""
    found = 0
    for program in programs:
        for item in program:
            if isinstance(item, I.Post):
                found |= 1 << item.semaphore
            words: Sequence[int] = ()
            if isinstance(item, I.Push):
                words = item.words
            elif isinstance(item, I.MopCfg):
                words = (item.value,)
            for word in words:
                if word >> 24 in _SEMAPHORE_WORDS:
                    found |= word >> _FIRST_MASK_BIT & 0xFF
    return found
