# SPDX-License-Identifier: Apache-2.0
"""Directed tests of the packers, by theme: tables of cases, one after the other."""

from __future__ import annotations

from tilepath.engine.description.stimulus import TestSpec
from tilepath.sequences.pack.directed import faults, meetings, values

_MODULES = (values, meetings, faults)

TESTS: dict[str, TestSpec] = {test.name: test for module in _MODULES for test in module.TESTS}
"""Name → test."""
