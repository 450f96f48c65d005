# SPDX-License-Identifier: Apache-2.0
"""What tables say of what is wrong with them."""

from __future__ import annotations


class TableError(ValueError):
    """A table that is wrong, or what is asked of one and cannot be: one line."""


def short(text: str, most: int = 80) -> str:
    """What somebody typed, cut off where it is long."""
    return text if len(text) <= most else f"{text[: most - 2]} …"


def share_text(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.3g} %"
