# SPDX-License-Identifier: Apache-2.0
"""Verification environment of the packers."""

from __future__ import annotations
