# SPDX-License-Identifier: Apache-2.0
"""Knobs as they are typed: ``kinds=tilize:3,plain:1``, ``wrap=0.9``, ``rows=1..16``."""

from __future__ import annotations

import re
from typing import Any, Final

from tilepath.engine.stimulus.tables.errors import TableError, short

_KNOB: Final = re.compile(r"((?:\w+\.)?\w+)=(\S.*)")
_WHOLE: Final = re.compile(r"-?(\d{1,19}|0x[0-9a-fA-F]{1,16})")
_NUMBER: Final = re.compile(r"-?(\d{1,19}\.?\d{0,19}|\.\d{1,19})(e-?\d{1,2})?")


def parse_knob(text: str) -> tuple[str, Any]:
    """Name and value; :class:`TableError` for a text that is no knob."""
    found = _KNOB.fullmatch(text.strip())
    if found is None or len(text) > 1000:
        raise TableError(
            f"{short(text)!r} is no knob: NAME=0.9, NAME=one:3,other:1 or NAME=1..16 is wanted"
        )
    return found[1], _value(found[1], found[2].strip())


def _value(name: str, text: str) -> Any:
    if ":" in text:
        weights: dict[str, float] = {}
        for one in text.split(","):
            option, _, weight = one.strip().rpartition(":")
            if not option or option in weights:
                raise TableError(f"knob {name}: {one!r} is not one more OPTION:WEIGHT")
            weights[option] = _number(name, weight)
        return weights
    if ".." in text:
        low, _, high = text.partition("..")
        return _whole(name, low), _whole(name, high)
    if _WHOLE.fullmatch(text):
        return int(text, 0) if "x" in text else int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _number(name: str, text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise TableError(f"knob {name}: {text!r} is not a number")
    return float(text)


def _whole(name: str, text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise TableError(f"knob {name}: {text!r} is not a whole number")
    return int(text, 0) if "x" in text else int(text)
