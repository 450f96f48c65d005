# SPDX-License-Identifier: Apache-2.0
"""Directed tests."""
from __future__ import annotations
TESTS = {}
