# SPDX-License-Identifier: Apache-2.0
"""``tilepath new-block NAME``: the smallest block that passes on both simulators, to begin from."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Final

from tilepath.engine.commands.errors import UsageError
from tilepath.engine.commands.new_block.of_ports import Given, files_of
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import block_names
from tilepath.engine.project import PROJECT_VARIABLE, project

_TEMPLATE: Final = Path(__file__).with_name("template")
_FILES: Final = {
    "isa/boundary/NAME.py": "boundary.py.txt",
    "models/NAME/__init__.py": "model.py.txt",
    "rtl/NAME/NAME.sv": "rtl.sv.txt",
    "tb/NAME/block.py": "block.py.txt",
    "tb/NAME/hdl/NAME_harness.sv": "harness.sv.txt",
    "tb/NAME/hdl/NAME_harness.taps": "harness.taps.txt",
    "sequences/NAME/__init__.py": "sequences.py.txt",
}
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,30}")
# a name of a module of the engine, of a folder beside blocks, or a word of SystemVerilog
_TAKEN: Final = frozenset(
    "kernel hdl description module endmodule input output wire logic reg begin end case task "
    "function package class bit byte int interface program property sequence".split()
)


def new_block(name: str, root: Path = ROOT, given: Given | None = None) -> list[Path]:
    """Write the files of block ``name`` below ``root``, the checkout; returns them.

    ``given``: the design; without it one is written that doubles words.

    Raises:
        UsageError: a name that is no name of a block, a block or file that exists, or no checkout.
            Nothing is written then.
    """
    others = given and project().package != "tilepath"
    if not others and not (root / "pyproject.toml").exists():
        raise UsageError(
            "new-block works in a checkout of tilepath, not in an installed package; with --top in "
            f"a project of your own, which {PROJECT_VARIABLE} names"
        )
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in _TAKEN:
        raise UsageError(f"{name!r} is no name for a block: lower-case letters, digits and _")
    if name in block_names():
        raise UsageError(f"there is a block {name} already")
    if given is None:
        files = {
            root / path.replace("NAME", name): (_TEMPLATE / source)
            .read_text()
            .replace("NAME", name)
            for path, source in _FILES.items()
        }
    else:
        files = files_of(name, given, root)
    for path in files:
        own = [up for up in path.parents if up.name == name and root in up.parents]
        if path.exists() or any(up.exists() for up in own):
            raise UsageError(f"{path.relative_to(root)} is in the way: a block {name} was begun")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(files)
