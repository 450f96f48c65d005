# SPDX-License-Identifier: Apache-2.0
"""What tables say of what is wrong with them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class TableError(ValueError):
    """A table that is wrong, or what is asked of one and cannot be: one line."""


def there_are(names: Iterable[str], given: str) -> str:
    """What there is; first what ``given`` is most likely a misspelling of."""
    known = list(names)
    near = difflib.get_close_matches(given, known, n=1, cutoff=0.6)
    guess = f"did you mean {near[0]}? " if near else ""
    return f"{guess}there are: {few(known) or 'none'}"


def few(texts: Sequence[str], most: int = 24) -> str:
    """Texts, of many the first."""
    more = f" … ({len(texts)} in all)" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def short(text: str, most: int = 80) -> str:
    """What somebody typed, cut off where it is long."""
    return text if len(text) <= most else f"{text[: most - 2]} …"


def share_text(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.3g} %"
