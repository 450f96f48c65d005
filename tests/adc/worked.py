# SPDX-License-Identifier: Apache-2.0
"""All streams of a run of the counters, its coverage, random inputs; vectors, decisions, points."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilepath.engine.compiled.state import State
from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.stimulus import Context
from tilepath.isa.boundary.adc import BOUNDARY, TARGETS
from tilepath.models.adc import AdcModel, AddressCounters
from tilepath.sequences.adc import TESTS, directed
from tilepath.sequences.given import Case, numbers
from tilepath.tb.adc.block import BLOCK
from tilepath.tests.coverage_runs import counted, recorded
from tilepath.tests.model_runs import Records, stream
from tilepath.tests.stimulus.helpers import offered
from tilepath.tests.worked import Tables

_SHAPE: Final = AddressCounters().live.shape
_PLACES: Final = [
    f"t{s}.{TARGETS[k]}.{'xyzw'[counter]}{channel}" for s, k, channel, counter in np.ndindex(_SHAPE)
]
"""Of each counter where it is."""
_FAULTS: Final = {"t0": "t0.fault", "t1": "t1.fault", "t2": "t2.fault", "unit": "unit_fault"}
_LIVE, _LESS = 100, 90


def seen(
    inputs: Mapping[str, Records], cycles: int, profile: str = "baseline"
) -> dict[str, Records]:
    """Every stream of a run of the model."""
    return dict(inputs) | AdcModel(profile).step(inputs, cycles)


def covered(inputs: Mapping[str, Records], cycles: int, profile: str = "baseline") -> CoverageModel:
    """The coverage of what the model does of ``inputs``."""
    shown = recorded(BLOCK.stream_table, seen(inputs, cycles, profile))
    return counted(BLOCK, profile, shown, cycles)


def random_inputs(
    seed: int, cycles: int, profile: str = "baseline", test: str = "random"
) -> dict[str, Records]:
    """What a random test offers."""
    context = Context("adc", test, seed, profile, cycles)
    return offered(BLOCK, TESTS[test].stimulus(context), cycles)


class _Counters(Tables):
    """Of a case with ``commands`` each is one of its own; ``decisions.toml`` says how."""

    def cases(self) -> dict[str, Case]:
        found: dict[str, Case] = {}
        for name, case in super().cases().items():
            for number, (line, changes, *faults) in enumerate(case.get("commands", ())):
                first = line.split()[1]
                thread = first if first in _FAULTS else "t0"
                by = "unit" if first in BOUNDARY.inputs else thread
                see = dict.fromkeys(_FAULTS.values(), "")
                see[_FAULTS[by]] = f"0:{faults[0]}" if faults else ""
                found[f"{name}-{number}"] = {
                    **case,
                    "given": [line],
                    "changes": changes,
                    "see": see,
                }
            if "given" in case:
                found[name] = case
        return found

    def inputs(self, case: Case) -> dict[str, Records]:
        inputs = super().inputs(case)
        if "changes" in case:
            rows = [
                (n + cr * len(_PLACES), *place, cr, _LIVE + n - cr * _LESS)
                for cr in range(2)
                for n, place in enumerate(np.ndindex(_SHAPE))
            ]
            inputs["flop"] = np.concatenate((stream(BOUNDARY, "flop", rows), inputs["flop"]))
        return inputs

    def check(self, case: Case) -> State:
        state = super().check(case)
        if "changes" in case:
            before = np.arange(len(_PLACES)) + _LIVE
            live, checkpoint = state["live"].reshape(-1), state["checkpoint"].reshape(-1)
            found = {
                _PLACES[n]: (int(live[n]), int(checkpoint[n]))
                for n in np.flatnonzero((live != before) | (checkpoint != before - _LESS))
            }
            want = {}
            for part in case["changes"].split():
                place, _, text = part.partition(":")
                values = numbers(text, {})
                want[place] = (values[0], values[-1])
            assert found == want
        return state

    def field(self, record: Any, name: str) -> Any:
        """Y, Z and W of a level have the checkpoint above the live value."""
        if name[0] in "yzw" and name[1] in "01" and "w1" in (record.dtype.names or ()):
            return int(record[name[:2]]) >> 16 * name.endswith("_cr") & 0xFFFF
        return super().field(record, name)


TABLES: Final = _Counters(
    BOUNDARY,
    (
        Path(directed.__file__).with_name("vectors.toml"),
        Path(__file__).with_name("decisions.toml"),
        Path(__file__).with_name("points.toml"),
    ),
    2 * len(_PLACES),
    {},
    seen,
)
