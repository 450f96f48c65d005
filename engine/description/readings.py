# SPDX-License-Identifier: Apache-2.0
"""What the profile of a stored result meant: its parameters are stored with it, as ``readings``.

A profile's name is not enough. It means something else as soon as a parameter is added, and what
was recorded before would be taken for what it was not.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from tilepath.isa import IsaError, profiles


def readings_of(profile: str) -> dict[str, str]:
    """What is stored beside the name of a profile; nothing of one that there is not."""
    try:
        return {"readings": profiles.readings(profile)}
    except IsaError:
        return {}


def profile_of(stored: Mapping[str, Any]) -> str:
    """The profile of a stored result of a ``block``, called as what it was is called now.

    A parameter of the block that has another value now is set by hand. What cannot be had any more
    is such a name, too, and refused as soon as it is used. ``ValueError`` for ``readings`` that are
    none.
    """
    name, readings = str(stored["profile"]), str(stored.get("readings", ""))
    if readings and not all("=" in one for one in readings.split(",")):
        raise ValueError(f"{readings!r} are no readings")
    try:
        settings = profiles.changed(name, readings)
    except IsaError:  # whoever uses it says so
        return name
    block = str(stored["block"])
    return ",".join([name, *(one for one in settings if _counts(block, name, one.split("=")[0]))])


@functools.cache
def _counts(block: str, profile: str, parameter: str) -> bool:
    """Whether it makes a difference to a block, as far as anybody can tell."""
    # which imports what reads results
    from tilepath.engine.description.registry import load_block

    try:
        harness = load_block(block).harness_parameters
        some = [f"{profile},{parameter}={profiles.written(v)}" for v in profiles.values(parameter)]
        return not some or any(harness(one) != harness(profile) for one in some)
    except (KeyError, ValueError):
        return True
