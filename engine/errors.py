# SPDX-License-Identifier: Apache-2.0
"""What errors say of names that there are not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


def there_are(names: Iterable[str], given: str) -> str:
    """What there is; first what ``given`` is most likely a misspelling of."""
    known = list(names)
    near = difflib.get_close_matches(given, known, n=1, cutoff=0.65)
    guess = f"did you mean {near[0]}? " if near else ""
    return f"{guess}there are: {few(known, 36) or 'none'}"


def few(texts: Sequence[str], most: int = 24) -> str:
    """Texts, of many the first."""
    more = f" … ({len(texts)} in all)" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
