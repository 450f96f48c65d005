# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the unpackers, by topic."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.unpack.directed import exhaustive, packed, ranges, stalls

_MODULES = (ranges, packed, stalls, exhaustive)

TESTS: dict[str, TestSpec] = {test.name: test for module in _MODULES for test in module.TESTS}
"""Name → test."""
