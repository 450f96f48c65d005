# SPDX-License-Identifier: Apache-2.0
"""Codes of the data formats, four bits, by the names of ``isa`` (U45, P19), and sets of them.

``FP32``, ``BFP8A``, … are numbers, as in ``isa/data/formats.toml``; ``INTEGERS``, ``SHARED``, …
tuples of them (``isa.formats.SETS``).
"""

from __future__ import annotations

from typing import Any

from tilepath.isa import formats

globals().update({form.name: code for code, form in formats.formats().items()})
globals().update({name: formats.codes(name) for name in formats.SETS})


def __getattr__(name: str) -> Any:
    """Raise ``AttributeError``: there is no other format and no other set."""
    raise AttributeError(f"there is no format and no set of formats {name!r}")
