# SPDX-License-Identifier: Apache-2.0
"""Verification environment of the unpackers."""

from __future__ import annotations
