# SPDX-License-Identifier: Apache-2.0
"""Constants of ``tilepath_isa_pkg`` under the same names, from the tables in ``isa/data``.

``OP_*`` opcodes (8 bits), ``FMT_*`` data-format codes (4 bits), and numbers (``data/enums.toml``).
Where a field is, ``tables.position`` says, and ``registers.config_field`` of a configuration
word's; what an opcode is, ``tables`` too.
"""

from __future__ import annotations

from tilepath.isa import symbols

globals().update(symbols.of_python())


def __getattr__(name: str) -> int:
    """Raise ``AttributeError``: there is no other constant; to type checkers all are numbers."""
    raise AttributeError(f"isa/data has no constant {name!r}")
