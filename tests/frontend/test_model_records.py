# SPDX-License-Identifier: Apache-2.0
"""Records as the models use them: names that would mean two things are refused."""

from __future__ import annotations

import numpy as np
import pytest

from tilepath.models.records import record, zeros


@pytest.mark.parametrize("name", ["size", "data", "copy", "T", "item", "view", "lambda", "field"])
def test_names_that_mean_something_else_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"field {name}: "):
        record(**{name: np.int64})


def test_fields_are_reached_by_name_at_every_depth() -> None:
    entry = record(word=np.uint32, time=np.int64)
    queue = record(entries=(entry, 4), head=entry, count=np.int64)
    made = zeros(queue, 3)
    assert made.shape == (3,)
    made[1].entries[2].word = 5
    made[1].head.time = -1
    made[1].count += 2
    assert made["entries"]["word"].sum() == 5
    assert made.head.time.tolist() == [0, -1, 0]
    assert made.copy()[1].count == 2
