# SPDX-License-Identifier: Apache-2.0
"""Finds blocks and their tests by folder name; nothing is listed by hand."""

from __future__ import annotations

import importlib
from pathlib import Path

from tilepath.tb.kernel.description.block import Block
from tilepath.tb.kernel.description.stimulus import TestSpec

_TB = Path(__file__).resolve().parents[2]


def block_names() -> list[str]:
    """Names of all blocks: folders of ``tb/`` that have a ``block.py``."""
    return sorted(p.parent.name for p in _TB.glob("*/block.py") if p.parent.name != "kernel")


def load_block(name: str) -> Block:
    """The description of block ``name``; ``ValueError`` if there is none."""
    if name not in block_names():
        raise ValueError(f"no block {name!r}; there are: {', '.join(block_names())}")
    block = importlib.import_module(f"tilepath.tb.{name}.block").BLOCK
    assert isinstance(block, Block)
    return block


def tests_of(name: str) -> dict[str, TestSpec]:
    """Test name → test of block ``name``, from ``sequences/<block>``; ``ValueError`` as above."""
    load_block(name)
    # the one place where tb reaches up: by name, at run time, so that tb can be used without it
    tests: dict[str, TestSpec] = importlib.import_module(f"tilepath.sequences.{name}").TESTS
    return tests
