# SPDX-License-Identifier: Apache-2.0
"""Verification environment of the math stand-in."""

from __future__ import annotations
