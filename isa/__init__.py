# SPDX-License-Identifier: Apache-2.0
"""Encodings, configuration registers, data formats, profiles: what RTL and model share.

The tables are in ``data/``. ``python -m isa.generate`` makes ``constants.py``,
``tilepath_isa_pkg`` and ``config_words_pkg`` in ``rtl/isa`` of them;
the functions here read them directly.
"""

from __future__ import annotations

from tilepath.isa import formats, profiles
from tilepath.isa.assembly import (
    assemble,
    disassemble,
    explain_config_word,
    explain_word,
    from_ttinsn,
    named_word,
    to_ttinsn,
)
from tilepath.isa.codec import Instruction, decode, encode, layout_of
from tilepath.isa.errors import IsaError
from tilepath.isa.profiles import Profile
from tilepath.isa.registers import ConfigField, config_field, config_fields
from tilepath.isa.tables import Bits, Field, Layout

__all__ = [
    "Bits",
    "ConfigField",
    "Field",
    "Instruction",
    "IsaError",
    "Layout",
    "Profile",
    "assemble",
    "config_field",
    "config_fields",
    "decode",
    "disassemble",
    "encode",
    "explain_config_word",
    "explain_word",
    "formats",
    "from_ttinsn",
    "layout_of",
    "named_word",
    "profiles",
    "to_ttinsn",
]
