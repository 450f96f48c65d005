# SPDX-License-Identifier: Apache-2.0
"""An argument that does not fit is told where it is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilepath.sequences.unpack.config import Setup
from tilepath.sequences.unpack.words import unpacr
from tilepath.tb.kernel.description.stimulus import TestSpec
from tilepath.tests.kernel.test_kernel_blame import caught

SPEC: dict[str, Any] = {"name": "a", "summary": "b", "kind": "random", "stimulus": lambda _: {}}


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: Setup(ctx_in=(1, 2, 3, 4)), "Setup: ctx_in: a tuple of 8, each a whole number f"),  # type: ignore[arg-type]
        (lambda: Setup(shift=(0, 0, 0, 16)), "shift: a tuple of 4, each a whole number from 0 to "),
        (lambda: Setup().with_(x_dim=1 << 16), "x_dim: a whole number from 0 to 65535, not 65536"),
        (lambda: Setup(y_dim=-1), "y_dim: a whole number from 0 to 255, not -1"),
        (lambda: Setup(1.5), "in_format: a whole number from 0 to 15, not 1.5"),  # type: ignore[arg-type]
        (lambda: unpacr(0, inc=(0, 4, 0, 0)), "unpacr: inc: a tuple of 4, each a whole number fr"),
        (lambda: unpacr(np.array([0, 2])), r"unpacker: a whole number from 0 to 1, not array\("),  # type: ignore[arg-type]
        (lambda: TestSpec(**SPEC, faults="sem_lost"), "faults: a tuple, each a str, not 'sem_los"),  # type: ignore[arg-type]
        (lambda: TestSpec(**SPEC, floor=[3]), r"TestSpec: floor: a Mapping, not \[3\]"),  # type: ignore[arg-type]
        (lambda: TestSpec(**SPEC | {"kind": "rand"}), "kind: one of random, directed, program, "),
    ],
)
def test_it_says_what_is_wanted(call: Any, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        call()


def test_the_line_that_gives_it_is_named(tmp_path: Path) -> None:
    begin = "from tilepath.sequences.unpack.config import Setup, Thread\n"
    for line in ("Setup().with_(ctx_out=(1,))", "Thread(state=2).words()"):
        assert caught(tmp_path / "my.py", begin + line).startswith(f"{tmp_path}/my.py:2: ValueErr")
