# SPDX-License-Identifier: Apache-2.0
"""The description of a formal proof, and where a block has its: ``tb/<block>/formal``."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import block_names

_STATEMENT: Final = re.compile(r"^\s*(\w+):\s*(?:assert|cover)\b", re.MULTILINE)


@dataclass(frozen=True)
class Proof:
    """One SystemVerilog module with assertions, and how they are proved.

    The module is ``tb/<block>/formal/<top>.sv``; it has the real RTL inside. Each assertion and
    cover point has a label, and right above it a comment that says it in words: that is what a
    failure is told with. Step 0 is the reset, each further step a clock cycle.

    ``what``: what is proved, one line.
    ``steps``: so many steps from the reset are checked. Of a proof by induction it is the base.
    ``induction``: k > 0: whatever holds in k steps in a row, from any state, holds in the next, so
    that the assertions hold for ever; ``steps`` must be more than that. 0: bounded by ``steps``.
    ``reach``: in so many steps every cover point must be reached; 0: there is none.
    ``cases``: the module's parameters, a proof for each.
    """

    name: str
    top: str
    what: str
    steps: int
    induction: int = 0
    reach: int = 0
    cases: tuple[Mapping[str, int], ...] = ({},)

    def __post_init__(self) -> None:
        """Complain (``ValueError``) of an induction without a base."""
        if self.steps <= self.induction:
            raise ValueError(f"proof {self.name}: {self.steps} steps are no base of its induction")


def folder_of(block: str, root: Path = ROOT) -> Path:
    """Return where the proofs of a block are."""
    return root / "tb" / block / "formal"


def blocks_with_proofs() -> list[str]:
    """Names of the blocks that have proofs."""
    return [name for name in block_names() if (folder_of(name) / "__init__.py").is_file()]


def proofs_of(block: str) -> tuple[Proof, ...]:
    """The proofs of a block of :func:`blocks_with_proofs`."""
    found: tuple[Proof, ...] = importlib.import_module(f"tilepath.tb.{block}.formal").PROOFS
    return found


def in_words(source: str) -> dict[str, str]:
    """Label → the comment above it, of each assertion and cover point of a module's text."""
    lines = source.splitlines()
    found = {}
    for match in _STATEMENT.finditer(source):
        at = source.count("\n", 0, match.start(1))
        first = at
        while first > 0 and lines[first - 1].lstrip().startswith("//"):
            first -= 1
        found[match[1]] = " ".join(line.strip().lstrip("/ ") for line in lines[first:at])
    return found
