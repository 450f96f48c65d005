# SPDX-License-Identifier: Apache-2.0
"""``Block.explain`` of blocks of which a report needs no more than what instruction words are."""

from __future__ import annotations

from tilepath import isa


def explain_words(_stream: str, field: str, value: int) -> str:
    """The instruction, for a field of the name ``word``; of others nothing."""
    return isa.explain_word(value) if field == "word" else ""
