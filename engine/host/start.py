# SPDX-License-Identifier: Apache-2.0
"""What registers and memories hold when a simulation begins, before anything resets them.

Verilator draws it from a number, the *start*; under Icarus it is X, whatever the start.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

START_LIMIT = 1 << 31
"""Starts are positive and below this; Verilator takes 0 for "draw one"."""

ONES = START_LIMIT - 1
"""The start with all bits 1, which no register does by chance that is reset to 0; never derived."""

ZEROS: Final = "+verilator+rand+reset+0"
"""The argument by which all registers and memories begin with 0."""

REVISION: Final = "starts 2"
"""Belongs to the key of a build: another one when what is done to Verilator's code changes."""

# An output of an instance that goes to an element of an array: Verilator makes a variable of its
# own of it, which begins with 0 whatever the options say, also when it is a register.
_OUTPUT: Final = r"\w*____Vcellout__\w+"
_DECLARED: Final = re.compile(rf"(\w+)(?:<\d+>)?/\*(\d+):0\*/[^;\n]* ({_OUTPUT});")
_NARROW: Final = re.compile(rf"vlSelf->({_OUTPUT})((?:\[__Vi\d+\])*) = 0;$", re.MULTILINE)
_WIDE: Final = re.compile(rf"VL_ZERO_RESET_W\((\d+, vlSelf->({_OUTPUT}).*)\);$", re.MULTILINE)


def draw_outputs(folder: Path) -> None:
    """Let outputs, too, begin with anything in what Verilator has written to ``folder``."""
    headers = "".join(path.read_text() for path in sorted(folder.glob("*.h")))
    declared = {name: (kind, int(msb) + 1) for kind, msb, name in _DECLARED.findall(headers)}

    def narrow(found: re.Match[str]) -> str:
        kind, bits = declared[found[1]]
        drawn = f"VL_SCOPED_RAND_RESET_{'Q' if kind == 'QData' else 'I'}"
        return f"vlSelf->{found[1]}{found[2]} = {drawn}({bits}, __VscopeHash, {_salt(found[1])});"

    def wide(found: re.Match[str]) -> str:
        return f"VL_SCOPED_RAND_RESET_W({found[1]}, __VscopeHash, {_salt(found[2])});"

    for path in folder.glob("*__Slow.cpp"):
        path.write_text(_WIDE.sub(wide, _NARROW.sub(narrow, path.read_text())))


def _salt(name: str) -> str:
    return f"{int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], 'little')}ull"


def start_of(seed: int, index: int = 0) -> int:
    """Start number ``index`` that belongs to a seed, of a run or of a regression."""
    digest = hashlib.sha256(f"start/{seed}/{index}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % (ONES - 1) + 1


def plusargs(start: int) -> list[str]:
    """Arguments by which a simulation that Verilator has compiled begins as ``start`` says."""
    return [f"+verilator+rand+reset+{1 if start == ONES else 2}", f"+verilator+seed+{start}"]
