# SPDX-License-Identifier: Apache-2.0
"""An argument that does not fit is told where it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilepath.tests.engine.test_blame import caught

_BEGIN = """\
from tilepath.sequences.unpack.config import Setup, Thread
from tilepath.sequences.unpack.words import unpacr
from tilepath.engine.description.stimulus import TestSpec
"""


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("Setup(ctx_in=(1, 2))", "Setup: ctx_in: a tuple of 8, each a whole number from 0 to 15, "),
        ("Setup(shift=(0, 0, 0, 16))", "Setup: shift: a tuple of 4, each a whole number from 0 to"),
        ("Setup().with_(x_dim=65536)", "Setup: x_dim: a whole number from 0 to 65535, not 65536"),
        ("Setup(1.5)", "Setup: in_format: a whole number from 0 to 15, not 1.5"),
        ("unpacr(0, inc=(0, 4, 0, 0))", "unpacr: inc: a tuple of 4, each a whole number from 0 to"),
        ("unpacr(np.array([0, 2]))", "unpacr: unpacker: a whole number from 0 to 1, not array(["),
        ("TestSpec(faults='sem_lost')", "TestSpec: faults: a tuple, each a str, not 'sem_lost'"),
        (
            "TestSpec(floor=[3])",
            "TestSpec: floor: a mapping, a str to a whole number each, ",
        ),
        ("TestSpec(floor={'issue': '9'})", "TestSpec: floor: a mapping, a str to a whole number "),
        ("TestSpec(kind='rnd')", "TestSpec: kind: one of random, directed, program, not 'rnd'"),
        ("TestSpec(untimed='no')", "TestSpec: untimed: true or false or a Callable, not 'no'"),
        ("TestSpec(seeds=-1)", "TestSpec: seeds: a whole number from 0 to 100000, not -1"),
        ("Thread(state=2).words()", "CFG_STATE_ID_StateID: 2 does not fit 1 bits"),
    ],
)
def test_what_is_wanted_is_told_with_the_line(tmp_path: Path, call: str, what: str) -> None:
    told = caught(tmp_path / "my.py", _BEGIN + call)
    assert told.startswith(f"{tmp_path}/my.py:4: ValueError: {what}"), told
