# SPDX-License-Identifier: Apache-2.0
"""Traces against the golden model: inside a simulation, or afterwards from what a run stored."""

from __future__ import annotations
