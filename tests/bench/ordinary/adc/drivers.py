# SPDX-License-Identifier: Apache-2.0
"""Drivers of the writers; no command is ever refused, so each is there for one cycle."""

from __future__ import annotations

from typing import ClassVar

from tilepath.tests.bench.ordinary.drivers import ItemDriver


class IssueDriver(ItemDriver):
    """Instructions of one thread."""

    valid = "issue_valid_i"
    fields: ClassVar = {"word": "issue_word_i"}


class UnpackDriver(ItemDriver):
    """Updates of the unpackers."""

    valid = "unpack_valid_i"
    fields: ClassVar = {
        name: f"unpack_{name}_i" for name in ("unpacker", "thread", "adc", "y0", "z0", "y1", "z1")
    }


class PackDriver(ItemDriver):
    """Updates of the packers."""

    valid = "pack_valid_i"
    fields: ClassVar = {"sets": "pack_sets_i", "addr_mod": "pack_addr_mod_i"}


class FlopDriver(ItemDriver):
    """REG2FLOP."""

    valid = "flop_valid_i"
    fields: ClassVar = {
        name: f"flop_{name}_i"
        for name in ("thread", "select", "channel", "counter", "checkpoint", "value")
    }
