# SPDX-License-Identifier: Apache-2.0
"""Verification environment of the address counters."""

from __future__ import annotations
