# SPDX-License-Identifier: Apache-2.0
"""Verification environment of the flag pipe."""

from __future__ import annotations
