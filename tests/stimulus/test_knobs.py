# SPDX-License-Identifier: Apache-2.0
"""Knobs: what each takes, in every block, and what their base checks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from tilepath.sequences.control import knobs as control
from tilepath.sequences.flag_pipe import knobs as flag_pipe
from tilepath.sequences.kernel.knobs import BaseKnobs, Weights, number, share, tilted, weights
from tilepath.sequences.kernel.tables import Tables
from tilepath.sequences.pack import knobs as pack
from tilepath.tb.kernel.description import registry

PRESETS: Final[dict[str, dict[str, BaseKnobs]]] = {
    "control": dict(control.PRESETS),
    "flag_pipe": dict(flag_pipe.PRESETS),
    "pack": dict(pack.PRESETS),
}

REFUSED: Final[dict[str, list[dict[str, Any]]]] = {
    "control": [
        {"segments": {"nonsense": 1.0}},
        {"segments": {"config": 0.0}},
        {"gaps": {"none": 1.0, "long": -1.0}},
        {"work": {"always": 1.0}},
        {"hot": 1.5},
        {"risc_gap": -1},
    ],
    "flag_pipe": [
        {"masks": {"nonsense": 1.0}},
        {"beats": {"1": 0.0}},
        {"ready": {"always": 1.0, "light": -1.0}},
        {"errors": 1.5},
        {"length": 0},
    ],
    "pack": [
        {"formats": {"nonsense": 1.0}},
        {"counts": {"row": 0.0}},
        {"ready": {"always": 1.0, "half": -1.0}},
        {"last": 1.5},
        {"rows": -1},
    ],
}


@pytest.mark.parametrize(
    ("block", "change"), [(block, change) for block in REFUSED for change in REFUSED[block]]
)
def test_knobs_out_of_range_are_refused(block: str, change: dict[str, Any]) -> None:
    first = next(iter(PRESETS[block].values()))
    with pytest.raises(ValueError, match=f"^knob {next(iter(change))}: [^\n]+$"):
        replace(first, **change)


@pytest.mark.parametrize("block", PRESETS)
def test_a_test_of_illegal_knobs_declares_faults(block: str) -> None:
    tests = registry.tests_of(block)
    for name, preset in PRESETS[block].items():
        test = tests.get(f"random_{name}") or tests[name]
        # legal traffic of some raises warnings; a preset may be free of faults by luck
        assert preset.legal() or test.faults
        assert not preset.legal() or not test.faults or block == "pack"


def test_a_test_of_illegal_tables_declares_faults() -> None:
    for block in registry.block_names():
        for test in registry.tests_of(block).values():
            if isinstance(test.tables, Tables):
                # as above
                named = f"{block}/{test.name}"
                assert test.tables.legal or test.faults or named == "frontend/random_mop"
                assert not test.tables.legal or not test.faults or block in ("unpack", "pack")


@dataclass(frozen=True)
class Some(BaseKnobs):
    kinds: Weights = weights(("a", "b", "c"), {"a": 2.0, "b": 1.0}, legal=("a", "b"))
    even: Weights = weights(("x", "y"))
    rare: float = share(0.1)
    bad: float = share(0.0, faulty=True)
    gap: float | None = number(3, optional=True)
    lengths: tuple[int, int] = number((1, 2), least=1)


def test_defaults() -> None:
    knobs = Some()
    assert (knobs.kinds, knobs.even) == ({"a": 2.0, "b": 1.0}, {"x": 1.0, "y": 1.0})
    assert (knobs.rare, knobs.bad, knobs.gap, knobs.lengths) == (0.1, 0.0, 3, (1, 2))
    assert Some(gap=None).gap is None and Some(gap=0).gap == 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kinds": {"d": 1.0, "a": 1.0}}, "knob kinds: unknown ['d']"),
        ({"kinds": {}}, "knob kinds: weights must be positive in sum, none below 0"),
        ({"kinds": {"a": 0}}, "knob kinds: weights must be positive in sum, none below 0"),
        ({"even": {"x": float("nan")}}, "knob even: weights must be positive in sum, none below 0"),
        ({"rare": -0.1}, "knob rare: -0.1 is not a share between 0 and 1"),
        ({"rare": float("nan")}, "knob rare: nan is not a share between 0 and 1"),
        ({"gap": -1}, "knob gap: -1 is below 0"),
        ({"lengths": (5, 0)}, "knob lengths: 0 is below 1"),
    ],
)
def test_what_is_wrong_is_one_line(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError) as caught:
        Some(**change)
    assert str(caught.value) == says


def test_legal_knobs_make_no_faults() -> None:
    assert Some().legal()
    assert Some(kinds={"a": 1.0, "c": 0.0}).legal()
    assert not Some(kinds={"a": 1.0, "c": 0.1}).legal()
    assert not Some(bad=0.1).legal()


def test_a_knob_without_a_rule_is_refused() -> None:
    @dataclass(frozen=True)
    class Careless(BaseKnobs):
        rate: float = 0.5

    with pytest.raises(TypeError, match="knob rate does not say which values it takes"):
        Careless()


def test_tilted_weights() -> None:
    given = {"a": 1.0, "b": 1.0, "c": 4.0, "d": 1.0}
    assert tilted(given, (1.0, 2.0, 0.5), 1) == {"a": 2.0, "b": 0.5, "c": 4.0, "d": 2.0}
    assert tilted(given, (1.0, 2.0), 0, but=("b",)) == {"a": 1.0, "b": 1.0, "c": 4.0, "d": 2.0}
