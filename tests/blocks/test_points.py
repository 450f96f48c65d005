# SPDX-License-Identifier: Apache-2.0
"""Each coverpoint is shown: something that is played hits bins of it, and misses some."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from tilepath.engine.coverage.model import CoverageModel
from tilepath.engine.description.block import ROOT
from tilepath.engine.description.registry import load_block
from tilepath.isa import profiles
from tilepath.tests.adc import worked as adc
from tilepath.tests.control import vectors as control
from tilepath.tests.coverage_runs import Example
from tilepath.tests.frontend import worked as frontend
from tilepath.tests.pack import points as pack
from tilepath.tests.unpack import unpack_cover

_EXAMPLES: Final[Mapping[str, list[Example]]] = {
    **{
        "adc": adc.TABLES.examples(),
        "control": control.EXAMPLES,
        "frontend": frontend.TABLES.examples(),
    },
    **{"pack": pack.EXAMPLES, "unpack": unpack_cover.EXAMPLES},
}
_COVERED: Final[Mapping[str, Callable[[Any], CoverageModel]]] = {
    "adc": adc.TABLES.covered,
    "control": control.covered_by,
    "frontend": frontend.TABLES.covered,
    "pack": lambda build: build().covered(),
    "unpack": unpack_cover.covered_by,
}


def wrong(name: str, example: Example) -> list[str]:
    """Rows of an example that do not hit and miss what they should, with file and line."""
    played, *rows = example
    assert rows
    model = _COVERED[name](played)
    assert model.contradicted() == []
    points = model.report().points

    def shown(row: str) -> bool:
        point, hit, *missed = row.split()
        bins = points[point]
        assert missed or len(bins) == 1
        return bins[hit] > 0 and not any(bins[one] for one in missed)

    return [f"{_place(name, row)}: it is not so: {row}" for row in rows if not shown(row)]


def _place(name: str, row: str) -> str:
    point, hit, *_ = row.split()
    for text in (f"{point} {hit}", point):  # a long row is in several strings
        folder = ROOT / "tests" / name
        for path in (*sorted(folder.glob("*points.*")), *folder.glob("vectors.toml")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if text in line:
                    return f"{path.relative_to(ROOT)}:{number}"
    return name


@pytest.mark.parametrize(
    ("name", "example"), [(name, one) for name, some in _EXAMPLES.items() for one in some]
)
def test_it_hits_and_misses_what_it_should(name: str, example: Example) -> None:
    assert wrong(name, example) == []


@pytest.mark.parametrize("bins", ["x0*1 x0*other", "x0*max x0*max"])
def test_an_example_that_does_not_hit_or_miss_has_its_place(bins: str) -> None:
    played, row = next(
        one for one in adc.TABLES.examples() if "setadc.counter_x_value x0*max" in one[1]
    )
    (line,) = wrong("adc", (played, f"{row.split()[0]} {bins}"))
    assert re.fullmatch(r"tests/adc/points\.toml:\d+: it is not so: setadc\..*", line)


@pytest.mark.parametrize("name", _EXAMPLES)
def test_every_point_is_shown(name: str) -> None:
    shown = {row.split()[0] for _, *rows in _EXAMPLES[name] for row in rows}
    block = load_block(name)
    points = [block.coverage(profile).report().points for profile in profiles.names()]
    assert shown == {point for some in points for point in some}
