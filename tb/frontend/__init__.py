# SPDX-License-Identifier: Apache-2.0
"""Verification environment of the front end."""

from __future__ import annotations
