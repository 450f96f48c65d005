# SPDX-License-Identifier: Apache-2.0
"""The one exception of this package."""

from __future__ import annotations


class IsaError(ValueError):
    """A word, a name or a table that cannot be: one clear line says which and why."""
