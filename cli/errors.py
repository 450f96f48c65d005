# SPDX-License-Identifier: Apache-2.0
"""The exception of everything here that the user can put right."""

from __future__ import annotations


class UsageError(Exception):
    """Bad input or a missing tool: one line for the user, exit status 2."""
