# SPDX-License-Identifier: Apache-2.0
"""Command line, regression runner, lint and synthesis jobs of the tilepath testbench."""

from __future__ import annotations

__version__ = "0.1.0"
